"""What is asked of the staff who store an application on the holder's behalf, or turn one away."""

from datetime import date, timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from certificates import applications, words
from certificates.application_states import ApplicationInadmissibility
from certificates.fields import DateInThreeFields, PublicText


class StoreForm(forms.Form):
    """The holder's written request, word by word, so that a second person may answer it."""

    text = forms.CharField(
        label=_("Text of the request, word by word"),
        help_text=_("It is kept as evidence and not published."),
        widget=forms.Textarea(attrs={"rows": 6}),
        max_length=applications.LONGEST_TEXT,
    )

    def __init__(self, *args: Any, today: date, **options: Any):
        super().__init__(*args, **options)
        self.fields["received_on"] = DateInThreeFields(
            label=_("Day on which it was received"),
            not_before=today - timedelta(days=365),
            not_after=today,
            too_early=_("The date is too long ago."),
            too_late=_("The date has not come yet."),
        )


class InadmissibleForm(forms.Form):
    """Why it is turned away: told to the holder in its language, and published nowhere."""

    reason = forms.ChoiceField(
        label=_("Why it is inadmissible"),
        choices=[
            (one.value, words.APPLICATION_INADMISSIBILITY[one.value]) for one in ApplicationInadmissibility
        ],
        widget=forms.RadioSelect,
    )
    reasons_es = PublicText(
        language="es", label=_("Reasons in Spanish"), help_text=_("What is missing, and how to mend it.")
    )
    reasons_en = PublicText(
        language="en",
        label=_("Reasons in English"),
        help_text=_("The same: the holder reads it in its own language."),
    )

    def facts(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        return {
            "reason": cleaned["reason"],
            "reasons": {"es": cleaned["reasons_es"], "en": cleaned["reasons_en"]},
        }
