"""Agent runs from registration to their end: what is asked, what is frozen, and what happens only once."""

import re
from datetime import timedelta

import pytest

from evidence import operators, runs
from evidence.models import Closing, Operator, Run, RunEvent, SystemVersion
from evidence.models.run import RunState
from evidence.models.test_case import SeriesStep
from evidence.recorder import tokens
from evidence.runs import IncompleteRun, Intervention, NotRecording
from evidence.series_events import SeriesClosed, SeriesExposed
from evidence.tests import running
from evidence.tests.people import an_evaluator, person_with
from registry_site import clock, invitations, roles
from registry_site.models import AuditEntry, Outbox, PublicEvent, RoleGrant
from registry_site.problems import NotAllowed, Refusal
from registry_site.roles import Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def registrar():
    return running.a_registrar()


@pytest.fixture
def operator(registrar):
    return running.an_operator(registrar.person)


# ── operators ────────────────────────────────────────────────────────────────


def test_an_operator_holds_no_role_of_the_staff_nor_the_reverse(registrar, operator):
    with pytest.raises(NotAllowed) as told:
        roles.grant(operator.person, Role.EVALUATOR, by=registrar.person, at=clock.now())
    assert told.value.code == "person_operates"
    with pytest.raises(operators.CannotAdmit) as told:
        operators.admit(user=an_evaluator(), organisation="X", by=registrar.person, at=clock.now())
    assert told.value.code == "holds_a_role"
    operators.end(Operator.objects.get(), by=registrar.person, at=clock.now())
    roles.grant(operator.person, Role.EVALUATOR, by=registrar.person, at=clock.now())
    assert RoleGrant.objects.filter(person=operator.person, ended_at=None).exists()


def test_only_a_registrar_admits_and_ends(operator):
    someone = person_with(name="Nadie Enparticular")
    for act in (
        lambda: operators.admit(user=someone, organisation="X", by=operator.person, at=clock.now()),
        lambda: operators.end(Operator.objects.get(), by=operator.person, at=clock.now()),
        lambda: operators.invite(
            name="N",
            email="n@example.org",
            language="es",
            organisation="X",
            by=operator.person,
            at=clock.now(),
        ),
    ):
        with pytest.raises(NotAllowed):
            act()


def test_who_accepts_an_invitation_operates_also_when_it_was_sent_again(registrar):
    made = operators.invite(
        name="Nora Nueva",
        email="nora@quillay.example",
        language="es",
        organisation="Quillay SpA",
        by=registrar.person,
        at=clock.now(),
    )
    again = invitations.renew(made.invitation, by=registrar.person, at=clock.now())
    user = invitations.accept(again, password="una frase muy larga", language="es", at=clock.now())
    assert operators.refusal_to_operate(user) is not None
    assert operators.take_up_accepted(at=clock.now()) == 1
    assert operators.take_up_accepted(at=clock.now()) == 0
    assert operators.refusal_to_operate(user) is None


def test_whoever_operates_no_longer_registers_nothing_and_closes_what_is_under_way(registrar, operator):
    run = running.registered(by=operator).run
    for _ in range(2):
        operators.end(Operator.objects.get(), by=registrar.person, at=clock.now())
    with pytest.raises(NotAllowed):
        running.registered(by=operator)
    assert running.closed(run, by=operator).state == RunState.CLOSED


# ── registering ──────────────────────────────────────────────────────────────


def test_a_run_is_registered_with_its_text_and_secrets_that_are_kept_nowhere(operator):
    series = running.a_series()
    handed = running.registered(series, by=operator)
    run = handed.run
    assert re.fullmatch(r"EJ-20\d\d-000001", run.number)
    assert tokens.is_token(handed.token)
    assert tokens.is_label(handed.label)
    assert run.token.token_sha256 == tokens.digest(handed.token)
    assert run.token.expires_at - run.token.issued_at == timedelta(hours=24)
    assert run.delivered == series.variant.assignment
    entry = runs.entry_of(handed)
    assert entry.by_name == f"http://{handed.label}.runs.localhost:{_port(entry.by_name)}"
    assert entry.by_name in entry.text
    assert running.DOMAIN not in entry.text
    assert entry.without_name.startswith("http://127.0.0.2:")
    assert handed.label not in entry.text_without_name
    assert SystemVersion.objects.get() == run.system_version
    assert [event.type for event in PublicEvent.objects.order_by("pk")][-2:] == [
        "rubric.opened",
        "run.registered",
    ]
    assert Outbox.objects.get(kind="run.registered").recipient == "oscar@quillay.example"
    for table in (Run, RunEvent, AuditEntry, Outbox, PublicEvent):
        rows = str(list(table.objects.values()))
        assert not {handed.token, handed.label} & set(re.findall(r"\w+", rows)), table
    told = PublicEvent.objects.get(type="run.registered").bytes
    assert b"scar" not in bytes(told)
    assert b"quillay" not in bytes(told).lower()


def _port(address: str) -> str:
    return address.rpartition(":")[2]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"system": running.system(version="latest")}, "version_floating"),
        ({"system": running.system(version=" ")}, "version_floating"),
        ({"system": running.system(holder="Quill\u202eay")}, "bad_identity"),
        # A Cyrillic «а»: it reads as the alias that it is not.
        ({"system": running.system(version="l\u0430test")}, "bad_identity"),
        ({"system": running.system(model_family="quill\u0430y")}, "bad_identity"),
        ({"system": running.system(model_family="")}, "text_needed"),
        ({"operation": running.operation(permission=" ")}, "permission_needed"),
        ({"operation": running.operation(email="")}, "contact_needed"),
        ({"operation": running.operation(name="")}, "text_needed"),
        ({"operation": running.operation(tools=())}, "tools_needed"),
        ({"operation": running.operation(tools=("brow\x07ser",))}, "unsafe_text"),
        ({"operation": running.operation(language="castellano antiguo")}, "unknown_language"),
        ({"operation": running.operation(clean_session=False)}, "clean_session_needed"),
    ],
)
def test_what_is_missing_is_named(operator, change, code):
    with pytest.raises(IncompleteRun) as told:
        running.registered(by=operator, **change)
    assert told.value.code == code
    assert "field" in told.value.extra
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("steps", "refused"),
    [
        ((), SeriesClosed),
        ((SeriesStep.SEAL, SeriesStep.CLOSE), SeriesClosed),
        ((SeriesStep.SEAL, SeriesStep.CLOSE, SeriesStep.REVEAL), SeriesExposed),
        ((SeriesStep.SEAL, SeriesStep.LEAK), SeriesExposed),
    ],
)
def test_a_run_begins_only_under_a_sealed_rubric(operator, steps, refused):
    series = running.a_series(is_sealed=False)
    for one in steps:
        running.step(series, one)
    with pytest.raises(refused):
        running.registered(series, by=operator)


def test_a_run_does_not_begin_after_the_last_day(operator):
    now = clock.now()
    series = running.a_series(last_day=now.date(), closes_at=now - timedelta(seconds=1))
    with pytest.raises(SeriesClosed):
        running.registered(series, by=operator)


def test_every_registered_run_uses_up_a_place_but_what_the_registry_interrupted(operator):
    series = running.a_series(planned_runs=2)
    first = running.registered(series, by=operator).run
    running.closed(first, by=operator, knew_catalogue=True)
    second = running.registered(series, by=operator).run
    with pytest.raises(runs.SeriesFull):
        running.registered(series, by=operator)
    Run.objects.filter(pk=second.pk).update(our_fault=True)  # as the recorder says when it is back
    running.registered(series, by=operator)


def test_a_form_sent_twice_registers_one_run(operator):
    series = running.a_series()
    run = running.registered(series, by=operator, once="a1").run
    with pytest.raises(runs.RegisteredAlready) as told:
        running.registered(series, by=operator, once="a1")
    assert told.value.extra["run"] == run.number
    running.registered(series, by=operator, once="a2")
    assert Run.objects.count() == 2


def test_lost_secrets_are_made_anew_only_while_nothing_was_recorded(operator):
    handed = running.registered(by=operator)
    again = runs.hand_out_again(handed.run, by=operator, at=clock.now())
    assert again.token != handed.token
    assert again.run.token.token_sha256 == tokens.digest(again.token)
    assert again.run.token.expires_at == handed.run.token.expires_at
    running.recorded(again.run, "/")
    with pytest.raises(runs.RecordedAlready):
        runs.hand_out_again(again.run, by=operator, at=clock.now())


# ── closing ──────────────────────────────────────────────────────────────────


def test_a_closed_run_keeps_its_answer_without_the_addresses_that_were_its_own(operator):
    handed = running.registered(by=operator)
    entry = runs.entry_of(handed)
    answer = (
        f" Según {entry.by_name.upper()}/conceptos/agente y {handed.label}, «{handed.token}»\r\n"
        f"{entry.without_name}/conceptos/ "
    )
    run = running.closed(handed.run, by=operator, answer=answer)
    kept = Closing.objects.get(run=run).answer
    assert kept == (
        f" Según HTTP://{running.DOMAIN}/conceptos/agente y {running.DOMAIN}, «[removed]»\r\n"
        f"http://{running.DOMAIN}/conceptos/ "
    )
    assert (run.state, run.outcome) == (RunState.CLOSED, "")
    assert run.token.ended_at == run.counter.stopped_at == run.closed_at
    assert PublicEvent.objects.filter(type="run.closed", subject=run.number).exists()


def test_a_note_on_help_gives_no_address_or_token_of_the_run_away(operator):
    handed = running.registered(by=operator)
    note = f"Volví a abrir {runs.entry_of(handed).by_name}/ con {handed.token}, de {handed.label}."
    run = running.closed(handed.run, by=operator, interventions=[Intervention("other_help", note)])
    (kept,) = Closing.objects.get(run=run).interventions
    assert kept["note"] == f"Volví a abrir http://{running.DOMAIN}/ con [removed], de {running.DOMAIN}."


def test_more_interventions_than_a_package_can_say_are_refused(operator):
    run = running.registered(by=operator).run
    with pytest.raises(runs.IncompleteRun) as refused:
        running.closed(run, by=operator, interventions=[Intervention("other_help", "nota")] * 101)
    assert refused.value.code == "too_many_interventions"
    run.refresh_from_db()
    assert run.closed_at is None


@pytest.mark.parametrize(
    ("kinds", "knew", "outcome"),
    [
        ((), False, ""),
        (("other_help",), False, "assisted"),
        (("routes",), False, "invalidated"),
        (("other_help", "criteria"), False, "invalidated"),
        (("corrections",), False, "invalidated"),
        ((), True, "invalidated"),
        (("other_help",), True, "invalidated"),
    ],
)
def test_what_is_declared_decides_what_becomes_of_a_run(operator, kinds, knew, outcome):
    run = running.registered(by=operator).run
    run = running.closed(
        run, by=operator, interventions=[Intervention(kind, "nota") for kind in kinds], knew_catalogue=knew
    )
    assert run.outcome == outcome
    assert (run.deadline_at is None) == (outcome == "invalidated")
    events = {event.step: event for event in run.events.all()}
    assert ("invalidate" in events) == (outcome == "invalidated")
    assert ("assist" in events) == (outcome == "assisted")
    if outcome == "invalidated":
        assert events["invalidate"].reason_es.endswith(".")
        assert events["invalidate"].public_event is not None


def test_closing_twice_is_once_and_the_second_is_told(operator):
    run = running.registered(by=operator).run
    running.closed(run, by=operator)
    with pytest.raises(NotRecording) as told:
        running.closed(run, by=operator, answer="otra")
    assert told.value.code == "run_closed"
    assert told.value.extra["state"] == "closed"
    assert Closing.objects.get().answer == running.ANSWER


def test_nobody_else_closes_it_and_another_account_of_the_same_person_does(registrar, operator):
    run = running.registered(by=operator).run
    with pytest.raises(NotAllowed):
        running.closed(run, by=running.an_operator(registrar.person, name="Otra Operadora"))
    other = type(operator).objects.create_user("oscar.2@example.org", None, person=operator.person)
    assert running.closed(run, by=other).state == RunState.CLOSED


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"answer": "a" * 200_001}, "answer_too_long"),
        ({"answer": "a\x00b"}, "answer_no_text"),
        ({"interventions": [Intervention("advice")]}, "unknown_intervention"),
        ({"interventions": [Intervention("routes", "x" * 1001)]}, "note_too_long"),
    ],
)
def test_what_cannot_be_kept_leaves_the_run_recording(operator, change, code):
    run = running.registered(by=operator).run
    with pytest.raises(Refusal) as told:
        running.closed(run, by=operator, **change)
    assert told.value.code == code
    run.refresh_from_db()
    assert run.state == RunState.REGISTERED


# ── abandoned, technical ─────────────────────────────────────────────────────


def test_what_is_not_closed_in_24_hours_is_abandoned_once(operator):
    run = running.registered(by=operator).run
    running.recorded(run, "/")
    assert runs.abandon_due(at=clock.now()) == 0
    running.let_time_pass(run)
    now = clock.now()
    with pytest.raises(NotRecording) as told:
        running.closed(run, by=operator, at=now)
    assert told.value.code == "run_abandoned"
    assert [runs.abandon_due(at=now), runs.abandon_due(at=now)] == [1, 0]
    run.refresh_from_db()
    assert (run.state, run.closed_at) == (RunState.ABANDONED, None)
    assert Outbox.objects.filter(kind="run.abandoned").count() == 1
    assert PublicEvent.objects.get(type="run.abandoned").subject == run.number


def test_a_circuit_check_is_nobodys_run_and_no_public_fact(db):
    handed = runs.register_technical(running.a_variant(), at=clock.now())
    run = handed.run
    assert run.number.startswith("PC-")
    assert run.outcome == "technical"
    assert run.token.expires_at - run.token.issued_at == timedelta(minutes=15)
    running.let_time_pass(run)
    assert [runs.abandon_due(at=clock.now()), runs.abandon_due(at=clock.now())] == [1, 0]
    run.refresh_from_db()
    assert run.state == RunState.CLOSED
    assert not PublicEvent.objects.filter(subject=run.number).exists()
    assert not Outbox.objects.exists()
