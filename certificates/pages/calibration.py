"""What people who judged answers blind said of the judge, after the measurement was frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledSheet:
    """A filled sheet: the hash of the file, and the numbers of the people in it."""

    sha256: str
    reviewers: tuple[int, ...]
    reviews: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """One blind review. People are numbers: «person 1»."""

    number: int
    at: datetime
    role: str  # of whoever added it
    reviewers: int
    sampled: int  # answers in the sheet
    seed: str  # 16 hexadecimal digits
    sheets: tuple[FilledSheet, ...]
    agreement: Mapping[str, Any]  # as `grading.publishable.agreement` leaves it
