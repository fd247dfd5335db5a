"""Signed links to file an appeal, and to follow one."""

from datetime import datetime, timedelta

from certificates.models import Appeal, AppealLink, Notice
from certificates.models.appeal import LinkPurpose
from certificates.states import FINALITY_GRACE
from registry_site import signed_links
from registry_site.models import Outbox

# After the outcome everything is on the public page; the private one is needed no longer than this.
FOLLOWED_FOR = timedelta(days=180)


def to_file(notice: Notice, *, at: datetime, letter: Outbox | None = None) -> str | None:
    """A new secret to appeal against `notice` with; None when nobody can any more."""
    if (
        notice.appeal_until is None
        or at >= last_moment(notice)
        or Appeal.objects.filter(notice=notice).exists()
    ):
        return None
    return signed_links.make(
        AppealLink,
        purpose=LinkPurpose.FILE,
        notice=notice,
        at=at,
        expires_at=last_moment(notice),
        letter=letter,
    )


def to_follow(appeal: Appeal, *, at: datetime, letter: Outbox | None = None) -> str:
    return signed_links.make(
        AppealLink,
        purpose=LinkPurpose.FOLLOW,
        appeal=appeal,
        at=at,
        expires_at=appeal.filed_at + FOLLOWED_FOR,
        letter=letter,
    )


def last_moment(notice: Notice) -> datetime:
    """When the link dies: a day after the period, so that what is sent too late is recorded and answered."""
    if notice.appeal_until is None:
        raise ValueError("a decision without a period cannot be appealed")
    return notice.appeal_until + FINALITY_GRACE


def find(secret: str, *, purpose: LinkPurpose, at: datetime) -> AppealLink:
    """The living link of a secret, or `LinkRefused`. Nothing is changed."""
    links = AppealLink.objects.select_related("notice", "appeal").filter(purpose=purpose)
    return signed_links.find(links, secret, at=at)


def use_up(*, notice: Notice | None = None, appeal: Appeal | None = None, at: datetime) -> None:
    """Every link to the same act dies with it, also a second copy of the same e-mail."""
    links = AppealLink.objects.all()
    links = links.filter(notice=notice) if notice is not None else links.filter(appeal=appeal)
    signed_links.use_up(links, at=at)


living = signed_links.living
