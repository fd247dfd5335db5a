"""Declared interests: each member of staff the own ones; a registrar everybody's."""

from datetime import UTC
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from certificates.views import keyset
from certificates.views.staff.desk import Desk, show, staff_page
from certificates.views.staff.people import Step, answer
from evidence import interests
from evidence.forms import InterestForm
from evidence.models import Holder, Interest
from registry_site import audit
from registry_site.models import Person
from registry_site.problems import Refusal
from registry_site.roles import Role

PAGE_SIZE = 50


@require_http_methods(["GET", "POST"])
@staff_page
def listed(request: HttpRequest, desk: Desk) -> HttpResponse:
    """One's own, and the form to declare one; a registrar also finds everybody's below."""
    return _of(request, desk, desk.person, reverse("staff:interests"))


@require_http_methods(["GET", "POST"])
@staff_page
def of_person(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    """Those of somebody else, as a registrar enters them."""
    person = get_object_or_404(Person, pk=pk)
    if refusal := interests.refusal_to_write(person, by=desk.person):
        raise refusal
    if person.pk != desk.person.pk:
        audit.record("interests.seen", by=desk.person, at=desk.now, subject=f"person:{person.pk}")
    return _of(request, desk, person, reverse("staff:interests_of", args=[person.pk]))


def _of(request: HttpRequest, desk: Desk, person: Person, address: str) -> HttpResponse:
    form = InterestForm(request.POST or None)
    if request.method == "POST" and form.is_valid() and (holder := _holder(form)) is not None:
        try:
            interests.declare(
                person,
                holder,
                kind=form.cleaned_data["kind"],
                by=desk.person,
                at=desk.now.astimezone(UTC),
            )
        except Refusal as told:
            named = told.extra.get("field")
            form.add_error(named if named in form.fields else None, str(told.detail))
        else:
            messages.success(request, _("The interest is declared."))
            return HttpResponseRedirect(address)
    return show(
        request,
        desk,
        "interests",
        here="interests",
        person=person,
        own=person.pk == desk.person.pk,
        rows=[(row, interests.weighs_until(row)) for row in interests.of(person)],
        form=form,
        status=422 if form.errors else 200,
        **_everybodys(request, desk, person),
    )


def _everybodys(request: HttpRequest, desk: Desk, person: Person) -> dict[str, Any]:
    """For a registrar at the own page: the last declared first."""
    if Role.REGISTRAR not in desk.roles or person.pk != desk.person.pk:
        return {}
    before = keyset.key_in(request.GET.get("before", ""))
    page = keyset.page_of(list(interests.all_of_them(before=before)[: PAGE_SIZE + 1]), size=PAGE_SIZE)
    audit.record("interests.listed", by=desk.person, at=desk.now, before=before)
    return {
        "sees_all": True,
        "everybodys": [(row, interests.weighs_until(row)) for row in page.rows],
        "following": page.following,
    }


def _holder(form: InterestForm) -> Holder | None:
    found = interests.holders_named(form.cleaned_data["holder"])
    if len(found) == 1:
        return found[0]
    if found:
        form.add_error("holder", _("There is more than one of that name: write its identifier."))
    else:
        form.add_error("holder", _("There is no holder with that name or identifier."))
    return None


@require_http_methods(["GET", "POST"])
@staff_page
def end(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    row = get_object_or_404(Interest.objects.select_related("person", "holder"), pk=pk)
    if interests.refusal_to_write(row.person, by=desk.person):
        # Whether somebody else has an interest is not everybody's to know.
        raise Http404
    own = row.person_id == desk.person.pk
    back = reverse("staff:interests") if own else reverse("staff:interests_of", args=[row.person_id])
    return answer(
        request,
        desk,
        Step(
            title=_("End a declared interest"),
            about=f"{row.person.name}: {row.holder.name}, {row.get_kind_display()}",
            follows=[
                _("It ends now. For two years more no decision on this holder is taken (rule 3)."),
                _("It stays in the list with its dates, and in the audit log."),
            ],
            button=_("End the interest"),
            take=lambda at: interests.end(row, by=desk.person, at=at),
            told=_("The interest is ended."),
            back=back,
            back_label=_("Declared interests"),
            here="interests",
        ),
    )
