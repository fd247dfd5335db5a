"""The decisions that concern a holder, and the form to appeal against one of them."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods

from certificates import appeal_authors, holder_facts, policies
from certificates.appeal_forms import AppealForm
from certificates.models import Appeal, Notice
from certificates.views import filing, keyset
from certificates.views.holder.area import Area, holder_page, show
from certificates.views.links import fit_to_read

PAGE_SIZE = 25


@require_GET
@holder_page
def decisions(request: HttpRequest, area: Area) -> HttpResponse:
    """Newest first, by keyset: `before` is the last id of the page before."""
    rows = holder_facts.notices_of(area.holder)
    page = keyset.newest_first(request, rows, size=PAGE_SIZE)
    return show(
        request,
        area,
        "decisions",
        here="decisions",
        decisions=holder_facts.decisions(page.rows, user=area.user, at=area.now),
        following=page.following,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@holder_page(survives_back=True)
@fit_to_read
def appeal(request: HttpRequest, area: Area, number: str) -> HttpResponse:
    notice = holder_facts.notices_of(area.holder).filter(number=number).first()
    if notice is None:
        raise Http404
    filed = Appeal.objects.filter(notice=notice).first()
    if filed is not None:
        # The back button, or a second press: what was recorded is shown, and nothing is recorded again.
        return _to(area, filed)
    if refusal := policies.refusal_to_file_appeal(area.user, notice, at=area.now):
        raise refusal
    if request.method != "POST":
        asked = AppealForm(initial={"name": area.person.name, "email": area.user.email})
        return _show_form(request, area, notice, asked)
    asked = AppealForm(request.POST, request.FILES)
    made = filing.file_from(
        request,
        asked,
        appeal_authors.ByAccount(area.user, notice),
        language=area.user.language,
        at=area.now,
    )
    if not isinstance(made, Appeal):
        filed = Appeal.objects.filter(notice=notice).first()
        return _to(area, filed) if filed else _show_form(request, area, notice, asked, status=made)
    return _to(area, made)


def _to(area: Area, filed: Appeal) -> HttpResponse:
    return HttpResponseRedirect(reverse("holder:appeal", args=[area.holder.pk, filed.number]))


def _show_form(
    request: HttpRequest, area: Area, notice: Notice, asked: AppealForm, status: int = 200
) -> HttpResponse:
    zone, facts = filing.of_form(notice, asked, at=area.now)
    with timezone.override(zone):
        return show(request, area, "appeal_form", here="decisions", status=status, **facts)
