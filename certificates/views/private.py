"""The door of private pages that are reached by a signed link: in the language of the address, kept by nobody."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.views.decorators.cache import never_cache

View = Callable[..., HttpResponse]


def private_page(view: View) -> View:
    """In the language of the address; never kept by a browser, and no address of it told to other sites."""

    @wraps(view)
    def door(request: HttpRequest, language: str, *args: Any, **kwargs: Any) -> HttpResponse:
        translation.activate(language)
        request.LANGUAGE_CODE = language
        response = view(request, language, *args, **kwargs)
        # Not `no-referrer`: with it a browser posts the form with the origin «null», which the check refuses.
        response["Referrer-Policy"] = "same-origin"
        response["Content-Language"] = language
        return response

    return never_cache(door)
