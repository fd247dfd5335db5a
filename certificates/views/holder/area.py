"""The door of the holder's area: signed in, a person of this very holder, in the person's language."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial, wraps
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.views.decorators.cache import never_cache

from certificates import addresses
from certificates.views.staff.desk import remember_language, speak
from evidence import memberships, operators
from evidence.models import Holder
from registry_site import clock, roles, second_factor
from registry_site.models import Person, User


@dataclass(frozen=True, slots=True)
class Area:
    """Who is here, for which holder, and what time it is: read once, passed on."""

    user: User
    person: Person
    holder: Holder
    holders: tuple[Holder, ...]
    is_staff: bool
    operates: bool  # agents too: their area is another one
    now: datetime  # database clock, in the registry's zone


View = Callable[..., HttpResponse]


def signed_in(view: View) -> View:
    """A view that gets the holders of whoever is signed in; others are sent to sign in."""

    @wraps(view)
    def door(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not request.user.is_authenticated:
            target = request.get_full_path() if request.method == "GET" else addresses.HOLDER_AREA
            return redirect_to_login(target)
        speak(request, request.user.language)
        # Whoever has a second factor gives it here too; a holder's account need not have one.
        if second_factor.is_set_up(request.user) and not second_factor.is_proved(request):
            return second_factor.ask(request)
        holders = tuple(one.holder for one in memberships.living(roles.person_of(request.user)))
        with timezone.override(ZoneInfo(settings.REGISTRY_TIME_ZONE)):
            response = view(request, holders, *args, **kwargs)
        remember_language(response, request, request.user.language)
        return response

    return door


def holder_page(view: View | None = None, *, survives_back: bool = False) -> Any:
    """A view that gets an Area as second argument; of another holder's pages there is nothing to see, not even
    that they exist. No browser keeps these pages, but for those with a long form (`survives_back`).
    """
    if view is None:
        return partial(holder_page, survives_back=survives_back)

    @wraps(view)
    @signed_in
    def door(
        request: HttpRequest, holders: tuple[Holder, ...], pk: int, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        holder = next((one for one in holders if one.pk == pk), None)
        if holder is None:
            raise Http404
        area = Area(
            user=request.user,
            person=request.user.person,
            holder=holder,
            holders=holders,
            is_staff=bool(roles.held_by(request.user)),
            operates=operators.living(request.user.person) is not None,
            now=clock.now().astimezone(ZoneInfo(settings.REGISTRY_TIME_ZONE)),
        )
        response = view(request, area, *args, **kwargs)
        if survives_back:
            patch_cache_control(response, private=True, no_cache=True)
        return response

    return door if survives_back else never_cache(door)


def show(
    request: HttpRequest, area: Area, template: str, *, here: str = "", status: int = 200, **context: Any
) -> HttpResponse:
    """A page of the area; `here` names the link of the navigation that is the present page."""
    return render(request, f"holder/{template}.html", {"area": area, "here": here, **context}, status=status)
