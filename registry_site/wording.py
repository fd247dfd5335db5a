"""How numbers, percentages, dates, terms and digests are written for readers of Spanish and of English.

Spanish writes a decimal comma, a no-break space before «%» and thin groups of thousands, everywhere in the registry
(some countries write a point; the page on methodology says so once). Nothing here knows what a number means.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

NO_BREAK = "\u00a0"
THIN = "\u202f"
EN_DASH = "\u2013"
MINUS = "\u2212"

MONTHS = {
    "es": (
        "enero", "febrero", "marzo", "abril", "mayo", "junio",
        "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre",
    ),
    "en": (
        "January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December",
    ),
}  # fmt: skip
SHORT_MONTHS = {
    "es": ("ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic"),
    "en": ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
}
# The usual name of the time of a zone. Another zone is told by its offset alone, which is never wrong.
ZONES = {
    "America/Santiago": ("hora de Chile", "Chile time"),
    "America/Punta_Arenas": ("hora de Magallanes", "Magallanes time"),
    "America/Argentina/Buenos_Aires": ("hora de Argentina", "Argentina time"),
    "America/Bogota": ("hora de Colombia", "Colombia time"),
    "America/Lima": ("hora de Perú", "Peru time"),
    "America/Mexico_City": ("hora del centro de México", "central Mexico time"),
    "America/Montevideo": ("hora de Uruguay", "Uruguay time"),
    "Europe/Madrid": ("hora peninsular española", "Madrid time"),
}

Quantity = str | int | Decimal | Fraction


def language_of(tag: str) -> str:
    """«es» or «en»: the two languages the registry is written in; Spanish is the first."""
    return "en" if tag.lower().startswith("en") else "es"


# ── numbers ──────────────────────────────────────────────────────────────────


def whole(value: int, language: str) -> str:
    """An integer with its thousands apart: «1 173» (thin, unbroken), “1,173”."""
    digits = f"{abs(value):,}".replace(",", "," if language_of(language) == "en" else THIN)
    return f"{MINUS}{digits}" if value < 0 else digits


def decimal(value: Quantity, language: str, places: int | None = None) -> str:
    """A decimal number, rounded half even when `places` is given: «3,14», “3.14”."""
    number = _decimal(value)
    if places is not None:
        number = number.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN)
    sign, digits = (MINUS, f"{-number:f}") if number < 0 else ("", f"{number:f}")
    integer, _, fraction = digits.partition(".")
    point = "." if language_of(language) == "en" else ","
    return sign + whole(int(integer), language) + (point + fraction if fraction else "")


def share(value: Quantity, language: str, places: int = 1) -> str:
    """A fraction of 1 as a number of hundredths, without the sign: «10,1».

    What is above 0 and would round to 0,0 is «<0,1»; what is below 1 and would round to 100,0 is «>99,9».
    """
    fraction = _decimal(value)
    step = Decimal(1).scaleb(-places)
    rounded = (fraction * 100).quantize(step, rounding=ROUND_HALF_EVEN)
    if fraction > 0 and rounded == 0:
        return "<" + decimal(step, language)
    if fraction < 1 and rounded == 100:
        return ">" + decimal(100 - step, language)
    return decimal(rounded, language)


def percent(text: str, language: str) -> str:
    """The sign after a number already written: «10,1 %» (unbroken), “10.1%”."""
    return f"{text}%" if language_of(language) == "en" else f"{text}{NO_BREAK}%"


def percentage(value: Quantity, language: str, places: int = 1) -> str:
    """A fraction of 1 as a percentage: «10,1 %», “10.1%”, «<0,1 %», «>99,9 %»."""
    return percent(share(value, language, places), language)


def interval(low: Quantity, high: Quantity, language: str, places: int = 1) -> str:
    """Both ends of an interval of fractions of 1, as hundredths: «[6,2 – 16,0]»."""
    ends = share(low, language, places), share(high, language, places)
    return f"[{ends[0]}{NO_BREAK}{EN_DASH}{NO_BREAK}{ends[1]}]"


def ratio(k: int, n: int, language: str) -> str:
    """How many of how many: «15 de 148», “15 of 148”."""
    word = "of" if language_of(language) == "en" else "de"
    return f"{whole(k, language)}{NO_BREAK}{word}{NO_BREAK}{whole(n, language)}"


def upper_bound(value: float | Quantity, language: str, places: int = 1) -> str:
    """An upper bound, a fraction of 1, as hundredths rounded up, so that it is never promised too small: «4,8»."""
    hundredths = _decimal(value) * 100
    step = Decimal(1).scaleb(-places)
    rounded = hundredths.quantize(step, rounding="ROUND_CEILING")
    return decimal(rounded, language)


def lower_bound(value: float | Quantity, language: str, places: int = 1) -> str:
    """A lower bound, a fraction of 1, as hundredths rounded down."""
    hundredths = _decimal(value) * 100
    return decimal(hundredths.quantize(Decimal(1).scaleb(-places), rounding="ROUND_FLOOR"), language)


def p_value(value: float | Quantity, language: str) -> str:
    """A probability with three decimals, «<0,001» below that, never 0."""
    number = _decimal(value)
    if number < Decimal("0.001"):
        return "<" + decimal("0.001", language)
    return decimal(number, language, 3)


def size(count: int, language: str) -> str:
    """A size in bytes, all of them, as it is compared: «41 434 112 bytes»."""
    return f"{whole(count, language)}{NO_BREAK}bytes" if count != 1 else f"1{NO_BREAK}byte"


def short_size(count: int, language: str) -> str:
    """A size to get an idea of: «41,4 MB» (powers of 1000)."""
    if count < 1000:
        return size(count, language)
    units = ("kB", "MB", "GB", "TB")
    power = 1
    # 999.95 would be printed as «1000,0».
    while power < len(units) and count >= Decimal("999.95") * 1000**power:
        power += 1
    return f"{decimal(Decimal(count) / 1000**power, language, 1)}{NO_BREAK}{units[power - 1]}"


# ── dates and terms ──────────────────────────────────────────────────────────


def day(value: date, language: str) -> str:
    """«30 de noviembre de 2026», “30 November 2026”; day and month are not parted at a line's end."""
    if language_of(language) == "en":
        return f"{value.day}{NO_BREAK}{MONTHS['en'][value.month - 1]} {value.year}"
    return f"{value.day}{NO_BREAK}de{NO_BREAK}{MONTHS['es'][value.month - 1]} de{NO_BREAK}{value.year}"


def short_day(value: date, language: str) -> str:
    """For margins and tables: «30 nov 2026», “30 Nov 2026”."""
    month = SHORT_MONTHS[language_of(language)][value.month - 1]
    return f"{value.day}{NO_BREAK}{month}{NO_BREAK}{value.year}"


def moment(value: datetime, language: str) -> str:
    """«30 de noviembre de 2026, 14:05 (hora de Chile, UTC−3)», in the zone that the instant stands in."""
    return f"{day(value, language)}, {value:%H:%M} ({zone(value, language)})"


def deadline(value: datetime, language: str) -> str:
    """The end of a term: an instant at midnight is the end of the day before, «…, 24:00 (hora de Chile, UTC−3)»."""
    if (value.hour, value.minute, value.second, value.microsecond) == (0, 0, 0, 0):
        before = last_day(value)
        return f"{day(before, language)}, 24:00 ({zone(value, language)})"
    return moment(value, language)


def last_day(value: datetime) -> date:
    """The last day that a term ending at this instant still includes."""
    return (value - timedelta(microseconds=1)).date()


def zone(value: datetime, language: str) -> str:
    """The zone of an aware instant: «hora de Chile, UTC−3», «UTC»."""
    offset = value.utcoffset()
    if offset is None:
        raise ValueError("an instant without a zone cannot be printed")
    names = ZONES.get(str(value.tzinfo))
    if not offset and names is None:
        return "UTC"
    minutes = int(offset.total_seconds()) // 60
    sign = MINUS if minutes < 0 else "+"
    hours, rest = divmod(abs(minutes), 60)
    told = f"UTC{sign}{hours}" + (f":{rest:02d}" if rest else "")
    return f"{names[language_of(language) == 'en']}, {told}" if names else told


def machine(value: date | datetime) -> str:
    """For `datetime` attributes: the day, or the instant in UTC to the second."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return value.isoformat()


# ── digests, lists ───────────────────────────────────────────────────────────


def hash_groups(digest: str, width: int = 8) -> tuple[str, ...]:
    """A digest in groups of eight digits, to be compared by eye."""
    return tuple(digest[start : start + width] for start in range(0, len(digest), width))


def short_hash(digest: str) -> str:
    """The ends of a digest, where the whole does not fit: «b20e7b29…46dbc4ba»."""
    return digest if len(digest) <= 17 else f"{digest[:8]}…{digest[-8:]}"


def listing(words: Sequence[str], language: str) -> str:
    """«a, b y c» («e» before the sound of i), “a, b and c”."""
    if len(words) < 2:
        return "".join(words)
    if language_of(language) == "en":
        conjunction = "and"
    else:
        last = words[-1].casefold()
        conjunction = "e" if last.startswith(("i", "hi", "í", "hí")) and not last.startswith("hie") else "y"
    return f"{', '.join(words[:-1])} {conjunction} {words[-1]}"


def _decimal(value: float | Quantity) -> Decimal:
    if isinstance(value, Fraction):
        return Decimal(value.numerator) / Decimal(value.denominator)
    if isinstance(value, float):
        return Decimal(repr(value))
    return Decimal(value)
