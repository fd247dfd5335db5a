"""The public page of a system."""

import re
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import translation
from django.views.decorators.http import require_safe

from certificates import page_facts, pages, system_facts
from registry_site import clock, documents

# One spelling each: no zero in front, no other digits.
ID = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)


@require_safe
def system(request: HttpRequest, language: str, key: str) -> HttpResponse:
    """Every public measurement of a system through time. Ids are short decimal numbers; whatever else is not found."""
    at = clock.now()
    page = None
    if ID.fullmatch(key):
        page = system_facts.of(int(key), at=at, before=request.GET.get("before", "")[:24])
    if page is None:
        missing = pages.NotFoundPage(
            frame=page_facts.frame(f"systems/{key}/", as_of=at), q=key, kind="system"
        )
        return _page("public/not_found.html", missing, language, status=HTTPStatus.NOT_FOUND)
    return _page("public/system.html", page, language)


def _page(template: str, page: object, language: str, *, status: HTTPStatus = HTTPStatus.OK) -> HttpResponse:
    with translation.override(language):
        response = HttpResponse(render_to_string(template, {"page": page}), status=status)
    response["Content-Language"] = language
    response["Cache-Control"] = documents.CACHE_CONTROL
    return response
