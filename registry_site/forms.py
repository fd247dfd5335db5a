"""What is asked of people who open an account, and of the registrars who invite them."""

from typing import Any

from django import forms
from django.contrib.auth import password_validation
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from registry_site.models import Invitation, User


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
