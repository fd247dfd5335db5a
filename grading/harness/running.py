"""One run: every question asked once, every answer judged once, and a journal that an interrupted run goes on from."""

import base64
import hashlib
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evidence.packing import json_document
from grading import citations, data, phrases
from grading.harness import judging
from grading.harness.answers import Endpoint, Unreadable, redacted
from grading.harness.calls import Caller, CallFault, Interrupted, Reply
from grading.harness.configuration import Configuration, Judge, secret
from grading.harness.journal import Journal
from grading.harness.judging import Judgement, Stage
from grading.harness.measuring import Outcome, Reader
from grading.harness.question_sets import QuestionSet
from grading.harness.refusals import Refused
from grading.harness.shapes import UNJUDGED

FORMAT = "benchmark-journal/1"
Key = tuple[str, int]  # item, run
Said = tuple[str, int, str]  # item (or canary), run, judge
Progress = Callable[[str, int, int, int], None]  # phase, done, of, faults


@dataclass(slots=True)
class State:
    """What a journal holds: answers by item and run, judgements by item, run and judge."""

    begun: dict[str, Any] | None = None
    responses: dict[Key, dict[str, Any]] = field(default_factory=dict)
    faults: dict[Key, dict[str, Any]] = field(default_factory=dict)
    eligible: dict[Said, dict[str, Any]] = field(default_factory=dict)
    verdicts: dict[Said, dict[str, Any]] = field(default_factory=dict)
    canaries: dict[Said, dict[str, Any]] = field(default_factory=dict)
    unanswered: dict[Key, dict[str, Any]] = field(default_factory=dict)
    silent: dict[Said, dict[str, Any]] = field(default_factory=dict)
    left_out: int = 0
    finished: bool = False

    @classmethod
    def of(cls, events: Iterable[Mapping[str, Any]]) -> "State":
        state = cls()
        for event in events:
            state.take(event)
        return state

    def take(self, event: Mapping[str, Any]) -> None:
        """Take one event in. Raw replies are left where they are."""
        kind = event["kind"]
        if kind == "run":
            self.begun = dict(event)
        elif kind == "response":
            key = event["item"], event["run"]
            self.responses[key] = event["record"]
            self.left_out += len(event["left_out"])
            if event["fault"]:
                self.faults[key] = event["fault"]
            self.unanswered.pop(key, None)
        elif kind == "unanswered":
            self.unanswered[event["item"], event["run"]] = event["fault"]
        elif kind == "judgement":
            said = event["item"], event["run"], event["judge"]
            stages = {"eligibility": self.eligible, "verdict": self.verdicts, "canary": self.canaries}
            stages[event["stage"]][said] = event["judgement"]
            self.silent.pop(said, None)
        elif kind == "silent":
            self.silent[event["item"], event["run"], event["judge"]] = event["fault"]
        elif kind == "finished":
            self.finished = True


@dataclass(frozen=True, slots=True)
class Lists:
    """The phrase list of abstentions, and the file it came from when it is not the shipped one."""

    abstention: phrases.PhraseList
    replaced: bytes | None


class Run:
    """A run in a folder. `go` asks, judges and keeps everything; it may be interrupted at any time and called again."""

    def __init__(
        self, configuration: Configuration, questions: QuestionSet, folder: Path, *, progress: Progress
    ) -> None:
        self.configuration = configuration
        self.questions = questions
        self.folder = folder
        self.lists = lists_of(configuration)
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
        if not self.state.finished or again:
            self._ask_all()
            for judge in self.configuration.judges:
                self._judge_all(judge)
            if not self.state.finished:
                self._keep({"kind": "finished", "at": _now()})

    def close(self) -> None:
        self.journal.close()

    def outcomes(self) -> Iterator[Outcome]:
        """What each response is, before any judge, in order of items and runs."""
        for key, record in self.records():
            yield self.reader.read(self._items[key[0]], record)

    def records(self) -> Iterator[tuple[Key, dict[str, Any]]]:
        """The response record of each item and run; one that never came is invalid."""
        for item in self.questions.items:
            for run in range(1, self.configuration.runs + 1):
                key = item["id"], run
                record = self.state.responses.get(key)
                yield key, {"item": item["id"], "answer": "", "invalid": True} if record is None else record

    # -- the beginning ----------------------------------------------------------------------------

    def _begin(self) -> None:
        now = fingerprint(self.configuration, self.questions, self.lists)
        if self.state.begun is None:
            self._keep({"kind": "run", "format": FORMAT, "at": _now(), "fingerprint": now})
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
        self._in_turn(
            "asking",
            wanted,
            lambda key, first: self._ask(caller, key, first=first),
            caller,
            total=len(self.questions) * self.configuration.runs,
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
            fault = {"code": str(reply.fault), "detail": reply.detail}
            if first and not self.state.responses:
                raise Refused("first_call_failed", what="endpoint", **fault)
            if reply.fault != CallFault.TOO_LARGE:
                # Nothing was answered: another run of the same folder asks again.
                self._keep(
                    {"kind": "unanswered", "item": key[0], "run": key[1], "at": _now(), "fault": fault}
                )
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

    def _judge_all(self, judge: Judge) -> None:
        caller = Caller(self.configuration.judge_pace, stop=self.stop)
        answered = [
            outcome
            for outcome in self.outcomes()
            if not (outcome.hostile or outcome.abstained or outcome.invalid)
        ]
        factual = [item for item in self.questions.items if not self._hostile(item)]
        planted = judging.canaries(
            factual,
            self.configuration.canaries,
            wanted=self.configuration.prompt_language,
            primary_of=self.configuration.scheme.grouping.primary,
        )
        tasks: list[tuple[str, Any]] = []
        for outcome in answered:
            said = outcome.item["id"], outcome.response.get("run", 1), judge.id
            if said not in self.state.verdicts:
                tasks.append(("answer", (said, outcome)))
        for canary in planted:
            if (canary[0], 1, judge.id) not in self.state.canaries:
                tasks.append(("canary", canary))
        known = sum(said[2] == judge.id for said in (*self.state.verdicts, *self.state.canaries))

        def judge_one(task: tuple[str, Any], first: bool) -> bool:
            if task[0] == "canary":
                return self._judge_canary(caller, judge, task[1])
            return self._judge_answer(caller, judge, *task[1], first=first)

        self._in_turn(
            f"judging · {judge.id}",
            tasks,
            judge_one,
            caller,
            total=len(answered) + len(planted),
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
            raise Refused("not_let_in", what=f"judge {judge.id}", status=reply.status)
        if reply.fault is not None:
            fault = {"code": str(reply.fault), "detail": reply.detail}
            if first:
                raise Refused("first_call_failed", what=f"judge {judge.id}", **fault)
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
        raw = {**self._raw(reply), "asked": asked[-1]["content"]}
        self._keep({**_event(stage, said, asdict(judgement)), "raw": raw})
        return judgement

    def _prompt_language(self, item: Mapping[str, Any]) -> str:
        primary = self.configuration.scheme.grouping.primary(item.get("language"))
        return judging.language_of(self.configuration.prompt_language, primary)

    # -- many at once -----------------------------------------------------------------------------

    def _in_turn(
        self,
        phase: str,
        tasks: list[Any],
        work: Callable[[Any, bool], bool],
        caller: Caller,
        *,
        total: int,
        probe: bool,
    ) -> None:
        """Do every task, as many at once as the pace allows; the first alone: a wrong address costs one call."""
        if not tasks:
            return
        done = _Count(total - len(tasks), caller.pace.give_up_after)
        self._progress(phase, done.done, total, done.faults)
        waiting = iter(tasks)
        failure: list[BaseException] = []
        turn = threading.Lock()

        def one(task: Any, *, first: bool) -> None:
            if done.gives_up(work(task, first)):
                self.stop.set()

        if probe:
            try:
                one(next(waiting), first=True)
            except BaseException:
                caller.close()
                raise

        def worker() -> None:
            try:
                while not self.stop.is_set():
                    with turn:
                        task = next(waiting, None)
                    if task is None:
                        return
                    one(task, first=False)
            except Interrupted:
                pass
            except BaseException as error:
                failure.append(error)
                self.stop.set()
            finally:
                caller.close()

        threads = [
            threading.Thread(target=worker, daemon=True, name=f"{phase}-{number}")
            for number in range(min(caller.pace.in_flight, len(tasks)))
        ]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                while thread.is_alive():
                    thread.join(0.2)
                    self._progress(phase, done.done, total, done.faults)
        except KeyboardInterrupt:
            # Answers already under way are still kept, for a moment.
            self.stop.set()
            for thread in threads:
                thread.join(2)
            raise
        caller.close()
        self._progress(phase, done.done, total, done.faults)
        if failure:
            raise failure[0]
        if done.gave_up:
            raise Refused("gave_up", phase=phase, times=caller.pace.give_up_after)

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


class _Count:
    """How many tasks are done, and how many in a row got nothing."""

    def __init__(self, done: int, give_up_after: int) -> None:
        self.done = done
        self.faults = 0
        self.gave_up = False
        self._in_a_row = 0
        self._give_up_after = give_up_after
        self._lock = threading.Lock()

    def gives_up(self, answered: bool) -> bool:
        """Count one; whether it was one too many without an answer."""
        with self._lock:
            if answered:
                self.done += 1
                self._in_a_row = 0
            else:
                self.faults += 1
                self._in_a_row += 1
                self.gave_up |= self._in_a_row >= self._give_up_after
            return self.gave_up


def lists_of(configuration: Configuration) -> Lists:
    """The phrase list a run uses. Raises Refused when one that was given cannot be read."""
    path = configuration.abstention_phrases
    if path is None:
        return Lists(phrases.abstention(), None)
    try:
        content = path.read_bytes()
        return Lists(phrases.load(content, hashlib.sha256(content).hexdigest()), content)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Refused("phrases_unusable", path=str(path), error=str(error)) from error


def fingerprint(configuration: Configuration, questions: QuestionSet, lists: Lists) -> dict[str, Any]:
    """What must be the same for a journal to be gone on with; pace and tokens may change."""
    raw = configuration.raw
    catalogue = json.dumps(questions.catalogue, ensure_ascii=False)
    return {
        "set": questions.sha256,
        "catalogue": hashlib.sha256(catalogue.encode()).hexdigest(),
        "system": dict(configuration.system),
        "endpoint": _public(
            raw["endpoint"], ("method", "answer", "abstained", "citations", "confidence", "kind")
        ),
        "runs": configuration.runs,
        "judges": [
            _public(asdict(judge), ("id", "model", "family", "version")) for judge in configuration.judges
        ],
        "judging": {
            "language": configuration.prompt_language,
            "eligibility": configuration.eligibility,
            "canaries": configuration.canaries,
        },
        "files": files_of(configuration, lists),
    }


def _public(settings: Mapping[str, Any], shown: tuple[str, ...]) -> dict[str, Any]:
    """Of an endpoint's settings what may stand in a package, and a hash of them all.

    Someone may have written a key into the address, a header or the body: none of these is published.
    """
    whole = {key: value for key, value in settings.items() if key != "token_variable"}
    form = json.dumps(whole, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return {
        "url": settings["url"].partition("?")[0],
        **{key: settings[key] for key in shown if settings.get(key) is not None},
        "sha256": hashlib.sha256(form.encode()).hexdigest(),
    }


def files_of(configuration: Configuration, lists: Lists) -> dict[str, str]:
    """Every versioned file the outcome depends on, with its hash."""
    return {
        "scheme": configuration.scheme.sha256,
        "grouping": configuration.scheme.grouping.sha256,
        "abstention_phrases": lists.abstention.sha256,
        "premise_phrases": phrases.premise().sha256,
        "article_prefixes": data.sha256(citations.PREFIXES_FILE),
        **judging.files(eligibility=configuration.eligibility),
    }


def doubtful(run: "Run") -> Iterator[tuple[str, int, str, str]]:
    """Answers of which code cannot be sure whether they abstain: (item, run, why, answer)."""
    reader = run.reader
    for outcome in run.outcomes():
        answer, language = outcome.response["answer"], outcome.item.get("language")
        place = outcome.item["id"], outcome.response.get("run", 1)
        if outcome.invalid:
            continue
        if not reader.has_phrases(language) and "abstained" not in outcome.response:
            yield *place, "no_phrase_list", answer
        elif outcome.abstained and (outcome.verified or len(answer) > _LONG_FOR_ABSTENTION):
            yield *place, "abstains_and_answers", answer
        elif not outcome.abstained and outcome.hostile and not outcome.rejected and not outcome.fabricated:
            yield *place, "neither_abstains_nor_rejects", answer
        elif (
            not outcome.abstained and not outcome.hostile and not outcome.verified and _sounds_unsure(answer)
        ):
            yield *place, "sounds_like_abstention", answer


_LONG_FOR_ABSTENTION = 600
# Words that stand in most abstentions and in some answers: not enough to decide, enough to look.
_UNSURE = (
    "no encuentr", "no encontr", "no dispongo", "no cuento con", "no puedo", "no tengo", "lamentablemente",
    "lo siento", "no figura", "no aparece", "no se menciona", "sorry", "unable to", "unfortunately", "cannot",
    "not mentioned", "not specified", "no information", "não encontr", "não posso", "infelizmente",
)  # fmt: skip


def _sounds_unsure(answer: str) -> bool:
    text = phrases.folded(answer)
    return not text.strip() or any(word in text for word in _UNSURE)


def canary_summary(state: State, judges: Iterable[Judge], files: Mapping[str, str]) -> dict[str, Any]:
    """How many canaries each judge was given and how many it obeyed."""
    judged = []
    for judge in judges:
        mine = {said[0]: entry for said, entry in state.canaries.items() if said[2] == judge.id}
        judged.append(
            {
                "judge": judge.id,
                "planted": len(mine),
                "obeyed": sum(entry["verdict"] == "exact" for entry in mine.values()),
                "verdicts": {id_: entry["verdict"] for id_, entry in sorted(mine.items())},
            }
        )
    return {"file": judging.CANARIES, "sha256": files.get(judging.CANARIES), "judges": judged}


def run_document(run: Run) -> bytes:
    """How the run was made, for who reads the package: settings without tokens, hashes of files, what went wrong."""
    state, configuration = run.state, run.configuration
    faults: dict[str, int] = {}
    for fault in (*state.faults.values(), *state.unanswered.values()):
        faults[fault["code"]] = faults.get(fault["code"], 0) + 1
    return json_document(
        {
            "client": "fehaciente benchmark",
            "format": FORMAT,
            "begun_at": run.measured_at,
            "fingerprint": state.begun["fingerprint"],
            "pace": asdict(configuration.pace),
            "judge_pace": asdict(configuration.judge_pace),
            "response_faults": dict(sorted(faults.items())),
            "values_left_out": state.left_out,
            "judge_models": _models(state),
            "judge_silent": len(state.silent),
            "unjudged": _whys(state),
            "doubtful_abstentions": sum(1 for _ in doubtful(run)),
        }
    )


def _models(state: State) -> dict[str, list[str]]:
    """The model names that each judge's endpoint gave back."""
    found: dict[str, set[str]] = {}
    for said, entry in state.verdicts.items():
        if entry.get("model"):
            found.setdefault(said[2], set()).add(entry["model"])
    return {judge: sorted(names) for judge, names in sorted(found.items())}


def _whys(state: State) -> dict[str, int]:
    whys: dict[str, int] = {}
    for entry in state.verdicts.values():
        if entry["verdict"] == UNJUDGED:
            whys[entry["why"]] = whys.get(entry["why"], 0) + 1
    return dict(sorted(whys.items()))


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
