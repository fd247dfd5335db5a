"""One decision per page: the form, its rules with ticks, the public text in both languages, the signature.

The form is posted to the same address twice. The first time it is previewed and nothing is kept; the preview
carries what was written as hidden fields, with a seal over it. Only a sealed form is signed: what is
published was seen in both languages before (rule 4). Nothing is stored in between, so the back button and a
second press do no harm.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import messages
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from certificates import checklist, lifecycle, names, policies, projections, rehearsal, states, words
from certificates.forms import FORMS, DecisionForm, IssueForm, RefuseForm
from certificates.models import Certificate, CertificateState, HolderRequest, Notice
from certificates.refusals import ForbiddenStep, LostRace
from certificates.states import Decision, Step
from certificates.views.staff.desk import Desk, show, staff_page
from grading.models import Measurement
from registry_site.problems import Refusal

# A preview older than this is shown anew: meanwhile the case may have changed.
SEAL_HOLDS = 4 * 3600
_SEAL = "certificates.decision"

EFFECTS: dict[str, Any] = {
    Decision.ISSUE: gettext_lazy("Signing it issues a certificate on this measurement, in force at once."),
    Decision.REFUSE: gettext_lazy(
        "Signing it refuses a certificate on this measurement. "
        "The refusal is public, and can be appealed for {days} days."
    ),
    Decision.SUSPEND: gettext_lazy(
        "This decision takes it out of force as soon as you sign it, "
        "and the holder may appeal for {days} days."
    ),
    Decision.PROLONG: gettext_lazy(
        "This decision sets a later review date. It stays suspended, "
        "and the holder may appeal for {days} days."
    ),
    Decision.REINSTATE: gettext_lazy("This decision puts it in force again as soon as you sign it."),
    Decision.REVOKE: gettext_lazy(
        "This decision takes it out of force for good as soon as you sign it. "
        "The holder may appeal for {days} days; only afterwards is it final."
    ),
    Decision.TERMINATE: gettext_lazy("This decision ends it at the holder's request. It is not a sanction."),
    Decision.SUPERSEDE: gettext_lazy("This decision lets another certificate in force take its place."),
}


class RequestNeeded(Refusal):
    """Nothing that speaks for the holder is offered before its own words are there (rule 6)."""

    code = "request_needed"
    title = gettext_lazy(
        "There is no written request of the holder that another person has stored (rule 6): store it, and let "
        "someone else decide."
    )


@dataclass(slots=True)
class Case:
    """What is decided, on what, and how: the same page serves every decision."""

    decision: str
    system: str
    holder: str
    form: Callable[..., DecisionForm]  # data or None → the form
    take: Callable[..., Any]  # facts of the form → the step, taken
    address: str
    back: str
    back_label: str
    days: int
    zone: ZoneInfo
    refusal: Refusal | None = None
    number: str = ""
    sequence: int = 0
    status: str = ""
    repeated: Callable[[DecisionForm], str | None] = field(
        default=lambda _form: None
    )  # → address, when it stands already


# ── on a certificate ─────────────────────────────────────────────────────────


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def decide(request: HttpRequest, desk: Desk, number: str, step: str) -> HttpResponse:
    certificate = get_object_or_404(names.certificates_with_parents(), number=number)
    return _page(request, desk, _case_of_step(desk, certificate, Step(step)))


def _case_of_step(desk: Desk, certificate: Certificate, step: Step) -> Case:
    facts = states.status_of(projections.facts_of(projections.events_of(certificate)), desk.now)
    rules = policies.rules_of(certificate.measurement)
    zone = ZoneInfo(certificate.zone)
    today = desk.now.astimezone(zone).date()
    more: dict[str, Any] = {}
    refusal = refusal_to(step, desk, certificate, facts)
    if step in (Step.TERMINATE, Step.SUPERSEDE):
        more["requests"] = requests_for(certificate, step, desk)
        if refusal is None and step is Step.TERMINATE and not more["requests"]:
            refusal = RequestNeeded()
    if step is Step.PROLONG and facts.suspension:
        more["reviewed_on"] = facts.suspension.review_on
    act = getattr(lifecycle, step.value)

    def take(at: datetime, facts_of_form: dict[str, Any], if_sequence: int) -> Certificate:
        act(certificate, by=desk.user, at=at, if_sequence=if_sequence, **facts_of_form)
        certificate.refresh_from_db()
        return certificate

    return Case(
        decision=step.value,
        system=f"{certificate.names['system']} {certificate.names['version']}",
        holder=certificate.names["holder"]["name"],
        form=lambda data, **kw: FORMS[step](data, today=today, **more, **kw),
        take=take,
        address=reverse("staff:decide", args=[certificate.number, step.value]),
        back=reverse("staff:certificate", args=[certificate.number]),
        back_label=certificate.number,
        days=rules.appeal_period,
        zone=zone,
        refusal=refusal,
        number=certificate.number,
        sequence=facts.sequence,
        status=facts.word.value,
        repeated=lambda form: _same_decision(
            Notice.objects.filter(
                certificate=certificate, event__sequence=form.cleaned_data["if_sequence"] + 1
            ),
            step.value,
            form,
            desk,
            reverse("staff:certificate", args=[certificate.number]),
        ),
    )


def refusal_to(step: Step, desk: Desk, certificate: Certificate, facts: states.StatusFacts) -> Refusal | None:
    """Why this person cannot take this step now: first what the certificate allows, then who may."""
    if (facts.standing, step) not in states.TRANSITIONS:
        return ForbiddenStep(
            _("“{step}” cannot follow: the certificate is {status}.").format(
                step=words.BUTTON[step], status=words.STATUS[facts.word]
            ),
            step=step.value,
        )
    return policies.REFUSAL_TO[step](desk.user, certificate, at=desk.now)


def requests_for(certificate: Certificate, step: Step, desk: Desk) -> list[tuple[str, str]]:
    """The holder's stored requests that this person may act on: unused, and stored by somebody else."""
    rows = (
        HolderRequest.objects.filter(certificate=certificate, kind=step.value, notices=None)
        .exclude(stored_by=desk.person)
        .select_related("stored_by")
        .order_by("-pk")[:20]
    )
    return [
        (
            str(row.pk),
            _("Received on {day}, stored by {person}: “{text}”").format(
                day=row.received_on.isoformat(), person=row.stored_by.name, text=row.text[:160]
            ),
        )
        for row in rows
    ]


# ── on a measurement ─────────────────────────────────────────────────────────


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def issue(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    measurement = get_object_or_404(names.with_parents(), pk=pk)
    return _page(request, desk, _case_of_issue(desk, measurement))


def _case_of_issue(desk: Desk, measurement: Measurement) -> Case:
    rules = policies.rules_of(measurement)
    longest = policies.longest_term(measurement, at=desk.now)
    earlier = live_certificates_of_version(measurement)
    refusal = refusal_to_issue(desk, measurement, earlier)

    def take(at: datetime, facts_of_form: dict[str, Any], _sequence: int) -> Certificate:
        chosen = facts_of_form.pop("supersedes", None)
        supersedes = next((one for one in earlier if one.number == chosen), None)
        return lifecycle.issue(measurement, by=desk.user, at=at, supersedes=supersedes, **facts_of_form)

    return Case(
        decision=Decision.ISSUE.value,
        system=str(measurement.system_version),
        holder=measurement.system_version.system.holder.name,
        form=lambda data, **kw: IssueForm(
            data,
            today=desk.now.astimezone(rules.zone).date(),
            last_day=last_day_before(longest, rules.zone),
            supersedes=[one.number for one in earlier],
            must_supersede=_is_later_measurement(measurement, earlier),
            **kw,
        ),
        take=take,
        refusal=refusal,
        repeated=lambda form: _issued_already(measurement, form, desk),
        **_of_measurement(measurement, "issue", rules),
    )


def refusal_to_issue(desk: Desk, measurement: Measurement, earlier: list[Certificate]) -> Refusal | None:
    """A later measurement may take the place of the certificate on the first: then that one is assumed."""
    refusal = policies.refusal_to_issue(desk.user, measurement, at=desk.now)
    if refusal is not None and refusal.code == "not_the_first_measurement" and earlier:
        return policies.refusal_to_issue(desk.user, measurement, at=desk.now, supersedes=earlier[0])
    return refusal


def _is_later_measurement(measurement: Measurement, earlier: list[Certificate]) -> bool:
    return bool(earlier) and policies.first_measurement(measurement).pk != measurement.pk


def live_certificates_of_version(measurement: Measurement) -> list[Certificate]:
    """Certificates of the same version whose place a new one could take."""
    states_of_version = CertificateState.objects.filter(
        system_version=measurement.system_version_id, live=True, word__in=["active", "suspended"]
    ).exclude(measurement=measurement.pk)
    return [row.certificate for row in states_of_version.select_related("certificate").order_by("-pk")[:20]]


def last_day_before(end: datetime, zone: ZoneInfo) -> date:
    from registry_site import wording

    return wording.last_day(end.astimezone(zone))


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def refuse(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    measurement = get_object_or_404(names.with_parents(), pk=pk)
    rules = policies.rules_of(measurement)

    def take(at: datetime, facts_of_form: dict[str, Any], _sequence: int) -> Notice:
        return lifecycle.refuse_issue(measurement, by=desk.user, at=at, **facts_of_form)

    case = Case(
        decision=Decision.REFUSE.value,
        system=str(measurement.system_version),
        holder=measurement.system_version.system.holder.name,
        form=lambda data, **kw: RefuseForm(data, today=desk.now.astimezone(rules.zone).date(), **kw),
        take=take,
        refusal=policies.refusal_to_refuse(desk.user, measurement, at=desk.now),
        repeated=lambda form: _same_decision(
            Notice.objects.filter(measurement=measurement),
            "refuse",
            form,
            desk,
            reverse("staff:measurement", args=[measurement.pk]),
        ),
        **_of_measurement(measurement, "refuse", rules),
    )
    return _page(request, desk, case)


def _of_measurement(measurement: Measurement, name: str, rules: Any) -> dict[str, Any]:
    return {
        "address": reverse(f"staff:{name}", args=[measurement.pk]),
        "back": reverse("staff:measurement", args=[measurement.pk]),
        "back_label": _("Measurement of {system}").format(system=measurement.system_version),
        "days": rules.appeal_period,
        "zone": rules.zone,
    }


# ── said twice ───────────────────────────────────────────────────────────────


def _same_decision(found: Any, decision: str, form: DecisionForm, desk: Desk, address: str) -> str | None:
    """A second press of the same button: the decision stands already, as this very person wrote it."""
    notice = found.filter(decision=decision, decided_by=desk.person).order_by("-pk").first()
    same = notice is not None and notice.statement_es == form.cleaned_data["statement_es"]
    return address if same else None


def _issued_already(measurement: Measurement, form: DecisionForm, desk: Desk) -> str | None:
    found = Notice.objects.filter(certificate__measurement=measurement).select_related("certificate")
    notice = found.filter(decision="issue", decided_by=desk.person).order_by("-pk").first()
    if notice is None or notice.statement_es != form.cleaned_data["statement_es"]:
        return None
    return reverse("staff:certificate", args=[notice.certificate.number])


# ── the page ─────────────────────────────────────────────────────────────────


def _page(request: HttpRequest, desk: Desk, case: Case) -> HttpResponse:
    if request.method == "GET":
        return _show_form(request, desk, case, case.form(None, initial={"if_sequence": case.sequence}))
    form = case.form(request.POST)
    action = request.POST.get("action")
    if not form.is_valid():
        return _show_form(request, desk, case, form, status=422)
    if action == "edit":
        return _show_form(request, desk, case, case.form(None, initial=_as_written(form)))
    at = desk.now.astimezone(UTC)
    sequence = form.cleaned_data["if_sequence"]
    try:
        if action == "sign" and _is_sealed(request, desk, case, form):
            return _signed(request, case, case.take(at, form.facts(), sequence))
        preview = _preview(case, form, at, sequence)
    except Refusal as told:
        return _refused(request, desk, case, form, told)
    return _show_preview(request, desk, case, form, preview)


def _preview(case: Case, form: DecisionForm, at: datetime, sequence: int) -> dict[str, Any]:
    if case.decision == Decision.REFUSE:
        return {"notice": rehearsal.of_refusal(lambda: case.take(at, form.facts(), sequence))}
    number, entry, verdict = rehearsal.of_certificate(lambda: case.take(at, form.facts(), sequence), at=at)
    return {"number": number, "entry": entry, "verdict": verdict}


def _signed(request: HttpRequest, case: Case, made: Certificate | Notice) -> HttpResponse:
    if isinstance(made, Certificate):
        notice = made.notices.order_by("-pk").first()
        address = reverse("staff:certificate", args=[made.number])
    else:
        notice, address = made, case.back
    told = str(words.STEP[case.decision]).format(n=notice.number)
    messages.success(
        request,
        _("{step}. Decision No. {number} is signed and published.").format(step=told, number=notice.number),
    )
    return HttpResponseRedirect(address)


def _refused(request: HttpRequest, desk: Desk, case: Case, form: DecisionForm, told: Refusal) -> HttpResponse:
    """Whoever came too late, or was forbidden meanwhile, is told so; what was written stays in the form."""
    repeated = case.repeated(form)
    if repeated:
        messages.info(request, _("Your decision stands already: it was not recorded again."))
        return HttpResponseRedirect(repeated)
    named = str(told.extra.get("field", "")).replace(".", "_")
    if named in form.fields:
        form.add_error(named, str(told.detail))
        return _show_form(request, desk, case, form, status=told.status)
    if isinstance(told, LostRace):
        # What was seen is no longer what is: the next attempt is in view of the present state.
        present = told.extra["present"]
        form = _anew(case, form, sequence=present["sequence"])
        case.status, case.sequence = present["status"], present["sequence"]
        if (states.Standing(case.status), Step(case.decision)) not in states.TRANSITIONS:
            case.refusal = ForbiddenStep(
                _("“{step}” cannot follow: the certificate is {status}.").format(
                    step=words.BUTTON[case.decision], status=words.STATUS[case.status]
                )
            )
    form.add_error(None, str(told.detail))
    return _show_form(request, desk, case, form, status=told.status)


def _anew(case: Case, form: DecisionForm, *, sequence: int) -> DecisionForm:
    data = form.data.copy()
    data["if_sequence"] = str(sequence)
    fresh = case.form(data)
    fresh.is_valid()
    return fresh


def _as_written(form: DecisionForm) -> dict[str, Any]:
    written = dict(form.cleaned_data)
    for language in ("es", "en"):
        if f"conditions_{language}" in written:
            written[f"conditions_{language}"] = "\n".join(one[language] for one in written["conditions"])
    return written


def _show_form(
    request: HttpRequest, desk: Desk, case: Case, form: DecisionForm, status: int = 200
) -> HttpResponse:
    return show(
        request,
        desk,
        "decision",
        here="queue",
        case=case,
        form=form,
        effect=str(EFFECTS[case.decision]).format(days=case.days),
        rules=checklist.ticks(case.decision, case.refusal, complete=False),
        forbidden=case.refusal is not None,
        status=status,
    )


def _show_preview(
    request: HttpRequest, desk: Desk, case: Case, form: DecisionForm, preview: dict[str, Any]
) -> HttpResponse:
    return show(
        request,
        desk,
        "decision_preview",
        here="queue",
        case=case,
        form=form,
        written=_written(form),
        seal=_seal(desk, case, form),
        effect=str(EFFECTS[case.decision]).format(days=case.days),
        rules=checklist.ticks(case.decision, case.refusal, complete=True),
        **preview,
    )


def _written(form: DecisionForm) -> list[tuple[str, str]]:
    """Everything that was posted in the form's own fields, to be posted once more."""
    pairs: list[tuple[str, str]] = []
    for name, one in form.fields.items():
        html_name = form.add_prefix(name)
        if isinstance(one, forms.MultiValueField):
            pairs += [(key, form.data[key]) for key in form.data if key.startswith(f"{html_name}_")]
        elif html_name in form.data:
            pairs.append((html_name, form.data[html_name]))
    return pairs


# ── the seal ─────────────────────────────────────────────────────────────────


def _digest(desk: Desk, case: Case, form: DecisionForm) -> str:
    seen = {
        "decision": case.decision,
        "address": case.address,
        "person": desk.person.pk,
        "if_sequence": form.cleaned_data["if_sequence"],
        "facts": form.facts(),
    }
    return hashlib.sha256(json.dumps(seen, sort_keys=True, default=str).encode()).hexdigest()


def _seal(desk: Desk, case: Case, form: DecisionForm) -> str:
    return signing.dumps(_digest(desk, case, form), salt=_SEAL)


def _is_sealed(request: HttpRequest, desk: Desk, case: Case, form: DecisionForm) -> bool:
    try:
        seen = signing.loads(request.POST.get("seal", ""), salt=_SEAL, max_age=SEAL_HOLDS)
    except signing.BadSignature:
        return False
    return seen == _digest(desk, case, form)
