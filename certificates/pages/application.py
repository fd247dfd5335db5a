"""An application as a decision names it, and as its own private page and the staff follow it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from certificates.pages.frame import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Application:
    """The application that a decision answers."""

    number: str
    filed_at: datetime
    way: str  # link · account · on_behalf


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplicationStep:
    """One step; `notice` and `certificate` where it was a decision, `reason` and `reasons` where it was turned away."""

    step: str  # file · issue · refuse · declare_inadmissible · withdraw · reopen
    at: datetime
    notice: str | None = None
    certificate: str | None = None
    reason: str | None = None
    reasons: Text | None = None
