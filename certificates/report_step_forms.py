"""What the staff are asked who look into complaints and decide them."""

from typing import Any

from django import forms
from django.core.validators import MaxLengthValidator
from django.utils.translation import gettext_lazy as _

from certificates import reports, words
from certificates.fields import PublicText, StepForm
from certificates.report_states import OutOfRemit, ReportOutcome


class DeclineForm(StepForm):
    """It is outside our remit: why, to whoever complained."""

    reason = forms.ChoiceField(
        label=_("Why it is outside our remit"),
        choices=[(one.value, words.OUT_OF_REMIT[one.value]) for one in OutOfRemit],
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose one.")},
    )
    reasons_es = PublicText(
        language="es",
        label=_("Reasons in Spanish"),
        help_text=_(
            "Only whoever complained reads them. Without names: they stay when the complaint is erased."
        ),
    )
    reasons_en = PublicText(
        language="en", label=_("Reasons in English"), help_text=_("The same, for those who read English.")
    )
    field_order = ["if_sequence", "reason", "reasons_es", "reasons_en"]

    def facts(self) -> dict[str, Any]:
        return super().facts() | {"reason": self.cleaned_data["reason"]}


class AskHolderForm(StepForm):
    """It is put to the holder: what it is about, and what whoever looked into it would do."""

    text = "summary"
    summary_es = PublicText(
        language="es",
        label=_("What the complaint is about, in Spanish"),
        help_text=_(
            "Without names: the holder reads this and neither who complained nor in which words. "
            "The Spanish text prevails."
        ),
        rows=5,
    )
    summary_en = PublicText(
        language="en",
        label=_("What the complaint is about, in English"),
        help_text=_("The same, for those who read English. Without names."),
        rows=5,
    )
    proposal = forms.CharField(
        label=_("What you would propose (internal)"),
        help_text=_(
            "For whoever decides; someone else decides what follows for the certificate. Without names."
        ),
        widget=forms.Textarea(attrs={"rows": 4}),
        # As a validator and not as `maxlength`, which would cut what is pasted without a word.
        validators=[
            MaxLengthValidator(
                reports.LONGEST_TEXT,
                _("The text has %(show_value)s characters; at most %(limit_value)s are read."),
            )
        ],
        required=False,
    )

    def facts(self) -> dict[str, Any]:
        return super().facts() | {"proposal": self.cleaned_data["proposal"]}


class DecideForm(StepForm):
    """Its outcome, with reasons that anybody may read."""

    outcome = forms.ChoiceField(
        label=_("Outcome"),
        choices=[(one.value, words.OUTCOME[one.value]) for one in ReportOutcome],
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose the outcome.")},
    )
    reasons_es = PublicText(
        language="es",
        label=_("Public reasons in Spanish"),
        help_text=_(
            "What was established and what follows from it, without names. The Spanish text prevails."
        ),
        rows=5,
    )
    reasons_en = PublicText(
        language="en",
        label=_("Public reasons in English"),
        help_text=_("The same, for those who read English. Without names."),
        rows=5,
    )
    field_order = ["if_sequence", "outcome", "reasons_es", "reasons_en"]

    def facts(self) -> dict[str, Any]:
        return super().facts() | {"outcome": self.cleaned_data["outcome"]}
