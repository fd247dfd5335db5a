"""The records of method `hallucination`: questions, answers, verdicts and reviews, and how they hang together."""

from array import array
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, Protocol

import msgspec

from evidence import descriptor as descriptors
from evidence import families
from evidence.canonical import Digests
from evidence.descriptor import Descriptor
from evidence.findings import Caution, Finding
from evidence.index import Index
from evidence.record_files import Csv, JsonLines, Method, Pass
from evidence.typed_json import is_unsafe_name, shown

# How far ahead the next line's item is looked for before the table of all ids is asked.
_NEAR = 16


class Verdict(StrEnum):
    EXACT = "exact"
    INCOMPLETE = "incomplete"
    ILL_FOUNDED = "ill_founded"
    INCORRECT = "incorrect"
    UNJUDGED = "unjudged"


# One byte a verdict in the compact columns; 0 is none.
VERDICT_CODES = {verdict.value: code for code, verdict in enumerate(Verdict, 1)}
UNJUDGED_CODE = VERDICT_CODES[Verdict.UNJUDGED]
# Added to a verdict whose answer the eligibility stage found evasive.
INELIGIBLE = 8

Text = Annotated[str, msgspec.Meta(min_length=1)]
Id = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
Label = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
RunNumber = Annotated[int, msgspec.Meta(ge=1, le=2**31 - 1)]


class _Record(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """One line. A key that is null counts as absent; those in REQUIRED may not be."""

    REQUIRED: ClassVar[tuple[str, ...]] = ()


# The keys of an item, and of what it holds, stand in alphabetical order: written as they stand, they are canonical.


class ExpectedCitation(_Record, kw_only=True):
    article: Text
    source: Text


class WrittenBy(_Record, kw_only=True):
    family: Label | None = None
    kind: Literal["human", "model"]


class Item(_Record, kw_only=True):
    """A question. `id` becomes None once its place is known: the item hash leaves it out."""

    REQUIRED: ClassVar[tuple[str, ...]] = ("id",)

    abstention_correct: bool
    category: Annotated[str, msgspec.Meta(min_length=1, max_length=60)]
    cluster: Id | None = None
    consulted_on: str | None = None
    expected_citation: ExpectedCitation | None = None
    id: Id | None = None
    in_corpus: bool
    item_base: Id | None = None
    language: Annotated[str, msgspec.Meta(max_length=100)] | None = None
    question: Text
    reference_source: str | None = None
    reference_text: str | None = None
    written_by: WrittenBy | None = None


class Citation(_Record):
    source: str
    article: str
    verified: bool


class Response(_Record):
    item: Id
    answer: str
    run: RunNumber | None = None
    abstained: bool | None = None
    invalid: bool | None = None
    citations: list[Citation] | None = None
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)] | Label | None = None
    requested_at: Annotated[datetime, msgspec.Meta(tz=True)] | None = None
    latency_ms: Annotated[float, msgspec.Meta(ge=0)] | None = None


class VerdictRecord(_Record):
    item: Id
    judge: Label
    verdict: Literal["exact", "incomplete", "ill_founded", "incorrect", "unjudged"]
    run: RunNumber | None = None
    eligible: bool | None = None
    reason: str | None = None


class Observer(Protocol):
    """Sees the records of a sound package as they pass; from the first finding on it sees nothing more.

    A place is the position of an item, or of a response, in its file, from 0.
    """

    def begin(self, descriptor: Descriptor, *, files: frozenset[str]) -> None: ...

    def catalogue(self, source: str, article: str) -> None: ...

    def items(self, items: Sequence[Item], first_place: int) -> Iterable[Finding]: ...

    def abstention(self, item: int, abstained: bool, reviewer: str) -> None: ...

    def responses(self, responses: Sequence[Response], items: Sequence[int]) -> None: ...

    def finish(self, records: "Records") -> tuple[Iterable[Finding], Iterable[Finding]]: ...


class Records:
    """What stays of the records when they have passed: about 100 bytes an item, no text."""

    def __init__(self) -> None:
        self.item_ids = Index()
        self.item_digests = Digests()
        self.set_sha256: str | None = None
        self.repeated_items = 0
        # Places of lines that were no items and gave no id: nobody can answer them.
        self.lost_items: set[int] = set()
        # Of each response its item and run; of each item its first response + 1.
        self.response_item = array("I")
        self.response_run = array("I")
        self.first_response = array("I")
        # Of each judge one byte a response: a verdict code, with INELIGIBLE added, or 0.
        self.verdicts: dict[str, bytearray] = {}
        # Blind human reviews: item, reviewer, verdict code.
        self.review_items = array("I")
        self.review_reviewers: list[str] = []
        self.review_verdicts = bytearray()
        self._later_runs = Index()
        self._later_responses = array("I")

    @property
    def item_count(self) -> int:
        return len(self.item_ids)

    def places(self, ids: Sequence[str], following: int) -> tuple[Sequence[int], int]:
        """The places of items, -1 where there is none, and the place after the last one.

        `following` is the place that is likely next: most files speak of the items in their order, whole blocks of them
        without a gap.
        """
        keys = self.item_ids.keys
        asked = array("q", list(map(hash, ids)))
        if keys[following : following + len(asked)] == asked:
            return range(following, following + len(asked)), following + len(asked)
        count = len(keys)
        find = self.item_ids.find
        places: list[int] = []
        for key in asked:
            if following < count and keys[following] == key:
                place = following
            else:
                try:
                    # The same item again (another judge, another run), or one a few items on.
                    place = keys.index(key, max(following - 1, 0), following + _NEAR)
                except ValueError:
                    if (place := find(key)) < 0:
                        places.append(-1)
                        continue
            places.append(place)
            following = place + 1
        return places, following

    def response_place(self, item: int, run: int) -> int:
        """The place of an item's response in a run, or -1."""
        first = self.first_response[item] - 1
        if first < 0 or self.response_run[first] == run:
            return first
        later = self._later_runs.find(hash((self.item_ids.keys[item], run)))
        return -1 if later < 0 else self._later_responses[later]

    def add_responses(self, items: Sequence[int], runs: Sequence[int]) -> list[int]:
        """Take responses in; those (by position) whose run of the item was there already are not, and are returned."""
        first = self.first_response
        place = len(self.response_item)
        if isinstance(items, range) and not any(first[items.start : items.stop]):
            first[items.start : items.stop] = array("I", list(range(place + 1, place + 1 + len(items))))
            self.response_item.extend(array("I", list(items)))
            self.response_run.extend(array("I", runs))
            return []
        again = []
        for position, (item, run) in enumerate(zip(items, runs, strict=True)):
            earlier = first[item]
            if not earlier:
                first[item] = place + 1
            elif self.response_run[earlier - 1] == run:
                again.append(position)
                continue
            else:
                # The item's key is a secret of this process, so its pairs with runs cannot be made to collide either.
                if self._later_runs.add(hash((self.item_ids.keys[item], run))) < 0:
                    again.append(position)
                    continue
                self._later_responses.append(place)
            self.response_item.append(item)
            self.response_run.append(run)
            place += 1
        return again


class _Items(JsonLines):
    struct = Item

    def __init__(self, reader: Pass, path: str) -> None:
        super().__init__(reader, path)
        self._family = families.family(reader.descriptor.system.model_family)

    def take(self, records: list[Item], first_line: int) -> None:
        ids = [item.id for item in records]
        if None in ids:
            for line, item in enumerate(records, first_line):
                if item.id is None:
                    self.find("MISSING_KEY", line, "id", "id")
                    self.records.lost_items.add(len(self.records.item_ids) + line - first_line)
            self.records.item_ids.extend([0 if id_ is None else hash(id_) for id_ in ids])
        else:
            self.records.item_ids.extend(list(map(hash, ids)))
            # One look at all of them; only what is odd is looked at again.
            if not "".join(ids).isprintable():
                self._check_all(records, first_line, "id")
        names = {item.category for item in records}
        names.update([item.language for item in records])
        names.discard(None)
        if not names <= self._plain:
            if any(map(is_unsafe_name, names)):
                self._check_all(records, first_line, "category", "language")
            if len(self._plain) < 10_000:
                self._plain |= names
        special = [
            item
            for item in records
            if item.cluster is not None or item.item_base is not None or item.written_by is not None
        ]
        if special:
            if not "".join([item.cluster for item in special if item.cluster is not None]).isprintable():
                self._check_all(records, first_line, "cluster")
            if not "".join([item.item_base for item in special if item.item_base is not None]).isprintable():
                self._check_all(records, first_line, "item_base")
            self._check_writers(records, first_line)
        for item in records:
            item.id = None
        self.records.item_digests.extend(records)
        observer = self.reader.observer
        if observer is not None:
            for finding in observer.items(records, first_line - 1):
                self.reader.find(finding.code, finding.member, finding.key, finding.expected, finding.found)

    def _check_writers(self, records: list[Item], first_line: int) -> None:
        """The evaluated family may not write the questions that it answers."""
        for line, item in enumerate(records, first_line):
            writer = item.written_by
            if writer is None or writer.kind != "model" or not writer.family:
                continue
            if families.family(writer.family) == self._family:
                found = shown(writer.family)
                self.find("JUDGE_SAME_FAMILY", line, "written_by.family", "another family", found)

    def _check_all(self, records: list[Item], first_line: int, *keys: str) -> None:
        for line, item in enumerate(records, first_line):
            self.check_names(line, item, keys)

    def lost(self, value: Any, line: int) -> None:
        # Its id still counts, so that its answers are not called strangers.
        id_ = value.get("id") if isinstance(value, dict) else None
        if isinstance(id_, str):
            self.records.item_ids.append(hash(id_))
        else:
            self.records.lost_items.add(self.records.item_ids.append(0))
        self.records.item_digests.append_unknown()

    def done(self) -> None:
        records = self.records
        records.first_response = array("I", bytes(4 * records.item_count))
        for place in records.item_ids.repeated():
            self.find("DUPLICATE_ID", place + 1, "id")
            records.lost_items.add(place)
        if not self.reader.findings:
            records.set_sha256, records.repeated_items = records.item_digests.set_sha256()


class _Responses(JsonLines):
    struct = Response

    def __init__(self, reader: Pass, path: str) -> None:
        super().__init__(reader, path)
        self._next = 0

    def take(self, records: list[Response], first_line: int) -> None:
        items = [response.item for response in records]
        places, self._next = self.records.places(items, self._next)
        runs = [response.run or 1 for response in records]
        if not isinstance(places, range) and -1 in places:
            for position, place in enumerate(places):
                if place < 0:
                    line = first_line + position
                    self.find("UNKNOWN_REFERENCE", line, "item", "data/items.jsonl", shown(items[position]))
            known = [position for position, place in enumerate(places) if place >= 0]
            records = [records[position] for position in known]
            runs = [runs[position] for position in known]
            places = [places[position] for position in known]
            lines = [first_line + position for position in known]
        else:
            lines = range(first_line, first_line + len(records))
        for position in self.records.add_responses(places, runs):
            found = shown(f"{records[position].item} · run {runs[position]}")
            self.find("DUPLICATE_ID", lines[position], "item", found=found)
        confidences = {response.confidence for response in records}
        if any(isinstance(label, str) and is_unsafe_name(label) for label in confidences):
            for line, response in zip(lines, records, strict=True):
                if isinstance(response.confidence, str):
                    self.check_names(line, response, ("confidence",))
        observer = self.reader.observer
        if observer is not None:
            observer.responses(records, places)

    def lost(self, value: Any, line: int) -> None:
        # The item was answered, if not well: it is not said to be without an answer as well.
        if isinstance(value, dict) and isinstance(value.get("item"), str):
            (place,), _ = self.records.places([value["item"]], 0)
            run = value.get("run")
            if place >= 0:
                whole = isinstance(run, int) and 0 < run < 2**31
                self.records.add_responses([place], [run if whole else 1])

    def done(self) -> None:
        for judge in self.records.verdicts:
            self.records.verdicts[judge] = bytearray(len(self.records.response_item))


class _Verdicts(JsonLines):
    struct = VerdictRecord

    def __init__(self, reader: Pass, path: str) -> None:
        super().__init__(reader, path)
        self._next = 0

    def take(self, records: list[VerdictRecord], first_line: int) -> None:
        places, self._next = self.records.places([record.item for record in records], self._next)
        columns = self.records.verdicts
        first_response, response_run = self.records.first_response, self.records.response_run
        for line, (record, item) in enumerate(zip(records, places, strict=True), first_line):
            column = columns.get(record.judge)
            if column is None or item < 0:
                self._unknown(record, item, line)
                continue
            run = record.run or 1
            response = first_response[item] - 1
            if response < 0 or response_run[response] != run:
                response = self.records.response_place(item, run)
                if response < 0:
                    self.find("UNKNOWN_REFERENCE", line, "run", "data/responses.jsonl", str(run))
                    continue
            if column[response]:
                self.find("DUPLICATE_ID", line, "item", found=shown(f"{record.item} · {record.judge}"))
                continue
            code = VERDICT_CODES[record.verdict]
            column[response] = code + INELIGIBLE if record.eligible is False else code

    def _unknown(self, record: VerdictRecord, item: int, line: int) -> None:
        if item < 0:
            self.find("UNKNOWN_REFERENCE", line, "item", "data/items.jsonl", shown(record.item))
        if record.judge in self.records.verdicts:
            return
        if self.reader.descriptor.judges is not None:
            expected = f"judges of {descriptors.PATH}"
            self.find("UNKNOWN_REFERENCE", line, "judge", expected, shown(record.judge))
        elif "MISSING_KEY judges" not in self._plain:
            # Said once: verdicts need judges, and there is no list of them.
            self._plain.add("MISSING_KEY judges")
            self.reader.find("MISSING_KEY", descriptors.PATH, "judges", "judges")


class _ItemCsv(Csv):
    """A CSV whose rows speak of items."""

    def item_place(self, id_: str, line: int) -> int:
        place = self.records.item_ids.find(hash(id_))
        if place < 0:
            self.find("UNKNOWN_REFERENCE", line, "item", "data/items.jsonl", shown(id_))
        return place


class _Catalogue(Csv):
    columns = ("source", "article")

    def take(self, cells: list[str], line: int) -> None:
        if self.reader.observer is not None:
            self.reader.observer.catalogue(cells[0], cells[1])


class _AbstentionReview(_ItemCsv):
    columns = ("item", "abstained", "reviewer")

    def __init__(self, reader: Pass, path: str) -> None:
        super().__init__(reader, path)
        self._seen: set[tuple[int, str]] = set()

    def take(self, cells: list[str], line: int) -> None:
        item, abstained, reviewer = cells
        place = self.item_place(item, line)
        said = self.boolean(abstained, line, "abstained")
        if place < 0 or said is None:
            return
        if (place, reviewer) in self._seen:
            self.find("DUPLICATE_ID", line, "item", found=shown(f"{item} · {reviewer}"))
        self._seen.add((place, reviewer))
        if self.reader.observer is not None:
            self.reader.observer.abstention(place, said, reviewer)


class _Reviews(_ItemCsv):
    columns = ("item", "reviewer", "verdict")

    def __init__(self, reader: Pass, path: str) -> None:
        super().__init__(reader, path)
        self._seen: set[tuple[int, str]] = set()

    def take(self, cells: list[str], line: int) -> None:
        item, reviewer, verdict = cells
        place = self.item_place(item, line)
        code = VERDICT_CODES.get(verdict)
        if code is None:
            self.find("VALUE_NOT_ALLOWED", line, "verdict", " · ".join(VERDICT_CODES), shown(verdict))
        if place < 0 or code is None:
            return
        if (place, reviewer) in self._seen:
            self.find("DUPLICATE_ID", line, "item", found=shown(f"{item} · {reviewer}"))
        self._seen.add((place, reviewer))
        self.records.review_items.append(place)
        self.records.review_reviewers.append(reviewer)
        self.records.review_verdicts.append(code)


class HallucinationFiles(Method):
    """What the records of `hallucination` stand in."""

    FILES = {
        "data/catalogue.csv": _Catalogue,
        "data/items.jsonl": _Items,
        "data/abstention-review.csv": _AbstentionReview,
        "data/responses.jsonl": _Responses,
        "data/verdicts.jsonl": _Verdicts,
        "data/reviews.csv": _Reviews,
    }
    REQUIRED = ("data/items.jsonl", "data/responses.jsonl", "data/verdicts.jsonl")

    def __init__(self, reader: Pass, *, paths: frozenset[str]) -> None:
        super().__init__(reader, paths=paths)
        self.records = Records()
        for judge in reader.descriptor.judges or ():
            self.records.verdicts[judge.id] = bytearray()

    def finish(self, read: frozenset[str]) -> None:
        reader, records, descriptor = self.reader, self.records, self.reader.descriptor
        if "data/items.jsonl" in read and not records.item_count:
            reader.find("RECORDS_MISSING", "data/items.jsonl", expected=">= 1")
        if {"data/items.jsonl", "data/responses.jsonl"} <= read:
            unanswered = () if all(records.first_response) else enumerate(records.first_response)
            for place, first in unanswered:
                if not first and place not in records.lost_items:
                    reader.find("RESPONSE_MISSING", f"data/items.jsonl:{place + 1}", "id")
        declared = descriptor.question_set.sha256 if descriptor.question_set else None
        if declared and records.set_sha256 and not reader.findings and declared != records.set_sha256:
            reader.find(
                "SET_HASH_MISMATCH", descriptors.PATH, "question_set.sha256", declared, records.set_sha256
            )
        if records.repeated_items:
            reader.warnings.note(
                Caution.EQUAL_ITEMS, "data/items.jsonl", expected=0, found=records.repeated_items
            )
        for index, judge in enumerate(descriptor.judges or ()):
            if not judge.is_human and descriptors.is_floating(judge.version):
                reader.warnings.note(
                    Caution.JUDGE_VERSION_FLOATING,
                    descriptors.PATH,
                    key=f"judges[{index}].version",
                    found=shown(judge.version),
                )
