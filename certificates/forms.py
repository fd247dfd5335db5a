"""What the staff are asked before a decision: its reason, its public text in both languages, its terms."""

from datetime import date, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from certificates import finding, holder_requests, lifecycle, notices, words
from certificates.fields import DateInThreeFields, PublicText, StatementForm, lines_of
from certificates.states import REASONS_OF_A_REPORT, Reason, Step

CONDITION_LENGTH = 500


# ── decisions ────────────────────────────────────────────────────────────────


class DecisionForm(StatementForm):
    """What every decision has: the public text in both languages, and the event it was made in view of.

    `today` is the day in the scheme's zone. There is no field for the status: it follows from the step.
    """

    if_sequence = forms.IntegerField(min_value=0, widget=forms.HiddenInput)

    def __init__(self, *args: Any, today: date, **options: Any):
        self.today = today
        super().__init__(*args, **options)


class ReasonForm(DecisionForm):
    """A sanction: it also has a reason."""

    reason = forms.ChoiceField(
        label=_("Reason"),
        help_text=_("It completes the sentence “not in force, because …”."),
        error_messages={"required": _("Choose one.")},
        choices=lambda: (
            [("", _("Choose a reason"))]
            + [(str(r), _reason_choice(r)) for r in Reason if r not in REASONS_OF_A_REPORT]
        ),
    )
    field_order = ["if_sequence", "reason", "statement_es", "statement_en"]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if cleaned.get("reason") == Reason.OTHER:
            # The text itself becomes the clause: one sentence, no line ends.
            for name in ("statement_es", "statement_en"):
                if "\n" in cleaned.get(name, ""):
                    self.add_error(
                        name, _("With “other” as reason the text completes the sentence: write one sentence.")
                    )
        return cleaned

    def facts(self) -> dict[str, Any]:
        return super().facts() | {"reason": self.cleaned_data["reason"]}


def _reason_choice(reason: Reason) -> Any:
    if reason == Reason.OTHER:
        return _("other (the public text completes the sentence)")
    return words.REASON[reason]


class SuspensionTerms(DecisionForm):
    """Conditions in both languages, in the same order, and the day on which they are reviewed."""

    conditions_required = True

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        needed = self.conditions_required
        self.fields["conditions_es"] = PublicText(
            language="es",
            label=_("Conditions for lifting it, in Spanish"),
            help_text=_("One per line. It must be possible to check each."),
            required=needed,
            error_messages={"required": _("Write at least one.")},
        )
        self.fields["conditions_en"] = PublicText(
            language="en",
            label=_("Conditions for lifting it, in English"),
            help_text=_("The same, in the same order."),
            required=needed,
            error_messages={"required": _("Write at least one.")},
        )
        self.fields["review_on"] = DateInThreeFields(
            label=_("Review date"),
            help_text=_("At most %(days)s days from today, for example %(example)s.")
            % {"days": lifecycle.LONGEST_REVIEW.days, "example": _example(self.today + timedelta(days=60))},
            not_before=self.today + timedelta(days=1),
            not_after=self.today + lifecycle.LONGEST_REVIEW,
        )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        es, en = lines_of(cleaned.get("conditions_es", "")), lines_of(cleaned.get("conditions_en", ""))
        if "conditions_es" in cleaned and "conditions_en" in cleaned:
            if len(es) != len(en):
                self.add_error(
                    "conditions_en",
                    _(
                        "There are %(es)s conditions in Spanish and %(en)s in English: "
                        "write one per line, in the same order."
                    )
                    % {"es": len(es), "en": len(en)},
                )
            if len(es) > notices.MOST_CONDITIONS or any(len(line) > CONDITION_LENGTH for line in es + en):
                self.add_error(
                    "conditions_es",
                    _("At most %(count)s conditions of at most %(length)s characters each.")
                    % {"count": notices.MOST_CONDITIONS, "length": CONDITION_LENGTH},
                )
        cleaned["conditions"] = [{"es": a, "en": b} for a, b in zip(es, en, strict=False)]
        return cleaned

    def facts(self) -> dict[str, Any]:
        return super().facts() | {
            "conditions": self.cleaned_data["conditions"],
            "review_on": self.cleaned_data["review_on"],
        }


def _example(day: date) -> str:
    return f"{day.day} {day.month} {day.year}"


class SanctionForm(ReasonForm):
    """A sanction may rest on a complaint that was upheld: which, is part of its reason.

    `complaints`: (number, label) of those.
    """

    def __init__(self, *args: Any, complaints: list[tuple[str, str]] | None = None, **options: Any):
        super().__init__(*args, **options)
        reason = self.fields["reason"]
        if complaints:
            reason.choices = [
                *reason.choices,
                *((one.value, _("a complaint was upheld: choose it below")) for one in REASONS_OF_A_REPORT),
            ]
            self.fields["report"] = forms.ChoiceField(
                label=_("Complaint that was upheld"),
                help_text=_("Only when that is the reason: the public reads its number."),
                choices=[("", _("None: the reason is another one")), *complaints],
                widget=forms.RadioSelect,
                required=False,
            )
            self.order_fields(["if_sequence", "reason", "report", "statement_es", "statement_en"])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if "report" in self.fields and "reason" in cleaned and "report" in cleaned:
            number, rests_on_one = cleaned["report"], cleaned["reason"] in REASONS_OF_A_REPORT
            if rests_on_one and not number:
                self.add_error("report", _("Choose the complaint that was upheld."))
            if number and not rests_on_one:
                self.add_error("report", _("Another reason was chosen: it rests on no complaint."))
        return cleaned

    def facts(self) -> dict[str, Any]:
        number = self.cleaned_data.get("report")
        return super().facts() | ({"report": number} if number else {})


class SuspendForm(SuspensionTerms, SanctionForm):
    pass


class ProlongForm(SuspensionTerms):
    """A later review date than the present one; the conditions stay unless new ones are written."""

    conditions_required = False

    def __init__(self, *args: Any, reviewed_on: date | None = None, **options: Any):
        super().__init__(*args, **options)
        self.fields["conditions_es"].help_text = _("Left empty, the present ones stay. One per line.")
        if reviewed_on is None:
            return
        date_field = self.fields["review_on"]
        date_field.not_before = max(self.today, reviewed_on) + timedelta(days=1)
        date_field.not_after = max(self.today, reviewed_on) + lifecycle.LONGEST_REVIEW
        date_field.too_early = _("The date must be later than the present review date.")
        date_field.help_text = _("Later than %(present)s, for example %(example)s.") % {
            "present": _example(reviewed_on),
            "example": _example(max(self.today, reviewed_on) + timedelta(days=60)),
        }


class ReinstateForm(DecisionForm):
    pass


class RevokeForm(SanctionForm):
    pass


class HolderStepForm(DecisionForm):
    """A step that speaks for the holder rests on its written request, entered by someone else (rule 6)."""

    request = forms.ChoiceField(
        label=_("Written request of the holder"),
        help_text=_("Only requests that another person has stored are listed: two people see to it."),
        widget=forms.RadioSelect,
    )

    def __init__(self, *args: Any, requests: list[tuple[str, str]], **options: Any):
        super().__init__(*args, **options)
        self.fields["request"].choices = requests

    def facts(self) -> dict[str, Any]:
        chosen = self.cleaned_data.get("request")
        return super().facts() | ({"request": int(chosen)} if chosen else {})


class TerminateForm(HolderStepForm):
    field_order = ["if_sequence", "request", "statement_es", "statement_en"]


class SupersedeForm(HolderStepForm):
    """By a certificate of the same version; by another one only at the holder's written request."""

    other = forms.CharField(
        label=_("Number of the certificate that takes its place"),
        max_length=60,
        widget=forms.TextInput(attrs={"class": "w20"}),
    )
    field_order = ["if_sequence", "other", "request", "statement_es", "statement_en"]

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        self.fields["request"].required = False
        self.fields["request"].choices = [
            ("", _("None: it is of the same version")),
            *self.fields["request"].choices,
        ]

    def clean_other(self) -> str:
        return checked_number(self.cleaned_data["other"])

    def facts(self) -> dict[str, Any]:
        return super().facts() | {"other": self.cleaned_data["other"]}


class ErratumForm(DecisionForm):
    """A known defect: what it is in, and whether the certificate can still be relied on.

    `notices`: (number, label) of what was published on the certificate.
    """

    about = forms.ChoiceField(
        label=_("What it is about"),
        help_text=_("Name in the text which figure or which sentence is wrong, and what is right."),
        widget=forms.RadioSelect,
        required=False,
    )
    do_not_rely = forms.ChoiceField(
        label=_("May the certificate still be relied on?"),
        widget=forms.RadioSelect,
        choices=[
            ("no", _("Yes, with this correction beside it: the page says that it has a known defect.")),
            ("yes", _("No: “Do not rely on this certificate” becomes the first sentence of its page.")),
        ],
        error_messages={"required": _("Choose one.")},
    )
    field_order = ["if_sequence", "about", "do_not_rely", "statement_es", "statement_en"]

    def __init__(self, *args: Any, notices: list[tuple[str, str]], **options: Any):
        super().__init__(*args, **options)
        field = self.fields["about"]
        # One of the two is always chosen: it is no field that may be left out.
        field.at_times = True
        field.choices = [("", _("What was measured: a figure, or what it rests on")), *notices]

    def facts(self) -> dict[str, Any]:
        about = self.cleaned_data["about"]
        return (
            super().facts()
            | {"do_not_rely": self.cleaned_data["do_not_rely"] == "yes"}
            | ({"about": about} if about else {})
        )


class IssueForm(DecisionForm):
    """Issue on a measurement; the last day in force is the scheme's unless an earlier one is written.

    `supersedes`: numbers of the certificates of the same version whose place it may take; `must_supersede`
    when it is no first measurement and therefore has to.
    """

    def __init__(
        self,
        *args: Any,
        last_day: date,
        supersedes: list[str] | None = None,
        must_supersede: bool = False,
        **options: Any,
    ):
        super().__init__(*args, **options)
        if supersedes:
            none = [] if must_supersede else [("", _("None: it stands beside it"))]
            self.fields["supersedes"] = forms.ChoiceField(
                label=_("Certificate of the same version whose place it takes"),
                choices=none + [(number, number) for number in supersedes],
                widget=forms.RadioSelect,
                required=must_supersede,
            )
        self.fields["valid_until"] = DateInThreeFields(
            label=_("Last day in force"),
            help_text=_("Left empty: %(example)s, as the scheme sets it. An earlier day may be chosen.")
            % {"example": _example(last_day)},
            not_before=self.today + timedelta(days=1),
            not_after=last_day,
            required=False,
        )

    def facts(self) -> dict[str, Any]:
        day, number = self.cleaned_data["valid_until"], self.cleaned_data.get("supersedes")
        return (
            super().facts()
            | ({"valid_until": day} if day else {})
            | ({"supersedes": number} if number else {})
        )


class RefuseForm(ReasonForm):
    pass


FORMS: dict[str, type[DecisionForm]] = {
    Step.SUSPEND: SuspendForm,
    Step.PROLONG: ProlongForm,
    Step.REINSTATE: ReinstateForm,
    Step.REVOKE: RevokeForm,
    Step.TERMINATE: TerminateForm,
    Step.SUPERSEDE: SupersedeForm,
    Step.ERRATUM: ErratumForm,
}


def checked_number(text: str) -> str:
    """A certificate's number in its canonical spelling, or a ValidationError that says what is wrong."""
    try:
        return finding.canonical_number(text)
    except finding.NumberMistyped as error:
        raise ValidationError(error.title, code="wrong_check_digit") from error
    except finding.CertificateNotFound as error:
        raise ValidationError(_("That is not the number of a certificate."), code="invalid") from error


# ── requests of the holder ───────────────────────────────────────────────────


class HolderRequestForm(forms.Form):
    """A written request of the holder, stored word by word so that a second person may act on it."""

    kind = forms.ChoiceField(label=_("What the holder asks for"), widget=forms.RadioSelect)
    text = forms.CharField(
        label=_("Text of the request, word by word"),
        help_text=_("It is kept as evidence and not published."),
        widget=forms.Textarea(attrs={"rows": 6}),
        max_length=holder_requests.LONGEST_TEXT,
    )

    def __init__(self, *args: Any, today: date, kinds: list[tuple[str, Any]], **options: Any):
        super().__init__(*args, **options)
        self.fields["kind"].choices = kinds
        self.fields["received_on"] = DateInThreeFields(
            label=_("Day on which it was received"),
            not_before=today - timedelta(days=365),
            not_after=today,
            too_early=_("The date is too long ago."),
            too_late=_("The date has not come yet."),
        )
