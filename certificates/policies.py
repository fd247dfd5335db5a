"""Who may take which step, and what a certificate may be issued on: `refusal_to_<step>` → a refusal, or None.

Pages ask these functions to know which buttons to show, and `certificates.lifecycle` asks the same ones
before it writes. A superuser is asked like everybody else. Rules compare persons, not accounts or tokens; the
rules that need no certificate stand in `registry_site.roles`.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import CharField, Exists, OuterRef, Q, QuerySet, Value
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from certificates import appeal_links, states, terms
from certificates.application_states import OPEN as OPEN_APPLICATION
from certificates.models import (
    Appeal,
    AppealEvent,
    Application,
    Certificate,
    CertificateState,
    HolderRequest,
    Notice,
    Report,
    ReportEvent,
)
from certificates.models.notice import HolderRequestKind
from certificates.refusals import (
    ApplicationRefused,
    IncompleteDecision,
    NotAppealable,
    NotCertifiable,
    RegistryNotStaffed,
    RuleOfImpartiality,
)
from certificates.report_states import ABOUT_OTHERS, ReportStep
from certificates.states import Decision
from certificates.ways import Way
from evidence import interests, memberships
from evidence.models import EvidencePackage, Holder, Integrity, Participation
from evidence.models.package import ParticipationKind
from evidence.models.system import Confirmation, InterestKind
from grading import calibration
from grading.models import Measurement, QuestionSet
from registry_site import roles
from registry_site.models import Outbox, Person, User
from registry_site.problems import NotAllowed, Refusal
from registry_site.roles import Role

APPEALABLE = frozenset(
    {Decision.REFUSE, Decision.REPORT, *(Decision(step.value) for step in states.APPEALABLE)}
)
# Clocks of evaluators differ; what is measured further ahead than this was not measured.
CLOCK_TOLERANCE = timedelta(minutes=10)

Bars = dict[int, Refusal]  # key of a person → the rule that stands in the way


# ── issue and refusal ────────────────────────────────────────────────────────


def refusal_to_issue(
    user: User,
    measurement: Measurement,
    *,
    at: datetime,
    valid_until: datetime | None = None,
    supersedes: Certificate | None = None,
) -> Refusal | None:
    """Why `user` may not issue a certificate on `measurement` at `at`, or None."""
    return (
        _refusal_to_person(user, measurement, at)
        or _refusal_to_the_same_certifier(user, measurement)
        or _refusal_to_whoever_stored_the_application(user, measurement)
        or _refusal_for_lack_of_people()
        or _refusal_of_superseded(measurement, supersedes)
        or refusal_of_measurement(measurement, at=at, supersedes=supersedes)
        or _refusal_of_term(measurement, at, valid_until)
    )


def refusal_to_refuse(user: User, measurement: Measurement, *, at: datetime) -> Refusal | None:
    """Why `user` may not refuse a certificate on `measurement`, or None."""
    return (
        _refusal_to_person(user, measurement, at)
        or _refusal_to_the_same_certifier(user, measurement)
        or _refusal_to_whoever_stored_the_application(user, measurement)
        or _refusal_of_decided(measurement, None)
    )


def refusal_of_measurement(
    measurement: Measurement, *, at: datetime, supersedes: Certificate | None = None
) -> Refusal | None:
    """Why nobody may issue a certificate on `measurement` at `at`, or None."""
    return (
        _refusal_of_decided(measurement, supersedes)
        or refusal_at_sight(measurement, at=at)
        or _refusal_to_pick(measurement, supersedes)
    )


def refusal_at_sight(measurement: Measurement, *, at: datetime) -> Refusal | None:
    """Of those reasons the ones that the measurement and its parents show by themselves, without a query."""
    return (
        _refusal_of_integrity(measurement)
        or _refusal_of_age(measurement, at)
        or _refusal_of_declared(measurement)
        or _refusal_of_identity(measurement)
        or _refusal_of_criteria(measurement)
        or _refusal_of_exposed_set(measurement)
    )


def refusal_to_calibrate(user: User, measurement: Measurement, *, at: datetime) -> Refusal | None:
    """Why `user` may not handle the blind review of `measurement`, or None: not the evaluator (figures §4).

    To have handled an earlier one is no bar; it is one to decide on the certificate (rule 1).
    """
    return (
        _refusal_without_role(user, roles.DECIDING_ROLES)
        or _refusal_to_evaluator(user, measurement)
        or _refusal_for_interest(user, measurement.system_version.system.holder, at)
    )


def evaluators_of(measurement: Measurement) -> QuerySet[Person]:
    """Who handed in these bytes, graded them, or had them read anew: nobody of them reviews the judge."""
    sha256 = measurement.package.sha256
    took_part = Participation.objects.filter(package__sha256=sha256).exclude(kind=ParticipationKind.REVIEWED)
    handed_in = EvidencePackage.objects.filter(sha256=sha256, submitter__person__isnull=False)
    return Person.objects.filter(
        Q(pk__in=took_part.values("person")) | Q(pk__in=handed_in.values("submitter__person"))
    )


def refusal_for_reviewer(measurement: Measurement, name: str) -> RuleOfImpartiality | None:
    """Why a sheet that `name` filled in is not taken, or None: names are all that a sheet tells of people."""
    for person in evaluators_of(measurement):
        addresses = person.accounts.values_list("email", flat=True)
        if any(calibration.same_person(name, known) for known in (person.name, *addresses)):
            return RuleOfImpartiality(
                format_lazy(
                    _("“{name}” took part in this evaluation and cannot review it as well (rule 1)."),
                    name=name,
                ),
                code="reviewer_took_part",
                rule=1,
            )
    return None


def _refusal_to_evaluator(user: User, measurement: Measurement) -> Refusal | None:
    if not evaluators_of(measurement).filter(pk=roles.person_of(user).pk).exists():
        return None
    return RuleOfImpartiality(
        _("You took part in this evaluation: others review its judge (rule 1)."),
        code="took_part_in_evaluation",
        rule=1,
    )


# ── steps on a certificate ───────────────────────────────────────────────────


def refusal_to_decide(user: User, certificate: Certificate, *, at: datetime) -> Refusal | None:
    """Why `user` may not take a step that rests on nothing but the person who takes it, or None."""
    return _refusal_to_person(user, certificate.measurement, at)


refusal_to_prolong = refusal_to_reinstate = refusal_to_erratum = refusal_to_decide


def refusal_to_suspend(
    user: User, certificate: Certificate, *, at: datetime, report: Report | None = None
) -> Refusal | None:
    """`report` is the complaint whose outcome it rests on, if it does."""
    return _refusal_to_person(user, certificate.measurement, at) or (
        refusal_to_sanction_on_report(user, report) if report is not None else None
    )


refusal_to_revoke = refusal_to_suspend


def refusal_to_terminate(
    user: User, certificate: Certificate, *, at: datetime, request: HolderRequest | None = None
) -> Refusal | None:
    """Rule 6: the step speaks for the holder, so it rests on a stored request and needs a second person.

    Without `request` only what does not depend on one is asked (whether to show the button).
    """
    refusal = _refusal_to_person(user, certificate.measurement, at)
    if refusal is None and request is not None:
        refusal = refusal_of_request(user, certificate, request, kind="terminate")
    return refusal


def refusal_to_supersede(
    user: User,
    certificate: Certificate,
    *,
    at: datetime,
    other: Certificate | None = None,
    request: HolderRequest | None = None,
) -> Refusal | None:
    """By one of the same version, or at the holder's written request. `other` None: only the person."""
    refusal = _refusal_to_person(user, certificate.measurement, at)
    if refusal is not None or other is None:
        return refusal
    if request is not None:
        return refusal_of_request(user, certificate, request, kind="supersede")
    return None if other.system_version_id == certificate.system_version_id else _another_version("other")


def _another_version(field: str) -> Refusal:
    return IncompleteDecision(
        _(
            "A certificate is superseded by one of the same version, or at the holder's written request. "
            "A newer version alone leaves it in force."
        ),
        code="another_version",
        field=field,
    )


def _refusal_of_superseded(measurement: Measurement, supersedes: Certificate | None) -> Refusal | None:
    if supersedes is None or supersedes.system_version_id == measurement.system_version_id:
        return None
    return _another_version("supersedes")


def refusal_to_store_request(user: User, about: Certificate | Notice, *, at: datetime) -> Refusal | None:
    """Anyone with a staff role but the registrar's, and no interest in the holder, may store a request."""
    holder = holder_of(about) if isinstance(about, Notice) else about.system_version.system.holder
    return _refusal_without_role(user, roles.DECIDING_ROLES) or _refusal_for_interest(user, holder, at)


def refusal_of_request(
    user: User, certificate: Certificate, request: HolderRequest, *, kind: str
) -> Refusal | None:
    """Whether this stored request carries this step, decided by this person."""
    if request.certificate_id != certificate.pk or request.kind != kind:
        return _request_does_not_fit()
    return _refusal_of_used_request(request) or _refusal_to_whoever_stored(user, request)


def _request_does_not_fit() -> Refusal:
    return IncompleteDecision(
        _("That request is about another certificate or another step."),
        code="request_does_not_fit",
        field="request",
    )


def _refusal_of_used_request(request: HolderRequest) -> Refusal | None:
    if not request.notices.exists() and not AppealEvent.objects.filter(request=request).exists():
        return None
    return IncompleteDecision(
        _("That request has already been acted on."), code="request_already_used", field="request"
    )


def _refusal_to_whoever_stored(user: User, request: HolderRequest) -> Refusal | None:
    person = roles.person_of(user)
    if person is not None and request.stored_by_id == person.pk:
        return RuleOfImpartiality(
            _("Whoever stored the holder's request does not act on it (rule 6): a second person decides."),
            code="second_person_needed",
            rule=6,
        )
    return None


# ── applications ─────────────────────────────────────────────────────────────


def refusal_to_apply(measurement: Measurement) -> Refusal | None:
    """Why nobody may apply for a certificate on `measurement` now, or None.

    That it could not be certified is no bar: whoever applies gets a decision, which can be appealed.
    """
    return (
        _refusal_of_proposed(measurement)
        or _refusal_of_decided(measurement, None)
        or _refusal_of_open_application(measurement)
    )


def refusal_to_apply_by_account(user: User, measurement: Measurement) -> Refusal | None:
    """Why `user` may not apply in the holder's name, signed in, or None (rule 6)."""
    return _refusal_to_other_than_holder(user, measurement.system_version.system.holder) or refusal_to_apply(
        measurement
    )


def refusal_to_withdraw_application(user: User, application: Application) -> Refusal | None:
    """Why `user` may not withdraw it in the holder's name, or None. That it was answered is told by its steps."""
    return _refusal_to_other_than_holder(user, application.holder)


def refusal_to_store_application(user: User, measurement: Measurement, *, at: datetime) -> Refusal | None:
    """Anyone with a staff role but the registrar's, and no interest in the holder, may store the holder's request."""
    return (
        _refusal_without_role(user, roles.DECIDING_ROLES)
        or _refusal_for_interest(user, measurement.system_version.system.holder, at)
        or refusal_to_apply(measurement)
    )


def refusal_to_answer_application(user: User, application: Application, *, at: datetime) -> Refusal | None:
    """Whoever may refuse a certificate on its measurement may also declare it inadmissible."""
    measurement = application.measurement
    return (
        _refusal_to_person(user, measurement, at)
        or _refusal_to_the_same_certifier(user, measurement)
        or _refusal_to_whoever_stored_the_application(user, measurement)
    )


def _refusal_of_proposed(measurement: Measurement) -> Refusal | None:
    system = measurement.system_version.system
    if Confirmation.PROPOSED not in (system.confirmation, system.holder.confirmation):
        return None
    return ApplicationRefused(
        _(
            "The registry has not confirmed yet who the holder and the system are: it can be applied for then."
        ),
        code="identity_not_confirmed",
    )


def _refusal_of_open_application(measurement: Measurement) -> Refusal | None:
    waiting = Application.objects.filter(
        measurement=measurement, standing__state__in=OPEN_APPLICATION
    ).first()
    if waiting is None:
        return None
    return ApplicationRefused(
        format_lazy(
            _("There is already an application on this measurement: {number}."), number=waiting.number
        ),
        code="already_applied",
        application=waiting.number,
    )


def _refusal_to_whoever_stored_the_application(user: User, measurement: Measurement) -> Refusal | None:
    person = roles.person_of(user)
    return _bars_for_the_application([person], measurement).get(person.pk)


def _bars_for_the_application(people: Collection[Person], measurement: Measurement) -> Bars:
    """Rule 6: what speaks for the holder and was stored by one person is answered by a second one."""
    stored = Application.objects.filter(
        measurement=measurement,
        standing__state__in=OPEN_APPLICATION,
        way=Way.ON_BEHALF,
        entered_by__in=people,
    )
    return {
        pk: RuleOfImpartiality(
            _(
                "Whoever stored the holder's application does not decide on it (rule 6): a second person decides."
            ),
            code="second_person_needed",
            rule=6,
        )
        for pk in stored.values_list("entered_by", flat=True)
    }


# ── question sets ────────────────────────────────────────────────────────────


def refusal_to_seal_set(user: User) -> Refusal | None:
    """Why `user` may not register a sealed set, or None: whoever evaluates keeps the questions."""
    return _refusal_to_hold_sets(user, (Role.EVALUATOR,))


refusal_to_reveal_set = refusal_to_seal_set


def refusal_to_record_leak(user: User) -> Refusal | None:
    """Why `user` may not tell the public that a set leaked, or None."""
    return _refusal_to_hold_sets(user, (Role.EVALUATOR, Role.CERTIFIER))


def _refusal_to_hold_sets(user: User, allowed: tuple[Role, ...]) -> Refusal | None:
    if refusal := _refusal_to_no_person(user):
        return refusal
    if roles.held_by(user).isdisjoint(allowed):
        return NotAllowed(
            _("Question sets are in the hands of those who evaluate."), code="role_missing", role=allowed[0]
        )
    return None


# ── appeals ──────────────────────────────────────────────────────────────────


def refusal_to_decide_appeal(user: User, appeal: Appeal, *, at: datetime) -> Refusal | None:
    """Rule 2: an appeal is admitted and decided by someone who took part neither in the evaluation nor in any
    decision it concerns. Asked before the role, so that the certifier reads the rule and not a lack of role.
    """
    return (
        _refusal_to_no_person(user)
        or _refusal_for_part_in_what_is_appealed(user, appeal)
        or _refusal_without_role(user, (Role.APPEALS_OFFICER,), _("This step needs the role for appeals."))
        or _refusal_for_interest(user, measurement_of(appeal).system_version.system.holder, at)
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
        _refusal_to_other_than_holder(user, holder_of(notice))
        or refusal_of_appeal(notice)
        or _refusal_at_sight_to_appeal(user, notice, at)
    )


def refusal_to_reply(user: User, report: Report) -> Refusal | None:
    """A person of the holder replies from its account to what was put to the holder."""
    if report.certificate is None:
        return NotAllowed(_("Only the holder's own people do this."), code="not_of_the_holder")
    return _refusal_to_other_than_holder(user, report.certificate.system_version.system.holder)


def appealable_by(user: User, notices: Sequence[Notice], *, at: datetime) -> frozenset[int]:
    """The keys of those decisions that `user` may appeal against: `refusal_to_file_appeal` of many, in two queries."""
    holders = {one.holder_id for one in memberships.living(roles.person_of(user))}
    appealed = set(Appeal.objects.filter(notice__in=notices).values_list("notice", flat=True))
    return frozenset(
        notice.pk
        for notice in notices
        if holder_of(notice).pk in holders
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
    return _refusal_to_other_than_holder(user, holder_of(appeal.notice))


def refusal_to_act_on_request(
    user: User, request: HolderRequest, *, at: datetime, kind: str | None = None
) -> Refusal | None:
    """Rule 6: a second person files or withdraws an appeal on the holder's stored request (`kind`: this step)."""
    if request.notice is None or kind not in (None, request.kind):
        return _request_does_not_fit()
    return (
        _refusal_without_role(user, roles.DECIDING_ROLES)
        or _refusal_for_interest(user, holder_of(request.notice), at)
        or _refusal_to_whoever_stored(user, request)
        or _refusal_to_whoever_decided(user, request.notice)
        or _refusal_of_used_request(request)
        or (
            _refusal_for_lateness(request.notice, at)
            if request.kind == HolderRequestKind.APPEAL and not received_in_time(request)
            else None
        )
    )


def received_in_time(request: HolderRequest) -> bool:
    """Whether the holder's request reached the registry within the period: what it is appealed by counts from then."""
    until = request.notice.appeal_until
    zone = _measured(request.notice).scheme.rules.zone
    return until is not None and terms.end_of_day(request.received_on, zone=zone) <= until


def holder_of(notice: Notice) -> Holder:
    """Whose system a decision is about."""
    return _measured(notice).system_version.system.holder


def _measured(notice: Notice) -> Measurement:
    return notice.measurement or notice.certificate.measurement


def _refusal_to_other_than_holder(user: User, holder: Holder) -> Refusal | None:
    if memberships.is_member(roles.person_of(user), holder):
        return None
    return NotAllowed(_("Only the holder's own people do this."), code="not_of_the_holder")


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


def measurement_of(appeal: Appeal) -> Measurement:
    """What the appealed decision was about in the end."""
    return appeal.certificate.measurement if appeal.certificate else appeal.notice.measurement


def _refusal_for_part_in_what_is_appealed(user: User, appeal: Appeal) -> Refusal | None:
    person = roles.person_of(user)
    return _bars(_part_in_what_is_appealed([person], appeal), REFUSALS_ON_APPEAL).get(person.pk)


def _part_in_what_is_appealed(people: Collection[Person], appeal: Appeal) -> list[QuerySet]:
    measurement = measurement_of(appeal)
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
        *_in_the_evidence_of(measurement, people),
        _bound(decided, "decision", person="decided_by_id"),
        _bound(worked_on_report, "decision", person="by_id"),
        _bound(on_behalf.filter(by__in=people), "spoke", person="by_id"),
        _bound(on_behalf.filter(request__stored_by__in=people), "spoke", person="request__stored_by_id"),
    ]


# ── complaints ───────────────────────────────────────────────────────────────


def refusal_to_work_on_report(user: User, report: Report, *, at: datetime) -> Refusal | None:
    """Rule 2, for whoever looks into a complaint: reads it, takes it up, puts it to the holder."""
    return (
        _refusal_to_no_person(user)
        or _refusal_for_part_in_what_is_complained_of(user, report)
        or _refusal_without_role(
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
        or _refusal_without_role(
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


def refusal_to_sanction_on_report(user: User, report: Report) -> Refusal | None:
    """Rule 2: who looked into a complaint may propose a sanction, and does not take it."""
    looked_into = report.events.filter(
        by=roles.person_of(user), step__in=[ReportStep.TAKE_UP, ReportStep.ASK_HOLDER]
    )
    if not looked_into.exists():
        return None
    return RuleOfImpartiality(
        _(
            "You looked into the complaint: you may propose what follows, and someone else decides it (rule 2)."
        ),
        code="looked_into_report",
        rule=2,
    )


def _refusal_for_part_in_what_is_complained_of(user: User, report: Report) -> Refusal | None:
    certificate = report.certificate
    if certificate is None or report.kind in ABOUT_OTHERS:
        return None
    person = roles.person_of(user)
    if evidence_of(person, [certificate.measurement.package.sha256]):
        return RuleOfImpartiality(
            _("You cannot take this step on the complaint: you took part in the evaluation (rule 2)."),
            code="took_part_in_evaluation",
            rule=2,
        )
    decided = Notice.objects.filter(certificate=certificate, decided_by=person, role=Role.CERTIFIER)
    if not decided.exclude(decision=Decision.REPORT).exists():
        return None
    return RuleOfImpartiality(
        _("You cannot take this step on the complaint: you took part in a decision it concerns (rule 2)."),
        code="took_part_in_decision",
        rule=2,
    )


def _refusal_for_interest_in_report(user: User, report: Report, at: datetime) -> Refusal | None:
    if report.certificate is None:
        return None
    return _refusal_for_interest(user, report.certificate.system_version.system.holder, at)


def _refusal_to_review_oneself(user: User, report: Report) -> Refusal | None:
    if not report.events.filter(by=roles.person_of(user), step=ReportStep.DECIDE).exists():
        return None
    return RuleOfImpartiality(
        _("You decided this complaint: someone else reviews it (rule 2)."), code="decided_before", rule=2
    )


REFUSAL_TO = {
    "suspend": refusal_to_suspend,
    "prolong": refusal_to_prolong,
    "reinstate": refusal_to_reinstate,
    "revoke": refusal_to_revoke,
    "terminate": refusal_to_terminate,
    "supersede": refusal_to_supersede,
    "erratum": refusal_to_erratum,
}


# ── persons ──────────────────────────────────────────────────────────────────


def evidence_of(person: Person, digests: Iterable[str]) -> frozenset[str]:
    """Of these packages (SHA-256) those in whose evidence or grading a person took part: the same bytes,
    whoever sent them.
    """
    digests = list(digests)
    took_part = Participation.objects.filter(person=person, package__sha256__in=digests)
    handed_in = EvidencePackage.objects.filter(submitter__person=person, sha256__in=digests)
    return frozenset(
        took_part.values_list("package__sha256", flat=True).union(handed_in.values_list("sha256", flat=True))
    )


def took_part_in(person: Person, *, sha256: OuterRef) -> Q:
    """The same as a condition, for rows that are read with it: `sha256` leads from the row to its package."""
    return Q(Exists(Participation.objects.filter(person=person, package__sha256=sha256))) | Q(
        Exists(EvidencePackage.objects.filter(submitter__person=person, sha256=sha256))
    )


def _in_the_evidence_of(measurement: Measurement, people: Collection[Person]) -> list[QuerySet]:
    """The same question as `evidence_of`, of many persons about one package: rows of `_bound`."""
    sha256 = measurement.package.sha256
    return [
        _bound(Participation.objects.filter(person__in=people, package__sha256=sha256), "evidence"),
        _bound(
            EvidencePackage.objects.filter(submitter__person__in=people, sha256=sha256),
            "evidence",
            person="submitter__person_id",
        ),
    ]


def _bound(rows: QuerySet, by: str, *, person: str = "person_id", kind: str | None = None) -> QuerySet:
    """(person, what binds it, of which kind, key): rows of different tables that one query asks for together."""
    nothing = Value("", output_field=CharField())
    return rows.order_by().values_list(person, Value(by, output_field=CharField()), kind or nothing, "pk")


def refusal_for_part_in_it() -> RuleOfImpartiality:
    """Rule 1, in words."""
    return RuleOfImpartiality(
        _("You cannot take this decision: you took part in the evaluation (rule 1)."),
        code="took_part_in_evaluation",
        rule=1,
    )


def bars_to_deciding(people: Collection[Person], measurement: Measurement, *, at: datetime) -> Bars:
    """Of `people` those whom rules 1 and 3 keep from every decision on `measurement` and on its certificate.

    One query, however many they are: one person is asked the same question before each decision.
    """
    set_registered = QuestionSet.objects.filter(set_sha256=measurement.set_sha256, registered_by__in=people)
    return _bars(
        [
            *_in_the_evidence_of(measurement, people),
            _bound(set_registered, "evidence", person="registered_by_id"),
            *_interested(people, measurement.system_version.system.holder, at),
        ],
        REFUSALS_ON_DECISION,
    )


def bars_to_appeal(people: Collection[Person], appeal: Appeal, *, at: datetime) -> Bars:
    """Of `people` those whom rules 2 and 3 keep from every step on `appeal`."""
    holder = measurement_of(appeal).system_version.system.holder
    return _bars(
        [*_part_in_what_is_appealed(people, appeal), *_interested(people, holder, at)], REFUSALS_ON_APPEAL
    )


def refusal_to_take_up(user: User, measurement: Measurement, *, at: datetime) -> Refusal | None:
    """Why `user` cannot have the decision on `measurement` in hand, or None; what may be decided is not asked."""
    return (
        _refusal_to_person(user, measurement, at)
        or _refusal_to_the_same_certifier(user, measurement)
        or _refusal_to_whoever_stored_the_application(user, measurement)
    )


def bars_to_take_up(people: Collection[Person], measurement: Measurement, *, at: datetime) -> Bars:
    """The same of many: also those whose refusal was overturned, and whoever stored the application."""
    return (
        _bars_for_the_application(people, measurement)
        | _bars_to_the_same_certifier(people, measurement)
        | bars_to_deciding(people, measurement, at=at)
    )


def refusal_to_work_on_evidence(user: User) -> Refusal | None:
    """Why `user` cannot have an evidence package in hand, or None: registrars have no part in evidence."""
    return _refusal_without_role(
        user, roles.DECIDING_ROLES, _("Evidence is in the hands of those who evaluate and decide.")
    )


def _refusal_to_person(user: User, measurement: Measurement, at: datetime) -> Refusal | None:
    refusal = _refusal_without_role(user, (Role.CERTIFIER,))
    if refusal is not None:
        return refusal
    person = roles.person_of(user)
    return bars_to_deciding([person], measurement, at=at).get(person.pk)


def _refusal_to_no_person(user: User) -> Refusal | None:
    person = roles.person_of(user)
    if person is not None:
        return roles.refusal_after_recovery(person)
    return NotAllowed(_("A decision is taken by a person, not by a service account."), code="not_a_person")


def _refusal_without_role(user: User, allowed: tuple[Role, ...], told: Any = None) -> Refusal | None:
    refusal = _refusal_to_no_person(user)
    if refusal is not None:
        return refusal
    if roles.held_by(user).isdisjoint(allowed):
        return NotAllowed(
            told or _("This decision needs the role that decides on certification."),
            code="role_missing",
            role=allowed[0],
        )
    return None


def _refusal_to_the_same_certifier(user: User, measurement: Measurement) -> Refusal | None:
    person = roles.person_of(user)
    return _bars_to_the_same_certifier([person], measurement).get(person.pk)


def _bars_to_the_same_certifier(people: Collection[Person], measurement: Measurement) -> Bars:
    """A refusal that was overturned on appeal goes back to another certifier."""
    refused = Notice.objects.filter(
        measurement=measurement, decision=Decision.REFUSE, decided_by__in=people
    ).filter(later__decision=Decision.OVERTURN)
    return {
        pk: RuleOfImpartiality(
            _("Your refusal was overturned on appeal: another certifier decides anew (rule 2)."),
            code="another_certifier_needed",
            rule=2,
        )
        for pk in refused.values_list("decided_by", flat=True)
    }


def _refusal_for_interest(user: User, holder: Holder, at: datetime) -> Refusal | None:
    person = roles.person_of(user)
    return _bars_for_interest([person], holder, at).get(person.pk)


def _bars_for_interest(people: Collection[Person], holder: Holder, at: datetime) -> Bars:
    return _bars(_interested(people, holder, at), REFUSALS_FOR_INTEREST)


def _interested(people: Collection[Person], holder: Holder, at: datetime) -> list[QuerySet]:
    """Rule 3: a declared interest, or belonging to the holder; both weigh until two years after their end."""
    declared = interests.weighing(holder, at=at).filter(person__in=people)
    members = memberships.weighing(holder, at=at).filter(person__in=people)
    return [_bound(declared, "interest", kind="kind"), _bound(members, "member")]


def _bars(rows: list[QuerySet], refusals: Mapping[str, Callable[[str], Refusal]]) -> Bars:
    """What binds each person, in one query; of several bonds the one that `refusals` names last is told, and of
    several interests the one that was declared first.
    """
    weight = list(refusals)
    first, *others = rows
    found = sorted(first.union(*others, all=True), key=lambda row: (weight.index(row[1]), -row[3]))
    return {person: refusals[by](kind) for person, by, kind, _pk in found}


def _refusal_to_member() -> Refusal:
    belongs = memberships.refusal_of_member()
    return RuleOfImpartiality(belongs.detail, code=belongs.code, rule=3)


def _refusal_for_declared(kind: str) -> Refusal:
    return RuleOfImpartiality(
        format_lazy(
            _(
                "You cannot act on this holder: a declared interest ({interest}) weighs until two years "
                "after its end (rule 3)."
            ),
            interest=InterestKind(kind).label,
        ),
        code="declared_interest",
        rule=3,
    )


def _refusal_on_appeal(detail: Any, code: str) -> Callable[[str], Refusal]:
    return lambda _kind: RuleOfImpartiality(detail, code=code, rule=2)


# What binds a person → the rule in words; the weightiest last.
REFUSALS_FOR_INTEREST: dict[str, Callable[[str], Refusal]] = {
    "interest": _refusal_for_declared,
    "member": lambda _kind: _refusal_to_member(),
}
REFUSALS_ON_DECISION = REFUSALS_FOR_INTEREST | {"evidence": lambda _kind: refusal_for_part_in_it()}
REFUSALS_ON_APPEAL = REFUSALS_FOR_INTEREST | {
    "decision": _refusal_on_appeal(
        _("You cannot take this step on the appeal: you took part in a decision it concerns (rule 2)."),
        "took_part_in_decision",
    ),
    "spoke": _refusal_on_appeal(
        _("You cannot take this step on the appeal: you spoke for the holder on it (rule 2)."),
        "spoke_for_the_holder",
    ),
    "evidence": _refusal_on_appeal(
        _("You cannot take this step on the appeal: you took part in the evaluation (rule 2)."),
        "took_part_in_evaluation",
    ),
}


def _refusal_for_lack_of_people() -> Refusal | None:
    if roles.three_distinct_people():
        return None
    return RegistryNotStaffed(
        _(
            "Evaluation, certification and appeals are not held by three distinct people here, so nothing "
            "can be issued (rule 4)."
        ),
        rule=4,
    )


# ── measurements ─────────────────────────────────────────────────────────────


def _refusal_of_decided(measurement: Measurement, supersedes: Certificate | None) -> Refusal | None:
    live = CertificateState.objects.filter(measurement=measurement, scheme=measurement.scheme_id, live=True)
    if supersedes is not None:
        live = live.exclude(certificate=supersedes)
    holding = live.first()
    if holding is not None:
        return NotCertifiable(
            format_lazy(
                _("There is already a certificate on this measurement: {number}."), number=holding.number
            ),
            code="already_certified",
            certificate=holding.number,
        )
    refused = (
        Notice.objects.filter(measurement=measurement, decision=Decision.REFUSE)
        .exclude(later__decision=Decision.OVERTURN)
        .first()
    )
    if refused is not None:
        return NotCertifiable(
            format_lazy(
                _("A certificate on this measurement was refused (decision No. {number})."),
                number=refused.number,
            ),
            code="already_refused",
            notice=refused.number,
        )
    return None


def _refusal_of_integrity(measurement: Measurement) -> Refusal | None:
    verification = measurement.verification
    if verification.integrity == Integrity.VERIFIED and verification.complete:
        return None
    return NotCertifiable(
        _("The evidence is not intact, or was not checked whole."),
        code="integrity_not_verified",
        integrity=verification.integrity,
    )


def certifiable_until(measurement: Measurement) -> datetime:
    """The instant after which the evidence is older than the scheme allows."""
    return measurement.measured_at + timedelta(days=measurement.scheme.rules.max_evidence_age)


def _refusal_of_age(measurement: Measurement, at: datetime) -> Refusal | None:
    allowed = measurement.scheme.rules.max_evidence_age
    age = at - measurement.measured_at
    if at > certifiable_until(measurement):
        return NotCertifiable(
            format_lazy(
                _("The evidence is {age} days old and the scheme {scheme} allows {allowed}."),
                age=age.days,
                scheme=str(measurement.scheme),
                allowed=allowed,
            ),
            code="evidence_too_old",
            age_days=age.days,
            allowed_days=allowed,
        )
    if age < -CLOCK_TOLERANCE:
        return NotCertifiable(
            _("The evidence says that it was measured in the future."), code="measured_in_the_future"
        )
    return None


def _refusal_of_declared(measurement: Measurement) -> Refusal | None:
    if measurement.declared_coincide:
        return None
    return NotCertifiable(
        _(
            "A declared figure differs from the recomputed one. No certificate can be issued on this "
            "evidence."
        ),
        code="declared_figures_differ",
    )


def _refusal_of_identity(measurement: Measurement) -> Refusal | None:
    system = measurement.system_version.system
    if system.holder.is_operator:
        return NotCertifiable(
            _(
                "Whoever operates this registry also answers for the system: it is never certified here "
                "(rule 3)."
            ),
            code="system_of_the_operator",
            rule=3,
        )
    if Confirmation.PROPOSED in (system.confirmation, system.holder.confirmation):
        return NotCertifiable(
            _("The holder and the system must be confirmed first: the package named them and matched none."),
            code="identity_not_confirmed",
        )
    return None


def _refusal_of_criteria(measurement: Measurement) -> Refusal | None:
    if measurement.scheme.rules.criteria is None:
        return None
    decided = measurement.result.get("criteria") or {}
    outcome = decided.get("outcome")
    if outcome == "conforms":
        return None
    told = ("metric", "denominator", "scope", "direction", "outcome", "reason")
    return NotCertifiable(
        _("The measurement does not meet the acceptance criterion of the scheme: it does not conform.")
        if outcome == "does_not_conform"
        else _("The evidence is insufficient to tell whether the acceptance criterion of the scheme is met."),
        code="criteria_not_met",
        outcome=outcome,
        clauses=[
            {key: of[key] for key in told} for of in decided.get("clauses", ()) if of["outcome"] != "conforms"
        ],
        requirements_unmet=[of["code"] for of in decided.get("requirements", ()) if not of["met"]],
    )


def _refusal_of_exposed_set(measurement: Measurement) -> Refusal | None:
    """Under criteria the questions must have been unknown; a descriptive scheme prints that they were not."""
    if measurement.scheme.rules.criteria is None:
        return None
    use = getattr(measurement, "set_use", None)
    if use is None or not use.exposure:
        return None
    return NotCertifiable(
        format_lazy(
            _("The question set was {exposure} on {day}, before this evidence was handed in (set_custody)."),
            exposure=use.get_exposure_display(),
            day=use.exposed_on.isoformat(),
        ),
        code="set_exposed",
        exposure=use.exposure,
        exposed_on=use.exposed_on.isoformat(),
    )


def first_measurement(measurement: Measurement) -> Measurement:
    """The first verified measurement, by time of upload, of this version under this scheme and set."""
    return (
        Measurement.objects.filter(
            system_version=measurement.system_version_id,
            scheme=measurement.scheme_id,
            set_sha256=measurement.set_sha256,
            verification__integrity=Integrity.VERIFIED,
        )
        .order_by("package__received_at", "package")
        .first()
    ) or measurement


def _refusal_to_pick(measurement: Measurement, supersedes: Certificate | None) -> Refusal | None:
    if first_measurement(measurement).pk == measurement.pk:
        return None
    remeasured = (
        supersedes is not None
        and supersedes.system_version_id == measurement.system_version_id
        and measurement.scheme.rules.criteria is None
    )
    if remeasured:
        return None
    return NotCertifiable(
        _(
            "This is not the first measurement of this version under this scheme and set: measuring again "
            "until the figures please is not certified. A later one may supersede the certificate on the "
            "first."
        ),
        code="not_the_first_measurement",
    )


def _refusal_of_term(measurement: Measurement, at: datetime, valid_until: datetime | None) -> Refusal | None:
    if valid_until is None:
        return None
    longest = longest_term(measurement, at=at)
    if at < valid_until <= longest:
        return None
    return IncompleteDecision(
        _("The end of the term lies in the past, or beyond what the scheme allows."),
        code="term_out_of_range",
        field="valid_until",
        longest=longest.isoformat(),
    )


def longest_term(measurement: Measurement, *, at: datetime) -> datetime:
    """The end of the longest term that the scheme allows a certificate issued at `at`."""
    rules = measurement.scheme.rules
    return terms.end_of_term(at, days=rules.validity, zone=rules.zone)


# ── e-mails ──────────────────────────────────────────────────────────────────

# What only the registrar sees of the outbox, by the first word of its kind: what tells of people, and what tells
# whoever appealed or complained. Those who decide learn an address on the page of the case, where the rules of
# impartiality are asked; a registrar decides nothing (rule 5). Certifiers see the rest.
_LETTERS_FOR_THE_REGISTRAR = (
    "account",
    "appeal",
    "contact",
    "holder",
    "invitation",
    "recovery",
    "report",
    "role",
)
_READERS_OF_LETTERS = (Role.REGISTRAR, Role.CERTIFIER)


def refusal_to_read_letters(user: User) -> Refusal | None:
    """Why `user` may not look into the outbox at all, or None."""
    return _refusal_without_role(
        user, _READERS_OF_LETTERS, _("E-mails are seen by the registrar and by certifiers.")
    )


def refusal_to_read_letter(user: User, row: Outbox) -> Refusal | None:
    """Why `user` may not read this e-mail, nor act on it, or None."""
    reserved = row.kind.partition(".")[0] in _LETTERS_FOR_THE_REGISTRAR
    readers = (Role.REGISTRAR,) if reserved else _READERS_OF_LETTERS
    return _refusal_without_role(user, readers, _("This e-mail is for the registrar alone."))


def letters_for(held: Iterable[Role]) -> Q:
    """The e-mails that whoever holds these roles may read, as a condition on the outbox."""
    held = frozenset(held)
    if Role.REGISTRAR in held:
        return Q()
    if not held & set(_READERS_OF_LETTERS):
        return Q(pk__in=[])
    reserved = Q()
    for word in _LETTERS_FOR_THE_REGISTRAR:
        reserved |= Q(kind__startswith=f"{word}.")
    return ~reserved
