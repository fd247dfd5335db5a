"""The public page of a registered question set, and its two files: the commitment, and the questions once published."""

import gzip
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, HttpResponsePermanentRedirect
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from certificates import addresses, set_facts
from certificates.set_facts import SHA256
from certificates.views import answers
from grading import custody
from grading.models import QuestionSet, RevealedItems
from registry_site import clock
from registry_site.problems import NotAllowed, Refusal


class SetNotFound(Refusal):
    code = "set_not_found"
    status = HTTPStatus.NOT_FOUND
    title = _("No question set is registered here under that hash")


class SetIsSealed(NotAllowed):
    code = "set_sealed"
    title = _("The questions of this set are not published")


@require_safe
def question_set(request: HttpRequest, language: str, set_sha256: str) -> HttpResponse:
    canonical = set_sha256.lower()
    if canonical != set_sha256 and SHA256.fullmatch(canonical):
        return HttpResponsePermanentRedirect(addresses.question_set(canonical, language))
    page = set_facts.of(canonical, at=clock.now()) if SHA256.fullmatch(canonical) else None
    if page is None:
        return answers.not_found(language, path=f"sets/{set_sha256}/", q=set_sha256, kind="set")
    return answers.page("public/question_set.html", page, language)


@require_safe
def items(request: HttpRequest, set_sha256: str) -> HttpResponse:
    """The sealed bytes, once their custodian publishes them: with the salt they make the commitment."""
    row = RevealedItems.objects.filter(
        event__question_set__set_sha256=set_sha256, event__publishes_items=True
    ).first()
    if row is None:
        if custody.of(set_sha256) is None:
            raise SetNotFound
        raise SetIsSealed(
            _(
                "The registry holds the seal alone. Whether the questions are published is for their custodian to say."
            )
        )
    return _file(gzip.decompress(bytes(row.content)), name=f"set-{set_sha256[:16]}.jsonl")


@require_safe
def commitment(request: HttpRequest, set_sha256: str) -> HttpResponse:
    """The file that the set was registered with, byte for byte."""
    row = QuestionSet.objects.filter(set_sha256=set_sha256).first()
    if row is None:
        raise SetNotFound
    return _file(bytes(row.file), name=f"set-{set_sha256[:16]}-commitment.json")


def _file(content: bytes, *, name: str) -> HttpResponse:
    """A file of a set, for programs of other sites too."""
    response = answers.handed_in(content, name=name)
    response["Access-Control-Allow-Origin"] = "*"
    response["Cache-Control"] = "public, no-cache"
    return response
