"""Who took part in a thing so far, by name and for the staff alone, and who may therefore not decide on it.

Both are read in a fixed number of queries, however many people and steps there are.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import CharField, F, Q, QuerySet, Value
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from certificates import policies, words
from certificates.models import (
    Appeal,
    AppealEvent,
    Application,
    Certificate,
    HolderRequest,
    Notice,
    Report,
    ReportEvent,
)
from certificates.ways import Way
from evidence.models import EvidencePackage, Participation
from evidence.models.package import ParticipationKind
from grading.models import Measurement, QuestionSet
from registry_site.models import Person
from registry_site.problems import Refusal
from registry_site.roles import Role

# Told of a third person; the refusals themselves speak to whoever is refused.
BAR_WORDS = {
    ("took_part_in_evaluation", 1): _("took part in the evaluation (rule 1)"),
    ("took_part_in_evaluation", 2): _("took part in the evaluation (rule 2)"),
    ("took_part_in_decision", 2): _("took part in a decision it concerns (rule 2)"),
    ("spoke_for_the_holder", 2): _("spoke for the holder on it (rule 2)"),
    ("declared_interest", 3): _("has an interest in this holder (rule 3)"),
    ("person_of_the_holder", 3): _("is a person of the holder, or was within the last two years (rule 3)"),
    ("second_person_needed", 6): _("stored what the holder asked for (rule 6)"),
    ("another_certifier_needed", 2): _("refused it, and that was overturned on appeal (rule 2)"),
    ("role_missing", None): _("does not hold the role that this needs"),
    ("role_needed", None): _("does not hold the role that this needs"),
}
# Of a certificate with a long history the latest steps are told; each of them stands in its history anyway.
LATEST = 40
EVALUATION = Value(Role.EVALUATOR.value, output_field=CharField())


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that one person did, and the role that it was done in."""

    person: str
    role: Any
    what: Any
    at: datetime | None
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Barred:
    person: str
    why: Any


def _did(
    rows: QuerySet,
    what: str,
    *,
    person: str,
    at: str,
    kind: str | None = None,
    number: str | None = None,
    role: Any = None,
) -> QuerySet:
    nothing = Value("", output_field=CharField())
    return rows.order_by().values_list(
        Value(what, output_field=CharField()),
        F(kind) if kind else nothing,
        F(number) if number else nothing,
        role or nothing,
        F(person),
        F(f"{person}__name"),
        F(at),
    )


def _in_evidence(sha256: str, set_sha256: str | None) -> list[QuerySet]:
    rows = [
        _did(
            Participation.objects.filter(package__sha256=sha256),
            "evidence",
            kind="kind",
            person="person",
            at="at",
            role=EVALUATION,
        ),
        # The same bytes from another hand, of which no participation was written when they failed to arrive.
        _did(
            EvidencePackage.objects.filter(sha256=sha256, submitter__person__isnull=False),
            "handed_in",
            person="submitter__person",
            at="created_at",
            role=EVALUATION,
        ),
    ]
    if set_sha256:
        rows.append(
            _did(
                QuestionSet.objects.filter(set_sha256=set_sha256),
                "set",
                person="registered_by",
                at="registered_at",
                role=EVALUATION,
            )
        )
    return rows


def _decisions(about: Q) -> QuerySet:
    return _did(
        Notice.objects.filter(about),
        "decided",
        kind="decision",
        number="number",
        person="decided_by",
        at="at",
        role=F("role"),
    )


def _stored_applications(measurement: Measurement) -> QuerySet:
    return _did(
        Application.objects.filter(measurement=measurement, way=Way.ON_BEHALF),
        "application",
        number="number",
        person="entered_by",
        at="filed_at",
    )


def of_package(package: EvidencePackage) -> list[Part]:
    decided = _decisions(Q(measurement__package=package) | Q(certificate__measurement__package=package))
    return _told([*_in_evidence(package.sha256, None), decided] if package.sha256 else [decided])


def of_measurement(measurement: Measurement) -> list[Part]:
    return _told(
        [
            *_in_evidence(measurement.package.sha256, measurement.set_sha256),
            _decisions(Q(measurement=measurement) | Q(certificate__measurement=measurement)),
            _stored_applications(measurement),
        ]
    )


def of_certificate(certificate: Certificate) -> list[Part]:
    measurement = certificate.measurement
    return _told(
        [
            *_in_evidence(measurement.package.sha256, measurement.set_sha256),
            _decisions(Q(certificate=certificate)),
            _stored_applications(measurement),
            _did(
                HolderRequest.objects.filter(certificate=certificate),
                "request",
                person="stored_by",
                at="stored_at",
            ),
        ]
    )


def of_appeal(appeal: Appeal) -> list[Part]:
    measurement = policies.measurement_of(appeal)
    about = Q(certificate=appeal.certificate_id) if appeal.certificate_id else Q(measurement=measurement)
    return _told(
        [
            *_in_evidence(measurement.package.sha256, measurement.set_sha256),
            _decisions(about | Q(pk=appeal.notice_id)),
            _did(
                # A step with a notice is told as the decision that it is.
                AppealEvent.objects.filter(appeal=appeal, by__isnull=False, notice=None),
                "appeal",
                kind="step",
                person="by",
                at="at",
                role=F("role"),
            ),
        ]
    )


def of_report(report: Report) -> list[Part]:
    """Who worked on a complaint; who took part in what it is about is told by the rule that bars them."""
    worked = ReportEvent.objects.filter(report=report, by__isnull=False)
    return _told([_did(worked, "report", kind="step", person="by", at="at", role=F("role"))])


def _told(rows: list[QuerySet]) -> list[Part]:
    """One query for all of them, newest first."""
    first, *others = rows
    found = first.union(*others, all=True) if others else first
    parts: list[Part] = []
    handed_in = set()
    by_age = sorted(found, key=lambda row: row[6])
    for what, kind, number, role, person, name, at in by_age:
        if what == "handed_in" or kind == ParticipationKind.SUBMITTED:
            # Written twice for whoever handed it in: as the hand-in and as a part in the evidence.
            if person in handed_in:
                continue
            handed_in.add(person)
        parts.append(
            Part(
                person=name,
                role=words.ROLE.get(role, ""),
                what=_words(what, kind, number),
                at=at,
                notice=number if what == "decided" else "",
            )
        )
    return parts[::-1][:LATEST]


def _words(what: str, kind: str, number: str) -> Any:
    if what == "evidence":
        return ParticipationKind(kind).label
    if what == "decided":
        return format_lazy(_("decided: {decision}"), decision=words.NOUN[kind])
    if what == "application":
        return format_lazy(_("stored application No. {number} of the holder"), number=number)
    if what == "report":
        return format_lazy(_("complaint: {step}"), step=words.REPORT_STEP[kind])
    if what == "appeal":
        return format_lazy(_("appeal: {step}"), step=words.APPEAL_STEP[kind])
    return {
        "handed_in": ParticipationKind.SUBMITTED.label,
        "set": _("registered the question set"),
        "request": _("stored a request of the holder"),
    }[what]


# ── who may not ──────────────────────────────────────────────────────────────


def barred(people: Iterable[Person], bars: policies.Bars) -> list[Barred]:
    """Those of `people` whom a rule keeps from deciding, by name, each with the rule."""
    return [Barred(one.name, why(bars[one.pk])) for one in people if one.pk in bars]


def why(refusal: Refusal) -> Any:
    """The rule, told of somebody else."""
    return BAR_WORDS.get((refusal.code, refusal.extra.get("rule")), refusal.detail)
