"""Signed links to apply for a certificate or to follow an application: what they are about, how long they live."""

from datetime import datetime, timedelta

from django.utils.translation import gettext_lazy as _

from certificates import policies
from certificates.models import Application, ApplicationLink
from certificates.models.application import ApplicationLinkPurpose
from grading.models import Measurement
from registry_site import signed_links
from registry_site.models import Outbox
from registry_site.signed_links import LinkRefused

# A decision is due in thirty days, and a refusal may be overturned long after; past this the notice tells it all.
FOLLOWED_FOR = timedelta(days=365)


def to_apply(measurement: Measurement, *, at: datetime, letter: Outbox | None = None) -> str | None:
    """A new secret to apply with for the measurement's holder; None when nobody can, or any more."""
    last_moment = policies.certifiable_until(measurement)
    if at >= last_moment or policies.refusal_to_apply(measurement) is not None:
        return None
    return signed_links.make(
        ApplicationLink,
        purpose=ApplicationLinkPurpose.APPLY,
        measurement=measurement,
        holder=measurement.system_version.system.holder,
        at=at,
        expires_at=last_moment,
        letter=letter,
    )


def to_follow(application: Application, *, at: datetime, letter: Outbox | None = None) -> str:
    return signed_links.make(
        ApplicationLink,
        purpose=ApplicationLinkPurpose.FOLLOW,
        application=application,
        holder=application.holder,
        at=at,
        expires_at=application.filed_at + FOLLOWED_FOR,
        letter=letter,
    )


def find(secret: str, *, purpose: ApplicationLinkPurpose, at: datetime) -> ApplicationLink:
    """The living link of a secret, or `LinkRefused`. Nothing is changed."""
    links = ApplicationLink.objects.select_related(
        "application", "measurement__system_version__system"
    ).filter(purpose=purpose)
    return living(signed_links.find(links, secret, at=at), at=at)


def living(link: ApplicationLink, *, at: datetime) -> ApplicationLink:
    """The link itself, or why it cannot be used any more."""
    signed_links.living(link, at=at)
    about = link.measurement
    if about is not None and about.system_version.system.holder_id != link.holder_id:
        raise LinkRefused(
            _("The system of this link is another holder's now: the link is of no use any more."),
            code="link_of_another_holder",
        )
    return link


def use_up(
    *, measurement: Measurement | None = None, application: Application | None = None, at: datetime
) -> None:
    """Every link to the same act dies with it, also a second copy of the same e-mail."""
    about = {"measurement": measurement} if measurement is not None else {"application": application}
    signed_links.use_up(ApplicationLink.objects.filter(**about), at=at)
