"""What is asked of whoever hands in an evidence package, or says who a proposed holder or system is."""

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from evidence.models.system import IdentifierKind, InterestKind


class UploadForm(forms.Form):
    """What the page of an upload shows; file and digest themselves are taken by `evidence.upload_handler`."""

    sha256 = forms.CharField(
        label=_("SHA-256 that you computed"),
        help_text=_("64 hexadecimal digits. If what arrives has another one, the package is rejected."),
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "class": "mono"}),
    )
    file = forms.FileField(
        label=_("Evidence package (ZIP)"),
        error_messages={"required": _("Choose the ZIP to hand in.")},
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )


# ── holders and systems ──────────────────────────────────────────────────────


class HolderForm(forms.Form):
    """A proposed holder, confirmed with its checked identifier."""

    name = forms.CharField(label=_("Name"), max_length=200)
    identifier_kind = forms.ChoiceField(
        label=_("Kind of identifier"),
        choices=lambda: [(code, capfirst(label)) for code, label in IdentifierKind.choices],
        widget=forms.RadioSelect,
    )
    identifier = forms.CharField(
        label=_("Identifier"),
        max_length=80,
        help_text=_("As it stands in the document you have seen; its check digits are checked."),
        widget=forms.TextInput(attrs={"class": "w20", "autocomplete": "off", "spellcheck": "false"}),
    )
    country = forms.CharField(
        label=_("Country"),
        max_length=2,
        help_text=_("Two letters, for example CL."),
        widget=forms.TextInput(attrs={"class": "w20", "autocomplete": "off"}),
    )
    contact_email = forms.EmailField(label=_("Contact e-mail"), required=False)

    def clean_country(self) -> str:
        return self.cleaned_data["country"].upper()


class SystemForm(forms.Form):
    """A proposed system, confirmed under its name."""

    name = forms.CharField(label=_("Name"), max_length=200)


class MergeForm(forms.Form):
    """Into which known one a proposal is merged."""

    into = forms.CharField(
        label=_("Merge into"),
        max_length=200,
        help_text=_("Exact name or identifier of the known one."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class AccountForm(forms.Form):
    """Whose account is linked to a holder."""

    email = forms.EmailField(
        label=_("E-mail of the account"),
        help_text=_("Of a person who belongs to the holder; you have seen who it is."),
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )


class InviteForm(forms.Form):
    """A person of a holder who has no account yet."""

    name = forms.CharField(label=_("Name"), max_length=200)
    email = forms.EmailField(
        label=_("E-mail of the account"), widget=forms.EmailInput(attrs={"autocomplete": "off"})
    )
    language = forms.ChoiceField(
        label=_("Language"), choices=[("es", "Español"), ("en", "English")], widget=forms.RadioSelect
    )


class ContactForm(forms.Form):
    """Where the letters to a holder go, and in which language."""

    email = forms.EmailField(
        label=_("Contact e-mail"),
        help_text=_("One address that several people read is safer than the address of one person."),
    )
    language = forms.ChoiceField(
        label=_("Language of the letters"),
        choices=[("es", "Español"), ("en", "English")],
        widget=forms.RadioSelect,
    )


class InterestForm(forms.Form):
    """In which holder, and of what kind."""

    holder = forms.CharField(
        label=_("Holder"),
        help_text=_("Its name as the registry writes it, or its identifier."),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    kind = forms.ChoiceField(
        label=_("What the interest is"), choices=InterestKind.choices, widget=forms.RadioSelect
    )


# ── operators of agent runs ──────────────────────────────────────────────────


def _organisation() -> forms.CharField:
    return forms.CharField(
        label=_("Organisation"),
        help_text=_("For which the person operates agents; never published."),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class AdmitOperatorForm(forms.Form):
    """A person with an account, admitted to operate agents."""

    email = forms.EmailField(
        label=_("E-mail of the account"),
        help_text=_("Of a person without a role in the registry; you have seen who it is."),
        widget=forms.EmailInput(attrs={"autocomplete": "off"}),
    )
    organisation = _organisation()


class InviteOperatorForm(InviteForm):
    """A person who has no account yet, invited to operate agents."""

    organisation = _organisation()
