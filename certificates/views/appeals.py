"""The holder's doors to an appeal: the link from a letter, the form, the private page, withdrawing.

A link is opened with GET, by people and by programs that look at mail before people do, so GET changes nothing:
it moves the secret into a short session and goes on to an address without it. Only a POST acts.
"""

from datetime import datetime, timedelta
from http import HTTPStatus
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
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
from certificates.views.private import private_page
from registry_site import clock, rates
from registry_site.client_address import client_address
from registry_site.problems import Refusal

# How long the session stands in for the link. The link itself lives until it is used or its deadline has passed.
SESSION_HOLDS = timedelta(hours=2)
_SESSION = "appeal_link"


# ── from the letter ──────────────────────────────────────────────────────────


@require_safe
@private_page
def by_link(request: HttpRequest, language: str, secret: str) -> HttpResponse:
    return _enter(request, secret, LinkPurpose.FILE, addresses.appeal(language))


@require_safe
@private_page
def by_follow_link(request: HttpRequest, language: str, secret: str) -> HttpResponse:
    return _enter(request, secret, LinkPurpose.FOLLOW, addresses.own_appeal(language))


def _enter(request: HttpRequest, secret: str, purpose: LinkPurpose, to: str) -> HttpResponse:
    now = clock.now()
    try:
        link = appeal_links.find(secret, purpose=purpose, at=now)
    except LinkRefused as refusal:
        return _refused(request, refusal)
    _remember(request, link, now)
    return HttpResponseRedirect(to)


def _remember(request: HttpRequest, link: AppealLink, now: datetime) -> None:
    request.session[_SESSION] = {
        "link": link.pk,
        "purpose": link.purpose,
        "until": (now + SESSION_HOLDS).isoformat(),
    }


def _link(request: HttpRequest, purpose: LinkPurpose, now: datetime) -> AppealLink:
    """The link this session came by, also one that was used meanwhile; or `LinkRefused`."""
    kept = request.session.get(_SESSION) or {}
    if kept.get("purpose") != purpose or now >= datetime.fromisoformat(kept["until"]):
        raise LinkRefused(
            _("Open the link in the e-mail: this page is reached by it alone."), code="link_needed"
        )
    link = (
        AppealLink.objects.select_related("notice__certificate", "notice__measurement__scheme")
        .filter(pk=kept["link"])
        .first()
    )
    if link is None:
        raise LinkRefused()
    return link


def _refused(request: HttpRequest, refusal: LinkRefused) -> HttpResponse:
    return render(request, "concerns/appeal_link.html", {"refusal": refusal}, status=refusal.status)


# ── the form ─────────────────────────────────────────────────────────────────


@csrf_exempt  # not left out: `_form` has it, once the length is known to be fit to read
@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def form(request: HttpRequest, language: str) -> HttpResponse:
    if request.method == "POST" and _length(request) > attached_files.LONGEST_REQUEST:
        return render(
            request,
            "concerns/appeal_too_long.html",
            {"most": attached_files.MOST, "megabytes": attached_files.LARGEST // 1024**2},
            status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
        )
    return _form(request, language)


@csrf_protect
def _form(request: HttpRequest, language: str) -> HttpResponse:
    now = clock.now()
    try:
        link = _link(request, LinkPurpose.FILE, now)
        filed = Appeal.objects.filter(notice=link.notice).first()
        if filed is not None and link.used_at is not None:
            # The back button, or a second press: what was recorded is shown, and nothing is recorded again.
            return _to_the_private_page(request, filed, language, now)
        appeal_links.living(link, at=now)
    except LinkRefused as refusal:
        return _refused(request, refusal)
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
        return _refused(request, refusal)
    except Refusal as refusal:
        named = refusal.extra.get("field")
        asked.add_error(named if named in asked.fields else None, str(refusal.detail))
        return _show_form(request, link.notice, asked, now, status=refusal.status)
    return _to_the_private_page(request, appeal, language, now)


def _to_the_private_page(request: HttpRequest, appeal: Appeal, language: str, now: datetime) -> HttpResponse:
    secret = appeal_links.to_follow(appeal, at=now)
    _remember(request, appeal_links.find(secret, purpose=LinkPurpose.FOLLOW, at=now), now)
    return HttpResponseRedirect(addresses.own_appeal(language))


def _length(request: HttpRequest) -> int:
    declared = request.META.get("CONTENT_LENGTH") or "0"
    return int(declared) if declared.isdecimal() else 0


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
        appeal = _link(request, LinkPurpose.FOLLOW, now).appeal
    except LinkRefused as refusal:
        return _refused(request, refusal)
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
        link = _link(request, LinkPurpose.FOLLOW, now)
        appeals.withdraw(appeal_authors.ByLink(link), at=now)
    except LinkRefused as refusal:
        if refusal.code != "link_used":
            return _refused(request, refusal)
    return HttpResponseRedirect(addresses.own_appeal(language))
