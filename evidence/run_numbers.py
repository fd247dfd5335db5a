"""PURE. How agent runs are numbered: `EJ-2026-000012`, and `PC-2026-000003` where only the circuit was checked."""

import re

RUN_PREFIX = "EJ"
CIRCUIT_CHECK_PREFIX = "PC"
_TYPED = re.compile(r"\s*(EJ|PC)[\s\-–]*([12][0-9]{3})[\s\-–]*([0-9]{6,9})\s*", re.IGNORECASE)


def run_number(*, year: int, serial: int) -> str:
    return f"{RUN_PREFIX}-{year:04d}-{serial:06d}"


def circuit_check_number(*, year: int, serial: int) -> str:
    return f"{CIRCUIT_CHECK_PREFIX}-{year:04d}-{serial:06d}"


def parse(text: str) -> str | None:
    """The number as it is stored, whatever case, spaces and dashes it was typed with; None of another shape."""
    found = _TYPED.fullmatch(text[:100])
    return f"{found[1].upper()}-{found[2]}-{found[3]}" if found else None
