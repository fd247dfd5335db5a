"""The old address's door to a change of contact: the link from the letter, and the page that cancels it.

GET changes nothing: it moves the secret into a short session and goes on to an address without it. A POST acts.
"""

from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from certificates import addresses
from certificates.views.links import LinkDoor
from certificates.views.private import private_page
from evidence import contacts
from evidence.models import ContactLink
from registry_site import clock
from registry_site.problems import Refusal


def _known() -> QuerySet[ContactLink]:
    return ContactLink.objects.select_related("change__holder")


_CANCEL = LinkDoor("contact_link", "cancel", contacts.find_link, _known, "concerns/contact_link.html")


@require_safe
@private_page
def by_link(request: HttpRequest, language: str, secret: str) -> HttpResponse:
    return _CANCEL.enter(request, secret, at=clock.now(), to=addresses.cancel_contact(language))


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def cancel(request: HttpRequest, language: str) -> HttpResponse:
    now = clock.now()
    try:
        link = _CANCEL.link(request, at=now)
        if request.method == "POST":
            contacts.cancel_by_link(link, at=now)
            return HttpResponseRedirect(addresses.cancel_contact(language))
        change = link.change
        if change.cancelled_at is None:
            contacts.living_link(link, at=now)
    except Refusal as refusal:
        return _CANCEL.refused(request, refusal)
    with timezone.override(ZoneInfo(settings.REGISTRY_TIME_ZONE)):
        return render(request, "concerns/contact.html", {"change": change, "holder": change.holder})
