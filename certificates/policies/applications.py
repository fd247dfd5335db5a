"""Who may apply for a certificate, withdraw what was applied for, and answer it."""

from datetime import datetime

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from certificates.application_states import OPEN as OPEN_APPLICATION
from certificates.models import Application
from certificates.policies import bonds, certifiers, measurements, persons, runs
from certificates.refusals import ApplicationRefused
from evidence.models.system import Confirmation
from grading.models import Measurement
from registry_site import roles
from registry_site.models import User
from registry_site.problems import Refusal


def refusal_to_apply(measurement: Measurement) -> Refusal | None:
    """Why nobody may apply for a certificate on `measurement` now, or None.

    That it could not be certified is no bar: whoever applies gets a decision, which can be appealed. What is not the
    published result of a run is nothing to decide on.
    """
    return (
        _refusal_of_proposed(measurement)
        or runs.refusal_of_run(measurement)
        or measurements.refusal_of_decided(measurement, None)
        or _refusal_of_open_application(measurement)
    )


def refusal_to_apply_by_account(user: User, measurement: Measurement) -> Refusal | None:
    """Why `user` may not apply in the holder's name, signed in, or None (rule 6)."""
    return persons.refusal_to_other_than_holder(
        user, measurement.system_version.system.holder
    ) or refusal_to_apply(measurement)


def refusal_to_withdraw_application(user: User, application: Application) -> Refusal | None:
    """Why `user` may not withdraw it in the holder's name, or None. That it was answered is told by its steps."""
    return persons.refusal_to_other_than_holder(user, application.holder)


def refusal_to_store_application(user: User, measurement: Measurement, *, at: datetime) -> Refusal | None:
    """Anyone with a staff role but the registrar's, and no interest in the holder, may store the holder's request."""
    return (
        persons.refusal_without_role(user, roles.DECIDING_ROLES)
        or bonds.refusal_for_interest(user, measurement.system_version.system.holder, at)
        or refusal_to_apply(measurement)
    )


def refusal_to_answer_application(user: User, application: Application, *, at: datetime) -> Refusal | None:
    """Whoever may refuse a certificate on its measurement may also declare it inadmissible."""
    return certifiers.refusal_to_take_up(user, application.measurement, at=at)


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
