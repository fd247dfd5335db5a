"""Who may issue and refuse a certificate, and who may take each step on one."""

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from certificates.models import Certificate, HolderRequest
from certificates.policies import certifiers, complaints, measurements, requests
from certificates.refusals import IncompleteDecision, RegistryNotStaffed
from grading.models import Measurement
from registry_site import roles
from registry_site.models import User
from registry_site.problems import Refusal


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
        certifiers.refusal_to_take_up(user, measurement, at=at)
        or _refusal_for_lack_of_people()
        or _refusal_of_superseded(measurement, supersedes)
        or measurements.refusal_of_measurement(measurement, at=at, supersedes=supersedes)
        or measurements.refusal_of_term(measurement, at, valid_until)
    )


def refusal_to_refuse(user: User, measurement: Measurement, *, at: datetime) -> Refusal | None:
    """Why `user` may not refuse a certificate on `measurement`, or None."""
    return certifiers.refusal_to_take_up(user, measurement, at=at) or measurements.refusal_of_decided(
        measurement, None
    )


def refusal_to_decide(user: User, certificate: Certificate, *, at: datetime) -> Refusal | None:
    """Why `user` may not take a step that rests on nothing but the person who takes it, or None."""
    return certifiers.refusal_to_decide_on(user, certificate.measurement, at)


refusal_to_prolong = refusal_to_reinstate = refusal_to_erratum = refusal_to_decide


def refusal_to_suspend(user: User, certificate: Certificate, *, at: datetime) -> Refusal | None:
    """Why `user` may not take it out of force, or None: a sanction, for whichever reason."""
    return refusal_to_decide(user, certificate, at=at) or complaints.refusal_to_sanction(user, certificate)


refusal_to_revoke = refusal_to_suspend


def refusal_to_terminate(
    user: User, certificate: Certificate, *, at: datetime, request: HolderRequest | None = None
) -> Refusal | None:
    """Rule 6: the step speaks for the holder, so it rests on a stored request and needs a second person.

    Without `request` only what does not depend on one is asked (whether to show the button).
    """
    refusal = certifiers.refusal_to_decide_on(user, certificate.measurement, at)
    if refusal is None and request is not None:
        refusal = requests.refusal_of_request(user, certificate, request, kind="terminate")
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
    refusal = certifiers.refusal_to_decide_on(user, certificate.measurement, at)
    if refusal is not None or other is None:
        return refusal
    if request is not None:
        return requests.refusal_of_request(user, certificate, request, kind="supersede")
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


REFUSAL_TO = {
    "suspend": refusal_to_suspend,
    "prolong": refusal_to_prolong,
    "reinstate": refusal_to_reinstate,
    "revoke": refusal_to_revoke,
    "terminate": refusal_to_terminate,
    "supersede": refusal_to_supersede,
    "erratum": refusal_to_erratum,
}
