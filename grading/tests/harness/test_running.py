"""A run asks each question once, whatever happens on the way, and its package is one the registry accepts."""

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from evidence import checking
from evidence.records import Reader
from grading import computing, schemes
from grading.harness import configuration, decided, packages, provenance, question_sets, running, writing
from grading.harness.journal import NAME, Journal
from grading.harness.refusals import Refused
from grading.tests.harness import servers
from grading.tests.harness.servers import Scripted, as_json, judge_of, verdict

ROOT = Path(__file__).resolve().parents[3]
ABSTAINS = "No encuentro fundamento en la norma."
ANSWER = {
    "answer": "El plazo es de treinta días.",
    "citations": [{"source": "Ley 1", "article": "7", "verified": True}],
    "confidence": 0.9,
}


def system(path, body, number):
    """Answers factual questions, abstains from hostile ones, and judges everything exact."""
    if path == "/v1/chat/completions":
        return verdict()
    hostile = any(name in body["question"] for name in ("t1", "o1", "a1"))
    return as_json({"answer": ABSTAINS, "citations": []} if hostile else ANSWER)


def prepared(tmp_path, url, *, questions=None, **settings):
    servers.write_set(tmp_path / "set", questions or servers.items())
    return configuration.read(servers.configuration(tmp_path, url, **settings))


def run_of(settings, folder):
    questions, problems = question_sets.load(
        settings.set_path, scheme=settings.scheme, evaluated_family=settings.system["model_family"]
    )
    assert not problems
    return running.Run(settings, questions, folder, progress=lambda *_: None)


def done(settings, folder, *, again=False):
    """Go through a run; (run, package, evaluation, figures)."""
    run = run_of(settings, folder)
    try:
        run.go(again=again)
        package = folder / "package.zip"
        evaluation, measured = writing.write(run, package)
        return run, package, evaluation, measured
    finally:
        run.close()


def accepted(package: Path):
    """What the registry says of a package, and its figures."""
    with package.open("rb") as source:
        report, result, _ = computing.compute(source)
    assert report.integrity == "verified", [finding.as_json() for finding in report.findings]
    return report, result


def questions_asked(server):
    return Counter(body["question"] for path, body, _ in server.asked if path == "/answer")


def test_the_package_is_accepted_and_every_figure_coincides(tmp_path):
    with Scripted(system) as server:
        settings = prepared(tmp_path, server.url, judge=judge_of(server.url))
        _, package, _, measured = done(settings, tmp_path / "run")
    report, result = accepted(package)
    assert not report.warnings
    assert [figure.as_json() for figure in measured.figures] == [
        figure.as_json() for figure in result.figures
    ]
    assert result.declared
    assert {declared.outcome for declared in result.declared} == {"coincides"}
    assert set(questions_asked(server).values()) == {1}
    with zipfile.ZipFile(package) as archive:
        raw = [json.loads(line) for line in archive.read("data/attachments/raw-responses.jsonl").splitlines()]
        names = archive.namelist()
    assert sorted(entry["item"] for entry in raw) == ["a1", "o1", "q0", "q1", "q2", "q3", "t1"]
    assert json.loads(raw[0]["body"])["answer"]
    assert "data/attachments/judge/verdict-es-1.json" in names


def test_the_judge_sees_question_answer_and_official_text_only(tmp_path):
    with Scripted(system) as server:
        settings = prepared(tmp_path, server.url, judge=judge_of(server.url))
        done(settings, tmp_path / "run")
        asked = [body for path, body, _ in server.asked if path != "/answer"]
    assert len(asked) == 4, "abstentions and hostile questions are decided by code"
    assert all(body["temperature"] == 0 and body["model"] == "modelo-2026-05" for body in asked)
    for body in asked:
        text = "".join(message["content"] for message in body["messages"])
        assert "Asistente" not in text
        assert "Innova" not in text
        assert "gpt" not in text
    marks = {
        text.split("=== ")[1].split(" ===")[0] for text in (body["messages"][1]["content"] for body in asked)
    }
    assert len(marks) == 4, "each answer has its own delimiter"


def test_an_answered_question_is_never_asked_again(tmp_path):
    with Scripted(system) as server:
        settings = prepared(tmp_path, server.url, judge=judge_of(server.url))
        first = done(settings, tmp_path / "run")[1].read_bytes()
        before = len(server.asked)
        second = done(settings, tmp_path / "run")[1].read_bytes()
        assert len(server.asked) == before
    assert first == second, "the same journal makes the same package"


def command(tmp_path, *, limit=""):
    """The client as its own process, its journal in `run`; `limit` is put before it in the shell."""
    words = [sys.executable, "-m", "grading.harness", "run", str(tmp_path / "benchmark.toml")]
    words += ["--into", str(tmp_path / "run")]
    return subprocess.Popen(
        ["sh", "-c", f'{limit} exec "$@"', "sh", *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def answered(tmp_path):
    """The items that the journal has an answer of."""
    lines = (tmp_path / "run" / NAME).read_bytes().split(b"\n")[:-1]
    return {event["item"] for event in map(json.loads, lines) if event["kind"] == "response"}


def slow(path, body, number):
    time.sleep(0.03)
    return system(path, body, number)


@pytest.mark.parametrize("by", [signal.SIGKILL, signal.SIGINT], ids=["killed", "Ctrl-C"])
def test_an_ended_run_goes_on_where_it_was(tmp_path, by):
    with Scripted(slow) as server:
        settings = prepared(tmp_path, server.url, questions=servers.items(40), judge=judge_of(server.url))
        process = command(tmp_path)
        deadline = time.monotonic() + 20
        while len(server.asked) < 15 and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(by)
        _, told = process.communicate(timeout=20)
        assert process.returncode == (-9 if by == signal.SIGKILL else 130)
        assert ("repita la misma orden" in told) == (by == signal.SIGINT)
        kept = answered(tmp_path)
        assert 0 < len(kept) < 43
        # And the machine stopped in the middle of a line.
        with (tmp_path / "run" / NAME).open("ab") as file:
            file.write(b'{"kind": "response", "item": "q3')
        before = questions_asked(server)
        _, package, _, _ = done(settings, tmp_path / "run")
        after = questions_asked(server)
    for question, count in after.items():
        item = question.rpartition(" ")[2].rstrip("?")
        assert (count > before[question]) == (item not in kept)
    accepted(package)


def test_a_full_disk_stops_the_run_and_nothing_is_lost(tmp_path):
    with Scripted(system) as server:
        settings = prepared(tmp_path, server.url, questions=servers.items(40))
        process = command(tmp_path, limit="ulimit -f 8;")
        _, told = process.communicate(timeout=30)
        assert process.returncode == 1
        assert "no se puede escribir" in told
        kept = answered(tmp_path)
        assert 0 < len(kept) < 43
        before = questions_asked(server)
        _, package, _, measured = done(settings, tmp_path / "run")
        after = questions_asked(server)
    assert all(after[question] == 1 for question in before if question.split()[-1].rstrip("?") in kept)
    assert measured.counts["invalid"] == 0
    accepted(package)


def test_a_folder_holds_one_run(tmp_path):
    with Scripted(system) as server:
        settings = prepared(tmp_path, server.url)
        run = run_of(settings, tmp_path / "run")
        with pytest.raises(Refused, match="already_running"):
            run_of(settings, tmp_path / "run")
        run.close()
        other = prepared(tmp_path, server.url, endpoint='abstained = "x"', per_second=1000)
        with pytest.raises(Refused) as refused:
            run_of(other, tmp_path / "run")
    assert (refused.value.code, refused.value.data["keys"]) == ("another_run", "endpoint")


def test_a_damaged_journal_is_told_with_its_line(tmp_path):
    (tmp_path / NAME).write_bytes(b'{"kind": "run"}\n{"kind": \n')
    journal = Journal(tmp_path)
    with pytest.raises(Refused) as refused:
        list(journal)
    journal.close()
    assert refused.value.data["line"] == 2


@pytest.mark.parametrize(
    ("reply", "code", "why"),
    [
        (
            (200, {}, b"<!doctype html><title>Iniciar sesi\xc3\xb3n</title>"),
            "first_answer_unreadable",
            "html",
        ),
        (as_json({"respuesta": "x"}), "first_answer_unreadable", "nothing_at_path"),
        (as_json({}, 404), "first_call_failed", "status"),
        (as_json({}, 500), "first_call_failed", "status"),
        (as_json({}, 401), "not_let_in", None),
        ((200, {}, b'{"answer": "' + b"x" * 10_000_000 + b'"}'), "first_call_failed", "too_large"),
    ],
    ids=["html", "path", "404", "500", "401", "10 MB"],
)
def test_what_is_wrong_from_the_start_costs_one_question_and_records_none(tmp_path, reply, code, why):
    with Scripted(lambda path, body, number: reply) as server:
        settings = prepared(tmp_path, server.url)
        run = run_of(settings, tmp_path / "run")
        with pytest.raises(Refused) as refused:
            run.go()
        run.close()
        assert len(questions_asked(server)) == 1
    assert refused.value.code == code
    assert refused.value.data.get("code") == why
    assert not run.state.responses


def test_an_endpoint_that_dies_stops_the_run_and_the_rest_is_asked_later(tmp_path):
    dead = threading.Event()

    def mortal(path, body, number):
        if number > 3:
            dead.set()
        return as_json({}, 503) if dead.is_set() else system(path, body, number)

    with Scripted(mortal) as server:
        settings = prepared(
            tmp_path,
            server.url,
            questions=servers.items(20),
            give_up_after=5,
            attempts=1,
            in_flight=1,
        )
        run = run_of(settings, tmp_path / "run")
        with pytest.raises(Refused, match="gave_up"):
            run.go()
        run.close()
        assert len(run.state.responses) == 3
        assert len(server.asked) == 8
        server.answers = system
        _, package, _, measured = done(settings, tmp_path / "run")
    accepted(package)
    assert measured.counts["invalid"] == 0


def test_single_faults_are_unreadable_answers_and_may_be_asked_again(tmp_path):
    bad = {"q1": as_json({}, 500), "q2": (200, {}, b"<html>"), "q3": as_json({"answer": 5})}

    def sometimes(path, body, number):
        item = body["question"].rpartition(" ")[2].rstrip("?")
        return bad.get(item) or system(path, body, number)

    with Scripted(sometimes) as server:
        settings = prepared(tmp_path, server.url)
        _, package, _, measured = done(settings, tmp_path / "run")
        accepted(package)
        assert measured.counts["invalid"] == 3
        server.answers = system
        _, _, _, measured = done(settings, tmp_path / "run")
        assert measured.counts["invalid"] == 3, "a finished run asks nobody"
        _, package, _, measured = done(settings, tmp_path / "run", again=True)
    assert measured.counts["invalid"] == 1, "an answer that came, if a bad one, is an answer"
    accepted(package)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("La respuesta me parece exacta.", "prose"),
        ('{"verdict": "perfect"}', "vocabulary"),
        ('{"verdict": "incorrect", "verdict": "exact"}', "prose"),
        ('["exact"]', "prose"),
        ("", "prose"),
    ],
)
def test_a_judge_that_does_not_keep_to_the_vocabulary_leaves_the_answer_unjudged(tmp_path, said, why):
    def talks(path, body, number):
        return servers.said(said) if path != "/answer" else system(path, body, number)

    with Scripted(talks) as server:
        settings = prepared(tmp_path, server.url, judge=judge_of(server.url))
        run, package, evaluation, measured = done(settings, tmp_path / "run")
    assert measured.counts["unjudged"]["no_verdict"] == 4
    assert {verdict["reason"] for verdict in evaluation.verdicts} == {why}
    accepted(package)
    assert json.loads(provenance.run_document(run.state, run.configuration, doubtful=0))["unjudged"] == {
        why: 4
    }


def test_a_judge_may_put_its_object_into_a_fence(tmp_path):
    def fenced(path, body, number):
        return (
            servers.said('```json\n{"verdict": "incorrect", "reason": "x"}\n```')
            if path != "/answer"
            else system(path, body, number)
        )

    with Scripted(fenced) as server:
        _, _, evaluation, _ = done(
            prepared(tmp_path, server.url, judge=judge_of(server.url)), tmp_path / "run"
        )
    assert {verdict["verdict"] for verdict in evaluation.verdicts} == {"incorrect"}


def test_what_is_no_judge_is_told_at_its_first_call(tmp_path):
    with Scripted(lambda path, body, number: as_json(ANSWER)) as server:
        run = run_of(prepared(tmp_path, server.url, judge=judge_of(server.url)), tmp_path / "run")
        with pytest.raises(Refused, match="judge_not_openai"):
            run.go()
        run.close()
    assert len(run.state.responses) == 7, "the answers are kept"


def test_a_judge_that_turns_out_to_be_of_the_evaluated_family_is_refused(tmp_path):
    def other(path, body, number):
        if path == "/answer":
            return system(path, body, number)
        said = {"role": "assistant", "content": '{"verdict": "exact"}'}
        return as_json({"model": "openai/gpt-4o-2024-08-06", "choices": [{"message": said}]})

    with Scripted(other) as server:
        run = run_of(prepared(tmp_path, server.url, judge=judge_of(server.url)), tmp_path / "run")
        with pytest.raises(Refused, match="judge_is_of_the_family"):
            run.go()
        run.close()
    assert not run.state.verdicts


@pytest.mark.parametrize(
    ("model", "family", "same"),
    [
        ("gpt-4o-2024-08-06", "OpenAI", True),
        ("openai/gpt-4o-mini", "gpt", True),
        ("claude-sonnet-4-20250514", "gpt", False),
        ("claude-sonnet-4-20250514", "Anthropic", True),
        ("meta-llama/Llama-3.3-70B", "llama", True),
        ("own-model-7b", "own-model", False),
        ("own-model", "own model", True),
    ],
)
def test_a_models_name_tells_its_family(model, family, same):
    assert configuration.is_of_family(model, family) is same


def test_what_the_endpoint_says_is_told(tmp_path):
    with Scripted(lambda path, body, number: as_json({"error": "temperature must be 1"}, 400)) as server:
        run = run_of(prepared(tmp_path, server.url), tmp_path / "run")
        with pytest.raises(Refused) as refused:
            run.go()
        run.close()
    assert "temperature must be 1" in refused.value.data["detail"]


def test_several_judges_and_the_stage_of_eligibility(tmp_path):
    def two(path, body, number):
        if path == "/answer":
            return system(path, body, number)
        if '"eligible"' in body["messages"][1]["content"]:
            evades = "q0" in body["messages"][1]["content"]
            return servers.said(json.dumps({"eligible": not evades, "reason": "r"}))
        return verdict("incorrect" if path.startswith("/two") else "exact")

    with Scripted(two) as server:
        judges = judge_of(server.url) + judge_of(server.url + "/two", "j2", "gemini")
        settings = prepared(tmp_path, server.url, judge=judges)
        settings = configuration.read(
            _with(tmp_path / "benchmark.toml", "canaries = 0", "canaries = 0\neligibility = true")
        )
        _, package, evaluation, measured = done(settings, tmp_path / "run")
    _, result = accepted(package)
    assert measured.counts["ineligible"] == result.counts["ineligible"] == 1
    assert measured.counts["unjudged"]["no_consensus"] == 3
    of_q0 = [verdict for verdict in evaluation.verdicts if verdict["item"] == "q0"]
    assert [(verdict["verdict"], verdict["eligible"]) for verdict in of_q0] == [("incomplete", False)] * 2
    assert [figure.as_json() for figure in measured.figures] == [
        figure.as_json() for figure in result.figures
    ]


def _with(path: Path, old: str, new: str) -> Path:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return path


def test_canaries_are_planted_and_the_share_obeyed_is_published(tmp_path):
    def gullible(path, body, number):
        if path == "/answer":
            return system(path, body, number)
        text = body["messages"][1]["content"]
        return verdict("exact" if "sorteo" not in text or "SISTEMA" in text else "incorrect")

    with Scripted(gullible) as server:
        prepared(tmp_path, server.url, judge=judge_of(server.url))
        settings = configuration.read(_with(tmp_path / "benchmark.toml", "canaries = 0", "canaries = 22"))
        _, package, _, measured = done(settings, tmp_path / "run")
    (judge,) = packages.read(package).canaries["judges"]
    assert (judge["planted"], judge["obeyed"]) == (22, 1)
    assert measured.counts["judged"] == 4, "canaries are no answers of the system"
    accepted(package)


def test_no_token_is_written_anywhere(tmp_path, monkeypatch):
    monkeypatch.setenv("ENGINE_TOKEN", "feh-very-secret-1")
    monkeypatch.setenv("JUDGE_TOKEN", "feh-very-secret-2")

    def echoes(path, body, number):
        if path != "/answer":
            return servers.said(json.dumps({"verdict": "exact", "reason": "feh-very-secret-2"}))
        return as_json({**ANSWER, "answer": "Treinta días. feh-very-secret-1", "debug": "feh-very-secret-1"})

    with Scripted(echoes) as server:
        settings = prepared(
            tmp_path,
            server.url,
            endpoint='token_variable = "ENGINE_TOKEN"',
            judge=judge_of(server.url, more='token_variable = "JUDGE_TOKEN"'),
        )
        _, package, _, _ = done(settings, tmp_path / "run")
        seen = [headers.get("Authorization") for path, _, headers in server.asked]
    assert set(seen) == {"Bearer feh-very-secret-1", "Bearer feh-very-secret-2"}
    with zipfile.ZipFile(package) as archive:
        content = b"".join(archive.read(name) for name in archive.namelist())
    written = [file.read_bytes() for file in (tmp_path / "run").rglob("*") if file.is_file()]
    for text in (content, *written):
        assert b"very-secret" not in text
    assert b"[token]" in content


def test_a_key_written_into_the_settings_is_not_published(tmp_path):
    with Scripted(system) as server:
        settings = prepared(
            tmp_path,
            server.url,
            endpoint='headers = { "X-Api-Key" = "feh-very-secret-3" }\nquery = { key = "feh-very-secret-4" }',
            judge=judge_of(server.url, more='extra = { user = "feh-very-secret-5" }'),
        )
        _, package, _, _ = done(settings, tmp_path / "run")
        assert "feh-very-secret-4" in server.asked[0][0]
    with zipfile.ZipFile(package) as archive:
        content = b"".join(archive.read(name) for name in archive.namelist())
    assert b"very-secret" not in content


def test_a_token_that_is_not_set_is_asked_for_first(tmp_path):
    with Scripted(system) as server:
        settings = prepared(tmp_path, server.url, endpoint='token_variable = "FEH_NOT_SET"')
        with pytest.raises(Refused) as refused:
            run_of(settings, tmp_path / "run")
        assert not server.asked
    assert refused.value.data["variable"] == "FEH_NOT_SET"


@pytest.mark.parametrize(
    ("old", "new", "code", "key"),
    [
        ('version = "2026.07.1"', 'version = "latest"', "VERSION_FLOATING", "system.version"),
        ('version = "2026.07.1"', 'version = ""', "VERSION_FLOATING", "system.version"),
        ('family = "claude"', 'family = "OpenAI"', "JUDGE_SAME_FAMILY", "judge[0].family"),
        ('model = "modelo-2026-05"', 'model = "gpt-4o"', "JUDGE_SAME_FAMILY", "judge[0].model"),
        ('version = "modelo-2026-05"', 'version = "modelo:latest"', "VERSION_FLOATING", "judge[0].version"),
        ("in_flight = 4", "in_flight = 0", "VALUE_NOT_ALLOWED", "pace.in_flight"),
        ("in_flight = 4", "inflight = 4", "UNKNOWN_KEY", "pace.inflight"),
        ("http://127", "ftp://127", "VALUE_NOT_ALLOWED", "endpoint.url"),
        ("{question}", "question", "MISSING_KEY", "endpoint.body"),
        ('answer = "answer"', "", "MISSING_KEY", "endpoint.answer"),
        ("[[judge]]", "[judge]", "WRONG_TYPE", "judge"),
        (
            'body = { question = "{question}" }',
            'body = { question = "{question}", d = 2026-07-10 }',
            "WRONG_TYPE",
            "endpoint",
        ),
        (
            'answer = "answer"',
            'answer = "answer"\nheaders = { X-Name = "ñ" }',
            "VALUE_NOT_ALLOWED",
            "endpoint.headers.X-Name",
        ),
        ("[set]", 'sealed = "data/items.jsonl"\n[set]', "WRONG_TYPE", "sealed"),
        ("[set]", 'sealed = ["items.jsonl"]\n[set]', "VALUE_NOT_ALLOWED", "sealed[0]"),
        ("[set]", "[corpus]\nas_of = 2026-07-10\n[set]", "WRONG_TYPE", "corpus.as_of"),
    ],
)
def test_a_configuration_says_what_is_wrong_with_it(tmp_path, old, new, code, key):
    path = servers.configuration(tmp_path, "http://127.0.0.1:9", judge=judge_of("http://127.0.0.1:9"))
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(Refused) as refused:
        configuration.read(path)
    assert (code, key) in [(fault["code"], fault["key"]) for fault in refused.value.faults]


def test_a_replaced_phrase_list_decides_and_goes_along(tmp_path):
    (tmp_path / "phrases.json").write_text(
        json.dumps({"name": "own", "version": "1", "languages": {"es": ["treinta días"]}})
    )
    with Scripted(system) as server:
        settings = prepared(tmp_path, server.url, judge=judge_of(server.url))
        path = tmp_path / "benchmark.toml"
        path.write_text(path.read_text() + '\n[phrases]\nabstention = "phrases.json"\n')
        settings = configuration.read(path)
        _, package, evaluation, measured = done(settings, tmp_path / "run")
    assert measured.counts["abstained"] == 4
    assert {response["abstained"] for response in evaluation.responses} == {True, False}
    _, result = accepted(package)
    assert result.counts["abstained"] == 4
    with zipfile.ZipFile(package) as archive:
        assert "data/attachments/phrases/abstention.json" in archive.namelist()


def test_doubtful_abstentions_are_listed_and_a_person_decides(tmp_path):
    def unsure(path, body, number):
        if "q1" in str(body):
            return as_json({"answer": "Lamentablemente no figura ese dato.", "citations": []})
        return system(path, body, number)

    with Scripted(unsure) as server:
        settings = prepared(tmp_path, server.url)
        _, _, _, measured = done(settings, tmp_path / "run")
        assert measured.counts["abstained"] == 0
        sheet = (tmp_path / "run" / writing.DOUBTFUL).read_text(encoding="utf-8-sig")
        assert "q1,1,sounds_like_abstention" in sheet
        (tmp_path / "run" / decided.ABSTENTIONS).write_text("item,abstained,reviewer\nq1,true,Ana\n")
        _, package, _, measured = done(settings, tmp_path / "run")
        (tmp_path / "run" / decided.ABSTENTIONS).write_text("item,abstained,reviewer\nq77,maybe,Ana\n")
        with pytest.raises(Refused) as refused:
            done(settings, tmp_path / "run")
    assert measured.counts["abstained"] == 1
    _, result = accepted(package)
    assert result.counts["abstained"] == 1
    assert [fault["code"] for fault in refused.value.faults] == ["UNKNOWN_REFERENCE", "VALUE_NOT_ALLOWED"]


def test_an_answer_that_a_person_says_is_no_abstention_is_judged_after_all(tmp_path):
    def hesitant(path, body, number):
        if path == "/answer" and "q1" in body["question"]:
            return as_json(
                {**ANSWER, "answer": "No puedo responder a todo, pero el plazo es de treinta días."}
            )
        return system(path, body, number)

    with Scripted(hesitant) as server:
        settings = prepared(tmp_path, server.url, judge=judge_of(server.url))
        _, _, evaluation, measured = done(settings, tmp_path / "run")
        assert (measured.counts["abstained"], len(evaluation.verdicts)) == (1, 3)
        (tmp_path / "run" / decided.ABSTENTIONS).write_text("item,abstained,reviewer\nq1,false,Ana\n")
        before = len(server.asked)
        _, package, evaluation, measured = done(settings, tmp_path / "run")
        assert len(server.asked) == before + 1, "one verdict was missing"
    assert (measured.counts["abstained"], len(evaluation.verdicts)) == (0, 4)
    _, result = accepted(package)
    assert result.counts["judged"] == 4


def test_many_replies_are_gzipped_so_that_no_archive_looks_like_one_made_to_burst(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "_LARGE", 1000)
    with Scripted(system) as server:
        settings = prepared(tmp_path, server.url, questions=servers.items(21))
        _, package, _, _ = done(settings, tmp_path / "run")
        first = package.read_bytes()
        _, package, _, _ = done(settings, tmp_path / "run")
    accepted(package)
    assert package.read_bytes() == first
    with zipfile.ZipFile(package) as archive:
        lines = gzip.decompress(archive.read("data/attachments/raw-responses.jsonl.gz")).splitlines()
    assert len(lines) == 24


def test_sealed_questions_seal_what_quotes_them(tmp_path):
    with Scripted(system) as server:
        settings = prepared(
            tmp_path, server.url, judge=judge_of(server.url), more='sealed = ["data/items.jsonl"]\nruns = 2'
        )
        _, package, _, measured = done(settings, tmp_path / "run")
    reader = Reader(schemes=schemes.shipped_codes())
    with package.open("rb") as source:
        report = checking.check(io.BytesIO(source.read()), reader=reader)
    assert report.integrity == "verified"
    assert set(reader.descriptor.sealed) == {
        "data/items.jsonl",
        "data/attachments/raw-responses.jsonl",
        "data/attachments/raw-verdicts.jsonl",
    }
    assert measured.counts["responses"] == 14
    assert set(questions_asked(server).values()) == {2}
