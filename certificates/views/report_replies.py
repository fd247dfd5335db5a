"""The holder's doors to a complaint about its certificate: the link from the letter, the reply, what was recorded.

The same form, preview and record serve the holder's people, who reply from their account.
"""

from collections.abc import Callable
from functools import partial
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
from certificates.report_states import ReportStep
from certificates.views.links import LinkDoor
from certificates.views.private import private_page
from registry_site import clock
from registry_site.problems import Refusal
from registry_site.signed_links import LinkRefused

# (name of the page, status, facts) → the answer; each door has its own pages around the same parts.
Show = Callable[[str, int, dict[str, Any]], HttpResponse]


def _known() -> QuerySet[ReportLink]:
    return ReportLink.objects.filter(purpose=ReportLinkPurpose.REPLY)


_REPLY = LinkDoor(
    "report_reply",
    ReportLinkPurpose.REPLY,
    partial(report_links.find, purpose=ReportLinkPurpose.REPLY),
    _known,
    "concerns/report_link.html",
)


@require_safe
@private_page
def by_link(request: HttpRequest, language: str, secret: str) -> HttpResponse:
    return _REPLY.enter(request, secret, at=clock.now(), to=addresses.report_reply(language))


@require_http_methods(["GET", "HEAD", "POST"])
@private_page
def form(request: HttpRequest, language: str) -> HttpResponse:
    now = clock.now()

    def show(page: str, status: int, facts: dict[str, Any]) -> HttpResponse:
        return render(request, f"concerns/{page}.html", facts, status=status)

    try:
        link = _REPLY.link(request, at=now)
        report = report_rows.with_parents().get(pk=link.report_id)
        if report_rows.life_of(report).replied_at is not None:
            # The back button, or a second press: what was recorded is shown, and nothing is recorded again.
            return show("report_replied", HTTPStatus.OK, recorded(report))
        report_links.living(link, at=now)
    except LinkRefused as refusal:
        return _REPLY.refused(request, refusal)
    return answer(
        request,
        report,
        lambda facts: reports.reply(report, at=now, link=link, **facts),
        to=addresses.report_reply(language),
        show=show,
    )


def answer(
    request: HttpRequest, report: Report, reply: Callable[[dict[str, Any]], Any], *, to: str, show: Show
) -> HttpResponse:
    """The form, its preview, and the reply: `reply` takes the facts of the form, `to` shows what was recorded."""
    if request.method != "POST":
        return show("report_reply", HTTPStatus.OK, _asked(report, ReplyForm()))
    asked = ReplyForm(request.POST)
    if not asked.is_valid():
        return show("report_reply", HTTPStatus.UNPROCESSABLE_ENTITY, _asked(report, asked))
    action, facts = request.POST.get("action"), asked.facts()
    if action == "edit":
        return show("report_reply", HTTPStatus.OK, _asked(report, ReplyForm(initial=asked.cleaned_data)))
    if action != "send":
        return show("report_reply_preview", HTTPStatus.OK, _asked(report, asked) | _as_read(facts))
    try:
        reply(facts)
    except Refusal as refusal:
        report = report_rows.with_parents().get(pk=report.pk)
        if report_rows.life_of(report).replied_at is None:
            named = refusal.extra.get("field")
            asked.add_error(named if named in asked.fields else None, str(refusal.detail))
            return show("report_reply", refusal.status, _asked(report, asked))
    return HttpResponseRedirect(to)


def put(report: Report) -> dict[str, Any]:
    """What the holder is told of a complaint: its kind, the registry's summary, the term; never its words."""
    asked = next(one for one in report.events.all() if one.step == ReportStep.ASK_HOLDER)
    return {
        "report": report,
        "summary": pages.Text(es=asked.summary_es, en=asked.summary_en),
        "until": asked.until.astimezone(report_rows.zone_of(report)),
    }


def recorded(report: Report) -> dict[str, Any]:
    """The reply as it was given, until it is erased where it was not published."""
    replied_at = report_rows.life_of(report).replied_at
    published = getattr(report, "reply", None)
    kept = report.contents.reply_text
    return put(report) | {
        "replied_at": replied_at.astimezone(report_rows.zone_of(report)),
        "published": published is not None,
        "text": {"es": published.text_es, "en": published.text_en} if published else {"es": kept, "en": ""},
    }


def _asked(report: Report, asked: ReplyForm) -> dict[str, Any]:
    return put(report) | {"form": asked}


def _as_read(facts: dict[str, Any]) -> dict[str, Any]:
    """As the public reads it: where one language is missing, the other stands in for it."""
    text = facts["text"]
    return {
        "published": facts["published"],
        "text": {"es": text["es"] or text["en"], "en": text["en"] or text["es"]},
        "written_in": {"es": "es" if text["es"] else "en", "en": "en" if text["en"] else "es"},
    }
