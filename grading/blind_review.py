"""The reader of a package for its blind review (`python -m grading.blind_review`): who is sampled, and the sheet.

Run by `evidence.isolation` in a process without Django, keys or database. It reads the package twice: what is sampled
depends on all verdicts, and only then is it known whose texts are wanted. Of sealed members nothing leaves it but the
sheet, for whoever asked for it, and the ids that the sheet has.
"""

import sys
from array import array
from base64 import b64decode
from collections.abc import Callable, Iterable, Sequence
from typing import Any, BinaryIO

from evidence import checking, isolation, reading
from evidence.descriptor import Descriptor
from evidence.findings import Finding
from evidence.hallucination_records import Item, Records, Response
from evidence.records import Reader
from grading import calibration, schemes
from grading.methods import hallucination
from grading.reviews import JudgedAnswer
from grading.schemes import Scheme

VERDICTS = "data/verdicts.jsonl"


class NoLongerIntact(Exception):
    """A package that was verified once is refused now: not its submitter's fault."""


def main(arguments: list[str]) -> None:
    """The life of the process."""
    try:
        job = isolation.enter(arguments)
        outcome = read(
            sys.stdin.buffer.raw, job=job, tell=lambda progress: isolation.answer({"progress": progress})
        )
        isolation.answer({"outcome": outcome, "memory": isolation.most_memory()})
    except BaseException as error:
        isolation.answer({"fault": isolation.fault_of(error)})
        raise SystemExit(1) from None


def read(
    source: BinaryIO, *, job: dict[str, Any], tell: Callable[[dict[str, Any]], None] | None = None
) -> dict[str, Any]:
    """The sample of a package, and its `sheet` if it is wanted.

    `seed` (16 hexadecimal digits), `items` (ids in the order of the sheet), `verdicts` (of each the codes [that counts,
    [of each judge]]), `judges`, `averaged`, `sha256`, `set_sha256`.

    `job`: `scheme` (the file it was measured under, in base64), `sheet` (whether the texts are wanted) and
    `bytes_per_second` (0: no limit).
    """
    scheme = schemes.load(b64decode(job["scheme"]))
    told = (lambda now: tell({"done": now.done, "total": now.total})) if tell else None
    source = reading.paced(source, job)
    grader = _Ids(scheme)
    report = _checked(source, scheme, grader, told)
    result = grader.result
    judged = {grader.ids[answer.item]: answer for answer in grader.judged_answers()}
    verdicts_sha256 = next(member.sha256 for member in report.members if member.path == VERDICTS)
    seed = calibration.seed_of(result.set_sha256, verdicts_sha256)
    chosen = calibration.sample(
        (calibration.Judged(id_, answer.category, answer.group) for id_, answer in judged.items()), seed=seed
    )
    outcome = {
        "sha256": report.sha256,
        "set_sha256": result.set_sha256,
        "seed": f"{seed:016x}",
        "items": chosen,
        "verdicts": [[judged[id_].joint, judged[id_].judges] for id_ in chosen],
        "judges": grader.judges,
        "averaged": scheme.several_judges == schemes.SeveralJudges.MEAN and len(grader.judges) > 1,
    }
    if job["sheet"]:
        texts = _Texts([judged[id_] for id_ in chosen])
        _checked(source, scheme, texts, told)
        outcome["sheet"] = calibration.sheet(texts.row(id_, judged[id_]) for id_ in chosen).decode()
    return outcome


def _checked(source: BinaryIO, scheme: Scheme, observer: Any, told: Any) -> checking.Report:
    source.seek(0)
    reader = Reader(schemes={(scheme.code, scheme.version)}, methods={"hallucination"}, observer=observer)
    report = checking.check(source, declared_sha256=None, reader=reader, progress=told)
    if report.integrity != "verified":
        raise NoLongerIntact
    return report


class _Ids(hallucination.Grader):
    """Measures, and keeps the id of each item: an item loses it before it is graded, its answers still have it."""

    def __init__(self, scheme: Scheme) -> None:
        super().__init__(scheme)
        self.ids: dict[int, str] = {}
        self.judges: list[str] = []

    def begin(self, descriptor: Descriptor, *, files: frozenset[str]) -> None:
        super().begin(descriptor, files=files)
        self.judges = [judge.id for judge in descriptor.judges or ()]

    def responses(self, responses: Sequence[Response], items: Sequence[int]) -> None:
        super().responses(responses, items)
        self.ids.update(zip(items, (response.item for response in responses), strict=True))


class _Texts:
    """Keeps what a reviewer sees of the answers wanted, and nothing of the others."""

    def __init__(self, wanted: Sequence[JudgedAnswer]) -> None:
        self._items: dict[int, tuple[str, str]] = dict.fromkeys((answer.item for answer in wanted), ("", ""))
        self._answers: dict[int, str] = dict.fromkeys((answer.response for answer in wanted), "")
        self._passed = 0

    def row(self, id_: str, answer: JudgedAnswer) -> calibration.Row:
        question, reference = self._items[answer.item]
        return calibration.Row(id_, question, self._answers[answer.response], reference)

    def begin(self, descriptor: Descriptor, *, files: frozenset[str]) -> None:
        """Who made them is not told."""

    def catalogue(self, source: str, article: str) -> None:
        """No reviewer sees it: neither did the judge."""

    def abstention(self, item: int, abstained: bool, reviewer: str) -> None:
        """It is in the sample already."""

    def items(self, items: Sequence[Item], first_place: int) -> Iterable[Finding]:
        for place in self._wanted(self._items, first_place, len(items)):
            item = items[place - first_place]
            self._items[place] = item.question, item.reference_text or ""
        return ()

    def responses(self, responses: Sequence[Response], items: Sequence[int]) -> None:
        for place in self._wanted(self._answers, self._passed, len(responses)):
            of = responses[place - self._passed]
            cited = [(citation.source, citation.article) for citation in of.citations or ()]
            self._answers[place] = calibration.shown_answer(of.answer, cited)
        self._passed += len(responses)

    def finish(self, records: Records) -> tuple[Iterable[Finding], Iterable[Finding]]:
        return (), ()

    def _wanted(self, places: dict[int, Any], first: int, count: int) -> array:
        # A block has thousands of lines and the sample some hundred: the smaller one is gone through.
        if len(places) < count:
            return array("Q", (place for place in places if first <= place < first + count))
        return array("Q", (place for place in range(first, first + count) if place in places))


if __name__ == "__main__":
    main(sys.argv[1:])
