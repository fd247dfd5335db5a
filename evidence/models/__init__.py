"""What was handed in, by whom, about which system, and whether it is intact."""

from evidence.models.holder_account import ContactChange, ContactLink, HolderInvitation, HolderMember
from evidence.models.package import (
    EvidencePackage,
    Fault,
    Integrity,
    Member,
    PackageState,
    Participation,
    Verification,
)
from evidence.models.system import Holder, Interest, System, SystemVersion

__all__ = [
    "ContactChange",
    "ContactLink",
    "EvidencePackage",
    "Fault",
    "Holder",
    "HolderInvitation",
    "HolderMember",
    "Integrity",
    "Interest",
    "Member",
    "PackageState",
    "Participation",
    "System",
    "SystemVersion",
    "Verification",
]
