"""Whether several groups have one rate: the gate that has to open before anything says that they differ.

Chi-square where every expected count is 5 or more, else seeded Monte Carlo; for parallel sets Cochran's Q on complete
blocks, else seeded permutation within the blocks. Without variation there is nothing to test: None.
"""

import math
import random
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from itertools import accumulate, combinations

LEVEL = Fraction(1, 20)
# Chi-square is trusted from this expected count on (Cochran 1954), Cochran's Q from so many answers in blocks that
# are not all alike (Tate and Brown 1970).
LEAST_EXPECTED = 5
LEAST_FOR_Q = 24
LEAST_BLOCKS_FOR_Q = 4

# From this variance on a group's cases are drawn by rejection: tables of its distribution would fill the memory.
WIDE = 144

# Drawn at most, and tables as extreme after which drawing stops: 500 give p ± 4.5 %, and p < 0.05 draws them all.
DRAWS = 9_999
ENOUGH = 500
BLOCKS_DRAWN_IN_FULL = 500


class Method(StrEnum):
    CHI_SQUARE = "chi_square"
    MONTE_CARLO = "monte_carlo"
    COCHRAN_Q = "cochran_q"
    PERMUTATION = "permutation"


@dataclass(frozen=True, slots=True)
class Homogeneity:
    """Pearson's chi-square of groups × (case, no case). `min_expected` is the least of all expected counts."""

    chi2: float
    df: int
    p_chi2: float
    min_expected: Fraction

    @property
    def is_trusted(self) -> bool:
        return self.min_expected >= LEAST_EXPECTED


@dataclass(frozen=True, slots=True)
class Gate:
    """The answer to «do the groups differ?». `draws` and `seed` are None where nothing was drawn."""

    method: Method
    p: float | Fraction
    statistic: float
    df: int
    seed: int | None = None
    draws: int | None = None

    @property
    def differ(self) -> bool:
        """Whether a page may say that the groups differ."""
        return self.p < LEVEL


# -- groups that answered different questions ----------------------------------------------------


def homogeneity(ks: Sequence[int], ns: Sequence[int]) -> Homogeneity | None:
    """Pearson's chi-square test that all groups have one rate; None without variation, or with one group.

    Pearson (1900). Σ(k − nP)²/(nP(1−P)) with P = Σk/Σn, df = groups − 1; each term is a quotient of whole numbers,
    rounded once. Groups without answers take no part.
    """
    ks, ns = _answered(ks, ns)
    k, n = sum(ks), sum(ns)
    if len(ks) < 2 or k in (0, n):
        return None
    spread = k * (n - k)
    chi2 = math.fsum((ki * n - ni * k) ** 2 / (ni * spread) for ki, ni in zip(ks, ns, strict=True))
    df = len(ks) - 1
    return Homogeneity(chi2, df, chi_square_tail(chi2, df), Fraction(min(ns) * min(k, n - k), n))


def monte_carlo(
    ks: Sequence[int], ns: Sequence[int], *, seed: int, draws: int = DRAWS, enough: int = ENOUGH
) -> Gate | None:
    """The same test where expected counts are small: tables with the same margins are drawn.

    p is the share as extreme as the table seen, itself included: (1 + m)/(1 + drawn) after all `draws`, or m/drawn as
    soon as `enough` were (Besag and Clifford 1991, Biometrika 78, 301-304: both are valid p-values). What is as extreme
    is decided on whole numbers. Draws start from `random.Random(seed).random()`, which no version of Python may change.
    """
    of = homogeneity(ks, ns)
    if of is None:
        return None
    ks, ns = _answered(ks, ns)
    # The smallest group first: what is left for the next ones varies least, and the largest needs no draw.
    pairs = sorted(zip(ns, ks, strict=True))
    sizes = [size for size, _ in pairs]
    # With fixed margins chi-square grows with Σk²/n; times the common denominator it is whole.
    common = math.lcm(*sizes)
    weights = [common // size for size in sizes]
    seen = sum(weight * k * k for weight, (_, k) in zip(weights, pairs, strict=True))
    cases, answers = sum(ks), sum(ns)
    uniform = random.Random(seed).random  # noqa: S311  (a published seed is meant to be drawn again)
    groups: list[tuple[int, int, int, dict[int, tuple[int, list[float]]] | None]] = []
    others = answers
    for size, weight in zip(sizes[:-1], weights, strict=False):
        others -= size
        variance = size * cases * (answers - cases) / answers**2 * others / (size + others)
        groups.append((size, others, weight, {} if variance <= WIDE else None))
    last_weight = weights[-1]

    def draw() -> bool:
        left, total = cases, 0
        for size, others, weight, tables in groups:
            if tables is None:
                k = _by_ratio(size, others, left, uniform)
            else:
                if left not in tables:
                    tables[left] = _hypergeometric(size, others, left)
                first, steps = tables[left]
                k = first + bisect_left(steps, uniform())
            total += weight * k * k
            left -= k
        return total + last_weight * left * left >= seen

    p, drawn = _share_as_extreme(draw, draws, enough)
    return Gate(Method.MONTE_CARLO, p, of.chi2, of.df, seed, drawn)


def gate(ks: Sequence[int], ns: Sequence[int], *, seed: int) -> Gate | None:
    """Whether groups of different questions differ: chi-square if every expected count is 5 or more, else drawn."""
    of = homogeneity(ks, ns)
    if of is None:
        return None
    if of.is_trusted:
        return Gate(Method.CHI_SQUARE, of.p_chi2, of.chi2, of.df)
    return monte_carlo(ks, ns, seed=seed)


def _answered(ks: Sequence[int], ns: Sequence[int]) -> tuple[list[int], list[int]]:
    if len(ks) != len(ns):
        raise ValueError("as many counts of cases as of answers, please")
    for k, n in zip(ks, ns, strict=True):
        if k < 0 or n < 0 or k > n:
            raise ValueError(f"{k} of {n} is not a count")
    pairs = [(k, n) for k, n in zip(ks, ns, strict=True) if n]
    return [k for k, _ in pairs], [n for _, n in pairs]


def _hypergeometric(size: int, others: int, cases: int) -> tuple[int, list[float]]:
    """How many of `cases` fall in `size` of size + others: the least number, and the rising shares up to each.

    From the mode outwards until a step no longer counts; only + − × ÷, which every machine rounds alike.
    """
    least, most = max(0, cases - others), min(size, cases)
    mode = min(most, max(least, (cases + 1) * (size + 1) // (size + others + 2)))
    below: list[float] = []
    weight, k = 1.0, mode
    while k > least and weight > 1e-17:
        weight *= k * (others - cases + k) / ((size - k + 1) * (cases - k + 1))
        below.append(weight)
        k -= 1
    weights = [*reversed(below), 1.0]
    weight, k_up = 1.0, mode
    while k_up < most and weight > 1e-17:
        weight *= (size - k_up) * (cases - k_up) / ((k_up + 1) * (others - cases + k_up + 1))
        weights.append(weight)
        k_up += 1
    steps = list(accumulate(weights))
    whole = steps[-1]
    # The last one is out of reach of uniform numbers below 1, however the sum was rounded.
    return mode - len(below), [step / whole for step in steps[:-1]]


def _by_ratio(size: int, others: int, cases: int, uniform: Callable[[], float]) -> int:
    """The same number for wide distributions, by the ratio of uniforms instead of a table.

    Stadlober (1990), Journal of Computational and Applied Mathematics 31, 181-189; the constants 2√(2/e) and
    3 − 2√(3/e) bound the density. It wants the smaller half of both margins.
    """
    whole = size + others
    half, few = min(size, others), min(cases, whole - cases)
    share = few / whole
    centre = half * share + 0.5
    deviation = math.sqrt((whole - half) * half * share * (1 - share) / (whole - 1) + 0.5)
    spread = 1.7155277699214135 * deviation + 0.8989161620588988
    beyond = min(half, few) + 1
    rest = whole - few - half

    def minus_log_weight(k: int) -> float:
        return (
            math.lgamma(k + 1)
            + math.lgamma(few - k + 1)
            + math.lgamma(half - k + 1)
            + math.lgamma(rest + k + 1)
        )

    top = minus_log_weight((half + 1) * (few + 1) // (whole + 2))
    while True:
        # 1 − u lies in (0, 1].
        x = 1.0 - uniform()
        at = centre + spread * (uniform() - 0.5) / x
        if not 0 <= at < beyond:
            continue
        k = int(at)
        if 2 * math.log(x) <= top - minus_log_weight(k):
            break
    if few != cases:
        k = half - k
    return k if half == size else cases - k


def _share_as_extreme(draw: Callable[[], bool], draws: int, enough: int) -> tuple[Fraction, int]:
    extreme = 0
    for drawn in range(1, draws + 1):
        if draw():
            extreme += 1
            if extreme == enough:
                return Fraction(extreme, drawn), drawn
    return Fraction(extreme + 1, draws + 1), draws


# -- groups that answered the same questions -----------------------------------------------------

# One question in all groups: 1, 0, or None where the group did not answer it.
Block = Sequence[int | None]


def cochran_q(blocks: Sequence[Block]) -> Gate | None:
    """Cochran's Q that all groups have one rate on the same questions; None without variation within any block.

    Cochran (1950), Biometrika 37, 256-266: Q = (G−1)(G·ΣC² − T²)/(G·T − ΣR²) with the sums C of each group, R of each
    block and T of all; chi-square with G − 1 degrees of freedom. Blocks that are not complete take no part.
    """
    _refuse_impossible(blocks)
    complete = [block for block in blocks if None not in block]
    mixed = [block for block in complete if 0 < sum(block) < len(block)]
    if not mixed:
        return None
    groups = len(mixed[0])
    # Blocks that are all alike cancel out of both sums.
    columns = [sum(column) for column in zip(*mixed, strict=True)]
    total = sum(columns)
    spread = groups * total - sum(sum(block) ** 2 for block in mixed)
    q = (groups - 1) * (groups * sum(c * c for c in columns) - total * total) / spread
    return Gate(Method.COCHRAN_Q, chi_square_tail(q, groups - 1), q, groups - 1)


def permutation_within_blocks(
    blocks: Sequence[Block], *, seed: int, draws: int = DRAWS, enough: int = ENOUGH
) -> Gate | None:
    """The same question for blocks that are incomplete or few: outcomes are permuted within each block.

    The statistic is Σ_g (k_g − e_g)²/n_g, e_g what group g would have if every outcome of a block were shared evenly
    among the groups that answered it; n_g counts its answers in blocks that are not all alike. With complete blocks it
    orders the tables as Cochran's Q does. p and draws as in `monte_carlo`; whole numbers decide.
    """
    _refuse_impossible(blocks)
    mixed = [
        (present, sum(block[g] for g in present), block)
        for block in blocks
        for present in [tuple(g for g, value in enumerate(block) if value is not None)]
        if 0 < sum(block[g] for g in present) < len(present)
    ]
    if not mixed:
        return None
    groups = len(mixed[0][2])
    even = math.lcm(*(len(present) for present, _, _ in mixed))
    sizes, expected, cases = [0] * groups, [0] * groups, [0] * groups
    for present, successes, block in mixed:
        for g in present:
            sizes[g] += 1
            expected[g] += even // len(present) * successes
            cases[g] += block[g]
    common = math.lcm(*(size for size in sizes if size))
    # What group g adds for k cases, times even²·common.
    cost = [
        [(common // sizes[g]) * (even * k - expected[g]) ** 2 for k in range(sizes[g] + 1)]
        if sizes[g]
        else [0]
        for g in range(groups)
    ]
    seen = sum(of[k] for of, k in zip(cost, cases, strict=True))

    # All groups are counted in one whole number, each in bits of its own: a block's draw is one addition.
    bits = len(mixed).bit_length()
    mask = (1 << bits) - 1
    uniform = random.Random(seed).random  # noqa: S311  (a published seed is meant to be drawn again)
    choosers: dict[tuple[tuple[int, ...], int], Callable[[], int]] = {}
    for present, successes, _ in mixed:
        if (present, successes) not in choosers:
            choosers[present, successes] = _chooser([1 << bits * g for g in present], successes, uniform)
    chosen_in = [choosers[present, successes] for present, successes, _ in mixed]

    def draw() -> bool:
        counted = sum([choose() for choose in chosen_in])
        total = 0
        for of in cost:
            total += of[counted & mask]
            counted >>= bits
        return total >= seen

    p, drawn = _share_as_extreme(draw, draws, enough)
    answered = sum(1 for size in sizes if size)
    return Gate(Method.PERMUTATION, p, float(Fraction(seen, even * even * common)), answered - 1, seed, drawn)


def permutation_of_scores(
    blocks: Sequence[Sequence[Fraction | None]], *, seed: int, draws: int = DRAWS, enough: int = ENOUGH
) -> Gate | None:
    """The same question where a group has a rate in each block (several runs, several questions that stand together).

    Rates are permuted within each block, with the statistic of `permutation_within_blocks`. Whole numbers decide:
    rates over their common denominator, or rounded at twelve decimals should that be larger.
    """
    if len({len(block) for block in blocks}) > 1:
        raise ValueError("every block must have the same groups")
    scores = [score for block in blocks for score in block if score is not None]
    if any(not 0 <= score <= 1 for score in scores):
        raise ValueError("a rate lies between 0 and 1")
    unit = min(10**12, math.lcm(*{Fraction(score).denominator for score in scores}))
    mixed = []
    for block in blocks:
        present = [g for g, score in enumerate(block) if score is not None]
        values = [round(block[g] * unit) for g in present]
        if len(set(values)) > 1:
            mixed.append((present, values))
    if not mixed:
        return None
    groups = len(blocks[0])
    even = math.lcm(*(len(present) for present, _ in mixed))
    sizes, expected, sums = [0] * groups, [0] * groups, [0] * groups
    for present, values in mixed:
        share = even // len(present) * sum(values)
        for g, value in zip(present, values, strict=True):
            sizes[g] += 1
            expected[g] += share
            sums[g] += value
    common = math.lcm(*(size for size in sizes if size))
    weights = [common // size if size else 0 for size in sizes]

    def cost(of: list[int]) -> int:
        return sum(
            weight * (even * got - due) ** 2 for weight, got, due in zip(weights, of, expected, strict=True)
        )

    seen = cost(sums)
    uniform = random.Random(seed).random  # noqa: S311  (a published seed is meant to be drawn again)

    def draw() -> bool:
        got = [0] * groups
        for present, values in mixed:
            for at in range(len(values) - 1, 0, -1):
                other = int(uniform() * (at + 1))
                values[at], values[other] = values[other], values[at]
            for g, value in zip(present, values, strict=True):
                got[g] += value
        return cost(got) >= seen

    p, drawn = _share_as_extreme(draw, draws, enough)
    answered = sum(1 for size in sizes if size)
    statistic = float(Fraction(seen, even * even * common * unit * unit))
    return Gate(Method.PERMUTATION, p, statistic, answered - 1, seed, drawn)


def _chooser(places: list[int], successes: int, uniform: Callable[[], float]) -> Callable[[], int]:
    """Draws the sum of so many of the places, every choice as likely: from a list of all sums while that is short,
    of both halves while those are, else one place after the other."""
    size = len(places)

    def sums(of: list[int], many: int) -> list[int]:
        return [sum(chosen) for chosen in combinations(of, many)]

    if math.comb(size, successes) <= 5000:
        all_sums = sums(places, successes)
        return lambda: all_sums[int(uniform() * len(all_sums))]

    if size <= 30:
        left, right = places[: size // 2], places[size // 2 :]
        splits = range(max(0, successes - len(right)), min(successes, len(left)) + 1)
        halves = [(sums(left, many), sums(right, successes - many)) for many in splits]
        ends = list(accumulate(len(one) * len(other) for one, other in halves))
        starts = [0, *ends]

        def by_halves() -> int:
            rank = int(uniform() * ends[-1])
            split = bisect_right(ends, rank)
            one, other = halves[split]
            first, second = divmod(rank - starts[split], len(other))
            return one[first] + other[second]

        return by_halves

    def one_by_one() -> int:
        counted = 0
        for at in range(successes):
            other = at + int(uniform() * (size - at))
            places[at], places[other] = places[other], places[at]
            counted += places[at]
        return counted

    return one_by_one


def paired_gate(blocks: Sequence[Block], *, seed: int) -> Gate | None:
    """Whether groups differ on the same questions: Cochran's Q if all blocks are complete and enough, else permuted.

    Of more than 500 blocks, Q of the complete ones decides whenever these are enough; blocks beyond are drawn fewer
    times, so that no set takes minutes.
    """
    of = cochran_q(blocks)
    mixed = sum(1 for block in blocks if None not in block and 0 < sum(block) < len(block))
    complete = all(None not in block for block in blocks)
    enough = of is not None and mixed >= LEAST_BLOCKS_FOR_Q and mixed * (of.df + 1) >= LEAST_FOR_Q
    if enough and (complete or len(blocks) > BLOCKS_DRAWN_IN_FULL):
        return of
    return permutation_within_blocks(blocks, seed=seed, draws=draws_of(len(blocks)))


def draws_of(blocks: int) -> int:
    """How many times so many blocks are drawn: 9,999 up to 500 blocks, fewer beyond, 199 at least."""
    if blocks <= BLOCKS_DRAWN_IN_FULL:
        return DRAWS
    return max(199, DRAWS * BLOCKS_DRAWN_IN_FULL // blocks)


def _refuse_impossible(blocks: Sequence[Block]) -> None:
    if len({len(block) for block in blocks}) > 1:
        raise ValueError("every block must have the same groups")
    for block in blocks:
        for value in block:
            if value not in (0, 1, None):
                raise ValueError(f"{value} is neither 1, 0 nor None")


# -- the distribution ----------------------------------------------------------------------------


def chi_square_tail(x: float, df: int) -> float:
    """The probability that chi-square with df degrees of freedom exceeds x. Never 0: at least the least positive float.

    With h = x/2: even df Σ_{i<df/2} e^(−h)·h^i/i!; odd df erfc(√h) + Σ_{i<(df−1)/2} e^(−h)·h^(i+½)/Γ(i+3/2)
    (Abramowitz and Stegun 26.4.4-5). Every term is positive, so no digit is lost.
    """
    if df < 1 or not x >= 0:
        raise ValueError(f"no chi-square has {df} degrees of freedom and the value {x}")
    h = x / 2
    # Half of the least positive float is 0 too.
    if h == 0:
        return 1.0
    half = 0.5 * (df % 2)
    log_h = math.log(h)
    terms = [
        math.exp((i + half) * log_h - h - math.lgamma(i + half + 1)) if h < math.inf else 0.0
        for i in range(df // 2)
    ]
    if df % 2:
        terms.append(math.erfc(math.sqrt(h)))
    return min(1.0, max(math.fsum(terms), math.ulp(0.0)))
