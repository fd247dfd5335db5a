"""Applications: who may file, store and answer one, what the decision says of it, and what the database refuses."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from certificates import applications, letters, lifecycle, policies, rehearsal, replay
from certificates.application_states import TRANSITIONS, ApplicationState, ApplicationStep
from certificates.models import (
    Application,
    ApplicationEvent,
    ApplicationLink,
    ApplicationStanding,
    Certificate,
)
from certificates.refusals import (
    ApplicationRefused,
    IncompleteDecision,
    NotCertifiable,
    RuleOfImpartiality,
)
from certificates.tests import appealing, registry
from certificates.tests.applying import (
    REASONS,
    REQUEST,
    filed,
    link_to_apply,
    link_to_follow,
    stored,
    withdraw,
)
from evidence import memberships
from evidence.models import Interest
from registry_site import clock, outbox
from registry_site.append_only import WrittenOnceError
from registry_site.models import AuditEntry, Outbox
from registry_site.problems import NotAllowed
from registry_site.signed_links import LinkRefused


@pytest.fixture
def measurement(who):
    return registry.measurement(by=who.evaluator)


def refuse(measurement, by, **more):
    return lifecycle.refuse_issue(measurement, by=by, at=clock.now(), statement=registry.STATEMENT, **more)


def state_of(application) -> str:
    return ApplicationStanding.objects.get(application=application).state


def letter(kind: str, recipient: str):
    return outbox.message(Outbox.objects.get(kind=kind, recipient=recipient), letters.compose)


# ── what the holder asks for is answered ─────────────────────────────────────


def test_the_holder_applies_and_the_certificate_answers_it(who, measurement):
    application = filed(measurement)
    assert application.number.startswith("SOL-2")
    assert (application.way, application.entered_by) == ("link", None)
    assert application.holder == measurement.system_version.system.holder
    standing = application.standing
    assert (standing.state, standing.deadline_at > clock.now() + timedelta(days=29)) == ("filed", True)
    certificate = registry.issued(who, measurement)
    event = application.events.last()
    assert (event.step, event.notice.certificate, event.by) == ("issue", certificate, who.certifier.person)
    assert (state_of(application), ApplicationStanding.objects.get().deadline_at) == ("issued", None)
    document = bytes(certificate.events.get().document.content).decode()
    assert f'"application":"{application.number}"' in document
    assert replay.replay().faults == ()
    told = letter("certificate.issued", application.holder.contact_email)
    assert f"Responde a la solicitud N.º {application.number}" in told.body


def test_a_certificate_without_an_application_stays_possible_and_names_none(who, measurement):
    certificate = registry.issued(who, measurement)
    assert "application" not in bytes(certificate.events.get().document.content).decode()
    assert not Application.objects.exists()


def test_a_refusal_answers_it_and_the_letter_says_so_in_its_subject(who, measurement):
    application = filed(measurement)
    notice = refuse(measurement, who.certifier)
    assert (state_of(application), application.events.last().notice) == ("refused", notice)
    holder = letter("decision.refused", application.holder.contact_email)
    assert holder.subject == f"Decisión sobre su solicitud {application.number}"
    staff = letter("decision.refused", who.certifier.email)
    assert staff.subject == f"Decisión sobre la solicitud {application.number}"


def test_a_refusal_overturned_on_appeal_opens_it_again_for_another_certifier(who, measurement):
    application = filed(measurement)
    refusal = refuse(measurement, who.certifier)
    appealing.decide(appealing.admitted(refusal, who), who)
    assert state_of(application) == "filed"
    reopened = application.events.last()
    assert (reopened.step, reopened.role, reopened.notice.about) == ("reopen", "appeals_officer", refusal)
    assert ApplicationStanding.objects.get().deadline_at > clock.now()
    with pytest.raises(RuleOfImpartiality) as told:
        registry.issued(who, measurement)
    assert told.value.code == "another_certifier_needed"
    lifecycle.issue(measurement, by=who.second_certifier, at=clock.now(), statement=registry.STATEMENT)
    assert [event.step for event in application.events.all()] == ["file", "refuse", "reopen", "issue"]


def test_an_appeal_against_a_refusal_without_application_opens_nothing(who, measurement):
    appealing.decide(appealing.admitted(refuse(measurement, who.certifier), who), who)
    assert not Application.objects.exists()


def test_what_could_not_be_certified_may_be_applied_for(who):
    old = registry.measurement(
        by=who.evaluator, evidence=registry.Evidence(age=timedelta(days=2), coincides=False)
    )
    assert policies.refusal_of_measurement(old, at=clock.now()).code == "declared_figures_differ"
    application = filed(old)
    with pytest.raises(NotCertifiable):
        registry.issued(who, old)
    assert state_of(application) == "filed"


# ── who may file ─────────────────────────────────────────────────────────────


def test_one_application_waits_on_a_measurement_at_a_time(who, measurement):
    link = link_to_apply(measurement)
    first = filed(measurement)
    with pytest.raises(LinkRefused) as used:
        applications.file(measurement=measurement, by=link, at=clock.now())
    assert used.value.code == "link_used"
    with pytest.raises(ApplicationRefused) as twice:
        stored(measurement, by=who.evaluator)
    assert (twice.value.code, twice.value.extra["application"]) == ("already_applied", first.number)
    with pytest.raises(IntegrityError), transaction.atomic():
        ApplicationStanding.objects.create(
            application=other_application(measurement),
            measurement=measurement,
            state="filed",
            sequence=1,
            deadline_at=clock.now(),
        )


def other_application(measurement) -> Application:
    application = Application.objects.create(
        number="SOL-2026-000999",
        measurement=measurement,
        holder=measurement.system_version.system.holder,
        way="link",
        filed_at=clock.now(),
    )
    ApplicationEvent.objects.create(application=application, sequence=1, step="file", at=clock.now())
    return application


def test_what_was_decided_already_is_not_applied_for(who, measurement):
    link = link_to_apply(measurement)
    registry.issued(who, measurement)
    with pytest.raises(NotCertifiable) as told:
        applications.file(measurement=measurement, by=link, at=clock.now())
    assert told.value.code == "already_certified"
    other = registry.measurement(by=who.evaluator)
    link = link_to_apply(other)
    refuse(other, who.certifier)
    with pytest.raises(NotCertifiable) as told:
        applications.file(measurement=other, by=link, at=clock.now())
    assert told.value.code == "already_refused"
    assert not Application.objects.exists()


def test_a_link_is_of_one_measurement_and_of_the_holder_it_was_written_to(who, measurement):
    other = registry.measurement(by=who.evaluator)
    with pytest.raises(LinkRefused):
        applications.file(measurement=other, by=link_to_apply(measurement), at=clock.now())
    link = link_to_apply(measurement)
    system = measurement.system_version.system
    system.holder = registry.holder("Otro titular SpA")
    system.save()
    with pytest.raises(LinkRefused) as told:
        applications.file(measurement=measurement, by=link, at=clock.now())
    assert told.value.code == "link_of_another_holder"
    assert not Application.objects.exists()


def test_a_link_dies_when_the_evidence_is_too_old(who, measurement):
    link = link_to_apply(measurement)
    assert link.expires_at == policies.certifiable_until(measurement)
    ApplicationLink.objects.update(expires_at=clock.now())
    with pytest.raises(LinkRefused) as told:
        applications.file(measurement=measurement, by=link, at=clock.now())
    assert told.value.code == "link_expired"


def test_of_a_proposed_holder_or_system_nothing_is_applied_for(who):
    proposed = registry.holder(confirmation="proposed", identifier="", identifier_kind="")
    measurement = registry.measurement(registry.version(proposed), by=who.evaluator)
    with pytest.raises(ApplicationRefused) as told:
        stored(measurement, by=who.evaluator)
    assert told.value.code == "identity_not_confirmed"
    assert applications.invite(measurement, at=clock.now()) is False


def test_after_withdrawing_one_may_apply_again(who, measurement):
    first = filed(measurement)
    link = link_to_follow(first)
    withdraw(first)
    assert state_of(first) == "withdrawn"
    with pytest.raises(LinkRefused):
        applications.withdraw(first, by=link, at=clock.now())
    second = filed(measurement)
    assert second.number != first.number
    registry.issued(who, measurement)
    assert (state_of(first), state_of(second)) == ("withdrawn", "issued")


def test_what_was_decided_is_not_withdrawn(who, measurement):
    application = filed(measurement)
    registry.issued(who, measurement)
    with pytest.raises(ApplicationRefused):
        withdraw(application)
    other = filed(registry.measurement(by=who.evaluator))
    with pytest.raises(LinkRefused) as told:
        applications.withdraw(other, by=link_to_follow(application), at=clock.now())
    assert told.value.code == "link_of_another"


# ── by an account of the holder ──────────────────────────────────────────────


def test_a_person_of_the_holder_applies_and_withdraws_signed_in_and_nobody_else(who, measurement):
    holder = measurement.system_version.system.holder
    paula = registry.person("Paula Peumo")
    memberships.link(holder, user=paula, by=who.registrar.person, at=clock.now())
    application = applications.file(measurement=measurement, by=paula, at=clock.now())
    assert (application.way, application.entered_by) == ("account", paula.person)
    with pytest.raises(ApplicationRefused):
        applications.file(measurement=measurement, by=paula, at=clock.now())
    stranger = registry.person("Sara Sauce")
    for act in (
        lambda: applications.file(
            measurement=registry.measurement(by=who.evaluator), by=paula, at=clock.now()
        ),
        lambda: applications.withdraw(application, by=stranger, at=clock.now()),
        lambda: applications.withdraw(application, by=who.certifier, at=clock.now()),
    ):
        with pytest.raises(NotAllowed) as told:
            act()
        assert told.value.code == "not_of_the_holder"
    event = applications.withdraw(application, by=paula, at=clock.now())
    assert (event.by, event.role, state_of(application)) == (paula.person, None, "withdrawn")


# ── on the holder's behalf ───────────────────────────────────────────────────


def test_what_one_person_stored_a_second_one_answers(who, measurement):
    application = stored(measurement, by=who.certifier)
    assert (application.way, application.request_text) == ("on_behalf", REQUEST)
    for act in (
        lambda: registry.issued(who, measurement),
        lambda: refuse(measurement, who.certifier),
        lambda: turn_away(application, who.certifier),
    ):
        with pytest.raises(RuleOfImpartiality) as told:
            act()
        assert (told.value.code, told.value.extra["rule"]) == ("second_person_needed", 6)
    with pytest.raises(IntegrityError, match="whoever stored"), transaction.atomic():
        ApplicationEvent.objects.create(
            application=application,
            sequence=2,
            step="declare_inadmissible",
            at=clock.now(),
            by=who.certifier.person,
            role="certifier",
            reason="other",
            reasons_es="x",
            reasons_en="x",
        )
    lifecycle.issue(measurement, by=who.second_certifier, at=clock.now(), statement=registry.STATEMENT)
    assert state_of(application) == "issued"
    told = letter("application.filed", application.holder.contact_email)
    assert "petición escrita del titular" in told.body


def test_who_may_store_it(who, measurement):
    with pytest.raises(NotAllowed) as told:
        stored(measurement, by=who.registrar)
    assert told.value.code == "role_missing"
    Interest.objects.create(
        person=who.evaluator.person,
        holder=measurement.system_version.system.holder,
        kind="consultant",
        declared_at=clock.now(),
    )
    with pytest.raises(RuleOfImpartiality) as told:
        stored(measurement, by=who.evaluator)
    assert told.value.code == "declared_interest"


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"text": "  "}, "text_needed"),
        ({"text": "hola\x00"}, "text_needed"),
        ({"text": "á" * 20_001}, "text_too_long"),
    ],
)
def test_a_stored_request_has_its_words(who, measurement, more, code):
    with pytest.raises(IncompleteDecision) as told:
        stored(measurement, by=who.evaluator, **more)
    assert told.value.code == code


def test_a_request_is_stored_after_it_was_received(who, measurement):
    with pytest.raises(IncompleteDecision) as told:
        stored(measurement, by=who.evaluator, received_on=clock.now().date() + timedelta(days=2))
    assert told.value.code == "received_in_the_future"


# ── turned away ──────────────────────────────────────────────────────────────


def turn_away(application, by, **more):
    facts = {"reason": "not_the_holder", "reasons": REASONS, "at": clock.now()}
    return applications.declare_inadmissible(application, by=by, **(facts | more))


def test_an_inadmissible_one_is_answered_with_reasons_and_another_may_follow(who, measurement):
    application = stored(measurement, by=who.evaluator)
    turn_away(application, who.certifier)
    assert state_of(application) == "inadmissible"
    told = letter("application.inadmissible", application.holder.contact_email)
    assert REASONS["es"] in told.body
    assert "/es/apply/link/" in told.body
    assert letter("application.inadmissible", who.second_certifier.email).body.count("/apply/link/") == 0
    with pytest.raises(ApplicationRefused):
        turn_away(application, who.certifier)
    assert state_of(filed(measurement)) == "filed"


def test_who_took_part_in_the_evaluation_answers_nothing(who, measurement):
    application = filed(measurement)
    with pytest.raises(NotAllowed):
        turn_away(application, who.evaluator)
    with pytest.raises(NotAllowed):
        turn_away(application, who.appeals_officer)


@pytest.mark.parametrize(
    ("more", "field"),
    [({"reason": "weather"}, "reason"), ({"reasons": {"es": "Sí.", "en": ""}}, "reasons.en")],
)
def test_turning_away_is_complete(who, measurement, more, field):
    application = filed(measurement)
    with pytest.raises(IncompleteDecision) as told:
        turn_away(application, who.certifier, **more)
    assert told.value.extra["field"] == field
    assert state_of(application) == "filed"


# ── who is told ──────────────────────────────────────────────────────────────


def test_the_holder_is_invited_once_and_the_staff_may_send_it_again(who, measurement):
    assert applications.invite(measurement, at=clock.now()) is True
    assert applications.invite(measurement, at=clock.now()) is False
    assert applications.invite(measurement, at=clock.now(), by=who.evaluator) is True
    rows = Outbox.objects.filter(kind="application.invited")
    assert {row.recipient for row in rows} == {measurement.system_version.system.holder.contact_email}
    assert AuditEntry.objects.filter(action="application.invited").count() == 1
    told = outbox.message(rows[0], letters.compose)
    assert told.subject == "Ya puede solicitar el certificado"
    assert "/es/apply/link/" in told.body
    registry.issued(who, measurement)
    assert "/apply/" not in outbox.message(rows[1], letters.compose).body
    with pytest.raises(NotCertifiable):
        applications.invite(measurement, at=clock.now(), by=who.evaluator)


def test_a_holder_that_is_confirmed_is_invited_for_what_waited(who, measurement):
    holder = measurement.system_version.system.holder
    certified = registry.measurement(registry.version(holder, pinned="5.0.0"), by=who.evaluator)
    registry.issued(who, certified)
    assert applications.invite_holder(holder, at=clock.now()) == 1
    assert Outbox.objects.get(kind="application.invited").concerns == f"measurement:{measurement.pk}"


def test_every_letter_is_written_in_both_languages(who, measurement):
    withdraw(filed(measurement))
    turn_away(stored(measurement, by=who.evaluator), who.certifier)
    refusal = refuse(filed_again(measurement), who.certifier)
    appealing.decide(appealing.admitted(refusal, who), who)
    applications.invite(registry.measurement(by=who.evaluator), at=clock.now())
    rows = Outbox.objects.filter(kind__startswith="application.")
    assert {row.kind for row in rows} == {
        "application.filed",
        "application.withdrawn",
        "application.inadmissible",
        "application.reopened",
        "application.invited",
    }
    for row in rows:
        subjects = set()
        for language in ("es", "en"):
            row.language = language
            message = outbox.message(row, letters.compose)
            html = message.alternatives[0][0]
            assert "{" not in message.body + html
            assert f"http://testserver/{language}/" in message.body or "/staff/" in message.body
            subjects.add(message.subject)
        assert len(subjects) == 2


def filed_again(measurement):
    filed(measurement)
    return measurement


# ── what stays, and two at once ──────────────────────────────────────────────


def test_what_was_written_stays(who, measurement):
    application = filed(measurement)
    with pytest.raises(WrittenOnceError):
        application.events.get().save()
    for table in ("certificates_application", "certificates_applicationevent"):
        with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names
    with pytest.raises(IntegrityError), transaction.atomic():
        ApplicationStanding.objects.update(state="withdrawn", deadline_at=None)


def test_the_notice_of_an_application_is_about_its_measurement(who, measurement):
    application = filed(measurement)
    elsewhere = refuse(registry.measurement(by=who.evaluator), who.certifier)
    with pytest.raises(IntegrityError, match="about its measurement"), transaction.atomic():
        ApplicationEvent.objects.create(
            application=application,
            sequence=2,
            step="refuse",
            at=clock.now(),
            by=who.certifier.person,
            role="certifier",
            notice=elsewhere,
        )


@pytest.mark.parametrize("state", list(ApplicationState))
def test_the_trigger_has_the_order_of_the_table(who, measurement, state):
    application = filed(measurement)
    if state is ApplicationState.ISSUED:
        registry.issued(who, measurement)
    if state is ApplicationState.REFUSED:
        refuse(measurement, who.certifier)
    if state is ApplicationState.INADMISSIBLE:
        turn_away(application, who.certifier)
    if state is ApplicationState.WITHDRAWN:
        withdraw(application)
    last = application.events.last()
    for step in ApplicationStep:
        # Past the order of steps other constraints may refuse a row as bare as this one.
        refused = ""
        try:
            rehearsal.undone(
                lambda step=step: ApplicationEvent.objects.create(
                    application=application, sequence=last.sequence + 1, step=step, at=clock.now()
                )
            )
        except IntegrityError as error:
            refused = str(error)
        assert ("does not go from" in refused) == ((state, step) not in TRANSITIONS)


@pytest.mark.django_db(transaction=True)
def test_of_two_presses_at_once_one_is_recorded():
    who = registry.people()
    measurement = registry.measurement(by=who.evaluator)
    links = [link_to_apply(measurement) for _ in range(2)]

    def press(link):
        try:
            return applications.file(measurement=measurement, by=link, at=clock.now()).number
        except LinkRefused as refusal:
            return refusal.code
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as both:
        told = sorted(both.map(press, links))
    assert Application.objects.count() == 1
    assert told == sorted([Application.objects.get().number, "link_used"])


@pytest.mark.django_db(transaction=True)
def test_deciding_and_withdrawing_at_once_ends_in_one_of_the_two():
    who = registry.people()
    measurement = registry.measurement(by=who.evaluator)
    application = filed(measurement)
    link = link_to_follow(application)

    def decide():
        registry.issued(who, measurement)

    def desist():
        applications.withdraw(application, by=link, at=clock.now())

    def press(act):
        try:
            act()
        except ApplicationRefused:
            return "refused"
        finally:
            connection.close()
        return "done"

    with ThreadPoolExecutor(2) as both:
        told = list(both.map(press, (decide, desist)))
    assert told[0] == "done", "a certificate needs no application"
    assert Certificate.objects.count() == 1
    assert state_of(application) == ("issued" if told[1] == "refused" else "withdrawn")
