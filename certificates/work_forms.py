"""Forms of the staff's own work: a note, a reason to set a package aside, a person to give a matter to."""

from django import forms
from django.utils.translation import gettext_lazy as _

from certificates.models.work import LONGEST_NOTE


class NoteForm(forms.Form):
    text = forms.CharField(
        label=_("Note"),
        help_text=_("For the staff alone; it is never published, and cannot be changed."),
        max_length=LONGEST_NOTE,
        widget=forms.Textarea(attrs={"rows": 4}),
    )


class SetAsideForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        help_text=_("For the staff alone, for example: its submitter will not mend it."),
        max_length=LONGEST_NOTE,
        widget=forms.Textarea(attrs={"rows": 3}),
    )
