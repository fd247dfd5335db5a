"""What binds persons to a matter, asked of many at once: part in the evidence, interests, the holder's membership."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Any

from django.db.models import CharField, Exists, OuterRef, Q, QuerySet, Value
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from certificates.refusals import RuleOfImpartiality
from evidence import interests, memberships
from evidence.models import EvidencePackage, Holder, Participation
from evidence.models.system import InterestKind
from grading.models import Measurement, QuestionSet
from registry_site import roles
from registry_site.models import Person, User
from registry_site.problems import Refusal

Bars = dict[int, Refusal]  # key of a person → the rule that stands in the way


def took_part_in(person: Person, *, sha256: OuterRef) -> Q:
    """That a person took part in the evidence or grading of a package, as a condition for rows that are read with it.

    `sha256` leads from the row to its package: the same bytes, whoever sent them.
    """
    return Q(Exists(Participation.objects.filter(person=person, package__sha256=sha256))) | Q(
        Exists(EvidencePackage.objects.filter(submitter__person=person, sha256=sha256))
    )


def in_the_evidence_of(measurement: Measurement, people: Collection[Person]) -> list[QuerySet]:
    """Who of many persons took part in the evidence or grading of one package, as rows of `bound`: the same bytes,
    whoever sent them. Whoever registered the questions that were asked took part too.
    """
    sha256 = measurement.package.sha256
    return [
        bound(
            QuestionSet.objects.filter(set_sha256=measurement.set_sha256, registered_by__in=people),
            "evidence",
            person="registered_by_id",
        ),
        bound(Participation.objects.filter(person__in=people, package__sha256=sha256), "evidence"),
        bound(
            EvidencePackage.objects.filter(submitter__person__in=people, sha256=sha256),
            "evidence",
            person="submitter__person_id",
        ),
    ]


def bound(rows: QuerySet, by: str, *, person: str = "person_id", kind: str | None = None) -> QuerySet:
    """(person, what binds it, of which kind, key): rows of different tables that one query asks for together."""
    nothing = Value("", output_field=CharField())
    return rows.order_by().values_list(person, Value(by, output_field=CharField()), kind or nothing, "pk")


def refusal_for_interest(user: User, holder: Holder, at: datetime) -> Refusal | None:
    person = roles.person_of(user)
    return bars(interested([person], holder, at), REFUSALS_FOR_INTEREST).get(person.pk)


def interested(people: Collection[Person], holder: Holder, at: datetime) -> list[QuerySet]:
    """Rule 3: a declared interest, or belonging to the holder; both weigh until two years after their end."""
    declared = interests.weighing(holder, at=at).filter(person__in=people)
    members = memberships.weighing(holder, at=at).filter(person__in=people)
    return [bound(declared, "interest", kind="kind"), bound(members, "member")]


def bars(rows: list[QuerySet], refusals: Mapping[str, Callable[[str], Refusal]]) -> Bars:
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


def refusal_under_rule_2(detail: Any, code: str) -> Callable[[str], Refusal]:
    return lambda _kind: RuleOfImpartiality(detail, code=code, rule=2)


# What binds a person → the rule in words; the weightiest last.
REFUSALS_FOR_INTEREST: dict[str, Callable[[str], Refusal]] = {
    "interest": _refusal_for_declared,
    "member": lambda _kind: _refusal_to_member(),
}
