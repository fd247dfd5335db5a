"""The queue, the first page after signing in; its language; the way to a second factor."""

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_POST

from certificates import work_queue
from certificates.views.staff.desk import Desk, back_to, remember_language, show, speak, staff_page
from certificates.work_queue import KIND_WORDS
from registry_site import second_factor, sign_in
from registry_site.roles import Role

LONGEST_TEXT = 200


@require_GET
@staff_page
def queue(request: HttpRequest, desk: Desk) -> HttpResponse:
    filters = _filters(request)
    found = work_queue.read(person=desk.person, roles=desk.roles, now=desk.now, filters=filters)
    return show(
        request,
        desk,
        "queue",
        here="queue",
        queue=found,
        filters=filters,
        filtered=filters != work_queue.Filters(),
        kinds=[(kind, words, *found.counts.get(kind, (0, False))) for kind, words in KIND_WORDS.items()],
        hands=work_queue.HANDS_WORDS.items(),
        more=[KIND_WORDS[k] for k in sorted(found.more)],
        may_upload=Role.EVALUATOR in desk.roles,
        present=request.get_full_path(),
    )


def _filters(request: HttpRequest) -> work_queue.Filters:
    """What the address asks for; what it does not say rightly, it does not ask."""
    kind, hands = request.GET.get("kind", ""), request.GET.get("hands", "")
    return work_queue.Filters(
        kind=work_queue.Kind(kind) if kind in set(work_queue.Kind) else None,
        hands=work_queue.Hands(hands) if hands in set(work_queue.Hands) else None,
        overdue=request.GET.get("overdue", "") == "yes",
        text=request.GET.get("text", "")[:LONGEST_TEXT].strip(),
    )


@require_POST
def language(request: HttpRequest) -> HttpResponse:
    """The reader's choice; kept with the account when signed in, else in a cookie."""
    chosen = request.POST.get("language", "")
    if chosen not in dict(settings.LANGUAGES):
        chosen = settings.LANGUAGE_CODE
    if request.user.is_authenticated:
        sign_in.choose_language(request.user, chosen)
    response = back_to(request, "/staff/")
    remember_language(response, request, chosen)
    return response


@require_GET
@login_required
def second_factor_setup(request: HttpRequest) -> HttpResponse:
    """What the second factor is for, and the two ways to set one up; allauth's own pages do it."""
    speak(request, request.user.language)
    response = render(
        request, "staff/second_factor.html", {"is_set_up": second_factor.is_set_up(request.user)}
    )
    remember_language(response, request, request.user.language)
    return response
