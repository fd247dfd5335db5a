"""What is asked of whoever hands in an evidence package."""

import re

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _


class UploadForm(forms.Form):
    """The file itself is streamed to storage by intake's handler; this form holds what stands beside it."""

    sha256 = forms.CharField(
        label=_("SHA-256 that you computed"),
        help_text=_("64 hexadecimal digits. If what arrives has another one, the package is rejected."),
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "class": "mono"}),
    )
    file = forms.FileField(
        label=_("Evidence package (ZIP)"),
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )

    def clean_sha256(self) -> str:
        digest = re.sub(r"[\s:-]", "", self.cleaned_data["sha256"]).lower()
        if digest and not re.fullmatch(r"[0-9a-f]{64}", digest):
            raise ValidationError(_("A SHA-256 has 64 hexadecimal digits (0–9, a–f)."))
        return digest
