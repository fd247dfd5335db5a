"""All statistics of one certificate with 20 language groups, beside 5 ms and beside scipy and statsmodels."""

import random
import time
import warnings
from collections.abc import Callable, Iterator

import numpy
from scipy import stats
from statsmodels.stats import contingency_tables, inter_rater, multitest, proportion

from bench.table import Row
from grading import statistics

# What is promised for a whole certificate, in milliseconds.
MOST = 5.0
GROUPS = 20
# Rates of one certificate: those over ordinary questions, those over hostile ones, and the categories.
RATES = 17
HOSTILE = (3, 2)
CATEGORIES = 5
# Expected counts are large enough for chi-square in most rates; where cases are rare the gate is drawn.
RARE = 0.01


class Certificate:
    """The counts of one certificate, the same every time."""

    def __init__(self) -> None:
        draw = random.Random(3)
        self.ns = [draw.randrange(60, 400) for _ in range(GROUPS)]
        self.rates = []
        for _ in range(RATES):
            p = draw.uniform(0.08, 0.9)
            self.rates.append([sum(draw.random() < p for _ in range(n)) for n in self.ns])
        self.rare = [sum(draw.random() < RARE for _ in range(n)) for n in self.ns]
        categories, per_cell = HOSTILE
        self.cells = [
            (draw.randrange(1, 20), 40) for _ in range(categories * per_cell * GROUPS + CATEGORIES * RATES)
        ]
        self.matrix = [[draw.randrange(2, 9) + 40 * (i == j) for j in range(4)] for i in range(4)]
        self.pairs = [tuple(draw.randrange(2, 40) for _ in range(4)) for _ in range(GROUPS)]


def ours(of: Certificate) -> None:
    """Every interval; per rate the macro average, gate, lowest group and gaps; kappa; two versions compared."""
    for ks in of.rates:
        statistics.wilson(sum(ks), sum(of.ns))
        for k, n in zip(ks, of.ns, strict=True):
            statistics.wilson(k, n)
        statistics.macro_mover(ks, of.ns)
        statistics.gate(ks, of.ns, seed=1)
        statistics.lowest_performing(ks, of.ns)
        ps = []
        for k, n in zip(ks[1:], of.ns[1:], strict=True):
            ps.append(statistics.fisher_exact(k, n, ks[0], of.ns[0]))
            statistics.newcombe_independent(k, n, ks[0], of.ns[0])
        statistics.holm(ps)
    for k, n in of.cells:
        statistics.wilson(k, n)
    statistics.cohen_kappa(of.matrix)
    statistics.holm([statistics.mcnemar_exact(b, c) for _, b, c, _ in of.pairs])
    for cells in of.pairs:
        statistics.newcombe_paired(*cells)


def theirs(of: Certificate) -> None:
    """As much of the same as the libraries have, a call for each as their documents show."""
    for ks in of.rates:
        proportion.proportion_confint(sum(ks), sum(of.ns), method="wilson")
        low, high = proportion.proportion_confint(numpy.array(ks), numpy.array(of.ns), method="wilson")
        p = numpy.array(ks) / numpy.array(of.ns)
        numpy.sqrt(numpy.sum((p - low) ** 2)), numpy.sqrt(numpy.sum((high - p) ** 2))
        stats.chi2_contingency([ks, [n - k for k, n in zip(ks, of.ns, strict=True)]], correction=False)
        proportion.proportion_confint(
            numpy.array(ks), numpy.array(of.ns), alpha=0.05 / GROUPS, method="wilson"
        )
        ps = []
        for k, n in zip(ks[1:], of.ns[1:], strict=True):
            ps.append(stats.fisher_exact([[k, n - k], [ks[0], of.ns[0] - ks[0]]]).pvalue)
            proportion.confint_proportions_2indep(k, n, ks[0], of.ns[0], method="newcomb")
        multitest.multipletests(ps, method="holm")
    for k, n in of.cells:
        proportion.proportion_confint(k, n, method="wilson")
    inter_rater.cohens_kappa(of.matrix)
    ps = [contingency_tables.mcnemar([[a, b], [c, d]], exact=True).pvalue for a, b, c, d in of.pairs]
    multitest.multipletests(ps, method="holm")


def rows() -> Iterator[Row]:
    of = Certificate()
    whole = _milliseconds(lambda: ours(of))
    work = f"statistics of a certificate, {GROUPS} groups"
    yield Row(work, "processor", whole, "what is promised", MOST, "ms", 1)
    yield Row(work, "processor", whole, "scipy + statsmodels", _milliseconds(lambda: theirs(of)), "ms", 1)
    table = [[30, 70], [20, 90]]
    rare = [of.rare, [n - k for k, n in zip(of.rare, of.ns, strict=True)]]
    for what, here, beside, there in (
        ("an interval", lambda: statistics.wilson(15, 148), "statsmodels",
         lambda: proportion.proportion_confint(15, 148, method="wilson")),
        ("McNemar, 84 discordant", lambda: statistics.mcnemar_exact(45, 39), "statsmodels",
         lambda: contingency_tables.mcnemar([[9, 45], [39, 9]], exact=True)),
        ("McNemar, 19,800 discordant", lambda: statistics.mcnemar_exact(9_700, 10_100), "scipy",
         lambda: stats.binomtest(9_700, 19_800).pvalue),
        ("Fisher, 30 of 100 and 20 of 110", lambda: statistics.fisher_exact(30, 100, 20, 110), "scipy",
         lambda: stats.fisher_exact(table)),
        ("kappa, four verdicts", lambda: statistics.cohen_kappa(of.matrix), "statsmodels",
         lambda: inter_rater.cohens_kappa(of.matrix)),
        ("chi-square, 20 groups", lambda: statistics.homogeneity(of.rates[0], of.ns), "scipy",
         lambda: proportion.proportions_chisquare(numpy.array(of.rates[0]), numpy.array(of.ns))),
    ):  # fmt: skip
        yield Row(what, "processor", _milliseconds(here), beside, _milliseconds(there), "ms")
    drawn = statistics.monte_carlo(of.rare, of.ns, seed=1)
    yield Row(
        f"gate of rare cases, {drawn.draws:,} tables drawn",
        "processor",
        _milliseconds(lambda: statistics.monte_carlo(of.rare, of.ns, seed=1)),
        f"scipy, {drawn.draws:,} tables",
        _milliseconds(
            lambda: stats.chi2_contingency(
                rare, correction=False, method=stats.MonteCarloMethod(n_resamples=drawn.draws)
            )
        ),
        "ms",
    )


def _milliseconds(call: Callable[[], object]) -> float:
    """The least processor time of one call over several rounds, each of a tenth of a second at most."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call()
        best = float("inf")
        for _round in range(5):
            calls, started = 0, time.process_time()
            while (spent := time.process_time() - started) < 0.02 or not calls:
                call()
                calls += 1
            best = min(best, spent / calls)
    return best * 1000
