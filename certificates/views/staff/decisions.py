"""What can be decided, on which certificate or measurement, and by whom: one case per decision.

The page itself (form, preview, signature) is the same for all of them: `two_steps`.
"""

from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from certificates import (
    application_rows,
    lifecycle,
    names,
    pending,
    policies,
    projections,
    refusals,
    report_rows,
    states,
    words,
)
from certificates.forms import FORMS, DecisionForm, IssueForm, RefuseForm
from certificates.models import Certificate, CertificateState, HolderRequest, Notice, StatusEvent
from certificates.states import Decision, Step
from certificates.views.staff import two_steps
from certificates.views.staff.desk import Desk, staff_page
from grading.models import Measurement
from registry_site import wording
from registry_site.problems import Refusal


class RequestNeeded(Refusal):
    """Nothing that speaks for the holder is offered before its own words are there (rule 6)."""

    code = "request_needed"
    title = gettext_lazy(
        "There is no written request of the holder that another person has stored (rule 6): store it, and let "
        "someone else decide."
    )


# ── on a certificate ─────────────────────────────────────────────────────────


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def decide(request: HttpRequest, desk: Desk, number: str, step: str) -> HttpResponse:
    certificate = get_object_or_404(names.certificates_with_parents(), number=number)
    return two_steps.answer(request, desk, _case_of_step(desk, certificate, Step(step)))


def _case_of_step(desk: Desk, certificate: Certificate, step: Step) -> two_steps.Case:
    events = projections.events_of(certificate)
    facts = states.status_of(projections.facts_of(events), desk.now)
    rules = certificate.measurement.scheme.rules
    zone = ZoneInfo(certificate.zone)
    today = desk.now.astimezone(zone).date()
    more: dict[str, Any] = {}
    refusal = refusal_to(step, desk, certificate, facts)
    concerns = pending.concerns(certificate)
    if step in (Step.TERMINATE, Step.SUPERSEDE):
        more["requests"] = requests_for(certificate, step, desk)
        if refusal is None and step is Step.TERMINATE and not more["requests"]:
            refusal = RequestNeeded()
    if step in (Step.SUSPEND, Step.REVOKE):
        more |= _complaints(certificate, concerns)
    if step is Step.PROLONG and facts.suspension:
        more["reviewed_on"] = facts.suspension.review_on
    if step is Step.ERRATUM:
        more["notices"] = _notices_of(events)
    act = getattr(lifecycle, step.value)

    def take(at: datetime, facts_of_form: dict[str, Any], if_sequence: int) -> Certificate:
        act(certificate, by=desk.user, at=at, if_sequence=if_sequence, **facts_of_form)
        certificate.refresh_from_db()
        return certificate

    return two_steps.Case(
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
        pending=pending.during(step, concerns),
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
        return refusals.forbidden_step(step, facts.word)
    return policies.REFUSAL_TO[step](desk.user, certificate, at=desk.now)


def _complaints(certificate: Certificate, concerns: list[pending.Concern]) -> dict[str, Any]:
    """The upheld complaints that a sanction may rest on."""
    if not any(one.may_carry_a_sanction for one in concerns):
        return {}
    return {
        "complaints": [
            (
                one.number,
                _("No. {number}: {kind}").format(number=one.number, kind=words.word("report_kind", one.kind)),
            )
            for one in report_rows.upheld_about(certificate)
        ],
    }


def _notices_of(events: list[StatusEvent]) -> list[tuple[str, str]]:
    """What was published on the certificate and an erratum may correct, newest first."""
    return [
        (
            row.notice.number,
            _("Notice No. {number}: {decision}").format(
                number=row.notice.number, decision=words.NOUN[row.notice.decision]
            ),
        )
        for row in reversed(events)
        if row.notice
    ]


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
    return two_steps.answer(request, desk, _case_of_issue(desk, measurement))


def _case_of_issue(desk: Desk, measurement: Measurement) -> two_steps.Case:
    rules = measurement.scheme.rules
    longest = policies.longest_term(measurement, at=desk.now)
    earlier = live_certificates_of_version(measurement)
    refusal = refusal_to_issue(desk, measurement, earlier)

    def take(at: datetime, facts_of_form: dict[str, Any], _sequence: int) -> Certificate:
        chosen = facts_of_form.pop("supersedes", None)
        supersedes = next((one for one in earlier if one.number == chosen), None)
        return lifecycle.issue(measurement, by=desk.user, at=at, supersedes=supersedes, **facts_of_form)

    return two_steps.Case(
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
    return wording.last_day(end.astimezone(zone))


@require_http_methods(["GET", "POST"])
@staff_page(survives_back=True)
def refuse(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    measurement = get_object_or_404(names.with_parents(), pk=pk)
    rules = measurement.scheme.rules

    def take(at: datetime, facts_of_form: dict[str, Any], _sequence: int) -> Notice:
        return lifecycle.refuse_issue(measurement, by=desk.user, at=at, **facts_of_form)

    case = two_steps.Case(
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
    return two_steps.answer(request, desk, case)


def _of_measurement(measurement: Measurement, name: str, rules: Any) -> dict[str, Any]:
    return {
        "address": reverse(f"staff:{name}", args=[measurement.pk]),
        "back": reverse("staff:measurement", args=[measurement.pk]),
        "application": application_rows.open_of(measurement),
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
