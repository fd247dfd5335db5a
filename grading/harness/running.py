"""One run: every question asked once, every answer judged once, and a journal that an interrupted run goes on from."""

import base64
import threading
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evidence.plain_json import shown
from grading.harness import decided, doubts, judging, provenance, workers
from grading.harness.answers import Endpoint, Unreadable, redacted
from grading.harness.calls import Caller, CallFault, Reply
from grading.harness.configuration import Configuration, Judge, is_of_family, secret
from grading.harness.journal import Journal
from grading.harness.judging import Judgement, Stage
from grading.harness.measuring import Outcome, Reader
from grading.harness.question_sets import QuestionSet
from grading.harness.refusals import Refused
from grading.harness.run_state import Key, Said, State


class Run:
    """A run in a folder. `go` asks, judges and keeps everything; it may be interrupted at any time and called again."""

    def __init__(
        self,
        configuration: Configuration,
        questions: QuestionSet,
        folder: Path,
        *,
        progress: workers.Progress,
    ) -> None:
        self.configuration = configuration
        self.questions = questions
        self.folder = folder
        self.lists = provenance.lists_of(configuration)
        self.stop = threading.Event()
        self._progress = progress
        self.reader = Reader(
            configuration.scheme,
            questions.catalogue,
            abstention=self.lists.abstention,
        )
        self._items = {item["id"]: item for item in questions.items}
        # Tokens are asked for before anything else: a run that cannot judge should not begin to ask.
        endpoint_token = secret(configuration.endpoint.get("token_variable"))
        self._judge_tokens = {judge.id: secret(judge.token_variable) for judge in configuration.judges}
        self._tokens = [endpoint_token, *self._judge_tokens.values()]
        self._endpoint = Endpoint(
            configuration.endpoint, version=configuration.system["version"], token=endpoint_token
        )
        self.journal = Journal(folder)
        try:
            self.state = State.of(self.journal)
            self._begin()
        except BaseException:
            self.journal.close()
            raise

    @property
    def measured_at(self) -> str:
        return self.state.begun["at"]

    def go(self, *, again: bool = False) -> None:
        """Ask and judge what is not asked and judged yet. `again`: also what got no answer in a finished run.

        Raises Refused when an endpoint cannot be used; what was answered until then is kept.
        """
        again = again or not self.state.finished
        if again:
            self._ask_all()
        for judge in self.configuration.judges:
            self._judge_all(judge, again=again)
        if not self.state.finished:
            self._keep({"kind": "finished", "at": _now()})

    def close(self) -> None:
        self.journal.close()

    def outcomes(self, *, reviewed: bool = False) -> Iterator[Outcome]:
        """What each response is, before any judge, in order of items and runs; `reviewed`: as people decided it."""
        said = decided.majority(decided.abstentions(self.folder, self._items)) if reviewed else {}
        for key, record in self.records():
            yield self.reader.read(self._items[key[0]], record, reviewed=said.get(key[0]))

    def doubtful(self) -> list[tuple[str, int, str, str]]:
        """Answers of which code cannot be sure: (item, run, why, answer)."""
        return list(doubts.doubtful(self.outcomes(), self.reader))

    def records(self) -> Iterator[tuple[Key, dict[str, Any]]]:
        """The response record of each item and run; one that never came is invalid."""
        for item in self.questions.items:
            for run in range(1, self.configuration.runs + 1):
                key = item["id"], run
                record = self.state.responses.get(key)
                yield key, {"item": item["id"], "answer": "", "invalid": True} if record is None else record

    # -- the beginning ----------------------------------------------------------------------------

    def _begin(self) -> None:
        now = provenance.fingerprint(self.configuration, self.questions, self.lists)
        if self.state.begun is None:
            self._keep({"kind": "run", "format": provenance.FORMAT, "at": _now(), "fingerprint": now})
            return
        then = self.state.begun.get("fingerprint", {})
        if differing := sorted(key for key in now.keys() | then.keys() if now.get(key) != then.get(key)):
            raise Refused("another_run", path=str(self.folder), keys=", ".join(differing))

    def _keep(self, event: dict[str, Any]) -> None:
        self.journal.append(event)
        self.state.take(event)

    # -- questions --------------------------------------------------------------------------------

    def _ask_all(self) -> None:
        wanted = [
            (item["id"], run)
            for run in range(1, self.configuration.runs + 1)
            for item in self.questions.items
            if (item["id"], run) not in self.state.responses
        ]
        caller = Caller(self.configuration.pace, stop=self.stop)
        workers.each(
            wanted,
            lambda key, first: self._ask(caller, key, first=first),
            phase="asking",
            total=len(self.questions) * self.configuration.runs,
            caller=caller,
            stop=self.stop,
            progress=self._progress,
            probe=not self.state.responses,
        )

    def _ask(self, caller: Caller, key: Key, *, first: bool) -> bool:
        """Ask one question; whether the endpoint gave an answer of any kind."""
        item = self._items[key[0]]
        reply = self._without_tokens(caller.call(self._endpoint.request(item, key[1])))
        if reply.fault == CallFault.STATUS and reply.status in (401, 403):
            raise Refused("not_let_in", what="endpoint", status=reply.status)
        record: dict[str, Any] = {"item": key[0]}
        if key[1] > 1:
            record["run"] = key[1]
        fault, left_out = None, ()
        if reply.fault is not None:
            fault = _fault(reply)
            if first and not self.state.responses:
                raise Refused("first_call_failed", what="endpoint", **fault)
            if reply.fault != CallFault.TOO_LARGE:
                # Nothing was answered: another run of the same folder asks again.
                self._keep_unanswered(key, fault, reply)
                return False
        else:
            try:
                reading = self._endpoint.read(reply)
                record |= reading.record
                left_out = reading.left_out
            except Unreadable as unreadable:
                fault = {"code": unreadable.code, "detail": unreadable.detail}
                if first:
                    raise Refused("first_answer_unreadable", **fault) from unreadable
                if unreadable.code in ("html", "not_json"):
                    # A page of something that stands in front: the system itself said nothing.
                    self._keep_unanswered(key, fault, reply)
                    return False
        if fault:
            record |= {"answer": "", "invalid": True}
        record |= {"requested_at": _moment(reply.requested_at), "latency_ms": reply.latency_ms}
        if "abstained" not in record and not record.get("invalid") and self.lists.replaced:
            # The registry has the shipped list only: what another list decided is written down.
            record["abstained"] = self.reader.abstains(record["answer"], item.get("language"))
        self._keep(
            {
                "kind": "response",
                "item": key[0],
                "run": key[1],
                "record": record,
                "fault": fault,
                "left_out": list(left_out),
                "raw": self._raw(reply),
            }
        )
        return True

    def _keep_unanswered(self, key: Key, fault: Mapping[str, Any], reply: Reply) -> None:
        event = {"kind": "unanswered", "item": key[0], "run": key[1], "fault": fault, "raw": self._raw(reply)}
        self._keep(event)

    # -- judges -----------------------------------------------------------------------------------

    def _judge_all(self, judge: Judge, *, again: bool) -> None:
        """Have a judge judge what it has not: canaries, and answers, also those a person said are no abstentions."""
        caller = Caller(self.configuration.judge_pace, stop=self.stop)
        answered = [
            outcome
            for outcome in self.outcomes(reviewed=True)
            if not (outcome.hostile or outcome.abstained or outcome.invalid)
        ]
        factual = [item for item in self.questions.items if not self._hostile(item)]
        planted = judging.canaries(
            factual,
            self.configuration.canaries,
            wanted=self.configuration.prompt_language,
            primary_of=self.configuration.scheme.grouping.primary,
        )
        asked: list[tuple[Said, tuple[str, Any]]] = []
        for outcome in answered:
            said = outcome.item["id"], outcome.response.get("run", 1), judge.id
            asked.append((said, ("answer", (said, outcome))))
        asked += [((canary[0], 1, judge.id), ("canary", canary)) for canary in planted]
        known = self.state.verdicts.keys() | self.state.canaries.keys()
        silent = () if again else self.state.silent
        tasks = [task for said, task in asked if said not in known and said not in silent]
        total = len(asked)
        known = {said for said in known if said[2] == judge.id}

        def judge_one(task: tuple[str, Any], first: bool) -> bool:
            if task[0] == "canary":
                return self._judge_canary(caller, judge, task[1])
            return self._judge_answer(caller, judge, *task[1], first=first)

        workers.each(
            tasks,
            judge_one,
            phase=f"judging · {judge.id}",
            total=total,
            caller=caller,
            stop=self.stop,
            progress=self._progress,
            probe=not known,
        )

    def _hostile(self, item: Mapping[str, Any]) -> bool:
        return self.configuration.scheme.category(item["category"]).hostile

    def _judge_answer(
        self, caller: Caller, judge: Judge, said: Said, outcome: Outcome, *, first: bool
    ) -> bool:
        shown = {
            "item": outcome.item,
            "answer": outcome.response["answer"],
            "citations": outcome.response.get("citations", ()),
        }
        language = self._prompt_language(outcome.item)
        if self.configuration.eligibility:
            verdict = self.state.eligible.get(said)
            if verdict is None:
                judgement = self._judgement(
                    caller, judge, said, Stage.ELIGIBILITY, language, shown, first=first
                )
                if judgement is None:
                    return False
                verdict = asdict(judgement)
            if verdict["eligible"] is False:
                self._keep(_event(Stage.VERDICT, said, verdict))
                return True
        return self._judgement(caller, judge, said, Stage.VERDICT, language, shown, first=first) is not None

    def _judge_canary(
        self, caller: Caller, judge: Judge, canary: tuple[str, Mapping[str, Any], str, str]
    ) -> bool:
        id_, item, language, answer = canary
        shown = {"item": item, "answer": answer}
        said = id_, 1, judge.id
        return self._judgement(caller, judge, said, "canary", language, shown, first=False) is not None

    def _judgement(
        self,
        caller: Caller,
        judge: Judge,
        said: Said,
        stage: str,
        language: str,
        shown: Mapping[str, Any],
        *,
        first: bool,
    ) -> Judgement | None:
        asked_as = Stage.VERDICT if stage == "canary" else stage
        asked = judging.messages(asked_as, language, **shown)
        request = judging.request(judge, asked, token=self._judge_tokens[judge.id])
        reply = self._without_tokens(caller.call(request))
        if reply.fault == CallFault.STATUS and reply.status in (401, 403):
            raise Refused("not_let_in", what=f"judging · {judge.id}", status=reply.status)
        if reply.fault is not None:
            fault = _fault(reply)
            if first:
                raise Refused("first_call_failed", what=f"judging · {judge.id}", **fault)
            self._keep(
                {
                    "kind": "silent",
                    "item": said[0],
                    "run": said[1],
                    "judge": said[2],
                    "at": _now(),
                    "fault": fault,
                }
            )
            return None
        judgement = judging.read(reply, asked_as)
        if first and judgement.why == "not_openai":
            raise Refused("judge_not_openai", judge=judge.id, url=judge.url)
        if judgement.model and is_of_family(judgement.model, self.configuration.system["model_family"]):
            raise Refused("judge_is_of_the_family", judge=judge.id, model=judgement.model)
        raw = {**self._raw(reply), "asked": asked[-1]["content"]}
        self._keep({**_event(stage, said, asdict(judgement)), "raw": raw})
        return judgement

    def _prompt_language(self, item: Mapping[str, Any]) -> str:
        primary = self.configuration.scheme.grouping.primary(item.get("language"))
        return judging.language_of(self.configuration.prompt_language, primary)

    def _without_tokens(self, reply: Reply) -> Reply:
        """A reply in which an endpoint that sends a token back finds no way into the evidence."""
        return replace(reply, body=redacted(reply.body, self._tokens))

    def _raw(self, reply: Reply) -> dict[str, Any]:
        raw: dict[str, Any] = {
            "at": _moment(reply.requested_at),
            "latency_ms": reply.latency_ms,
            "attempts": reply.attempts,
            "status": reply.status,
            "headers": reply.headers,
        }
        try:
            raw["body"] = reply.body.decode("utf-8")
        except UnicodeDecodeError:
            raw["body_base64"] = base64.b64encode(reply.body).decode()
        return raw


def _fault(reply: Reply) -> dict[str, str]:
    """Why a call gave nothing, with the beginning of what was sent back instead: it often says what to mend."""
    said = shown(reply.body[:400].decode("utf-8", "replace").strip()) if reply.body else ""
    return {"code": str(reply.fault), "detail": f"{reply.detail} · {said}" if said else reply.detail}


def _event(stage: str, said: Said, judgement: dict[str, Any]) -> dict[str, Any]:
    return {
        "kind": "judgement",
        "stage": stage,
        "item": said[0],
        "run": said[1],
        "judge": said[2],
        "judgement": judgement,
    }


def _now() -> str:
    return _moment(datetime.now(UTC))


def _moment(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
