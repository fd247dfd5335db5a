"""The search of the staff: one box for everything that has a page here."""

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from certificates import staff_search
from certificates.views import keyset
from certificates.views.staff.desk import Desk, show, staff_page


@require_GET
@staff_page
def search(request: HttpRequest, desk: Desk) -> HttpResponse:
    wanted = staff_search.typed(request.GET.get("q", ""), language=request.LANGUAGE_CODE)
    kind = request.GET.get("kind", "")
    kind = kind if kind in staff_search.SEARCHERS else ""
    return show(
        request,
        desk,
        "search",
        here="search",
        q=wanted.text,
        groups=staff_search.find(
            wanted, roles=desk.roles, kind=kind, before=keyset.key_in(request.GET.get("before", ""))
        ),
    )
