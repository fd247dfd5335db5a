"""The holder's own page of an appeal, and its withdrawal, which asks once more before it is recorded."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from certificates import appeal_authors, appeal_rows, appeals, holder_facts
from certificates.appeal_states import AppealState
from certificates.models import Appeal
from certificates.views import filing
from certificates.views.holder.area import Area, holder_page, show


@require_GET
@holder_page
def appeal(request: HttpRequest, area: Area, number: str) -> HttpResponse:
    return show(
        request, area, "appeal", here="decisions", **filing.of_appeal(_found(area, number), at=area.now)
    )


@require_http_methods(["GET", "HEAD", "POST"])
@holder_page
def withdraw(request: HttpRequest, area: Area, number: str) -> HttpResponse:
    row = _found(area, number)
    own = HttpResponseRedirect(reverse("holder:appeal", args=[area.holder.pk, row.number]))
    if not appeal_rows.life_of(row).is_open:
        # The back button, or a second press.
        if row.standing.state == AppealState.WITHDRAWN and request.method == "POST":
            messages.info(request, _("The appeal is withdrawn already: nothing was recorded again."))
        return own
    if request.method != "POST":
        return show(request, area, "withdraw", here="decisions", row=row)
    appeals.withdraw(appeal_authors.ByAccount(area.user, row.notice), at=area.now)
    messages.success(request, _("The appeal is withdrawn."))
    return own


def _found(area: Area, number: str) -> Appeal:
    row = (
        appeal_rows.with_parents()
        .filter(number=number, notice__in=holder_facts.notices_of(area.holder).values("pk"))
        .first()
    )
    if row is None:
        raise Http404
    return row
