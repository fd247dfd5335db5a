"""What was handed in, and what of it anyone may read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from certificates.pages.frame import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    path: str
    size: int
    sha256: str | None  # None when sealed or withheld: then `commitment` may stand in
    sealed: bool = False
    sealed_until: date | None = None
    commitment: str | None = None  # SHA-256(32 random bytes ‖ bytes)
    withheld: Text | None = None  # why the bytes are gone
    downloadable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    sha256: str
    size: int
    integrity: str  # verified · failed · not_checked
    checked_at: datetime | None = None
    verifier: str = ""  # version of the verifier
    access: str = "members"  # open · members · digest_only
    members: tuple[Member, ...] = ()
    members_total: int = 0  # when more than are listed
    sealed: bool = False  # a member is, listed or not
    downloadable: bool = False  # /c/<number>/evidence.zip answers
    descriptor_open: bool = True  # its bytes tell no figure that is suppressed
