"""What is asked of whoever complains, and of the holder who replies."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator
from django.utils.text import capfirst, format_lazy
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from certificates import attached_files, finding, reports, words
from certificates.fields import Files, PublicText
from certificates.models import Certificate
from certificates.report_states import ReportKind


def _text(longest: int, **options: Any) -> forms.CharField:
    # As a validator and not as `maxlength`, which would cut what is pasted without a word.
    too_long = _(
        "The text has %(show_value)s characters; at most %(limit_value)s are read. Attach the rest as a file."
    )
    return forms.CharField(validators=[MaxLengthValidator(longest, too_long)], **options)


class _NeededAtTimes(forms.CharField):
    """Empty where its hint says so: it is not called optional, and the writer asks for it."""

    at_times = True

    def __init__(self, **options: Any):
        super().__init__(required=False, **options)


class ComplaintForm(forms.Form):
    """One column: about what, where, what was seen, and who is answered."""

    kind = forms.ChoiceField(
        label=_("What is it about?"),
        choices=[(kind.value, capfirst(words.REPORT_KIND[kind.value])) for kind in ReportKind],
        widget=forms.RadioSelect,
        error_messages={
            "required": _("Choose what the complaint is about."),
            "invalid_choice": _("Choose what the complaint is about."),
        },
    )
    certificate = _NeededAtTimes(
        label=_("Number of the certificate"),
        help_text=_(
            "It stands in the first line of the certificate and beside its QR code; dashes and spaces do not "
            "matter. It may be left empty only where someone else uses the mark."
        ),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "class": "w20"}),
    )
    place = _NeededAtTimes(
        label=_("Where it is used"),
        help_text=_("An address on the web, or a document and its date. Needed where someone else uses it."),
        max_length=reports.LONGEST_PLACE,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    text = _text(
        reports.LONGEST_TEXT,
        label=_("What have you seen?"),
        help_text=_("Say where and when, in your words. Leave out personal data of others."),
        widget=forms.Textarea(attrs={"rows": 8}),
        error_messages={"required": _("Say what it is about.")},
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
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    email = forms.EmailField(
        label=_("E-mail"),
        help_text=_(
            "There you will receive a link to confirm the complaint, and another one, private, to follow it."
        ),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
        error_messages={"required": _("Write the e-mail at which you can be answered.")},
    )

    def clean_certificate(self) -> Certificate | None:
        typed = self.cleaned_data["certificate"]
        if not typed:
            return None
        try:
            return finding.certificate(typed)
        except finding.NumberMistyped as refusal:
            raise ValidationError(str(refusal.title), code=refusal.code) from refusal
        except finding.CertificateNotFound as refusal:
            searched = _now("Searched for: “%(q)s”.") % {"q": typed}
            told = _now("There is no certificate with that number.")
            raise ValidationError(f"{told} {searched}", code=refusal.code) from refusal

    def facts(self) -> dict[str, Any]:
        return {
            name: self.cleaned_data[name]
            for name in ("kind", "certificate", "place", "text", "name", "email")
        }


class ReviewForm(forms.Form):
    """Why someone else should look at what was dismissed."""

    why = _text(
        reports.LONGEST_TEXT,
        label=_("Why it should be looked at again"),
        help_text=_("Say what was overlooked, or what you know by now. It is not published."),
        widget=forms.Textarea(attrs={"rows": 5}),
        error_messages={"required": _("Say why it should be looked at again.")},
    )


class ReplyForm(forms.Form):
    """The holder's answer in Spanish, in English or in both, and whether everybody may read it."""

    text_es = PublicText(
        language="es",
        rows=6,
        label=_("Your reply in Spanish"),
        help_text=_("In one of the two languages, or in both. Leave out personal data."),
        required=False,
    )
    text_en = PublicText(language="en", rows=6, label=_("Your reply in English"), required=False)
    publish = forms.ChoiceField(
        label=_("Who may read it?"),
        choices=[
            ("yes", _("Everybody: it is published beside the complaint")),
            ("no", _("Only whoever decides: it is not published, and is erased with the complaint")),
        ],
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose who may read the reply.")},
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        written = (name for name in ("text_es", "text_en") if cleaned.get(name) or name in self.errors)
        if next(written, None) is None:
            self.add_error("text_es", _("Write the reply."))
        return cleaned

    def facts(self) -> dict[str, Any]:
        return {
            "text": {language: self.cleaned_data[f"text_{language}"] for language in ("es", "en")},
            "published": self.cleaned_data["publish"] == "yes",
        }
