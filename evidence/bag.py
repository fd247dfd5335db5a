"""A BagIt bag (RFC 8493, SHA-256) against what its ZIP holds: declaration, manifests, Oxum, tag files."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from evidence.findings import Caution, Code, Findings, Phrase

DECLARATION = "bagit.txt"
MANIFEST = "manifest-sha256.txt"
TAG_MANIFEST = "tagmanifest-sha256.txt"
INFO = "bag-info.txt"
FETCH = "fetch.txt"
PAYLOAD = "data/"

# Tag files that are read, and how large they may be; a manifest of 100,000 long paths takes 31 MB.
TEXT_LIMITS = {DECLARATION: 4 << 10, INFO: 1 << 20, MANIFEST: 40 << 20, TAG_MANIFEST: 1 << 20}

_DECLARATION = re.compile(
    r"BagIt-Version:[ \t]*(\d+\.\d+)[ \t]*\n+Tag-File-Character-Encoding:[ \t]*UTF-8[ \t]*\n*\Z",
    re.IGNORECASE,
)
_CURRENT, _OLD = "1.0", "0.97"
_LINE = re.compile(r"([0-9A-Fa-f]{64})[ \t]+\*?(.+)\Z")
_OTHER_MANIFEST = re.compile(r"(?:tag)?manifest-[a-z0-9-]+\.txt\Z")
_ALLOWED = re.compile(r"(?:ro-crate-metadata\.json|README[^/]*|LICENSE[^/]*)\Z")
_OXUM = "payload-oxum"

_NOT_COMPLETE = frozenset(
    {
        Code.BAG_DECLARATION,
        Code.MANIFEST_MISSING,
        Code.MANIFEST_SYNTAX,
        Code.MISSING_MEMBER,
        Code.EXTRA_MEMBER,
        Code.FETCH_NOT_ALLOWED,
    }
)


class Member(Protocol):
    """A file of the bag; its digest is None when the ZIP could not give its bytes."""

    size: int
    sha256: bytes | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """`complete`: all there, nothing more. `verified`: every digest that a manifest gives agrees."""

    complete: bool
    verified: bool


def root_of(names: Iterable[str]) -> str:
    """The folder the bag stands in: "" or the one top-level folder that all names share, with its «/»."""
    tops = set()
    for name in names:
        top, slash, _ = name.partition("/")
        tops.add(top + slash)
        if len(tops) > 1:
            return ""
    only = tops.pop() if tops else ""
    # A ZIP of nothing but `data/…` is a bag without its tag files, not a bag inside a folder «data».
    return only if only.endswith("/") and only != PAYLOAD else ""


def check_bag(
    members: Mapping[str, Member], texts: Mapping[str, bytes], findings: Findings, warnings: Findings
) -> Outcome:
    """Judge the bag: `members` by path inside the bag, `texts` the content of those in TEXT_LIMITS.

    A tag file whose bytes the ZIP could not give is passed over: that is the archive's finding.
    """
    found = Findings()
    _Check(members, texts, found, warnings).run()
    findings.extend(found)
    readable = MANIFEST in texts and all(member.sha256 is not None for member in members.values())
    return Outcome(
        complete=readable and not found.codes & _NOT_COMPLETE,
        verified=readable and not found.codes & {Code.DIGEST_MISMATCH, Code.MANIFEST_SYNTAX},
    )


class _Check:
    def __init__(
        self,
        members: Mapping[str, Member],
        texts: Mapping[str, bytes],
        findings: Findings,
        warnings: Findings,
    ) -> None:
        self.members = {composed(path): member for path, member in members.items()}
        self.texts = texts
        self.findings = findings
        self.warnings = warnings

    def run(self) -> None:
        self._declaration()
        if DECLARATION not in self.members and MANIFEST not in self.members:
            return  # no bag stands here: what else there is need not be measured against one
        self._tag_files()
        unlisted = {path for path in self.members if path.startswith(PAYLOAD)}
        if MANIFEST not in self.members:
            self.findings.note(Code.MANIFEST_MISSING, MANIFEST)
        elif self._text(MANIFEST, Code.MANIFEST_SYNTAX) is not None:
            self._manifest(MANIFEST, unlisted)
            for path in sorted(unlisted):
                self.findings.note(Code.EXTRA_MEMBER, path)
        if TAG_MANIFEST in self.members and self._text(TAG_MANIFEST, Code.MANIFEST_SYNTAX) is not None:
            self._manifest(TAG_MANIFEST, {path for path in self.members if not path.startswith(PAYLOAD)})
        if INFO in self.members:
            self._oxum()

    def _text(self, path: str, code: Code) -> str | None:
        """A tag file as text with line feeds only; None, and a finding, when it cannot be read."""
        member = self.members[path]
        if member.size > TEXT_LIMITS[path]:
            self.findings.note(code, path, expected=TEXT_LIMITS[path], found=Phrase.TOO_LARGE_TO_READ)
            return None
        if member.sha256 is None or path not in self.texts:
            return None
        try:
            text = self.texts[path].decode("utf-8")
        except UnicodeDecodeError:
            self.findings.note(code, path, expected="UTF-8", found=Phrase.NOT_UTF8)
            return None
        if text.startswith("\ufeff"):
            self.findings.note(code, path, expected="UTF-8", found=Phrase.BYTE_ORDER_MARK)
            return None
        return text.replace("\r\n", "\n").replace("\r", "\n")

    def _declaration(self) -> None:
        if DECLARATION not in self.members:
            self.findings.note(Code.BAG_DECLARATION, DECLARATION, found=Phrase.ABSENT)
            return
        text = self._text(DECLARATION, Code.BAG_DECLARATION)
        if text is None:
            return
        match = _DECLARATION.match(text)
        version = match.group(1) if match else None
        if version == _OLD:
            self.warnings.note(Caution.BAG_VERSION_OLD, DECLARATION, expected=_CURRENT, found=_OLD)
        elif version != _CURRENT:
            self.findings.note(
                Code.BAG_DECLARATION, DECLARATION, expected=f"BagIt-Version: {_CURRENT}", found=_quoted(text)
            )

    def _tag_files(self) -> None:
        for path in self.members:
            if path.startswith(PAYLOAD) or path in TEXT_LIMITS:
                continue
            if path == FETCH:
                self.findings.note(Code.FETCH_NOT_ALLOWED, path)
            elif _OTHER_MANIFEST.match(path):
                self.warnings.note(Caution.ALGORITHM_IGNORED, path, expected="sha256")
            elif not _ALLOWED.match(path):
                self.findings.note(Code.TAG_FILE_NOT_ALLOWED, path)

    def _manifest(self, manifest: str, unlisted: set[str]) -> None:
        """Compare each line with the member it names, and take that one out of `unlisted`."""
        text = self._text(manifest, Code.MANIFEST_SYNTAX)
        note, members, of_payload = self.findings.note, self.members, manifest == MANIFEST
        missing: set[str] = set()
        for number, line in enumerate((text or "").split("\n"), 1):
            # Nearly every line is a digest that agrees, two spaces and a path; the rest is taken apart below.
            path = line[66:]
            if path in unlisted and line[64:66] == "  ":
                sha256 = members[path].sha256
                if sha256 is not None and line[:64] == sha256.hex():
                    unlisted.remove(path)
                    continue
            match = _LINE.match(line)
            if match is None:
                if line:
                    where = f"{manifest}:{number}"
                    note(Code.MANIFEST_SYNTAX, where, found=Phrase.NOT_A_DIGEST_LINE)
                continue
            digest, path = match.groups()
            path = composed(path)
            member = members.get(path)
            if path.startswith(PAYLOAD) is not of_payload or path == TAG_MANIFEST:
                found = Phrase.OUTSIDE_DATA if of_payload else Phrase.INSIDE_DATA
                found = Phrase.TAG_MANIFEST_OF_ITSELF if path == TAG_MANIFEST else found
                note(Code.MANIFEST_SYNTAX, f"{manifest}:{number}", key=_quoted(path), found=found)
            elif path in missing or (member is not None and path not in unlisted):
                note(
                    Code.MANIFEST_SYNTAX, f"{manifest}:{number}", key=_quoted(path), found=Phrase.LISTED_TWICE
                )
            elif member is None:
                missing.add(path)
                note(Code.MISSING_MEMBER, _quoted(path), key=manifest)
            else:
                unlisted.remove(path)
                if member.sha256 is not None and member.sha256.hex() != digest.lower():
                    note(Code.DIGEST_MISMATCH, path, key=manifest, expected=digest, found=member.sha256.hex())

    def _oxum(self) -> None:
        text = self._text(INFO, Code.BAG_DECLARATION)
        payload = [member.size for path, member in self.members.items() if path.startswith(PAYLOAD)]
        actual = f"{sum(payload)}.{len(payload)}"
        # A line that begins with white space continues the one before.
        for line in re.sub(r"\n[ \t]+", " ", text or "").split("\n"):
            label, _, value = line.partition(":")
            if label.strip().lower() == _OXUM and value.strip() != actual:
                self.findings.note(
                    Code.OXUM_MISMATCH,
                    INFO,
                    key="Payload-Oxum",
                    expected=actual,
                    found=_quoted(value.strip()),
                )


def composed(path: str) -> str:
    """The form in which paths are compared (NFC, case kept). The same object when nothing changes."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def _quoted(text: str) -> str:
    """A hostile text as a finding may quote it: one short line of printable characters."""
    line = " ".join(text[:240].split())
    return "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in line)
