"""From the bytes of a package to its report and its figures, in the one pass that checks it."""

from collections.abc import Callable, Iterable
from typing import Any, BinaryIO

from evidence import checking
from evidence.descriptor import Descriptor
from evidence.findings import Finding
from evidence.records import Reader, SchemeOfAnotherMethod
from grading import schemes
from grading.comparison import Answers
from grading.figures import Result
from grading.methods import METHODS
from grading.schemes import Scheme


class SchemeMissing(ValueError):
    """The descriptor names a scheme whose rules are not at hand."""


class Chosen:
    """The method's grader, made when the descriptor has said which scheme and method it is."""

    def __init__(self, scheme: Scheme | None) -> None:
        self.scheme = scheme
        self.grader: Any = None

    def begin(self, descriptor: Descriptor, *, files: frozenset[str]) -> Any:
        named = descriptor.scheme
        if self.scheme is None:
            self.scheme = schemes.shipped().get((named.code, named.version))
        if self.scheme is None:
            raise SchemeMissing(f"{named.code} {named.version}")
        if self.scheme.method != descriptor.method:
            raise SchemeOfAnotherMethod(self.scheme.method)
        self.grader = METHODS[descriptor.method](self.scheme)
        self.grader.begin(descriptor, files=files)
        return self.grader

    def finish(self, records: Any) -> tuple[Iterable[Finding], Iterable[Finding]]:
        """Of a package whose descriptor has faults: no grader was made."""
        return (), ()


def reader() -> Reader:
    """What reads records as the registry does, categories of the scheme included, for a check that wants no figure."""
    return Reader(schemes=set(schemes.shipped_codes()), methods=METHODS, observer=Chosen(None))


def compute(
    source: BinaryIO,
    *,
    scheme: Scheme | None = None,
    known_schemes: Iterable[tuple[str, str]] | None = None,
    declared_sha256: str | None = None,
    limits: Any = None,
    progress: Callable[[Any], None] | None = None,
) -> tuple[checking.Report, Result | None, Descriptor | None]:
    """Check a package and measure it: (report, result, descriptor); result and descriptor are None when it is refused.

    `source` is a seekable binary file. `scheme`: the rules to measure under; None: those the descriptor names, of the
    shipped ones. `known_schemes`: the (code, version) pairs a descriptor may name (default: shipped ones and `scheme`).
    """
    report, chosen, reader = _checked(
        source,
        scheme=scheme,
        known_schemes=known_schemes,
        declared_sha256=declared_sha256,
        limits=limits,
        progress=progress,
    )
    if report.integrity != "verified" or chosen.grader is None:
        return report, None, None
    return report, chosen.grader.result, reader.descriptor


def answers(
    source: BinaryIO, *, scheme: Scheme | None = None, **options: Any
) -> tuple[checking.Report, Answers | None]:
    """Check a package and measure it item by item, for `comparison.compare`; None when it is refused.

    `scheme` and options as for `compute`.
    """
    report, chosen, _ = _checked(source, scheme=scheme, **options)
    if report.integrity != "verified" or chosen.grader is None:
        return report, None
    return report, chosen.grader.answers()


def _checked(
    source: BinaryIO,
    *,
    scheme: Scheme | None = None,
    known_schemes: Iterable[tuple[str, str]] | None = None,
    declared_sha256: str | None = None,
    limits: Any = None,
    progress: Callable[[Any], None] | None = None,
) -> tuple[checking.Report, Chosen, Reader]:
    known = set(schemes.shipped_codes() if known_schemes is None else known_schemes)
    if scheme is not None and known_schemes is None:
        known.add((scheme.code, scheme.version))
    chosen = Chosen(scheme)
    reader = Reader(schemes=known, methods=METHODS, observer=chosen)
    options = {} if limits is None else {"limits": limits}
    report = checking.check(
        source, declared_sha256=declared_sha256, reader=reader, progress=progress, **options
    )
    return report, chosen, reader
