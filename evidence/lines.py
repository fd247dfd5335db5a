"""Splits what arrives in chunks into whole lines or whole CSV rows, never holding more than one limit of text."""

import codecs
import csv
import io
from collections.abc import Callable

MAX_LINE = 16 * 1024 * 1024
# A larger chunk is cut: thousands of records a call are enough, and they are in memory together.
_SLICE = 512 * 1024


class Lines:
    """Calls `block(data, first_line, lines)` with whole lines, `too_long(line)` for each line over MAX_LINE bytes.

    A block ends with a line feed, but for the last one of a text that has none at its end.
    """

    def __init__(self, block: Callable[[bytes, int, int], None], too_long: Callable[[int], None]) -> None:
        self._block = block
        self._too_long = too_long
        self._begun: list[bytes] = []
        self._held = 0
        self._skipping = False
        self._line = 1

    def feed(self, chunk: bytes) -> None:
        if len(chunk) <= _SLICE:
            self._feed(bytes(chunk))
            return
        view = memoryview(chunk)
        for start in range(0, len(view), _SLICE):
            self._feed(bytes(view[start : start + _SLICE]))

    def _feed(self, data: bytes) -> None:
        first = data.find(b"\n")
        if first < 0:
            self._hold(data)
            return
        if self._skipping or self._held + first > MAX_LINE:
            if not self._skipping:
                self._too_long(self._line)
            self._skipping = False
            self._begun, self._held = [], 0
            self._line += 1
            data = data[first + 1 :]
        last = data.rfind(b"\n") + 1
        if last:
            whole = data if last == len(data) and not self._begun else b"".join([*self._begun, data[:last]])
            self._begun, self._held = [], 0
            # Counts line feeds in a third of the time that bytes.count takes.
            line, lines = self._line, len(whole) - len(whole.replace(b"\n", b""))
            self._line += lines
            self._block(whole, line, lines)
        self._hold(data[last:])

    def _hold(self, data: bytes) -> None:
        if self._skipping or not data:
            return
        self._begun.append(data)
        self._held += len(data)
        if self._held > MAX_LINE:
            self._too_long(self._line)
            self._begun, self._held, self._skipping = [], 0, True

    def finish(self) -> None:
        if self._begun:
            self._block(b"".join(self._begun), self._line, 1)
            self._begun, self._held = [], 0


class Rows:
    """Calls `row(cells, line)` with each row of an RFC 4180 text, and `fault(code, line, expected)` where it is none.

    Reading stops at the first fault: after a wrong quote nothing that follows is sure.
    """

    def __init__(self, row: Callable[[list[str], int], None], fault: Callable[[str, int, str], None]) -> None:
        self._row = row
        self._fault = fault
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("strict")
        self._begun: list[str] = []
        self._held = 0
        self._open_quote = False
        self._line = 1
        self._stopped = False

    def feed(self, chunk: bytes) -> None:
        self._decode(bytes(chunk), final=False)

    def finish(self) -> None:
        self._decode(b"", final=True)
        if self._begun and not self._stopped:
            self._read("".join(self._begun))
            self._begun = []

    def _decode(self, data: bytes, *, final: bool) -> None:
        if self._stopped:
            return
        try:
            text = self._decoder.decode(data, final)
        except UnicodeDecodeError:
            self._stop("INVALID_UTF8", self._line, "UTF-8")
            return
        # A row ends at a line feed outside quotes: look for the last one, from the end, counting each quote once.
        inside = (text.count('"') % 2 == 1) != self._open_quote
        end, after = text.rfind("\n"), len(text)
        while end >= 0:
            if text.count('"', end, after) % 2:
                inside = not inside
            if not inside:
                break
            end, after = text.rfind("\n", 0, end), end
        if text.count('"') % 2:
            self._open_quote = not self._open_quote
        if end >= 0:
            whole = "".join([*self._begun, text[: end + 1]])
            text = text[end + 1 :]
            self._begun, self._held = [], 0
            self._read(whole)
        if text:
            self._begun.append(text)
            self._held += len(text)
            if self._held > MAX_LINE:
                self._stop("LINE_TOO_LONG", self._line, f"<= {MAX_LINE}")

    def _read(self, text: str) -> None:
        # strict: a quote inside an unquoted cell, text after a closing quote and a lone CR are faults.
        reader = csv.reader(io.StringIO(text, newline="\n"), strict=True)
        start = self._line
        line = start
        try:
            for cells in reader:
                if self._stopped:
                    return
                self._row(cells, line)
                line = start + reader.line_num
        except csv.Error as error:
            code = "LINE_TOO_LONG" if "field larger" in str(error) else "WRONG_TYPE"
            self._stop(code, line, "CSV (RFC 4180)")
        self._line = line

    def _stop(self, code: str, line: int, expected: str) -> None:
        self._stopped = True
        self._begun = []
        self._fault(code, line, expected)
