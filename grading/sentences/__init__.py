"""What a result says in sentences, Spanish and English: of groups, kappa, a comparison. No template decides on one."""

from grading.sentences import agreement, comparisons, groups
from grading.sentences.agreement import of_agreement
from grading.sentences.comparisons import of_comparison, of_intersection
from grading.sentences.groups import of_groups

# code: (es, en)
TEXTS = {**groups.TEXTS, **agreement.TEXTS, **comparisons.TEXTS}

__all__ = ["TEXTS", "of_agreement", "of_comparison", "of_groups", "of_intersection"]
