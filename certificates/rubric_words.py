"""The words of test cases and rubrics: states and steps of a series, rules and their terms."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import pgettext_lazy

SERIES = {
    "sealed": pgettext_lazy("series", "sealed, no run yet"),
    "open": pgettext_lazy("series", "open"),
    "closed": pgettext_lazy("series", "closed"),
    "revealed": pgettext_lazy("series", "revealed"),
    "leaked": pgettext_lazy("series", "leaked"),
    "seal": pgettext_lazy("step of a series", "Rubric sealed"),
    "use": pgettext_lazy("step of a series", "First run registered"),
    "close": pgettext_lazy("step of a series", "Series closed"),
    "reveal": pgettext_lazy("step of a series", "Rubric revealed"),
    "leak": pgettext_lazy("step of a series", "Rubric leaked"),
}
KIND = {
    "positive": pgettext_lazy("control", "positive control"),
    "negative": pgettext_lazy("control", "negative control"),
}
RULE = {
    "requested": pgettext_lazy("rule", "was requested"),
    "never_requested": pgettext_lazy("rule", "was never requested"),
    "requested_at_most": pgettext_lazy("rule", "was requested at most so often"),
    "requested_before": pgettext_lazy("rule", "was obtained before"),
    "representation": pgettext_lazy("rule", "in one of these representations"),
    "answer_cites_fetched": pgettext_lazy("rule", "the answer cites an address that was fetched"),
    "answer_in_cited_response": pgettext_lazy("rule", "the answer contains what the cited response contains"),
    "answer_states": pgettext_lazy("rule", "the answer states a date, a source or a phrase"),
    "judge": pgettext_lazy("rule", "the evaluator judges"),
}
TERM = {
    "path": pgettext_lazy("term of a rule", "Paths"),
    "but_not": pgettext_lazy("term of a rule", "But not"),
    "methods": pgettext_lazy("term of a rule", "Methods"),
    "at_least": pgettext_lazy("term of a rule", "At least, times"),
    "times": pgettext_lazy("term of a rule", "At most, times"),
    "per_seconds": pgettext_lazy("term of a rule", "Within, seconds"),
    "shown_by": pgettext_lazy("term of a rule", "The rule is shown by"),
    "shown_by_any_response": pgettext_lazy("term of a rule", "Or by any response that names the route"),
    "before": pgettext_lazy("term of a rule", "Before"),
    "types": pgettext_lazy("term of a rule", "Media types"),
    "seen": pgettext_lazy("term of a rule", "Seen in"),
    "every": pgettext_lazy("term of a rule", "Every one"),
    "status": pgettext_lazy("term of a rule", "Status"),
    "words": pgettext_lazy("term of a rule", "Consecutive words"),
    "what": pgettext_lazy("term of a rule", "What"),
    "any_of": pgettext_lazy("term of a rule", "Any of these phrases"),
}
VALUE = {
    "content": pgettext_lazy("value of a rule", "the first content"),
    "response": pgettext_lazy("value of a rule", "the response that came"),
    "accept": pgettext_lazy("value of a rule", "what was asked for (Accept)"),
    "date": pgettext_lazy("value of a rule", "a date of the cited response"),
    "source": pgettext_lazy("value of a rule", "an address of another site, in the cited response"),
    "phrase": pgettext_lazy("value of a rule", "one of these phrases"),
}
TABLES: Mapping[str, Mapping[str, Any]] = {
    "series": SERIES,
    "kind": KIND,
    "rule": RULE,
    "term": TERM,
    "value": VALUE,
}


def word(table: str, code: str) -> str:
    """The word of a code in the active language; what has none (a path, a number) stays as it is."""
    entry = TABLES[table].get(code)
    return str(code) if entry is None else str(entry)
