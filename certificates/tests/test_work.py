"""The staff's own work: who has a matter in hand, notes, who took part; never public, never against a rule."""

from datetime import timedelta

import pytest
from django.db import DatabaseError, connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from certificates import four_eyes, holder_requests, lifecycle, policies, work, work_facts, work_subjects
from certificates.models import Assignment, SetAside, StaffNote
from certificates.states import Status
from certificates.tests import appealing, desks, registry
from certificates.work_subjects import Subject
from evidence.models import EvidencePackage, Interest, PackageState, Verification
from registry_site import clock
from registry_site.append_only import WrittenOnceError
from registry_site.models import AuditEntry, Person, RoleGrant
from registry_site.problems import NotAllowed
from registry_site.roles import Role

pytestmark = pytest.mark.django_db
CANARY = "canario-de-nota-interna-7c1f"


@pytest.fixture
def suspended(who):
    return registry.certificate_at(Status.SUSPENDED, who)


@pytest.fixture
def appeal(who, suspended):
    return appealing.filed(suspended.notices.get(decision="suspend"))


def assign(subject, to, by, **more):
    return work.assign(subject, to=to.person, by=by, at=clock.now(), **more)


def of(certificate) -> Subject:
    return Subject("certificate", certificate.number)


def rejected(who, **more) -> EvidencePackage:
    now = clock.now()
    facts = {
        "sha256": f"{EvidencePackage.objects.count() + 1:064x}",
        "size": 1,
        "state": PackageState.REJECTED,
        "filename": "alterado.zip",
        "created_at": now,
        "received_at": now,
        "finished_at": now,
    }
    return EvidencePackage.objects.create(submitter=who.evaluator, **(facts | more))


# ── in hand ──────────────────────────────────────────────────────────────────


def test_whoever_takes_a_matter_has_it_in_hand_and_lets_it_go_again(who, suspended):
    subject = of(suspended)
    assign(subject, who.certifier, who.certifier)
    assert work.held(subject).person == who.certifier.person
    work.release(subject, by=who.certifier, at=clock.now())
    work.release(subject, by=who.certifier, at=clock.now())  # said twice
    assert work.held(subject) is None
    told = list(
        AuditEntry.objects.filter(subject=str(subject), action__startswith="work.").values_list(
            "action", "person"
        )
    )
    assert told == [
        ("work.assigned", who.certifier.person_id),
        ("work.released", who.certifier.person_id),
    ]


def test_a_matter_is_given_to_a_colleague_who_may_decide_on_it(who, suspended):
    assign(of(suspended), who.second_certifier, who.registrar)
    assert work.held(of(suspended)).assigned_by == who.registrar.person


def test_a_matter_passes_from_hand_to_hand_in_view_of_who_had_it(who, suspended):
    subject = of(suspended)
    assign(subject, who.certifier, who.certifier)
    assign(subject, who.second_certifier, who.second_certifier, if_held_by=who.certifier.person_id)
    assert work.held(subject).person == who.second_certifier.person
    assert Assignment.objects.filter(ended_by=who.second_certifier.person).count() == 1


def test_of_two_who_take_it_at_once_the_second_is_told_who_has_it(who, suspended):
    assign(of(suspended), who.certifier, who.certifier)
    with pytest.raises(work.CannotBeAssigned) as refused:
        assign(of(suspended), who.second_certifier, who.second_certifier)
    assert refused.value.code == "held_meanwhile"
    assert "Carlos Certificador" in str(refused.value.detail)
    # Pressed twice by the same person it is taken once.
    assign(of(suspended), who.certifier, who.certifier)
    assert Assignment.objects.count() == 1


def test_the_database_lets_nobody_else_have_it_too(who, suspended):
    assign(of(suspended), who.certifier, who.certifier)
    with pytest.raises(DatabaseError), transaction.atomic():
        Assignment.objects.create(
            kind="certificate",
            identifier=suspended.number,
            person=who.second_certifier.person,
            assigned_by=who.second_certifier.person,
            at=clock.now(),
        )


def test_nobody_else_lets_go_what_another_has(who, suspended):
    assign(of(suspended), who.certifier, who.certifier)
    with pytest.raises(NotAllowed):
        work.release(of(suspended), by=who.evaluator, at=clock.now())


def test_to_whom_a_rule_forbids_the_decision_the_matter_is_not_given(who, suspended, appeal):
    measurement = suspended.measurement
    both = registry.person("Eva de Ambas", Role.CERTIFIER)
    Interest.objects.create(
        person=both.person,
        holder=measurement.system_version.system.holder,
        kind="family",
        declared_at=clock.now(),
    )
    RoleGrant.objects.create(person=who.certifier.person, role=Role.APPEALS_OFFICER, granted_at=clock.now())
    for subject, to, code in (
        (of(suspended), both, "declared_interest"),
        (of(suspended), who.evaluator, "role_missing"),
        (Subject("appeal", appeal.number), who.certifier, "took_part_in_decision"),
        (Subject("holder", str(measurement.system_version.system.holder_id)), who.evaluator, "role_needed"),
        (Subject("package", str(measurement.package_id)), who.registrar, "role_missing"),
    ):
        with pytest.raises(work.CannotBeAssigned) as refused:
            assign(subject, to, who.second_certifier)
        assert refused.value.code == code
    assert Assignment.objects.count() == 0


def test_who_has_no_account_in_use_and_what_does_not_exist_are_refused(who, suspended):
    who.second_certifier.is_active = False
    who.second_certifier.save()
    with pytest.raises(work.CannotBeAssigned) as refused:
        assign(of(suspended), who.second_certifier, who.certifier)
    assert refused.value.code == "no_account"
    for subject in (
        Subject("certificate", "FEH-2026-999999-00"),
        Subject("poem", "1"),
        Subject("package", "x"),
    ):
        with pytest.raises(work.CannotBeAssigned):
            assign(subject, who.certifier, who.certifier)


# ── who took part, who may not ───────────────────────────────────────────────


def test_many_are_barred_by_the_same_rules_as_each(who, suspended, appeal):
    """The list of those who may not decide says of each person what the decision itself would say."""
    measurement, at = suspended.measurement, clock.now()
    registry.person("Iván de Interés", Role.CERTIFIER)
    Interest.objects.create(
        person=Person.objects.get(name="Iván de Interés"),
        holder=measurement.system_version.system.holder,
        kind="owner",
        declared_at=at,
    )
    people = list(Person.objects.all())
    for person in people:
        for role in (Role.CERTIFIER, Role.APPEALS_OFFICER):
            RoleGrant.objects.get_or_create(
                person=person, role=role, ended_at=None, defaults={"granted_at": at}
            )
    on_certificate = policies.bars_to_deciding(people, measurement, at=at)
    on_appeal = policies.bars_to_appeal(people, appeal, at=at)
    for person in people:
        user = person.accounts.get()
        alone = policies.refusal_to_decide(user, suspended, at=at)
        assert getattr(on_certificate.get(person.pk), "code", None) == getattr(alone, "code", None)
        alone = policies.refusal_to_decide_appeal(user, appeal, at=at)
        assert getattr(on_appeal.get(person.pk), "code", None) == getattr(alone, "code", None)
    assert {one.code for one in on_certificate.values()} == {"took_part_in_evaluation", "declared_interest"}
    assert "took_part_in_decision" in {one.code for one in on_appeal.values()}


def test_the_page_names_who_took_part_and_who_may_not_decide(who, suspended, appeal):
    holder_requests.store(
        suspended,
        by=who.second_certifier,
        at=clock.now(),
        kind="terminate",
        text="Pedimos finalizar el certificado.",
        received_on=clock.now().date(),
    )
    RoleGrant.objects.create(person=who.evaluator.person, role=Role.CERTIFIER, granted_at=clock.now())
    client = desks.at_desk(who.certifier)
    page = client.get(f"/staff/certificates/{suspended.number}/").content.decode()
    for told in (
        'Elena Evaluadora</bdi> <span class="soft">(evaluación)</span>: presentó la evidencia',
        'Carlos Certificador</bdi> <span class="soft">(decisión de certificación)</span>: decidió: suspensión',
        "Carmen Certificadora</bdi>: guardó una solicitud del titular",
        "Elena Evaluadora</bdi>: participó en la evaluación (regla 1)",
    ):
        assert told in page, told
    page = client.get(f"/staff/appeals/{appeal.number}/").content.decode()
    assert "Carlos Certificador" in page
    page = client.get(f"/staff/packages/{suspended.measurement.package_id}/").content.decode()
    assert page.count("presentó la evidencia") == 1


def test_each_person_is_told_once_to_have_handed_in_the_same_package(who):
    measurement = registry.measurement(by=who.evaluator)
    parts = four_eyes.of_measurement(measurement)
    assert [(part.person, str(part.what)) for part in parts] == [
        ("Elena Evaluadora", "presentó la evidencia")
    ]


# ── pages ────────────────────────────────────────────────────────────────────


def test_from_the_queue_to_ones_own_hands_and_back(who, suspended):
    client = desks.at_desk(who.certifier)
    address = f"/staff/work/certificate/{suspended.number}"
    assert f'action="{address}/take/"' in client.get("/staff/?kind=suspension").content.decode()
    answer = client.post(f"{address}/take/", {"next": "/staff/?kind=suspension"}, follow=True)
    page = answer.content.decode()
    assert answer.redirect_chain == [("/staff/?kind=suspension", 302)]
    assert "usted" in page
    assert f'action="{address}/release/"' in page
    assert "Suspensión por revisar" in client.get("/staff/?hands=mine").content.decode()
    assert "Suspensión por revisar" not in client.get("/staff/?hands=nobody").content.decode()
    other = desks.at_desk(who.second_certifier)
    assert "Suspensión por revisar" not in other.get("/staff/?hands=mine").content.decode()
    assert "Carlos Certificador" in other.get("/staff/").content.decode()
    client.post(f"{address}/release/")
    assert "Suspensión por revisar" in client.get("/staff/?hands=nobody").content.decode()


def test_a_colleague_is_chosen_on_a_page_that_says_who_may_not(who, suspended):
    both = registry.person("Eva de Ambas", Role.CERTIFIER)
    Interest.objects.create(
        person=both.person,
        holder=suspended.system_version.system.holder,
        kind="family",
        declared_at=clock.now(),
    )
    client = desks.at_desk(who.certifier)
    address = f"/staff/work/certificate/{suspended.number}/give/"
    page = client.get(address).content.decode()
    assert "Eva de Ambas</bdi>: tiene un interés en este titular (regla 3)" in page
    assert f'value="{both.person_id}"' not in page
    assert "Elena Evaluadora" not in page  # no role that decides on certificates
    refused = client.post(address, {"person": both.person_id})
    assert refused.status_code == 422
    assert "Eva de Ambas no puede tenerlo a su cargo" in refused.content.decode()
    assert client.post(address, {}).status_code == 422
    answer = client.post(address, {"person": who.second_certifier.person_id})
    assert answer["Location"] == f"/staff/certificates/{suspended.number}/"
    late = client.post(address, {"person": who.certifier.person_id})
    assert "Entretanto lo tomó Carmen Certificadora" in late.content.decode()


def test_a_note_is_read_by_the_staff_and_kept_once(who, suspended):
    client = desks.at_desk(who.certifier)
    address = f"/staff/work/certificate/{suspended.number}/note/"
    assert client.get(address).status_code == 200
    for _twice in range(2):
        client.post(address, {"text": "Llamar al titular <b>el lunes</b>."})
    assert StaffNote.objects.count() == 1
    page = desks.at_desk(who.evaluator).get(f"/staff/certificates/{suspended.number}/").content.decode()
    assert "Llamar al titular &lt;b&gt;el lunes&lt;/b&gt;." in page
    assert AuditEntry.objects.filter(action="work.noted", person=who.certifier.person).count() == 1


@pytest.mark.parametrize("text", ["", "  ", "a" * 4001])
def test_a_note_that_cannot_be_kept_stays_in_the_form(who, suspended, text):
    client = desks.at_desk(who.certifier)
    answer = client.post(f"/staff/work/certificate/{suspended.number}/note/", {"text": text})
    assert answer.status_code == 422
    assert text.strip() in answer.content.decode()
    assert StaffNote.objects.count() == 0


def test_nothing_is_changed_in_a_note(who, suspended):
    kept = work.note(of(suspended), text="Así fue.", by=who.certifier, at=clock.now())
    kept.text = "De otro modo."
    with pytest.raises(WrittenOnceError):
        kept.save()
    with pytest.raises(WrittenOnceError):
        StaffNote.objects.all().delete()


def test_who_has_no_role_does_nothing_here(who, suspended):
    nobody = registry.person("Nora Nadie")
    with pytest.raises(NotAllowed):
        work.note(of(suspended), text="Hola.", by=nobody, at=clock.now())
    address = f"/staff/work/certificate/{suspended.number}/take/"
    assert desks.at_desk(nobody).post(address).status_code == 403
    assert Client().post(address)["Location"].startswith("/accounts/login/")
    assert desks.at_desk(who.certifier).get(address).status_code == 405
    assert desks.at_desk(who.certifier).post("/staff/work/poem/1/take/").status_code == 404


def test_a_note_never_appears_outside_the_staffs_pages(who, suspended, appeal):
    """On whatever has a public page or an address of the API, also for a reader with a token."""
    measurement = suspended.measurement
    for thing in (suspended, measurement, measurement.package, appeal):
        work.note(work_subjects.of(thing), text=CANARY, by=who.certifier, at=clock.now())
    notice = suspended.notices.get(decision="suspend")
    system, number = measurement.system_version.system, suspended.number
    addresses = [
        f"/{language}/{path}"
        for language in ("es", "en")
        for path in (
            "",
            "certificates/",
            f"c/{number}/",
            f"notices/{notice.number}/",
            f"systems/{system.pk}/",
        )
    ] + [
        f"/api/v1/{path}"
        for path in (
            "certificates/",
            f"certificates/{number}/",
            f"certificates/{number}/status/",
            f"certificates/{number}/history/",
            f"notices/{notice.number}/",
            f"certificates/{number}/figures/",
            f"certificates/{number}/evidence/",
            f"measurements/{measurement.pk}/",
            f"appeals/{appeal.number}/",
            f"evidence/{measurement.package.sha256}/",
            f"lookup/{measurement.package.sha256}/",
        )
    ]
    answered = 0
    for client in (Client(), desks.holding(who.certifier, Role.CERTIFIER)):
        for address in addresses:
            answer = client.get(address, follow=True)
            body = b"".join(answer.streaming_content) if answer.streaming else answer.content
            assert CANARY.encode() not in body, address
            answered += answer.status_code == 200
    assert answered > len(addresses) + 10, "the addresses of this test are no longer those of the site"
    staff = desks.at_desk(who.certifier).get(f"/staff/certificates/{number}/").content.decode()
    assert CANARY in staff


# ── set aside ────────────────────────────────────────────────────────────────


def test_a_rejected_package_is_set_aside_with_a_reason_and_leaves_the_queue(who):
    package = rejected(who)
    client = desks.at_desk(who.certifier)
    assert "alterado.zip" in client.get("/staff/").content.decode()
    address = f"/staff/packages/{package.pk}/set-aside/"
    assert client.post(address, {"reason": " "}).status_code == 422
    for _twice in range(2):
        assert client.post(address, {"reason": "Era una prueba."}).status_code == 302
    assert "alterado.zip" not in client.get("/staff/").content.decode()
    page = client.get(f"/staff/packages/{package.pk}/").content.decode()
    assert "Carlos Certificador</bdi> lo dejó de lado" in page
    assert "Era una prueba." in page
    assert AuditEntry.objects.filter(action="package.set_aside").count() == SetAside.objects.count() == 1


def test_what_still_has_a_way_to_go_is_not_set_aside(who):
    measurement = registry.measurement(by=who.evaluator)
    with pytest.raises(work.CannotBeSetAside):
        work.set_aside(measurement.package, reason="No.", by=who.certifier, at=clock.now())
    with pytest.raises(NotAllowed):
        work.set_aside(rejected(who), reason="No.", by=who.registrar, at=clock.now())


def test_a_mended_package_of_the_same_submitter_takes_the_rejected_one_out_of_the_queue(who):
    declared = {"holder": "Peumo SpA", "system": {"name": "Peumo Consulta", "version": "4.2.1"}}
    another = {"holder": "Peumo SpA", "system": {"name": "Peumo Consulta", "version": "4.3.0"}}
    for name, descriptor in (
        ("primero.zip", None),
        ("segundo.zip", declared),
        ("tercero.zip", another),
        ("cuarto.zip", None),
    ):
        package = rejected(who, filename=name)
        Verification.objects.create(
            package=package,
            verifier_version="1",
            integrity="failed",
            complete=True,
            sha256=package.sha256,
            size=1,
            member_count=1,
            descriptor=descriptor,
            at=clock.now(),
        )
    client = desks.at_desk(who.certifier)
    before = client.get("/staff/").content.decode()
    mended = registry.measurement(by=who.evaluator, evidence=registry.Evidence(descriptor=declared))
    EvidencePackage.objects.filter(pk=mended.package_id).update(filename="primero.zip")
    after = client.get("/staff/").content.decode()
    names = ("primero.zip", "segundo.zip", "tercero.zip", "cuarto.zip")
    assert [name in before for name in names] == [True, True, True, True]
    assert [name in after for name in names] == [False, False, True, True]


def test_a_package_says_what_was_decided_on_it(who):
    issued = registry.issued(who)
    waiting = registry.measurement(by=who.evaluator)
    refused = registry.measurement(by=who.evaluator)
    notice = lifecycle.refuse_issue(refused, by=who.certifier, at=clock.now(), statement=registry.STATEMENT)
    client = desks.at_desk(who.certifier)
    page = client.get("/staff/packages/").content.decode()
    assert f'Decidido: certificado <a href="/staff/certificates/{issued.number}/">' in page
    assert "Decidido: denegado (aviso" in page
    assert notice.number in page
    assert page.count("Listo para decidir") == 2  # the filter, and the one that waits
    one = client.get(f"/staff/packages/{issued.measurement.package_id}/").content.decode()
    assert "Listo para decidir" not in one
    assert "<title>Paquete de evidencia, decidido" in one
    assert "Listo para decidir" in client.get(f"/staff/packages/{waiting.package_id}/").content.decode()
    # Overturned on appeal, the refusal leaves the package to another certifier.
    appealing.decide(appealing.admitted(notice, who), who)
    assert "Listo para decidir" in client.get(f"/staff/packages/{refused.package_id}/").content.decode()


def test_work_is_read_in_a_fixed_number_of_queries(who, suspended, django_assert_num_queries):
    subject = of(suspended)
    work_facts.of(suspended, reader=who.certifier.person, at=clock.now())
    with CaptureQueriesContext(connection) as few:
        work_facts.of(suspended, reader=who.certifier.person, at=clock.now())
    for number in range(20):
        work.note(subject, text=f"Nota {number}", by=who.certifier, at=clock.now())
        registry.person(f"Certificadora {number}", Role.CERTIFIER)
    with django_assert_num_queries(len(few)):
        told = work_facts.of(suspended, reader=who.certifier.person, at=clock.now() + timedelta(seconds=1))
    assert len(told.notes) == 20
