"""A certificate as the staff see it: its status, the steps it allows this person, history and requests."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods

from certificates import holder_requests, names, page_facts, pending, policies, states, work_facts
from certificates.forms import HolderRequestForm
from certificates.models import Certificate, HolderRequest, StatusEvent
from certificates.models.notice import ABOUT_A_CERTIFICATE
from certificates.states import Step
from certificates.views.staff import decisions
from certificates.views.staff.desk import Desk, show, staff_page
from registry_site.problems import Refusal

STEPS = (
    Step.SUSPEND,
    Step.REINSTATE,
    Step.PROLONG,
    Step.REVOKE,
    Step.TERMINATE,
    Step.SUPERSEDE,
    Step.ERRATUM,
)
SANCTIONS = (Step.SUSPEND, Step.REVOKE)


@require_GET
@staff_page
def certificate(request: HttpRequest, desk: Desk, number: str) -> HttpResponse:
    row = get_object_or_404(names.certificates_with_parents(), number=number)
    told = page_facts.of_certificate(row, at=desk.now)
    requests = list(
        HolderRequest.objects.filter(certificate=row)
        .select_related("stored_by", "notice")
        .order_by("-pk")[:20]
    )
    concerns = pending.concerns(row)
    # Without a complaint nobody has looked into one, and nothing is asked.
    complained_of = any(one.sort == "report" for one in concerns)
    sanction = policies.refusal_to_sanction(desk.user, row) if complained_of else None
    allowed, forbidden = _steps(desk, row, told.facts, may_end=bool(requests), sanction=sanction)
    return show(
        request,
        desk,
        "certificate",
        here="queue",
        certificate=row,
        page=told.page,
        verdict=told.page.verdict,
        allowed=allowed,
        forbidden=forbidden,
        deciders=_deciders(told.rows),
        requests=requests,
        appealable=[
            one.notice.number for one in reversed(told.rows) if one.notice and one.notice.appeal_until
        ],
        refusal_to_store=policies.refusal_to_store_request(desk.user, row, at=desk.now),
        work=work_facts.of(row, reader=desk.person, at=desk.now),
        concerns=concerns,
    )


def _deciders(rows: Sequence[StatusEvent]) -> list[tuple[int, str]]:
    """(entry, name) of each decision, newest first: for the staff alone."""
    return [(row.sequence, row.notice.decided_by.name) for row in reversed(rows) if row.notice]


def _steps(
    desk: Desk, row: Certificate, facts: states.StatusFacts, *, may_end: bool, sanction: Refusal | None
) -> tuple[list[Step], list[tuple[Any, list[Step]]]]:
    """The steps that this person may take now; and the rule that forbids those the status would allow.

    `may_end`: whether there is any request of the holder at all; `sanction`: why this person takes none.
    """
    possible = [step for step in STEPS if (facts.standing, step) in states.TRANSITIONS]
    allowed: list[Step] = []
    forbidden: dict[str, tuple[Any, list[Step]]] = {}
    # The rules are about the person, so one answer serves every step of the certificate.
    refusal = policies.refusal_to_decide(desk.user, row, at=desk.now) if possible else None
    for step in possible:
        told = refusal or (sanction if step in SANCTIONS else None)
        if told is None and step is Step.TERMINATE:
            told = None if may_end and decisions.requests_for(row, step, desk) else decisions.RequestNeeded()
        if told is None:
            allowed.append(step)
        else:
            forbidden.setdefault(told.code, (told.detail, []))[1].append(step)
    return allowed, list(forbidden.values())


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def request_of_holder(request: HttpRequest, desk: Desk, number: str) -> HttpResponse:
    """Store a written request of the holder, so that a second person may act on it (rule 6)."""
    row = get_object_or_404(names.certificates_with_parents(), number=number)
    refusal = policies.refusal_to_store_request(desk.user, row, at=desk.now)
    if refusal is not None and request.method == "POST":
        raise refusal
    form = HolderRequestForm(
        request.POST or None,
        today=desk.now.date(),
        kinds=[(kind.value, capfirst(kind.label)) for kind in ABOUT_A_CERTIFICATE],
        initial={"kind": "terminate"},
    )
    if request.method == "POST" and form.is_valid():
        try:
            holder_requests.store(row, by=desk.user, at=desk.now, **form.cleaned_data)
        except Refusal as told:
            form.add_error(
                told.extra.get("field") if told.extra.get("field") in form.fields else None, str(told.detail)
            )
        else:
            messages.success(request, _("The request is stored. Someone else may now act on it."))
            return HttpResponseRedirect(reverse("staff:certificate", args=[row.number]))
    return show(
        request,
        desk,
        "request",
        here="queue",
        back=reverse("staff:certificate", args=[row.number]),
        back_label=row.number,
        form=form,
        refusal=refusal,
        status=422 if form.errors else 200,
    )
