"""Registering, closing and abandoning agent runs: the only writer of a run until it is graded.

Locks: the run's counter first, as each arrival does in the recorder, then the run. Whoever stops the counter knows that
nothing is recorded afterwards. What follows a closing (its package) is done by the sweep if whoever closed was killed.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from evidence import identities, operators, proposals, run_numbers, run_records, series_events
from evidence.models import CaseVariant, Closing, Run, RunCounter, RunEvent, RunToken, Series
from evidence.models.run import RECORDING_STATES, RunOutcome, RunState, RunStep
from evidence.models.test_case import TargetKind
from evidence.recorder import here, tokens
from evidence.recorder.headers import Naming
from evidence.typed_json import is_unsafe_name
from evidence.versions import is_floating
from registry_site import audit, outbox, public_events, roles, sweeping
from registry_site.models import AuditEntry, NumberSeries, Person, User
from registry_site.problems import NotAllowed, Refusal

TOKEN_HOLDS = timedelta(hours=24)
CIRCUIT_CHECK_HOLDS = timedelta(minutes=15)
# Of a closed run, the time in which its marks are expected; overdue surfaces with the staff and decides nothing.
GRADED_WITHIN = timedelta(days=30)
LONGEST_ANSWER = 200_000
LONGEST_NOTE = 1000
LONGEST_TEXT = 200
MOST_TOOLS = 20
MOST_INTERVENTIONS = 100

PERMISSION = _(
    "I have the permission of whoever answers for the system to test it, and to have the result published."
)
REGISTERED = "run.registered"
ABANDONED = "run.abandoned"
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,4}")
_LABEL = re.compile(r"(?<![a-z0-9])[a-z2-7]{26}(?![a-z0-9])", re.IGNORECASE)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
# What somebody may have handed to the agent while it ran. The first three end its autonomy for good.
INTERVENTIONS = {
    "routes": _("addresses of the site, or which way to go"),
    "criteria": _("what is looked at when the run is graded"),
    "corrections": _("corrections of what it did or answered"),
    "other_help": _("any other human help"),
}
INVALIDATING = ("routes", "criteria", "corrections")
# (es, en): public, and fixed, so that both languages say the same.
_WHY = {
    "routes": ("se entregaron rutas al agente", "routes were handed to the agent"),
    "criteria": ("se entregaron criterios de evaluación al agente", "criteria were handed to the agent"),
    "corrections": ("se corrigió al agente", "the agent was corrected"),
    "knew_catalogue": (
        "el sistema ya conocía el catálogo de pruebas",
        "the system knew the catalogue of tests before",
    ),
}
_EVENT_TYPES = {
    RunStep.REGISTER: REGISTERED,
    RunStep.CLOSE: "run.closed",
    RunStep.INVALIDATE: "run.invalidated",
    RunStep.ABANDON: ABANDONED,
}


class IncompleteRun(Refusal):
    """Something that must be declared is missing or cannot be taken; `field` names it."""

    code = "incomplete_run"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = _("The run cannot be registered so")


class SeriesFull(Refusal):
    """Every planned run is registered, whatever became of it."""

    code = "series_full"
    title = _("All the planned runs of this series are registered")


class RegisteredAlready(Refusal):
    """The same form was sent twice: `run` is the number of what the first one registered."""

    code = "run_registered_already"
    title = _("This run is registered already: its token was shown once")


class NotRecording(Refusal):
    """The run was closed or abandoned before; `state` and `at` say what happened."""

    code = "run_not_recording"
    title = _("This run is not recorded any more")


class RecordedAlready(Refusal):
    """Requests have been recorded: whoever made them has the token."""

    code = "run_has_requests"
    title = _("New secrets are made only while nothing has been recorded")


@dataclass(frozen=True, slots=True)
class System:
    """What is put to the test, as its operator names it."""

    holder: str
    name: str
    version: str
    model_family: str


@dataclass(frozen=True, slots=True)
class Operation:
    """Who operates the agent and with what; name and contact are never in a package or a public event."""

    name: str
    email: str
    permission: str
    tools: Sequence[str]
    language: str
    clean_session: bool


@dataclass(frozen=True, slots=True)
class Intervention:
    kind: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class HandedOut:
    """A run with its two secrets: the only moment at which they exist in clear."""

    run: Run
    token: str
    label: str


@dataclass(frozen=True, slots=True)
class Entry:
    """Where the agent begins: a host name of the run's own, or an address without one for whoever sends the token.

    `text` and `text_without_name` are the assignment with the one or the other filled in.
    """

    by_name: str
    text: str
    without_name: str
    text_without_name: str


# ── the rows ─────────────────────────────────────────────────────────────────


def of(person: Person) -> QuerySet[Run]:
    """The runs that a person registered, newest first: two accounts of one person are one operator."""
    return (
        Run.objects.filter(operator__person=person)
        .select_related(
            "variant__case", "series", "system_version__system__holder", "token", "counter", "closing_package"
        )
        .order_by("-pk")
    )


def find(number: str, *, person: Person | None) -> Run | None:
    """A run by its number as somebody writes it, if that person registered it."""
    stored = run_numbers.parse(number)
    return of(person).filter(number=stored).first() if stored and person is not None else None


def variant_to_check() -> CaseVariant | None:
    """What a check of the circuit runs against: the newest variant of the built-in site."""
    return (
        CaseVariant.objects.select_related("case")
        .filter(target__kind=TargetKind.OBSERVED_SITE)
        .order_by("-pk")
        .first()
    )


def technical(number: str, *, token: str) -> Run | None:
    """A check of the circuit, for whoever has its token."""
    return Run.objects.filter(
        number=number, outcome=RunOutcome.TECHNICAL, operator=None, token__token_sha256=tokens.digest(token)
    ).first()


def counted(series: Series) -> int:
    """How many of its planned runs are used up: every one that was registered, whatever became of it.

    Whoever could register another one for each that went wrong would choose among results. Only what the registry
    itself interrupted does not count.
    """
    return Run.objects.filter(series=series, our_fault=False).exclude(outcome=RunOutcome.TECHNICAL).count()


def entry_of(handed: HandedOut) -> Entry:
    """The addresses of a run, and its literal text with each of them."""
    addresses = here.addresses()
    assignment = handed.run.variant.case.assignment
    by_name, without_name = addresses.entry(handed.label), addresses.nameless()
    return Entry(
        by_name=by_name,
        text=assignment.replace("{start_domain}", by_name),
        without_name=without_name,
        text_without_name=assignment.replace("{start_domain}", without_name),
    )


# ── registering ──────────────────────────────────────────────────────────────


def refusal_of_series(series: Series, *, at: datetime) -> Refusal | None:
    """Why no autonomous run may be registered in a series now, or None."""
    if refusal := series_events.refusal_to_register(series, at=at):
        return refusal
    if counted(series) >= series.planned_runs:
        return SeriesFull(planned=series.planned_runs)
    return None


@transaction.atomic
def register(
    series: Series, *, by: User, system: System, operation: Operation, at: datetime, once: str = ""
) -> HandedOut:
    """Register an autonomous run of a series. `once` names the form: sent twice, it registers one run.

    Raises NotAllowed, RegisteredAlready, SeriesFull, what `series_events` refuses, IncompleteRun.
    """
    if refusal := operators.refusal_to_operate(by):
        raise refusal
    # Locked first: the last place may be taken, or the rubric revealed, in this moment.
    series_events.lock(series)
    if once:
        _require_first(once, by=by)
    if refusal := refusal_of_series(series, at=at):
        raise refusal
    operation, version = _checked_operation(operation), _pinned(system, at=at)
    year, serial = NumberSeries.take("run", at=at)
    variant = series.variant
    run = Run.objects.create(
        number=run_numbers.run_number(year=year, serial=serial),
        variant=variant,
        series=series,
        operator=by,
        operator_name=operation.name,
        contact_email=operation.email,
        permission=operation.permission,
        system_version=version,
        tools=list(operation.tools),
        language=operation.language,
        clean_session=True,
        # As it may stay: where the agent reads an address of its own, the start domain stands here.
        delivered=variant.assignment,
        registered_at=at,
        deadline_at=at + TOKEN_HOLDS,
    )
    series_events.opened(series, at=at)
    handed = _hand_out(run, holds=TOKEN_HOLDS, at=at)
    _note(
        run,
        RunStep.REGISTER,
        by=by.person,
        at=at,
        fixed={
            "series": series.code,
            "commitment": series.commitment,
            "case": variant.case.code,
            "case_version": variant.case.version,
            "start_domain": variant.start_domain,
            "assignment_sha256": variant.sha256,
            "holder": version.system.holder.name,
            "system": version.system.name,
            "version": version.version,
            "tools": run.tools,
            "language": run.language,
            "token_sha256": tokens.digest(handed.token),
        },
    )
    audit.record(REGISTERED, by=by.person, at=at, subject=_subject(run), once=once)
    _tell(REGISTERED, run, language=by.language, at=at)
    return handed


@transaction.atomic
def register_technical(variant: CaseVariant, *, at: datetime) -> HandedOut:
    """A run that only checks the circuit: nobody's, of no system, never graded, certified or compared."""
    year, serial = NumberSeries.take("circuit_check", at=at)
    run = Run.objects.create(
        number=run_numbers.circuit_check_number(year=year, serial=serial),
        variant=variant,
        outcome=RunOutcome.TECHNICAL,
        tools=["http"],
        language=variant.case.language,
        clean_session=False,
        delivered=variant.assignment,
        registered_at=at,
        deadline_at=at + CIRCUIT_CHECK_HOLDS,
    )
    handed = _hand_out(run, holds=CIRCUIT_CHECK_HOLDS, at=at)
    _note(run, RunStep.REGISTER, by=None, at=at)
    _note(run, RunStep.MAKE_TECHNICAL, by=None, at=at)
    return handed


@transaction.atomic
def hand_out_again(run: Run, *, by: User, at: datetime) -> HandedOut:
    """New secrets in the place of those that were lost, while nothing has been recorded; the old ones are dead.

    The 24 hours go on from the first time.
    """
    run = _locked(run)
    _require_own(run, by)
    _require_recording(run, at=at)
    if run.counter.last_sequence:
        raise RecordedAlready(_("Close this run, and register another one if its series has room."))
    token, label = tokens.new_token(), tokens.new_label()
    run.token.token_sha256, run.token.label_sha256 = tokens.digest(token), tokens.digest(label)
    run.token.save(update_fields=["token_sha256", "label_sha256"])
    audit.record("run.secrets_renewed", by=by.person, at=at, subject=_subject(run))
    return HandedOut(run, token, label)


def _hand_out(run: Run, *, holds: timedelta, at: datetime) -> HandedOut:
    token, label = tokens.new_token(), tokens.new_label()
    RunToken.objects.create(
        run=run,
        token_sha256=tokens.digest(token),
        label_sha256=tokens.digest(label),
        issued_at=at,
        expires_at=at + holds,
    )
    RunCounter.objects.create(run=run)
    return HandedOut(run, token, label)


def _require_first(once: str, *, by: User) -> None:
    with connection.cursor() as cursor:
        # Two presses of one form may name two series.
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"run form:{once}"])
    known = AuditEntry.objects.filter(person=by.person, action=REGISTERED, detail__once=once).first()
    if known is not None:
        raise RegisteredAlready(run=known.subject.removeprefix("run:"))


def _checked_operation(operation: Operation) -> Operation:
    name = _name(operation.name, "operator_name")
    if not operation.email.strip():
        raise IncompleteRun(_("Write the contact e-mail."), code="contact_needed", field="contact_email")
    if not operation.permission.strip():
        raise IncompleteRun(
            _("Without permission to test the system no run is registered."),
            code="permission_needed",
            field="permission",
        )
    if not operation.clean_session:
        raise IncompleteRun(
            _("Only a new session, without memory of this site, can be evaluated."),
            code="clean_session_needed",
            field="clean_session",
        )
    tools = tuple(dict.fromkeys(_name(tool, "tools") for tool in operation.tools))
    if not tools or len(tools) > MOST_TOOLS:
        raise IncompleteRun(
            _("Say which tools the agent has: at least one."), code="tools_needed", field="tools"
        )
    if not _LANGUAGE.fullmatch(operation.language):
        raise IncompleteRun(
            _("Write the language as a tag such as «es» or «es-CL»."),
            code="unknown_language",
            field="language",
        )
    return Operation(
        name=name,
        email=operation.email.strip(),
        permission=operation.permission.strip(),
        tools=tools,
        language=operation.language,
        clean_session=True,
    )


def _pinned(system: System, *, at: datetime) -> Any:
    """The version row of these names; what is not known yet is proposed, as for a package that names it."""
    if is_floating(system.version):
        raise IncompleteRun(
            _("Name one version that stays what it is: «latest» and the like mean another system tomorrow."),
            code="version_floating",
            field="version",
        )
    return proposals.version_named(
        holder=_name(system.holder, "holder"),
        system=_name(system.name, "system"),
        version=_name(system.version, "version"),
        model_family=_name(system.model_family, "model_family"),
        at=at,
    )


def _name(text: str, field: str) -> str:
    text = " ".join(text.split())
    if not text or len(text) > LONGEST_TEXT:
        raise IncompleteRun(
            _("Write it in 1 to %(longest)d characters.") % {"longest": LONGEST_TEXT},
            code="text_needed",
            field=field,
        )
    if field in ("holder", "system", "version", "model_family"):
        try:
            return identities.checked_name(text)
        except identities.BadIdentity as refusal:
            raise IncompleteRun(refusal.detail, code=refusal.code, field=field) from refusal
    if is_unsafe_name(text):
        raise IncompleteRun(
            _("It holds control characters or marks that turn the direction of writing."),
            code="unsafe_text",
            field=field,
        )
    return text


# ── closing ──────────────────────────────────────────────────────────────────


def refusal_to_close(run: Run, *, at: datetime) -> NotRecording | None:
    """Why a run cannot be closed any more, or None; says what became of it, and when."""
    if run.state == RunState.ABANDONED or (run.state in RECORDING_STATES and at >= run.deadline_at):
        return NotRecording(
            _("Its time was over before it was closed: it is abandoned."),
            code="run_abandoned",
            state=str(RunState.ABANDONED),
            at=run.deadline_at.isoformat(),
        )
    if run.state not in RECORDING_STATES:
        return NotRecording(
            _("This run was closed already: nothing was recorded again."),
            code="run_closed",
            state=str(run.state),
            at=run.closed_at.isoformat(),
        )
    return None


@transaction.atomic
def close(
    run: Run,
    *,
    answer: str,
    interventions: Iterable[Intervention],
    knew_catalogue: bool,
    by: User,
    at: datetime,
) -> Run:
    """Stop recording, keep the answer as delivered, and say of the run what its declarations make of it.

    Raises NotRecording for what was closed or abandoned before, IncompleteRun, NotAllowed.
    """
    run = _locked(run)
    _require_own(run, by)
    at = _after_arrivals(run, at=at)
    _require_recording(run, at=at)
    declared = _checked_interventions(interventions)
    answer = _as_it_may_stay(run, _checked_answer(answer))
    Closing.objects.create(
        run=run,
        answer=answer,
        interventions=[
            {"kind": one.kind, **({"note": _as_it_may_stay(run, one.note)} if one.note else {})}
            for one in declared
        ],
        knew_catalogue=knew_catalogue,
        at=at,
        by=by.person,
    )
    against = [kind for kind in INVALIDATING if any(one.kind == kind for one in declared)]
    if knew_catalogue:
        against.append("knew_catalogue")
    run.outcome = run_records.outcome_of(declared, knew_catalogue=knew_catalogue) or ""
    _stop(run, at=at)
    run.state, run.closed_at = RunState.CLOSED, at
    run.deadline_at = None if against else at + GRADED_WITHIN
    run.save(update_fields=["state", "closed_at", "outcome", "deadline_at"])
    _note(
        run,
        RunStep.CLOSE,
        by=by.person,
        at=at,
        fixed={
            "requests": run.counter.last_sequence,
            "answer_sha256": tokens.digest(answer),
            "interventions": sorted({one.kind for one in declared}),
            "knew_catalogue": knew_catalogue,
            "outcome": run.outcome or None,
        },
    )
    if against:
        spanish, english = ("; ".join(_WHY[kind][which] for kind in against) for which in (0, 1))
        _note(
            run,
            RunStep.INVALIDATE,
            by=by.person,
            at=at,
            fixed={"reasons": against},
            reason_es=f"Declarado por quien la operó: {spanish}.",
            reason_en=f"Declared by its operator: {english}.",
        )
    elif declared:
        _note(run, RunStep.ASSIST, by=by.person, at=at)
    audit.record("run.closed", by=by.person, at=at, subject=_subject(run), outcome=run.outcome)
    return run


def _checked_interventions(interventions: Iterable[Intervention]) -> list[Intervention]:
    declared = [_checked_intervention(one) for one in interventions]
    if len(declared) > MOST_INTERVENTIONS:
        # More than a package can say would leave the run without one.
        raise IncompleteRun(
            _("Name at most %(most)d interventions.") % {"most": MOST_INTERVENTIONS},
            code="too_many_interventions",
            field="interventions",
        )
    return declared


def _checked_intervention(one: Intervention) -> Intervention:
    if one.kind not in INTERVENTIONS:
        raise IncompleteRun(
            _("There is no such kind of intervention."), code="unknown_intervention", field="interventions"
        )
    note = one.note.strip()
    if len(note) > LONGEST_NOTE or _UNSTORABLE.search(note):
        raise IncompleteRun(
            _("A note has at most %(longest)d characters.") % {"longest": LONGEST_NOTE},
            code="note_too_long",
            field="interventions",
        )
    return Intervention(one.kind, note)


def _checked_answer(answer: str) -> str:
    if len(answer) > LONGEST_ANSWER:
        raise IncompleteRun(
            _("An answer has at most %(longest)d characters.") % {"longest": LONGEST_ANSWER},
            code="answer_too_long",
            field="answer",
        )
    if _UNSTORABLE.search(answer):
        raise IncompleteRun(
            _("The answer holds characters that are no text (U+0000)."), code="answer_no_text", field="answer"
        )
    return answer


def _as_it_may_stay(run: Run, text: str) -> str:
    """What the agent wrote, with the start domain for the addresses that were this run's alone, and without tokens."""
    addresses = here.addresses()
    start_domain = run.variant.start_domain
    text = Naming(start_domain=start_domain, client="", domain=addresses.domain, hosts=addresses.own).public(
        text
    )
    # The label by itself: it is not known here, and each word of its length is compared by digest.
    return _LABEL.sub(
        lambda word: start_domain if tokens.digest(word[0].lower()) == run.token.label_sha256 else word[0],
        text,
    )


# ── what the clock and the registry do ───────────────────────────────────────


def abandon_due(*, at: datetime) -> int:
    """Abandon what was not closed in time; returns how many. Safe to run at any time."""
    due = Run.objects.filter(state__in=RECORDING_STATES, deadline_at__lte=at).order_by("pk")
    return sweeping.each(due, lambda run: abandon(run, at=at))


@transaction.atomic
def abandon(run: Run, *, at: datetime) -> bool:
    """Its token's time is over and nobody closed it: listed as abandoned. False when it was closed meanwhile.

    A check of the circuit has no operator who could have closed it: it is closed by the clock.
    """
    run = _locked(run)
    if run.state not in RECORDING_STATES or at < run.deadline_at:
        return False
    _stop(run, at=at)
    run.deadline_at = None
    if run.outcome == RunOutcome.TECHNICAL:
        run.state, run.closed_at = RunState.CLOSED, at
    else:
        run.state = RunState.ABANDONED
    run.save(update_fields=["state", "closed_at", "deadline_at"])
    if run.outcome == RunOutcome.TECHNICAL:
        _note(run, RunStep.CLOSE, by=None, at=at)
        return True
    _note(run, RunStep.ABANDON, by=None, at=at, fixed={"requests": run.counter.last_sequence})
    _tell(ABANDONED, run, language=run.operator.language, at=at)
    return True


# ── parts ────────────────────────────────────────────────────────────────────


def _locked(run: Run) -> Run:
    """The run as it is now, counter and token with it; nothing arrives until the transaction ends."""
    counter = RunCounter.objects.select_for_update().get(run_id=run.pk)
    run = (
        Run.objects.select_for_update(of=("self",))
        .select_related("variant__case", "series", "operator", "system_version__system__holder", "token")
        .get(pk=run.pk)
    )
    run.counter = counter
    return run


def _after_arrivals(run: Run, *, at: datetime) -> datetime:
    """The instant, or that of the last arrival if whoever closes had waited for it."""
    last = run.arrivals.order_by("-sequence").values_list("at", flat=True).first()
    return max(at, last) if last else at


def _stop(run: Run, *, at: datetime) -> None:
    run.counter.stopped_at = run.token.ended_at = at
    run.counter.save(update_fields=["stopped_at"])
    run.token.save(update_fields=["ended_at"])


def _require_own(run: Run, by: User) -> None:
    person = roles.person_of(by)
    if person is None or run.operator is None or run.operator.person_id != person.pk:
        raise NotAllowed(_("Only whoever registered a run closes it."), code="run_of_another")


def _require_recording(run: Run, *, at: datetime) -> None:
    if refusal := refusal_to_close(run, at=at):
        raise refusal


def _note(
    run: Run,
    step: RunStep,
    *,
    by: Person | None,
    at: datetime,
    fixed: dict[str, Any] | None = None,
    **reasons: str,
) -> None:
    public = None
    # What only checks the circuit is nobody's fact.
    if step in _EVENT_TYPES and run.outcome != RunOutcome.TECHNICAL:
        public = public_events.append(
            _EVENT_TYPES[step], subject=run.number, at=at, document={"run": run.number, **(fixed or {})}
        )
    RunEvent.objects.create(run=run, step=step, at=at, by=by, public_event=public, **reasons)


def _tell(kind: str, run: Run, *, language: str, at: datetime) -> None:
    outbox.queue(
        kind,
        to=run.contact_email,
        language=language,
        at=at,
        concerns=f"run:{run.number}",
        path=f"/runs/{run.number}/",
        run=run.number,
    )


def _subject(run: Run) -> str:
    return f"run:{run.number}"
