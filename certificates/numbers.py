"""PURE. How certificates and notices are numbered, and how a number that someone typed is read.

A certificate number is ``FEH-2026-000042-87``: prefix, year, serial and two check digits after ISO 7064
MOD 97-10 over prefix, year and serial without dashes (letters count A = 10 … Z = 35). Notices
(``AV-2026-000123``), applications (``SOL-2026-000007``), appeals (``AP-2026-000014``) and complaints
(``QJ-2026-000031``) carry no check digits: they are followed as links, not typed from paper.
"""

import re
import unicodedata
from dataclasses import dataclass

DEFAULT_PREFIX = "FEH"
NOTICE_PREFIX = "AV"
APPLICATION_PREFIX = "SOL"
APPEAL_PREFIX = "AP"
REPORT_PREFIX = "QJ"

SERIAL_DIGITS = 6

# Everything that people, word processors and PDF readers put between the parts. NFKC has already turned
# non-breaking spaces into plain ones.
_SEPARATORS = re.compile(r"[\s\-_.\u00ad\u200b-\u200d\u2010-\u2015\u2060\u2212\ufeff]+")
# «N.º», as our own pages write before a number. «No.» right before a year may be a prefix.
_ORDINAL = re.compile(r"\s*(?:n\s*\.?\s*°|n\s*\.\s*o|no\s*\.(?=\s*[a-z])|#)\s*\.?\s*", re.IGNORECASE)
_SHAPE = re.compile(r"(?P<prefix>[A-Z]{2,8})?(?P<year>[12][0-9]{3})(?P<serial>[0-9]{6,9})(?P<check>[0-9]{2})")
_PREFIX = re.compile(r"[A-Z]{2,8}")
_PLAIN = re.compile(r"(?P<prefix>[A-Z]{2,8})(?P<year>[12][0-9]{3})(?P<serial>[0-9]{6,9})")

# What the database holds the stored spelling to. A serial past 999 999 simply grows by a digit.
CERTIFICATE_PATTERN = r"^[A-Z]{2,8}-[12][0-9]{3}-([0-9]{6}|[1-9][0-9]{6,8})-[0-9]{2}$"
NOTICE_PATTERN = rf"^{NOTICE_PREFIX}-[12][0-9]{{3}}-([0-9]{{6}}|[1-9][0-9]{{6,8}})$"
APPLICATION_PATTERN = rf"^{APPLICATION_PREFIX}-[12][0-9]{{3}}-([0-9]{{6}}|[1-9][0-9]{{6,8}})$"
APPEAL_PATTERN = rf"^{APPEAL_PREFIX}-[12][0-9]{{3}}-([0-9]{{6}}|[1-9][0-9]{{6,8}})$"
REPORT_PATTERN = rf"^{REPORT_PREFIX}-[12][0-9]{{3}}-([0-9]{{6}}|[1-9][0-9]{{6,8}})$"


class NumberError(ValueError):
    """What was typed cannot be the number of anything here."""

    code = "number_error"


class NotANumber(NumberError):
    """The text does not have the shape of a number at all: look for a name instead."""

    code = "not_a_number"


class WrongCheckDigit(NumberError):
    """The text has the shape of a certificate number, and its check digits do not fit: a typing error."""

    code = "wrong_check_digit"


@dataclass(frozen=True, slots=True)
class CertificateNumber:
    prefix: str
    year: int
    serial: int

    def __post_init__(self) -> None:
        _require_parts(self.prefix, self.year, self.serial)

    @property
    def check_digits(self) -> str:
        return _check_digits(f"{self.prefix}{self.year:04d}{self.serial:0{SERIAL_DIGITS}d}")

    def __str__(self) -> str:
        return f"{self.prefix}-{self.year:04d}-{self.serial:0{SERIAL_DIGITS}d}-{self.check_digits}"


def certificate_number(*, prefix: str, year: int, serial: int) -> str:
    """The canonical spelling; ``ValueError`` when a part is out of range."""
    return str(CertificateNumber(prefix, year, serial))


def parse(text: str, *, prefix: str = DEFAULT_PREFIX) -> str:
    """The canonical spelling of a typed number: case, spaces and dashes do not count, nor a missing `prefix`.

    Raises `NotANumber` when the text has another shape, `WrongCheckDigit` when it has the shape and was
    mistyped. That a number is well formed does not say that there is such a certificate.
    """
    match = _SHAPE.fullmatch(_squeeze(text))
    if match is None or _padded_twice(match["serial"]):
        raise NotANumber(text)
    prefix = match["prefix"] or prefix
    if _check_digits(f"{prefix}{match['year']}{match['serial']}") != match["check"]:
        raise WrongCheckDigit(text)
    if int(match["serial"]) == 0:
        raise NotANumber(text)
    return str(CertificateNumber(prefix, int(match["year"]), int(match["serial"])))


def year_of(number: str) -> int:
    """The year in a canonical certificate number."""
    return int(number.split("-")[1])


def notice_number(*, year: int, serial: int) -> str:
    _require_parts(NOTICE_PREFIX, year, serial)
    return f"{NOTICE_PREFIX}-{year:04d}-{serial:0{SERIAL_DIGITS}d}"


def application_number(*, year: int, serial: int) -> str:
    _require_parts(APPLICATION_PREFIX, year, serial)
    return f"{APPLICATION_PREFIX}-{year:04d}-{serial:0{SERIAL_DIGITS}d}"


def appeal_number(*, year: int, serial: int) -> str:
    _require_parts(APPEAL_PREFIX, year, serial)
    return f"{APPEAL_PREFIX}-{year:04d}-{serial:0{SERIAL_DIGITS}d}"


def report_number(*, year: int, serial: int) -> str:
    _require_parts(REPORT_PREFIX, year, serial)
    return f"{REPORT_PREFIX}-{year:04d}-{serial:0{SERIAL_DIGITS}d}"


def parse_notice_number(text: str) -> str:
    """The canonical spelling of a typed notice number, or ``NotANumber``."""
    return _parse_plain(text, NOTICE_PREFIX)


def parse_application_number(text: str) -> str:
    return _parse_plain(text, APPLICATION_PREFIX)


def parse_appeal_number(text: str) -> str:
    return _parse_plain(text, APPEAL_PREFIX)


def parse_report_number(text: str) -> str:
    return _parse_plain(text, REPORT_PREFIX)


def _parse_plain(text: str, prefix: str) -> str:
    match = _PLAIN.fullmatch(_squeeze(text))
    if (
        match is None
        or match["prefix"] != prefix
        or _padded_twice(match["serial"])
        or not int(match["serial"])
    ):
        raise NotANumber(text)
    return f"{prefix}-{match['year']}-{match['serial']}"


def _squeeze(text: str) -> str:
    # A number is never long: whoever sends a megabyte is not answered by normalising it.
    if len(text) > 100:
        raise NotANumber(text[:100])
    plain = unicodedata.normalize("NFKC", text.replace("º", "°"))
    if ordinal := _ORDINAL.match(plain):
        plain = plain[ordinal.end() :]
    return _SEPARATORS.sub("", plain).upper()


def _padded_twice(serial: str) -> bool:
    return len(serial) > SERIAL_DIGITS and serial.startswith("0")


def _check_digits(body: str) -> str:
    value = int("".join(str(int(character, 36)) for character in body)) * 100
    return f"{98 - value % 97:02d}"


def _require_parts(prefix: str, year: int, serial: int) -> None:
    if not _PREFIX.fullmatch(prefix):
        raise ValueError(f"a prefix is two to eight capital letters, not {prefix!r}")
    if not 1000 <= year <= 2999:
        raise ValueError(f"a year has four digits, not {year!r}")
    if not 1 <= serial <= 999_999_999:
        raise ValueError(f"a serial is between 1 and 999999999, not {serial!r}")
