"""How the public doors answer: a page made of its facts, what was not found, bytes that someone handed in."""

from http import HTTPStatus
from typing import Any

from django.http import FileResponse, HttpResponse, HttpResponseBase
from django.template.loader import render_to_string
from django.utils import translation

from certificates import attached_files, page_facts, pages
from certificates.models import AppealAttachment, ReportAttachment
from registry_site import clock, documents


def page(template: str, facts: Any, language: str, *, status: HTTPStatus = HTTPStatus.OK) -> HttpResponse:
    """A public page in one language: its template sees the frozen facts and nothing else."""
    with translation.override(language):
        response = HttpResponse(render_to_string(template, {"page": facts}), status=status)
    response["Content-Language"] = language
    response["Cache-Control"] = documents.CACHE_CONTROL
    return response


def not_found(language: str, *, path: str, q: str, kind: str, mistyped: bool = False) -> HttpResponse:
    """404 of an address that names something the registry does not hold, or does not show."""
    facts = pages.NotFoundPage(
        frame=page_facts.frame(path, as_of=clock.now()), q=q, kind=kind, wrong_check_digit=mistyped
    )
    return page("public/not_found.html", facts, language, status=HTTPStatus.NOT_FOUND)


def quarantined(response: HttpResponseBase, *, name: str) -> None:
    """Mark an answer as bytes that someone handed in: saved under our name, never shown, run or guessed at."""
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Content-Security-Policy"] = "sandbox; default-src 'none'"
    response["X-Content-Type-Options"] = "nosniff"


def handed_in(content: bytes, *, name: str) -> HttpResponse:
    """Such bytes, whole."""
    response = HttpResponse(content, content_type="application/octet-stream")
    quarantined(response, name=name)
    return response


def attached(found: AppealAttachment | ReportAttachment, *, number: str) -> FileResponse:
    """A file that came with the matter of that number."""
    response = FileResponse(
        attached_files.storage().open(found.sha256), content_type="application/octet-stream"
    )
    quarantined(response, name=f"{number}-{found.position + 1}.{found.kind}")
    return response
