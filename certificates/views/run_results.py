"""The public pages of agent runs: the list of all that were registered, and one run."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.views.decorators.http import require_safe

from certificates import addresses, run_comparisons, run_results
from certificates.views import answers, keyset
from evidence import run_numbers
from registry_site import clock

LONGEST_VALUE = 60


@require_safe
def runs(request: HttpRequest, language: str) -> HttpResponse:
    """Every registered run, newest first."""
    wanted = run_results.Wanted(
        **{
            name: request.GET.get(name, "").replace("\x00", "").strip()[:LONGEST_VALUE]
            for name in run_results.Wanted.__slots__
        }
    )
    found = keyset.newest_first(
        request, run_results.matching(wanted), size=run_results.PAGE_SIZE, kept=wanted.as_query()
    )
    page = run_results.of_list(wanted, found.rows, following=found.following, at=clock.now())
    return answers.page("public/runs.html", page, language)


@require_safe
def run(request: HttpRequest, language: str, number: str) -> HttpResponse:
    canonical = run_numbers.parse(number)
    row = run_results.found(canonical) if canonical else None
    if row is None:
        return answers.not_found(language, path=f"runs/{number}/", q=number, kind="run")
    if canonical != number:
        return HttpResponsePermanentRedirect(addresses.run(canonical, language))
    return answers.page("public/run.html", run_results.of(row, at=clock.now()), language)


@require_safe
def compare(request: HttpRequest, language: str) -> HttpResponse:
    """Two systems by their runs: «m of 3» and why, or what the comparison says."""
    one, other = (request.GET.get(name, "").replace("\x00", "")[:LONGEST_VALUE] for name in ("one", "other"))
    page = run_comparisons.page(one, other, at=clock.now(), action=addresses.run_compare(language))
    status = HTTPStatus.NOT_FOUND if page.state == "unknown" else HTTPStatus.OK
    return answers.page("public/run_compare.html", page, language, status=status)
