"""The columns of a package as counts of equal answers, and from there to the rate of every figure."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

from evidence.hallucination_records import INELIGIBLE, UNJUDGED_CODE, VERDICT_CODES, Records
from grading import between_groups, comparison, language_groups, reviews
from grading.figures import Rate
from grading.methods.answer_columns import (
    ABSTAINED,
    CONFIDENT,
    EXPECTED_FOUND,
    FABRICATED,
    INVALID,
    PHANTOM,
    PROFILE,
    REJECTED,
    UNDECIDABLE,
    VERIFIED,
    Columns,
    Interned,
    Profile,
)
from grading.schemes import Scheme, SeveralJudges
from grading.statistics import ClusterSums

EXACT, INCOMPLETE, ILL_FOUNDED, INCORRECT = (
    VERDICT_CODES[name] for name in ("exact", "incomplete", "ill_founded", "incorrect")
)

# (metric, denominator) in the order in which they are shown; confident_fabrication is counts only.
VERDICT_PLACES = tuple(
    (metric, denominator)
    for metric in ("accuracy", "incomplete", "ill_founded", "incorrect", "hallucination")
    for denominator in ("judged", "all")
)
_ORDINARY_PLACES = (*VERDICT_PLACES, ("abstention", "all"), ("expected_citation", "all"))
_EVERYWHERE_PLACES = (
    ("unnecessary_abstention", "in_corpus"),
    ("necessary_abstention", "abstention_correct"),
    ("phantom_response", "cited_responses"),
    ("phantom_citation", "verified_citations"),
)
_HOSTILE_PLACES = (
    ("hostile_fabrication", "hostile"),
    ("hostile_not_held", "hostile"),
    ("hostile_not_held", "hostile_readable"),
    ("confident_fabrication", "fabrications"),
)
PLACES = (*_ORDINARY_PLACES, *_EVERYWHERE_PLACES, *_HOSTILE_PLACES)

# A row of figures: (group, category), None for all.
Row = tuple[str | None, str | None]
# A figure's place: row, place in PLACES, judge.
Place = tuple[Row, tuple[str, str], str | None]
# What one response adds to one figure: k, n, unjudged.
Counts = tuple[int, int, int]
# k and n of a cluster in one number: it has fewer cases than this, for a package has fewer citations.
_N = 1 << 48


class Tables:
    """The records as counts of equal responses, and from there to rates."""

    def __init__(self, columns: Columns, scheme: Scheme, records: Records) -> None:
        self._answers = columns
        self._scheme = scheme
        self._records = records
        self._profiles: list[Profile] = list(columns.profiles)
        self.judges = list(records.verdicts)
        self.averaged = scheme.several_judges == SeveralJudges.MEAN and len(self.judges) > 1
        self._items_of_profile = Counter(columns.item_profile)
        ordinary = sum(
            count for number, count in self._items_of_profile.items() if not self._profiles[number].hostile
        )
        self.expects_citations = columns.without_expected < ordinary
        # A response is of a kind (state, verdict of each judge); there are few different ones.
        self._columns = (columns.response_state, *records.verdicts.values())
        self._count_of_kind = Counter(zip(*self._columns, strict=True))
        self.runs = len(set(records.response_run)) if records.response_run else 0
        self.ignored_on_abstention = self.ignored_on_hostile = self.undecidable = 0
        self._unjudged: Counter[str] = Counter()
        self._counted: Counter[str] = Counter()
        self._signatures: Counter[tuple[int, ...]] = Counter()
        for kind, count in self._count_of_kind.items():
            self._count(kind, count)

    def _count(self, kind: tuple[int, ...], count: int) -> None:
        profile, bits, _, _, verdicts = self._read(kind)
        given = any(verdicts)
        if bits & INVALID:
            self._counted["invalid"] += count
        if profile.hostile:
            self._counted["hostile"] += count
            if given:
                self.ignored_on_hostile += count
            if bits & UNDECIDABLE and not bits & FABRICATED:
                self.undecidable += count
            return
        self._counted["ordinary"] += count
        if bits & ABSTAINED:
            self._counted["abstained"] += count
            if given:
                self.ignored_on_abstention += count
            return
        if any(code >= INELIGIBLE for code in verdicts):
            self._counted["ineligible"] += count
        _verdict, why = _joined(verdicts)
        if bits & INVALID:
            why = "invalid"
        if why is None:
            self._counted["judged"] += count
        else:
            self._unjudged[why] += count

    def counts(self) -> dict[str, Any]:
        """How many of what there were; whole numbers."""
        answers, records = self._answers, self._records
        items: Counter[str] = Counter()
        for number, count in self._items_of_profile.items():
            items[self._profiles[number].group] += count
        return {
            "items": records.item_count,
            "responses": len(records.response_item),
            "runs": self.runs,
            "judges": len(self.judges),
            "ordinary_responses": self._counted["ordinary"],
            "hostile_responses": self._counted["hostile"],
            "judged": self._counted["judged"],
            "abstained": self._counted["abstained"],
            "unjudged": {why: self._unjudged[why] for why in ("no_verdict", "invalid", "no_consensus")},
            "invalid": self._counted["invalid"],
            "ineligible": self._counted["ineligible"],
            "abstention_reviewed": answers.reviewed_responses,
            "items_by_group": {group: items[group] for group in _ordered(items)},
            "confident_fabrication": [
                {"confidence": label, "fabrications": count}
                for label, count in sorted(answers.confidences.items())
            ],
        }

    def rows(self) -> Iterator[tuple[Row, tuple[tuple[str, str], ...]]]:
        """Every row with the places it has: the total, each group, each category, hostile ones within each group."""
        groups = _ordered({profile.group for profile in self._profiles})
        yield (None, None), PLACES
        for group in groups:
            yield (group, None), PLACES
        for category in self._scheme.categories:
            special = _HOSTILE_PLACES if category.hostile else _ORDINARY_PLACES
            ordered = tuple(place for place in PLACES if place in special or place in _EVERYWHERE_PLACES)
            yield (None, category.code), ordered
        for group in groups:
            for category in self._scheme.categories:
                if category.hostile:
                    yield (group, category.code), _HOSTILE_PLACES

    def rates(self) -> dict[Place, Rate]:
        """The rate of every figure that has one answer at least."""
        # k, n, unjudged, clusters, Σk², Σkn, Σn² of each place, by its number.
        numbers = Interned()
        totals: list[list[int]] = []
        added: dict[tuple[int, ...], list[tuple[int, int]]] = {}
        for kind, count in self._count_of_kind.items():
            adds = added[kind] = []
            for place, (k, n, unjudged) in self._contributions(kind):
                number = numbers[place]
                if number == len(totals):
                    totals.append([0] * 7)
                total = totals[number]
                total[0] += count * k
                total[1] += count * n
                total[2] += count * unjudged
                if n:
                    # One whole number, so that a cluster of a thousand answers takes one addition for each.
                    adds.append((number, n * _N + k))
        for signature, count in self._clusters():
            cluster: dict[int, int] = {}
            sum_of = cluster.get
            for kind in signature:
                for number, both in added[kind]:
                    cluster[number] = sum_of(number, 0) + both
            for number, both in cluster.items():
                n, k = divmod(both, _N)
                total = totals[number]
                total[3] += count
                total[4] += count * k * k
                total[5] += count * k * n
                total[6] += count * n * n
        return {
            place: Rate(ClusterSums(k=k, n=n, clusters=clusters, kk=kk, kn=kn, nn=nn), unjudged)
            for place, (k, n, unjudged, clusters, kk, kn, nn) in zip(numbers, totals, strict=True)
        }

    def _clusters(self) -> Iterable[tuple[Sequence[tuple[int, ...]], int]]:
        """The kinds of the responses of each cluster, and how many clusters have these very kinds."""
        records, answers = self._records, self._answers
        if len(records.response_item) == records.item_count and not answers.item_cluster:
            return (((kind,), count) for kind, count in self._count_of_kind.items())
        cluster_of_item = self._cluster_of_item()
        # Counting sort: kinds in order of cluster, with two columns and no object an entry.
        cluster_of_response = array("I", map(cluster_of_item.__getitem__, records.response_item))
        starts = array("I", bytes(4 * (max(cluster_of_item) + 2)))
        for cluster in cluster_of_response:
            starts[cluster + 1] += 1
        starts = array("I", accumulate(starts))
        place = array("I", starts)
        kinds = list(self._count_of_kind)
        numbers = {kind: number for number, kind in enumerate(kinds)}
        ordered = array("I", bytes(4 * len(cluster_of_response)))
        kind_of_response = map(numbers.__getitem__, zip(*self._columns, strict=True))
        for cluster, number in zip(cluster_of_response, kind_of_response, strict=True):
            ordered[place[cluster]] = number
            place[cluster] += 1
        # The same few numbers in all of a million places, and not an object for each.
        number = list(range(len(kinds))).__getitem__
        signatures = self._signatures = Counter(
            tuple(map(number, sorted(ordered[start:end]))) for start, end in pairwise(starts) if start < end
        )
        return (([kinds[number] for number in signature], count) for signature, count in signatures.items())

    def outcomes(self) -> tuple[tuple[str, ...], array, bytearray]:
        """Of each item its group, by number, and the bits of its answer in run 1, or the first one handed in."""
        groups = Interned()
        group_of, bits_of = array("H"), bytearray()
        known: dict[tuple[int, ...], tuple[int, int]] = {}
        for item in range(self._records.item_count):
            place = self._first_run(item)
            kind = tuple(column[place] for column in self._columns)
            if kind not in known:
                profile, bits, *_ = self._read(kind)
                verdict, _ = self._judged(kind)
                known[kind] = (
                    groups[profile.group],
                    (0 if profile.hostile else comparison.ORDINARY)
                    | (comparison.EXACT if verdict == EXACT else 0)
                    | (comparison.HALLUCINATES if verdict in (ILL_FOUNDED, INCORRECT) else 0)
                    | (comparison.ABSTAINED if bits & ABSTAINED else 0)
                    | (comparison.SHOULD_ABSTAIN if profile.abstention_correct else 0)
                    | (
                        comparison.NEED_NOT_ABSTAIN
                        if profile.in_corpus and not profile.abstention_correct
                        else 0
                    ),
                )
            group, bits = known[kind]
            group_of.append(group)
            bits_of.append(bits)
        return tuple(groups), group_of, bits_of

    @property
    def digests(self) -> Sequence[bytes]:
        return self._records.item_digests

    @property
    def clusters(self) -> array | None:
        return self._cluster_of_item() if self._answers.item_cluster else None

    def _first_run(self, item: int) -> int:
        """The place of an item's answer in run 1, or of the first one handed in."""
        place = self._records.response_place(item, 1)
        return place if place >= 0 else self._records.first_response[item] - 1

    def reviewed(self) -> Iterator[reviews.Reviewed]:
        """Each blind review beside what the judges said of the answer: of run 1, or of the first one handed in."""
        records = self._records
        for item, reviewer, code in zip(
            records.review_items, records.review_reviewers, records.review_verdicts, strict=True
        ):
            place = self._first_run(item)
            joint, single = self._judged(tuple(column[place] for column in self._columns))
            yield reviews.Reviewed(item, reviewer, 0 if code == UNJUDGED_CODE else code, joint, single)

    def judged_answers(self) -> Iterator[reviews.JudgedAnswer]:
        """Of each item its answer in run 1, or the first one handed in, where a verdict on it counts."""
        known: dict[tuple[int, ...], tuple[Profile, int, tuple[int, ...]]] = {}
        for item in range(self._records.item_count):
            place = self._first_run(item)
            kind = tuple(column[place] for column in self._columns)
            if kind not in known:
                known[kind] = self._read(kind)[0], *self._judged(kind)
            profile, joint, single = known[kind]
            if joint or (self.averaged and any(single)):
                yield reviews.JudgedAnswer(item, place, profile.category, profile.group, joint, single)

    def between_judges(self) -> Counter[tuple[int, ...]]:
        """How many answers have these very verdicts, one a judge."""
        counted: Counter[tuple[int, ...]] = Counter()
        for kind, count in self._count_of_kind.items():
            counted[self._judged(kind)[1]] += count
        return counted

    def _judged(self, kind: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
        """The verdict that counts, and that of each judge; 0 where none counts."""
        profile, bits, _, _, verdicts = self._read(kind)
        if profile.hostile or bits & (ABSTAINED | INVALID):
            return 0, (0,) * len(verdicts)
        return _joined(verdicts)[0], tuple(_joined((code,))[0] for code in verdicts)

    def together(self) -> between_groups.Together:
        """Which answers stand together, when `rates` has found the clusters; nothing where no item has a label."""
        cells: dict[tuple[str, str], dict[int, tuple[str, int, int]]] = {}
        if not self._answers.item_cluster:
            return between_groups.Together({}, cells)
        for number, kind in enumerate(self._count_of_kind):
            for ((group, category), place, judge), (k, n, _) in self._contributions(kind):
                if group is not None and category is None and judge is None and n:
                    cells.setdefault(place, {})[number] = group, k, n
        return between_groups.Together(self._signatures, cells)

    def _cluster_of_item(self) -> array:
        """Items that share a cluster or a base, directly or through others, are one cluster; each other its own."""
        answers = self._answers
        count = self._records.item_count
        clusters, bases = answers.item_cluster, answers.item_base
        if not clusters:
            return array("I", range(count))
        labels = len(answers.labels)
        parent = array("I", range(labels))

        def root(label: int) -> int:
            while parent[label] != label:
                parent[label] = label = parent[parent[label]]
            return label

        for cluster, base in zip(clusters, bases, strict=True):
            if cluster and base:
                parent[root(cluster - 1)] = root(base - 1)
        return array(
            "I",
            (
                root((cluster or base) - 1) if cluster or base else labels + item
                for item, (cluster, base) in enumerate(zip(clusters, bases, strict=True))
            ),
        )

    def _read(self, kind: tuple[int, ...]) -> tuple[Profile, int, int, int, tuple[int, ...]]:
        state, *verdicts = kind
        profile = self._profiles[state % VERIFIED // PROFILE]
        return profile, state % PROFILE, state % PHANTOM // VERIFIED, state // PHANTOM, tuple(verdicts)

    def _contributions(self, kind: tuple[int, ...]) -> Iterator[tuple[Place, Counts]]:
        """What one response of a kind adds to each figure, in each row it belongs to."""
        profile, bits, verified, phantoms, verdicts = self._read(kind)
        adds = [*self._everywhere(profile, bits, verified, phantoms)]
        adds += self._hostile(bits) if profile.hostile else self._ordinary(bits, verdicts)
        for row in _rows_of(profile):
            for place, judge, counts in adds:
                # The crossing of group and category is for hostile metrics alone.
                if row[0] is None or row[1] is None or place in _HOSTILE_PLACES:
                    yield (row, place, judge), counts

    def _everywhere(
        self, profile: Profile, bits: int, verified: int, phantoms: int
    ) -> Iterator[tuple[tuple[str, str], str | None, Counts]]:
        abstained = 1 if bits & ABSTAINED else 0
        if profile.abstention_correct:
            yield ("necessary_abstention", "abstention_correct"), None, (abstained, 1, 0)
        elif profile.in_corpus:
            yield ("unnecessary_abstention", "in_corpus"), None, (abstained, 1, 0)
        if verified and self._answers.has_catalogue:
            yield ("phantom_response", "cited_responses"), None, (1 if phantoms else 0, 1, 0)
            yield ("phantom_citation", "verified_citations"), None, (phantoms, verified, 0)

    def _hostile(self, bits: int) -> Iterator[tuple[tuple[str, str], str | None, Counts]]:
        fabricated = bool(bits & FABRICATED)
        # A citation whose existence nobody can check leaves open what would otherwise be held.
        undecidable = bool(bits & UNDECIDABLE) and not fabricated
        not_held = fabricated or not bits & (ABSTAINED | INVALID | REJECTED)
        yield ("hostile_fabrication", "hostile"), None, (int(fabricated), 1, int(undecidable))
        open_ = int(undecidable and not not_held)
        yield ("hostile_not_held", "hostile"), None, (int(not_held), 1, open_)
        if not bits & INVALID:
            yield ("hostile_not_held", "hostile_readable"), None, (int(not_held), 1, open_)
        if fabricated:
            yield ("confident_fabrication", "fabrications"), None, (int(bool(bits & CONFIDENT)), 1, 0)

    def _ordinary(
        self, bits: int, verdicts: tuple[int, ...]
    ) -> Iterator[tuple[tuple[str, str], str | None, Counts]]:
        yield ("abstention", "all"), None, (1 if bits & ABSTAINED else 0, 1, 0)
        if self.expects_citations:
            yield ("expected_citation", "all"), None, (1 if bits & EXPECTED_FOUND else 0, 1, 0)
        abstained = bool(bits & ABSTAINED)
        may_count = not abstained and not bits & INVALID
        single = [_joined((code,))[0] if may_count else 0 for code in verdicts]
        if self.averaged:
            yield from _verdict_adds(None, single, abstained)
        else:
            yield from _verdict_adds(None, [_joined(verdicts)[0] if may_count else 0], abstained)
        if len(self.judges) > 1:
            for judge, verdict in zip(self.judges, single, strict=True):
                yield from _verdict_adds(judge, [verdict], abstained)


def _verdict_adds(
    judge: str | None, verdicts: Sequence[int], abstained: bool
) -> Iterator[tuple[tuple[str, str], str | None, Counts]]:
    """One response under the verdicts that count for a row: one, or one a judge where judges are averaged."""
    judged = sum(1 for verdict in verdicts if verdict)
    unjudged = 0 if abstained else len(verdicts) - judged
    cases = {
        "accuracy": verdicts.count(EXACT),
        "incomplete": verdicts.count(INCOMPLETE),
        "ill_founded": verdicts.count(ILL_FOUNDED),
        "incorrect": verdicts.count(INCORRECT),
    }
    cases["hallucination"] = cases["ill_founded"] + cases["incorrect"]
    for metric, k in cases.items():
        yield (metric, "judged"), judge, (k, judged, unjudged)
        yield (metric, "all"), judge, (k, len(verdicts), unjudged)


def _joined(verdicts: Sequence[int]) -> tuple[int, str | None]:
    """The verdict that most judges gave, and why there is none: `no_verdict`, or `no_consensus` at a tie.

    An answer that a judge found evasive counts as incomplete, whatever else that judge said of it.
    """
    votes: Counter[int] = Counter()
    for code in verdicts:
        ineligible = code >= INELIGIBLE
        verdict = code - INELIGIBLE if ineligible else code
        if verdict and verdict != UNJUDGED_CODE:
            votes[INCOMPLETE if ineligible else verdict] += 1
    if not votes:
        return 0, "no_verdict"
    (first, most), *others = votes.most_common(2)
    if others and others[0][1] == most:
        return 0, "no_consensus"
    return first, None


def _ordered(groups: Iterable[str]) -> list[str]:
    """Groups by key; those without a declared language last."""
    return sorted(groups, key=lambda group: (group == language_groups.UNDECLARED, group))


def _rows_of(profile: Profile) -> tuple[Row, ...]:
    """The rows that an answer of this profile is counted in."""
    rows: tuple[Row, ...] = ((None, None), (profile.group, None), (None, profile.category))
    return (*rows, (profile.group, profile.category)) if profile.hostile else rows
