"""The first page of the operators' area: one's own runs, newest first."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from certificates.views import keyset
from certificates.views.runs.area import Area, runs_page, show
from evidence import runs

PAGE_SIZE = 25


@require_GET
@runs_page
def listed(request: HttpRequest, area: Area) -> HttpResponse:
    page = keyset.newest_first(request, runs.of(area.person), size=PAGE_SIZE)
    return show(request, area, "list", here="list", runs=page.rows, following=page.following)
