"""What can be wrong with a package: the codes, one finding, and how findings are collected and told."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from evidence import finding_texts

LANGUAGES = ("es", "en")
_FOUND_IS_OURS = frozenset({"WRONG_TYPE", "RECORD_TEXT", "INVALID_JSON"})
CAP_PER_CODE = 100


class Layer(StrEnum):
    """How deep a package is checked; each layer includes the ones before it."""

    ARCHIVE = "archive"
    BAG = "bag"
    PACKAGE = "package"


class Code(StrEnum):
    """Why a package is refused. Stable: programs and saved verifications rest on these words."""

    # archive: the frame is wrong
    NOT_A_ZIP = "NOT_A_ZIP"
    TRUNCATED = "TRUNCATED"
    EMPTY_ARCHIVE = "EMPTY_ARCHIVE"
    MULTI_DISK = "MULTI_DISK"
    ENTRY_COUNT_MISMATCH = "ENTRY_COUNT_MISMATCH"
    ZIP64_INVALID = "ZIP64_INVALID"
    # archive: bytes that the directory does not account for, or accounts for twice
    PREPENDED_DATA = "PREPENDED_DATA"
    TRAILING_DATA = "TRAILING_DATA"
    ARCHIVE_COMMENT = "ARCHIVE_COMMENT"
    HIDDEN_DATA = "HIDDEN_DATA"
    OVERLAP = "OVERLAP"
    # archive: two readers would see different things
    LOCAL_HEADER_MISMATCH = "LOCAL_HEADER_MISMATCH"
    EXTRA_FIELD_MALFORMED = "EXTRA_FIELD_MALFORMED"
    DATA_DESCRIPTOR_MISMATCH = "DATA_DESCRIPTOR_MISMATCH"
    UNICODE_PATH_CONFLICT = "UNICODE_PATH_CONFLICT"
    # archive: content is not what is announced
    SIZE_MISMATCH = "SIZE_MISMATCH"
    CRC_MISMATCH = "CRC_MISMATCH"
    DEFLATE_CORRUPT = "DEFLATE_CORRUPT"
    DEFLATE_TRAILING = "DEFLATE_TRAILING"
    # archive: names
    DUPLICATE_NAME = "DUPLICATE_NAME"
    NAME_COLLISION = "NAME_COLLISION"
    UNSAFE_NAME = "UNSAFE_NAME"
    NAME_TOO_LONG = "NAME_TOO_LONG"
    NAME_ENCODING = "NAME_ENCODING"
    JUNK_MEMBER = "JUNK_MEMBER"
    # archive: kinds of entry
    NOT_REGULAR_FILE = "NOT_REGULAR_FILE"
    DIRECTORY_WITH_DATA = "DIRECTORY_WITH_DATA"
    ENCRYPTED = "ENCRYPTED"
    METHOD_UNSUPPORTED = "METHOD_UNSUPPORTED"
    # archive: limits
    RATIO_LIMIT = "RATIO_LIMIT"
    MEMBER_LIMIT = "MEMBER_LIMIT"
    SIZE_LIMIT = "SIZE_LIMIT"
    DIRECTORY_LIMIT = "DIRECTORY_LIMIT"
    # bag
    BAG_DECLARATION = "BAG_DECLARATION"
    MANIFEST_MISSING = "MANIFEST_MISSING"
    MANIFEST_SYNTAX = "MANIFEST_SYNTAX"
    MISSING_MEMBER = "MISSING_MEMBER"
    EXTRA_MEMBER = "EXTRA_MEMBER"
    DIGEST_MISMATCH = "DIGEST_MISMATCH"
    OXUM_MISMATCH = "OXUM_MISMATCH"
    FETCH_NOT_ALLOWED = "FETCH_NOT_ALLOWED"
    TAG_FILE_NOT_ALLOWED = "TAG_FILE_NOT_ALLOWED"
    DIGEST_DECLARED_MISMATCH = "DIGEST_DECLARED_MISMATCH"
    # package: descriptor and records
    DESCRIPTOR_MISSING = "DESCRIPTOR_MISSING"
    FORMAT_UNSUPPORTED = "FORMAT_UNSUPPORTED"
    METHOD_UNKNOWN = "METHOD_UNKNOWN"
    SCHEME_UNKNOWN = "SCHEME_UNKNOWN"
    VERSION_FLOATING = "VERSION_FLOATING"
    JUDGE_SAME_FAMILY = "JUDGE_SAME_FAMILY"
    RECORDS_MISSING = "RECORDS_MISSING"
    UNEXPECTED_FILE = "UNEXPECTED_FILE"
    INVALID_UTF8 = "INVALID_UTF8"
    INVALID_JSON = "INVALID_JSON"
    UNKNOWN_KEY = "UNKNOWN_KEY"
    MISSING_KEY = "MISSING_KEY"
    WRONG_TYPE = "WRONG_TYPE"
    VALUE_NOT_ALLOWED = "VALUE_NOT_ALLOWED"
    LINE_TOO_LONG = "LINE_TOO_LONG"
    RECORD_DEPTH = "RECORD_DEPTH"
    RECORD_TEXT = "RECORD_TEXT"
    UNSAFE_TEXT = "UNSAFE_TEXT"
    DUPLICATE_KEY = "DUPLICATE_KEY"
    DUPLICATE_ID = "DUPLICATE_ID"
    UNKNOWN_REFERENCE = "UNKNOWN_REFERENCE"
    RESPONSE_MISSING = "RESPONSE_MISSING"
    SET_HASH_MISMATCH = "SET_HASH_MISMATCH"
    FIGURE_IMPOSSIBLE = "FIGURE_IMPOSSIBLE"
    # package: an agent run
    ASSIGNMENT_DIFFERS = "ASSIGNMENT_DIFFERS"
    FORBIDDEN_HEADER = "FORBIDDEN_HEADER"
    BODY_DIFFERS = "BODY_DIFFERS"
    MARK_DIFFERS = "MARK_DIFFERS"

    @property
    def layer(self) -> Layer:
        """The layer that looks for this fault."""
        place = list(Code).index(self)
        if place < list(Code).index(Code.BAG_DECLARATION):
            return Layer.ARCHIVE
        return Layer.BAG if place < list(Code).index(Code.DESCRIPTOR_MISSING) else Layer.PACKAGE


class Caution(StrEnum):
    """What a package is accepted with: shown as a warning, on the page as a declared limitation."""

    BAG_VERSION_OLD = "BAG_VERSION_OLD"
    ALGORITHM_IGNORED = "ALGORITHM_IGNORED"
    EQUAL_ITEMS = "EQUAL_ITEMS"
    JUDGE_VERSION_FLOATING = "JUDGE_VERSION_FLOATING"
    VERDICT_IGNORED = "VERDICT_IGNORED"
    QUESTION_NAMES_ARTICLE = "QUESTION_NAMES_ARTICLE"
    REFERENCE_MISSING = "REFERENCE_MISSING"
    TRAP_ARTICLE_EXISTS = "TRAP_ARTICLE_EXISTS"
    HOSTILE_CATEGORY_MISSING = "HOSTILE_CATEGORY_MISSING"


class Phrase(StrEnum):
    """What stands in «expected» or «found» when it is no plain value; worded in the reader's language."""

    ZEROS = "zeros"
    NO_END_RECORD = "no_end_record"
    END_OF_STREAM = "end_of_stream"
    STREAM_CUT = "stream_cut"
    STREAM_DAMAGED = "stream_damaged"
    LONGER = "longer"
    ABSENT = "absent"
    ZIP64_RECORD = "zip64_record"
    NONE = "none"
    FILE_AND_FOLDER = "file_and_folder"
    DEVICE = "device"
    FOLDER_WITHOUT_SLASH = "folder_without_slash"
    SYMLINK = "symlink"
    REGULAR_FILE = "regular_file"
    EMPTY_NAME = "empty_name"
    PARENT_STEP = "parent_step"
    DOT_STEP = "dot_step"
    EMPTY_STEP = "empty_step"
    ABSOLUTE = "absolute"
    DRIVE_OR_STREAM = "drive_or_stream"
    BACKSLASH = "backslash"
    PERCENT = "percent"
    CONTROL_CHARACTER = "control_character"
    BIDI_CONTROL = "bidi_control"
    TRAILING_DOT_OR_SPACE = "trailing_dot_or_space"
    RESERVED_NAME = "reserved_name"
    TILDE_FIRST = "tilde_first"
    NOT_UTF8 = "not_utf8"
    BYTE_ORDER_MARK = "byte_order_mark"
    LISTED_TWICE = "listed_twice"
    OUTSIDE_DATA = "outside_data"
    INSIDE_DATA = "inside_data"
    NOT_A_DIGEST_LINE = "not_a_digest_line"
    TAG_MANIFEST_OF_ITSELF = "tag_manifest_of_itself"
    TOO_LARGE_TO_READ = "too_large_to_read"


Value = str | int | float | bool | None | Phrase
Stored = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault (with a Caution, one warning): where it is, what was expected and what was found."""

    code: str
    member: str | None = None
    key: str | None = None
    expected: Value = None
    found: Value = None

    def as_stored(self) -> Stored:
        """The form that is kept: plain JSON of no language. `told` words it for a reader."""
        return {
            "code": str(self.code),
            "member": self.member,
            "key": self.key,
            "expected": _stored(self.expected),
            "found": _stored(self.found),
        }

    def as_json(self, language: str = "en", *, package: str = "package.zip") -> Stored:
        """The shape that `check_package --json` prints; see `told`."""
        return told(self.as_stored(), language=language, package=package)


class Findings:
    """Collects findings: a hundred of each code are kept, the rest only counted, so memory stays bounded."""

    def __init__(self, *, cap: int = CAP_PER_CODE) -> None:
        self._cap = cap
        self._counts: Counter[str] = Counter()
        self._omitted: Counter[str] = Counter()
        self._kept: list[Finding] = []

    def add(self, finding: Finding) -> None:
        """Note one finding; beyond the cap of its code it is counted and forgotten."""
        self._counts[finding.code] += 1
        if self._counts[finding.code] <= self._cap:
            self._kept.append(finding)
        else:
            self._omitted[finding.code] += 1

    def note(self, code: str, member: str | None = None, **where: Any) -> None:
        """Note one finding by its parts; `where` takes key, expected and found."""
        self.add(Finding(code, member, **where))

    def extend(self, others: "Findings | Iterable[Finding]") -> None:
        """Take over what another part found, with what it had counted without keeping."""
        for finding in others:
            self.add(finding)
        if isinstance(others, Findings):
            self._counts.update(others._omitted)
            self._omitted.update(others._omitted)

    @property
    def kept(self) -> tuple[Finding, ...]:
        """The findings to show, in the order in which they were noted."""
        return tuple(self._kept)

    @property
    def omitted(self) -> dict[str, int]:
        """How many more there were of each code than are kept; codes with none are left out."""
        return {str(code): count for code, count in self._omitted.items()}

    @property
    def codes(self) -> frozenset[str]:
        """Every code that occurred."""
        return frozenset(self._counts)

    def __len__(self) -> int:
        return len(self._kept)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._kept)


def told(entry: Stored, *, language: str, package: str = "package.zip") -> Stored:
    """A stored finding as its reader is told it: phrases in `language`, with `meaning` and `mend`.

    `package` is the file that the commands in `mend` name; they can be pasted into a shell.
    """
    index = LANGUAGES.index(language)
    code, member = entry["code"], entry["member"] or ""
    expected, found = (_worded(entry[key], index) for key in ("expected", "found"))
    if language == "es":
        # Our own words only: what was found is the submitter's text, unless the code says that it names a type.
        expected = finding_texts.PLAIN.get(expected, expected)
        if code in _FOUND_IS_OURS:
            found = finding_texts.PLAIN.get(found, found)
    phrase = entry["found"]["phrase"] if isinstance(entry["found"], dict) else None
    variants = finding_texts.VARIANTS
    text = variants.get((code, phrase)) or variants.get((code, entry["key"])) or finding_texts.TEXTS[code]
    # Only our template is interpreted; hostile names and values are arguments of format() and stay text.
    mend = text.mend[index].format(
        member=member,
        pattern=_zip_pattern(member),
        package=shlex.quote(package),
        expected=expected,
        found=found,
    )
    return {
        **entry,
        "expected": expected,
        "found": found,
        "meaning": finding_texts.TEXTS[code].meaning[index],
        "mend": mend,
    }


def _stored(value: Value) -> str | int | float | bool | dict[str, str] | None:
    return {"phrase": value.value} if isinstance(value, Phrase) else value


def _worded(value: Any, index: int) -> str | int | float | bool | None:
    return finding_texts.PHRASES[value["phrase"]][index] if isinstance(value, dict) else value


def _zip_pattern(member: str) -> str:
    """What `zip -d` is given to remove a junk member: the whole folder of __MACOSX, else the one name."""
    before, folder, _ = member.partition("__MACOSX/")
    literal = "".join(f"\\{letter}" if letter in "\\*?[]" else letter for letter in before)
    return shlex.quote(f"{literal}{folder}*" if folder else literal)
