"""The closing package of a run: the same bytes from the same rows, written once, without anything that is secret."""

import hashlib
import io
import json
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from django.db import connection

from evidence import intake, packing, run_members, run_package, runs, storage
from evidence.models import EvidencePackage, PackageState, Participation, Run
from evidence.run_records import Exchange
from evidence.runs import Intervention
from evidence.tests import running
from evidence.tests.people import person_with
from registry_site import clock
from registry_site.models import User
from registry_site.problems import NotAllowed, Refusal

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("evidence_folder")]

PAGE = b"<h1>Agente</h1>"


@pytest.fixture
def operator(db) -> User:
    return running.an_operator(running.a_registrar().person)


def a_recorded_run(by: User, **more):
    handed = running.registered(by=by, **more)
    running.recorded(handed.run, "/condiciones", body=b"<h1>Condiciones</h1>")
    running.recorded(handed.run, "/conceptos/agente?x=1", body=PAGE)
    running.recorded(handed.run, "/conceptos/agente", body=PAGE)
    running.recorded(handed.run, "/lento", is_answered=False)
    return handed


def contents(package: EvidencePackage) -> dict[str, bytes]:
    with storage.current().open(package.sha256) as file, zipfile.ZipFile(io.BytesIO(file.read())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_closing_writes_what_was_recorded_declared_and_answered(operator):
    run = a_recorded_run(operator).run
    running.closed(run, by=operator, interventions=[Intervention("other_help", "reinició el programa")])
    package = run_package.write(run.pk)
    assert (package.state, package.submitter, package.filename) == (
        PackageState.RECEIVED,
        operator,
        f"{run.number}.zip",
    )
    found = contents(package)
    body = hashlib.sha256(PAGE).hexdigest()
    assert found[f"data/bodies/{body}"] == PAGE
    assert found["data/final-answer.txt"].decode() == running.ANSWER
    lines = [json.loads(line) for line in found["data/trace.jsonl"].splitlines()]
    assert [line["seq"] for line in lines] == [1, 2, 3, 4]
    assert lines[1]["url"] == f"http://{running.DOMAIN}/conceptos/agente?x=1"
    assert lines[1]["response"] == {"type": "text/html", "size": len(PAGE), "sha256": body}
    assert lines[1]["request_headers"] == [["accept", "text/html"]]
    assert "response" not in lines[3]
    said = json.loads(found["data/run.json"])
    run.refresh_from_db()
    assert said["assignment"] == run.variant.assignment
    assert said["assignment_sha256"] == run.variant.sha256
    assert said["interventions"] == [{"kind": "other_help", "note": "reinició el programa"}]
    assert (said["ended"], said["outcome"], said["recorded_by"]) == ("closed", "assisted", "registry")
    assert json.loads(found["data/evaluation.json"])["system"]["version"] == "2.3.1"
    assert list(found)[:2] == ["data/evaluation.json", "data/run.json"]
    assert Participation.objects.get(package=package).person == operator.person


def test_no_secret_name_or_address_of_the_operator_is_in_it(operator):
    handed = running.registered(by=operator)
    run = handed.run
    running.recorded(
        run, "/", headers=[["accept", "*/*"], ["Cookie", "sesion=canario"], ["X-Run-Token", handed.token]]
    )
    running.closed(run, by=operator, answer=f"{runs.entry_of(handed).by_name}/ {handed.token}")
    everything = b"\n".join(contents(run_package.write(run.pk)).values()).lower()
    for secret in (handed.token, handed.label, "canario", "cookie", "oscar", "óscar", "127.0.0", "localhost"):
        assert secret.encode() not in everything, secret


def test_it_is_written_once_whoever_asks(operator):
    run = a_recorded_run(operator).run
    assert run_package.write(run.pk) is None
    running.closed(run, by=operator)
    assert list(run_package.waiting()) == [run]
    first = run_package.write(run.pk)
    assert run_package.write(run.pk) == first
    assert EvidencePackage.objects.count() == 1
    assert not run_package.waiting().exists()


def test_interrupted_on_its_way_it_is_completed_by_whoever_comes_next(operator, monkeypatch):
    run = a_recorded_run(operator).run
    running.closed(run, by=operator)

    def killed(*_args, **_more):
        raise RuntimeError("killed")

    for place in ((intake, "_keep"), (run_members, "fingerprint"), (Run, "save")):
        with monkeypatch.context() as patched:
            patched.setattr(*place, killed)
            with pytest.raises(RuntimeError):
                run_package.write(run.pk)
        assert not EvidencePackage.objects.exists()
    assert run_package.write(run.pk) is not None
    assert EvidencePackage.objects.count() == 1


def test_the_same_rows_make_the_same_bytes(operator):
    run = a_recorded_run(operator).run
    running.closed(run, by=operator)
    package = run_package.write(run.pk)
    again = io.BytesIO()
    packing.pack(run_package.payload_of(run), into=again)
    assert hashlib.sha256(again.getvalue()).hexdigest() == package.sha256


def test_an_abandoned_run_has_a_package_when_something_was_recorded(operator):
    empty, used = running.registered(by=operator).run, a_recorded_run(operator).run
    for run in (empty, used):
        running.let_time_pass(run)
    assert runs.abandon_due(at=clock.now()) == 2
    assert list(run_package.waiting()) == [used]
    said = json.loads(contents(run_package.write(used.pk))["data/run.json"])
    assert said["ended"] == "abandoned"
    assert run_package.write(empty.pk) is None


def test_a_circuit_check_is_evidence_of_nothing(db):
    run = runs.register_technical(running.a_variant(), at=clock.now()).run
    running.recorded(run, "/")
    running.let_time_pass(run)
    runs.abandon_due(at=clock.now())
    assert run_package.write(run.pk) is None


def test_two_runs_of_the_same_to_the_letter_are_flagged_and_a_different_one_is_not(operator):
    series = running.a_series(planned_runs=4)
    made = [a_recorded_run(operator, series=series).run for _ in range(3)]
    running.recorded(made[2], "/acerca")
    empty = running.registered(series, by=operator).run
    for run in (*made, empty):
        running.closed(run, by=operator)
        run_package.write(run.pk)
    for run in (*made, empty):
        run.refresh_from_db()
    assert list(run_package.identical(made[0])) == [made[1]]
    assert not run_package.identical(made[2]).exists()
    assert not run_package.identical(empty).exists()


@pytest.mark.django_db(transaction=True)
def test_of_several_presses_at_once_one_registers_one_closes_and_one_package_stands():
    operator = running.an_operator(running.a_registrar().person)
    series = running.a_series(planned_runs=1)

    def at_once(act):
        def one(_):
            try:
                return act()
            except Refusal as refusal:
                return refusal.code
            finally:
                connection.close()

        with ThreadPoolExecutor(4) as pool:
            return list(pool.map(one, range(4)))

    registered = at_once(lambda: running.registered(series, by=operator).run)
    assert registered.count("series_full") == 3
    (run,) = (one for one in registered if isinstance(one, Run))
    running.recorded(run, "/")
    closed = at_once(lambda: running.closed(run, by=operator).state)
    assert sorted(closed) == ["closed", *["run_closed"] * 3]
    packages = at_once(lambda: run_package.write(run.pk))
    assert len({package.pk for package in packages}) == 1
    assert EvidencePackage.objects.count() == 1


def test_an_operator_hands_in_nothing_else(operator):
    with pytest.raises(NotAllowed):
        intake.receive([b"x"], by=operator, at=clock.now())
    with pytest.raises(NotAllowed):
        intake.receive([b"x"], by=person_with(name="Nadie"), at=clock.now())


def test_the_fingerprint_leaves_out_what_is_the_runs_own():
    def did(**more):
        facts = {
            "seq": 1,
            "at": clock_at(1),
            "method": "GET",
            "url": "http://a.example/",
            "status": 200,
            "request_headers": (("user-agent", "x"),),
            "beyond_limit": False,
        }
        return run_members.fingerprint([Exchange(**(facts | more))], "respuesta")

    assert did() == did(at=clock_at(2), request_headers=())
    assert len({did(), did(method="HEAD"), did(url="http://a.example/b"), did(status=404)}) == 4


def clock_at(second: int):
    return datetime(2026, 11, 30, 12, 0, second, tzinfo=UTC)
