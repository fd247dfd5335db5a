"""Form fields of our own: a date in three fields, a text that will be published, a list in lines, several files."""

import re
from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.utils.translation import gettext_lazy as _

from certificates import notices
from evidence.typed_json import is_unsafe_name


class ThreeFields(forms.MultiWidget):
    """Day, month and year as three text fields: people know the date, a calendar only gets in the way."""

    template_name = "django/forms/widgets/multiwidget.html"

    def __init__(self, attrs: dict[str, Any] | None = None):
        part = {"inputmode": "numeric", "autocomplete": "off"}
        super().__init__(
            {"day": forms.TextInput(part), "month": forms.TextInput(part), "year": forms.TextInput(part)},
            attrs,
        )

    def decompress(self, value: date | None) -> list[Any]:
        return [value.day, value.month, value.year] if value else [None, None, None]


class DateInThreeFields(forms.MultiValueField):
    """A date between `not_before` and `not_after`, both included."""

    widget = ThreeFields

    def __init__(
        self,
        *,
        not_before: date,
        not_after: date | None = None,
        too_early: Any = None,
        too_late: Any = None,
        **options: Any,
    ):
        self.not_before, self.not_after = not_before, not_after
        self.too_early = too_early or _("The date must be in the future.")
        self.too_late = too_late or _("The date is too far away.")
        parts = tuple(forms.CharField(max_length=4) for _part in range(3))
        super().__init__(fields=parts, require_all_fields=False, **options)

    def clean(self, value: Any) -> date | None:
        parts = [str(part or "").strip() for part in (value or ["", "", ""])]
        if not any(parts):
            if self.required:
                raise ValidationError(_("Write the date."), code="required")
            return None
        if not all(re.fullmatch(r"[0-9]{1,4}", part) for part in parts) or len(parts[2]) != 4:
            raise ValidationError(
                _("Write day, month and year in figures, for example 29 1 2027."), code="invalid"
            )
        try:
            day = date(int(parts[2]), int(parts[1]), int(parts[0]))
        except ValueError as error:
            raise ValidationError(_("That date does not exist."), code="invalid") from error
        if day < self.not_before:
            raise ValidationError(self.too_early, code="too_early")
        if self.not_after and day > self.not_after:
            raise ValidationError(self.too_late, code="too_late")
        return day

    def has_changed(self, initial: Any, data: Any) -> bool:
        return True


def without_hidden_characters(text: str) -> None:
    if is_unsafe_name(re.sub(r"[\r\n\t]", " ", text)):
        raise ValidationError(
            _(
                "The text holds control characters or marks that turn the direction of writing. "
                "Write it anew here."
            )
        )


class PublicText(forms.CharField):
    """A text that will be published: plain, of a readable length, without hidden characters."""

    def __init__(
        self, *, language: str, rows: int = 3, max_length: int = notices.LONGEST_TEXT, **options: Any
    ):
        options.setdefault("widget", forms.Textarea(attrs={"rows": rows, "lang": language}))
        super().__init__(**options)
        # As a validator and not as `maxlength`, which would cut what is pasted without a word.
        self.validators.append(
            MaxLengthValidator(
                max_length,
                _("The text has %(show_value)s characters; at most %(limit_value)s can be published."),
            )
        )
        self.validators.append(without_hidden_characters)

    def to_python(self, value: Any) -> str:
        return "\n".join(line.rstrip() for line in super().to_python(value).splitlines()).strip()


def lines_of(text: str) -> list[str]:
    """One condition per line; list marks and numbers in front of it are taken off."""
    cleaned = (re.sub(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+", "", line).strip() for line in text.splitlines())
    return [line for line in cleaned if line]


class Lines(forms.CharField):
    """A list, one entry a line: paths, media types, codes. Read letter by letter, so without a spelling checker."""

    def __init__(self, *, rows: int = 2, **options: Any):
        super().__init__(
            widget=forms.Textarea(attrs={"rows": rows, "class": "mono", "spellcheck": "false"}), **options
        )

    def to_python(self, value: Any) -> list[str]:
        return [line.strip() for line in str(value or "").splitlines() if line.strip()]

    def validate(self, value: Any) -> None:
        if self.required and not value:
            raise forms.ValidationError(self.error_messages["required"], code="required")

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list | tuple) else value


class _SeveralFiles(forms.ClearableFileInput):
    allow_multiple_selected = True


class Files(forms.FileField):
    """Several files under one name; what they may be is asked where they are stored."""

    widget = _SeveralFiles

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        files = data if isinstance(data, list | tuple) else [data] if data else []
        return [super(Files, self).clean(one, initial) for one in files]


class StatementForm(forms.Form):
    """The public text of whatever is published, in both languages."""

    statement_es = PublicText(
        language="es",
        label=_("Public text in Spanish"),
        help_text=_(
            "What happened and what follows from it, in one or two sentences. The Spanish text prevails."
        ),
        error_messages={"required": _("Write it: whoever reads Spanish must know why.")},
    )
    statement_en = PublicText(
        language="en",
        label=_("Public text in English"),
        help_text=_("The same, for those who read English."),
        error_messages={"required": _("Write it: whoever reads English must know why.")},
    )

    def facts(self) -> dict[str, Any]:
        """What is passed on to the domain, beside who, when and the sequence."""
        return {
            "statement": {"es": self.cleaned_data["statement_es"], "en": self.cleaned_data["statement_en"]}
        }


class StepForm(forms.Form):
    """One step on an appeal or a complaint: a text in both languages, under the name that the writer knows it by."""

    text = "reasons"
    # The sequence of what is stepped on, in view of which it was written.
    if_sequence = forms.IntegerField(min_value=0, widget=forms.HiddenInput)

    def __init__(self, *args: Any, today: date, **options: Any):
        self.today = today
        super().__init__(*args, **options)

    def facts(self) -> dict[str, Any]:
        return {self.text: self._both(f"{self.text}_")}

    def _both(self, prefix: str) -> dict[str, str]:
        return {language: self.cleaned_data.get(f"{prefix}{language}") or "" for language in ("es", "en")}
