"""The holder's doors to an application: the link from a letter, what was measured, the private page, withdrawing.

As with every signed link, GET changes nothing: it moves the secret into a short session and goes on to an address
without it. Only a POST acts.
"""

from datetime import datetime
from functools import partial

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from certificates import (
    addresses,
    application_facts,
    application_links,
    application_rows,
    applications,
    names,
    policies,
)
from certificates.application_states import OPEN
from certificates.models import Application, ApplicationLink
from certificates.models.application import ApplicationLinkPurpose
from certificates.views.links import LinkDoor
from certificates.views.private import private_page
from grading.models import Measurement
from registry_site import clock
from registry_site.problems import Refusal
from registry_site.signed_links import LinkRefused


def _known() -> QuerySet[ApplicationLink]:
    return ApplicationLink.objects.select_related("application")


_APPLY, _FOLLOW = (
    LinkDoor(
        "application_link",
        purpose,
        partial(application_links.find, purpose=purpose),
        _known,
        "concerns/application_link.html",
    )
    for purpose in (ApplicationLinkPurpose.APPLY, ApplicationLinkPurpose.FOLLOW)
)


# ── from the letter ──────────────────────────────────────────────────────────


@require_safe
@private_page
def by_link(request: HttpRequest, language: str, secret: str) -> HttpResponse:
    return _APPLY.enter(request, secret, at=clock.now(), to=addresses.application(language))


@require_safe
@private_page
def by_follow_link(request: HttpRequest, language: str, secret: str) -> HttpResponse:
    return _FOLLOW.enter(request, secret, at=clock.now(), to=addresses.own_application(language))


# ── applying ─────────────────────────────────────────────────────────────────


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def apply(request: HttpRequest, language: str) -> HttpResponse:
    now = clock.now()
    try:
        link = _APPLY.link(request, at=now)
        measurement = names.with_parents().get(pk=link.measurement_id)
        if link.used_at is not None and (filed := _filed_by(link)) is not None:
            # The back button, or a second press: what was recorded is shown, and nothing is recorded again.
            return _to_the_private_page(request, filed, language, now)
        application_links.living(link, at=now)
        if request.method != "POST":
            return _show(request, measurement, now)
        return _to_the_private_page(
            request, applications.file(measurement=measurement, by=link, at=now), language, now
        )
    except LinkRefused as refusal:
        if request.method == "POST" and _FOLLOW.holds(request):
            # The same: the first press has already led this session to the private page.
            return HttpResponseRedirect(addresses.own_application(language))
        if refusal.code == "link_used" and (filed := _filed_by(link)) is not None:
            return _to_the_private_page(request, filed, language, now)
        return _APPLY.refused(request, refusal)
    except Refusal as refusal:
        return _APPLY.refused(request, refusal)


def _filed_by(link: ApplicationLink) -> Application | None:
    """What was filed with it, or in the same moment with another copy of its letter."""
    return (
        Application.objects.filter(
            measurement=link.measurement_id, holder=link.holder_id, filed_at__gte=link.created_at
        )
        .order_by("-pk")
        .first()
    )


def _to_the_private_page(
    request: HttpRequest, application: Application, language: str, now: datetime
) -> HttpResponse:
    _FOLLOW.admit(request, application_links.to_follow(application, at=now), at=now)
    return HttpResponseRedirect(addresses.own_application(language))


def _show(request: HttpRequest, measurement: Measurement, now: datetime) -> HttpResponse:
    rules = measurement.scheme.rules
    refusal = policies.refusal_to_apply(measurement)
    with timezone.override(rules.zone):
        return render(
            request,
            "concerns/application.html",
            {
                **application_facts.about(measurement, at=now),
                "refusal": refusal,
                "answered_within": applications.ANSWERED_WITHIN,
                "until": policies.certifiable_until(measurement).astimezone(rules.zone),
            },
            status=refusal.status if refusal else 200,
        )


# ── the private page ─────────────────────────────────────────────────────────


@require_safe
@private_page
def own(request: HttpRequest, language: str) -> HttpResponse:
    now = clock.now()
    try:
        link = _FOLLOW.link(request, at=now)
    except LinkRefused as refusal:
        return _FOLLOW.refused(request, refusal)
    row = application_rows.with_parents().get(pk=link.application_id)
    zone = row.measurement.scheme.rules.zone
    due = row.standing.deadline_at
    return render(
        request,
        "concerns/application_mine.html",
        {
            "application": row,
            "state": row.standing.state,
            "open": row.standing.state in OPEN,
            "due": due.astimezone(zone) if due else None,
            "steps": application_facts.steps_of(row, zone=zone),
            "version": row.measurement.system_version,
            "reference": names.reference(row.measurement),
        },
    )


@require_POST
@private_page
def withdraw(request: HttpRequest, language: str) -> HttpResponse:
    now = clock.now()
    try:
        link = _FOLLOW.link(request, at=now)
        applications.withdraw(link.application, by=link, at=now)
    except LinkRefused as refusal:
        if refusal.code != "link_used":
            return _FOLLOW.refused(request, refusal)
    except Refusal:
        # It was answered in the meantime: the page tells with what.
        pass
    return HttpResponseRedirect(addresses.own_application(language))
