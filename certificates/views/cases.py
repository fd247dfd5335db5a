"""The public pages of test cases and series, and the two files of a revealed rubric."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from certificates import addresses, case_facts
from certificates.views import answers
from evidence.models import Series
from grading import series as series_life
from grading.models import Rubric
from registry_site import clock
from registry_site.problems import NotAllowed, Refusal


class CaseNotFound(Refusal):
    code = "case_not_found"
    status = HTTPStatus.NOT_FOUND
    title = _("There is no test case with that code")


class SeriesNotFound(Refusal):
    code = "series_not_found"
    status = HTTPStatus.NOT_FOUND
    title = _("There is no series with that code")


class RubricIsSealed(NotAllowed):
    code = "rubric_sealed"
    title = _("The rubric of this series is sealed")


@require_safe
def cases(request: HttpRequest, language: str) -> HttpResponse:
    return answers.page("public/cases.html", case_facts.cases(at=clock.now()), language)


@require_safe
def case(request: HttpRequest, language: str, code: str, version: str | None = None) -> HttpResponse:
    canonical = code.upper()
    page = None
    if case_facts.CASE_CODE.fullmatch(canonical):
        if canonical != code:
            return HttpResponsePermanentRedirect(addresses.case(canonical, language))
        page = case_facts.case(code, at=clock.now(), version=int(version) if version else None)
    if page is None:
        return answers.not_found(language, path=f"cases/{code}/", q=code, kind="case")
    return answers.page("public/case.html", page, language)


@require_safe
def one_series(request: HttpRequest, language: str, code: str) -> HttpResponse:
    canonical = code.upper()
    row = None
    if case_facts.SERIES_CODE.fullmatch(canonical):
        if canonical != code:
            return HttpResponsePermanentRedirect(addresses.series(canonical, language))
        row = case_facts.found(code)
    if row is None:
        return answers.not_found(language, path=f"series/{code}/", q=code, kind="series")
    return answers.page("public/series.html", case_facts.of_series(row, at=clock.now()), language)


@require_safe
def rubric(request: HttpRequest, code: str) -> HttpResponse:
    """The bytes that were committed to: with the salt before them they make the commitment."""
    return _file(bytes(_revealed(code).document), name="rubric.json")


@require_safe
def salt(request: HttpRequest, code: str) -> HttpResponse:
    return _file(bytes(_revealed(code).salt), name="rubric.salt")


def _revealed(code: str) -> Rubric:
    row = Series.objects.filter(code=code).first()
    if row is None:
        raise SeriesNotFound
    found = series_life.revealed(row)
    if found is None:
        raise RubricIsSealed(
            _("It is revealed when the series has closed: until then only its commitment is public.")
        )
    return found


def _file(content: bytes, *, name: str) -> HttpResponse:
    response = answers.handed_in(content, name=name)
    response["Access-Control-Allow-Origin"] = "*"
    response["Cache-Control"] = "public, no-cache"
    return response
