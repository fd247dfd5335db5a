"""Every formula of the registry under one name: numbers in, numbers or frozen dataclasses out.

Undefined is None, in each place of a tuple; impossible counts raise ValueError. Standard library alone, here and in the
modules it gathers: `proportions` (one rate), `independent` and `paired` (two), `homogeneity` and `several_rates`
(groups), `agreement` (raters), `multiplicity` (several tests at once).
"""

from grading.agreement import (
    CohenKappa,
    FleissKappa,
    NoFleiss,
    Strength,
    cohen_kappa,
    fleiss_kappa,
    landis_koch,
    two_categories,
)
from grading.homogeneity import (
    Gate,
    Homogeneity,
    Method,
    chi_square_tail,
    cochran_q,
    gate,
    homogeneity,
    monte_carlo,
    paired_gate,
    permutation_within_blocks,
)
from grading.independent import (
    detectable_independent,
    fewest_a_side,
    fisher_exact,
    least_fisher_p,
    newcombe_independent,
)
from grading.multiplicity import holm, simultaneous
from grading.paired import (
    detectable_paired,
    fewest_discordant,
    mcnemar_exact,
    mcnemar_mid_p,
    newcombe_paired,
)
from grading.proportions import (
    Z95,
    Clustered,
    ClusterSums,
    answers_needed,
    clustered,
    is_above,
    is_at_least,
    is_at_most,
    is_below,
    normal_quantile,
    pass_all,
    wilson,
    wilson_at,
    zero_bound,
)
from grading.several_rates import LowestPerforming, lowest_performing, macro_mover, macro_of_blocks

__all__ = [
    "Z95",
    "ClusterSums",
    "Clustered",
    "CohenKappa",
    "FleissKappa",
    "Gate",
    "Homogeneity",
    "LowestPerforming",
    "Method",
    "NoFleiss",
    "Strength",
    "answers_needed",
    "chi_square_tail",
    "clustered",
    "cochran_q",
    "cohen_kappa",
    "detectable_independent",
    "detectable_paired",
    "fewest_a_side",
    "fewest_discordant",
    "fisher_exact",
    "fleiss_kappa",
    "gate",
    "holm",
    "homogeneity",
    "is_above",
    "is_at_least",
    "is_at_most",
    "is_below",
    "landis_koch",
    "least_fisher_p",
    "lowest_performing",
    "macro_mover",
    "macro_of_blocks",
    "mcnemar_exact",
    "mcnemar_mid_p",
    "monte_carlo",
    "newcombe_independent",
    "newcombe_paired",
    "normal_quantile",
    "paired_gate",
    "pass_all",
    "permutation_within_blocks",
    "simultaneous",
    "two_categories",
    "wilson",
    "wilson_at",
    "zero_bound",
]
