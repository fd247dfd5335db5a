"""Who may decide, and on what: every refusal has a name, for pages and for the writer alike."""

from datetime import timedelta

import pytest

from certificates import lifecycle, policies
from certificates.refusals import NotCertifiable, RegistryNotStaffed, RuleOfImpartiality
from certificates.tests import registry
from certificates.tests.registry import STATEMENT, Evidence
from evidence.models import EvidencePackage, Holder, Interest, Participation
from registry_site import clock
from registry_site.models import Person, RoleGrant, User
from registry_site.problems import NotAllowed, Refusal
from registry_site.roles import Role

pytestmark = pytest.mark.django_db


def refused(user, measurement, **more) -> Refusal:
    """The refusal to issue, asked as a page asks; the writer must give the same one and write nothing."""
    asked = policies.refusal_to_issue(user, measurement, at=clock.now(), **more)
    with pytest.raises(Refusal) as raised:
        lifecycle.issue(measurement, by=user, at=clock.now(), statement=STATEMENT, **more)
    assert asked is not None
    assert raised.value.code == asked.code
    assert str(asked.detail), "a refusal says why"
    assert measurement.certificates.count() == 0
    return asked


def test_a_certifier_who_took_no_part_may_issue(who):
    measured = registry.measurement(by=who.evaluator)
    assert policies.refusal_to_issue(who.certifier, measured, at=clock.now()) is None


@pytest.mark.parametrize("role", ["evaluator", "appeals_officer", "registrar"])
def test_only_the_role_that_certifies_decides(who, role):
    measured = registry.measurement(by=who.evaluator)
    refusal = refused(getattr(who, role), measured)
    assert (refusal.code, refusal.status) == ("role_missing", 403)


def test_a_superuser_is_asked_like_everybody_else(who):
    measured = registry.measurement(by=who.evaluator)
    root = registry.person("Sara Superusuaria", is_superuser=True, is_staff=True)
    assert refused(root, measured).code == "role_missing"
    both = registry.person("Pepe Participante", Role.CERTIFIER, is_superuser=True, is_staff=True)
    own = registry.measurement(by=both)
    assert refused(both, own).code == "took_part_in_evaluation"


def test_a_service_account_never_decides(who):
    measured = registry.measurement(by=who.evaluator)
    service = User.objects.create_user("servicio@registro.example", service_name="nightly")
    assert refused(service, measured).code == "not_a_person"


def test_rule_1_whoever_handed_the_evidence_in_does_not_certify_it(who):
    measured = registry.measurement(by=who.certifier)
    refusal = refused(who.certifier, measured)
    assert isinstance(refusal, RuleOfImpartiality)
    assert (refusal.code, refusal.extra["rule"]) == ("took_part_in_evaluation", 1)


def test_rule_1_compares_persons_and_not_accounts(who):
    measured = registry.measurement(by=who.evaluator)
    RoleGrant.objects.create(person=who.evaluator.person, role=Role.CERTIFIER, granted_at=clock.now())
    second = User.objects.create_user("otra.cuenta@registro.example", person=who.evaluator.person)
    assert refused(second, measured).code == "took_part_in_evaluation"


@pytest.mark.parametrize("kind", ["graded", "reviewed", "restarted"])
def test_rule_1_any_part_in_the_evidence_counts(who, kind):
    measured = registry.measurement(by=who.evaluator)
    Participation.objects.create(
        package=measured.package, person=who.certifier.person, kind=kind, at=clock.now()
    )
    assert refused(who.certifier, measured).code == "took_part_in_evaluation"


def test_rule_1_the_same_bytes_handed_in_by_another_account_count_too(who):
    measured = registry.measurement(by=who.evaluator)
    EvidencePackage.objects.create(
        submitter=who.certifier,
        sha256=measured.package.sha256,
        size=1,
        state="ready",
        created_at=clock.now(),
        received_at=clock.now(),
    )
    assert refused(who.certifier, measured).code == "took_part_in_evaluation"


def test_rule_1_holds_for_every_later_decision(who):
    certificate = registry.issued(who)
    Participation.objects.create(
        package=certificate.measurement.package,
        person=who.second_certifier.person,
        kind="reviewed",
        at=clock.now(),
    )
    now = clock.now()
    for refusal_to in policies.REFUSAL_TO.values():
        assert refusal_to(who.second_certifier, certificate, at=now).code == "took_part_in_evaluation"
        assert refusal_to(who.certifier, certificate, at=now) is None
    with pytest.raises(RuleOfImpartiality):
        registry.suspend(certificate, by=who.second_certifier)


def test_rule_3_a_declared_interest_weighs_until_two_years_after_its_end(who):
    measured = registry.measurement(by=who.evaluator)
    holder = measured.system_version.system.holder
    interest = Interest.objects.create(
        person=who.certifier.person, holder=holder, kind="consultant", declared_at=clock.now()
    )
    assert refused(who.certifier, measured).code == "declared_interest"
    interest.ended_at = clock.now() - timedelta(days=729)
    interest.save()
    assert refused(who.certifier, measured).extra["rule"] == 3
    interest.ended_at = clock.now() - timedelta(days=732)
    interest.save()
    assert policies.refusal_to_issue(who.certifier, measured, at=clock.now()) is None


def test_rule_3_an_interest_in_another_holder_does_not_count(who):
    measured = registry.measurement(by=who.evaluator)
    other = registry.holder("Otra SpA")
    Interest.objects.create(person=who.certifier.person, holder=other, kind="owner", declared_at=clock.now())
    assert policies.refusal_to_issue(who.certifier, measured, at=clock.now()) is None


def test_rule_3_the_operators_own_system_is_never_certified(who):
    holder = registry.holder(is_operator=True)
    measured = registry.measurement(registry.version(holder), by=who.evaluator)
    assert refused(who.certifier, measured).code == "system_of_the_operator"


@pytest.mark.parametrize("leaving", ["appeals_officer", "evaluator"])
def test_rule_4_fewer_than_three_people_issue_nothing(who, leaving):
    measured = registry.measurement(by=who.evaluator)
    RoleGrant.objects.filter(person=getattr(who, leaving).person).update(
        ended_at=clock.now(), ended_by=who.registrar.person
    )
    refusal = refused(who.certifier, measured)
    assert isinstance(refusal, RegistryNotStaffed)
    assert refusal.code == "fewer_than_three_people"


def test_rule_4_one_person_in_two_roles_is_one_person(who):
    measured = registry.measurement(by=who.evaluator)
    RoleGrant.objects.filter(person__in=[who.appeals_officer.person, who.second_certifier.person]).update(
        ended_at=clock.now(), ended_by=who.registrar.person
    )
    RoleGrant.objects.create(person=who.certifier.person, role=Role.APPEALS_OFFICER, granted_at=clock.now())
    assert refused(who.certifier, measured).code == "fewer_than_three_people"


@pytest.mark.parametrize(
    ("evidence", "code"),
    [
        (Evidence(age=timedelta(days=181)), "evidence_too_old"),
        (Evidence(age=timedelta(days=-1)), "measured_in_the_future"),
        (Evidence(integrity="failed"), "integrity_not_verified"),
        (Evidence(coincides=False), "declared_figures_differ"),
    ],
)
def test_what_cannot_carry_a_certificate_is_refused_by_name(who, evidence, code):
    refusal = refused(who.certifier, registry.measurement(by=who.evaluator, evidence=evidence))
    assert isinstance(refusal, NotCertifiable)
    assert (refusal.code, refusal.status) == (code, 409)


def test_the_age_is_told_with_both_numbers_and_the_scheme(who):
    measured = registry.measurement(by=who.evaluator, evidence=Evidence(age=timedelta(days=551)))
    refusal = refused(who.certifier, measured)
    assert (refusal.extra["age_days"], refusal.extra["allowed_days"]) == (551, 180)
    assert "HALU-1" in str(refusal.detail)


@pytest.mark.parametrize("proposed", ["holder", "system"])
def test_a_proposed_holder_or_system_is_confirmed_first(who, proposed):
    measured = registry.measurement(by=who.evaluator)
    system = measured.system_version.system
    row = system.holder if proposed == "holder" else system
    row.confirmation = "proposed"
    row.save()
    measured.refresh_from_db()
    assert refused(who.certifier, measured).code == "identity_not_confirmed"


def test_a_second_measurement_of_the_same_version_and_set_is_picking(who):
    first = registry.measurement(by=who.evaluator)
    second = registry.measurement(first.system_version, by=who.evaluator)
    assert refused(who.certifier, second).code == "not_the_first_measurement"
    assert policies.refusal_to_issue(who.certifier, first, at=clock.now()) is None


def test_another_set_or_another_version_is_no_picking(who):
    first = registry.measurement(by=who.evaluator)
    other_set = registry.measurement(
        first.system_version, by=who.evaluator, evidence=Evidence(set_sha256="5f" * 32)
    )
    other_version = registry.measurement(
        registry.version(first.system_version.system.holder, pinned="5.0"), by=who.evaluator
    )
    for measured in (other_set, other_version):
        assert policies.refusal_to_issue(who.certifier, measured, at=clock.now()) is None


def test_a_term_beyond_the_scheme_or_in_the_past_is_refused(who):
    measured = registry.measurement(by=who.evaluator)
    for until in (clock.now() - timedelta(seconds=1), clock.now() + timedelta(days=400)):
        assert refused(who.certifier, measured, valid_until=until).code == "term_out_of_range"


def test_who_is_no_staff_is_refused_before_anything_is_looked_at(who):
    certificate = registry.issued(who)
    visitor = registry.person("Vera Visitante")
    for refusal_to in policies.REFUSAL_TO.values():
        assert isinstance(refusal_to(visitor, certificate, at=clock.now()), NotAllowed)
    assert Person.objects.filter(pk=visitor.person_id).exists()
    assert Holder.objects.count() == 1
