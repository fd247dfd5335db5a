"""Which names a member may have, and which of them some system would take for one another."""

import re
import unicodedata
from typing import NamedTuple

from evidence.findings import Code, Phrase, Value

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_FORBIDDEN = (("\\", Phrase.BACKSLASH), (":", Phrase.DRIVE_OR_STREAM), ("%", Phrase.PERCENT))
# Windows opens a device for these whatever the extension; ¹ ² ³ count as digits there.
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])\Z", re.IGNORECASE)
# What nearly every file is called: a fast yes. What it does not match is judged by the whole rule.
_PLAIN = re.compile(
    r"(?!(?:con|prn|aux|nul|com|lpt)(?:[^a-z_-]|\Z))[0-9a-z_][0-9a-z_. +=@,()-]*(?<![ .])\Z",
    re.IGNORECASE | re.ASCII,
)
_JUNK_FOLDER = "__macosx"
_JUNK_FILES = frozenset({".ds_store", "desktop.ini", "thumbs.db"})
_SHOWN = 240


class NameFault(NamedTuple):
    """Why a name is refused."""

    code: Code
    key: str | None = None
    expected: Value = None
    found: Value = None


def unsafe(name: str) -> Phrase | None:
    """What is unsafe about a member's path (a folder's ends in «/»), or None."""
    if not name:
        return Phrase.EMPTY_NAME
    if _CONTROL.search(name):
        return Phrase.CONTROL_CHARACTER
    if _BIDI.search(name):
        return Phrase.BIDI_CONTROL
    for character, phrase in _FORBIDDEN:
        if character in name:
            return phrase
    if name[0] == "/":
        return Phrase.ABSOLUTE
    if name[0] == "~":
        return Phrase.TILDE_FIRST
    for step in name.removesuffix("/").split("/"):
        if fault := _unsafe_step(step):
            return fault
    return None


def _unsafe_step(step: str) -> Phrase | None:
    if not step:
        return Phrase.EMPTY_STEP
    if step == "..":
        return Phrase.PARENT_STEP
    if step == ".":
        return Phrase.DOT_STEP
    if step[-1] in ". ":
        return Phrase.TRAILING_DOT_OR_SPACE
    if _RESERVED.match(step.partition(".")[0].rstrip(" ")):
        return Phrase.RESERVED_NAME
    return None


def is_junk(name: str) -> bool:
    """Whether an operating system left it behind: `__MACOSX/`, `.DS_Store`, `desktop.ini`, `Thumbs.db`."""
    steps = name.casefold().removesuffix("/").split("/")
    return _JUNK_FOLDER in steps or steps[-1] in _JUNK_FILES


def folded(name: str) -> str:
    """The form in which names are compared: NFC and case folding. The same object when nothing changes."""
    if name.isascii():
        key = name.lower()
    else:
        key = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
    return name if key == name else key


def shown(raw: bytes) -> str:
    """A hostile name as a finding may quote it: one short line of printable characters."""
    text = raw[: _SHOWN + 4].decode("utf-8", "backslashreplace")
    text = "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"


class Names:
    """The names of one directory: says of each what is wrong with it and whether it collides with another."""

    def __init__(self, *, name_bytes: int, depth: int) -> None:
        self._name_bytes = name_bytes
        self._depth = depth
        self._entries: dict[str, str] = {}  # folded → as spelled; files and folders that have an entry
        self._folders: dict[str, NameFault | None] = {"": None}
        self._folded_folders: dict[str, str] = {}

    def take(self, raw: bytes) -> tuple[str, NameFault | None]:
        """Judge the next name: (name as text, why it is refused or None)."""
        if len(raw) > self._name_bytes:  # judged no further: it may be all slashes
            return shown(raw), NameFault(Code.NAME_TOO_LONG, "bytes", self._name_bytes, len(raw))
        try:
            name = raw.decode("utf-8")
        except UnicodeDecodeError:
            return shown(raw), NameFault(Code.NAME_ENCODING, None, "UTF-8", Phrase.NOT_UTF8)
        folder, slash, base = name.rpartition("/")
        if slash and not folder:
            fault = self._judged(name)
        elif folder in self._folders:
            fault = self._folders[folder]
        else:
            fault = self._new_folder(folder)
        if fault is None and (not base or not _PLAIN.match(base)):
            fault = self._judged(name)
        elif fault is None and base[0] in "dDtT" and base.lower() in _JUNK_FILES:
            fault = NameFault(Code.JUNK_MEMBER)
        key = folded(name if base else folder)
        if key not in self._entries:
            self._entries[key] = name
        elif fault is None:
            fault = self._twice(name, self._entries[key])
        return name, fault

    def _new_folder(self, folder: str) -> NameFault | None:
        """Judge a folder the first time a name stands in it; its verdict holds for all that stand there."""
        steps = folder.split("/")
        fault = self._judged(folder + "/")
        if fault is None and len(steps) >= self._depth:
            fault = NameFault(Code.NAME_TOO_LONG, "depth", self._depth, len(steps) + 1)
        for end in range(1, min(len(steps), self._depth) + 1):
            part = "/".join(steps[:end])
            spelled = self._folded_folders.setdefault(folded(part), part)
            if spelled != part and fault is None:
                fault = NameFault(Code.NAME_COLLISION, None, None, shown(spelled.encode() + b"/"))
        self._folders[folder] = fault
        return fault

    def _judged(self, name: str) -> NameFault | None:
        if phrase := unsafe(name):
            return NameFault(Code.UNSAFE_NAME, None, None, phrase)
        return NameFault(Code.JUNK_MEMBER) if is_junk(name) else None

    def _twice(self, name: str, same: str) -> NameFault:
        if name == same:
            return NameFault(Code.DUPLICATE_NAME)
        if name.rstrip("/") == same.rstrip("/"):
            return NameFault(Code.NAME_COLLISION, None, None, Phrase.FILE_AND_FOLDER)
        return NameFault(Code.NAME_COLLISION, None, None, shown(same.encode()))

    def both_file_and_folder(self) -> list[str]:
        """Files that other names use as a folder, once all names are in."""
        keys = self._entries.keys() & self._folded_folders.keys()
        return [self._entries[key] for key in sorted(keys) if not self._entries[key].endswith("/")]
