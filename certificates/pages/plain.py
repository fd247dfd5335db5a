"""Pages that tell of no certificate: what statuses mean, what was not found."""

from __future__ import annotations

from dataclasses import dataclass

from certificates.pages.frame import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusesPage:
    """`public/statuses.html`: what each status means, what may still be relied on, who may appeal until when."""

    frame: Frame
    appeal_days: int = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFoundPage:
    """`public/not_found.html`: an address that names a certificate, notice or evidence the registry does not hold."""

    frame: Frame
    q: str
    kind: str = "certificate"  # certificate · notice · set · system · page
    wrong_check_digit: bool = False
