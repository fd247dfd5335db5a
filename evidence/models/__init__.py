"""What was handed in, by whom, about which system, and whether it is intact."""

from evidence.models.holder_account import ContactChange, ContactLink, HolderInvitation, HolderMember
from evidence.models.operator import Operator, OperatorInvitation
from evidence.models.package import (
    EvidencePackage,
    Fault,
    Integrity,
    Member,
    PackageState,
    Participation,
    Verification,
)
from evidence.models.run import (
    Closing,
    RequestArrived,
    ResponseSent,
    Run,
    RunComment,
    RunCounter,
    RunEvent,
    RunToken,
)
from evidence.models.system import Holder, Interest, System, SystemVersion
from evidence.models.test_case import CaseVariant, Series, SeriesEvent, Target, TestCase

__all__ = [
    "CaseVariant",
    "Closing",
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
    "Operator",
    "OperatorInvitation",
    "PackageState",
    "Participation",
    "RequestArrived",
    "ResponseSent",
    "Run",
    "RunComment",
    "RunCounter",
    "RunEvent",
    "RunToken",
    "Series",
    "SeriesEvent",
    "System",
    "SystemVersion",
    "Target",
    "TestCase",
    "Verification",
]
