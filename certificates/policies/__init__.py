"""Who may take which step, and what a certificate may be issued on: `refusal_to_<step>` → a refusal, or None.

Pages ask these functions to know which buttons to show, and `certificates.lifecycle` asks the same ones
before it writes. A superuser is asked like everybody else. Rules compare persons, not accounts or tokens; the
rules that need no certificate stand in `registry_site.roles`. One module for each thing that is asked about.
"""

from certificates.policies.appeals import (
    APPEALABLE,
    appealable_by,
    bars_to_appeal,
    received_in_time,
    refusal_of_appeal,
    refusal_to_act_on_request,
    refusal_to_decide_appeal,
    refusal_to_file_appeal,
    refusal_to_withdraw_appeal,
)
from certificates.policies.applications import (
    refusal_to_answer_application,
    refusal_to_apply,
    refusal_to_apply_by_account,
    refusal_to_store_application,
    refusal_to_withdraw_application,
)
from certificates.policies.bonds import Bars, took_part_in
from certificates.policies.calibrations import evaluators_of, refusal_for_reviewer, refusal_to_calibrate
from certificates.policies.certificates import (
    REFUSAL_TO,
    refusal_to_decide,
    refusal_to_erratum,
    refusal_to_issue,
    refusal_to_prolong,
    refusal_to_refuse,
    refusal_to_reinstate,
    refusal_to_revoke,
    refusal_to_supersede,
    refusal_to_suspend,
    refusal_to_terminate,
)
from certificates.policies.certifiers import (
    bars_to_deciding,
    bars_to_take_up,
    refusal_for_part_in_it,
    refusal_to_take_up,
)
from certificates.policies.complaints import (
    REFUSAL_TO_ON_REPORT,
    bars_to_report,
    refusal_to_decide_report,
    refusal_to_reply,
    refusal_to_sanction,
    refusal_to_work_on_report,
)
from certificates.policies.letters import letters_for, refusal_to_read_letter, refusal_to_read_letters
from certificates.policies.measurements import (
    certifiable_until,
    first_measurement,
    longest_term,
    refusal_at_sight,
    refusal_of_measurement,
)
from certificates.policies.persons import refusal_to_work_on_evidence
from certificates.policies.requests import refusal_of_request, refusal_to_store_request
from certificates.policies.rubrics import (
    refusal_to_close_series,
    refusal_to_record_rubric_leak,
    refusal_to_reveal_rubric,
    refusal_to_seal_rubric,
    refusal_to_write_rubrics,
)
from certificates.policies.sets import refusal_to_record_leak, refusal_to_reveal_set, refusal_to_seal_set
from certificates.policies.subjects import holder_of, measurement_of

__all__ = [
    "APPEALABLE",
    "REFUSAL_TO",
    "REFUSAL_TO_ON_REPORT",
    "Bars",
    "appealable_by",
    "bars_to_appeal",
    "bars_to_deciding",
    "bars_to_report",
    "bars_to_take_up",
    "certifiable_until",
    "evaluators_of",
    "first_measurement",
    "holder_of",
    "letters_for",
    "longest_term",
    "measurement_of",
    "received_in_time",
    "refusal_at_sight",
    "refusal_for_part_in_it",
    "refusal_for_reviewer",
    "refusal_of_appeal",
    "refusal_of_measurement",
    "refusal_of_request",
    "refusal_to_act_on_request",
    "refusal_to_answer_application",
    "refusal_to_apply",
    "refusal_to_apply_by_account",
    "refusal_to_calibrate",
    "refusal_to_close_series",
    "refusal_to_decide",
    "refusal_to_decide_appeal",
    "refusal_to_decide_report",
    "refusal_to_erratum",
    "refusal_to_file_appeal",
    "refusal_to_issue",
    "refusal_to_prolong",
    "refusal_to_read_letter",
    "refusal_to_read_letters",
    "refusal_to_record_leak",
    "refusal_to_record_rubric_leak",
    "refusal_to_refuse",
    "refusal_to_reinstate",
    "refusal_to_reply",
    "refusal_to_reveal_rubric",
    "refusal_to_reveal_set",
    "refusal_to_revoke",
    "refusal_to_sanction",
    "refusal_to_seal_rubric",
    "refusal_to_seal_set",
    "refusal_to_store_application",
    "refusal_to_store_request",
    "refusal_to_supersede",
    "refusal_to_suspend",
    "refusal_to_take_up",
    "refusal_to_terminate",
    "refusal_to_withdraw_appeal",
    "refusal_to_withdraw_application",
    "refusal_to_work_on_evidence",
    "refusal_to_work_on_report",
    "refusal_to_write_rubrics",
    "took_part_in",
]
