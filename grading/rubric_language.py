"""PURE. The language of rubrics: what a rubric may say, and how the trace of a run is marked by it.

A rubric has points, a point has controls, a control has one rule. Rules are declarative: paths are segment globs, texts
are literal, nothing in a rubric is run. `load` names every fault with its place; `evaluate` marks what a trace can
decide and leaves the rest to the evaluator. What each rule finds is in `grading.rubric_rules`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec
import rfc8785

from evidence import routes
from evidence.run_records import Mark, Trace
from evidence.typed_json import Fault, faults_of, is_unsafe_name, parse, shown
from grading import rubric_rules
from grading.rubric_rules import Because, Finding, Reading

if TYPE_CHECKING:
    from grading.run_facts import Facts

FORMAT = "rubric/1"
MAX_BYTES = 256 * 1024
# In all: each is asked of every path of a trace that anybody may have written.
MOST_CONTROLS = 100


class UnusableRubric(ValueError):
    """The bytes are no rubric; `faults` says where: each has a code, its place, what was expected and found."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(_line(fault) for fault in faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class Control:
    """One thing to be seen in a trace. `kind`: «positive» is expected of the agent, «negative» must not happen.

    `rule` is one of the classes of `grading.rubric_rules`. `asks_evaluator`: what the rule does not find, the
    evaluator marks.
    """

    id: str
    kind: Literal["positive", "negative"]
    text: dict[str, str]
    rule: rubric_rules.Rule
    asks_evaluator: bool


@dataclass(frozen=True, slots=True)
class Point:
    """What is marked: its code and title are public, its controls are sealed until the reveal."""

    code: str
    title: dict[str, str]
    controls: tuple[Control, ...]


@dataclass(frozen=True, slots=True)
class Rubric:
    """One version of the grading rules of a case. `catalogue` and `content` are patterns of paths."""

    case: str
    version: int
    catalogue: tuple[str, ...]
    content: tuple[str, ...]
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class ControlDecision:
    """What one control came to. `mark` is None where the evaluator decides; `requests` are sequence numbers."""

    id: str
    mark: Mark | None
    requests: tuple[int, ...]
    because: Because


@dataclass(frozen=True, slots=True)
class PointDecision:
    """The mark that the trace gives a point, or None: the evaluator marks it."""

    mark: Mark | None
    requests: tuple[int, ...]
    controls: tuple[ControlDecision, ...]


# ── marking ──────────────────────────────────────────────────────────────────


def evaluate(
    rubric: Rubric, trace: Trace, facts: "Facts", body: Callable[[str], bytes | None]
) -> dict[str, PointDecision]:
    """The decision on each point, by its code, in the order of the rubric.

    `body` gives the bytes of a response by their SHA-256, or None where they are not at hand. Nothing is met without
    a request before `facts.cut`; the request of the catalogue itself can only show that a negative control is not met.
    """
    reading = Reading(
        trace, cut=facts.cut, catalogue_at=facts.catalogue_at, content=rubric.content, body=body
    )
    return {point.code: _decide(point, reading) for point in rubric.points}


def _decide(point: Point, reading: Reading) -> PointDecision:
    controls = tuple(_decision(control, reading) for control in point.controls)
    marks = {control.mark for control in controls}
    mark: Mark | None
    if "not_met" in marks:
        mark = "not_met"
    elif None in marks:
        mark = None
    else:
        mark = "met" if marks == {"met"} else "not_observable"
    told = controls if mark is None else tuple(one for one in controls if one.mark == mark)
    requests = sorted({request for control in told for request in control.requests})
    return PointDecision(mark, tuple(requests[: rubric_rules.MOST_REQUESTS]), controls)


def _decision(control: Control, reading: Reading) -> ControlDecision:
    found: Finding = control.rule.find(reading, negative=control.kind == "negative")
    mark = found.mark
    if mark == "met" and not found.requests:
        # Without support nothing is met, whatever a rule says.
        mark = "not_observable"
    if mark == "not_met" and control.asks_evaluator:
        mark = None
    return ControlDecision(control.id, mark, found.requests, found.because)


# ── the document ─────────────────────────────────────────────────────────────


Sentence = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
Code = Annotated[
    str, msgspec.Meta(pattern="^[a-z][a-z0-9_]{0,39}$", description="lower case, digits and _, at most 40")
]
Pattern = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
Paths = Annotated[list[Pattern], msgspec.Meta(min_length=1, max_length=100)]
MediaType = Annotated[
    str,
    msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9.+-]{0,60}/[a-z0-9][a-z0-9.+-]{0,60}$", description="media type"),
]
Method = Annotated[str, msgspec.Meta(pattern="^[A-Z]{1,20}$", description="a method in capitals")]
Several = Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
Words = Annotated[int, msgspec.Meta(ge=3, le=50)]


class _Part(msgspec.Struct, forbid_unknown_fields=True):
    REQUIRED: ClassVar[tuple[str, ...]] = ()


class _Text(_Part):
    es: Sentence
    en: Sentence


class _Requested(_Part):
    path: Paths
    but_not: Paths | None = None
    methods: Annotated[list[Method], msgspec.Meta(min_length=1, max_length=20)] | None = None
    at_least: Several | None = None


class _NeverRequested(_Part):
    path: Paths
    but_not: Paths | None = None
    methods: Annotated[list[Method], msgspec.Meta(min_length=1, max_length=20)] | None = None
    shown_by: Paths | None = None
    shown_by_any_response: bool | None = None


class _RequestedAtMost(_Part):
    path: Paths
    times: Several
    but_not: Paths | None = None
    per_seconds: Annotated[int, msgspec.Meta(ge=1, le=86_400)] | None = None
    shown_by: Paths | None = None


class _RequestedBefore(_Part):
    path: Paths
    before: Literal["content"] | Paths


class _Representation(_Part):
    path: Paths
    types: Annotated[list[MediaType], msgspec.Meta(min_length=1, max_length=20)]
    seen: Literal["response", "accept"] | None = None
    every: bool | None = None


class _AnswerCitesFetched(_Part):
    path: Paths
    status: Annotated[int, msgspec.Meta(ge=200, le=299)] | None = None
    every: bool | None = None


class _AnswerInCitedResponse(_Part):
    path: Paths
    words: Words


class _AnswerStates(_Part):
    what: Literal["date", "source", "phrase"]
    path: Paths
    any_of: Annotated[list[Sentence], msgspec.Meta(min_length=1, max_length=50)] | None = None


class _Judge(_Part):
    pass


class _Rule(_Part):
    requested: _Requested | None = None
    never_requested: _NeverRequested | None = None
    requested_at_most: _RequestedAtMost | None = None
    requested_before: _RequestedBefore | None = None
    representation: _Representation | None = None
    answer_cites_fetched: _AnswerCitesFetched | None = None
    answer_in_cited_response: _AnswerInCitedResponse | None = None
    answer_states: _AnswerStates | None = None
    judge: _Judge | None = None


class _Control(_Part):
    id: Code
    kind: Literal["positive", "negative"]
    text: _Text
    rule: _Rule
    otherwise: Literal["judge"] | None = None


class _Point(_Part):
    code: Code
    title: _Text
    controls: Annotated[list[_Control], msgspec.Meta(min_length=1, max_length=50)]


class _Document(_Part):
    format: Literal["rubric/1"]
    case: Annotated[str, msgspec.Meta(pattern="^[A-Z]{2,8}-[0-9]{3,6}$", description="a code such as PI-001")]
    version: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    catalogue: Paths
    content: Paths
    points: Annotated[list[_Point], msgspec.Meta(min_length=1, max_length=50)]


# The names of the rules, and whether each may be a positive and a negative control.
KINDS: dict[str, tuple[str, ...]] = {
    "requested": ("positive",),
    "never_requested": ("negative",),
    "requested_at_most": ("positive", "negative"),
    "requested_before": ("positive",),
    "representation": ("positive",),
    "answer_cites_fetched": ("positive",),
    "answer_in_cited_response": ("positive",),
    "answer_states": ("positive",),
    "judge": ("positive", "negative"),
}
_RULES: dict[str, type[rubric_rules.Rule]] = {
    "requested": rubric_rules.Requested,
    "never_requested": rubric_rules.NeverRequested,
    "requested_at_most": rubric_rules.RequestedAtMost,
    "requested_before": rubric_rules.RequestedBefore,
    "representation": rubric_rules.Representation,
    "answer_cites_fetched": rubric_rules.AnswerCitesFetched,
    "answer_in_cited_response": rubric_rules.AnswerInCitedResponse,
    "answer_states": rubric_rules.AnswerStates,
    "judge": rubric_rules.Judge,
}


def load(file: bytes) -> Rubric:
    """The rubric in these bytes. Raises UnusableRubric, which names every fault with its place."""
    return _rubric(document(file))


def document(file: bytes) -> dict[str, Any]:
    """The same, as the JSON value that was written, once it is known to be a rubric."""
    if len(file) > MAX_BYTES:
        raise UnusableRubric([Fault("LINE_TOO_LONG", None, f"<= {MAX_BYTES}", str(len(file)))])
    value, faults = parse(file, unique_keys=True)
    if value is None and faults:
        raise UnusableRubric(faults)
    faults = [*faults, *faults_of(value, _Document)]
    if not faults:
        faults = list(_rules(msgspec.convert(value, _Document)))
    if faults:
        raise UnusableRubric(faults)
    return value


def sealed_form(value: dict[str, Any]) -> bytes:
    """The RFC 8785 bytes of a rubric: what is committed to. Raises UnusableRubric."""
    file = rfc8785.dumps(value)
    document(file)
    return file


def rule_of(control: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Name and terms of the one rule of a control, as its document has it."""
    ((name, terms),) = ((name, terms) for name, terms in control["rule"].items() if terms is not None)
    return name, terms


def _rubric(value: dict[str, Any]) -> Rubric:
    return Rubric(
        case=value["case"],
        version=value["version"],
        catalogue=tuple(value["catalogue"]),
        content=tuple(value["content"]),
        points=tuple(
            Point(
                code=point["code"],
                title=dict(point["title"]),
                controls=tuple(_control(control) for control in point["controls"]),
            )
            for point in value["points"]
        ),
    )


def _control(value: dict[str, Any]) -> Control:
    name, terms = rule_of(value)
    given = {
        key: tuple(term) if isinstance(term, list) else term
        for key, term in terms.items()
        if term is not None
    }
    return Control(
        id=value["id"],
        kind=value["kind"],
        text=dict(value["text"]),
        rule=_RULES[name](**given),
        asks_evaluator=value.get("otherwise") == "judge",
    )


def _rules(read: _Document) -> Iterator[Fault]:
    """What the shape alone does not say."""
    yield from _patterns(read.catalogue, "catalogue")
    yield from _patterns(read.content, "content")
    controls = sum(len(point.controls) for point in read.points)
    if controls > MOST_CONTROLS:
        yield Fault("VALUE_NOT_ALLOWED", "points", f"<= {MOST_CONTROLS} controls", str(controls))
    codes: set[str] = set()
    ids: set[str] = set()
    for place, point in enumerate(read.points):
        at = f"points[{place}]"
        if point.code in codes:
            yield Fault("DUPLICATE_ID", f"{at}.code", found=point.code)
        codes.add(point.code)
        yield from _plain(point.title, f"{at}.title")
        for number, control in enumerate(point.controls):
            inside = f"{at}.controls[{number}]"
            if control.id in ids:
                yield Fault("DUPLICATE_ID", f"{inside}.id", found=control.id)
            ids.add(control.id)
            yield from _plain(control.text, f"{inside}.text")
            yield from _rule(control, inside)


def _rule(control: _Control, at: str) -> Iterator[Fault]:
    given = [name for name in KINDS if getattr(control.rule, name) is not None]
    if len(given) != 1:
        found = " · ".join(given) or "none"
        yield Fault("VALUE_NOT_ALLOWED", f"{at}.rule", "exactly one rule", found)
        return
    (name,) = given
    terms = getattr(control.rule, name)
    if control.kind not in KINDS[name]:
        yield Fault("VALUE_NOT_ALLOWED", f"{at}.kind", " · ".join(KINDS[name]), control.kind)
    inside = f"{at}.rule.{name}"
    for key in ("path", "but_not", "shown_by", "before"):
        paths = getattr(terms, key, None)
        if isinstance(paths, list):
            yield from _patterns(paths, f"{inside}.{key}")
    if name == "judge" and control.otherwise:
        yield Fault("VALUE_NOT_ALLOWED", f"{at}.otherwise", "nothing: the evaluator judges already")
    if name == "never_requested" and not (terms.shown_by or terms.shown_by_any_response):
        # Else it could never be met: nobody respects a rule that he was not shown.
        yield Fault("MISSING_KEY", f"{inside}.shown_by", "shown_by or shown_by_any_response")
    if name == "requested_at_most" and control.kind == "negative" and not terms.shown_by:
        yield Fault("MISSING_KEY", f"{inside}.shown_by", "shown_by")
    if name == "answer_states":
        if (terms.what == "phrase") != bool(terms.any_of):
            yield Fault(
                "VALUE_NOT_ALLOWED", f"{inside}.any_of", "phrases for what = phrase, else nothing", terms.what
            )
        for number, phrase in enumerate(terms.any_of or ()):
            if is_unsafe_name(phrase) or not phrase.strip():
                yield Fault("UNSAFE_TEXT", f"{inside}.any_of[{number}]", found=shown(phrase))


def _patterns(paths: list[str], at: str) -> Iterator[Fault]:
    expected = "a path that begins with /, its stars whole segments, ** the last one, no ? or #"
    for number, pattern in enumerate(paths):
        try:
            routes.Patterns((pattern,))
        except routes.UnusablePattern:
            usable = False
        else:
            # A query is no part of what is matched: whoever writes one expects what never happens.
            usable = not set("?#") & set(pattern) and not is_unsafe_name(pattern)
        if not usable:
            yield Fault("VALUE_NOT_ALLOWED", f"{at}[{number}]", expected, shown(pattern))


def _plain(text: _Text, at: str) -> Iterator[Fault]:
    for language in ("es", "en"):
        written = getattr(text, language)
        if is_unsafe_name(written) or not written.strip():
            yield Fault("UNSAFE_TEXT", f"{at}.{language}", found=shown(written))


def _line(fault: Fault) -> str:
    parts = (
        fault.code,
        fault.key and f"at {fault.key}",
        fault.expected and f"expected {fault.expected}",
        fault.found and f"found {fault.found}",
    )
    return " ".join(part for part in parts if part)
