"""The door of every staff page: signed in, with a role, with a second factor, in the person's language."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial, wraps
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.cache import patch_cache_control
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache

from evidence import memberships, operators
from registry_site import presence, second_factor
from registry_site.models import Person, User
from registry_site.problems import NotAllowed
from registry_site.roles import Role


@dataclass(frozen=True, slots=True)
class Desk:
    """Who sits here, what for, and what time it is: read once, passed on."""

    user: User
    person: Person
    roles: frozenset[Role]
    now: datetime  # database clock, in the registry's zone


View = Callable[..., HttpResponse]


def staff_page(view: View | None = None, *, survives_back: bool = False) -> Any:
    """A view that gets a Desk as second argument; anyone else is sent to sign in, or told why not.

    No browser keeps these pages, but for those with a long form (`survives_back`): what was written in them
    must still be there after the back button, and a page that is not kept comes back empty.
    """
    if view is None:
        return partial(staff_page, survives_back=survives_back)

    @wraps(view)
    def door(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path() if request.method == "GET" else "/staff/")
        speak(request, request.user.language)
        present = presence.of(request.user)
        if present is None or not present.roles:
            person = present.person if present else None
            if request.path == reverse("staff:queue") and memberships.living(person).exists():
                # Whoever speaks for a holder comes here after signing in.
                return HttpResponseRedirect(reverse("holder:choose"))
            if request.path == reverse("staff:queue") and operators.living(person) is not None:
                return HttpResponseRedirect(reverse("runs:list"))
            raise NotAllowed(
                _("Your account has no role in the registry. The registrar gives roles."), code="no_role"
            )
        if not second_factor.is_proved(request):
            return second_factor.ask(request)
        zone = ZoneInfo(settings.REGISTRY_TIME_ZONE)
        desk = Desk(request.user, present.person, present.roles, present.now.astimezone(zone))
        with timezone.override(zone):
            response = view(request, desk, *args, **kwargs)
        remember_language(response, request, request.user.language)
        if survives_back:
            patch_cache_control(response, private=True, no_cache=True)
        return response

    return door if survives_back else never_cache(door)


def speak(request: HttpRequest, language: str) -> None:
    """From here to the end of the request, also for a refusal that is rendered further out."""
    translation.activate(language)
    request.LANGUAGE_CODE = translation.get_language()


def remember_language(response: HttpResponse, request: HttpRequest, language: str) -> None:
    """For the sign-in pages, which do not know yet who reads them."""
    if request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME) != language:
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            language,
            max_age=365 * 24 * 3600,
            secure=settings.SESSION_COOKIE_SECURE,
            samesite="Lax",
            httponly=True,
        )


def show(
    request: HttpRequest, desk: Desk, template: str, *, here: str = "", status: int = 200, **context: Any
) -> HttpResponse:
    """A staff page; `here` names the link of the navigation that is the present page."""
    return render(request, f"staff/{template}.html", {"desk": desk, "here": here, **context}, status=status)


def back_to(request: HttpRequest, default: str) -> HttpResponseRedirect:
    """To where the form was, when that is an address of this site."""
    target = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(
        target, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return HttpResponseRedirect(target if safe and target.startswith("/") else default)
