"""Signed links to confirm a complaint, to follow one, and to reply to one."""

from datetime import datetime, timedelta

from django.db.models import Q

from certificates.models import Report, ReportDraft, ReportLink
from certificates.models.report import ReportLinkPurpose
from registry_site import signed_links
from registry_site.models import Outbox

# After that many days an unconfirmed complaint is gone, and its link with it.
CONFIRMED_WITHIN = timedelta(days=7)
# Long enough to see it through to its end; what is public stays public.
FOLLOWED_FOR = timedelta(days=365)

living = signed_links.living


def to_confirm(draft: ReportDraft, *, at: datetime, letter: Outbox | None = None) -> str:
    return signed_links.make(
        ReportLink,
        purpose=ReportLinkPurpose.CONFIRM,
        draft=draft,
        at=at,
        expires_at=draft.expires_at,
        letter=letter,
    )


def to_follow(report: Report, *, at: datetime, letter: Outbox | None = None) -> str:
    return signed_links.make(
        ReportLink,
        purpose=ReportLinkPurpose.FOLLOW,
        report=report,
        at=at,
        expires_at=at + FOLLOWED_FOR,
        letter=letter,
    )


def to_reply(report: Report, *, until: datetime, at: datetime, letter: Outbox | None = None) -> str:
    """For the holder: dies with the term to reply."""
    return signed_links.make(
        ReportLink, purpose=ReportLinkPurpose.REPLY, report=report, at=at, expires_at=until, letter=letter
    )


def find(secret: str, *, purpose: ReportLinkPurpose, at: datetime) -> ReportLink:
    """The living link of a secret, or `LinkRefused`. Nothing is changed."""
    links = ReportLink.objects.select_related("draft__certificate", "report").filter(purpose=purpose)
    return signed_links.find(links, secret, at=at)


def confirmed_by(secret: str) -> Report | None:
    """The complaint that a used link confirmed."""
    links = ReportLink.objects.select_related("report").filter(purpose=ReportLinkPurpose.CONFIRM)
    link = signed_links.known(links, secret)
    return link.report if link else None


def use_up(*, purpose: ReportLinkPurpose, report: Report, at: datetime) -> None:
    signed_links.use_up(ReportLink.objects.filter(purpose=purpose, report=report), at=at)


def of_draft(draft: ReportDraft) -> Q:
    return Q(draft=draft, purpose=ReportLinkPurpose.CONFIRM)
