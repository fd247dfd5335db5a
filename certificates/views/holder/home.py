"""The first pages of the holder's area: what is due, and the certificates."""

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from certificates import holder_facts, queries
from certificates.views.holder.area import Area, holder_page, show, signed_in
from evidence.models import Holder
from registry_site import roles


@require_GET
@never_cache
@signed_in
def choose(request: HttpRequest, holders: tuple[Holder, ...]) -> HttpResponse:
    """To the holder's page; of several holders one is chosen, of none it is said what to do."""
    if len(holders) == 1:
        return HttpResponseRedirect(reverse("holder:home", args=[holders[0].pk]))
    is_staff = bool(roles.held_by(request.user))
    return render(request, "holder/choose.html", {"holders": holders, "is_staff": is_staff})


@require_GET
@holder_page
def home(request: HttpRequest, area: Area) -> HttpResponse:
    wanted = queries.Wanted(
        holder=str(area.holder.pk),
        after=request.GET.get("after", ""),
        before=request.GET.get("before", ""),
    )
    found = queries.find(wanted, at=area.now)
    return show(
        request,
        area,
        "home",
        here="home",
        rows=queries.listed(found.rows, at=area.now),
        following=f"after={found.following}" if found.following else "",
        earlier=f"before={found.earlier}" if found.earlier else "",
        due=holder_facts.due(area.holder, user=area.user, at=area.now),
    )
