"""What is asked of an evaluator who marks a point, of an operator who comments, and of who ends a run otherwise."""

import re
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.utils.translation import gettext_lazy as _

from certificates.fields import PublicText, StepForm, without_hidden_characters
from grading import run_grading
from grading.models import MarkValue
from grading.models.rubric import Mark

_TOO_LONG = _("The text has %(show_value)s characters; at most %(limit_value)s are taken.")


class RequestNumbers(forms.CharField):
    """Numbers of requests, apart by commas or spaces."""

    def __init__(self, **options: Any):
        super().__init__(
            widget=forms.TextInput(attrs={"inputmode": "numeric", "autocomplete": "off", "class": "w20"}),
            **options,
        )

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value

    def clean(self, value: Any) -> list[int]:
        parts = re.split(r"[\s,;]+", super().clean(value).strip())
        parts = [part for part in parts if part]
        if not all(re.fullmatch(r"[0-9]{1,9}", part) for part in parts):
            raise ValidationError(_("Write the numbers of the requests, for example: 3, 7."), code="invalid")
        return [int(part) for part in parts]


class MarkForm(forms.Form):
    """The mark of one point. Of a point that is marked already also the reason of the change."""

    mark = forms.ChoiceField(
        label=_("Mark"),
        choices=MarkValue.choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose the mark.")},
    )
    requests = RequestNumbers(
        label=_("Requests that support it"),
        help_text=_("By their numbers in the trace. Without one nothing is met."),
        required=False,
    )
    note = forms.CharField(
        label=_("Note"),
        help_text=_("It is published with the mark: what you saw in these requests."),
        widget=forms.Textarea(attrs={"rows": 2}),
        validators=[MaxLengthValidator(run_grading.LONGEST_NOTE, _TOO_LONG), without_hidden_characters],
        required=False,
    )

    def __init__(self, *args: Any, standing: Mark | None = None, **options: Any):
        self.standing = standing
        super().__init__(*args, **options)
        if standing is not None:
            self.fields["reason"] = forms.CharField(
                label=_("Why the mark changes"),
                help_text=_("It is published, and the mark before stays visible."),
                widget=forms.Textarea(attrs={"rows": 2}),
                validators=[
                    MaxLengthValidator(run_grading.LONGEST_REASON, _TOO_LONG),
                    without_hidden_characters,
                ],
                error_messages={"required": _("Write why the mark changes.")},
            )


class CommentForm(forms.Form):
    """What the operator says of the marks."""

    text = forms.CharField(
        label=_("Your comment"),
        help_text=_("It is published with the result, as you write it. Write no names of persons."),
        widget=forms.Textarea(attrs={"rows": 8}),
        validators=[MaxLengthValidator(run_grading.LONGEST_COMMENT, _TOO_LONG), without_hidden_characters],
        error_messages={"required": _("Write the comment.")},
    )


class OutcomeForm(StepForm):
    """Why a run is invalidated, told as helped, or not published."""

    text = "reason"
    reason_es = PublicText(
        language="es",
        label=_("Public reason in Spanish"),
        help_text=_("What happened, without names of persons. The Spanish text prevails."),
    )
    reason_en = PublicText(
        language="en",
        label=_("Public reason in English"),
        help_text=_("The same, for those who read English."),
    )
