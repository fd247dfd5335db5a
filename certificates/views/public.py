"""The public pages: find, ask the domain, answer; each is made of one frozen dataclass."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect, HttpResponseRedirect
from django.utils import translation
from django.views.decorators.http import require_safe

from certificates import addresses, finding, front, page_facts, pages, publishing, queries, set_facts
from certificates.views import answers
from registry_site import clock, documents

LANGUAGES = [code for code, _ in settings.LANGUAGES]


def _preferred(request: HttpRequest) -> str:
    """The reader's language by Accept-Language; Spanish when it names neither."""
    return translation.get_language_from_request(request)[:2]


@require_safe
def root(request: HttpRequest) -> HttpResponse:
    return _by_language(request, addresses.home)


@require_safe
def short(request: HttpRequest, number: str) -> HttpResponse:
    """The address on paper and in the QR code: to the page in the reader's language."""
    return _by_language(request, lambda language: addresses.certificate(number, language))


def _by_language(request: HttpRequest, address: Callable[[str], str]) -> HttpResponse:
    response = HttpResponseRedirect(address(_preferred(request)))
    response["Vary"] = "Accept-Language"
    return response


@require_safe
def home(request: HttpRequest, language: str) -> HttpResponse:
    return answers.page("public/home.html", front.home(at=clock.now()), language)


@require_safe
def certificate_list(request: HttpRequest, language: str) -> HttpResponse:
    """List, filters and search. What names one certificate, notice or question set goes straight to it."""
    if (number := _notice_searched(request.GET.get("q", ""))) is not None:
        return HttpResponseRedirect(addresses.notice(number, language))
    if (set_sha256 := set_facts.searched(request.GET.get("q", ""))) is not None:
        return HttpResponseRedirect(addresses.question_set(set_sha256, language))
    page = front.certificates(request.GET.dict(), at=clock.now())
    if page.searched == queries.Searched.NUMBER and len(page.rows) == 1:
        return HttpResponseRedirect(addresses.certificate(page.rows[0].number, language))
    return answers.page("public/certificates.html", page, language)


def _notice_searched(text: str) -> str | None:
    """The status sentences name decisions by number, so such a number is typed into the search as well."""
    try:
        number = finding.canonical_notice(text)
    except finding.NoticeNotFound:
        return None
    return None if front.notice(number, at=clock.now()) is None else number


@require_safe
def certificate(request: HttpRequest, language: str, number: str) -> HttpResponse:
    path = f"c/{number}/"
    try:
        canonical = finding.canonical_number(number)
    except finding.NumberMistyped:
        return answers.not_found(language, path=path, q=number, kind="certificate", mistyped=True)
    except finding.CertificateNotFound:
        return answers.not_found(language, path=path, q=number, kind="certificate")
    if canonical != number:
        return HttpResponsePermanentRedirect(addresses.certificate(canonical, language))
    document = publishing.document(canonical, kind=language, at=clock.now())
    if document is None:
        return answers.not_found(language, path=path, q=number, kind="certificate")
    return documents.response(document, request)


@require_safe
def notice(request: HttpRequest, language: str, number: str) -> HttpResponse:
    path = f"notices/{number}/"
    try:
        canonical = finding.canonical_notice(number)
    except finding.NoticeNotFound:
        return answers.not_found(language, path=path, q=number, kind="notice")
    if canonical != number:
        return HttpResponsePermanentRedirect(addresses.notice(canonical, language))
    page = front.notice(canonical, at=clock.now())
    if page is None:
        return answers.not_found(language, path=path, q=number, kind="notice")
    return answers.page("public/notice.html", page, language)


@require_safe
def statuses(request: HttpRequest, language: str) -> HttpResponse:
    page = pages.StatusesPage(frame=page_facts.frame("statuses/", as_of=clock.now()))
    return answers.page("public/statuses.html", page, language)
