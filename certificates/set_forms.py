"""What is asked of whoever registers, reveals or reports the leak of a question set."""

from datetime import date, timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from certificates.fields import DateInThreeFields, StatementForm


class RegisterSetForm(forms.Form):
    file = forms.FileField(
        label=_("Commitment file (set-commitment.json)"),
        help_text=_(
            "`benchmark seal` writes it on the custodian's machine. It holds no question and no salt; send neither."
        ),
        error_messages={"required": _("Choose the file to hand in.")},
        widget=forms.FileInput(attrs={"accept": ".json,application/json"}),
    )


class RevealForm(StatementForm):
    publishes = forms.ChoiceField(
        label=_("The questions"),
        help_text=_("The salt is published in any case. What is published once cannot be taken back."),
        choices=[
            ("no", _("are not published: whoever is handed them checks them with the salt")),
            ("yes", _("are published: anybody may download them")),
        ],
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose one.")},
    )
    field_order = ["publishes", "statement_es", "statement_en"]

    def facts(self) -> dict[str, Any]:
        return super().facts() | {"publishes_items": self.cleaned_data["publishes"] == "yes"}


class RevealFilesForm(forms.Form):
    """Asked for when it is signed: nothing of the set lies anywhere before."""

    items = forms.FileField(
        label=_("Questions (items.jsonl, or the sealed bytes)"),
        error_messages={"required": _("Choose the file of the questions.")},
        widget=forms.FileInput(attrs={"accept": ".jsonl"}),
    )
    salt = forms.FileField(
        label=_("Salt (set.salt)"), error_messages={"required": _("Choose the file of the salt.")}
    )


class LeakForm(StatementForm):
    def __init__(self, *args: Any, today: date, **options: Any):
        super().__init__(*args, **options)
        self.fields["occurred_on"] = DateInThreeFields(
            label=_("Day of the leak, as far as is known"),
            not_before=today - timedelta(days=3650),
            not_after=today,
            too_early=_("The date is too long ago."),
            too_late=_("The date has not come yet."),
        )
        self.order_fields(["occurred_on", "statement_es", "statement_en"])

    def facts(self) -> dict[str, Any]:
        return super().facts() | {"occurred_on": self.cleaned_data["occurred_on"]}
