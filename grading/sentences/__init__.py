"""What a result says in sentences, Spanish and English: of groups, criteria, agreement, a comparison, runs.

No template decides on one. Each subject has its module, with a `tell` that says all of it.
"""

from grading.sentences import agreement, comparisons, criteria, groups, runs
from grading.sentences.agreement import of_agreement
from grading.sentences.comparisons import of_comparison, of_intersection
from grading.sentences.groups import of_groups

# Subject: code: (es, en)
TEXTS = {
    "groups": groups.TEXTS,
    "criteria": criteria.TEXTS,
    "agreement": agreement.TEXTS,
    "comparisons": comparisons.TEXTS,
    "runs": runs.TEXTS,
}

__all__ = [
    "TEXTS",
    "agreement",
    "comparisons",
    "criteria",
    "groups",
    "of_agreement",
    "of_comparison",
    "of_groups",
    "of_intersection",
    "runs",
]
