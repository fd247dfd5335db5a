"""The rules of a decision as a list with ticks: read from the one refusal that `policies` gives.

Policies ask their rules in a fixed order and stop at the first that forbids. So every line before it is met,
its own line is not, and of the lines behind it nothing is known yet.
"""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _

from certificates.appeal_states import AppealStep
from certificates.report_states import ReportStep
from certificates.states import Decision
from registry_site.problems import Refusal

Line = tuple[frozenset[str], Any]
Tick = tuple[bool | None, Any]

_NO_INTEREST: Line = (
    frozenset({"declared_interest", "person_of_the_holder"}),
    _("You have declared no interest in this holder, and are no person of it (rule 3)."),
)
_PERSON: list[Line] = [
    (frozenset({"not_a_person", "role_missing"}), _("You hold the role that decides on certification.")),
    (frozenset({"took_part_in_evaluation"}), _("You took no part in the evaluation (rule 1).")),
    _NO_INTEREST,
]
_DECIDED: Line = (frozenset({"already_certified", "already_refused"}), _("Nothing was decided on it before."))
_MEASUREMENT: list[Line] = [
    (
        frozenset({"fewer_than_three_people"}),
        _("Evaluation, certification and appeals are held by three people (rule 4)."),
    ),
    _DECIDED,
    (frozenset({"integrity_not_verified"}), _("The evidence is intact and was checked whole.")),
    (
        frozenset({"run_not_recorded_here", "run_not_graded", "run_not_autonomous", "run_not_published"}),
        _("An agent run was recorded here, without help, and its result is published."),
    ),
    (
        frozenset({"evidence_too_old", "measured_in_the_future"}),
        _("The evidence is no older than the scheme allows."),
    ),
    (frozenset({"declared_figures_differ"}), _("The declared figures coincide with the recomputed ones.")),
    (frozenset({"system_of_the_operator", "identity_not_confirmed"}), _("Holder and system are confirmed.")),
    (
        frozenset({"criteria_not_met", "set_exposed"}),
        _("The acceptance criterion of the scheme, if it has one, is met."),
    ),
    (
        frozenset({"not_the_first_measurement"}),
        _(
            "It is the first measurement of this version, or it supersedes the certificate on the first; of agent "
            "runs each counts."
        ),
    ),
]
_STEP: Line = (
    frozenset({"forbidden_transition", "lost_race", "not_yet_final"}),
    _("The certificate allows this step now."),
)

_SECOND_PERSON: Line = (
    frozenset({"request_needed", "second_person_needed"}),
    _("Another person stored the holder's written request (rule 6)."),
)

_APPEAL: list[Line] = [
    (
        frozenset({"appeal_out_of_order", "appeal_late"}),
        _("The appeal allows this step now."),
    ),
    (
        frozenset({"took_part_in_evaluation", "took_part_in_decision"}),
        _("You took part neither in the evaluation nor in any decision it concerns (rule 2)."),
    ),
    (frozenset({"not_a_person", "role_missing"}), _("You hold the role for appeals.")),
    _NO_INTEREST,
]

_UNINVOLVED: Line = (
    frozenset({"not_a_person", "took_part_in_evaluation", "took_part_in_decision"}),
    _("You took part neither in the evaluation nor in any decision it concerns (rule 2)."),
)
_REPORT_STEP: Line = (
    frozenset(
        {
            "report_out_of_order",
            "holder_not_heard",
            "holder_may_still_reply",
            "holder_heard_already",
            "no_holder_to_hear",
        }
    ),
    _("The complaint allows this step now."),
)
# In the order in which the rules are asked: that of a person first, then that of the complaint.
_WORK_ON_REPORT: list[Line] = [
    _UNINVOLVED,
    (frozenset({"role_missing"}), _("You hold a role that works on complaints.")),
    _NO_INTEREST,
    _REPORT_STEP,
]
_DECIDE_REPORT: list[Line] = [
    _UNINVOLVED,
    _NO_INTEREST,
    (
        frozenset({"role_missing"}),
        _("You hold the role that decides on certification, or the one for appeals."),
    ),
    (frozenset({"decided_before"}), _("Someone else decided it before, if it was decided (rule 2).")),
    _REPORT_STEP,
]

_NOT_STORED_BY_YOU: Line = (
    frozenset({"second_person_needed"}),
    _("You did not store the application on the holder's behalf (rule 6)."),
)

_RUN_STEP: Line = (
    frozenset({"run_out_of_order", "run_never_graded"}),
    _("The run allows this step now."),
)
_NO_TIE: Line = (
    frozenset({"own_run", "tie_to_the_holder"}),
    _("You did not register the run, and have no tie to the holder of the system (rule 3)."),
)
_END_RUN: list[Line] = [
    (frozenset({"not_a_person", "role_missing"}), _("You hold the role that marks runs.")),
    _NO_TIE,
    _RUN_STEP,
]
_WITHHOLD_RUN: list[Line] = [
    (frozenset({"not_a_person", "role_missing"}), _("You hold the role that decides on certification.")),
    _NO_TIE,
    (frozenset({"marked_the_run"}), _("You did not mark the run.")),
    _RUN_STEP,
]

ON_A_CERTIFICATE: list[Line] = [_STEP, *_PERSON]
LINES: dict[str, list[Line]] = {
    Decision.ISSUE: [*_PERSON, _NOT_STORED_BY_YOU, *_MEASUREMENT],
    Decision.REFUSE: [*_PERSON, _NOT_STORED_BY_YOU, _DECIDED],
    Decision.TERMINATE: [*ON_A_CERTIFICATE, _SECOND_PERSON],
    AppealStep.ADMIT: _APPEAL,
    AppealStep.DECLARE_INADMISSIBLE: _APPEAL,
    AppealStep.DECIDE: _APPEAL,
    ReportStep.DECLINE: _DECIDE_REPORT,
    ReportStep.ASK_HOLDER: _WORK_ON_REPORT,
    Decision.REPORT: _DECIDE_REPORT,
    "run_invalidate": _END_RUN,
    "run_assist": _END_RUN,
    "run_withhold": _WITHHOLD_RUN,
}

BOTH_LANGUAGES = _("The text exists in both languages (rule 4).")
HAS_TERMS = _("The suspension has conditions and a review date.")
NO_NAMES = _("The text says neither who complained nor in which words.")
# What only the form itself can tell: met as soon as it could be previewed.
OF_THE_FORM: dict[str, list[Any]] = {
    Decision.SUSPEND: [BOTH_LANGUAGES, HAS_TERMS],
    ReportStep.DECLINE: [BOTH_LANGUAGES, NO_NAMES],
    ReportStep.ASK_HOLDER: [BOTH_LANGUAGES, NO_NAMES],
    Decision.REPORT: [BOTH_LANGUAGES, NO_NAMES],
}


def ticks(decision: str, refusal: Refusal | None, *, complete: bool) -> list[Tick]:
    """(kept, text) of each rule; `complete` when the form has everything that the decision needs."""
    lines = _ticked(LINES.get(decision, ON_A_CERTIFICATE), refusal)
    told = True if complete and refusal is None else None
    return lines + [(told, text) for text in OF_THE_FORM.get(decision, [BOTH_LANGUAGES])]


def _ticked(lines: Sequence[Line], refusal: Refusal | None) -> list[Tick]:
    if refusal is None:
        return [(True, text) for _codes, text in lines]
    at = next((place for place, (codes, _text) in enumerate(lines) if refusal.code in codes), None)
    if at is None:
        # A rule that has no line of its own: nothing is known of the others.
        return [(False, refusal.detail), *((None, text) for _codes, text in lines)]
    return [
        (True, text) if place < at else (False, refusal.detail) if place == at else (None, text)
        for place, (_codes, text) in enumerate(lines)
    ]
