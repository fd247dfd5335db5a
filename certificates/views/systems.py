"""The public page of a system."""

import re

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from certificates import system_facts
from certificates.views import answers
from registry_site import clock

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
        return answers.not_found(language, path=f"systems/{key}/", q=key, kind="system")
    return answers.page("public/system.html", page, language)
