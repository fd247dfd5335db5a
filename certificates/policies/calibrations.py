"""Who may review the judge of a measurement: nobody who took part in the evaluation."""

from datetime import datetime

from django.db.models import Q, QuerySet
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from certificates.policies import bonds, persons
from certificates.refusals import RuleOfImpartiality
from evidence.models import EvidencePackage, Participation
from evidence.models.package import ParticipationKind
from grading import calibration
from grading.models import Measurement
from registry_site import roles
from registry_site.models import Person, User
from registry_site.problems import NotAllowed, Refusal


def refusal_to_calibrate(user: User, measurement: Measurement, *, at: datetime) -> Refusal | None:
    """Why `user` may not handle the blind review of `measurement`, or None: not the evaluator (figures §4).

    To have handled an earlier one is no bar; it is one to decide on the certificate (rule 1).
    """
    return (
        persons.refusal_without_role(user, roles.DECIDING_ROLES)
        or _refusal_without_judge(measurement)
        or _refusal_to_evaluator(user, measurement)
        or bonds.refusal_for_interest(user, measurement.system_version.system.holder, at)
    )


def _refusal_without_judge(measurement: Measurement) -> Refusal | None:
    if measurement.method == "hallucination":
        return None
    return NotAllowed(_("This method has no judge whose verdicts could be reviewed."), code="no_judge")


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
