"""What is asked of people who open an account, and of the registrars who invite them."""

from typing import Any

from django import forms
from django.contrib.auth import password_validation
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.utils.translation import gettext_lazy as _

from registry_site import invitations, recoveries
from registry_site.models import ROLE_CHOICES, Invitation, User
from registry_site.role_names import Role


class ChoosePasswordForm(forms.Form):
    """The password of an account that is about to be made; asked once, and shown when its reader wishes."""

    password = forms.CharField(
        label=_("Password"),
        help_text=_(
            "At least 12 characters; a sentence of your own is good. Nobody in the registry sees it."
        ),
        strip=False,
        max_length=256,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    again = forms.CharField(
        label=_("The same password again"),
        strip=False,
        max_length=256,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, *args: Any, invitation: Invitation, **options: Any):
        self.invitation = invitation
        super().__init__(*args, **options)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        password, again = cleaned.get("password"), cleaned.get("again")
        if password and again and password != again:
            self.add_error("again", _("The two are not the same."))
        if password:
            # Not stored: it lends its address to the check that a password does not repeat it.
            asked = User(email=self.invitation.email)
            try:
                password_validation.validate_password(password, asked)
            except ValidationError as error:
                self.add_error("password", error)
        return cleaned


class RecoveryForm(forms.Form):
    """Why a second factor is to be removed."""

    reason = forms.CharField(
        label=_("Reason"),
        help_text=_("What was lost, and how you know that its owner asks for it. Only registrars read it."),
        # As a validator and not as `maxlength`, which would cut what is pasted without a word.
        validators=[MaxLengthValidator(recoveries.LONGEST_REASON)],
        widget=forms.Textarea(attrs={"rows": 5}),
    )


class InviteForm(forms.Form):
    """Whom a registrar invites, and with which roles."""

    name = forms.CharField(
        label=_("Name"),
        help_text=_("As it is written in the person's document. The staff see it; the public sees the role."),
        max_length=invitations.LONGEST_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    email = forms.EmailField(
        label=_("E-mail"),
        help_text=_("The account keeps this address. The link to open it is sent there."),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    language = forms.ChoiceField(
        label=_("Language"),
        choices=User._meta.get_field("language").choices,
        initial="es",
        widget=forms.RadioSelect,
    )
    roles = forms.MultipleChoiceField(
        label=_("Roles"),
        help_text=_(
            "Without a role: an account of a holder's person. Registry goes with no other role (rule 5)."
        ),
        choices=[(role.value, words) for role, words in ROLE_CHOICES],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )

    def facts(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        return {**cleaned, "roles": [Role(role) for role in cleaned["roles"]]}
