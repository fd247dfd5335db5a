"""The record files of an agent run: what takes each of them in, and how trace, bodies and marks hang together."""

import hashlib
import re
from array import array
from collections import deque
from collections.abc import Callable, Container, Iterable, Sequence
from datetime import UTC, datetime
from itertools import repeat
from operator import attrgetter
from typing import Any, Protocol

from msgspec.structs import force_setattr

from evidence import descriptor as descriptors
from evidence.descriptor import Descriptor
from evidence.findings import Finding
from evidence.lines import MAX_LINE
from evidence.record_files import ATTACHMENTS, JsonLines, Method, Pass, Whole
from evidence.recorder import limits
from evidence.run_records import (
    Body,
    Exchange,
    Headers,
    MarkRecord,
    RunRecord,
    is_forbidden_header,
    read_run,
)
from evidence.typed_json import is_unsafe_name, parse, shown

RUN = "data/run.json"
SALT = "data/rubric.salt"
RUBRIC = "data/rubric.json"
TRACE = "data/trace.jsonl"
ANSWER = "data/final-answer.txt"
MARKS = "data/marks.jsonl"
BODIES = "data/bodies/"

MOST_OF_A_RUN = 8 * 1024**2
MOST_OF_A_RUBRIC = 256 * 1024
SALT_BYTES = 32

# Of each kind so many different ones are kept to be shared; more of them are hardly equal to one another.
_MOST_SHARED = 50_000

_SHA256 = re.compile("[0-9a-f]{64}")
# With a host and no credentials before it.
_ABSOLUTE = re.compile(r"https?://[^/?#@\\\s]+(?:[/?#]|$)")


class Observer(Protocol):
    """Sees the records of a sound run as they pass; from the first finding on it sees nothing more."""

    def begin(self, descriptor: Descriptor, *, files: frozenset[str]) -> None: ...

    def run(self, run: RunRecord) -> None: ...

    def rubric(self, text: bytes, salt: bytes | None) -> Iterable[Finding]:
        """The rubric, which only the method can read; what is wrong with it."""

    def exchanges(self, exchanges: Sequence[Exchange]) -> None: ...

    def answer(self, text: str) -> None: ...

    def marks(self, marks: Sequence[MarkRecord], first_line: int) -> None: ...

    def wanted_bodies(self) -> Container[str]:
        """Which bodies it wants to see, by their SHA-256; asked when all of the trace has passed."""

    def body(self, sha256: str, content: bytes) -> None: ...

    def finish(self, records: "RunRecords") -> tuple[Iterable[Finding], Iterable[Finding]]: ...


class RunRecords:
    """What stays of a run's records when they have passed."""

    def __init__(self) -> None:
        self.run: RunRecord | None = None
        self.salt: bytes | None = None
        self.requests = 0
        self.first_at: datetime | None = None
        # Of each body that the trace names its size, and beside it the line that names it first.
        self.bodies: dict[str, int] = {}
        self.body_lines = array("Q")
        self.marked: set[str] = set()


def _run(reader: Pass, path: str) -> Whole:
    def take(text: bytes | None) -> None:
        if text is None:
            reader.find("LINE_TOO_LONG", path, expected=f"<= {MOST_OF_A_RUN}")
            return
        reader.records.run, faults = read_run(text)
        for fault in faults:
            reader.find(fault.code, path, fault.key, fault.expected, fault.found)
        if reader.observer is not None:
            reader.observer.run(reader.records.run)

    return Whole(take, most=MOST_OF_A_RUN)


def _salt(reader: Pass, path: str) -> Whole:
    def take(content: bytes | None) -> None:
        if content is None or len(content) != SALT_BYTES:
            reader.find("WRONG_TYPE", path, expected=f"{SALT_BYTES} bytes")
        else:
            reader.records.salt = content

    return Whole(take, most=SALT_BYTES)


def _rubric(reader: Pass, path: str) -> Whole:
    def take(text: bytes | None) -> None:
        if text is None:
            reader.find("LINE_TOO_LONG", path, expected=f"<= {MOST_OF_A_RUBRIC}")
            return
        _, faults = parse(text, unique_keys=True)
        for fault in faults:
            reader.find(fault.code, path, fault.key, fault.expected, fault.found)
        if reader.observer is not None:
            for finding in reader.observer.rubric(text, reader.records.salt):
                reader.find(finding.code, path, finding.key, finding.expected, finding.found)

    return Whole(take, most=MOST_OF_A_RUBRIC)


def _answer(reader: Pass, path: str) -> Whole:
    def take(text: bytes | None) -> None:
        if text is None:
            reader.find("LINE_TOO_LONG", path, expected=f"<= {MAX_LINE}")
            return
        try:
            answer = text.decode()
        except UnicodeDecodeError as error:
            reader.find("INVALID_UTF8", path, expected="UTF-8", found=f"byte {error.start + 1}")
            return
        if "\0" in answer:
            reader.find("RECORD_TEXT", path, found="U+0000 or an unpaired surrogate")
        elif reader.observer is not None:
            reader.observer.answer(answer)

    return Whole(take, most=MAX_LINE)


class _Trace(JsonLines):
    struct = Exchange

    def __init__(self, reader: Pass, path: str) -> None:
        super().__init__(reader, path)
        self._next = 1
        self._headers: dict[Headers, Headers] = {}
        self._urls: dict[str, str] = {}
        self._bodies: dict[Body, Body] = {}

    def take(self, records: list[Exchange], first_line: int) -> None:
        following = self._next + len(records)
        if [exchange.seq for exchange in records] != list(range(self._next, following)):
            self._check_sequence(records, first_line)
        self._next = following
        if self.records.first_at is None:
            self.records.first_at = records[0].at
        times = [exchange.at for exchange in records]
        if {at.tzinfo for at in times} != {UTC}:
            self._check_times(records, first_line)
        self._check_limits(records, first_line, max(times))
        lines = range(first_line, first_line + len(records))
        if not "".join([exchange.method for exchange in records]).isprintable():
            for line, exchange in zip(lines, records, strict=True):
                self.check_names(line, exchange, ("method",))
        self._share(records, lines, "request_headers", self._headers, self._are_sound)
        self._share(records, lines, "url", self._urls, self._is_address)
        answered = [exchange for exchange in records if exchange.response is not None]
        if len(answered) < len(records):
            lines = [
                line for line, exchange in zip(lines, records, strict=True) if exchange.response is not None
            ]
        self._share(answered, lines, "response", self._bodies, self._is_body)
        self.records.requests += len(records)
        observer = self.reader.observer
        if observer is not None:
            observer.exchanges(records)

    def _check_sequence(self, records: list[Exchange], first_line: int) -> None:
        for place, exchange in enumerate(records):
            if exchange.seq != self._next + place:
                expected, found = str(self._next + place), str(exchange.seq)
                self.find("VALUE_NOT_ALLOWED", first_line + place, "seq", expected, found)

    def _check_times(self, records: list[Exchange], first_line: int) -> None:
        for line, exchange in enumerate(records, first_line):
            if exchange.at.utcoffset():
                self.find("VALUE_NOT_ALLOWED", line, "at", "UTC", exchange.at.isoformat())

    def _check_limits(self, records: list[Exchange], first_line: int, latest: datetime) -> None:
        run, first_at = self.records.run, self.records.first_at
        if run is None:
            return
        told = [exchange.beyond_limit for exchange in records]
        last = self._next - 1
        if last <= run.limits.requests:
            over = limits.is_beyond(run.limits, sequence=last, at=latest, first_at=first_at)
            if not over and not any(told):
                return
        elif last - len(records) >= run.limits.requests and all(told):
            return
        for line, exchange in enumerate(records, first_line):
            beyond = limits.is_beyond(run.limits, sequence=exchange.seq, at=exchange.at, first_at=first_at)
            if exchange.beyond_limit is not beyond:
                found = str(exchange.beyond_limit).lower()
                self.find("VALUE_NOT_ALLOWED", line, "beyond_limit", str(beyond).lower(), found)

    def _share(
        self,
        records: list[Exchange],
        lines: Sequence[int],
        name: str,
        known: dict[Any, Any],
        is_sound: Callable[[Any, int], bool],
    ) -> None:
        """Look at one part of each request that is not known yet, and let equal ones be one object.

        Agents ask the same way again and again: a trace of a million requests takes a third of the memory so, and
        what was found sound once is not looked at again. Nobody else has seen these requests yet.
        """
        values = list(map(attrgetter(name), records))
        shared = list(map(known.get, values))
        if not all(shared):
            for place, (value, same) in enumerate(zip(values, shared, strict=True)):
                if not same:
                    shared[place] = known.get(value, value)
                    if is_sound(value, lines[place]) and len(known) < _MOST_SHARED:
                        known[value] = value
        # deque runs through the map.
        deque(map(force_setattr, records, repeat(name), shared), maxlen=0)

    def _are_sound(self, headers: Headers, line: int) -> bool:
        sound = True
        for place, (name, _) in enumerate(headers):
            code = "FORBIDDEN_HEADER" if is_forbidden_header(name) else "UNSAFE_TEXT"
            if code == "FORBIDDEN_HEADER" or is_unsafe_name(name):
                self.find(code, line, f"request_headers[{place}]", found=shown(name))
                sound = False
        return sound

    def _is_address(self, url: str, line: int) -> bool:
        if is_unsafe_name(url):
            self.find("UNSAFE_TEXT", line, "url", found=shown(url))
            return False
        if _ABSOLUTE.match(url) is None:
            expected = "an absolute address without credentials"
            self.find("VALUE_NOT_ALLOWED", line, "url", expected, shown(url))
            return False
        return True

    def _is_body(self, body: Body, line: int) -> bool:
        if is_unsafe_name(body.type):
            self.find("UNSAFE_TEXT", line, "response.type", found=shown(body.type))
            return False
        if _SHA256.fullmatch(body.sha256) is None:
            expected = "64 lower-case hexadecimal digits"
            self.find("VALUE_NOT_ALLOWED", line, "response.sha256", expected, shown(body.sha256))
            return False
        size = self.records.bodies.get(body.sha256)
        if size is None:
            self.records.bodies[body.sha256] = body.size
            self.records.body_lines.append(line)
        elif size != body.size:
            self.find("BODY_DIFFERS", line, "response.size", str(size), str(body.size))
            return False
        return True

    def lost(self, value: Any, line: int) -> None:
        # The next line's number still follows.
        self._next += 1


class _Marks(JsonLines):
    struct = MarkRecord

    def take(self, records: list[MarkRecord], first_line: int) -> None:
        for line, mark in enumerate(records, first_line):
            if mark.point in self.records.marked:
                self.find("DUPLICATE_ID", line, "point", found=shown(mark.point))
            self.records.marked.add(mark.point)
            self.check_names(line, mark, ("point",))
            if mark.requests != sorted(set(mark.requests)):
                self.find("VALUE_NOT_ALLOWED", line, "requests", "rising numbers", shown(mark.requests))
        observer = self.reader.observer
        if observer is not None:
            observer.marks(records, first_line)


class _Body:
    """A recorded body: hashed here too, because the trace names it by its digest and size."""

    def __init__(self, reader: Pass, path: str) -> None:
        self._reader = reader
        self._path = path
        self._sha256 = path.removeprefix(BODIES)
        self._digest = hashlib.sha256()
        self._size = 0
        observer = reader.observer
        wanted = observer is not None and self._sha256 in observer.wanted_bodies()
        self._kept: list[bytes] | None = [] if wanted else None

    def feed(self, chunk: bytes) -> None:
        self._digest.update(chunk)
        self._size += len(chunk)
        if self._kept is not None:
            self._kept.append(bytes(chunk))

    def finish(self) -> None:
        size = self._reader.records.bodies[self._sha256]
        computed = self._digest.hexdigest()
        if computed != self._sha256:
            self._reader.find("BODY_DIFFERS", self._path, None, self._sha256, computed)
        elif self._size != size:
            self._reader.find("BODY_DIFFERS", self._path, None, str(size), str(self._size))
        elif self._kept is not None and self._reader.observer is not None:
            self._reader.observer.body(self._sha256, b"".join(self._kept))


class RunFiles(Method):
    """What the records of `agent_run` stand in. Marks and rubric come with a graded run, bodies all or none."""

    FILES = {RUN: _run, SALT: _salt, RUBRIC: _rubric, TRACE: _Trace, ANSWER: _answer, MARKS: _Marks}
    REQUIRED = (RUN, TRACE, ANSWER)

    def __init__(self, reader: Pass, *, paths: frozenset[str]) -> None:
        super().__init__(reader, paths=paths)
        self.records = RunRecords()
        for key in ("judges", "question_set", "corpus"):
            if getattr(reader.descriptor, key) is not None:
                reader.find("VALUE_NOT_ALLOWED", descriptors.PATH, key, "absent for an agent run")

    def consumer(self, path: str) -> Any | None:
        if not path.startswith(BODIES):
            return super().consumer(path)
        if path.removeprefix(BODIES) not in self.records.bodies:
            self.reader.find("UNEXPECTED_FILE", path, expected=f"sha256 · {TRACE}")
            return None
        return _Body(self.reader, path)

    def names(self) -> str:
        return " · ".join((*self.FILES, BODIES + "…", ATTACHMENTS + "…"))

    def finish(self, read: frozenset[str]) -> None:
        if MARKS in read and RUBRIC not in read:
            self.reader.find("RECORDS_MISSING", RUBRIC)
        if SALT in read and RUBRIC not in read:
            self.reader.find("UNEXPECTED_FILE", SALT, expected=RUBRIC)
        if any(path.startswith(BODIES) for path in read):
            named = zip(self.records.bodies.items(), self.records.body_lines, strict=True)
            for (sha256, size), line in named:
                # Nothing is missing of a body that had nothing in it.
                if size and BODIES + sha256 not in read:
                    self.reader.find(
                        "UNKNOWN_REFERENCE", f"{TRACE}:{line}", "response.sha256", BODIES + "…", sha256
                    )
