"""The files that records stand in: how a JSON text, JSON Lines and a CSV are taken in, and every fault of them."""

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, ClassVar, Protocol

import msgspec

from evidence.descriptor import Descriptor
from evidence.findings import Findings
from evidence.lines import MAX_LINE, Lines, Rows
from evidence.typed_json import MOST_FAULTS, faults_of, is_unsafe_name, parse, shown

ATTACHMENTS = "data/attachments/"
# After so many findings in one file of lines the rest of it is not judged: a few kilobytes of ZIP hold tens of
# millions of faulty lines, and to name them all would take hours.
MOST_FOUND = 2_000_000


class Pass(Protocol):
    """One pass over a package (`evidence.records.Reader`), as those see it who take its files in."""

    descriptor: Descriptor
    findings: Findings
    warnings: Findings
    records: Any

    @property
    def observer(self) -> Any | None: ...

    def find(
        self,
        code: str,
        member: str,
        key: str | None = None,
        expected: str | None = None,
        found: str | None = None,
    ) -> None: ...


class Method:
    """The record files of one method: which there are, which there must be, and how they hang together.

    FILES are the paths in the order in which they are to be read (who may speak of what is known before the first one
    speaks), each with what takes it in. `records` is what stays of them.
    """

    FILES: ClassVar[Mapping[str, Callable[[Any, str], Any]]]
    REQUIRED: ClassVar[tuple[str, ...]]

    records: Any

    def __init__(self, reader: Pass, *, paths: frozenset[str]) -> None:
        self.reader = reader
        self.paths = paths

    def consumer(self, path: str) -> Any | None:
        """What takes the bytes of a record file in; what is none is a finding."""
        make = self.FILES.get(path)
        if make is None:
            self.reader.find("UNEXPECTED_FILE", path, expected=self.names())
            return None
        return make(self.reader, path)

    def names(self) -> str:
        """What may stand in a package of this method, as a finding says it."""
        return " · ".join((*self.FILES, ATTACHMENTS + "…"))

    def finish(self, read: frozenset[str]) -> None:
        """Judge the whole, when every file in `read` has passed."""
        raise NotImplementedError


class Whole:
    """A file that is judged as a whole; None when it is larger than `most` bytes."""

    def __init__(self, take: Callable[[bytes | None], None], *, most: int) -> None:
        self._take = take
        self._most = most
        self._chunks: list[bytes] = []
        self._size = 0

    def feed(self, chunk: bytes) -> None:
        self._size += len(chunk)
        if self._size <= self._most:
            self._chunks.append(bytes(chunk))
        else:
            self._chunks = []

    def finish(self) -> None:
        self._take(b"".join(self._chunks) if self._size <= self._most else None)


class JsonLines:
    """Decodes blocks of whole lines at once, and line by line where something is wrong with one."""

    struct: ClassVar[type[msgspec.Struct]]

    def __init__(self, reader: Pass, path: str) -> None:
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


class Csv:
    """A CSV with a header of exactly these columns, in any order."""

    columns: ClassVar[tuple[str, ...]]

    def __init__(self, reader: Pass, path: str) -> None:
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

    def boolean(self, cell: str, line: int, key: str) -> bool | None:
        if cell not in ("true", "false"):
            self.find("VALUE_NOT_ALLOWED", line, key, "true · false", shown(cell))
            return None
        return cell == "true"
