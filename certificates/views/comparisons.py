"""The public door to comparisons: GET tells, POST asks for one; why without a token: docs/decisions/0009."""

from http import HTTPStatus

from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponsePermanentRedirect,
    HttpResponseRedirect,
    JsonResponse,
    QueryDict,
)
from django.utils import translation
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from certificates import addresses, comparisons, pages, visibility
from certificates.views import answers
from grading import comparing
from grading.models import RequestOrigin
from registry_site import clock, problems, rates
from registry_site.client_address import client_address
from registry_site.problems import Refusal

POLICY = "comparisons"


class FromAnotherSite(Refusal):
    """A page of another site had the browser send this."""

    code = "cross_site_request"
    status = HTTPStatus.FORBIDDEN
    title = _("A comparison is asked for on this site's own page")


class AskedTooOften(Refusal):
    code = "throttled"
    status = HTTPStatus.TOO_MANY_REQUESTS
    title = _("Too many comparisons were asked for from your address. Try again later.")


# No token: a visitor has no session that one could be bound to, and nothing here speaks for anybody. What a POST does,
# it does once for each pair; other sites are told from ours by Sec-Fetch-Site.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def compare(request: HttpRequest, language: str) -> HttpResponse:
    translation.activate(language)
    if request.method == "POST":
        return _ask(request, language)
    page = _page(request.GET, language)
    if page.second is not None and _is_other_way_round(request.GET, page):
        return HttpResponsePermanentRedirect(f"/{language}/{page.frame.path}")
    status = comparisons.STATUS.get(page.state, HTTPStatus.OK)
    return answers.page("public/compare.html", page, language, status=status)


@require_safe
def progress(request: HttpRequest, language: str) -> JsonResponse:
    """How far a comparison is, for the page that waits."""
    page = _page(request.GET, language)
    return JsonResponse({"done": page.done, "total": page.total, "finished": page.state != "waiting"})


def _ask(request: HttpRequest, language: str) -> HttpResponse:
    # Absent in programs and old browsers; «none» is a person's own doing, such as a repeated request.
    if request.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
        raise FromAnotherSite
    at = clock.now()
    rate = rates.take(POLICY, client_address(request), at=at)
    if rate is not None and rate.exceeded:
        response = problems.answer(request, AskedTooOften())
        response["Retry-After"] = str(rate.reset)
        return response
    public = visibility.public_measurements()
    first, second = (comparisons.named(request.POST.get(name, ""), public) for name in ("first", "second"))
    if first is None or second is None:
        raise comparisons.MeasurementsNotFound
    row = comparing.request(first, second, origin=RequestOrigin.ANYBODY, at=at)
    path = comparisons.path(f"M-{row.first_id}", f"M-{row.second_id}")
    return HttpResponseRedirect(f"/{language}/{path}", status=HTTPStatus.SEE_OTHER)


def _page(query: QueryDict, language: str) -> pages.ComparisonPage:
    return comparisons.page(
        query.get("first", ""),
        query.get("second", ""),
        among=visibility.public_measurements(),
        at=clock.now(),
        action=addresses.compare(language),
    )


def _is_other_way_round(query: QueryDict, page: pages.ComparisonPage) -> bool:
    """Whether a known pair was named in another order or spelling: it has one address."""
    return (query.get("first"), query.get("second")) != (page.first.reference, page.second.reference)
