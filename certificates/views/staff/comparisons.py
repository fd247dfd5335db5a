"""Comparisons behind the desk: also of measurements that nobody else may see yet."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from certificates import comparisons, pages, visibility
from certificates.views.staff.desk import Desk, show, staff_page
from grading import comparing
from grading.models import ComparisonRequest, RequestOrigin, RequestState


@require_http_methods(["GET", "POST"])
@staff_page
def compare(request: HttpRequest, desk: Desk) -> HttpResponse:
    if request.method == "POST":
        among = visibility.measurements_for(desk.user)
        first, second = (comparisons.named(request.POST.get(name, ""), among) for name in ("first", "second"))
        if first is None or second is None:
            raise comparisons.MeasurementsNotFound
        row = comparing.request(first, second, origin=RequestOrigin.STAFF, at=desk.now)
        return HttpResponseRedirect(_address(row))
    page = _page(request, desk)
    row = _request_of(page) if page.state == "failed" else None
    return show(
        request,
        desk,
        "compare",
        here="compare",
        page=page,
        failed=row,
        refusal=comparing.refusal_to_restart(desk.user, row) if row else None,
        status=comparisons.STATUS.get(page.state, 200),
    )


@require_GET
@staff_page
def progress(request: HttpRequest, desk: Desk) -> JsonResponse:
    """How far it is, for the page that waits."""
    page = _page(request, desk)
    return JsonResponse({"done": page.done, "total": page.total, "finished": page.state != "waiting"})


@require_POST
@staff_page
def restart(_request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    row = get_object_or_404(ComparisonRequest, pk=pk, state=RequestState.FAILED)
    comparing.restart(row, by=desk.user, at=desk.now)
    return HttpResponseRedirect(_address(row))


def _page(request: HttpRequest, desk: Desk) -> pages.ComparisonPage:
    return comparisons.page(
        request.GET.get("first", ""),
        request.GET.get("second", ""),
        among=visibility.measurements_for(desk.user),
        at=desk.now,
        action=reverse("staff:compare"),
    )


def _request_of(page: pages.ComparisonPage) -> ComparisonRequest:
    first, second = (comparisons.key_of(of.reference) for of in (page.first, page.second))
    return ComparisonRequest.objects.get(first=first, second=second)


def _address(row: ComparisonRequest) -> str:
    return f"{reverse('staff:compare')}?first=M-{row.first_id}&second=M-{row.second_id}"
