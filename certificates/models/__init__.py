"""The public promise, the append-only facts of its life, and the decisions behind them."""

from certificates.models.appeal import (
    Appeal,
    AppealAttachment,
    AppealContact,
    AppealEvent,
    AppealLink,
    AppealStanding,
)
from certificates.models.application import (
    Application,
    ApplicationEvent,
    ApplicationLink,
    ApplicationStanding,
)
from certificates.models.certificate import Certificate, CertificateState
from certificates.models.deadline import ExpiryNotice
from certificates.models.event import EventDocument, StatusEvent
from certificates.models.notice import HolderRequest, Notice
from certificates.models.report import (
    Report,
    ReportAttachment,
    ReportContent,
    ReportDraft,
    ReportEvent,
    ReportLink,
    ReportReply,
    ReportStanding,
)
from certificates.models.work import Assignment, SetAside, StaffNote

__all__ = [
    "Appeal",
    "AppealAttachment",
    "AppealContact",
    "AppealEvent",
    "AppealLink",
    "AppealStanding",
    "Application",
    "ApplicationEvent",
    "ApplicationLink",
    "ApplicationStanding",
    "Assignment",
    "Certificate",
    "CertificateState",
    "EventDocument",
    "ExpiryNotice",
    "HolderRequest",
    "Notice",
    "Report",
    "ReportAttachment",
    "ReportContent",
    "ReportDraft",
    "ReportEvent",
    "ReportLink",
    "ReportReply",
    "ReportStanding",
    "SetAside",
    "StaffNote",
    "StatusEvent",
]
