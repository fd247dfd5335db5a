"""Schemes: the versioned rules a measurement is made under, read from their file and never retyped."""

import hashlib
import json
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import Annotated, Any, ClassVar, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from evidence.typed_json import faults_of, is_unsafe_name, parse, shown
from grading import clauses, data, language_groups
from grading.clauses import Criteria

FORMAT = "scheme/1"


class SeveralJudges(StrEnum):
    MAJORITY = "majority"
    MEAN = "mean"


class UnusableScheme(ValueError):
    """The file is no scheme; `faults` says where, one line each."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class Category:
    code: str
    hostile: bool
    names: dict[str, str]
    # Of a trap the expected citation names the article that does not exist.
    expects_nothing_there: bool = False


@dataclass(frozen=True, slots=True)
class Suppression:
    """Figures of fewer than `suppressed_below` answers are not shown; of fewer than `indicative_below`, or with an
    interval wider than `widest_full`, they are marked."""

    suppressed_below: int
    indicative_below: int
    widest_full: Fraction


# Runs are few and each is shown: the bands of answers do not apply, and what they add up to is always indicative.
OF_RUNS = Suppression(suppressed_below=1, indicative_below=10**9, widest_full=Fraction(1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """One version of a scheme. Periods are days; `criteria` is None for a descriptive scheme.

    Of answers: `categories`, `several_judges`, `reference_group`, `criteria`. Of agent runs: `review_days`, the time
    that an operator has to comment on the marks, and `minimum_runs`, below which nothing is said of several together.
    """

    code: str
    version: str
    method: str
    title: dict[str, str]
    error: dict[str, str]
    grouping: str
    validity: int
    max_evidence_age: int
    remeasurement_interval: int
    appeal_period: int
    publication_delay: int
    suppression: Suppression
    time_zone: str
    sha256: str
    categories: tuple[Category, ...] = ()
    several_judges: SeveralJudges | None = None
    # The group that others are compared with; None: each is told by itself.
    reference_group: str | None = None
    criteria: Criteria | None = None
    review_days: int | None = None
    minimum_runs: int | None = None

    @property
    def is_descriptive(self) -> bool:
        return self.criteria is None

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    def category(self, code: str) -> Category | None:
        return next((category for category in self.categories if category.code == code), None)


Text = Annotated[str, msgspec.Meta(min_length=1)]
Days = Annotated[int, msgspec.Meta(ge=1, le=36_500)]
Answers = Annotated[int, msgspec.Meta(ge=1, le=100_000)]


class _Part(msgspec.Struct, forbid_unknown_fields=True):
    REQUIRED: ClassVar[tuple[str, ...]] = ()


class _Names(_Part):
    es: Text
    en: Text


class _Category(_Part):
    code: Annotated[
        str, msgspec.Meta(pattern="^[a-z][a-z0-9_]{0,59}$", description="lower case, digits and _")
    ]
    hostile: bool
    names: _Names
    expected_citation: Literal["exists", "does_not_exist"] | None = None


class _Suppression(_Part):
    suppressed_below: Answers
    indicative_below: Answers
    widest_full: Annotated[
        str, msgspec.Meta(pattern=r"^(0\.\d{1,6}|1(\.0{1,6})?)$", description="decimal string")
    ]


class _Clause(_Part):
    metric: Text
    denominator: Text
    scope: Literal["overall", "each_group"]
    direction: Literal["at_most", "at_least"]
    threshold: Annotated[str, msgspec.Meta(pattern=r"^0\.\d{1,6}$", description="decimal string below 1")]
    minimum_n: Answers
    required_groups: list[Annotated[str, msgspec.Meta(min_length=1, max_length=40)]] | None = None


class _Criteria(_Part):
    requires: list[
        Literal["hostile_questions", "other_judge", "error_types_apart", "known_judge_family", "set_custody"]
    ]
    clauses: Annotated[list[_Clause], msgspec.Meta(min_length=1, max_length=100)]


class _Shared(_Part, kw_only=True):
    """What every scheme says, whatever its method."""

    format: Literal["scheme/1"]
    code: Annotated[str, msgspec.Meta(pattern="^[A-Z][A-Z0-9]{0,19}$", description="capitals and digits")]
    version: Annotated[str, msgspec.Meta(pattern="^[0-9][0-9.]{0,19}$", description="digits and points")]
    method: Literal["hallucination", "agent_run"]
    title: _Names
    error: _Names
    grouping: Text
    validity: Days
    max_evidence_age: Days
    remeasurement_interval: Days
    appeal_period: Days
    publication_delay: Annotated[int, msgspec.Meta(ge=0, le=3650)]
    time_zone: Text


class _Hallucination(_Shared, kw_only=True):
    categories: Annotated[list[_Category], msgspec.Meta(min_length=1)]
    several_judges: Literal["majority", "mean"]
    suppression: _Suppression
    reference_group: Annotated[str, msgspec.Meta(min_length=1, max_length=40)] | None = None
    # None: a descriptive scheme, which says what was measured and decides nothing.
    criteria: _Criteria | None = None


class _AgentRun(_Shared, kw_only=True):
    """Always descriptive. `minimum_runs` a side before anything is said of more than one run."""

    review_days: Annotated[int, msgspec.Meta(ge=1, le=365)]
    minimum_runs: Annotated[int, msgspec.Meta(ge=3, le=1000)]


def load(file: bytes) -> Scheme:
    """The scheme in a file. Raises UnusableScheme, which names every key that is wrong, missing or unknown."""
    value, faults = parse(file, unique_keys=True)
    is_run = isinstance(value, dict) and value.get("method") == "agent_run"
    shape = _AgentRun if is_run else _Hallucination
    if value is not None or not faults:
        faults = [*faults, *faults_of(value, shape)]
    if faults:
        raise UnusableScheme(
            [
                " ".join(
                    part
                    for part in (
                        fault.code,
                        fault.key and f"at {fault.key}",
                        fault.expected and f"expected {fault.expected}",
                        fault.found and f"found {fault.found}",
                    )
                    if part
                )
                for fault in faults
            ]
        )
    read = msgspec.convert(value, shape)
    wrong = [*_rules(read), *(() if is_run else _rules_of_answers(read))]
    if wrong:
        raise UnusableScheme(wrong)
    return Scheme(
        code=read.code,
        version=read.version,
        method=read.method,
        title={"es": read.title.es, "en": read.title.en},
        error={"es": read.error.es, "en": read.error.en},
        grouping=read.grouping,
        validity=read.validity,
        max_evidence_age=read.max_evidence_age,
        remeasurement_interval=read.remeasurement_interval,
        appeal_period=read.appeal_period,
        publication_delay=read.publication_delay,
        time_zone=read.time_zone,
        sha256=hashlib.sha256(file).hexdigest(),
        **(_of_runs(read) if is_run else _of_answers(read)),
    )


def _of_runs(read: _AgentRun) -> dict[str, Any]:
    return {"suppression": OF_RUNS, "review_days": read.review_days, "minimum_runs": read.minimum_runs}


def _of_answers(read: _Hallucination) -> dict[str, Any]:
    return {
        "categories": tuple(
            Category(
                code=category.code,
                hostile=category.hostile,
                names={"es": category.names.es, "en": category.names.en},
                expects_nothing_there=category.expected_citation == "does_not_exist",
            )
            for category in read.categories
        ),
        "several_judges": SeveralJudges(read.several_judges),
        "reference_group": read.reference_group,
        "criteria": _criteria(read.criteria),
        "suppression": Suppression(
            suppressed_below=read.suppression.suppressed_below,
            indicative_below=read.suppression.indicative_below,
            widest_full=Fraction(read.suppression.widest_full),
        ),
    }


def _criteria(read: _Criteria | None) -> Criteria | None:
    return clauses.read(None if read is None else msgspec.to_builtins(read))


def _rules_of_criteria(read: _Hallucination):
    criteria = _criteria(read.criteria)
    for at, expected in clauses.faults(criteria):
        yield f"VALUE_NOT_ALLOWED at {at} expected {expected}"
    if {category.hostile for category in read.categories} != {True, False}:
        yield "VALUE_NOT_ALLOWED at categories expected hostile ones and others"
    grouping = language_groups.shipped().get(read.grouping)
    for index, clause in enumerate(criteria.clauses):
        for group in clause.required_groups:
            if grouping and not grouping.has(group):
                at = f"criteria.clauses[{index}].required_groups"
                yield f"VALUE_NOT_ALLOWED at {at} expected groups of {read.grouping} found {shown(group)}"


def _rules_of_answers(read: _Hallucination):
    codes = [category.code for category in read.categories]
    for code in sorted({code for code in codes if codes.count(code) > 1}):
        yield f"DUPLICATE_ID at categories found {code}"
    for index, category in enumerate(read.categories):
        if category.expected_citation == "does_not_exist" and not category.hostile:
            yield f"VALUE_NOT_ALLOWED at categories[{index}].expected_citation expected a hostile category"
    if read.suppression.suppressed_below > read.suppression.indicative_below:
        yield "VALUE_NOT_ALLOWED at suppression expected suppressed_below <= indicative_below"
    grouping = language_groups.shipped().get(read.grouping)
    if grouping and read.reference_group and not grouping.has(read.reference_group):
        found = shown(read.reference_group)
        yield f"VALUE_NOT_ALLOWED at reference_group expected a group of {read.grouping} found {found}"
    if read.criteria is not None:
        yield from _rules_of_criteria(read)


def _rules(read: _Shared):
    if read.grouping not in language_groups.shipped():
        known = " · ".join(language_groups.shipped())
        yield f"VALUE_NOT_ALLOWED at grouping expected {known} found {read.grouping[:60]}"
    try:
        ZoneInfo(read.time_zone)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        yield f"VALUE_NOT_ALLOWED at time_zone expected an IANA time zone found {read.time_zone[:60]}"
    for at, names in (("title", read.title), ("error", read.error)):
        for language in ("es", "en"):
            if is_unsafe_name(getattr(names, language)):
                yield f"UNSAFE_TEXT at {at}.{language}"


@cache
def shipped() -> dict[tuple[str, str], Scheme]:
    """The schemes that come with the software, by code and version."""
    schemes = [load(data.read(path)) for path in data.names("schemes")]
    return {(scheme.code, scheme.version): scheme for scheme in schemes}


def shipped_codes() -> frozenset[tuple[str, str]]:
    """(code, version) of every shipped scheme: what an offline check knows."""
    return frozenset(
        (content["code"], content["version"])
        for content in (json.loads(data.read(path)) for path in data.names("schemes"))
    )
