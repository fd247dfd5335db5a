"""What is asked of a holder who appeals, and of the staff who admit and decide appeals."""

from datetime import timedelta
from typing import Any

from django import forms
from django.core.validators import MaxLengthValidator
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from certificates import appeals, attached_files, lifecycle, words
from certificates.appeal_states import AppealOutcome, Effect, Inadmissibility
from certificates.fields import DateInThreeFields, Files, PublicText, StepForm, lines_of
from certificates.states import REASONS_OF_A_REPORT, Reason


class AppealForm(forms.Form):
    """One column: why, with what, and who is answered."""

    grounds = forms.CharField(
        label=_("Why the decision should be reconsidered"),
        help_text=_(
            "Say what is wrong in the decision and what shows it. The staff read it as you write it; the public "
            "reads a summary."
        ),
        widget=forms.Textarea(attrs={"rows": 10}),
        # As a validator and not as `maxlength`, which would cut what is pasted without a word.
        validators=[
            MaxLengthValidator(
                appeals.LONGEST_GROUNDS,
                _(
                    "The text has %(show_value)s characters; at most %(limit_value)s are read. Attach the rest "
                    "as a file."
                ),
            )
        ],
        error_messages={"required": _("Write why the decision should be reconsidered.")},
    )
    attachments = Files(
        label=_("Attachments"),
        help_text=format_lazy(
            _("At most {n} files of at most {mb} MB: PDF, PNG, JPEG or plain text. They are not published."),
            n=attached_files.MOST,
            mb=attached_files.LARGEST // 1024**2,
        ),
        required=False,
    )
    name = forms.CharField(
        label=_("Your name"),
        help_text=_("Of whoever appeals in the holder's name. It is not published."),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    email = forms.EmailField(
        label=_("E-mail for the answers"),
        help_text=_("It is not published. There you will receive the number and a private link."),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )

    def facts(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in ("grounds", "name", "email")}


class OnBehalfForm(forms.Form):
    """Who wrote for the holder, and where the answers go; the grounds are what the holder wrote."""

    name = forms.CharField(
        label=_("Who signed the request"), help_text=_("It is not published."), max_length=200
    )
    email = forms.EmailField(
        label=_("E-mail for the answers"), help_text=_("It is not published."), max_length=254
    )
    language = forms.ChoiceField(
        label=_("Language of the letters"),
        choices=[("es", "Español"), ("en", "English")],
        widget=forms.RadioSelect,
    )


# ── the staff ────────────────────────────────────────────────────────────────


def _public(language: str, label: Any, help_text: Any, *, required: bool = True) -> PublicText:
    return PublicText(language=language, label=label, help_text=help_text, required=required)


class AdmitForm(StepForm):
    text = "summary"
    summary_es = _public(
        "es",
        _("Public summary of the grounds in Spanish"),
        _("What the holder says, without names of persons. The Spanish text prevails."),
    )
    summary_en = _public(
        "en", _("Public summary of the grounds in English"), _("The same, for those who read English.")
    )


class InadmissibleForm(StepForm):
    reason = forms.ChoiceField(
        label=_("Why it is inadmissible"),
        choices=[(one.value, words.INADMISSIBILITY[one.value]) for one in Inadmissibility],
        widget=forms.RadioSelect,
    )
    reasons_es = _public(
        "es", _("Public reasons in Spanish"), _("Why it is not admitted. The Spanish text prevails.")
    )
    reasons_en = _public("en", _("Public reasons in English"), _("The same, for those who read English."))

    def facts(self) -> dict[str, Any]:
        return super().facts() | {"reason": self.cleaned_data["reason"]}


class DecideForm(StepForm):
    outcome = forms.ChoiceField(
        label=_("Outcome"),
        choices=[(one.value, words.OUTCOME[one.value]) for one in AppealOutcome],
        widget=forms.RadioSelect,
    )
    effect = forms.ChoiceField(
        label=_("Effect, when it is upheld in part"),
        choices=[("", _("none to choose: upheld in whole, or dismissed"))]
        + [(one.value, words.EFFECT[one.value]) for one in Effect],
        widget=forms.RadioSelect,
        required=False,
    )
    reasons_es = _public(
        "es", _("Public reasons in Spanish"), _("What was decided and why. The Spanish text prevails.")
    )
    reasons_en = _public("en", _("Public reasons in English"), _("The same, for those who read English."))
    amended_es = _public(
        "es",
        _("Amended statement in Spanish"),
        _("Only when its public statement is amended: how it reads from now on."),
        required=False,
    )
    amended_en = _public("en", _("Amended statement in English"), _("The same."), required=False)
    reason = forms.ChoiceField(
        label=_("Other reason"),
        help_text=_("Only when the decision is varied. Left empty, the reason stays."),
        choices=[("", _("Choose a reason"))]
        + [
            (one.value, words.REASON[one.value])
            for one in Reason
            if one not in REASONS_OF_A_REPORT and one is not Reason.OTHER
        ],
        required=False,
    )
    conditions_es = _public(
        "es",
        _("Conditions for lifting it, in Spanish"),
        _("Only when the decision is varied. One per line; left empty, the present ones stay."),
        required=False,
    )
    conditions_en = _public(
        "en", _("Conditions for lifting it, in English"), _("The same, in the same order."), required=False
    )

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        self.fields["review_on"] = DateInThreeFields(
            label=_("Review date"),
            help_text=_("Only when the decision is varied."),
            not_before=self.today + timedelta(days=1),
            not_after=self.today + lifecycle.LONGEST_REVIEW,
            required=False,
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        es, en = lines_of(cleaned.get("conditions_es") or ""), lines_of(cleaned.get("conditions_en") or "")
        if len(es) != len(en):
            self.add_error(
                "conditions_en", _("Write one condition per line in both languages, in the same order.")
            )
        cleaned["conditions"] = [{"es": a, "en": b} for a, b in zip(es, en, strict=False)]
        effect = cleaned.get("effect")
        if effect == Effect.AMEND:
            for language in ("es", "en"):
                if not cleaned.get(f"amended_{language}"):
                    self.add_error(f"amended_{language}", _("Write how the statement reads from now on."))
        if (cleaned.get("outcome") == AppealOutcome.PARTLY_UPHELD) != bool(effect):
            self.add_error("effect", _("What is upheld in part names its effect, and nothing else does."))
        return cleaned

    def facts(self) -> dict[str, Any]:
        cleaned = self.cleaned_data
        told = super().facts() | {"outcome": cleaned["outcome"], "effect": cleaned["effect"] or None}
        if cleaned["effect"] == Effect.AMEND:
            told["amended"] = self._both("amended_")
        if cleaned["effect"] == Effect.VARY:
            told |= {
                "reason": cleaned["reason"] or None,
                "conditions": cleaned["conditions"] or None,
                "review_on": cleaned["review_on"],
            }
        return told
