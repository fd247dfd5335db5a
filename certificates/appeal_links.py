"""Signed links to file an appeal or to follow one: 256 bits, one purpose, one object; only the hash is kept."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.utils.translation import gettext_lazy as _

from certificates.models import Appeal, AppealLink, Notice
from certificates.models.appeal import LinkPurpose
from certificates.refusals import LinkRefused
from certificates.states import FINALITY_GRACE

SECRET_BYTES = 32
# After the outcome everything is on the public page; the private one is needed no longer than this.
FOLLOWED_FOR = timedelta(days=180)


def to_file(notice: Notice, *, at: datetime) -> str | None:
    """A new secret to appeal against `notice` with; None when nobody can any more."""
    if (
        notice.appeal_until is None
        or at >= last_moment(notice)
        or Appeal.objects.filter(notice=notice).exists()
    ):
        return None
    return _make(LinkPurpose.FILE, notice=notice, at=at, expires_at=last_moment(notice))


def to_follow(appeal: Appeal, *, at: datetime) -> str:
    return _make(LinkPurpose.FOLLOW, appeal=appeal, at=at, expires_at=appeal.filed_at + FOLLOWED_FOR)


def last_moment(notice: Notice) -> datetime:
    """When the link dies: a day after the period, so that what is sent too late is recorded and answered."""
    if notice.appeal_until is None:
        raise ValueError("a decision without a period cannot be appealed")
    return notice.appeal_until + FINALITY_GRACE


def find(secret: str, *, purpose: LinkPurpose, at: datetime) -> AppealLink:
    """The living link of a secret, or `LinkRefused`. Nothing is changed."""
    digest = hashlib.sha256(secret.encode()).hexdigest()
    link = (
        AppealLink.objects.select_related("notice", "appeal").filter(sha256=digest, purpose=purpose).first()
    )
    if link is None:
        raise LinkRefused(
            _("This link is not one of ours, or not whole. Copy it from the e-mail in one piece."), status=404
        )
    return living(link, at=at)


def living(link: AppealLink, *, at: datetime) -> AppealLink:
    """The link itself, or why it cannot be used any more."""
    if link.used_at is not None:
        raise LinkRefused(_("This link has been used: it serves once."), code="link_used")
    if at >= link.expires_at:
        raise LinkRefused(_("This link is past its deadline."), code="link_expired")
    return link


def use_up(*, notice: Notice | None = None, appeal: Appeal | None = None, at: datetime) -> None:
    """Every link to the same act dies with it, also a second copy of the same e-mail."""
    links = AppealLink.objects.filter(used_at=None)
    links = links.filter(notice=notice) if notice is not None else links.filter(appeal=appeal)
    links.update(used_at=at)


def _make(purpose: LinkPurpose, *, at: datetime, expires_at: datetime, **about: Notice | Appeal) -> str:
    secret = secrets.token_urlsafe(SECRET_BYTES)
    AppealLink.objects.create(
        purpose=purpose,
        sha256=hashlib.sha256(secret.encode()).hexdigest(),
        created_at=at,
        expires_at=expires_at,
        **about,
    )
    return secret
