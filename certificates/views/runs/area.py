"""The door of the operators' area: signed in, somebody who operates or has operated, in the person's language."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial, wraps
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control
from django.views.decorators.cache import never_cache

from certificates.views.holder.area import signed_in
from evidence import operators, runs
from evidence.models import Operator, Run
from registry_site import clock, roles
from registry_site.models import Person, User


@dataclass(frozen=True, slots=True)
class Area:
    """Who is here, as what, and what time it is: read once, passed on."""

    user: User
    person: Person
    operator: Operator | None  # None for whoever operates no longer, and may still close what is under way
    speaks_for_a_holder: bool
    now: datetime  # database clock, in the registry's zone


View = Callable[..., HttpResponse]


def runs_page(view: View | None = None, *, survives_back: bool = False) -> Any:
    """A view that gets an Area as second argument; whoever never operated is told who admits operators.

    No browser keeps these pages, but for those with a long form (`survives_back`).
    """
    if view is None:
        return partial(runs_page, survives_back=survives_back)

    @wraps(view)
    @signed_in
    def door(request: HttpRequest, holders: tuple[Any, ...], *args: Any, **kwargs: Any) -> HttpResponse:
        person = roles.person_of(request.user)
        operator = operators.living(person)
        if operator is None and not (person is not None and runs.of(person).exists()):
            raise operators.refusal_to_operate(request.user)
        area = Area(
            user=request.user,
            person=person,
            operator=operator,
            speaks_for_a_holder=bool(holders),
            now=clock.now().astimezone(ZoneInfo(settings.REGISTRY_TIME_ZONE)),
        )
        response = view(request, area, *args, **kwargs)
        if survives_back and "Cache-Control" not in response:
            patch_cache_control(response, private=True, no_cache=True)
        return response

    return door if survives_back else never_cache(door)


def own(area: Area, number: str) -> Run:
    """The run of that number, if it is this person's; of others there is nothing to see, not even that they exist."""
    run = runs.find(number, person=area.person)
    if run is None:
        raise Http404
    return run


def show(
    request: HttpRequest, area: Area, template: str, *, here: str = "", status: int = 200, **context: Any
) -> HttpResponse:
    """A page of the area; `here` names the link of the navigation that is the present page."""
    return render(request, f"runs/{template}.html", {"area": area, "here": here, **context}, status=status)
