"""What is asked of whoever registers a run, closes it, or makes an API token."""

import base64
import secrets
from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.validators import MaxLengthValidator
from django.utils.functional import lazy
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from certificates import words
from evidence import runs
from evidence.models import Series
from evidence.runs import Intervention, Operation, System

OTHER = "other"
NOBODY = "nobody"
YES = [("yes", runs.PERMISSION)]
# The widest that UTF-8 makes of the longest answer.
MOST_BYTES = runs.LONGEST_ANSWER * 4
_capital = lazy(lambda text: capfirst(str(text)), str)


def _line(**attributes: str) -> forms.TextInput:
    return forms.TextInput(attrs={"autocomplete": "off", **attributes})


class RegisterForm(forms.Form):
    """A run to be registered, in one of the series that take runs."""

    once = forms.CharField(widget=forms.HiddenInput, required=False, max_length=40)
    series = forms.ChoiceField(
        label=_("Series"), widget=forms.RadioSelect, error_messages={"required": _("Choose a series.")}
    )
    holder = forms.CharField(
        label=_("Holder of the system"),
        help_text=_("The organisation that answers for it, as the registry writes it if it is known here."),
        max_length=runs.LONGEST_TEXT,
        widget=_line(),
    )
    system = forms.CharField(label=_("Name of the system"), max_length=runs.LONGEST_TEXT, widget=_line())
    version = forms.CharField(
        label=_("Pinned version"),
        help_text=_("One that stays what it is. «latest», «stable» and the like are refused."),
        max_length=runs.LONGEST_TEXT,
        widget=_line(**{"class": "w20", "spellcheck": "false"}),
    )
    model_family = forms.CharField(
        label=_("Family of the model"),
        help_text=_("Of the language model behind it."),
        max_length=runs.LONGEST_TEXT,
        widget=_line(**{"class": "w20"}),
    )
    tools = forms.MultipleChoiceField(
        label=_("Active tools"),
        help_text=_("What the agent can act with during the run."),
        choices=[*((code, _capital(word)) for code, word in words.TOOL.items()), (OTHER, _("Another one"))],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one.")},
    )
    other_tool = forms.CharField(
        label=_("Which other one"), required=False, max_length=runs.LONGEST_TEXT, widget=_line()
    )
    language = forms.CharField(
        label=_("Language in which the agent works"),
        help_text=_("As a tag: es, es-CL, en."),
        max_length=20,
        initial="es",
        widget=_line(**{"class": "w20", "spellcheck": "false"}),
    )
    operator_name = forms.CharField(
        label=_("Who operates the agent"),
        help_text=_("Never published, and in no evidence package."),
        max_length=runs.LONGEST_TEXT,
    )
    contact_email = forms.EmailField(
        label=_("Contact e-mail"), help_text=_("Letters about this run go there. Never published.")
    )
    permission = forms.MultipleChoiceField(
        label=_("Permission"),
        choices=YES,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Without permission to test the system no run is registered.")},
    )
    clean_session = forms.MultipleChoiceField(
        label=_("New session"),
        choices=[
            (
                "yes",
                _(
                    "The agent begins without history or memory of this site, and never had access to the catalogue "
                    "of tests."
                ),
            )
        ],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Only a new session, without memory of this site, can be evaluated.")},
    )

    def __init__(self, *args: Any, series: Sequence[tuple[str, str]], **options: Any):
        super().__init__(*args, **options)
        self.fields["series"].choices = series
        self.fields["other_tool"].at_times = True
        # Names the form, so that one sent twice registers one run.
        self.fields["once"].initial = secrets.token_urlsafe(16)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if OTHER in cleaned.get("tools", ()) and not cleaned.get("other_tool"):
            self.add_error("other_tool", _("Say which."))
        return cleaned

    def facts(self) -> dict[str, Any]:
        """What `runs.register` takes, but for who, when and which series."""
        said = self.cleaned_data
        tools = [tool for tool in said["tools"] if tool != OTHER]
        return {
            "system": System(
                holder=said["holder"],
                name=said["system"],
                version=said["version"],
                model_family=said["model_family"],
            ),
            "operation": Operation(
                name=said["operator_name"],
                email=said["contact_email"],
                # As it was read: the sentence is kept, not a tick.
                permission=str(runs.PERMISSION) if said["permission"] else "",
                tools=[*tools, said["other_tool"]] if OTHER in said["tools"] else tools,
                language=said["language"],
                clean_session=bool(said["clean_session"]),
            ),
            "once": said["once"],
        }


def series_choice(series: Series, *, used: int, told: Any) -> tuple[str, str]:
    """How a series is offered: its code, its case, and how many of its runs are left."""
    return series.code, str(told).format(code=series.code, used=used, planned=series.planned_runs)


class ClosingForm(forms.Form):
    """The answer to the letter, and what somebody handed to the agent while it ran."""

    answer = forms.CharField(
        label=_("Final answer, exactly as it was delivered"),
        help_text=_("Paste it whole and change nothing, not even a mistake."),
        required=False,
        strip=False,
        validators=[MaxLengthValidator(runs.LONGEST_ANSWER)],
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
    )
    file = forms.FileField(
        label=_("Or the file that holds it"),
        help_text=_("Text in UTF-8, kept byte for byte."),
        required=False,
        widget=forms.FileInput(attrs={"accept": "text/*,.md,.txt"}),
    )
    # What a file held, to the byte, through the second page: a hidden field would change its line ends.
    exact = forms.CharField(widget=forms.HiddenInput, required=False)
    nothing = forms.MultipleChoiceField(
        label=_("If there is none"),
        choices=[("yes", _("The agent delivered no answer."))],
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    interventions = forms.MultipleChoiceField(
        label=_("What did anybody hand to the agent between the assignment and the answer?"),
        choices=[
            (NOBODY, _("Nothing: it worked by itself.")),
            *((kind, _capital(word)) for kind, word in runs.INTERVENTIONS.items()),
        ],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one.")},
    )
    note = forms.CharField(
        label=_("What exactly"),
        help_text=_("Published with the run: name nobody."),
        required=False,
        validators=[MaxLengthValidator(runs.LONGEST_NOTE)],
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    knew_catalogue = forms.ChoiceField(
        label=_("Did the system know the catalogue of tests before it began?"),
        choices=[("no", _("No, as far as I know.")), ("yes", _("Yes."))],
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose one.")},
    )

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        for name in ("answer", "file", "nothing", "note"):
            # One of the first three, and the last beside an intervention: not optional, not always asked.
            self.fields[name].at_times = True

    def clean_file(self) -> str | None:
        uploaded = self.cleaned_data["file"]
        if uploaded is None:
            return None
        if uploaded.size > MOST_BYTES:
            raise forms.ValidationError(
                _("An answer has at most %(longest)d characters.") % {"longest": runs.LONGEST_ANSWER}
            )
        try:
            return uploaded.read().decode()
        except UnicodeDecodeError as error:
            raise forms.ValidationError(_("The file is not text in UTF-8.")) from error

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        given = cleaned.get("interventions", [])
        if NOBODY in given and len(given) > 1:
            self.add_error("interventions", _("Either nothing, or what it was."))
        elif given and NOBODY not in given and not cleaned.get("note", "").strip():
            self.add_error("note", _("Say what was handed over."))
        answer = self._answer(cleaned)
        if answer and cleaned.get("nothing"):
            self.add_error("nothing", _("There is an answer above."))
        elif not answer and not cleaned.get("nothing") and not self.errors.get("file"):
            self.add_error("answer", _("Paste the answer, choose its file, or say that there is none."))
        cleaned["answer"] = answer
        return cleaned

    def _answer(self, cleaned: dict[str, Any]) -> str:
        if cleaned.get("file"):
            return cleaned["file"]
        try:
            if exact := base64.b64decode(cleaned.get("exact") or "", validate=True).decode():
                return exact
        except ValueError:
            self.add_error("answer", _("The answer did not arrive as it was sent. Paste it again."))
        # A browser ends the lines of a text field with two characters, whatever was pasted.
        return cleaned.get("answer", "").replace("\r\n", "\n")

    def facts(self) -> dict[str, Any]:
        said = self.cleaned_data
        kinds = [kind for kind in said["interventions"] if kind != NOBODY]
        return {
            "answer": said["answer"],
            "interventions": [Intervention(kind, said["note"]) for kind in kinds],
            "knew_catalogue": said["knew_catalogue"] == "yes",
        }

    def exactly(self) -> str:
        """The answer for the hidden field of the second page."""
        return base64.b64encode(self.cleaned_data["answer"].encode()).decode()


class TokenForm(forms.Form):
    """An API token of one's own."""

    label = forms.CharField(
        label=_("What it is for"),
        help_text=_("To tell it from others when you revoke one."),
        max_length=100,
        widget=_line(),
    )
