"""Who may look into a complaint, decide it, reply to it, and take the sanction that rests on it."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from certificates import report_rows
from certificates.models import Certificate, Notice, Report, ReportEvent
from certificates.policies import bonds, persons
from certificates.refusals import RuleOfImpartiality
from certificates.report_states import ABOUT_OTHERS, OPEN, ReportStep
from certificates.states import Decision
from registry_site import roles
from registry_site.models import Person, User
from registry_site.problems import NotAllowed, Refusal
from registry_site.roles import Role


def refusal_to_reply(user: User, report: Report) -> Refusal | None:
    """A person of the holder replies from its account to what was put to the holder."""
    if report.certificate is None:
        return NotAllowed(_("Only the holder's own people do this."), code="not_of_the_holder")
    return persons.refusal_to_other_than_holder(user, report.certificate.system_version.system.holder)


def refusal_to_work_on_report(user: User, report: Report, *, at: datetime) -> Refusal | None:
    """Rule 2, for whoever looks into a complaint: reads it, takes it up, puts it to the holder."""
    return (
        persons.refusal_to_no_person(user)
        or _refusal_for_part_in_what_is_complained_of(user, report)
        or persons.refusal_without_role(
            user,
            roles.DECIDING_ROLES,
            _("This step needs a role that evaluates, certifies or hears appeals."),
        )
        or _refusal_for_interest_in_report(user, report, at)
    )


def refusal_to_decide_report(user: User, report: Report, *, at: datetime) -> Refusal | None:
    """By a certifier or an appeals officer who was not involved; its review by someone else than decided first."""
    return (
        refusal_to_work_on_report(user, report, at=at)
        or persons.refusal_without_role(
            user,
            (Role.CERTIFIER, Role.APPEALS_OFFICER),
            _("A complaint is decided by whoever certifies or hears appeals."),
        )
        or _refusal_to_review_oneself(user, report)
    )


REFUSAL_TO_ON_REPORT = {
    ReportStep.TAKE_UP: refusal_to_work_on_report,
    ReportStep.ASK_HOLDER: refusal_to_work_on_report,
    ReportStep.DECLINE: refusal_to_decide_report,
    ReportStep.DECIDE: refusal_to_decide_report,
}


def refusal_to_sanction(user: User, certificate: Certificate) -> Refusal | None:
    """Rule 2: who looked into a complaint that is open or was upheld may propose a sanction, and does not take it.

    Whichever reason it names: another one would lead around the rule.
    """
    looked_into = ReportEvent.objects.filter(
        Q(report__standing__state__in=OPEN) | Q(report__events__outcome__in=report_rows.UPHELD),
        by=roles.person_of(user),
        step__in=[ReportStep.TAKE_UP, ReportStep.ASK_HOLDER],
        report__certificate=certificate,
    )
    if not looked_into.exclude(report__kind__in=ABOUT_OTHERS).exists():
        return None
    return RuleOfImpartiality(
        _(
            "You looked into the complaint: you may propose what follows, and someone else decides it (rule 2)."
        ),
        code="looked_into_report",
        rule=2,
    )


def bars_to_report(people: Collection[Person], report: Report, *, at: datetime) -> bonds.Bars:
    """Of `people` those whom rules 2 and 3 keep from every step on `report`."""
    rows = _part_in_what_is_complained_of(people, report)
    if report.certificate is not None:
        rows += bonds.interested(people, report.certificate.system_version.system.holder, at)
    return bonds.bars(rows, REFUSALS_ON_COMPLAINT) if rows else {}


def _refusal_for_part_in_what_is_complained_of(user: User, report: Report) -> Refusal | None:
    person = roles.person_of(user)
    rows = _part_in_what_is_complained_of([person], report)
    return bonds.bars(rows, REFUSALS_ON_COMPLAINT).get(person.pk) if rows else None


def _part_in_what_is_complained_of(people: Collection[Person], report: Report) -> list[QuerySet]:
    certificate = report.certificate
    if certificate is None or report.kind in ABOUT_OTHERS:
        return []
    decided = Notice.objects.filter(
        certificate=certificate, decided_by__in=people, role=Role.CERTIFIER
    ).exclude(decision=Decision.REPORT)
    return [
        *bonds.in_the_evidence_of(certificate.measurement, people),
        bonds.bound(decided, "decision", person="decided_by_id"),
    ]


def _refusal_for_interest_in_report(user: User, report: Report, at: datetime) -> Refusal | None:
    if report.certificate is None:
        return None
    return bonds.refusal_for_interest(user, report.certificate.system_version.system.holder, at)


def _refusal_to_review_oneself(user: User, report: Report) -> Refusal | None:
    if not report.events.filter(by=roles.person_of(user), step=ReportStep.DECIDE).exists():
        return None
    return RuleOfImpartiality(
        _("You decided this complaint: someone else reviews it (rule 2)."), code="decided_before", rule=2
    )


REFUSALS_ON_COMPLAINT = bonds.REFUSALS_FOR_INTEREST | {
    "decision": bonds.refusal_under_rule_2(
        _("You cannot take this step on the complaint: you took part in a decision it concerns (rule 2)."),
        "took_part_in_decision",
    ),
    "evidence": bonds.refusal_under_rule_2(
        _("You cannot take this step on the complaint: you took part in the evaluation (rule 2)."),
        "took_part_in_evaluation",
    ),
}
