"""What is asked of whoever seals a series, and of whoever tells that its rubric leaked."""

from datetime import date, timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from certificates.fields import DateInThreeFields
from grading import series


class _Variants(forms.ModelChoiceField):
    def label_from_instance(self, variant: Any) -> str:
        return variant.start_domain


class SealForm(forms.Form):
    """The terms of a series: for which runs the rubric is sealed, and until when."""

    variant = _Variants(
        None,
        label=_("Start domain"),
        empty_label=None,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose one.")},
    )
    planned_runs = forms.IntegerField(
        label=_("Planned runs"),
        help_text=_("Comparing needs three independent runs of each system."),
        min_value=1,
        max_value=1000,
        initial=9,
    )
    review_days = forms.IntegerField(
        label=_("Days of review for the operator"), min_value=1, max_value=90, initial=5
    )
    publication_delay = forms.IntegerField(
        label=_("Publication delay, in days"),
        help_text=_("After the series has closed."),
        min_value=0,
        max_value=365,
        initial=2,
    )

    def __init__(self, *args: Any, today: date, variants: Any, **options: Any):
        super().__init__(*args, **options)
        self.fields["variant"].queryset = variants
        self.fields["last_day"] = DateInThreeFields(
            label=_("Last day on which a run begins"),
            not_before=today,
            not_after=today + timedelta(days=series.LONGEST_DAYS),
        )
        self.order_fields(["variant", "planned_runs", "last_day", "review_days", "publication_delay"])
