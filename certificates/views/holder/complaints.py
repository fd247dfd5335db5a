"""The complaints that were put to a holder, and the reply to one from the account of one of its people."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_http_methods

from certificates import holder_facts, policies, refusals, report_rows, reports
from certificates.views import keyset, report_replies
from certificates.views.holder.area import Area, holder_page, show

PAGE_SIZE = 25


@require_GET
@holder_page
def complaints(request: HttpRequest, area: Area) -> HttpResponse:
    """Newest first, by keyset: `before` is the last id of the page before."""
    rows = holder_facts.reports_of(area.holder)
    page = keyset.newest_first(request, rows, size=PAGE_SIZE)
    return show(
        request,
        area,
        "complaints",
        here="complaints",
        complaints=[holder_facts.complaint(row, at=area.now) for row in page.rows],
        following=page.following,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@holder_page(survives_back=True)
def reply(request: HttpRequest, area: Area, number: str) -> HttpResponse:
    report = holder_facts.reports_of(area.holder).filter(number=number).first()
    if report is None:
        raise Http404

    def shown(page: str, status: int, facts: dict[str, Any]) -> HttpResponse:
        return show(request, area, page, here="complaints", status=status, **facts)

    life = report_rows.life_of(report)
    if life.replied_at is not None:
        # The back button, or a second press: what was recorded is shown, and nothing is recorded again.
        return shown("report_replied", 200, report_replies.recorded(report))
    if refusal := policies.refusal_to_reply(area.user, report):
        raise refusal
    if not holder_facts.may_reply(life, at=area.now):
        raise refusals.ReportRefused(_("The term to reply has ended, or the complaint is decided."))
    return report_replies.answer(
        request,
        report,
        lambda facts: reports.reply(report, at=area.now, by=area.user, **facts),
        to=reverse("holder:reply", args=[area.holder.pk, report.number]),
        show=shown,
    )
