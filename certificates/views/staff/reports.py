"""Complaints as the staff see them, and the steps on one: take up, decline, put to the holder, decide."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from certificates import policies, refusals, report_rows, reports, words, work_facts
from certificates.fields import StepForm
from certificates.models import Report, ReportEvent
from certificates.report_states import ABOUT_OTHERS, ReportState, ReportStep
from certificates.report_step_forms import AskHolderForm, DecideForm, DeclineForm
from certificates.states import Decision
from certificates.views import answers, keyset
from certificates.views.staff import two_steps
from certificates.views.staff.desk import Desk, show, staff_page
from registry_site import audit
from registry_site.problems import Refusal

PAGE_SIZE = 50
STATES = tuple(state for state in ReportState if state is not ReportState.UNCONFIRMED)
STEPS = (ReportStep.TAKE_UP, ReportStep.ASK_HOLDER, ReportStep.DECIDE, ReportStep.DECLINE)

FORMS: dict[ReportStep, type[StepForm]] = {
    ReportStep.DECLINE: DeclineForm,
    ReportStep.ASK_HOLDER: AskHolderForm,
    ReportStep.DECIDE: DecideForm,
}
WRITERS: dict[ReportStep, Callable[..., ReportEvent]] = {
    ReportStep.DECLINE: reports.decline,
    ReportStep.ASK_HOLDER: reports.ask_holder,
    ReportStep.DECIDE: reports.decide,
}
# Under which code its button and its rules are found.
CODES = {ReportStep.DECIDE: Decision.REPORT.value}
EFFECTS = {
    ReportStep.DECLINE: gettext_lazy(
        "Signing it ends the complaint: whoever complained is told why. The public is told nothing."
    ),
    ReportStep.ASK_HOLDER: gettext_lazy(
        "Signing it tells the holder, who may reply for {days} days. From then on the public page says that there "
        "is a complaint, and nothing of what it says."
    ),
    ReportStep.DECIDE: gettext_lazy(
        "Signing it publishes the outcome with its reasons. What follows for the certificate is a decision of its "
        "own, by someone who did not look into the complaint."
    ),
}
TOLD = {
    ReportStep.DECLINE: gettext_lazy(
        "The complaint is declared outside our remit. Whoever complained is told why."
    ),
    ReportStep.ASK_HOLDER: gettext_lazy("The complaint is put to the holder, and the public page says so."),
    ReportStep.DECIDE: gettext_lazy("The complaint is decided, and its reasons are published."),
}
WORDINGS = {
    ReportStep.DECLINE: two_steps.Wording(
        preview=gettext_lazy("Preview the letter"),
        before=gettext_lazy("Nothing is sent yet: the next page shows the text in both languages."),
        heading=gettext_lazy("This is what whoever complained will read"),
        sign=gettext_lazy("Sign and tell whoever complained"),
        after=gettext_lazy("It cannot be undone. Your name is recorded, and not told."),
    ),
    ReportStep.ASK_HOLDER: two_steps.Wording(
        preview=gettext_lazy("Preview what the holder reads"),
        before=gettext_lazy("Nothing is sent yet: the next page shows the text in both languages."),
        heading=gettext_lazy("This is what the holder will read"),
        sign=gettext_lazy("Sign and put it to the holder"),
        after=gettext_lazy("It cannot be undone. Your name is recorded, and not told."),
    ),
    ReportStep.DECIDE: two_steps.PUBLISHED,
}


def _found(number: str) -> Report:
    report = report_rows.find(number)
    if report is None:
        raise Http404
    return report


# ── reading ──────────────────────────────────────────────────────────────────


@require_GET
@staff_page
def listed(request: HttpRequest, desk: Desk) -> HttpResponse:
    """Newest first, by keyset: `before` is the last id of the page before. Numbers, kinds, states: nobody's words."""
    rows = report_rows.with_names().order_by("-pk")
    state = request.GET.get("state", "")
    if state in STATES:
        rows = rows.filter(standing__state=state)
    kept = {"state": state} if state in STATES else {}
    page = keyset.newest_first(request, rows, size=PAGE_SIZE, kept=kept)
    return show(
        request,
        desk,
        "reports",
        here="reports",
        reports=page.rows,
        following=page.following,
        state=state,
        states=[(one.value, words.REPORT[one.value]) for one in STATES],
    )


@require_GET
@staff_page
def report(request: HttpRequest, desk: Desk, number: str) -> HttpResponse:
    row = _found(number)
    life = report_rows.life_of(row)
    refusal = policies.refusal_to_work_on_report(desk.user, row, at=desk.now)
    contents = row.contents if refusal is None and row.contents.erased_at is None else None
    if contents is not None:
        # Words and address are personal data: who looked at them is written down.
        audit.record("report.contact_seen", by=desk.person, at=desk.now, subject=f"report:{row.number}")
    steps, rules = _steps(desk, row, told=refusal)
    return show(
        request,
        desk,
        "report",
        here="reports",
        row=row,
        about=_about(row),
        about_others=row.kind in ABOUT_OTHERS,
        life=life,
        works_on_it=refusal is None,
        contents=contents,
        erased_at=row.contents.erased_at,
        attachments=_attachments(row, contents),
        events=list(row.events.all()),
        reply=getattr(row, "reply", None),
        refusal=refusal,
        steps=steps,
        rules=rules,
        work=work_facts.of(row, reader=desk.person, at=desk.now) if refusal is None else None,
        deadline=reports.next_step_due(row, replied=life.replied_at is not None, at=desk.now),
    )


def _attachments(row: Report, contents: Any) -> list[tuple[Any, str]]:
    """Each file with the name it came with; without one where it is erased or not for this reader."""
    names = contents.file_names if contents is not None else []
    files = list(row.attachments.all())
    return [(one, names[place] if place < len(names) else "") for place, one in enumerate(files)]


def _steps(desk: Desk, row: Report, *, told: Refusal | None) -> tuple[list[ReportStep], list[Any]]:
    """The steps that this person may take now; and the rules that forbid others, but for the one that is `told`."""
    possible = [step for step in STEPS if reports.refusal_to(step, row, at=desk.now) is None]
    asked = {step: policies.REFUSAL_TO_ON_REPORT[step](desk.user, row, at=desk.now) for step in possible}
    rules = {refusal.code: refusal.detail for refusal in asked.values() if refusal is not None}
    waits = reports.refusal_to(ReportStep.DECIDE, row, at=desk.now)
    if not rules and waits is not None and waits.code == "holder_may_still_reply":
        rules[waits.code] = waits.detail
    if told is not None:
        rules.pop(told.code, None)
    return [step for step in possible if asked[step] is None], list(rules.values())


@require_GET
@staff_page
def attachment(request: HttpRequest, desk: Desk, number: str, position: str) -> HttpResponse:
    """A file as it came: a download of unknown kind, never shown by the browser."""
    row = _found(number)
    if refusal := policies.refusal_to_work_on_report(desk.user, row, at=desk.now):
        raise refusal
    found = row.attachments.filter(position=int(position)).first()
    if found is None or row.contents.erased_at is not None:
        raise Http404
    audit.record(
        "report.attachment_seen",
        by=desk.person,
        at=desk.now,
        subject=f"report:{row.number}",
        position=found.position,
    )
    return answers.attached(found, number=row.number)


# ── steps ────────────────────────────────────────────────────────────────────


@require_POST
@staff_page
def take_up(request: HttpRequest, desk: Desk, number: str) -> HttpResponse:
    """It publishes nothing and writes no text, so it needs no preview."""
    row = _found(number)
    back = HttpResponseRedirect(reverse("staff:report", args=[row.number]))
    try:
        reports.take_up(row, by=desk.user, at=desk.now)
    except refusals.ReportRefused as told:
        if row.events.filter(step=ReportStep.TAKE_UP, by=desk.person).exists():
            messages.info(request, _("You took it up already: nothing was recorded again."))
        else:
            messages.error(request, str(told.detail))
        return back
    messages.success(request, _("The complaint is taken up. Whoever complained is told so."))
    return back


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def take(request: HttpRequest, desk: Desk, number: str, step: str) -> HttpResponse:
    row, step = _found(number), ReportStep(step)
    zone = report_rows.zone_of(row)
    about = _about(row)
    sequence = row.standing.sequence

    def act(at: datetime, facts: dict[str, Any], if_sequence: int) -> ReportEvent:
        if if_sequence != sequence:
            raise refusals.ReportRefused(
                _("Someone else has taken a step on it meanwhile: look at it again.")
            )
        return WRITERS[step](row, by=desk.user, at=at, **facts)

    case = two_steps.Case(
        decision=CODES.get(step, step.value),
        system=about["system"],
        holder=about["holder"],
        form=lambda data, **kw: FORMS[step](data, today=desk.now.astimezone(zone).date(), **kw),
        take=act,
        address=reverse("staff:report_step", args=[row.number, step.value]),
        back=reverse("staff:report", args=[row.number]),
        back_label=row.number,
        days=reports.REPLY_WITHIN,
        zone=zone,
        refusal=_refusal_to(step, desk, row),
        sequence=sequence,
        effect=EFFECTS[step],
        sheet="staff/_report_sheet.html",
        told=TOLD[step],
        wording=WORDINGS[step],
        repeated=lambda form: _same_step(row, step, form, desk),
        anew=lambda: _anew(step, desk, row.number),
    )
    return two_steps.answer(request, desk, case)


def _refusal_to(step: ReportStep, desk: Desk, row: Report) -> Refusal | None:
    refusal = policies.REFUSAL_TO_ON_REPORT[step](desk.user, row, at=desk.now)
    return refusal or reports.refusal_to(step, row, at=desk.now)


def _anew(step: ReportStep, desk: Desk, number: str) -> tuple[int, Refusal | None]:
    row = _found(number)
    return row.standing.sequence, _refusal_to(step, desk, row)


def _same_step(row: Report, step: ReportStep, form: StepForm, desk: Desk) -> str | None:
    """A second press of the same button: the step stands already, as this very person wrote it."""
    event = row.events.filter(step=step, by=desk.person).order_by("-sequence").first()
    written = form.cleaned_data[f"{form.text}_es"]
    same = event is not None and written == getattr(event, f"{form.text}_es")
    return reverse("staff:report", args=[row.number]) if same else None


def _about(row: Report) -> dict[str, str]:
    """Without a certificate it is about what it is about: the place is in the contents."""
    if row.certificate is None:
        return {"system": words.word("report_kind", row.kind), "holder": ""}
    named = row.certificate.names
    return {"system": f"{named['system']} {named['version']}", "holder": named["holder"]["name"]}
