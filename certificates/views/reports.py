"""Doors to a complaint for whoever makes it: the form, confirming it, its private page, asking for a review."""

from datetime import datetime, timedelta
from functools import partial
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from certificates import (
    addresses,
    attached_files,
    finding,
    report_facts,
    report_links,
    report_rows,
    report_states,
    reports,
)
from certificates.complaint_forms import ComplaintForm, ReviewForm
from certificates.models import Certificate, Report, ReportDraft, ReportLink
from certificates.models.report import ReportLinkPurpose
from certificates.report_states import ABOUT_OTHERS
from certificates.views import tickets
from certificates.views.links import LinkDoor, fit_to_read
from certificates.views.private import private_page
from registry_site import clock, rates
from registry_site.client_address import client_address
from registry_site.problems import Refusal
from registry_site.signed_links import LinkRefused

RATE = "reports"
# Hidden from people and left empty by them; programs that fill in every field are told by it.
TRAP = "reference"
_SALT = "certificates.views.reports"
# Which forms of this session were sent, and what became of them: the back button sends nothing twice.
_SENT = "reports_sent"
_REMEMBERED = 20


def _known() -> QuerySet[ReportLink]:
    return ReportLink.objects.select_related("draft__certificate", "report")


_CONFIRM, _FOLLOW = (
    LinkDoor(
        f"report_{purpose}",
        purpose,
        partial(report_links.find, purpose=purpose),
        _known,
        "concerns/report_link.html",
    )
    for purpose in (ReportLinkPurpose.CONFIRM, ReportLinkPurpose.FOLLOW)
)


# ── the form ─────────────────────────────────────────────────────────────────


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
@fit_to_read
def form(request: HttpRequest, language: str) -> HttpResponse:
    now = clock.now()
    if request.method != "POST":
        number = request.GET.get("certificate", "")[:200]
        return _show_form(request, ComplaintForm(initial={"certificate": number}), now, number=number)
    asked = ComplaintForm(request.POST, request.FILES)
    ticket = tickets.read(request.POST.get("ticket", ""), salt=_SALT, at=now)
    if ticket is not None and ticket.once in request.session.get(_SENT, {}):
        return HttpResponseRedirect(addresses.report_sent(language))
    if not asked.is_valid():
        return _show_form(request, asked, now, ticket, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    if ticket is None or ticket.is_too_quick(at=now) or request.POST.get(TRAP):
        asked.add_error(None, _why_not_yet(ticket, trapped=bool(request.POST.get(TRAP))))
        return _show_form(request, asked, now, ticket, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    rate = rates.take(RATE, client_address(request), at=now)
    if rate is not None and rate.exceeded:
        asked.add_error(
            None, _("Too many attempts from here. What you wrote is still in the form: try again later.")
        )
        return _show_form(request, asked, now, ticket, status=HTTPStatus.TOO_MANY_REQUESTS)
    try:
        kept = attached_files.keep((file.name or "", file) for file in asked.cleaned_data["attachments"])
        draft = reports.send(at=now, language=language, attachments=kept, once=ticket.once, **asked.facts())
    except Refusal as refusal:
        named = refusal.extra.get("field")
        asked.add_error(named if named in asked.fields else None, str(refusal.detail))
        return _show_form(request, asked, now, ticket, status=refusal.status)
    _remember(request, ticket, draft)
    return HttpResponseRedirect(addresses.report_sent(language))


def _why_not_yet(ticket: tickets.Ticket | None, *, trapped: bool) -> str:
    if trapped:
        return _("A field that people do not see was filled in. It is empty again: send the complaint anew.")
    if ticket is None:
        return _("The form was open too long. What you wrote is still in it: send it anew.")
    return _("That was too quick to be read by a person. What you wrote is still in the form: send it anew.")


def _show_form(
    request: HttpRequest,
    asked: ComplaintForm,
    now: datetime,
    ticket: tickets.Ticket | None = None,
    *,
    number: str = "",
    status: int = 200,
) -> HttpResponse:
    about, unknown = _about(asked, number)
    return render(
        request,
        "concerns/report.html",
        {
            "form": asked,
            "ticket": (ticket or tickets.new(at=now)).signed(salt=_SALT),
            "trap": TRAP,
            "about": about,
            "unknown": unknown,
            "number": number,
            "query": request.GET.urlencode(),
            "days": settings.PERSONAL_DATA_DAYS,
            "confirmed_within": report_links.CONFIRMED_WITHIN.days,
            "taken_up_within": reports.TAKEN_UP_WITHIN,
            "reply_within": reports.REPLY_WITHIN,
            "decided_within": reports.DECIDED_WITHIN,
            # A browser does not send files again with a form that it shows again.
            "files_to_choose_again": asked.is_bound and bool(asked.files),
        },
        status=status,
    )


def _about(asked: ComplaintForm, number: str) -> tuple[Certificate | None, Refusal | None]:
    """The certificate that the form names by now, or why there is none."""
    if asked.is_bound:
        return getattr(asked, "cleaned_data", {}).get("certificate"), None
    if not number:
        return None, None
    try:
        return finding.certificate(number), None
    except (finding.CertificateNotFound, finding.NumberMistyped) as refusal:
        return None, refusal


def _remember(request: HttpRequest, ticket: tickets.Ticket, draft: ReportDraft) -> None:
    kept = list(request.session.get(_SENT, {}).items())[1 - _REMEMBERED :]
    request.session[_SENT] = dict([*kept, (ticket.once, draft.pk)])


@require_safe
@private_page
def sent(request: HttpRequest, language: str) -> HttpResponse:
    """What follows: an e-mail whose link has to be opened. Who is written to is read from the draft, not kept here."""
    last = list(request.session.get(_SENT, {}).values())[-1:]
    draft = ReportDraft.objects.filter(pk__in=last).first()
    zone = report_rows.calendar_of(draft.certificate if draft else None)
    return render(
        request,
        "concerns/report_sent.html",
        {"draft": draft, "until": draft.expires_at.astimezone(zone) if draft else None},
    )


# ── confirming ───────────────────────────────────────────────────────────────


@require_safe
@private_page
def by_confirm_link(request: HttpRequest, language: str, secret: str) -> HttpResponse:
    now = clock.now()
    try:
        _CONFIRM.admit(request, secret, at=now)
    except LinkRefused as refusal:
        # Its number may be told to whoever holds the letter; what it says, only by the link that came with the number.
        return _CONFIRM.refused(request, refusal, confirmed=report_links.confirmed_by(secret))
    return HttpResponseRedirect(addresses.report_confirm(language))


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def confirm(request: HttpRequest, language: str) -> HttpResponse:
    now = clock.now()
    try:
        link = _CONFIRM.link(request, at=now)
        if link.report is not None:
            # The back button, or a second press: what was recorded is shown, and nothing is recorded again.
            return _to_the_private_page(request, link.report, language, now)
        report_links.living(link, at=now)
        if request.method == "POST":
            return _to_the_private_page(request, reports.confirm(link, at=now), language, now)
    except LinkRefused as refusal:
        confirmed = Report.objects.filter(links=link).first() if refusal.code == "link_used" else None
        if confirmed is not None:
            return _to_the_private_page(request, confirmed, language, now)
        return _CONFIRM.refused(request, refusal)
    draft = link.draft
    zone = report_rows.calendar_of(draft.certificate)
    return render(
        request,
        "concerns/report_confirm.html",
        {
            "draft": draft,
            "until": draft.expires_at.astimezone(zone),
            "files": [one["name"] for one in draft.attachments],
        },
    )


def _to_the_private_page(request: HttpRequest, report: Report, language: str, now: datetime) -> HttpResponse:
    _FOLLOW.admit(request, report_links.to_follow(report, at=now), at=now)
    return HttpResponseRedirect(addresses.own_report(language))


# ── the private page ─────────────────────────────────────────────────────────


@require_safe
@private_page
def by_follow_link(request: HttpRequest, language: str, secret: str) -> HttpResponse:
    return _FOLLOW.enter(request, secret, at=clock.now(), to=addresses.own_report(language))


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def own(request: HttpRequest, language: str) -> HttpResponse:
    now = clock.now()
    try:
        link = _FOLLOW.link(request, at=now)
        report_links.living(link, at=now)
    except LinkRefused as refusal:
        return _FOLLOW.refused(request, refusal)
    report = report_rows.with_parents().get(pk=link.report_id)
    if request.method != "POST":
        return _show_own(request, report, ReviewForm(), now)
    asked = ReviewForm(request.POST)
    if not report_states.is_reviewable(report_rows.life_of(report), at=now):
        # A second press, or too late: the page says where it stands.
        return HttpResponseRedirect(addresses.own_report(language))
    if not asked.is_valid():
        return _show_own(request, report, asked, now, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        reports.ask_review(link, at=now, why=asked.cleaned_data["why"])
    except Refusal as refusal:
        named = refusal.extra.get("field")
        asked.add_error(named if named in asked.fields else None, str(refusal.detail))
        return _show_own(request, report, asked, now, status=refusal.status)
    return HttpResponseRedirect(addresses.own_report(language))


def _show_own(
    request: HttpRequest, report: Report, asked: ReviewForm, now: datetime, status: int = 200
) -> HttpResponse:
    return render(
        request,
        "concerns/report_mine.html",
        {**_told(report, now), "form": asked},
        status=status,
    )


def _told(report: Report, now: datetime) -> dict[str, Any]:
    """All of it for whoever made it, but what the holder did not want to publish."""
    zone = report_rows.calendar_of(report.certificate)
    life = report_rows.life_of(report)
    due = report.standing.deadline_at
    erased = life.closed_at + timedelta(days=settings.PERSONAL_DATA_DAYS) if life.closed_at else None
    return {
        "report": report,
        "contents": report.contents,
        "life": life,
        "state": life.state.value,
        "reply_open": life.replied_at is None and life.reply_until is not None and now < life.reply_until,
        "due": due.astimezone(zone) if due else None,
        "erased_on": erased.astimezone(zone) if erased else None,
        "days": settings.PERSONAL_DATA_DAYS,
        "reviewable": report_states.is_reviewable(life, at=now),
        "steps": report_facts.steps_of(report, zone=zone),
        "reply": report_facts.reply_of(report),
        "about_others": report.kind in ABOUT_OTHERS,
    }
