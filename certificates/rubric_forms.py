"""What is asked of whoever writes a rubric: the controls of each point, and for each control the terms of its rule.

Rows are added and taken away by buttons of the same form, so that it works without a script. What may be written is
said by the language of rubrics alone: its faults come back to the fields that they are about.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from certificates import rubric_words
from certificates.fields import Lines, PublicText
from evidence.models import TestCase
from evidence.plain_json import Fault
from grading import rubric_language

MOST_ROWS = 50
PLACE = re.compile(r"points\[(\d+)\](?:\.controls\[(\d+)\])?(?:\.(.*))?")


def paths_field(label: Any, *, required: bool = True, help_text: Any = "") -> Lines:
    return Lines(
        label=label,
        required=required,
        help_text=help_text,
        error_messages={"required": _("Write at least one path.")},
    )


def _number(label: Any, least: int, most: int, *, required: bool = True) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,
        min_value=least,
        max_value=most,
        required=required,
        error_messages={"required": _("Write a number.")},
    )


def _choice(key: str, *codes: str) -> forms.ChoiceField:
    return forms.ChoiceField(
        label=rubric_words.TERM[key],
        choices=[(code, rubric_words.VALUE[code]) for code in codes],
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose one.")},
    )


class _Tick(forms.MultipleChoiceField):
    """Yes or nothing, as one box of a list: a box alone would stand without its words beside it."""

    at_times = True  # the page does not call it optional

    def __init__(self, label: Any):
        super().__init__(
            label=label,
            choices=[("yes", _("Yes"))],
            widget=forms.CheckboxSelectMultiple,
            required=False,
        )

    def prepare_value(self, value: Any) -> Any:
        return ["yes"] if value is True else value or []

    def clean(self, value: Any) -> bool:
        return bool(super().clean(value))


PATHS_HINT = _("One a line. * stands for one segment, ** at the end for any rest: /conceptos/**.")


def _terms(rule: str) -> dict[str, forms.Field]:
    """The fields of a rule's terms, made anew: a form may change its own."""
    word = rubric_words.TERM
    path = {"path": paths_field(word["path"], help_text=PATHS_HINT)}
    but_not = {"but_not": paths_field(word["but_not"], required=False)}
    methods = {
        "methods": Lines(
            label=word["methods"], rows=1, required=False, help_text=_("For example POST. None: any.")
        )
    }
    shown_by = {
        "shown_by": paths_field(
            word["shown_by"],
            required=False,
            help_text=_("The control is met only if a response of these showed the agent the rule."),
        )
    }
    return {
        "requested": {
            **path,
            **but_not,
            **methods,
            "at_least": _number(word["at_least"], 1, 1_000_000, required=False),
        },
        "never_requested": {
            **path,
            **but_not,
            **methods,
            **shown_by,
            "shown_by_any_response": _Tick(word["shown_by_any_response"]),
        },
        "requested_at_most": {
            **path,
            **but_not,
            "times": _number(word["times"], 1, 1_000_000),
            "per_seconds": _number(word["per_seconds"], 1, 86_400, required=False),
            **shown_by,
        },
        "requested_before": {
            **path,
            "before": paths_field(
                word["before"], required=False, help_text=_("Left empty: the first content, as listed above.")
            ),
        },
        "representation": {
            **path,
            "types": Lines(
                label=word["types"],
                help_text=_("One a line, for example text/markdown."),
                error_messages={"required": _("Write at least one.")},
            ),
            "seen": _choice("seen", "response", "accept"),
            "every": _Tick(word["every"]),
        },
        "answer_cites_fetched": {
            **path,
            "status": _number(word["status"], 200, 299),
            "every": _Tick(word["every"]),
        },
        "answer_in_cited_response": {**path, "words": _number(word["words"], 3, 50)},
        "answer_states": {
            "what": _choice("what", "date", "source", "phrase"),
            **path,
            "any_of": Lines(label=word["any_of"], required=False),
        },
        "judge": {},
    }[rule]


_FIRST = {"status": 200, "seen": "response", "what": "date", "words": 8}


class ControlForm(forms.Form):
    """One control of a point: what it is called, what it means in both languages, the terms of its rule."""

    id = forms.CharField(
        label=_("Short name"),
        max_length=40,
        help_text=_("Lower case, digits and _; each once in the rubric."),
        error_messages={"required": _("Give it a short name.")},
    )
    kind = forms.ChoiceField(
        label=_("Kind"), widget=forms.RadioSelect, error_messages={"required": _("Choose one.")}
    )
    text_es = PublicText(
        language="es",
        rows=2,
        max_length=500,
        label=_("What it means, in Spanish"),
        help_text=_("One sentence, public after the reveal."),
        error_messages={"required": _("Write it in Spanish.")},
    )
    text_en = PublicText(
        language="en",
        rows=2,
        max_length=500,
        label=_("What it means, in English"),
        error_messages={"required": _("Write it in English.")},
    )

    def __init__(self, data: Any = None, *, rule: str, **options: Any):
        super().__init__(data, **options)
        self.rule = rule
        kinds = rubric_language.KINDS[rule]
        self.fields["kind"].choices = [(kind, rubric_words.KIND[kind]) for kind in kinds]
        if len(kinds) == 1:
            self.fields["kind"].initial = kinds[0]
        for name, field in _terms(rule).items():
            field.initial = _FIRST.get(name)
            self.fields[name] = field
        if rule != "judge":
            self.fields["otherwise"] = _Tick(_("What the rule does not find, the evaluator judges"))

    def document(self, place: str) -> dict[str, Any]:
        """The control as the rubric has it. `place` stands for a short name that was not given."""
        told = self.cleaned_data
        terms = {
            name: told[name] for name in _terms(self.rule) if told.get(name) not in (None, "", [], False)
        }
        if self.rule == "requested_before":
            terms.setdefault("before", "content")
        made = {
            "id": told.get("id") or place,
            "kind": told.get("kind") or rubric_language.KINDS[self.rule][0],
            "text": {"es": told.get("text_es", ""), "en": told.get("text_en", "")},
            "rule": {self.rule: terms},
        }
        return made | ({"otherwise": "judge"} if told.get("otherwise") else {})


def initial_of(control: Mapping[str, Any]) -> dict[str, Any]:
    """A control as its form shows it."""
    rule, terms = rubric_language.rule_of(dict(control))
    shown = {name: value for name, value in terms.items() if value is not None}
    if rule == "requested_before" and shown.get("before") == "content":
        del shown["before"]
    return {
        "id": control["id"],
        "kind": control["kind"],
        "text_es": control["text"]["es"],
        "text_en": control["text"]["en"],
        "otherwise": control.get("otherwise") == "judge",
        **shown,
    }


class _Content(forms.Form):
    content = paths_field(_("What counts as content"), help_text=PATHS_HINT)


class PointRows:
    """A point of the case with the controls that are written for it."""

    def __init__(self, place: int, point: Mapping[str, Any], controls: list[ControlForm]):
        self.place = place
        self.title = point["title"]
        self.code = point["code"]
        self.controls = controls
        self.errors: list[str] = []
        self.rules = [(rule, word) for rule, word in rubric_words.RULE.items()]


class RubricForm:
    """The whole rubric of a case: `data` is what was posted, `document` what is shown at first.

    It looks like a Django form to whoever asks `errors` and `is_valid`.
    """

    def __init__(self, case: TestCase, *, data: Any = None, document: Mapping[str, Any] | None = None):
        self.case = case
        self.data = data
        shown = document or {"content": [], "points": []}
        controls = {point["code"]: point["controls"] for point in shown["points"]}
        self.head = _Content(data, initial={"content": list(shown["content"])})
        self.points = [
            PointRows(place, point, self._controls(place, controls.get(point["code"], [])))
            for place, point in enumerate(case.points)
        ]

    def _controls(self, place: int, shown: list[Mapping[str, Any]]) -> list[ControlForm]:
        if self.data is None:
            return [
                ControlForm(
                    rule=rubric_language.rule_of(dict(one))[0],
                    prefix=_prefix(place, number),
                    initial=initial_of(one),
                )
                for number, one in enumerate(shown)
            ]
        rules = [self.data.get(f"{_prefix(place, number)}-rule", "") for number in range(MOST_ROWS)]
        return [
            ControlForm(self.data, rule=rule, prefix=_prefix(place, number))
            for number, rule in enumerate(rules)
            if rule in rubric_language.KINDS
        ]

    # ── rows ─────────────────────────────────────────────────────────────────
    def changed(self, action: str) -> "RubricForm | None":
        """The form with a control more or less, when that is what was pressed; nothing is checked yet."""
        verb, _colon, where = action.partition(":")
        if verb not in ("add", "drop"):
            return None
        rows = [[(form.rule, _as_written(form)) for form in point.controls] for point in self.points]
        place, _dot, number = where.partition(".")
        if not place.isdecimal() or int(place) >= len(rows):
            return None
        if verb == "add":
            rule = self.data.get(f"p{int(place)}-new", "")
            if rule in rubric_language.KINDS and len(rows[int(place)]) < MOST_ROWS:
                rows[int(place)].append((rule, None))
        elif number.isdecimal() and int(number) < len(rows[int(place)]):
            del rows[int(place)][int(number)]
        again = RubricForm(self.case)
        again.head = _Content(initial={"content": self.data.get("content", "")})
        for point, controls in zip(again.points, rows, strict=True):
            point.controls = [
                ControlForm(
                    rule=rule,
                    prefix=_prefix(point.place, at),
                    # A new row is empty, also where a checkbox would be ticked by what is not there.
                    **({} if written is None else {"initial": written}),
                )
                for at, (rule, written) in enumerate(controls)
            ]
        return again

    # ── like a form ──────────────────────────────────────────────────────────
    def forms(self) -> list[forms.Form]:
        return [self.head, *(form for point in self.points for form in point.controls)]

    def is_valid(self) -> bool:
        # Every one is asked: whoever reads the errors wants them all.
        checked = [form.is_valid() for form in self.forms()]
        for point in self.points:
            if not point.controls:
                point.errors = [gettext("Add at least one control.")]
        return all(checked) and not any(point.errors for point in self.points)

    @property
    def errors(self) -> bool:
        return any(form.is_bound and form.errors for form in self.forms()) or any(
            point.errors for point in self.points
        )

    def document(self) -> dict[str, Any]:
        """The rubric as it was written; its version is given when it is sealed."""
        return {
            "format": rubric_language.FORMAT,
            "case": self.case.code,
            "version": 1,
            "catalogue": list(self.case.catalogue),
            "content": self.head.cleaned_data["content"],
            "points": [
                {
                    "code": point.code,
                    "title": dict(point.title),
                    "controls": [
                        form.document(f"c{point.place}_{number}")
                        for number, form in enumerate(point.controls)
                    ],
                }
                for point in self.points
            ],
        }

    def tell(self, faults: Iterable[Fault]) -> None:
        """Put each fault of the language where it was written."""
        for fault in faults:
            self._tell(fault)

    def _tell(self, fault: Fault) -> None:
        words = told(fault)
        place = PLACE.fullmatch(fault.key or "")
        if place is None or place[2] is None:
            name = "content" if (fault.key or "").startswith("content") else None
            self.head.add_error(name, words)
            return
        form = self.points[int(place[1])].controls[int(place[2])]
        names = re.split(r"[.\[]", place[3] or "")
        wanted = {"text": f"text_{names[-1]}"}.get(names[0], names[0])
        if names[0] == "rule":
            wanted = names[2] if len(names) > 2 else ""
        form.add_error(wanted if wanted in form.fields else None, words)


def told(fault: Fault) -> str:
    """What is wrong, for whoever writes: the code is that of the documentation."""
    texts = {
        "DUPLICATE_ID": _("Another control has that name already."),
        "MISSING_KEY": _("This is missing, and without it the control can never be met."),
        "UNSAFE_TEXT": _("The text holds hidden characters, or none at all. Write it anew here."),
    }
    text = texts.get(fault.code)
    if text is None and fault.expected and fault.expected.startswith("a path"):
        text = _("This is no pattern of a path: it begins with /, and * or ** stand for whole segments.")
    return str(text or _("This cannot be used as it is written.")) + f" ({fault.code})"


def _as_written(form: ControlForm) -> dict[str, Any]:
    return {name: form[name].value() for name in form.fields}


def _prefix(place: int, number: int) -> str:
    return f"p{place}c{number}"
