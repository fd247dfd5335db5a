"""Fills the frozen facts of public pages (`certificates.pages`) from rows: reads only, and writes no sentence.

What is told of a certificate comes from its own frozen `names`, its events and immutable parents. Only two
things are looked up beside them: the other measurements of the system (nothing may be picked) and a newer
certificate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from certificates import (
    appeal_facts,
    application_facts,
    calibration_facts,
    errata,
    group_facts,
    limitations,
    measured,
    names,
    pages,
    projections,
    report_facts,
    run_results,
    sealed_sets,
    states,
)
from certificates.models import Certificate, CertificateState, Notice, StatusEvent
from certificates.page_frame import frame
from certificates.states import Status, StatusFacts, Step
from evidence import descriptor as descriptors
from evidence import families
from evidence.descriptor import Access
from evidence.models import Member
from grading import custody, schemes
from grading.figures import Figure
from grading.models import Measurement, SetUse

# More members than these are counted on the page and listed by the API.
MEMBERS_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Told:
    """Everything that the documents of one certificate are made of, read once for all of them."""

    certificate: Certificate
    rows: tuple[StatusEvent, ...]
    facts: StatusFacts
    page: pages.CertificatePage
    as_of: datetime


# ── the certificate page ─────────────────────────────────────────────────────


def of_certificate(
    certificate: Certificate, *, at: datetime, rows: Sequence[StatusEvent] | None = None
) -> Told:
    """The facts of a certificate's page at `at`. A bounded number of queries, whatever its history."""
    rows = projections.events_of(certificate) if rows is None else rows
    facts = states.status_of(projections.facts_of(rows), at)
    zone = ZoneInfo(certificate.zone)
    measurement = certificate.measurement
    rules = measurement.scheme.rules
    relatives = measured.relatives_of(certificate)
    newer = _newer(certificate, at)
    kept = custody.of(measurement.set_sha256, at=at)
    sealed_sets.know(measurement, kept)
    figures = measured.published_figures(measurement)
    calibrations = calibration_facts.of_measurement(measurement, figures, at=at, zone=zone)
    appeals = appeal_facts.of_certificate(certificate, at=at)
    reports = report_facts.of_certificate(certificate, at=at, appeals=appeals)
    run = run_results.of_measurement(measurement)
    as_of = max(
        [
            rows[-1].at,
            *(one.frozen_at for one in relatives if one.frozen_at <= at),
            *([newer.issued_at] if newer else []),
            *(one.at for one in calibrations),
            *(one.at for one in (kept.events.values() if kept else ())),
            *appeal_facts.last_change(appeals),
            *report_facts.last_change(reports),
            *([run.changed_at] if run else []),
            *clock_changes(facts, at),
        ]
    )
    named = certificate.names
    descriptor = measurement.descriptor
    judged = measurement.result
    shown = group_facts.of_measurement(measurement, figures)
    page = pages.CertificatePage(
        frame=frame(f"c/{certificate.number}/", as_of=as_of.astimezone(zone)),
        number=certificate.number,
        verdict=verdict(
            certificate,
            facts,
            rows,
            newer=newer.number if newer else None,
            appeals=appeals,
            reports=reports,
        ),
        holder=pages.Holder(
            name=named["holder"]["name"],
            country=named["holder"]["country"],
            identifier=named["holder"]["identifier"],
            identifier_kind=named["holder"]["identifier_kind"],
        ),
        system=named["system"],
        system_id=certificate.system_version.system_id,
        version=named["version"],
        model_family=named["model_family"],
        scheme=_scheme(rules, measurement),
        issued_at=certificate.issued_at.astimezone(zone),
        valid_until=certificate.valid_until.astimezone(zone),
        decision=rows[0].notice.number,
        application=application_facts.answered_by(rows[0].notice, zone=zone),
        measured_at=measurement.measured_at.astimezone(zone),
        endpoint_kind=named["endpoint_kind"],
        question_set=_question_set(named["question_set"], judged, measurement, kept, zone),
        corpus=corpus(named["corpus"]),
        judges=_judges(descriptor, named["model_family"]),
        evaluator_role=named["roles"]["evaluated"],
        decider_role=named["roles"]["decided"],
        groups=tuple(named["groups"]),
        figures=figures,
        headline=measured.HEADLINE,
        threshold=shown.threshold,
        between=shown.between,
        criteria=shown.criteria,
        agreement=shown.agreement,
        declared=_declared(judged, figures),
        calibrations=calibrations,
        limitations=_limitations(judged, shown.agreement, calibrations, use=_use_of(measurement)),
        measurements=_measurements(certificate, relatives, zone),
        history=_history(rows, zone, appeals),
        appeals=appeals,
        reports=reports,
        evidence=_evidence(certificate, zone),
        run=run,
    )
    return Told(certificate, tuple(rows), facts, page, as_of)


def clock_changes(facts: StatusFacts, at: datetime) -> list[datetime]:
    """The instants at which the text has changed by the clock alone, up to `at`."""
    review_until = facts.suspension.review_until if facts.suspension and facts.review_overdue else None
    appeal_until = facts.appeal_until if facts.appeal_period_over and not facts.final else None
    return [one for one in (facts.valid_until, review_until, appeal_until) if one is not None and one <= at]


# ── the verdict ──────────────────────────────────────────────────────────────


def verdict(
    certificate: Certificate,
    facts: StatusFacts,
    rows: Sequence[StatusEvent],
    *,
    newer: str | None = None,
    supersedes: str | None = None,
    appeals: Sequence[pages.Appeal] = (),
    reports: Sequence[pages.Report] = (),
) -> pages.Verdict:
    """What the status sentence is made of: the same for page, list, notice and preview."""
    zone = ZoneInfo(certificate.zone)
    named = certificate.names
    suspended = next((fact for fact in facts.facts if fact.status is Status.SUSPENDED), None)
    still_suspended = facts.word is Status.SUSPENDED
    decided = _deciding_row(facts, rows)
    terms = _terms(facts, rows) if still_suspended else None
    decision = decided.notice.number if decided and decided.notice else None
    signed = statement_of(decided.notice) if decided and decided.notice else None
    return pages.Verdict(
        status=facts.word.value,
        in_force=facts.in_force,
        system=named["system"],
        version=named["version"],
        measured_at=_local(_instant(named["measurement"]["measured_at"]), zone),
        since=_local(facts.since, zone),
        valid_until=_local(facts.valid_until, zone),
        reason=decided.reason if decided else None,
        reason_number=decided.notice.reason_number if decided and decided.notice else None,
        statement=appeal_facts.amended(appeals, decision=decision) or signed,
        decision=decision,
        conditions=conditions_of(terms.notice) if terms else (),
        review_on=facts.suspension.review_on if still_suspended and facts.suspension else None,
        review_overdue=facts.review_overdue,
        appeal_until=_local(facts.appeal_until, zone),
        appeal_period_over=facts.appeal_period_over,
        appealed=_is_appealed(facts, rows, appeals),
        final=facts.final,
        open_appeal=appeal_facts.open_one(appeals, against=decision),
        open_report=report_facts.open_one(reports),
        report_open_at_end=report_facts.open_when(reports, at=facts.since)
        if facts.word is Status.TERMINATED
        else None,
        erratum=facts.erratum.notice if facts.erratum else None,
        do_not_rely=facts.do_not_rely,
        suspended_since=_local(suspended.since, zone) if suspended and not still_suspended else None,
        suspended_decision=suspended.notice if suspended and not still_suspended else None,
        superseded_by=facts.superseded_by,
        supersedes=certificate.supersedes.number
        if certificate.supersedes
        else _replaced(certificate, supersedes),
        newer=newer,
        past_suspensions=tuple((_local(a, zone), _local(b, zone)) for a, b in facts.past_suspensions),
        overturned=tuple(_overturned(one, zone) for one in facts.overturned),
    )


def _deciding_row(facts: StatusFacts, rows: Sequence[StatusEvent]) -> StatusEvent | None:
    """The event whose notice says why it is as it is: of a varied decision, the one that varied it."""
    if facts.ending is not None:
        return rows[facts.ending.sequence - 1]
    if facts.word is Status.SUSPENDED and facts.suspension is not None:
        return rows[facts.suspension.sequence - 1]
    return None


def _is_appealed(facts: StatusFacts, rows: Sequence[StatusEvent], appeals: Sequence[pages.Appeal]) -> bool:
    """Whether someone appealed already against the decision whose period `facts` tell: perhaps a prolongation."""
    # The last of those whose period ends then: a prolongation of the same day ends with what it prolongs.
    running = next(
        (row for row in reversed(rows) if row.appeal_until and row.appeal_until == facts.appeal_until), None
    )
    return bool(running and running.notice and any(one.against == running.notice.number for one in appeals))


def _terms(facts: StatusFacts, rows: Sequence[StatusEvent]) -> StatusEvent | None:
    """The event whose conditions are in force: a prolongation may leave them as they were."""
    if facts.suspension is None:
        return None
    latest = rows[facts.suspension.terms - 1]
    if latest.notice is not None and latest.notice.conditions:
        return latest
    return rows[facts.suspension.sequence - 1]


def _replaced(certificate: Certificate, known: str | None) -> str | None:
    """The certificate whose place this one took by a later decision."""
    if known is not None:
        return known or None
    step = (
        StatusEvent.objects.filter(other=certificate, step=Step.SUPERSEDE)
        .select_related("certificate")
        .first()
    )
    return step.certificate.number if step else None


def _overturned(one: states.Overturned, zone: ZoneInfo) -> pages.Overturned:
    return pages.Overturned(
        decision=one.notice or "",
        appeal=one.appeal,
        at=_local(one.on, zone),
        suspended_from=_local(one.suspended_from, zone),
        suspended_to=_local(one.suspended_to, zone),
        status_stays=one.status_stays,
    )


def statement_of(notice: Notice) -> pages.Text:
    return pages.Text(es=notice.statement_es, en=notice.statement_en)


def conditions_of(notice: Notice | None) -> tuple[pages.Condition, ...]:
    if notice is None:
        return ()
    return tuple(pages.Condition(text=pages.Text(es=one["es"], en=one["en"])) for one in notice.conditions)


# ── what was evaluated ───────────────────────────────────────────────────────


def _scheme(rules: schemes.Scheme, measurement: Measurement) -> pages.Scheme:
    return pages.Scheme(
        code=rules.code,
        version=rules.version,
        sha256=rules.sha256,
        method=rules.method,
        title=pages.Text(**rules.title),
        error=pages.Text(**rules.error),
        descriptive=rules.is_descriptive,
        unmet_rules=_unmet_rules(measurement, rules),
        grouping=rules.grouping,
        grouping_sha256=measurement.grouping_sha256,
        suppressed_below=rules.suppression.suppressed_below,
        indicative_below=rules.suppression.indicative_below,
        appeal_days=rules.appeal_period,
    )


def _unmet_rules(measurement: Measurement, rules: schemes.Scheme) -> tuple[str, ...]:
    """Which of a contract's three rules this measurement does not meet; a descriptive scheme says so."""
    codes = {limitation["code"] for limitation in measurement.result.get("limitations", ())}
    unmet = []
    if "hostile_category_missing" in codes:
        unmet.append("hostile_questions")
    if codes & {"judge_independence_not_checked", "judge_related_to_holder"}:
        unmet.append("other_judge")
    return tuple(unmet) if rules.is_descriptive else ()


def _question_set(
    named: dict[str, Any],
    result: dict[str, Any],
    measurement: Measurement,
    kept: custody.Custody | None,
    zone: ZoneInfo,
) -> pages.QuestionSet:
    use = _use_of(measurement)
    return pages.QuestionSet(
        counted_before=use.uses_before if use else None,
        seal=sealed_sets.seal_of(kept, zone=zone) if kept else None,
        name=named["name"],
        sha256=named["sha256"],
        items=(result.get("counts") or {}).get("items"),
        custodian=named["custodian"] or "",
        holder_had_access=named["holder_had_access"],
        times_used_before=named["times_used_before"],
    )


def _use_of(measurement: Measurement) -> SetUse | None:
    """What was known of its set when it was frozen; None of a measurement older than this was written down."""
    return getattr(measurement, "set_use", None)


def corpus(named: dict[str, Any] | None) -> pages.Corpus | None:
    """The corpus as it was declared; None where nothing was."""
    if not named:
        return None
    as_of = named.get("as_of")
    try:
        day = date.fromisoformat(as_of) if as_of else None
    except ValueError:
        day = None  # declared by someone, and not a day of the calendar
    return pages.Corpus(documents=named.get("documents"), articles=named.get("articles"), as_of=day)


def _judges(descriptor: dict[str, Any], model_family: str) -> tuple[pages.Judge, ...]:
    return tuple(
        pages.Judge(
            id=judge["id"],
            family=judge["family"],
            version=judge["version"],
            kind=judge.get("kind") or "model",
            temperature=_decimal(judge.get("temperature")),
            family_known=judge.get("kind") == "human"
            or (families.is_known(judge["family"]) and families.is_known(model_family)),
        )
        for judge in descriptor.get("judges") or ()
    )


def _decimal(value: float | int | None) -> str | None:
    return None if value is None else f"{value:g}"


def _declared(result: dict[str, Any], figures: Sequence[Figure]) -> tuple[pages.DeclaredFigure, ...]:
    return tuple(
        pages.DeclaredFigure(
            metric=one["metric"],
            denominator=one["denominator"],
            group=one["group"],
            category=one["category"],
            declared=one["declared"],
            computed=one["computed"],
            outcome=one["outcome"],
        )
        for one in measured.declared_beside(result, figures)
    )


def _limitations(
    result: dict[str, Any],
    agreement: Mapping[str, Any],
    calibrations: Sequence[pages.Calibration],
    *,
    use: SetUse | None = None,
) -> pages.Limitations:
    stored = [*(result.get("limitations") or ()), *custody.limitations_of(use)]
    codes = {one["code"]: one for one in stored}
    return pages.Limitations(
        # What people the evaluator did not choose have said counts before what came with the evidence.
        kappa=next(
            (found for one in calibrations if (found := _kappa(one.agreement, added_on=one.at))),
            _kappa(agreement),
        ),
        doubtful_reviewed=codes.get("abstention_reviewed", {}).get("items", 0),
        catalogue="no_catalogue" not in codes,
        declared=limitations.told(stored),
    )


def _kappa(agreement: Mapping[str, Any], *, added_on: datetime | None = None) -> pages.Kappa | None:
    """The agreement of the verdicts that count with people; None when it was not measured, or on too few answers."""
    if not agreement.get("compared"):
        return None
    verdicts = agreement["judges"][0]["verdicts"]
    if verdicts["n"] is None:
        return None
    return pages.Kappa(
        k=verdicts["raw_agreement"]["k"],
        n=verdicts["n"],
        kappa=verdicts["kappa"],
        low=verdicts["low"],
        high=verdicts["high"],
        band=verdicts["strength"],
        added_on=added_on,
    )


# ── measurements ─────────────────────────────────────────────────


def _measurements(
    certificate: Certificate, relatives: Sequence[Measurement], zone: ZoneInfo
) -> tuple[pages.Measurement, ...]:
    firsts: dict[tuple[int, int, str], int] = {}
    listed = []
    for one in relatives:
        first = firsts.setdefault((one.system_version_id, one.scheme_id, one.set_sha256), one.pk) == one.pk
        other_version = one.system_version_id != certificate.system_version_id
        others = [other.number for other in one.carrying if other.pk != certificate.pk]
        listed.append(
            pages.Measurement(
                reference=names.reference(one),
                measured_at=one.measured_at.astimezone(zone),
                frozen_at=one.frozen_at.astimezone(zone),
                version=one.system_version.version,
                headline=measured.headline_of(one),
                evidence_sha256=one.package.sha256,
                this_one=one.pk == certificate.measurement_id,
                certificate=others[-1] if others else None,
                errata=errata.of(one.carrying),
                first=first and not other_version,
                later_version=other_version,
            )
        )
    return tuple(listed)


def _newer(certificate: Certificate, at: datetime) -> CertificateState | None:
    """A certificate in force for another version of the system, issued later. This one stays as it is."""
    return (
        CertificateState.objects.filter(
            system_version__system=certificate.system_version.system_id,
            word=Status.ACTIVE,
            valid_until__gt=at,
            issued_at__gt=certificate.issued_at,
        )
        .exclude(system_version=certificate.system_version_id)
        .order_by("-issued_at")
        .first()
    )


# ── history and evidence ─────────────────────────────────────────────────────


def _history(
    rows: Sequence[StatusEvent], zone: ZoneInfo, appeals: Sequence[pages.Appeal]
) -> tuple[pages.Entry, ...]:
    words = states.course(projections.facts_of(rows))
    against = {one.against: one for one in appeals}
    entries = [
        _entry(row, before, after, zone, against.get(row.notice.number) if row.notice else None)
        for row, (before, after) in zip(rows, words, strict=True)
    ]
    return tuple(reversed(entries))


def _entry(
    row: StatusEvent, before: Status | None, after: Status, zone: ZoneInfo, appeal: pages.Appeal | None
) -> pages.Entry:
    notice = row.notice
    against = notice.about.number if notice and notice.about else None
    if row.step == Step.FINALISE and row.target and row.target.notice:
        against = row.target.notice.number
    return pages.Entry(
        sequence=row.sequence,
        step=row.step,
        at=row.at.astimezone(zone),
        before=before.value if before else None,
        after=after.value,
        hash=row.hash,
        reason=row.reason,
        reason_number=notice.reason_number if notice else None,
        statement=statement_of(notice) if notice else None,
        conditions=conditions_of(notice),
        review_on=row.review_on,
        notice=notice.number if notice else None,
        role=row.role,
        against=against,
        other=row.other.number if row.other else None,
        do_not_rely=row.do_not_rely,
        on_behalf=notice is not None and notice.request_id is not None,
        appeal=appeal,
    )


def _evidence(certificate: Certificate, zone: ZoneInfo) -> pages.Evidence:
    measurement = certificate.measurement
    verification = measurement.verification
    access = Access(measurement.descriptor.get("access") or Access.MEMBERS)
    told = verification.members.all() if access is not Access.DIGEST_ONLY else Member.objects.none()
    shown = list(told[:MEMBERS_SHOWN])
    sealed = any(one.sealed for one in shown) or (
        access is not Access.DIGEST_ONLY and sealed_sets.covers(measurement)
    )
    if not sealed and len(shown) == MEMBERS_SHOWN:
        # Only of long packages is the rest asked: most are shown whole.
        sealed = told.filter(sealed=True).exists()
    descriptor_open = measured.descriptor_is_open(measurement)
    return pages.Evidence(
        sha256=measurement.package.sha256,
        size=verification.size,
        integrity=verification.integrity,
        checked_at=verification.at.astimezone(zone),
        verifier=verification.verifier_version,
        access=access.value,
        members=tuple(
            _member(
                one,
                open_=access is not Access.DIGEST_ONLY and (descriptor_open or one.path != descriptors.PATH),
            )
            for one in sealed_sets.as_told(shown, measurement)
        ),
        members_total=verification.member_count,
        sealed=sealed,
        downloadable=access is Access.OPEN and not sealed,
        descriptor_open=descriptor_open,
    )


def _member(member: Member, *, open_: bool) -> pages.Member:
    """Of a sealed member the public sees its salted commitment, never its digest."""
    return pages.Member(
        path=member.path,
        size=member.size,
        sha256=None if member.sealed else member.sha256,
        sealed=member.sealed,
        commitment=member.commitment or None,
        downloadable=open_ and not member.sealed,
    )


def _local(moment: datetime | None, zone: ZoneInfo) -> datetime | None:
    return moment.astimezone(zone) if moment is not None else None


def _instant(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
