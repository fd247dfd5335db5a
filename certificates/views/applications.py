"""The holder's doors to an application: the link from a letter, what was measured, the private page, withdrawing.

As with every signed link, GET changes nothing: it moves the secret into a short session and goes on to an address
without it. Only a POST acts.
"""

from datetime import datetime, timedelta

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
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
from certificates.views.private import private_page
from grading.models import Measurement
from registry_site import clock
from registry_site.problems import Refusal
from registry_site.signed_links import LinkRefused

# How long the session stands in for the link. The link itself lives until it is used or its deadline has passed.
SESSION_HOLDS = timedelta(hours=2)
_SESSION = "application_link"


# ── from the letter ──────────────────────────────────────────────────────────


@require_safe
@private_page
def by_link(request: HttpRequest, language: str, secret: str) -> HttpResponse:
    return _enter(request, secret, ApplicationLinkPurpose.APPLY, addresses.application(language))


@require_safe
@private_page
def by_follow_link(request: HttpRequest, language: str, secret: str) -> HttpResponse:
    return _enter(request, secret, ApplicationLinkPurpose.FOLLOW, addresses.own_application(language))


def _enter(request: HttpRequest, secret: str, purpose: ApplicationLinkPurpose, to: str) -> HttpResponse:
    now = clock.now()
    try:
        link = application_links.find(secret, purpose=purpose, at=now)
    except LinkRefused as refusal:
        return _refused(request, refusal)
    _remember(request, link, now)
    return HttpResponseRedirect(to)


def _remember(request: HttpRequest, link: ApplicationLink, now: datetime) -> None:
    request.session[_SESSION] = {
        "link": link.pk,
        "purpose": link.purpose,
        "until": (now + SESSION_HOLDS).isoformat(),
    }


def _link(request: HttpRequest, now: datetime, *, purpose: ApplicationLinkPurpose) -> ApplicationLink:
    """The link this session came by, also one that was used meanwhile; or `LinkRefused`."""
    kept = request.session.get(_SESSION) or {}
    if kept.get("purpose") != purpose or now >= datetime.fromisoformat(kept["until"]):
        raise LinkRefused(
            _("Open the link in the e-mail: this page is reached by it alone."), code="link_needed"
        )
    link = ApplicationLink.objects.filter(pk=kept["link"]).first()
    if link is None:
        raise LinkRefused()
    return link


def _refused(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    return render(request, "concerns/application_link.html", {"refusal": refusal}, status=refusal.status)


# ── applying ─────────────────────────────────────────────────────────────────


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def apply(request: HttpRequest, language: str) -> HttpResponse:
    now = clock.now()
    try:
        link = _link(request, now, purpose=ApplicationLinkPurpose.APPLY)
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
        if request.method == "POST" and (request.session.get(_SESSION) or {}).get("purpose") == "follow":
            # The same: the first press has already led this session to the private page.
            return HttpResponseRedirect(addresses.own_application(language))
        if refusal.code == "link_used" and (filed := _filed_by(link)) is not None:
            return _to_the_private_page(request, filed, language, now)
        return _refused(request, refusal)
    except Refusal as refusal:
        return _refused(request, refusal)


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
    secret = application_links.to_follow(application, at=now)
    _remember(request, application_links.find(secret, purpose=ApplicationLinkPurpose.FOLLOW, at=now), now)
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
        link = _link(request, now, purpose=ApplicationLinkPurpose.FOLLOW)
    except LinkRefused as refusal:
        return _refused(request, refusal)
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
        link = _link(request, now, purpose=ApplicationLinkPurpose.FOLLOW)
        applications.withdraw(link.application, by=link, at=now)
    except LinkRefused as refusal:
        if refusal.code != "link_used":
            return _refused(request, refusal)
    except Refusal:
        # It was answered in the meantime: the page tells with what.
        pass
    return HttpResponseRedirect(addresses.own_application(language))
