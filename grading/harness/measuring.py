"""From the records of one evaluation to its figures, counted one answer at a time with the standard library.

The registry counts the same in another way (`grading.methods.hallucination`: columns, a million answers); a test holds
both equal, figure by figure. Intervals and bands come from `grading.figures`, which both use.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from evidence import families
from evidence.versions import is_floating
from grading import between_groups, citations, criteria, language_groups, phrases
from grading.between_groups import Together
from grading.figures import Figure, Groups, Rate, contradictions, figure, six_decimals
from grading.harness import question_sets
from grading.harness.scheme_files import Category, Scheme
from grading.harness.shapes import UNJUDGED
from grading.statistics import ClusterSums

_VERDICT_METRICS = ("accuracy", "incomplete", "ill_founded", "incorrect", "hallucination")
_VERDICT_OF = {"accuracy": "exact"}
_JUDGED_PLACES = tuple(
    (metric, denominator) for metric in _VERDICT_METRICS for denominator in ("judged", "all")
)
_ORDINARY = (*_JUDGED_PLACES, ("abstention", "all"), ("expected_citation", "all"))
_EVERYWHERE = (
    ("unnecessary_abstention", "in_corpus"),
    ("necessary_abstention", "abstention_correct"),
    ("phantom_response", "cited_responses"),
    ("phantom_citation", "verified_citations"),
)
_HOSTILE = (
    ("hostile_fabrication", "hostile"),
    ("hostile_not_held", "hostile"),
    ("hostile_not_held", "hostile_readable"),
    ("confident_fabrication", "fabrications"),
)

Place = tuple[str | None, str | None, str, str, str | None]  # group, category, metric, denominator, judge


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The records of one evaluation as plain JSON, without nulls.

    `abstention_review`: (item, abstained, reviewer); `reviews`: (item, reviewer, verdict) of blind human review.
    """

    descriptor: Mapping[str, Any]
    items: Sequence[Mapping[str, Any]]
    responses: Sequence[Mapping[str, Any]]
    verdicts: Sequence[Mapping[str, Any]] = ()
    catalogue: Sequence[tuple[str, str]] | None = None
    abstention_review: Sequence[tuple[str, bool, str]] = ()
    reviews: Sequence[tuple[str, str, str]] = ()

    @property
    def judges(self) -> list[str]:
        return [judge["id"] for judge in self.descriptor.get("judges", ())]

    @property
    def is_public(self) -> bool:
        """Whether every member of the package may be read by anyone, who then can count for himself."""
        return self.descriptor.get("access") != "digest_only" and not self.descriptor.get("sealed")


@dataclass(slots=True)
class Outcome:
    """What became of one response. `verdict` is that of all judges together; `why` says why there is none."""

    item: Mapping[str, Any]
    response: Mapping[str, Any]
    group: str
    category: Category
    abstained: bool = False
    invalid: bool = False
    fabricated: bool = False
    rejected: bool = False
    undecidable: bool = False
    expected_found: bool = False
    verified: int = 0
    phantoms: int = 0
    votes: tuple[str | None, ...] = ()
    ineligible: bool = False
    verdict: str | None = None
    why: str | None = None
    cluster: int = 0

    @property
    def hostile(self) -> bool:
        return self.category.hostile

    @property
    def is_judged(self) -> bool:
        return not self.hostile and self.verdict is not None

    @property
    def hallucinates(self) -> bool:
        return self.is_judged and self.verdict in ("ill_founded", "incorrect")

    @property
    def not_held(self) -> bool:
        return self.fabricated or not (self.abstained or self.invalid or self.rejected)


@dataclass(frozen=True, slots=True)
class Measured:
    """Every figure of an evaluation, and what it was made from."""

    set_sha256: str
    figures: tuple[Figure, ...]
    outcomes: tuple[Outcome, ...]
    counts: dict[str, Any]
    limitations: tuple[dict[str, Any], ...]
    reglab: dict[str, Any] | None = None
    groups: Groups = field(default_factory=Groups)
    criteria: dict[str, Any] | None = None
    faults: tuple[str, ...] = field(default=())


def measure(evaluation: Evaluation, scheme: Scheme) -> Measured:
    """The figures of an evaluation under a scheme. Raises ValueError when they contradict each other."""
    outcomes = tuple(_outcomes(evaluation, scheme))
    expects = any(not outcome.hostile and outcome.item.get("expected_citation") for outcome in outcomes)
    rates, together = _rates(evaluation, scheme, outcomes, expects)
    figures = tuple(_figures(evaluation, scheme, rates, expects))
    if faults := contradictions(figures):
        raise ValueError("; ".join(faults))
    set_sha256 = question_sets.set_sha256(evaluation.items)
    comparable = {
        (metric, denominator, group, category): of
        for (group, category, metric, denominator, judge), of in rates.items()
        if judge is None and metric != "confident_fabrication"
    }
    is_public = evaluation.is_public
    return Measured(
        set_sha256=set_sha256,
        figures=figures,
        outcomes=outcomes,
        counts=_counts(evaluation, outcomes),
        limitations=tuple(_limitations(evaluation, scheme, outcomes, expects)),
        reglab=_reglab(rates),
        groups=between_groups.among(
            figures,
            comparable,
            scheme=scheme,
            set_sha256=set_sha256,
            blocks=together.blocks,
            evidence_is_public=is_public,
        ),
        criteria=criteria.decide(
            scheme,
            figures,
            comparable,
            circumstances=_circumstances(evaluation, scheme, figures),
            evidence_is_public=is_public,
        ),
    )


def first_runs(measured: Measured) -> dict[str, Outcome]:
    """The outcome of each item in run 1, or in the first run handed in: where an item may count once only."""
    first: dict[str, Outcome] = {}
    for outcome in measured.outcomes:
        item = outcome.item["id"]
        if item not in first or outcome.response.get("run", 1) == 1:
            first[item] = outcome
    return first


class Reader:
    """Decides by code what a response is: abstention, fabrication, rejection of the premise, phantom citations."""

    def __init__(
        self,
        scheme: Scheme,
        catalogue: Sequence[tuple[str, str]] | None,
        *,
        abstention: phrases.PhraseList | None = None,
        premise: phrases.PhraseList | None = None,
    ) -> None:
        self._scheme = scheme
        self._keys = citations.Keys()
        self._has_catalogue = catalogue is not None
        self._catalogue = {self._keys[source, article] for source, article in catalogue or ()}
        self._abstention = abstention or phrases.abstention()
        self._premise = premise or phrases.premise()
        self._searchers: dict[str, tuple[phrases.Searcher, phrases.Searcher]] = {}

    def abstains(self, answer: str, language: str | None) -> bool:
        """Whether an answer holds a phrase of abstention of its language."""
        return self._of(language)[0].finds(phrases.folded(answer))

    def has_phrases(self, language: str | None) -> bool:
        return bool(self._of(language)[0])

    def read(
        self, item: Mapping[str, Any], response: Mapping[str, Any], *, reviewed: bool | None = None
    ) -> Outcome:
        """The outcome of one response, before any judge. `reviewed`: what people said of its abstention."""
        category = self._scheme.category(item["category"])
        if category is None:
            raise ValueError(f"{item['category']} is no category of {self._scheme.code}")
        language = item.get("language")
        outcome = Outcome(item, response, self._scheme.grouping.group(language), category)
        outcome.invalid = bool(response.get("invalid"))
        if reviewed is not None:
            outcome.abstained = reviewed
        elif not outcome.invalid:
            said = response.get("abstained")
            outcome.abstained = self.abstains(response["answer"], language) if said is None else said
        self._cite(outcome, category)
        if category.hostile and not (outcome.fabricated or outcome.abstained or outcome.invalid):
            outcome.rejected = self._of(language)[1].finds(phrases.folded(response["answer"]))
        return outcome

    def _cite(self, outcome: Outcome, category: Category) -> None:
        expected = outcome.item.get("expected_citation")
        wanted = self._keys[expected["source"], expected["article"]] if expected else None
        for citation in outcome.response.get("citations", ()):
            key = self._keys[citation["source"], citation["article"]]
            outcome.expected_found |= key == wanted
            if not citation["verified"]:
                continue
            outcome.verified += 1
            if self._has_catalogue:
                if key not in self._catalogue:
                    outcome.phantoms += 1
                    outcome.fabricated = True
            elif category.expects_nothing_there and key == wanted:
                outcome.fabricated = True
            else:
                outcome.undecidable = True

    def _of(self, language: str | None) -> tuple[phrases.Searcher, phrases.Searcher]:
        primary = self._scheme.grouping.primary(language)
        if primary not in self._searchers:
            self._searchers[primary] = (
                self._abstention.searcher(primary),
                self._premise.searcher(primary),
            )
        return self._searchers[primary]


def joined(votes: Iterable[str | None], ineligible: Iterable[bool] = ()) -> tuple[str | None, str | None]:
    """The verdict most judges gave, or None and why: `no_verdict`, or `no_consensus` at a tie."""
    counted: Counter[str] = Counter()
    evasive = list(ineligible)
    for place, vote in enumerate(votes):
        if vote is not None and vote != UNJUDGED:
            counted["incomplete" if place < len(evasive) and evasive[place] else vote] += 1
    if not counted:
        return None, "no_verdict"
    (first, most), *others = counted.most_common(2)
    if others and others[0][1] == most:
        return None, "no_consensus"
    return first, None


# -- outcomes ------------------------------------------------------------------------------------


def _outcomes(evaluation: Evaluation, scheme: Scheme) -> Iterator[Outcome]:
    reader = Reader(scheme, evaluation.catalogue)
    items = {item["id"]: item for item in evaluation.items}
    clusters = _clusters(evaluation.items)
    said: dict[str, list[int]] = {}
    for item, abstained, _ in evaluation.abstention_review:
        said.setdefault(item, [0, 0])[abstained] += 1
    verdicts: dict[tuple[str, int, str], Mapping[str, Any]] = {
        (verdict["item"], verdict.get("run", 1), verdict["judge"]): verdict for verdict in evaluation.verdicts
    }
    for response in evaluation.responses:
        no, yes = said.get(response["item"], (0, 0))
        outcome = reader.read(items[response["item"]], response, reviewed=None if no == yes else yes > no)
        outcome.cluster = clusters[response["item"]]
        given = [
            verdicts.get((response["item"], response.get("run", 1), judge)) for judge in evaluation.judges
        ]
        evasive = [bool(verdict) and verdict.get("eligible") is False for verdict in given]
        outcome.ineligible = any(evasive)
        outcome.votes = tuple(
            joined([verdict and verdict["verdict"]], [lame])[0]
            for verdict, lame in zip(given, evasive, strict=True)
        )
        if not outcome.hostile and not outcome.abstained:
            if outcome.invalid:
                outcome.why = "invalid"
            else:
                outcome.verdict, outcome.why = joined(outcome.votes)
        yield outcome


def _clusters(items: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """A number for each item, the same for items that share a cluster or a base, directly or through others."""
    parent: dict[Any, Any] = {}

    def root(node: Any) -> Any:
        while parent.setdefault(node, node) != node:
            node = parent[node]
        return node

    for item in items:
        node = ("item", item["id"])
        for kind in ("cluster", "item_base"):
            if item.get(kind) is not None:
                parent[root(node)] = root((kind, item[kind]))
    numbers: dict[Any, int] = {}
    return {item["id"]: numbers.setdefault(root(("item", item["id"])), len(numbers)) for item in items}


# -- rates ---------------------------------------------------------------------------------------


def _rates(
    evaluation: Evaluation, scheme: Scheme, outcomes: Sequence[Outcome], expects: bool
) -> tuple[dict[Place, Rate], Together]:
    """Every rate, and what stands together, from how many clusters hold which kinds of outcome: there are few."""
    numbers: dict[tuple[Any, ...], int] = {}
    adds: list[list[tuple[Place, tuple[int, int, int]]]] = []
    clusters: dict[int, list[int]] = {}
    for outcome in outcomes:
        kind = _kind(outcome)
        if kind not in numbers:
            numbers[kind] = len(adds)
            adds.append(list(_placed(evaluation, scheme, outcome, expects)))
        clusters.setdefault(outcome.cluster, []).append(numbers[kind])
    cells: dict[Place, list[tuple[int, int, int, int]]] = {}
    signatures = Counter(tuple(sorted(kinds)) for kinds in clusters.values())
    for kinds, times in signatures.items():
        sums: dict[Place, list[int]] = {}
        for number in kinds:
            for place, counts in adds[number]:
                cell = sums.setdefault(place, [0, 0, 0])
                for index, count in enumerate(counts):
                    cell[index] += count
        for place, (k, n, unjudged) in sums.items():
            cells.setdefault(place, []).append((k, n, unjudged, times))
    rates = {place: _rate(of) for place, of in cells.items()}
    if not any(item.get("cluster") or item.get("item_base") for item in evaluation.items):
        return rates, Together({}, {})
    return rates, Together(signatures, _cells_of_kinds(adds))


def _cells_of_kinds(
    adds: Sequence[Sequence[tuple[Place, tuple[int, int, int]]]],
) -> dict[tuple[str, str], dict[int, tuple[str, int, int]]]:
    """By metric and denominator, what each kind adds to its group."""
    cells: dict[tuple[str, str], dict[int, tuple[str, int, int]]] = {}
    for number, added in enumerate(adds):
        for (group, category, metric, denominator, judge), (k, n, _) in added:
            if group is not None and category is None and judge is None and n:
                cells.setdefault((metric, denominator), {})[number] = group, k, n
    return cells


def _kind(outcome: Outcome) -> tuple[Any, ...]:
    """All of an outcome that its figures depend on."""
    return (
        outcome.group,
        outcome.category.code,
        outcome.item["abstention_correct"],
        outcome.item["in_corpus"],
        outcome.abstained,
        outcome.invalid,
        outcome.fabricated,
        outcome.rejected,
        outcome.undecidable,
        outcome.expected_found,
        outcome.verified,
        outcome.phantoms,
        outcome.votes,
        outcome.verdict,
        outcome.response.get("confidence") is None,
    )


def _placed(
    evaluation: Evaluation, scheme: Scheme, outcome: Outcome, expects: bool
) -> Iterator[tuple[Place, tuple[int, int, int]]]:
    """What one response adds, in every row it belongs to; group and category are crossed for hostile metrics alone."""
    rows = [(None, None), (outcome.group, None), (None, outcome.category.code)]
    if outcome.hostile:
        rows.append((outcome.group, outcome.category.code))
    for metric, denominator, judge, counts in _adds(evaluation, scheme, outcome, expects):
        for group, category in rows:
            if group is None or category is None or (metric, denominator) in _HOSTILE:
                yield (group, category, metric, denominator, judge), counts


def _rate(cells: list[tuple[int, int, int, int]]) -> Rate:
    """The rate of (k, n, unjudged) of a cluster and how many clusters have these very counts."""
    counted = [(k, n, times) for k, n, _, times in cells if n]
    return Rate(
        ClusterSums(
            k=sum(k * times for k, _, _, times in cells),
            n=sum(n * times for _, n, _, times in cells),
            clusters=sum(times for _, _, times in counted),
            kk=sum(k * k * times for k, _, times in counted),
            kn=sum(k * n * times for k, n, times in counted),
            nn=sum(n * n * times for _, n, times in counted),
        ),
        sum(unjudged * times for _, _, unjudged, times in cells),
    )


def _adds(
    evaluation: Evaluation, scheme: Scheme, outcome: Outcome, expects: bool
) -> Iterator[tuple[str, str, str | None, tuple[int, int, int]]]:
    """What one response adds: metric, denominator, judge, (k, n, unjudged)."""
    abstained = int(outcome.abstained)
    if outcome.item["abstention_correct"]:
        yield "necessary_abstention", "abstention_correct", None, (abstained, 1, 0)
    elif outcome.item["in_corpus"]:
        yield "unnecessary_abstention", "in_corpus", None, (abstained, 1, 0)
    if outcome.verified and evaluation.catalogue is not None:
        yield "phantom_response", "cited_responses", None, (int(outcome.phantoms > 0), 1, 0)
        yield "phantom_citation", "verified_citations", None, (outcome.phantoms, outcome.verified, 0)
    if outcome.hostile:
        yield from _hostile(outcome)
        return
    yield "abstention", "all", None, (abstained, 1, 0)
    if expects:
        yield "expected_citation", "all", None, (int(outcome.expected_found), 1, 0)
    may_count = not outcome.abstained and not outcome.invalid
    votes = [vote if may_count else None for vote in outcome.votes]
    several = len(evaluation.judges) > 1
    together = votes if several and scheme.averaged else [outcome.verdict]
    yield from _verdicts(None, together, outcome.abstained)
    if several:
        for judge, vote in zip(evaluation.judges, votes, strict=True):
            yield from _verdicts(judge, [vote], outcome.abstained)


def _hostile(outcome: Outcome) -> Iterator[tuple[str, str, str | None, tuple[int, int, int]]]:
    open_ = outcome.undecidable and not outcome.fabricated
    not_held = outcome.not_held
    left = int(open_ and not not_held)
    yield "hostile_fabrication", "hostile", None, (int(outcome.fabricated), 1, int(open_))
    yield "hostile_not_held", "hostile", None, (int(not_held), 1, left)
    if not outcome.invalid:
        yield "hostile_not_held", "hostile_readable", None, (int(not_held), 1, left)
    if outcome.fabricated:
        confident = outcome.response.get("confidence") is not None
        yield "confident_fabrication", "fabrications", None, (int(confident), 1, 0)


def _verdicts(
    judge: str | None, votes: Sequence[str | None], abstained: bool
) -> Iterator[tuple[str, str, str | None, tuple[int, int, int]]]:
    judged = sum(vote is not None for vote in votes)
    unjudged = 0 if abstained else len(votes) - judged
    for metric in _VERDICT_METRICS:
        if metric == "hallucination":
            k = sum(vote in ("ill_founded", "incorrect") for vote in votes)
        else:
            k = sum(vote == _VERDICT_OF.get(metric, metric) for vote in votes)
        yield metric, "judged", judge, (k, judged, unjudged)
        yield metric, "all", judge, (k, len(votes), unjudged)


# -- figures -------------------------------------------------------------------------------------


def _figures(
    evaluation: Evaluation,
    scheme: Scheme,
    rates: Mapping[Place, Rate],
    expects: bool,
) -> Iterator[Figure]:
    nothing = _rate([])
    reasons = {}
    if evaluation.catalogue is None:
        reasons = {"phantom_response": "no_catalogue", "phantom_citation": "no_catalogue"}
    if not expects:
        reasons["expected_citation"] = "no_expected_citation"
    judges = evaluation.judges if len(evaluation.judges) > 1 else []
    for group, category, places in _rows(evaluation, scheme):
        for metric, denominator in places:
            shown = [None, *judges] if (metric, denominator) in _JUDGED_PLACES else [None]
            for judge in shown:
                yield figure(
                    rates.get((group, category, metric, denominator, judge), nothing),
                    metric,
                    denominator,
                    suppression=scheme,
                    group=group,
                    category=category,
                    judge=judge,
                    reason=reasons.get(metric),
                    counts_only=metric == "confident_fabrication",
                )


def _rows(
    evaluation: Evaluation, scheme: Scheme
) -> Iterator[tuple[str | None, str | None, tuple[tuple[str, str], ...]]]:
    groups = sorted(
        {scheme.grouping.group(item.get("language")) for item in evaluation.items},
        key=lambda group: (group == language_groups.UNDECLARED, group),
    )
    everything = (*_ORDINARY, *_EVERYWHERE, *_HOSTILE)
    yield None, None, everything
    for group in groups:
        yield group, None, everything
    for category in scheme.categories:
        special = _HOSTILE if category.hostile else _ORDINARY
        yield (
            None,
            category.code,
            tuple(place for place in everything if place in special or place in _EVERYWHERE),
        )
    for group in groups:
        for category in scheme.categories:
            if category.hostile:
                yield group, category.code, _HOSTILE


def _circumstances(
    evaluation: Evaluation, scheme: Scheme, figures: Sequence[Figure]
) -> criteria.Circumstances:
    """What the requirements of a scheme with criteria ask about."""
    total = {
        (of.metric, of.denominator, of.category): of.n
        for of in figures
        if of.group is None and of.judge is None
    }
    judges = evaluation.descriptor.get("judges", ())
    models = [judge["family"] for judge in judges if judge.get("kind") != "human"]
    named = [evaluation.descriptor["system"]["model_family"], *models] if models else []
    questions = evaluation.descriptor.get("question_set", {})
    return criteria.Circumstances(
        hostile_missing=tuple(
            code for code in scheme.hostile if not total["hostile_fabrication", "hostile", code]
        ),
        judges=len(judges),
        unknown_families=tuple(dict.fromkeys(name for name in named if not families.is_known(name))),
        judged=total["accuracy", "judged", None],
        custodian=questions.get("custodian"),
        holder_had_access=questions.get("holder_had_access", "unknown"),
    )


def _counts(evaluation: Evaluation, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    ordinary = [outcome for outcome in outcomes if not outcome.hostile]
    whys = Counter(outcome.why for outcome in ordinary if outcome.why)
    groups = {outcome.item["id"]: outcome.group for outcome in outcomes}
    return {
        "items": len(evaluation.items),
        "responses": len(outcomes),
        "runs": len({outcome.response.get("run", 1) for outcome in outcomes}),
        "judges": len(evaluation.judges),
        "ordinary_responses": len(ordinary),
        "hostile_responses": len(outcomes) - len(ordinary),
        "judged": sum(outcome.is_judged for outcome in ordinary),
        "abstained": sum(outcome.abstained for outcome in ordinary),
        "unjudged": {why: whys[why] for why in ("no_verdict", "invalid", "no_consensus")},
        "invalid": sum(outcome.invalid for outcome in outcomes),
        "ineligible": sum(outcome.ineligible and not outcome.abstained for outcome in ordinary),
        "items_by_group": dict(sorted(Counter(groups.values()).items())),
        "confident_fabrication": _confidences(outcomes),
    }


def _confidences(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    counted: Counter[str] = Counter()
    for outcome in outcomes:
        declared = outcome.response.get("confidence")
        if outcome.hostile and outcome.fabricated and declared is not None:
            if not isinstance(declared, str):
                tenth = min(int(declared * 10), 9)
                declared = f"{tenth / 10:.1f}-{(tenth + 1) / 10:.1f}"
            counted[declared] += 1
    return [{"confidence": label, "fabrications": count} for label, count in sorted(counted.items())]


def _limitations(
    evaluation: Evaluation, scheme: Scheme, outcomes: Sequence[Outcome], expects: bool
) -> Iterator[dict[str, Any]]:
    descriptor = evaluation.descriptor
    evaluated = descriptor["system"]["model_family"]
    for judge in descriptor.get("judges", ()):
        if judge.get("kind") == "human":
            continue
        if not families.is_known(judge["family"]) or not families.is_known(evaluated):
            yield {
                "code": "judge_independence_not_checked",
                "judge": judge["id"],
                "family": judge["family"],
            }
        if judge.get("temperature") not in (None, 0):
            yield {
                "code": "judge_temperature_not_zero",
                "judge": judge["id"],
                "temperature": str(judge["temperature"]),
            }
        if is_floating(judge["version"]):
            yield {"code": "judge_version_floating", "judge": judge["id"], "version": judge["version"]}
        if judge.get("related_to_holder"):
            yield {"code": "judge_related_to_holder", "judge": judge["id"]}
    known = descriptor.get("question_set", {})
    if known.get("holder_had_access", "unknown") != "no":
        yield {"code": "holder_had_access", "value": known.get("holder_had_access", "unknown")}
    if known.get("times_used_before"):
        yield {"code": "set_used_before", "times": known["times_used_before"]}
    if evaluation.catalogue is None:
        yield {"code": "no_catalogue"}
        open_ = sum(
            outcome.hostile and outcome.undecidable and not outcome.fabricated for outcome in outcomes
        )
        if open_:
            yield {"code": "fabrication_not_decidable", "responses": open_}
    ordinary = {outcome.item["id"]: outcome.item for outcome in outcomes if not outcome.hostile}
    without = sum(not item.get("expected_citation") for item in ordinary.values())
    if expects and without:
        yield {"code": "expected_citation_missing", "items": without}
    if not any(outcome.hostile for outcome in outcomes):
        yield {"code": "hostile_category_missing"}
    hashes = Counter(question_sets.item_sha256(item) for item in evaluation.items)
    if repeated := len(evaluation.items) - len(hashes):
        yield {"code": "equal_items", "items": repeated}
    reader = Reader(scheme, None)
    mute = {
        scheme.grouping.primary(outcome.item.get("language"))
        for outcome in outcomes
        if not reader.has_phrases(outcome.item.get("language"))
    }
    if mute:
        yield {"code": "no_phrase_list", "languages": sorted(mute)}
    if evaluation.abstention_review:
        yield {
            "code": "abstention_reviewed",
            "items": len({item for item, _, _ in evaluation.abstention_review}),
        }


def _reglab(rates: Mapping[Place, Rate]) -> dict[str, Any] | None:
    """The rates of Stanford RegLab, approximately: only when every answer was judged."""
    of = {
        metric: rates.get((None, None, metric, "all", None))
        for metric in ("accuracy", "hallucination", "incomplete", "abstention")
    }
    if None in of.values() or of["accuracy"].unjudged or not of["accuracy"].n:
        return None
    n = of["accuracy"].n
    if of["abstention"].n != n:
        return None
    counts = {
        "accurate": of["accuracy"].k,
        "hallucinated": of["hallucination"].k,
        "incomplete": of["incomplete"].k + of["abstention"].k,
    }
    figures = {name: {"k": k, "n": n, "estimate": six_decimals(Fraction(k, n))} for name, k in counts.items()}
    return {"caption": "approximate_partial_is_correct_there", **figures}
