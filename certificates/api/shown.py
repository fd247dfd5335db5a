"""What the API shows of a certificate: the facts of its page, in the domain's words, without sentences."""

from collections.abc import Sequence
from datetime import UTC
from typing import Any
from urllib.parse import quote

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from certificates import addresses, application_facts, errata, group_facts, measured
from certificates.appeal_states import AppealOutcome, AppealState, Effect, Inadmissibility
from certificates.application_states import (
    ApplicationInadmissibility,
    ApplicationState,
    ApplicationStep,
)
from certificates.models import Application, CertificateState, Notice
from certificates.page_facts import Told
from certificates.pages import CertificatePage, CertifiedRun, Entry, Listed, Text
from certificates.report_states import ReportKind, ReportOutcome, ReportState
from certificates.states import Decision, Overturned, Status, Step
from certificates.ways import Way
from certificates.words import STATUS
from evidence import descriptor as descriptors
from evidence.api import shown as evidence_shown
from evidence.descriptor import Access
from evidence.models import Member
from grading import group_names
from grading.api.shown import ShownErratum, ShownFigure
from grading.api.shown_groups import ShownAgreement, ShownCriteria, ShownGroups, names_by_key
from grading.figures import Figure
from grading.models import Measurement
from grading.sealing import State
from registry_site import leaves, site_address

STATUSES = [(status.value, STATUS[status.value]) for status in Status]


class ShownText(serializers.Serializer):
    """A public text in both languages. The Spanish one prevails."""

    es = serializers.CharField()
    en = serializers.CharField()


class ShownListed(serializers.Serializer):
    """A certificate as one line of a list."""

    number = serializers.CharField()
    address = serializers.CharField()
    status = serializers.ChoiceField(choices=STATUSES)
    in_force = serializers.BooleanField()
    since = serializers.DateTimeField(help_text=_("Since when the status holds."))
    holder = serializers.CharField()
    holder_id = serializers.IntegerField(help_text=_("For the filter «holder»."))
    system = serializers.CharField()
    version = serializers.CharField()
    scheme = serializers.CharField()
    method = serializers.CharField()
    groups = serializers.ListField(child=serializers.CharField())
    group_names = names_by_key()
    measured_at = serializers.DateTimeField()
    issued_at = serializers.DateTimeField()
    valid_until = serializers.DateTimeField()
    evidence_sha256 = serializers.CharField()
    do_not_rely = serializers.BooleanField(help_text=_("An erratum says so."))
    erratum = serializers.CharField(allow_null=True, help_text=_("Notice of a known defect."))
    sequence = serializers.IntegerField()


class ShownList(serializers.Serializer):
    """One page of the list."""

    results = ShownListed(many=True)
    count = serializers.IntegerField(help_text=_("How many match, up to 1,000."))
    more_than = serializers.BooleanField(help_text=_("There are more than «count»."))
    next = serializers.CharField(allow_null=True, help_text=_("Address of the next page."))


class ShownHolder(serializers.Serializer):
    """Who answers for the system, with the identifier that was checked."""

    name = serializers.CharField()
    country = serializers.CharField(allow_blank=True)
    identifier_kind = serializers.CharField(allow_blank=True)
    identifier = serializers.CharField(allow_blank=True)


class ShownSchemeNamed(serializers.Serializer):
    """The rules, as the certificate names them."""

    code = serializers.CharField()
    version = serializers.CharField()
    sha256 = serializers.CharField()
    descriptive = serializers.BooleanField(help_text=_("Without criteria: it certifies what was measured."))
    error = ShownText(allow_null=True, help_text=_("Its definition of error."))
    address = serializers.CharField()


class ShownMeasurementNamed(serializers.Serializer):
    """The measurement it rests on."""

    id = serializers.IntegerField()
    method = serializers.CharField()
    measured_at = serializers.DateTimeField()
    frozen_at = serializers.DateTimeField()
    address = serializers.CharField()


class ShownEvidenceNamed(serializers.Serializer):
    """The evidence it rests on."""

    sha256 = serializers.CharField()
    bytes = serializers.IntegerField()
    integrity = serializers.CharField()
    checked_at = serializers.DateTimeField()
    verifier = serializers.CharField()
    address = serializers.CharField()


class ShownSeal(serializers.Serializer):
    """The seal of a question set that its custodian registered; more at `/api/v1/sets/<sha256>/`."""

    state = serializers.ChoiceField(choices=[state.value for state in State])
    sealed_at = serializers.DateTimeField()
    used_before = serializers.BooleanField(help_text=_("Registered after it was first used."))
    exposed_on = serializers.DateField(allow_null=True, help_text=_("Day of the reveal or leak."))


class ShownQuestionSet(serializers.Serializer):
    name = serializers.CharField(allow_blank=True)
    sha256 = serializers.CharField()
    items = serializers.IntegerField(allow_null=True)
    custodian = serializers.CharField(allow_blank=True)
    holder_had_access = serializers.ChoiceField(choices=["no", "yes", "unknown"])
    times_used_before = serializers.IntegerField(allow_null=True, help_text=_("Uses before, as declared."))
    counted_before = serializers.IntegerField(allow_null=True, help_text=_("Uses before, in this registry."))
    seal = ShownSeal(allow_null=True)


class ShownRelative(serializers.Serializer):
    """A measurement of the same system: all are listed, certified or not, so that nobody picks."""

    reference = serializers.CharField()
    version = serializers.CharField()
    measured_at = serializers.DateTimeField()
    frozen_at = serializers.DateTimeField()
    evidence_sha256 = serializers.CharField()
    this_one = serializers.BooleanField()
    first = serializers.BooleanField()
    certificate = serializers.CharField(allow_null=True)
    headline = ShownFigure(allow_null=True)
    errata = ShownErratum(many=True)


class ShownAnswered(serializers.Serializer):
    """The application that a decision answers."""

    number = serializers.CharField()
    filed_at = serializers.DateTimeField()
    way = serializers.ChoiceField(
        choices=[way.value for way in Way],
        help_text=_("«on_behalf»: stored from the holder's written request."),
    )


class ShownApplicationStep(serializers.Serializer):
    """One step of an application."""

    step = serializers.ChoiceField(choices=[step.value for step in ApplicationStep])
    at = serializers.DateTimeField()
    role = serializers.CharField(allow_null=True)
    notice = serializers.CharField(allow_null=True)
    certificate = serializers.CharField(allow_null=True)
    reason = serializers.ChoiceField(
        choices=[reason.value for reason in ApplicationInadmissibility], allow_null=True
    )


class ShownApplication(ShownAnswered):
    """An application as the staff see it, without the words of the request."""

    state = serializers.ChoiceField(choices=[state.value for state in ApplicationState])
    deadline_at = serializers.DateTimeField(allow_null=True, help_text=_("When an answer is due."))
    holder = serializers.CharField()
    system = serializers.CharField()
    version = serializers.CharField()
    measurement = serializers.IntegerField()
    steps = ShownApplicationStep(many=True)


class ShownCertifiedCounts(serializers.Serializer):
    """How many points have each mark. There is no rate of a single run."""

    met = serializers.IntegerField()
    not_met = serializers.IntegerField()
    not_observable = serializers.IntegerField()


class ShownRunOfVersion(serializers.Serializer):
    """A registered run of the same version, and what became of it."""

    number = serializers.CharField()
    case = serializers.CharField()
    state = serializers.CharField()
    outcome = serializers.CharField(allow_blank=True)
    counts = ShownCertifiedCounts(allow_null=True, help_text=_("Of what is published."))


class ShownCertifiedRun(serializers.Serializer):
    """The agent run that it rests on; its points and its trace are at `address`."""

    number = serializers.CharField()
    case = serializers.CharField()
    counts = ShownCertifiedCounts()
    catalogue_at = serializers.IntegerField(
        allow_null=True, help_text=_("Contaminated from this request on; null where it is not.")
    )
    address = serializers.CharField()
    runs_of_version = ShownRunOfVersion(many=True, help_text=_("All of them, so that nobody picks."))


class ShownCertificate(serializers.Serializer):
    """A certificate: what it names, frozen at its issue, and its status now."""

    number = serializers.CharField()
    address = serializers.CharField(help_text=_("The public page."))
    status = serializers.ChoiceField(choices=STATUSES)
    in_force = serializers.BooleanField()
    since = serializers.DateTimeField()
    final = serializers.BooleanField()
    do_not_rely = serializers.BooleanField()
    errata = serializers.ListField(child=serializers.CharField(), help_text=_("Notices of known defects."))
    sequence = serializers.IntegerField(help_text=_("Of the last event: send it back as «if_sequence»."))
    as_of = serializers.DateTimeField(help_text=_("The last change that this answer reflects."))
    issued_at = serializers.DateTimeField()
    valid_until = serializers.DateTimeField()
    notice = serializers.CharField(help_text=_("Of the decision to issue."))
    application = ShownAnswered(allow_null=True, help_text=_("Null: none is recorded."))
    supersedes = serializers.CharField(allow_null=True)
    superseded_by = serializers.CharField(allow_null=True)
    newer_version_certificate = serializers.CharField(allow_null=True)
    holder = ShownHolder()
    system = serializers.CharField()
    version = serializers.CharField()
    model_family = serializers.CharField(allow_blank=True)
    scheme = ShownSchemeNamed()
    measurement = ShownMeasurementNamed()
    question_set = ShownQuestionSet(allow_null=True)
    corpus = serializers.JSONField(allow_null=True)
    run = ShownCertifiedRun(allow_null=True, help_text=_("Of the method agent_run; null of any other."))
    groups = serializers.ListField(child=serializers.CharField())
    group_names = names_by_key()
    evidence = ShownEvidenceNamed()
    measurements = ShownRelative(many=True)
    status_address = serializers.CharField()
    history_address = serializers.CharField()
    figures_address = serializers.CharField()


class ShownFact(serializers.Serializer):
    status = serializers.ChoiceField(choices=STATUSES)
    since = serializers.DateTimeField()
    notice = serializers.CharField(allow_null=True)
    reason = serializers.CharField(allow_null=True)


class ShownOverturned(serializers.Serializer):
    """A decision that the answer shows and that was overturned afterwards."""

    notice = serializers.CharField(allow_null=True)
    step = serializers.CharField()
    at = serializers.DateTimeField()
    appeal = serializers.CharField(allow_null=True)


class ShownStatus(serializers.Serializer):
    """The status and everything it says. Unknown is never shown as good."""

    certificate = serializers.CharField()
    status = serializers.ChoiceField(choices=STATUSES)
    in_force = serializers.BooleanField()
    since = serializers.DateTimeField()
    final = serializers.BooleanField()
    facts = ShownFact(many=True)
    reason = serializers.CharField(allow_null=True)
    notice = serializers.CharField(allow_null=True)
    statement = ShownText(allow_null=True)
    conditions = ShownText(many=True)
    review_on = serializers.DateField(allow_null=True)
    review_overdue = serializers.BooleanField()
    appeal_until = serializers.DateTimeField(allow_null=True)
    open_appeal = serializers.CharField(allow_null=True, help_text=_("Number of the appeal under review."))
    open_report = serializers.CharField(
        allow_null=True,
        help_text=_("Number of the complaint under review; it does not prejudge the outcome."),
    )
    valid_until = serializers.DateTimeField()
    superseded_by = serializers.CharField(allow_null=True)
    supersedes = serializers.CharField(allow_null=True)
    newer_version_certificate = serializers.CharField(allow_null=True)
    do_not_rely = serializers.BooleanField()
    errata = serializers.ListField(child=serializers.CharField())
    overturned = serializers.ListField(child=serializers.CharField(allow_null=True))
    integrity = serializers.ChoiceField(choices=["verified", "failed", "not_checked"])
    checked_at = serializers.DateTimeField(allow_null=True)
    evidence_sha256 = serializers.CharField(allow_null=True)
    sequence = serializers.IntegerField()
    hash = serializers.CharField(help_text=_("SHA-256 of the last event's bytes."))
    as_of = serializers.DateTimeField()
    stale_at = serializers.DateTimeField(
        allow_null=True, help_text=_("When the clock alone will change this answer.")
    )
    later_overturned_by = ShownOverturned(
        many=True, required=False, help_text=_("Only with «as_of»: what it shows and no longer stands.")
    )


class ShownAppeal(serializers.Serializer):
    """An appeal as the public reads it; the grounds are the registry's summary."""

    number = serializers.CharField()
    against = serializers.CharField(help_text=_("Number of the decision appealed."))
    state = serializers.ChoiceField(choices=[state.value for state in AppealState])
    outcome = serializers.ChoiceField(choices=[one.value for one in AppealOutcome], allow_null=True)
    effect = serializers.ChoiceField(choices=[one.value for one in Effect], allow_null=True)
    inadmissible = serializers.ChoiceField(choices=[one.value for one in Inadmissibility], allow_null=True)
    filed_at = serializers.DateTimeField()
    admitted_at = serializers.DateTimeField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)
    withdrawn_at = serializers.DateTimeField(allow_null=True)
    on_behalf = serializers.SerializerMethodField(
        help_text=_(
            "Filed by the registry's staff at the holder's written request, and not by the holder itself."
        )
    )
    withdrawn_on_behalf = serializers.SerializerMethodField()
    grounds = ShownText(allow_null=True)
    reasons = ShownText(allow_null=True)
    amended = ShownText(allow_null=True)
    notice = serializers.CharField(allow_null=True)

    def get_on_behalf(self, told: Any) -> bool:
        return told.way == Way.ON_BEHALF

    def get_withdrawn_on_behalf(self, told: Any) -> bool:
        return told.withdrawn_way == Way.ON_BEHALF


class ShownReport(serializers.Serializer):
    """A complaint as the public reads it: never its words, nor who made it. It does not mean that it is justified."""

    number = serializers.CharField()
    kind = serializers.ChoiceField(choices=[kind.value for kind in ReportKind])
    state = serializers.ChoiceField(choices=[state.value for state in ReportState])
    outcome = serializers.ChoiceField(choices=[one.value for one in ReportOutcome], allow_null=True)
    received_at = serializers.DateTimeField()
    with_holder_at = serializers.DateTimeField(allow_null=True)
    reply_until = serializers.DateTimeField(allow_null=True)
    replied_at = serializers.DateTimeField(
        allow_null=True, help_text=_("Of a reply that the holder chose to publish.")
    )
    decided_at = serializers.DateTimeField(allow_null=True)
    review_asked_at = serializers.DateTimeField(allow_null=True)
    closed_at = serializers.DateTimeField(allow_null=True)
    reply = ShownText(allow_null=True)
    reasons = ShownText(allow_null=True)
    notice = serializers.CharField(allow_null=True)
    earlier_notices = serializers.ListField(
        child=serializers.CharField(), help_text=_("Of what was decided before a review.")
    )


class ShownEvent(serializers.Serializer):
    """One event of the history. Its bytes are hashed into a chain that nobody can change unseen."""

    sequence = serializers.IntegerField()
    step = serializers.ChoiceField(choices=[step.value for step in Step])
    at = serializers.DateTimeField()
    before = serializers.ChoiceField(choices=STATUSES, allow_null=True)
    after = serializers.ChoiceField(choices=STATUSES)
    reason = serializers.CharField(allow_null=True)
    statement = ShownText(allow_null=True)
    conditions = ShownText(many=True)
    review_on = serializers.DateField(allow_null=True)
    notice = serializers.CharField(allow_null=True)
    role = serializers.CharField(allow_null=True)
    against = serializers.CharField(allow_null=True)
    other = serializers.CharField(allow_null=True)
    do_not_rely = serializers.BooleanField()
    appeal = ShownAppeal(allow_null=True)
    hash = serializers.CharField()
    previous = serializers.CharField(allow_null=True)
    document = serializers.CharField(help_text=_("Salted digest of what the event fixes."))
    bytes = serializers.CharField(help_text=_("The event itself: SHA-256 of this text is «hash»."))


class ShownHistory(serializers.Serializer):
    certificate = serializers.CharField()
    do_not_rely = serializers.BooleanField()
    errata = serializers.ListField(child=serializers.CharField(), help_text=_("Notices of known defects."))
    events = ShownEvent(many=True)
    reports = ShownReport(many=True, help_text=_("Complaints that the holder was told of, newest first."))


class ShownFigures(serializers.Serializer):
    """The published figures: suppression applied, and the thresholds it follows."""

    certificate = serializers.CharField()
    do_not_rely = serializers.BooleanField()
    errata = serializers.ListField(child=serializers.CharField(), help_text=_("Notices of known defects."))
    measurement = serializers.IntegerField()
    figures_sha256 = serializers.CharField()
    suppressed_below = serializers.IntegerField()
    indicative_below = serializers.IntegerField()
    figures = ShownFigure(many=True)
    group_names = names_by_key()
    groups = ShownGroups()
    criteria = ShownCriteria(allow_null=True, help_text=_("Null: a descriptive scheme."))
    agreement = ShownAgreement()


class ShownNotice(serializers.Serializer):
    """The numbered public text of a decision."""

    number = serializers.CharField()
    decision = serializers.ChoiceField(choices=[decision.value for decision in Decision])
    at = serializers.DateTimeField()
    role = serializers.CharField()
    certificate = serializers.CharField(allow_null=True)
    application = ShownAnswered(allow_null=True, help_text=_("Null: none is recorded."))
    reason = serializers.CharField(allow_null=True)
    statement = ShownText()
    conditions = ShownText(many=True)
    review_on = serializers.DateField(allow_null=True)
    appeal_until = serializers.DateTimeField(allow_null=True)
    about = serializers.CharField(allow_null=True)
    other = serializers.CharField(allow_null=True)
    later = serializers.ListField(child=serializers.CharField())
    do_not_rely = serializers.BooleanField()


class ShownDecided(serializers.Serializer):
    """What a decision made: the event that was appended, and the status it led to."""

    certificate = serializers.CharField()
    status = serializers.ChoiceField(choices=STATUSES)
    in_force = serializers.BooleanField()
    sequence = serializers.IntegerField()
    step = serializers.CharField()
    notice = serializers.CharField()
    at = serializers.DateTimeField()
    hash = serializers.CharField()


class ShownMatch(serializers.Serializer):
    """One thing that a SHA-256 is of, and the certificates that rest on it."""

    kind = serializers.ChoiceField(choices=["evidence", "member", "question_set", "scheme"])
    name = serializers.CharField(allow_null=True, help_text=_("Path of a member; name of a set or scheme."))
    certificates = serializers.ListField(child=serializers.CharField(), help_text=_("The latest hundred."))


class ShownLookup(serializers.Serializer):
    sha256 = serializers.CharField()
    matches = ShownMatch(many=True)


# ── from facts to JSON ───────────────────────────────────────────────────────


def listed(state: CertificateState, line: Listed) -> dict[str, Any]:
    """A row of the list: facts of the issue from the row, the status from its events."""
    return {
        "number": state.number,
        "address": addresses.certificate_json(state.number),
        "status": line.verdict.status,
        "in_force": line.verdict.in_force,
        "since": line.verdict.since,
        "holder": state.holder_name,
        "holder_id": state.holder_id,
        "system": state.system_name,
        "version": state.version,
        "scheme": state.scheme_name,
        "method": state.method,
        "groups": state.groups,
        "group_names": group_names.names(line.groups, grouping=line.grouping),
        "measured_at": state.measured_at,
        "issued_at": state.issued_at,
        "valid_until": state.valid_until,
        "evidence_sha256": state.evidence_sha256,
        "do_not_rely": line.verdict.do_not_rely,
        "erratum": line.verdict.erratum,
        "sequence": state.sequence,
    }


def _certified_run(run: CertifiedRun) -> dict[str, Any]:
    return {
        "number": run.number,
        "case": run.case,
        "counts": run.result.counts,
        "catalogue_at": run.result.facts.catalogue_at,
        "address": addresses.run_json(run.number),
        "runs_of_version": run.runs,
    }


def certificate(told: Told) -> dict[str, Any]:
    page, facts, measurement = told.page, told.facts, told.certificate.measurement
    number = page.number
    return {
        "number": number,
        "address": f"{site_address.stored()}{addresses.short(number)}",
        "status": facts.word.value,
        "in_force": facts.in_force,
        "since": facts.since,
        "final": facts.final,
        **_known_wrong(told),
        "sequence": facts.sequence,
        "as_of": told.as_of,
        "issued_at": page.issued_at,
        "valid_until": page.valid_until,
        "notice": page.decision,
        "application": page.application,
        "supersedes": page.verdict.supersedes,
        "superseded_by": page.verdict.superseded_by,
        "newer_version_certificate": page.verdict.newer,
        "holder": page.holder,
        "system": page.system,
        "version": page.version,
        "model_family": page.model_family,
        "scheme": {
            "code": page.scheme.code,
            "version": page.scheme.version,
            "sha256": page.scheme.sha256,
            "descriptive": page.scheme.descriptive,
            "error": page.scheme.error,
            "address": f"/api/v1/schemes/{page.scheme.code}-{page.scheme.version}/",
        },
        "measurement": {
            "id": measurement.pk,
            "method": measurement.method,
            "measured_at": page.measured_at,
            "frozen_at": measurement.frozen_at,
            "address": f"/api/v1/measurements/{measurement.pk}/",
        },
        "question_set": page.question_set,
        "corpus": told.certificate.names["corpus"],
        "run": _certified_run(page.run) if page.run else None,
        "groups": list(page.groups),
        "group_names": group_names.names(page.groups, grouping=page.scheme.grouping),
        "evidence": _evidence_named(number, page),
        "measurements": page.measurements,
        "status_address": addresses.status_json(number),
        "history_address": f"/api/v1/certificates/{number}/history/",
        "figures_address": addresses.figures_json(number),
    }


def _evidence_named(number: str, page: CertificatePage) -> dict[str, Any]:
    return {
        "sha256": page.evidence.sha256,
        "bytes": page.evidence.size,
        "integrity": page.evidence.integrity,
        "checked_at": page.evidence.checked_at,
        "verifier": page.evidence.verifier,
        "address": f"/api/v1/certificates/{number}/evidence/",
    }


def _known_wrong(told: Told) -> dict[str, Any]:
    return {
        "do_not_rely": told.facts.do_not_rely,
        "errata": [erratum.notice for erratum in told.facts.errata],
    }


def history(told: Told) -> dict[str, Any]:
    """Oldest first, as the chain runs."""
    entries: Sequence[Entry] = tuple(reversed(told.page.history))
    return {
        "certificate": told.page.number,
        **_known_wrong(told),
        "events": [
            {
                "sequence": entry.sequence,
                "step": entry.step,
                "at": entry.at,
                "before": entry.before,
                "after": entry.after,
                "reason": entry.reason,
                "statement": entry.statement,
                "conditions": [condition.text for condition in entry.conditions],
                "review_on": entry.review_on,
                "notice": entry.notice,
                "role": entry.role,
                "against": entry.against,
                "other": entry.other,
                "do_not_rely": entry.do_not_rely,
                "appeal": entry.appeal,
                "hash": row.hash,
                "previous": row.previous,
                "document": row.document_id,
                "bytes": bytes(row.bytes).decode(),
            }
            for entry, row in zip(entries, told.rows, strict=True)
        ],
        "reports": told.page.reports,
    }


def later_overturned(overturned: Sequence[Overturned]) -> list[dict[str, Any]]:
    return [
        {"notice": one.notice, "step": one.step.value, "at": leaves.instant(one.on), "appeal": one.appeal}
        for one in overturned
    ]


def figures(told: Told) -> dict[str, Any]:
    measurement, scheme = told.certificate.measurement, told.page.scheme
    return {
        "certificate": told.page.number,
        **_known_wrong(told),
        "measurement": measurement.pk,
        "figures_sha256": measurement.figures_sha256,
        "suppressed_below": scheme.suppressed_below,
        "indicative_below": scheme.indicative_below,
        "figures": [figure.as_json() for figure in told.page.figures],
        **_beyond(measurement, told.page.figures),
    }


def _beyond(row: Measurement, figures: Sequence[Figure]) -> dict[str, Any]:
    """What its figures show beyond themselves."""
    of = group_facts.of_measurement(row, figures)
    return {
        "group_names": of.group_names,
        "groups": of.groups,
        "criteria": of.criteria,
        "agreement": of.agreement,
    }


def evidence(
    told: Told, members: Sequence[Member], *, complete: bool, following: str | None
) -> dict[str, Any]:
    number, facts = told.page.number, told.page.evidence
    open_one_by_one = facts.access != Access.DIGEST_ONLY
    return {
        "certificate": number,
        "sha256": facts.sha256,
        "bytes": facts.size,
        "integrity": facts.integrity,
        "complete": complete,
        "checked_at": facts.checked_at,
        "verifier": facts.verifier,
        "access": facts.access,
        "address": addresses.evidence_archive(number) if facts.downloadable else None,
        "members_total": facts.members_total,
        "members": [
            evidence_shown.member(
                row,
                address=addresses.evidence_member(number, quote(row.path))
                if open_one_by_one and (facts.descriptor_open or row.path != descriptors.PATH)
                else None,
            )
            for row in members
        ],
        "next": following,
    }


def measurement(row: Measurement) -> dict[str, Any]:
    """Its published figures; what was declared of a suppressed one is left out with it."""
    figures = measured.published_figures(row)
    use = getattr(row, "set_use", None)
    declared = measured.declared_beside(row.result, figures)
    certificates = list(errata.beside(row.certificates.order_by("pk")))
    return {
        "id": row.pk,
        "scheme": str(row.scheme),
        "method": row.method,
        "system": row.system_version.system.name,
        "version": row.system_version.version,
        "holder": row.system_version.system.holder.name,
        "measured_at": row.measured_at,
        "frozen_at": row.frozen_at,
        "evidence_sha256": row.package.sha256,
        "set_name": row.set_name,
        "set_sha256": row.set_sha256,
        "set_counted_before": use.uses_before if use else None,
        "set_exposed": use.exposure or None if use else None,
        "grouping_sha256": row.grouping_sha256,
        "figures_sha256": row.figures_sha256,
        "declared_coincide": row.declared_coincide,
        "declared": [{**one, "coincides": one["outcome"] == "coincides"} for one in declared],
        "figures": [one.as_json() for one in figures],
        **_beyond(row, figures),
        "certificates": [one.number for one in certificates],
        "errata": errata.of(certificates),
    }


def notice(row: Notice) -> dict[str, Any]:
    return {
        "number": row.number,
        "decision": row.decision,
        "at": row.at,
        "role": row.role,
        "certificate": row.certificate.number if row.certificate else None,
        "application": application_facts.answered_by(row, zone=UTC),
        "reason": row.reason,
        "statement": Text(es=row.statement_es, en=row.statement_en),
        "conditions": row.conditions,
        "review_on": row.review_on,
        "appeal_until": row.appeal_until,
        "about": row.about.number if row.about else None,
        "other": row.other.number if row.other else None,
        "later": [one.number for one in row.later.order_by("pk")],
        "do_not_rely": row.do_not_rely,
    }


def application(row: Application) -> dict[str, Any]:
    """`row` with its parents and events: `certificates.application_rows.with_parents`."""
    version = row.measurement.system_version
    return {
        "number": row.number,
        "filed_at": row.filed_at,
        "way": row.way,
        "state": row.standing.state,
        "deadline_at": row.standing.deadline_at,
        "holder": row.holder.name,
        "system": version.system.name,
        "version": version.version,
        "measurement": row.measurement_id,
        "steps": [
            {
                "step": one.step,
                "at": one.at,
                "role": one.role,
                "notice": one.notice.number if one.notice else None,
                "certificate": one.notice.certificate.number
                if one.notice and one.notice.certificate
                else None,
                "reason": one.reason,
            }
            for one in row.events.all()
        ],
    }
