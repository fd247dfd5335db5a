"""Who may appeal against a decision, withdraw an appeal, and decide it."""

from collections.abc import Collection, Sequence
from datetime import datetime

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from certificates import appeal_links, states, terms
from certificates.models import Appeal, HolderRequest, Notice, ReportEvent
from certificates.models.notice import HolderRequestKind
from certificates.policies import bonds, persons, requests, subjects
from certificates.refusals import NotAppealable, RuleOfImpartiality
from certificates.states import Decision
from certificates.ways import Way
from evidence import memberships
from registry_site import roles
from registry_site.models import Person, User
from registry_site.problems import Refusal
from registry_site.roles import Role

APPEALABLE = frozenset(
    {Decision.REFUSE, Decision.REPORT, *(Decision(step.value) for step in states.APPEALABLE)}
)


def refusal_to_decide_appeal(user: User, appeal: Appeal, *, at: datetime) -> Refusal | None:
    """Rule 2: an appeal is admitted and decided by someone who took part neither in the evaluation nor in any
    decision it concerns. Asked before the role, so that the certifier reads the rule and not a lack of role.
    """
    return (
        persons.refusal_to_no_person(user)
        or _refusal_for_part_in_what_is_appealed(user, appeal)
        or persons.refusal_without_role(
            user, (Role.APPEALS_OFFICER,), _("This step needs the role for appeals.")
        )
        or bonds.refusal_for_interest(user, subjects.measurement_of(appeal).system_version.system.holder, at)
    )


def refusal_of_appeal(notice: Notice) -> Refusal | None:
    """Why nobody can appeal against a decision, or None. That it is too late is answered by the outcome."""
    if refusal := _refusal_of_unappealable(notice):
        return refusal
    found = Appeal.objects.filter(notice=notice).first()
    if found is None:
        return None
    return NotAppealable(
        _("There is already an appeal against this decision. A decision is appealed once."),
        code="already_appealed",
        appeal=found.number,
    )


def refusal_to_file_appeal(user: User, notice: Notice, *, at: datetime) -> Refusal | None:
    """A person of the holder appeals from its account, until the links of the letter die too."""
    return (
        persons.refusal_to_other_than_holder(user, subjects.holder_of(notice))
        or refusal_of_appeal(notice)
        or _refusal_at_sight_to_appeal(user, notice, at)
    )


def appealable_by(user: User, notices: Sequence[Notice], *, at: datetime) -> frozenset[int]:
    """The keys of those decisions that `user` may appeal against: `refusal_to_file_appeal` of many, in two queries."""
    person = roles.person_of(user)
    if person is None or roles.refusal_after_recovery(person) is not None:
        return frozenset()
    holders = {one.holder_id for one in memberships.living(person)}
    appealed = set(Appeal.objects.filter(notice__in=notices).values_list("notice", flat=True))
    return frozenset(
        notice.pk
        for notice in notices
        if subjects.holder_of(notice).pk in holders
        and notice.pk not in appealed
        and _refusal_at_sight_to_appeal(user, notice, at) is None
    )


def _refusal_at_sight_to_appeal(user: User, notice: Notice, at: datetime) -> Refusal | None:
    """Of the reasons the ones that the decision shows by itself, without a query."""
    return (
        _refusal_of_unappealable(notice)
        or _refusal_to_whoever_decided(user, notice)
        or _refusal_for_lateness(notice, at)
    )


def _refusal_of_unappealable(notice: Notice) -> Refusal | None:
    if notice.decision not in APPEALABLE or notice.appeal_until is None:
        return NotAppealable()
    return None


def refusal_to_withdraw_appeal(user: User, appeal: Appeal) -> Refusal | None:
    """A person of the holder withdraws its appeal, whoever filed it."""
    return persons.refusal_to_other_than_holder(user, subjects.holder_of(appeal.notice))


def refusal_to_act_on_request(
    user: User, request: HolderRequest, *, at: datetime, kind: str | None = None
) -> Refusal | None:
    """Rule 6: a second person files or withdraws an appeal on the holder's stored request (`kind`: this step)."""
    if request.notice is None or kind not in (None, request.kind):
        return requests.request_does_not_fit()
    return (
        persons.refusal_without_role(user, roles.DECIDING_ROLES)
        or bonds.refusal_for_interest(user, subjects.holder_of(request.notice), at)
        or requests.refusal_to_whoever_stored(user, request)
        or _refusal_to_whoever_decided(user, request.notice)
        or requests.refusal_of_used_request(request)
        or (
            _refusal_for_lateness(request.notice, at)
            if request.kind == HolderRequestKind.APPEAL and not received_in_time(request)
            else None
        )
    )


def received_in_time(request: HolderRequest) -> bool:
    """Whether the holder's request reached the registry within the period: what it is appealed by counts from then."""
    until = request.notice.appeal_until
    zone = subjects.measured(request.notice).scheme.rules.zone
    return until is not None and terms.end_of_day(request.received_on, zone=zone) <= until


def _refusal_to_whoever_decided(user: User, notice: Notice) -> Refusal | None:
    if notice.decided_by_id != roles.person_of(user).pk:
        return None
    return RuleOfImpartiality(
        _("You took this decision: others speak for the holder against it (rule 2)."),
        code="took_part_in_decision",
        rule=2,
    )


def _refusal_for_lateness(notice: Notice, at: datetime) -> Refusal | None:
    if notice.appeal_until is not None and at < appeal_links.last_moment(notice):
        return None
    return NotAppealable(_("The period to appeal is over."), code="appeal_period_over")


def _refusal_for_part_in_what_is_appealed(user: User, appeal: Appeal) -> Refusal | None:
    person = roles.person_of(user)
    return bonds.bars(_part_in_what_is_appealed([person], appeal), REFUSALS_ON_APPEAL).get(person.pk)


def _part_in_what_is_appealed(people: Collection[Person], appeal: Appeal) -> list[QuerySet]:
    measurement = subjects.measurement_of(appeal)
    # Every decision on the certificate concerns it but the outcomes of other appeals and complaints.
    about = Q(certificate=appeal.certificate_id) if appeal.certificate_id else Q(measurement=measurement)
    decided = Notice.objects.filter(
        about & Q(role=Role.CERTIFIER, report_event=None) | Q(pk=appeal.notice_id), decided_by__in=people
    )
    # Whoever worked on the complaint whose outcome is appealed, or that the decision rests on.
    worked_on_report = ReportEvent.objects.filter(
        Q(report__events__notice=appeal.notice_id) | Q(report__number=appeal.notice.reason_number or ""),
        by__in=people,
    )
    on_behalf = appeal.events.filter(way=Way.ON_BEHALF)
    return [
        *bonds.in_the_evidence_of(measurement, people),
        bonds.bound(decided, "decision", person="decided_by_id"),
        bonds.bound(worked_on_report, "decision", person="by_id"),
        bonds.bound(on_behalf.filter(by__in=people), "spoke", person="by_id"),
        bonds.bound(on_behalf.filter(request__stored_by__in=people), "spoke", person="request__stored_by_id"),
    ]


def bars_to_appeal(people: Collection[Person], appeal: Appeal, *, at: datetime) -> bonds.Bars:
    """Of `people` those whom rules 2 and 3 keep from every step on `appeal`."""
    holder = subjects.measurement_of(appeal).system_version.system.holder
    return bonds.bars(
        [*_part_in_what_is_appealed(people, appeal), *bonds.interested(people, holder, at)],
        REFUSALS_ON_APPEAL,
    )


REFUSALS_ON_APPEAL = bonds.REFUSALS_FOR_INTEREST | {
    "decision": bonds.refusal_under_rule_2(
        _("You cannot take this step on the appeal: you took part in a decision it concerns (rule 2)."),
        "took_part_in_decision",
    ),
    "spoke": bonds.refusal_under_rule_2(
        _("You cannot take this step on the appeal: you spoke for the holder on it (rule 2)."),
        "spoke_for_the_holder",
    ),
    "evidence": bonds.refusal_under_rule_2(
        _("You cannot take this step on the appeal: you took part in the evaluation (rule 2)."),
        "took_part_in_evaluation",
    ),
}
