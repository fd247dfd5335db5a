"""PURE. The document of a test case: what an agent is asked, within which limits, and what will be marked."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import msgspec
import rfc8785

from evidence.routes import Patterns, UnusablePattern, normalise
from evidence.typed_json import Fault, faults_of, is_unsafe_name, parse, shown

FORMAT = "test-case/1"
START_DOMAIN = "{start_domain}"
MAX_BYTES = 64 * 1024


class UnusableCase(ValueError):
    """The document is no test case; `faults` says where: each has a code, its place, what was expected and found."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("; ".join(f"{fault.code} at {fault.key}" for fault in faults))
        self.faults = tuple(faults)


@dataclass(frozen=True, slots=True)
class CaseDocument:
    """One version of a case. `catalogue` (patterns of paths) is no part of what is public."""

    code: str
    version: int
    language: str
    title: dict[str, str]
    assignment: str
    max_requests: int
    max_seconds: int
    terms_path: str
    catalogue: tuple[str, ...]
    points: tuple[dict[str, Any], ...]

    @property
    def public_form(self) -> bytes:
        """The RFC 8785 bytes of all that is public of it."""
        return rfc8785.dumps(
            {
                "format": FORMAT,
                "code": self.code,
                "version": self.version,
                "language": self.language,
                "title": self.title,
                "assignment": self.assignment,
                "limits": {"requests": self.max_requests, "seconds": self.max_seconds},
                "terms": self.terms_path,
                "points": list(self.points),
            }
        )


def filled_in(assignment: str, *, start_domain: str) -> str:
    """The literal text of a variant: nothing but the start domain is written into it."""
    return assignment.replace(START_DOMAIN, start_domain)


Sentence = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Path = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class _Part(msgspec.Struct, forbid_unknown_fields=True):
    REQUIRED: ClassVar[tuple[str, ...]] = ()


class _Text(_Part):
    es: Sentence
    en: Sentence


class _Point(_Part):
    code: Annotated[
        str,
        msgspec.Meta(pattern="^[a-z][a-z0-9_]{0,39}$", description="lower case, digits and _, at most 40"),
    ]
    title: _Text


class _Limits(_Part):
    requests: Annotated[int, msgspec.Meta(ge=1, le=100_000)]
    seconds: Annotated[int, msgspec.Meta(ge=1, le=86_400)]


class _Document(_Part):
    format: Literal["test-case/1"]
    code: Annotated[str, msgspec.Meta(pattern="^[A-Z]{2,8}-[0-9]{3,6}$", description="a code such as PI-001")]
    version: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)]
    language: Annotated[
        str, msgspec.Meta(pattern="^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$", description="a language tag")
    ]
    title: _Text
    assignment: Annotated[str, msgspec.Meta(min_length=1, max_length=10_000)]
    limits: _Limits
    terms: Path
    catalogue: Annotated[list[Path], msgspec.Meta(min_length=1, max_length=100)]
    points: Annotated[list[_Point], msgspec.Meta(min_length=1, max_length=50)]


def load(file: bytes) -> CaseDocument:
    """The case in these bytes. Raises UnusableCase, which names every fault with its place."""
    if len(file) > MAX_BYTES:
        raise UnusableCase([Fault("LINE_TOO_LONG", None, f"<= {MAX_BYTES}", str(len(file)))])
    value, faults = parse(file, unique_keys=True)
    if value is None and faults:
        raise UnusableCase(faults)
    return read(value, faults)


def read(value: Any, faults: list[Fault] | None = None) -> CaseDocument:
    """The same, of a JSON value."""
    faults = [*(faults or []), *faults_of(value, _Document)]
    if not faults:
        faults = list(_rules(msgspec.convert(value, _Document)))
    if faults:
        raise UnusableCase(faults)
    return CaseDocument(
        code=value["code"],
        version=value["version"],
        language=value["language"],
        title=dict(value["title"]),
        assignment=value["assignment"],
        max_requests=value["limits"]["requests"],
        max_seconds=value["limits"]["seconds"],
        terms_path=value["terms"],
        catalogue=tuple(value["catalogue"]),
        points=tuple({"code": one["code"], "title": dict(one["title"])} for one in value["points"]),
    )


def _rules(document: _Document) -> Iterator[Fault]:
    if START_DOMAIN not in document.assignment:
        yield Fault("VALUE_NOT_ALLOWED", "assignment", f"the text names {START_DOMAIN}")
    if is_unsafe_name(document.assignment.replace("\n", " ")):
        yield Fault("UNSAFE_TEXT", "assignment")
    if normalise(document.terms) != document.terms:
        yield Fault("VALUE_NOT_ALLOWED", "terms", "a path as the recorder names it", shown(document.terms))
    for place, pattern in enumerate(document.catalogue):
        try:
            Patterns((pattern,))
        except UnusablePattern:
            yield Fault("VALUE_NOT_ALLOWED", f"catalogue[{place}]", "a pattern of a path", shown(pattern))
    texts = [("title", document.title)]
    codes: set[str] = set()
    for place, point in enumerate(document.points):
        if point.code in codes:
            yield Fault("DUPLICATE_ID", f"points[{place}].code", found=point.code)
        codes.add(point.code)
        texts.append((f"points[{place}].title", point.title))
    for at, text in texts:
        for language in ("es", "en"):
            written = getattr(text, language)
            if is_unsafe_name(written) or not written.strip():
                yield Fault("UNSAFE_TEXT", f"{at}.{language}", found=shown(written))
