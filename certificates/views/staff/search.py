"""The search of the staff: one box for everything that has a page here."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from certificates import staff_search
from certificates.views.staff.desk import Desk, show, staff_page


@require_GET
@staff_page
def search(request: HttpRequest, desk: Desk) -> HttpResponse:
    wanted = staff_search.typed(request.GET.get("q", ""), language=request.LANGUAGE_CODE)
    kind, before = request.GET.get("kind", ""), request.GET.get("before", "")
    kind = kind if kind in staff_search.SEARCHERS else ""
    key = int(before) if before.isascii() and before.isdigit() and len(before) < 18 else None
    return show(
        request,
        desk,
        "search",
        here="search",
        q=wanted.text,
        groups=staff_search.find(wanted, roles=desk.roles, kind=kind, before=key),
    )
