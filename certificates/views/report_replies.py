"""The holder's doors to a complaint about its certificate: the link from the letter, the reply, what was recorded."""

from datetime import datetime
from http import HTTPStatus
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_http_methods, require_safe

from certificates import addresses, pages, report_links, report_rows, reports
from certificates.complaint_forms import ReplyForm
from certificates.models import Report, ReportLink
from certificates.models.report import ReportLinkPurpose
from certificates.refusals import LinkRefused
from certificates.report_states import ReportStep
from certificates.views.links import LinkDoor
from certificates.views.private import private_page
from registry_site import clock
from registry_site.problems import Refusal


def _known() -> QuerySet[ReportLink]:
    return ReportLink.objects.filter(purpose=ReportLinkPurpose.REPLY)


_REPLY = LinkDoor(
    "report_reply", ReportLinkPurpose.REPLY, report_links.find, _known, "concerns/report_link.html"
)


@require_safe
@private_page
def by_link(request: HttpRequest, language: str, secret: str) -> HttpResponse:
    return _REPLY.enter(request, secret, at=clock.now(), to=addresses.report_reply(language))


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def form(request: HttpRequest, language: str) -> HttpResponse:
    now = clock.now()
    try:
        link = _REPLY.link(request, at=now)
        report = report_rows.with_parents().get(pk=link.report_id)
        if report_rows.life_of(report).replied_at is not None:
            # The back button, or a second press: what was recorded is shown, and nothing is recorded again.
            return _show_recorded(request, report)
        report_links.living(link, at=now)
    except LinkRefused as refusal:
        return _REPLY.refused(request, refusal)
    return answer(
        request,
        report,
        lambda facts: reports.reply(report, at=now, link=link, **facts),
        to=addresses.report_reply(language),
    )


def answer(request: HttpRequest, report: Report, reply: Any, *, to: str) -> HttpResponse:
    """The form, its preview, and the reply itself, for whoever may reply; `reply` takes the facts of the form."""
    if request.method != "POST":
        return _show(request, report, "concerns/report_reply.html", ReplyForm())
    asked = ReplyForm(request.POST)
    action = request.POST.get("action")
    if not asked.is_valid():
        return _show(
            request, report, "concerns/report_reply.html", asked, status=HTTPStatus.UNPROCESSABLE_ENTITY
        )
    facts = asked.facts()
    if action == "edit":
        return _show(request, report, "concerns/report_reply.html", ReplyForm(initial=asked.cleaned_data))
    if action != "send":
        return _show(request, report, "concerns/report_reply_preview.html", asked, **_as_read(facts))
    try:
        reply(facts)
    except Refusal as refusal:
        report = report_rows.with_parents().get(pk=report.pk)
        if report_rows.life_of(report).replied_at is None:
            named = refusal.extra.get("field")
            asked.add_error(named if named in asked.fields else None, str(refusal.detail))
            return _show(request, report, "concerns/report_reply.html", asked, status=refusal.status)
    return HttpResponseRedirect(to)


def _show(
    request: HttpRequest, report: Report, page: str, asked: ReplyForm, *, status: int = 200, **facts: Any
) -> HttpResponse:
    zone = report_rows.zone_of(report)
    until = report_rows.life_of(report).reply_until
    return render(
        request,
        page,
        {
            "report": report,
            "summary": _summary(report),
            "until": until.astimezone(zone) if until else None,
            "form": asked,
            **facts,
        },
        status=status,
    )


def _show_recorded(request: HttpRequest, report: Report) -> HttpResponse:
    replied_at: datetime = report_rows.life_of(report).replied_at
    published = getattr(report, "reply", None)
    kept = report.contents.reply_text
    return render(
        request,
        "concerns/report_replied.html",
        {
            "report": report,
            "summary": _summary(report),
            "replied_at": replied_at.astimezone(report_rows.zone_of(report)),
            "published": published is not None,
            "text": {"es": published.text_es, "en": published.text_en}
            if published
            else {"es": kept, "en": ""},
        },
    )


def _as_read(facts: dict[str, Any]) -> dict[str, Any]:
    """As the public reads it: where one language is missing, the other stands in for it."""
    text = facts["text"]
    return {
        "published": facts["published"],
        "text": {"es": text["es"] or text["en"], "en": text["en"] or text["es"]},
        "written_in": {"es": "es" if text["es"] else "en", "en": "en" if text["en"] else "es"},
    }


def _summary(report: Report) -> pages.Text:
    asked = next(one for one in report.events.all() if one.step == ReportStep.ASK_HOLDER)
    return pages.Text(es=asked.summary_es, en=asked.summary_en)
