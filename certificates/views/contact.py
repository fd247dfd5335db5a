"""The old address's door to a change of contact: the link from the letter, and the page that cancels it.

GET changes nothing: it moves the secret into a short session and goes on to an address without it. A POST acts.
"""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from certificates import addresses
from certificates.views.private import private_page
from evidence import contacts
from evidence.models import ContactLink
from registry_site import clock
from registry_site.problems import Refusal
from registry_site.signed_links import LinkRefused

# How long the session stands in for the link.
SESSION_HOLDS = timedelta(hours=2)
_SESSION = "contact_link"


@require_safe
@private_page
def by_link(request: HttpRequest, language: str, secret: str) -> HttpResponse:
    now = clock.now()
    try:
        link = contacts.find_link(secret, at=now)
    except LinkRefused as refusal:
        return _refused(request, refusal)
    request.session[_SESSION] = {"link": link.pk, "until": (now + SESSION_HOLDS).isoformat()}
    return HttpResponseRedirect(addresses.cancel_contact(language))


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def cancel(request: HttpRequest, language: str) -> HttpResponse:
    now = clock.now()
    try:
        link = _link(request, now)
        if request.method == "POST":
            contacts.cancel_by_link(link, at=now)
            return HttpResponseRedirect(addresses.cancel_contact(language))
        change = link.change
        if change.cancelled_at is None:
            contacts.living_link(link, at=now)
    except Refusal as refusal:
        return _refused(request, refusal)
    with timezone.override(ZoneInfo(settings.REGISTRY_TIME_ZONE)):
        return render(request, "concerns/contact.html", {"change": change, "holder": change.holder})


def _link(request: HttpRequest, now: datetime) -> ContactLink:
    """The link this session came by, also one that was used meanwhile."""
    kept = request.session.get(_SESSION) or {}
    if not kept or now >= datetime.fromisoformat(kept["until"]):
        raise LinkRefused(
            _("Open the link in the e-mail: this page is reached by it alone."), code="link_needed"
        )
    return ContactLink.objects.select_related("change__holder").get(pk=kept["link"])


def _refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    return render(request, "concerns/contact_link.html", {"refusal": refusal}, status=refusal.status)
