"""What a result says in sentences, Spanish and English: of groups, kappa, a comparison. No template decides on one."""

from grading.sentences import agreement, comparisons, groups
from grading.sentences.agreement import of_agreement
from grading.sentences.comparisons import (
    in_short,
    of_comparison,
    of_intersection,
    of_outcome,
    of_row,
    of_what,
)
from grading.sentences.groups import of_groups

# code: (es, en)
TEXTS = {**groups.TEXTS, **agreement.TEXTS, **comparisons.TEXTS}

__all__ = [
    "TEXTS",
    "in_short",
    "of_agreement",
    "of_comparison",
    "of_groups",
    "of_intersection",
    "of_outcome",
    "of_row",
    "of_what",
]
