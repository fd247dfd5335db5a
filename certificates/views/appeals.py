"""The holder's doors to an appeal: the link from a letter, the form, the private page, withdrawing."""

from datetime import datetime
from functools import partial

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from certificates import (
    addresses,
    appeal_authors,
    appeal_links,
    appeals,
)
from certificates.appeal_forms import AppealForm
from certificates.models import Appeal, AppealLink, Notice
from certificates.models.appeal import LinkPurpose
from certificates.views import filing
from certificates.views.links import LinkDoor, fit_to_read
from certificates.views.private import private_page
from registry_site import clock
from registry_site.signed_links import LinkRefused


def _known() -> QuerySet[AppealLink]:
    return AppealLink.objects.select_related("notice__certificate", "notice__measurement__scheme")


_FILE, _FOLLOW = (
    LinkDoor(
        "appeal_link",
        purpose,
        partial(appeal_links.find, purpose=purpose),
        _known,
        "concerns/appeal_link.html",
    )
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
    try:
        made = filing.file_from(request, asked, appeal_authors.ByLink(link), language=language, at=now)
    except LinkRefused as refusal:
        filed = Appeal.objects.filter(notice=link.notice).first()
        if filed is not None:
            return _to_the_private_page(request, filed, language, now)
        return _FILE.refused(request, refusal)
    if not isinstance(made, Appeal):
        return _show_form(request, link.notice, asked, now, status=made)
    return _to_the_private_page(request, made, language, now)


def _to_the_private_page(request: HttpRequest, appeal: Appeal, language: str, now: datetime) -> HttpResponse:
    _FOLLOW.admit(request, appeal_links.to_follow(appeal, at=now), at=now)
    return HttpResponseRedirect(addresses.own_appeal(language))


def _show_form(
    request: HttpRequest, notice: Notice, asked: AppealForm, now: datetime, status: int = 200
) -> HttpResponse:
    zone, facts = filing.of_form(notice, asked, at=now)
    with timezone.override(zone):
        return render(request, "concerns/appeal.html", facts, status=status)


# ── the private page ─────────────────────────────────────────────────────────


@require_safe
@private_page
def own(request: HttpRequest, language: str) -> HttpResponse:
    now = clock.now()
    try:
        appeal = _FOLLOW.link(request, at=now).appeal
    except LinkRefused as refusal:
        return _FOLLOW.refused(request, refusal)
    return render(request, "concerns/appeal_mine.html", filing.of_appeal(appeal, at=now))


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
