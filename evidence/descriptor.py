"""The descriptor `data/evaluation.json`: what was evaluated, how, when, by which judges, and what is declared of it."""

from datetime import date, datetime
from enum import StrEnum
from itertools import islice
from typing import Annotated, ClassVar, Literal

import msgspec

from evidence import families
from evidence.typed_json import MOST_FAULTS, Fault, faults_of, is_unsafe_name, parse, shown, without_nulls
from evidence.versions import is_floating

PATH = "data/evaluation.json"
FORMAT = "evaluation-package/1"
# Room for a hundred thousand sealed members; what is larger is refused unread.
MAX_BYTES = 8 * 1024**2
# An instant that every time zone can show; whether it is too old or yet to come is for the decision to say.
_FIRST_YEAR, _LAST_YEAR = 1970, 2199
# Each judge has figures of its own and is compared with every other; a hundred thousand of them, which a line of
# JSON names, would fill the memory of whoever measures.
MOST_JUDGES = 100
MOST_DECLARED = 2_000

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=200, pattern=r"\S", description="not empty")]
Sha256 = Annotated[
    str, msgspec.Meta(pattern="^[0-9a-f]{64}$", description="64 lower-case hexadecimal digits")
]
Decimals = Annotated[
    str, msgspec.Meta(pattern=r"^-?[0-9]{1,9}(\.[0-9]{1,30})?$", description="decimal string, fraction of 1")
]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]


class Access(StrEnum):
    OPEN = "open"
    MEMBERS = "members"
    DIGEST_ONLY = "digest_only"


class HolderHadAccess(StrEnum):
    NO = "no"
    YES = "yes"
    UNKNOWN = "unknown"


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A key that is null counts as absent; those in REQUIRED may not be."""

    REQUIRED: ClassVar[tuple[str, ...]] = ()


class SchemeReference(_Part, frozen=True):
    code: Name
    version: Name


class SystemUnderEvaluation(_Part, frozen=True):
    name: Name
    version: Name
    holder: Name
    model_family: Name


class QuestionSet(_Part, frozen=True):
    name: Name
    sha256: Sha256
    custodian: Name | None = None
    holder_had_access: Literal["no", "yes", "unknown"] | None = None
    times_used_before: Count | None = None


class Corpus(_Part, frozen=True):
    documents: Count | None = None
    articles: Count | None = None
    as_of: (
        Annotated[str, msgspec.Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$", description="YYYY-MM-DD")] | None
    ) = None


class Judge(_Part, frozen=True):
    id: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    family: Name
    version: Name
    kind: Literal["model", "human"] | None = None
    temperature: Annotated[float, msgspec.Meta(ge=0)] | None = None
    related_to_holder: bool | None = None

    @property
    def is_human(self) -> bool:
        return self.kind == "human"


class DeclaredFigure(_Part, frozen=True):
    metric: Name
    denominator: Name
    value: Decimals
    group: Name | None = None
    category: Name | None = None
    low: Decimals | None = None
    high: Decimals | None = None


class Descriptor(_Part, frozen=True):
    format: Name
    method: Name
    scheme: SchemeReference
    system: SystemUnderEvaluation
    measured_at: Annotated[datetime, msgspec.Meta(tz=True)]
    question_set: QuestionSet | None = None
    corpus: Corpus | None = None
    judges: Annotated[list[Judge], msgspec.Meta(max_length=MOST_JUDGES)] | None = None
    endpoint_kind: Literal["public_user_route", "dedicated"] | None = None
    access: Literal["open", "members", "digest_only"] | None = None
    sealed: list[str] | None = None
    declared_figures: Annotated[list[DeclaredFigure], msgspec.Meta(max_length=MOST_DECLARED)] | None = None

    @property
    def declared_access(self) -> Access:
        return Access(self.access or Access.MEMBERS)

    @property
    def holder_had_access(self) -> HolderHadAccess:
        declared = self.question_set.holder_had_access if self.question_set else None
        return HolderHadAccess(declared or HolderHadAccess.UNKNOWN)

    @property
    def evidence_is_public(self) -> bool:
        """Whether every member may be read by anyone, who then can count for himself."""
        return self.declared_access != Access.DIGEST_ONLY and not self.sealed

    def as_json(self) -> dict[str, object]:
        """The descriptor as plain JSON values, absent keys left out."""
        return msgspec.to_builtins(self)


# Sealing the questions gives them away nowhere: what quotes or indexes them is sealed with them.
_SEALED_WITH_ITEMS = (
    "data/responses.jsonl",
    "data/verdicts.jsonl",
    "data/reviews.csv",
    "data/catalogue.csv",
    "data/abstention-review.csv",
)


def sealed_members(descriptor: Descriptor) -> frozenset[str]:
    """Paths of which the public sees only a salted commitment."""
    sealed = set(descriptor.sealed or ())
    if "data/items.jsonl" in sealed:
        sealed.update(_SEALED_WITH_ITEMS)
    return frozenset(sealed)


def read(
    text: bytes,
    *,
    methods: frozenset[str] | set[str],
    schemes: frozenset[tuple[str, str]] | None,
) -> tuple[Descriptor | None, list[Fault]]:
    """The descriptor, or None, and every fault of it. `schemes`: the known (code, version) pairs; None: not checked."""
    value, faults = parse(text, unique_keys=True)
    if value is None:
        return None, faults or [Fault("WRONG_TYPE", expected="object", found="null")]
    if not isinstance(value, dict):
        return None, [*faults, Fault("WRONG_TYPE", expected="object", found="another value")]
    if isinstance(value.get("format"), str) and value["format"] != FORMAT:
        # Of another format nothing else can be judged.
        return None, [*faults, Fault("FORMAT_UNSUPPORTED", "format", FORMAT, shown(value["format"]))]
    value = without_nulls(value)
    wrong = list(islice(faults_of(value, Descriptor), MOST_FAULTS))
    faults += _floating_or(wrong, value)
    faults += [
        Fault("UNSAFE_TEXT", key=key, found=shown(text)) for key, text in islice(_names(value), MOST_FAULTS)
    ]
    if not any(fault.key == "method" for fault in wrong) and value["method"] not in methods:
        faults.append(Fault("METHOD_UNKNOWN", "method", " · ".join(sorted(methods)), shown(value["method"])))
    if wrong or any(fault.code in ("RECORD_TEXT", "DUPLICATE_KEY") for fault in faults):
        return None, faults
    try:
        descriptor = msgspec.convert(value, Descriptor)
    except msgspec.ValidationError as error:
        return None, [*faults, Fault("WRONG_TYPE", found=shown(str(error)))]
    return descriptor, faults + list(_rules(descriptor, schemes))


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _floating_or(wrong: list[Fault], value: dict[str, object]) -> list[Fault]:
    """An empty version is a floating one before it is an empty text."""
    system = value.get("system")
    version = system.get("version") if isinstance(system, dict) else None
    if not isinstance(version, str) or not is_floating(version):
        return wrong
    kept = [fault for fault in wrong if fault.key != "system.version"]
    return [*kept, Fault("VERSION_FLOATING", "system.version", "a pinned version", shown(version))]


def _rules(descriptor: Descriptor, schemes: frozenset[tuple[str, str]] | None):
    if not _FIRST_YEAR <= descriptor.measured_at.year <= _LAST_YEAR:
        at = descriptor.measured_at.isoformat()
        yield Fault("VALUE_NOT_ALLOWED", "measured_at", f"{_FIRST_YEAR} – {_LAST_YEAR}", at)
    as_of = descriptor.corpus.as_of if descriptor.corpus else None
    if as_of is not None and not _is_day(as_of):
        yield Fault("VALUE_NOT_ALLOWED", "corpus.as_of", "YYYY-MM-DD", shown(as_of))
    scheme = descriptor.scheme
    if schemes is not None and (scheme.code, scheme.version) not in schemes:
        known = " · ".join(f"{code} {version}" for code, version in sorted(schemes))
        yield Fault("SCHEME_UNKNOWN", "scheme", known, shown(f"{scheme.code} {scheme.version}"))
    ids: set[str] = set()
    for index, judge in enumerate(descriptor.judges or ()):
        at = f"judges[{index}]"
        if judge.id in ids:
            yield Fault("DUPLICATE_ID", f"{at}.id", found=shown(judge.id))
        ids.add(judge.id)
        if judge.is_human:
            if judge.temperature is not None:
                yield Fault(
                    "VALUE_NOT_ALLOWED", f"{at}.temperature", "absent for a human", shown(judge.temperature)
                )
        elif families.same(judge.family, descriptor.system.model_family):
            yield Fault("JUDGE_SAME_FAMILY", f"{at}.family", "another family", shown(judge.family))
    seen: set[tuple[str, str, str | None, str | None]] = set()
    for index, figure in enumerate(descriptor.declared_figures or ()):
        at = f"declared_figures[{index}]"
        key = (figure.metric, figure.denominator, figure.group, figure.category)
        if key in seen:
            yield Fault("DUPLICATE_ID", at, found=shown(" · ".join(part or "-" for part in key)))
        seen.add(key)
        yield from _impossible(figure, at)
    for index, path in enumerate(descriptor.sealed or ()):
        if path == PATH or not path.startswith("data/"):
            yield Fault("VALUE_NOT_ALLOWED", f"sealed[{index}]", "a record file", shown(path))


def _impossible(figure: DeclaredFigure, at: str):
    """Rates are fractions of 1 («27.33» is a percentage); agreement may be below zero."""
    floor = -1 if "kappa" in figure.metric else 0
    numbers: dict[str, float] = {}
    for name in ("low", "value", "high"):
        text = getattr(figure, name)
        if text is None:
            continue
        numbers[name] = float(text)
        if not floor <= numbers[name] <= 1:
            yield Fault("VALUE_NOT_ALLOWED", f"{at}.{name}", "a fraction of 1, such as 0.2733", shown(text))
    inside = [numbers[name] for name in ("low", "value", "high") if name in numbers]
    if inside != sorted(inside):
        yield Fault("FIGURE_IMPOSSIBLE", at, "low <= value <= high", " · ".join(map(str, inside)))


def _names(value, at: str = ""):
    if isinstance(value, str):
        if is_unsafe_name(value):
            yield at, value
    elif isinstance(value, dict):
        for key, entry in value.items():
            yield from _names(entry, f"{at}.{key}" if at else key)
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from _names(entry, f"{at}[{index}]")
