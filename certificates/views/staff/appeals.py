"""An appeal as the staff see it, and the steps on it: admit, declare inadmissible, decide."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods

from certificates import (
    appeal_facts,
    appeal_rows,
    appeal_states,
    appeals,
    page_facts,
    policies,
    refusals,
    work_facts,
)
from certificates.appeal_forms import AdmitForm, DecideForm, InadmissibleForm
from certificates.appeal_states import AppealStep
from certificates.fields import StepForm
from certificates.models import Appeal, AppealEvent
from certificates.views import answers
from certificates.views.staff import two_steps
from certificates.views.staff.desk import Desk, show, staff_page
from registry_site import audit
from registry_site.problems import Refusal

FORMS: dict[AppealStep, type[StepForm]] = {
    AppealStep.ADMIT: AdmitForm,
    AppealStep.DECLARE_INADMISSIBLE: InadmissibleForm,
    AppealStep.DECIDE: DecideForm,
}
WRITERS: dict[AppealStep, Callable[..., AppealEvent]] = {
    AppealStep.ADMIT: appeals.admit,
    AppealStep.DECLARE_INADMISSIBLE: appeals.declare_inadmissible,
    AppealStep.DECIDE: appeals.decide,
}
EFFECTS = {
    AppealStep.ADMIT: gettext_lazy(
        "Signing it takes the appeal up, and publishes the summary of its grounds. The decision stands meanwhile."
    ),
    AppealStep.DECLARE_INADMISSIBLE: gettext_lazy(
        "Signing it ends the appeal without a decision on its grounds. The decision appealed stands."
    ),
    AppealStep.DECIDE: gettext_lazy(
        "Signing it decides the appeal for good. Upheld, it leaves the decision without effect at once."
    ),
}
TOLD = {
    AppealStep.ADMIT: gettext_lazy("The appeal is admitted, and its summary is published."),
    AppealStep.DECLARE_INADMISSIBLE: gettext_lazy(
        "The appeal is declared inadmissible, and its reasons are published."
    ),
    AppealStep.DECIDE: gettext_lazy("The appeal is decided, and its reasons are published."),
}


def _found(number: str) -> Appeal:
    appeal = appeal_rows.find(number)
    if appeal is None:
        raise Http404
    return appeal


@require_GET
@staff_page
def appeal(request: HttpRequest, desk: Desk, number: str) -> HttpResponse:
    row = _found(number)
    life = appeal_rows.life_of(row)
    refusal = policies.refusal_to_decide_appeal(desk.user, row, at=desk.now)
    sees = refusal is None
    if sees:
        # The contact is personal data: who looked at it is written down.
        audit.record("appeal.contact_seen", by=desk.person, at=desk.now, subject=f"appeal:{row.number}")
    return show(
        request,
        desk,
        "appeal",
        here="queue",
        row=row,
        told=appeal_facts.of_appeal(row, at=desk.now, zone=appeal_rows.zone_of(row)),
        notice=row.notice,
        statement=page_facts.statement_of(row.notice),
        case=_about(row),
        contact=row.contact if sees else None,
        attachments=list(row.attachments.all()),
        refusal=refusal,
        steps=[step for step in FORMS if _refusal_to_step(row, step) is None]
        if sees and life.is_open
        else [],
        open=life.is_open,
        deadline=row.standing.deadline_at,
        work=work_facts.of(row, reader=desk.person, at=desk.now),
    )


@require_GET
@staff_page
def attachment(request: HttpRequest, desk: Desk, number: str, position: str) -> HttpResponse:
    """A file as it came: a download of unknown kind, never shown by the browser."""
    row = _found(number)
    if refusal := policies.refusal_to_decide_appeal(desk.user, row, at=desk.now):
        raise refusal
    found = row.attachments.filter(position=int(position)).first()
    if found is None:
        raise Http404
    audit.record(
        "appeal.attachment_seen",
        by=desk.person,
        at=desk.now,
        subject=f"appeal:{row.number}",
        position=found.position,
    )
    return answers.attached(found, number=row.number)


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def take(request: HttpRequest, desk: Desk, number: str, step: str) -> HttpResponse:
    row, step = _found(number), AppealStep(step)
    zone = appeal_rows.zone_of(row)
    about = _about(row)
    sequence = row.standing.sequence

    def act(at: datetime, facts: dict[str, Any], if_sequence: int) -> AppealEvent:
        if if_sequence != sequence:
            raise refusals.AppealRefused(
                _("Someone else has taken a step on it meanwhile: look at it again.")
            )
        return WRITERS[step](row, by=desk.user, at=at, **facts)

    case = two_steps.Case(
        decision=step.value,
        system=about["system"],
        holder=about["holder"],
        form=lambda data, **kw: FORMS[step](data, today=desk.now.astimezone(zone).date(), **kw),
        take=act,
        address=reverse("staff:appeal_step", args=[row.number, step.value]),
        back=reverse("staff:appeal", args=[row.number]),
        back_label=row.number,
        days=0,
        zone=zone,
        refusal=_refusal_to(step, desk, row),
        sequence=sequence,
        effect=EFFECTS[step],
        sheet="staff/_appeal_sheet.html",
        told=TOLD[step],
        repeated=lambda form: _same_step(row, step, form, desk),
        anew=lambda: _anew(step, desk, row.number),
    )
    return two_steps.answer(request, desk, case)


def _refusal_to(step: AppealStep, desk: Desk, row: Appeal) -> Refusal | None:
    return policies.refusal_to_decide_appeal(desk.user, row, at=desk.now) or _refusal_to_step(row, step)


def _anew(step: AppealStep, desk: Desk, number: str) -> tuple[int, Refusal | None]:
    row = _found(number)
    return row.standing.sequence, _refusal_to(step, desk, row)


def _same_step(row: Appeal, step: AppealStep, form: StepForm, desk: Desk) -> str | None:
    """A second press of the same button: the step stands already, as this very person wrote it."""
    event = row.events.filter(step=step, by=desk.person).first()
    written = form.cleaned_data[f"{form.text}_es"]
    same = event is not None and written == getattr(event, f"{form.text}_es")
    return reverse("staff:appeal", args=[row.number]) if same else None


def _refusal_to_step(row: Appeal, step: AppealStep) -> Refusal | None:
    try:
        appeal_states.require(step, appeal_rows.life_of(row))
    except appeal_states.AppealStepRefused as refused:
        return refusals.AppealRefused(code=refused.code)
    return None


def _about(row: Appeal) -> dict[str, str]:
    version = policies.measurement_of(row).system_version
    if row.certificate:
        named = row.certificate.names
        return {"system": f"{named['system']} {named['version']}", "holder": named["holder"]["name"]}
    return {"system": str(version), "holder": version.system.holder.name}
