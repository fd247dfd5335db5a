"""Small packages as tests hand them in, read and graded without an archive around."""

from evidence.records import Reader
from evidence.tests.record_files import DESCRIPTOR, descriptor, item, lines, package, read, response, verdict
from grading import figures, schemes
from grading.figures import Figure, Result
from grading.methods.hallucination import Grader

__all__ = ["DESCRIPTOR", "descriptor", "item", "lines", "package", "read", "response", "verdict"]


def graded(
    files: dict[str, bytes], *, scheme: schemes.Scheme | None = None, chunk: int = 1 << 16
) -> tuple[Grader, Reader]:
    """A grader that has watched and measured the package, and the reader that showed it."""
    grader = Grader(scheme or schemes.shipped()["HALU", "1"])
    reader = Reader(schemes=schemes.shipped_codes(), observer=grader)
    read(files, reader, chunk=chunk)
    return grader, reader


def measured(files: dict[str, bytes], **options) -> Result:
    """The result of a sound package."""
    grader, reader = graded(files, **options)
    assert not list(reader.findings), list(reader.findings)
    return grader.result


def at(result: Result, metric: str, denominator: str, **place) -> Figure:
    return figures.at(result.figures, metric, denominator, **place)


def counts(result: Result, metric: str, denominator: str, **place) -> tuple[int, int, int]:
    """(k, n, unjudged) of one figure."""
    of = at(result, metric, denominator, **place)
    return of.k, of.n, of.unjudged
