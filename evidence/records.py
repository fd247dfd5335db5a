"""The records of a package: which files each method has, what their lines hold, and how they hang together."""

from array import array
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from itertools import islice
from typing import Annotated, Any, ClassVar, Literal, Protocol

import msgspec

from evidence import descriptor as descriptors
from evidence import families
from evidence.canonical import Digests
from evidence.descriptor import Descriptor
from evidence.findings import Caution, Code, Finding, Findings
from evidence.index import Index
from evidence.lines import MAX_LINE, Lines, Rows
from evidence.typed_json import MOST_FAULTS, faults_of, is_unsafe_name, parse, shown

# Read in this order: who may speak of what is known before the first one speaks.
HALLUCINATION_FILES = (
    "data/catalogue.csv",
    "data/items.jsonl",
    "data/abstention-review.csv",
    "data/responses.jsonl",
    "data/verdicts.jsonl",
    "data/reviews.csv",
)
_REQUIRED_FILES = ("data/items.jsonl", "data/responses.jsonl", "data/verdicts.jsonl")
ATTACHMENTS = "data/attachments/"
# After so many findings in one file of lines the rest of it is not judged: a few kilobytes of ZIP hold tens of
# millions of faulty lines, and to name them all would take hours.
MOST_FOUND = 2_000_000
# How far ahead the next line's item is looked for before the table of all ids is asked.
_NEAR = 16

# The methods whose records this registry can read. Another one is added here, with its files, and in grading.methods.
METHODS = frozenset({"hallucination"})


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


class Reader:
    """Reads descriptor and records of one package in the pass that checks it (`evidence.checking.check`).

    `schemes`: the known (code, version) pairs, or None when they are not to be checked. `observer` sees each record.
    Afterwards `descriptor` is typed (None when it has faults) and `records` holds the compact columns.
    """

    def __init__(
        self,
        *,
        schemes: Iterable[tuple[str, str]] | None = None,
        methods: Iterable[str] = METHODS,
        observer: Observer | None = None,
    ) -> None:
        self.descriptor: Descriptor | None = None
        self.records = Records()
        self.findings = Findings()
        self.warnings = Findings()
        self._schemes = None if schemes is None else frozenset(schemes)
        self._methods = frozenset(methods)
        self._observer = observer
        self._paths: frozenset[str] = frozenset()
        self._read: set[str] = set()
        self._sealed: frozenset[str] = frozenset()

    def order(self, paths: Iterable[str]) -> list[str]:
        """The order in which members are to be read: descriptor, records as they depend on each other, the rest."""
        paths = list(paths)
        self._paths = frozenset(paths)
        first = [path for path in (descriptors.PATH, *HALLUCINATION_FILES) if path in self._paths]
        return first + [path for path in paths if path not in first]

    def consumer(self, path: str) -> Any | None:
        """What takes the bytes of a member in, asked just before they come; None: they are only hashed."""
        if not path.startswith("data/"):
            return None
        self._read.add(path)
        if path == descriptors.PATH:
            return _Whole(self._take_descriptor)
        if self.descriptor is None or path.startswith(ATTACHMENTS):
            return None
        make = {
            "data/catalogue.csv": _Catalogue,
            "data/items.jsonl": _Items,
            "data/abstention-review.csv": _AbstentionReview,
            "data/responses.jsonl": _Responses,
            "data/verdicts.jsonl": _Verdicts,
            "data/reviews.csv": _Reviews,
        }.get(path)
        if make is None:
            self.find("UNEXPECTED_FILE", path, expected=" · ".join((*HALLUCINATION_FILES, ATTACHMENTS + "…")))
            return None
        return make(self, path)

    def finish(self) -> tuple[Findings, Findings]:
        """(findings, warnings) of descriptor and records, when every member has passed."""
        if descriptors.PATH not in self._read:
            self.find("DESCRIPTOR_MISSING", descriptors.PATH)
        if self.descriptor is not None:
            for path in _REQUIRED_FILES:
                if path not in self._read:
                    self.find("RECORDS_MISSING", path)
            for index, path in enumerate(self.descriptor.sealed or ()):
                if path not in self._read:
                    self.find(
                        "UNKNOWN_REFERENCE", descriptors.PATH, f"sealed[{index}]", "a member", shown(path)
                    )
            self._rules_of_the_whole(self.descriptor)
        if self._observer is not None and self.descriptor is not None:
            findings, warnings = self._observer.finish(self.records)
            self.findings.extend(findings)
            self.warnings.extend(warnings)
        return self.findings, self.warnings

    def _rules_of_the_whole(self, descriptor: Descriptor) -> None:
        records = self.records
        if "data/items.jsonl" in self._read and not records.item_count:
            self.find("RECORDS_MISSING", "data/items.jsonl", expected=">= 1")
        if {"data/items.jsonl", "data/responses.jsonl"} <= self._read:
            unanswered = () if all(records.first_response) else enumerate(records.first_response)
            for place, first in unanswered:
                if not first and place not in records.lost_items:
                    self.find("RESPONSE_MISSING", f"data/items.jsonl:{place + 1}", "id")
        declared = descriptor.question_set.sha256 if descriptor.question_set else None
        if declared and records.set_sha256 and not self.findings and declared != records.set_sha256:
            self.find(
                "SET_HASH_MISMATCH", descriptors.PATH, "question_set.sha256", declared, records.set_sha256
            )
        if records.repeated_items:
            self.warnings.note(
                Caution.EQUAL_ITEMS, "data/items.jsonl", expected=0, found=records.repeated_items
            )
        for index, judge in enumerate(descriptor.judges or ()):
            if not judge.is_human and descriptors.is_floating(judge.version):
                self.warnings.note(
                    Caution.JUDGE_VERSION_FLOATING,
                    descriptors.PATH,
                    key=f"judges[{index}].version",
                    found=shown(judge.version),
                )

    def _take_descriptor(self, text: bytes | None) -> None:
        if text is None:
            self.find("LINE_TOO_LONG", descriptors.PATH, expected=f"<= {descriptors.MAX_BYTES}")
            return
        self.descriptor, faults = descriptors.read(text, methods=self._methods, schemes=self._schemes)
        for fault in faults:
            self.find(fault.code, descriptors.PATH, fault.key, fault.expected, fault.found)
        if self.descriptor is None:
            return
        if self.descriptor.method not in self._methods:
            # The records of a method that nobody here knows cannot be judged.
            self.descriptor = None
            return
        self._sealed = descriptors.sealed_members(self.descriptor)
        for judge in self.descriptor.judges or ():
            self.records.verdicts[judge.id] = bytearray()
        if self.observer is not None:
            self.observer.begin(self.descriptor, files=self._paths)

    @property
    def observer(self) -> Observer | None:
        """The observer, as long as nothing is wrong."""
        return None if self.findings else self._observer

    def find(
        self,
        code: str,
        member: str,
        key: str | None = None,
        expected: str | None = None,
        found: str | None = None,
    ) -> None:
        """Note a fault; of a sealed member never what was found there."""
        if member.partition(":")[0] in self._sealed:
            found = None
        self.findings.note(Code(code), member, key=key, expected=expected, found=found)


class _Whole:
    """The descriptor, which is judged as a whole; None when it is larger than it may be."""

    def __init__(self, take: Callable[[bytes | None], None]) -> None:
        self._take = take
        self._chunks: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> None:
        self._size += len(chunk)
        if self._size <= descriptors.MAX_BYTES:
            self._chunks.append(bytes(chunk))
        else:
            self._chunks = []

    def finish(self) -> None:
        self._take(b"".join(self._chunks) if self._size <= descriptors.MAX_BYTES else None)


class _JsonLines:
    """Decodes blocks of whole lines at once, and line by line where something is wrong with one."""

    struct: ClassVar[type[_Record]]

    def __init__(self, reader: Reader, path: str) -> None:
        self.reader = reader
        self.records = reader.records
        self.path = path
        self._decoder = msgspec.json.Decoder(self.struct)
        self._lines = Lines(self._block, self._too_long)
        self._plain: set[str] = set()
        self._found = 0

    def feed(self, chunk: bytes) -> None:
        if self._found < MOST_FOUND:
            self._lines.feed(chunk)

    def finish(self) -> None:
        if self._found < MOST_FOUND:
            self._lines.finish()
        self.done()

    def done(self) -> None:
        """All lines have been taken."""

    def take(self, records: list[Any], first_line: int) -> None:
        raise NotImplementedError

    def lost(self, value: Any, line: int) -> None:
        """A line that is no record; `value` is what it decodes to, if it does."""

    def find(
        self,
        code: str,
        line: int,
        key: str | None = None,
        expected: str | None = None,
        found: str | None = None,
    ) -> None:
        self._found += 1
        self.reader.find(code, f"{self.path}:{line}", key, expected, found)

    def check_names(self, line: int, record: Any, keys: tuple[str, ...]) -> None:
        for key in keys:
            name = getattr(record, key)
            if name is not None and is_unsafe_name(name):
                self.find("UNSAFE_TEXT", line, key, found=shown(name))

    def _block(self, data: bytes, first_line: int, lines: int) -> None:
        # An escaped NUL is rare enough to look at such blocks line by line; a raw one is not JSON. A single byte is
        # found much faster than six, and many files have no backslash at all.
        if b"\\" not in data or b"\\u0000" not in data:
            try:
                records = self._decoder.decode_lines(data)
            except (msgspec.MsgspecError, ValueError, RecursionError):
                records = None
            # Blank lines are skipped by the decoder: then line numbers would be wrong, and they are not records.
            if records is not None and len(records) == lines:
                self.take(records, first_line)
                return
        text = data.split(b"\n")
        if not text[-1]:
            text.pop()
        for line, one in enumerate(text, first_line):
            if len(one) > MAX_LINE:
                self._too_long(line)
                continue
            record = None
            if b"\\u0000" not in one:
                try:
                    record = self._decoder.decode(one)
                except (msgspec.MsgspecError, ValueError, RecursionError):
                    record = None
            if record is None:
                self._faults(one, line)
            else:
                self.take([record], line)

    def _faults(self, text: bytes, line: int) -> None:
        value, faults = parse(text)
        if not (value is None and faults):
            faults += islice(faults_of(value, self.struct), MOST_FAULTS)
        if not faults:
            # An escaped backslash before «u0000»: the line was sound after all.
            try:
                self.take([self._decoder.decode(text)], line)
                return
            except (msgspec.MsgspecError, ValueError, RecursionError):
                self.find("INVALID_JSON", line)
        for fault in faults:
            self.find(fault.code, line, fault.key, fault.expected, fault.found)
        self.lost(value, line)

    def _too_long(self, line: int) -> None:
        self.find("LINE_TOO_LONG", line, expected=f"<= {MAX_LINE}")
        self.lost(None, line)


class _Items(_JsonLines):
    struct = Item

    def __init__(self, reader: Reader, path: str) -> None:
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


class _Responses(_JsonLines):
    struct = Response

    def __init__(self, reader: Reader, path: str) -> None:
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


class _Verdicts(_JsonLines):
    struct = VerdictRecord

    def __init__(self, reader: Reader, path: str) -> None:
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


class _Csv:
    """A CSV with a header of exactly these columns, in any order."""

    columns: ClassVar[tuple[str, ...]]

    def __init__(self, reader: Reader, path: str) -> None:
        self.reader = reader
        self.records = reader.records
        self.path = path
        self._order: list[int] | None = None
        self._useless = False
        self._rows = Rows(self._row, self._fault)

    def feed(self, chunk: bytes) -> None:
        self._rows.feed(chunk)

    def finish(self) -> None:
        self._rows.finish()
        if self._order is None and not self._useless:
            self.find("MISSING_KEY", 1, ", ".join(self.columns), ", ".join(self.columns))

    def take(self, cells: list[str], line: int) -> None:
        raise NotImplementedError

    def find(
        self,
        code: str,
        line: int,
        key: str | None = None,
        expected: str | None = None,
        found: str | None = None,
    ) -> None:
        self.reader.find(code, f"{self.path}:{line}", key, expected, found)

    def _fault(self, code: str, line: int, expected: str) -> None:
        self._useless = True
        self.find(code, line, expected=expected)

    def _row(self, cells: list[str], line: int) -> None:
        if self._useless:
            return
        if self._order is None:
            self._header(cells, line)
            return
        if not cells:
            return
        if len(cells) != len(self.columns):
            expected, found = str(len(self.columns)), str(len(cells))
            self.find("WRONG_TYPE", line, expected=f"{expected} cells", found=f"{found} cells")
            return
        ordered = [cells[index] for index in self._order]
        sound = True
        for key, cell in zip(self.columns, ordered, strict=True):
            if not cell:
                self.find("MISSING_KEY", line, key, key)
                sound = False
            elif is_unsafe_name(cell):
                code = "RECORD_TEXT" if "\0" in cell else "UNSAFE_TEXT"
                self.find(code, line, key, found=shown(cell))
                sound = False
        if sound:
            self.take(ordered, line)

    def _header(self, cells: list[str], line: int) -> None:
        expected = ",".join(self.columns)
        for name in self.columns:
            if cells.count(name) != 1:
                code = "DUPLICATE_KEY" if name in cells else "MISSING_KEY"
                self.find(code, line, name, expected)
                self._useless = True
        for name in cells:
            if name not in self.columns:
                self.find("UNKNOWN_KEY", line, shown(name), expected)
                self._useless = True
        if not self._useless:
            self._order = [cells.index(name) for name in self.columns]

    def item_place(self, id_: str, line: int) -> int:
        place = self.records.item_ids.find(hash(id_))
        if place < 0:
            self.find("UNKNOWN_REFERENCE", line, "item", "data/items.jsonl", shown(id_))
        return place

    def boolean(self, cell: str, line: int, key: str) -> bool | None:
        if cell not in ("true", "false"):
            self.find("VALUE_NOT_ALLOWED", line, key, "true · false", shown(cell))
            return None
        return cell == "true"


class _Catalogue(_Csv):
    columns = ("source", "article")

    def take(self, cells: list[str], line: int) -> None:
        if self.reader.observer is not None:
            self.reader.observer.catalogue(cells[0], cells[1])


class _AbstentionReview(_Csv):
    columns = ("item", "abstained", "reviewer")

    def __init__(self, reader: Reader, path: str) -> None:
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


class _Reviews(_Csv):
    columns = ("item", "reviewer", "verdict")

    def __init__(self, reader: Reader, path: str) -> None:
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
