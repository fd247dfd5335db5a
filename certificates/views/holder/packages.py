"""The packages that a holder's systems are in: their state, and the findings with how to mend each."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from certificates import finding_facts, holder_facts
from certificates.models import Notice
from certificates.states import Decision
from certificates.views import keyset
from certificates.views.holder.area import Area, holder_page, show
from evidence import verification
from evidence.models.package import TERMINAL_STATES

PAGE_SIZE = 50


@require_GET
@holder_page
def packages(request: HttpRequest, area: Area) -> HttpResponse:
    """Newest first, by keyset: `before` is the last id of the page before."""
    rows = holder_facts.packages_of(area.holder)
    page = keyset.newest_first(request, rows, size=PAGE_SIZE)
    return show(request, area, "packages", here="packages", packages=page.rows, following=page.following)


@require_GET
@holder_page
def package(request: HttpRequest, area: Area, package: int) -> HttpResponse:
    row = get_object_or_404(holder_facts.packages_of(area.holder), pk=package)
    checked = verification.latest(row)
    return show(
        request,
        area,
        "package",
        here="packages",
        package=row,
        running=row.state not in TERMINAL_STATES,
        verification=checked,
        findings=finding_facts.of(row, checked, reader=area.user, language=request.LANGUAGE_CODE)
        if checked
        else None,
        notices=list(
            Notice.objects.filter(measurement__package=row, decision__in=[Decision.ISSUE, Decision.REFUSE])
            .select_related("certificate")
            .order_by("pk")
        ),
    )
