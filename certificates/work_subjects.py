"""The things that staff have in hand and write notes on: how each is found and named, and who may have it.

To add a kind: one line in `KINDS`, and `subject=` in its matters of the queue.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse

from certificates import appeal_rows, four_eyes, names, policies, report_confidence, report_rows
from certificates.models import Appeal, Certificate, Report
from evidence import identities
from evidence.models import EvidencePackage, Holder, Run, System
from grading import run_grading, run_rules
from grading.models import Measurement
from registry_site import roles
from registry_site.models import Person, User
from registry_site.problems import Refusal
from registry_site.roles import Role


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing, named as the audit log names it: «appeal:AP-2026-000014»."""

    kind: str
    identifier: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.identifier}"


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectKind:
    """What must be known of one kind of thing.

    `refusal` says why a person may not have it in hand; `bars` the same of many people, as far as it is a rule
    of impartiality; `parts` who took part in it; `roles` who may have it at all. Notes on a `confidential` one are
    read and written by those alone who may have it in hand; `require_kept` refuses words that must not stay.
    """

    find: Callable[[str], Any]
    address: Callable[[str], str]
    named: Callable[[Any], str]
    refusal: Callable[[User, Any, datetime], Refusal | None]
    roles: frozenset[Role]
    bars: Callable[[Collection[Person], Any, datetime], policies.Bars] = lambda _people, _thing, _at: {}
    parts: Callable[[Any], list[four_eyes.Part]] = lambda _thing: []
    confidential: bool = False
    require_kept: Callable[[Any, str], None] = lambda _thing, _text: None


def _by_key(rows: Callable[[], Any]) -> Callable[[str], Any]:
    def find(identifier: str) -> Any:
        if not (identifier.isascii() and identifier.isdigit() and len(identifier) < 18):
            return None
        return rows().filter(pk=int(identifier)).first()

    return find


def _refusal_to_identify(user: User, _thing: Any, _at: datetime) -> Refusal | None:
    return identities.refusal_to_confirm(roles.person_of(user))


EVIDENCE_ROLES = frozenset(roles.DECIDING_ROLES)

KINDS: dict[str, SubjectKind] = {
    "package": SubjectKind(
        find=_by_key(lambda: EvidencePackage.objects.select_related("submitter__person")),
        address=lambda pk: reverse("staff:package", args=[pk]),
        named=lambda row: row.filename or row.sha256[:8],
        refusal=lambda user, _row, _at: policies.refusal_to_work_on_evidence(user),
        roles=EVIDENCE_ROLES,
        parts=four_eyes.of_package,
    ),
    "measurement": SubjectKind(
        find=_by_key(names.with_parents),
        address=lambda pk: reverse("staff:measurement", args=[pk]),
        named=lambda row: f"{names.reference(row)} · {row.system_version}",
        refusal=lambda user, row, at: policies.refusal_to_take_up(user, row, at=at),
        roles=frozenset({Role.CERTIFIER}),
        bars=lambda people, row, at: policies.bars_to_take_up(people, row, at=at),
        parts=four_eyes.of_measurement,
    ),
    "certificate": SubjectKind(
        find=lambda number: names.certificates_with_parents().filter(number=number).first(),
        address=lambda number: reverse("staff:certificate", args=[number]),
        named=lambda row: row.number,
        refusal=lambda user, row, at: policies.refusal_to_decide(user, row, at=at),
        roles=frozenset({Role.CERTIFIER}),
        bars=lambda people, row, at: policies.bars_to_deciding(people, row.measurement, at=at),
        parts=four_eyes.of_certificate,
    ),
    "appeal": SubjectKind(
        find=appeal_rows.find,
        address=lambda number: reverse("staff:appeal", args=[number]),
        named=lambda row: row.number,
        refusal=lambda user, row, at: policies.refusal_to_decide_appeal(user, row, at=at),
        roles=frozenset({Role.APPEALS_OFFICER}),
        bars=lambda people, row, at: policies.bars_to_appeal(people, row, at=at),
        parts=four_eyes.of_appeal,
    ),
    "report": SubjectKind(
        find=report_rows.find,
        address=lambda number: reverse("staff:report", args=[number]),
        named=lambda row: row.number,
        refusal=lambda user, row, at: policies.refusal_to_work_on_report(user, row, at=at),
        roles=frozenset(roles.DECIDING_ROLES),
        bars=lambda people, row, at: policies.bars_to_report(people, row, at=at),
        parts=four_eyes.of_report,
        confidential=True,
        require_kept=lambda row, text: report_confidence.require_kept(row, text=text),
    ),
    "run": SubjectKind(
        find=lambda number: run_grading.with_parents().filter(number=number).first(),
        address=lambda number: reverse("staff:run", args=[number]),
        named=lambda row: row.number,
        refusal=lambda user, row, at: run_rules.refusal_to_grade(user, row, at=at),
        roles=frozenset({Role.EVALUATOR}),
    ),
    "holder": SubjectKind(
        find=_by_key(Holder.objects.all),
        address=lambda pk: reverse("staff:holder", args=[pk]),
        named=lambda row: row.name,
        refusal=_refusal_to_identify,
        roles=identities.CONFIRMING_ROLES,
    ),
    "system": SubjectKind(
        find=_by_key(lambda: System.objects.select_related("holder")),
        address=lambda pk: reverse("staff:system", args=[pk]),
        named=lambda row: row.name,
        refusal=_refusal_to_identify,
        roles=identities.CONFIRMING_ROLES,
    ),
}


def of(thing: Any) -> Subject:
    """The name of a thing."""
    if isinstance(thing, Certificate | Appeal | Report | Run):
        return Subject(type(thing).__name__.lower(), thing.number)
    kinds = {
        EvidencePackage: "package",
        Measurement: "measurement",
        Holder: "holder",
        System: "system",
    }
    return Subject(kinds[type(thing)], str(thing.pk))


def find(subject: Subject) -> Any:
    """The thing that a subject names, or None."""
    kind = KINDS.get(subject.kind)
    return kind.find(subject.identifier) if kind else None
