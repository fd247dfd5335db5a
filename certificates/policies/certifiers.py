"""Who may decide on a measurement, and on the certificate that was issued on it."""

from collections.abc import Collection
from datetime import datetime

from django.utils.translation import gettext_lazy as _

from certificates.application_states import OPEN as OPEN_APPLICATION
from certificates.models import Application, Notice
from certificates.policies import bonds, persons
from certificates.refusals import RuleOfImpartiality
from certificates.states import Decision
from certificates.ways import Way
from grading.models import Measurement
from registry_site import roles
from registry_site.models import Person, User
from registry_site.problems import Refusal
from registry_site.roles import Role


def _refusal_to_whoever_stored_the_application(user: User, measurement: Measurement) -> Refusal | None:
    person = roles.person_of(user)
    return _bars_for_the_application([person], measurement).get(person.pk)


def _bars_for_the_application(people: Collection[Person], measurement: Measurement) -> bonds.Bars:
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


def refusal_for_part_in_it() -> RuleOfImpartiality:
    """Rule 1, in words."""
    return RuleOfImpartiality(
        _("You cannot take this decision: you took part in the evaluation (rule 1)."),
        code="took_part_in_evaluation",
        rule=1,
    )


def bars_to_deciding(people: Collection[Person], measurement: Measurement, *, at: datetime) -> bonds.Bars:
    """Of `people` those whom rules 1 and 3 keep from every decision on `measurement` and on its certificate.

    One query, however many they are: one person is asked the same question before each decision.
    """
    return bonds.bars(
        [
            *bonds.in_the_evidence_of(measurement, people),
            *bonds.interested(people, measurement.system_version.system.holder, at),
        ],
        REFUSALS_ON_DECISION,
    )


def refusal_to_take_up(user: User, measurement: Measurement, *, at: datetime) -> Refusal | None:
    """Why `user` cannot have the decision on `measurement` in hand, or None; what may be decided is not asked."""
    return (
        refusal_to_decide_on(user, measurement, at)
        or _refusal_to_the_same_certifier(user, measurement)
        or _refusal_to_whoever_stored_the_application(user, measurement)
    )


def bars_to_take_up(people: Collection[Person], measurement: Measurement, *, at: datetime) -> bonds.Bars:
    """The same of many: also those whose refusal was overturned, and whoever stored the application."""
    return (
        _bars_for_the_application(people, measurement)
        | _bars_to_the_same_certifier(people, measurement)
        | bars_to_deciding(people, measurement, at=at)
    )


def refusal_to_decide_on(user: User, measurement: Measurement, at: datetime) -> Refusal | None:
    refusal = persons.refusal_without_role(user, (Role.CERTIFIER,))
    if refusal is not None:
        return refusal
    person = roles.person_of(user)
    return bars_to_deciding([person], measurement, at=at).get(person.pk)


def _refusal_to_the_same_certifier(user: User, measurement: Measurement) -> Refusal | None:
    person = roles.person_of(user)
    return _bars_to_the_same_certifier([person], measurement).get(person.pk)


def _bars_to_the_same_certifier(people: Collection[Person], measurement: Measurement) -> bonds.Bars:
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


REFUSALS_ON_DECISION = bonds.REFUSALS_FOR_INTEREST | {"evidence": lambda _kind: refusal_for_part_in_it()}
