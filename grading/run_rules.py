"""Who may mark a run, comment on its marks, invalidate, withhold and publish it, and when. Reads only.

Pages hide their buttons by these refusals, and `grading.run_grading` asks the very same.
"""

from datetime import datetime

from django.utils.translation import gettext_lazy as _

from evidence import interests, memberships
from evidence.models import Run
from evidence.models.package import PackageState
from evidence.models.run import RunOutcome, RunState
from grading import run_sealing
from registry_site import roles
from registry_site.models import User
from registry_site.problems import NotAllowed, Refusal
from registry_site.roles import Role

# These are never marked, whatever their state.
NEVER_GRADED = frozenset({RunOutcome.INVALIDATED, RunOutcome.TECHNICAL})
# From its closing on, a result that is nobody's but the staff's, and its operator's under review.
UNPUBLISHED = (RunState.CLOSED, RunState.GRADED, RunState.IN_REVIEW)
MOST_COMMENTS = 10


class RunRefused(Refusal):
    """The run does not allow this step now; `code` says why, `state` where it stands."""

    code = "run_out_of_order"
    title = _("The run does not allow this step now")


# ── marks ────────────────────────────────────────────────────────────────────


def refusal_to_grade(user: User, run: Run, *, at: datetime) -> Refusal | None:
    """Why `user` may not mark this run, whatever its state: an evaluator without a tie to whoever is evaluated."""
    return _refusal_without_role(
        user, Role.EVALUATOR, _("Runs are marked by an evaluator.")
    ) or _refusal_for_ties(user, run, at)


def refusal_to_mark(user: User, run: Run, *, at: datetime) -> Refusal | None:
    """A first mark, and the end of marking: of a closed run whose closing package is intact."""
    return refusal_to_grade(user, run, at=at) or refusal_of_unmarkable(run)


def refusal_of_unmarkable(run: Run) -> Refusal | None:
    """Why a run is not marked now, by nobody and no code."""
    if run.outcome in NEVER_GRADED or run.state == RunState.ABANDONED:
        return RunRefused(
            _("Invalidated, abandoned and technical runs are listed and never marked."),
            code="run_never_graded",
            state=run.state,
        )
    if run.state != RunState.CLOSED:
        return _out_of_order(run)
    package = run.closing_package
    if package is None or package.state != PackageState.READY:
        return RunRefused(
            _("The evidence of the run has not been verified yet."), code="run_not_verified", state=run.state
        )
    return None


def refusal_to_change_mark(user: User, run: Run, *, at: datetime) -> Refusal | None:
    """Until the result is published; then the marks are frozen."""
    if refusal := refusal_to_grade(user, run, at=at):
        return refusal
    if run.outcome in NEVER_GRADED or run.state not in UNPUBLISHED:
        return _out_of_order(run)
    return None


def refusal_to_open_review(run: Run) -> Refusal | None:
    """Why the operator does not see the marks yet, or None: they tell of the rubric while runs may still begin."""
    if run.state != RunState.GRADED or run.outcome in NEVER_GRADED:
        return _out_of_order(run)
    if run_sealing.standing_of(run.series).ended_at is None:
        return RunRefused(
            _("The series is still open: its marks would give the rubric away to the next run."),
            code="series_open",
            state=run.state,
        )
    return None


# ── the operator ─────────────────────────────────────────────────────────────


def refusal_to_read_review(user: User, run: Run) -> Refusal | None:
    """The marks before publication are for whoever registered the run, and nobody else outside."""
    person = roles.person_of(user)
    if person is not None and run.operator is not None and run.operator.person_id == person.pk:
        return None
    return NotAllowed(_("This run was registered by another operator."), code="not_of_the_operator")


def refusal_to_end_review(user: User, run: Run, *, at: datetime) -> Refusal | None:
    """The operator may say that there is nothing to add before the period is over."""
    if refusal := refusal_to_read_review(user, run):
        return refusal
    if run.state != RunState.IN_REVIEW or run.outcome in NEVER_GRADED:
        return _out_of_order(run)
    if at > run.review_until:
        return RunRefused(_("The period to comment is over."), code="review_over", state=run.state)
    return None


def refusal_to_comment(user: User, run: Run, *, at: datetime) -> Refusal | None:
    """The operator comments while the review lasts."""
    if refusal := refusal_to_end_review(user, run, at=at):
        return refusal
    if run.comments.count() >= MOST_COMMENTS:
        return RunRefused(
            _("There are as many comments as are taken."), code="too_many_comments", state=run.state
        )
    return None


# ── outcomes and publication ─────────────────────────────────────────────────


def refusal_to_invalidate(user: User, run: Run, *, at: datetime) -> Refusal | None:
    """From its closing on, also of a published one: it was no autonomous run."""
    if refusal := refusal_to_grade(user, run, at=at):
        return refusal
    if run.outcome in NEVER_GRADED or run.state not in (*UNPUBLISHED, RunState.PUBLISHED):
        return _out_of_order(run)
    return None


def refusal_to_declare_assisted(user: User, run: Run, *, at: datetime) -> Refusal | None:
    return refusal_to_invalidate(user, run, at=at) or (
        _out_of_order(run) if run.outcome == RunOutcome.ASSISTED else None
    )


def refusal_to_withhold(user: User, run: Run, *, at: datetime) -> Refusal | None:
    """Not by whoever marked it: who does not like a result must not be able to make it disappear."""
    if refusal := (
        _refusal_without_role(
            user,
            Role.CERTIFIER,
            _("Whether a result stays unpublished needs the role that decides on certification."),
        )
        or _refusal_for_ties(user, run, at)
    ):
        return refusal
    if run.marks.filter(by=roles.person_of(user)).exists():
        return NotAllowed(
            _("You marked this run: others decide whether it is published."), code="marked_the_run"
        )
    if run.outcome in NEVER_GRADED or run.state not in UNPUBLISHED:
        return _out_of_order(run)
    return None


def refusal_to_publish(run: Run, *, at: datetime) -> Refusal | None:
    """Why the result is not public yet, whoever asks: the clock decides, and silence publishes."""
    if run.state != RunState.IN_REVIEW or run.outcome in NEVER_GRADED:
        return _out_of_order(run)
    if at <= run.review_until:
        return RunRefused(
            _("The operator may still comment on the marks."), code="review_not_over", state=run.state
        )
    standing = run_sealing.standing_of(run.series)
    if standing.ended_at is None:
        return RunRefused(
            _("The series is still open: a result would give its rubric away to the next run."),
            code="series_open",
            state=run.state,
        )
    if not standing.is_exposed:
        return RunRefused(_("The rubric has not been revealed yet."), code="rubric_sealed", state=run.state)
    if at < run_sealing.publishable_from(run.series, review_until=run.review_until):
        return RunRefused(
            _("The publication delay has not passed yet."), code="publication_delayed", state=run.state
        )
    return None


def _out_of_order(run: Run) -> RunRefused:
    return RunRefused(state=run.state)


def _refusal_without_role(user: User, role: Role, told: object) -> Refusal | None:
    person = roles.person_of(user)
    if person is None:
        return NotAllowed(_("This is done by a person, not by a service account."), code="not_a_person")
    if not roles.holds(user, role):
        return NotAllowed(told, code="role_missing", role=role)
    return roles.refusal_after_recovery(person)


def _refusal_for_ties(user: User, run: Run, at: datetime) -> Refusal | None:
    """Rule 3, and that nobody marks a run of one's own."""
    person = roles.person_of(user)
    if run.operator is not None and run.operator.person_id == person.pk:
        return NotAllowed(_("You registered this run yourself."), code="own_run")
    if run.system_version is None:
        return None
    holder = run.system_version.system.holder
    if (
        memberships.weighs(person, holder, at=at)
        or interests.weighing(holder, at=at).filter(person=person).exists()
    ):
        return NotAllowed(
            _("You cannot act on this run: you have a tie to the holder of the system (rule 3)."),
            code="tie_to_the_holder",
            rule=3,
        )
    return None
