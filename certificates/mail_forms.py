"""What the staff write about an e-mail that did not arrive."""

from django import forms
from django.utils.translation import gettext_lazy as _

from certificates.undelivered import LONGEST_DIAGNOSIS, LONGEST_NOTE


class ReturnedForm(forms.Form):
    """That an e-mail came back, and what the mail server said, if anything."""

    diagnosis = forms.CharField(
        label=_("What the mail server said"),
        help_text=_("A line of the message that came back. It is erased together with the address."),
        required=False,
        max_length=LONGEST_DIAGNOSIS,
    )


class SettleForm(forms.Form):
    """How the reader of an e-mail was told in another way."""

    note = forms.CharField(
        label=_("How its reader was told"),
        help_text=_("When, by whom and in which way. It is erased together with the address."),
        max_length=LONGEST_NOTE,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
