"""The holder's doors to an appeal: the link from a letter, the form, the private page, withdrawing."""

from datetime import datetime
from http import HTTPStatus
from zoneinfo import ZoneInfo

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from certificates import (
    addresses,
    appeal_authors,
    appeal_facts,
    appeal_links,
    appeal_rows,
    appeals,
    attached_files,
)
from certificates.appeal_forms import AppealForm
from certificates.models import Appeal, AppealLink, Notice
from certificates.models.appeal import LinkPurpose
from certificates.refusals import LinkRefused
from certificates.views.links import LinkDoor, fit_to_read
from certificates.views.private import private_page
from registry_site import clock, rates
from registry_site.client_address import client_address
from registry_site.problems import Refusal


def _known() -> QuerySet[AppealLink]:
    return AppealLink.objects.select_related("notice__certificate", "notice__measurement__scheme")


_FILE, _FOLLOW = (
    LinkDoor("appeal_link", purpose, appeal_links.find, _known, "concerns/appeal_link.html")
    for purpose in (LinkPurpose.FILE, LinkPurpose.FOLLOW)
)


# ── from the letter ──────────────────────────────────────────────────────────


@require_safe
@private_page
def by_link(request: HttpRequest, language: str, secret: str) -> HttpResponse:
    return _FILE.enter(request, secret, at=clock.now(), to=addresses.appeal(language))


@require_safe
@private_page
def by_follow_link(request: HttpRequest, language: str, secret: str) -> HttpResponse:
    return _FOLLOW.enter(request, secret, at=clock.now(), to=addresses.own_appeal(language))


# ── the form ─────────────────────────────────────────────────────────────────


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
@fit_to_read
def form(request: HttpRequest, language: str) -> HttpResponse:
    now = clock.now()
    try:
        link = _FILE.link(request, at=now)
        filed = Appeal.objects.filter(notice=link.notice).first()
        if filed is not None and link.used_at is not None:
            # The back button, or a second press: what was recorded is shown, and nothing is recorded again.
            return _to_the_private_page(request, filed, language, now)
        appeal_links.living(link, at=now)
    except LinkRefused as refusal:
        return _FILE.refused(request, refusal)
    if request.method != "POST":
        return _show_form(request, link.notice, AppealForm(), now)
    asked = AppealForm(request.POST, request.FILES)
    if not asked.is_valid():
        return _show_form(request, link.notice, asked, now, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    rate = rates.take("appeals", client_address(request), at=now)
    if rate is not None and rate.exceeded:
        asked.add_error(
            None, _("Too many attempts from here. What you wrote is still in the form: try again later.")
        )
        return _show_form(request, link.notice, asked, now, status=HTTPStatus.TOO_MANY_REQUESTS)
    try:
        kept = attached_files.keep((file.name or "", file) for file in asked.cleaned_data["attachments"])
        appeal = appeals.file(
            appeal_authors.ByLink(link), at=now, language=language, attachments=kept, **asked.facts()
        )
    except LinkRefused as refusal:
        filed = Appeal.objects.filter(notice=link.notice).first()
        if filed is not None:
            return _to_the_private_page(request, filed, language, now)
        return _FILE.refused(request, refusal)
    except Refusal as refusal:
        named = refusal.extra.get("field")
        asked.add_error(named if named in asked.fields else None, str(refusal.detail))
        return _show_form(request, link.notice, asked, now, status=refusal.status)
    return _to_the_private_page(request, appeal, language, now)


def _to_the_private_page(request: HttpRequest, appeal: Appeal, language: str, now: datetime) -> HttpResponse:
    _FOLLOW.admit(request, appeal_links.to_follow(appeal, at=now), at=now)
    return HttpResponseRedirect(addresses.own_appeal(language))


def _show_form(
    request: HttpRequest, notice: Notice, asked: AppealForm, now: datetime, status: int = 200
) -> HttpResponse:
    measurement = notice.measurement or notice.certificate.measurement
    zone: ZoneInfo = measurement.scheme.rules.zone
    with timezone.override(zone):
        return render(
            request,
            "concerns/appeal.html",
            {
                "notice": notice,
                "form": asked,
                "until": notice.appeal_until.astimezone(zone),
                "late": now >= notice.appeal_until,
                "last_moment": appeal_links.last_moment(notice).astimezone(zone),
            },
            status=status,
        )


# ── the private page ─────────────────────────────────────────────────────────


@require_safe
@private_page
def own(request: HttpRequest, language: str) -> HttpResponse:
    now = clock.now()
    try:
        appeal = _FOLLOW.link(request, at=now).appeal
    except LinkRefused as refusal:
        return _FOLLOW.refused(request, refusal)
    zone = appeal_rows.zone_of(appeal)
    return render(
        request,
        "concerns/appeal_mine.html",
        {
            "appeal": appeal_facts.of_appeal(appeal, at=now, zone=zone),
            "late": appeal.late,
            "grounds": appeal.grounds,
            "attachments": list(appeal.attachments.all()),
            "open": appeal_rows.life_of(appeal).is_open,
        },
    )


@require_POST
@private_page
def withdraw(request: HttpRequest, language: str) -> HttpResponse:
    now = clock.now()
    try:
        link = _FOLLOW.link(request, at=now)
        appeals.withdraw(appeal_authors.ByLink(link), at=now)
    except LinkRefused as refusal:
        if refusal.code != "link_used":
            return _FOLLOW.refused(request, refusal)
    return HttpResponseRedirect(addresses.own_appeal(language))
