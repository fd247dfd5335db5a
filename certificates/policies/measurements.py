"""What a certificate may be issued on, whoever asks: intact, recent, conforming, the first of its kind."""

from datetime import datetime, timedelta

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from certificates import terms
from certificates.models import Certificate, CertificateState, Notice
from certificates.policies import runs
from certificates.refusals import IncompleteDecision, NotCertifiable
from certificates.states import Decision
from evidence.models import Integrity
from evidence.models.system import Confirmation
from grading.models import Measurement
from registry_site.problems import Refusal

# Clocks of evaluators differ; what is measured further ahead than this was not measured.
CLOCK_TOLERANCE = timedelta(minutes=10)


def refusal_of_measurement(
    measurement: Measurement, *, at: datetime, supersedes: Certificate | None = None
) -> Refusal | None:
    """Why nobody may issue a certificate on `measurement` at `at`, or None."""
    return (
        refusal_of_decided(measurement, supersedes)
        or refusal_at_sight(measurement, at=at)
        or _refusal_to_pick(measurement, supersedes)
    )


def refusal_at_sight(measurement: Measurement, *, at: datetime) -> Refusal | None:
    """Of those reasons the ones that the measurement, its parents and its run show by themselves, without a query."""
    return (
        _refusal_of_integrity(measurement)
        or runs.refusal_of_run(measurement)
        or _refusal_of_age(measurement, at)
        or _refusal_of_declared(measurement)
        or _refusal_of_identity(measurement)
        or refusal_of_criteria(measurement)
        or refusal_of_exposed_set(measurement)
    )


def refusal_of_decided(measurement: Measurement, supersedes: Certificate | None) -> Refusal | None:
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


def refusal_of_criteria(measurement: Measurement) -> Refusal | None:
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


def refusal_of_exposed_set(measurement: Measurement) -> Refusal | None:
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
    """The first verified measurement, by time of upload, of this version under this scheme and set.

    Of agent runs each is its own: all that were registered are listed, whatever came of them.
    """
    if measurement.is_of_a_run:
        return measurement
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


def refusal_of_term(measurement: Measurement, at: datetime, valid_until: datetime | None) -> Refusal | None:
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
