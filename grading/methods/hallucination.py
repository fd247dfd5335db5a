"""Method `hallucination`: from the records of a package to every figure of it, overall, per group and per category."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any

from evidence import descriptor as descriptors
from evidence import families
from evidence.descriptor import Descriptor
from evidence.findings import Caution, Code, Finding
from evidence.index import Index
from evidence.records import INELIGIBLE, UNJUDGED_CODE, VERDICT_CODES, Item, Records, Response
from evidence.typed_json import shown
from grading import (
    between_groups,
    citations,
    comparison,
    criteria,
    data,
    declared,
    language_groups,
    phrases,
    reviews,
)
from grading.figures import (
    Figure,
    FigureImpossible,
    Limitation,
    Rate,
    Result,
    contradictions,
    figure,
    rate,
    six_decimals,
)
from grading.schemes import Scheme, SeveralJudges
from grading.statistics import ClusterSums

EXACT, INCOMPLETE, ILL_FOUNDED, INCORRECT = (
    VERDICT_CODES[name] for name in ("exact", "incomplete", "ill_founded", "incorrect")
)

# What is known of a response stands in the bits of one number, its state: these flags, then the number of its item's
# profile, how many of its citations are verified, and how many of these are phantoms. There are at most 50,000
# profiles, and a line of 16 MiB holds fewer than 2**19 citations.
ABSTAINED, INVALID, FABRICATED, REJECTED, EXPECTED_FOUND, UNDECIDABLE, CONFIDENT = (
    1 << bit for bit in range(7)
)
_PROFILE, _VERIFIED, _PHANTOM = 1 << 7, 1 << 23, 1 << 43

# (metric, denominator) in the order in which they are shown; confident_fabrication is counts only.
_VERDICT_PLACES = tuple(
    (metric, denominator)
    for metric in ("accuracy", "incomplete", "ill_founded", "incorrect", "hallucination")
    for denominator in ("judged", "all")
)
_ORDINARY_PLACES = (*_VERDICT_PLACES, ("abstention", "all"), ("expected_citation", "all"))
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
_PLACES = (*_ORDINARY_PLACES, *_EVERYWHERE_PLACES, *_HOSTILE_PLACES)

# Each language group has its table on every page of the certificate; figures of more would be read by nobody, and
# those of every language tag that can be made up would fill the database.
MOST_GROUPS = 300

# A row of figures: (group, category), None for all.
Row = tuple[str | None, str | None]
# A figure's place: row, place in _PLACES, judge.
Place = tuple[Row, tuple[str, str], str | None]
# What one response adds to one figure: k, n, unjudged.
Counts = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class _Profile:
    """What the items of one kind have in common."""

    group: str
    language: str
    category: str
    hostile: bool
    # Its expected citation names an article that does not exist.
    trap: bool
    in_corpus: bool
    abstention_correct: bool

    @property
    def rows(self) -> tuple[Row, ...]:
        rows: tuple[Row, ...] = ((None, None), (self.group, None), (None, self.category))
        return (*rows, (self.group, self.category)) if self.hostile else rows


class _Interned(dict):
    """Small numbers for the few distinct values of a column, in order of appearance."""

    def __missing__(self, value: Any) -> int:
        self[value] = number = len(self)
        return number


class Grader:
    """Watches the records of one package pass (an `evidence.records.Observer`) and then measures them.

    `scheme` says which categories are hostile, how judges are joined and how languages are grouped.
    """

    def __init__(self, scheme: Scheme) -> None:
        self.scheme = scheme
        self.grouping = language_groups.shipped()[scheme.grouping]
        self.descriptor: Descriptor | None = None
        self.result: Result | None = None
        self._tables: _Tables | None = None
        self._categories = {category.code: category for category in scheme.categories}
        self._abstention = phrases.abstention()
        self._premise = phrases.premise()
        self._searchers: dict[str, tuple[phrases.Searcher, phrases.Searcher]] = {}
        self._keys = citations.Keys()
        self._numbers = citations.Numbers()
        self._has_catalogue = False
        self._catalogue: set[int] = set()
        self._groups: set[str] = set()
        # Of each item the number of its profile and the key of its expected citation (0: none); its cluster and base.
        self._kinds: dict[tuple[str | None, str, bool, bool], int] = {}
        self._profiles = _Interned()
        self._profile_list: list[_Profile] = []
        self._item_profile = array("H")
        self._item_expected = array("q")
        self._labels = Index()
        self._item_cluster = array("I")
        self._item_base = array("I")
        self._response_state = array("Q")
        self._reviewed: dict[int, list[int]] = {}
        self._reviewed_responses = 0
        self._confidences: Counter[str] = Counter()
        self._no_phrases: Counter[str] = Counter()
        self._faulty_items: dict[Caution, tuple[int, int]] = {}
        self._without_expected = 0

    # -- records, as they pass --------------------------------------------------------------------

    def begin(self, descriptor: Descriptor, *, files: frozenset[str]) -> None:
        self.descriptor = descriptor
        self._has_catalogue = "data/catalogue.csv" in files

    def catalogue(self, source: str, article: str) -> None:
        self._catalogue.add(self._keys[source, article])

    def items(self, items: Sequence[Item], first_place: int) -> Iterator[Finding]:
        kinds = self._kinds
        try:
            numbers = [
                kinds[item.language, item.category, item.in_corpus, item.abstention_correct] for item in items
            ]
        except KeyError:
            asked = [
                (item.language, item.category, item.in_corpus, item.abstention_correct) for item in items
            ]
            for place, kind in enumerate(asked, first_place):
                if kind not in kinds:
                    yield from self._new_kind(kind, place)
            if not kinds.keys() >= set(asked):
                # There is a finding, so nothing is measured.
                return
            numbers = [kinds[kind] for kind in asked]
        self._item_profile.extend(array("H", numbers))
        profiles = self._profile_list
        keys, numbered = self._keys, self._numbers
        expecteds, bare = [], []
        place = first_place - 1
        for item, number in zip(items, numbers, strict=True):
            place += 1
            profile = profiles[number]
            expected = item.expected_citation
            citation = 0 if expected is None else keys[expected.source, expected.article]
            expecteds.append(citation)
            # What makes a set worse evidence, but evidence still.
            if profile.hostile:
                if profile.trap and expected is not None and citation in self._catalogue:
                    self._warn(Caution.TRAP_ARTICLE_EXISTS, place)
                continue
            if not item.reference_text or not item.reference_source:
                bare.append(place)
            if expected is None:
                self._without_expected += 1
                continue
            article, digits = numbered[expected.article]
            if digits in item.question and citations.tells(item.question, article):
                self._warn(Caution.QUESTION_NAMES_ARTICLE, place)
        self._item_expected.extend(array("q", expecteds))
        if bare:
            self._warn(Caution.REFERENCE_MISSING, bare[0], len(bare))
        if self._item_cluster or any(
            item.cluster is not None or item.item_base is not None for item in items
        ):
            self._label(items, first_place)

    def _new_kind(self, kind: tuple[str | None, str, bool, bool], place: int) -> Iterator[Finding]:
        language, code, in_corpus, abstention_correct = kind
        member = f"data/items.jsonl:{place + 1}"
        category = self._categories.get(code)
        if category is None:
            known = " · ".join(self._categories)
            yield Finding(Code.VALUE_NOT_ALLOWED, member, "category", known, shown(code))
        if not self.grouping.is_well_formed(language):
            yield Finding(Code.VALUE_NOT_ALLOWED, member, "language", "BCP 47", shown(language))
        group = self.grouping.group(language)
        if len(self._kinds) >= 50_000:
            yield Finding(Code.VALUE_NOT_ALLOWED, member, "language", "<= 50000 different", None)
        elif group not in self._groups and len(self._groups) >= MOST_GROUPS:
            yield Finding(
                Code.VALUE_NOT_ALLOWED, member, "language", f"<= {MOST_GROUPS} different", shown(group)
            )
        elif category is not None:
            self._groups.add(group)
            profile = _Profile(
                group=group,
                language=self.grouping.primary(language),
                category=code,
                hostile=category.hostile,
                trap=category.expects_nothing_there,
                in_corpus=in_corpus,
                abstention_correct=abstention_correct,
            )
            self._kinds[kind] = self._profiles[profile]
            self._profile_list = list(self._profiles)

    def _label(self, items: Sequence[Item], first_place: int) -> None:
        """Note clusters and bases; the columns begin with the first item that has one."""
        for kind, column in (("cluster", self._item_cluster), ("item_base", self._item_base)):
            if len(column) < first_place:
                column.extend([0] * (first_place - len(column)))
            for item in items:
                name = getattr(item, kind)
                if name is None:
                    column.append(0)
                else:
                    number = self._labels.add(hash(f"{kind}\0{name}"))
                    column.append((number if number >= 0 else -1 - number) + 1)

    def _warn(self, caution: Caution, place: int, more: int = 1) -> None:
        first, count = self._faulty_items.get(caution, (place + 1, 0))
        self._faulty_items[caution] = (first, count + more)

    def abstention(self, item: int, abstained: bool, reviewer: str) -> None:
        votes = self._reviewed.setdefault(item, [0, 0])
        votes[abstained] += 1

    def responses(self, responses: Sequence[Response], items: Sequence[int]) -> None:
        # The innermost loop of a million answers: what is one call a citation elsewhere is written out here.
        profiles, item_profile, item_expected = self._profile_list, self._item_profile, self._item_expected
        reviewed, keys = self._reviewed, self._keys
        catalogue, has_catalogue = self._catalogue, self._has_catalogue
        states = []
        for response, item in zip(responses, items, strict=True):
            number = item_profile[item]
            profile = profiles[number]
            state = number * _PROFILE
            if response.invalid:
                state |= INVALID
            abstained = response.abstained
            text = None
            if reviewed and (votes := reviewed.get(item)) is not None and votes[0] != votes[1]:
                self._reviewed_responses += 1
                if votes[1] > votes[0]:
                    state |= ABSTAINED
            elif state & INVALID:
                # A failed call says nothing: it is no abstention unless a person says so.
                pass
            elif abstained:
                state |= ABSTAINED
            elif abstained is None:
                text = phrases.folded(response.answer)
                if self._phrases_of(profile)[0].finds(text):
                    state |= ABSTAINED
            cited = response.citations
            if cited:
                expected = item_expected[item]
                for citation in cited:
                    key = keys[citation.source, citation.article]
                    if key == expected:
                        state |= EXPECTED_FOUND
                    if citation.verified:
                        state += _VERIFIED
                        if has_catalogue:
                            if key not in catalogue:
                                state = (state | FABRICATED) + _PHANTOM
                        elif profile.trap and key == expected:
                            state |= FABRICATED
                        else:
                            state |= UNDECIDABLE
            if profile.hostile:
                if state & FABRICATED:
                    if response.confidence is not None:
                        state |= CONFIDENT
                        self._confidences[_confidence(response.confidence)] += 1
                # Only of who neither abstained nor fabricated does it matter whether the premise was rejected.
                elif not state & (ABSTAINED | INVALID) and self._phrases_of(profile)[1].finds(
                    text or phrases.folded(response.answer)
                ):
                    state |= REJECTED
            states.append(state)
        self._response_state.extend(array("Q", states))

    def _phrases_of(self, profile: _Profile) -> tuple[phrases.Searcher, phrases.Searcher]:
        """What finds abstentions, and rejected premises, in the language of a profile."""
        language = profile.language
        known = self._searchers.get(language)
        if known is None:
            known = self._abstention.searcher(language), self._premise.searcher(language)
            self._searchers[language] = known
            if not known[0]:
                self._no_phrases[language] = 0
        if language in self._no_phrases:
            self._no_phrases[language] += 1
        return known

    # -- figures, when all have passed ------------------------------------------------------------

    def finish(self, records: Records) -> tuple[list[Finding], list[Finding]]:
        """Measure. Findings when the figures are impossible; warnings on the set and on verdicts that do not count."""
        if records.set_sha256 is None or len(self._response_state) != len(records.response_item):
            return [], []
        tables = self._tables = _Tables(self, records)
        try:
            self.result = self._measure(records, tables)
        except FigureImpossible as impossible:
            findings = [
                Finding(Code.FIGURE_IMPOSSIBLE, descriptors.PATH, None, None, shown(fault))
                for fault in impossible.faults
            ]
            return findings, []
        return [], list(self._warnings(tables))

    def answers(self) -> comparison.Answers | None:
        """What was measured item by item, for a comparison; None when nothing was measured."""
        if self.result is None:
            return None
        descriptor = self.descriptor
        groups, group_of, bits = self._tables.outcomes()
        return comparison.Answers(
            system=f"{descriptor.system.name} {descriptor.system.version}",
            method=self.result.method,
            scheme=f"{self.scheme.code} {self.scheme.version}",
            scheme_sha256=self.scheme.sha256,
            set_sha256=self.result.set_sha256,
            judges=tuple(
                (families.family(judge.family), judge.version, "human" if judge.is_human else "model")
                for judge in descriptor.judges or ()
            ),
            digests=self._tables.digests,
            groups=groups,
            group_of=group_of,
            bits=bits,
            clusters=self._tables.clusters,
            files=self.result.files,
            runs=self._tables.runs,
            evidence_is_public=descriptor.evidence_is_public,
            hidden=comparison.hidden(
                self.result.figures, self.scheme, evidence_is_public=descriptor.evidence_is_public
            ),
        )

    def judged_answers(self) -> Iterator[reviews.JudgedAnswer]:
        """Of each item the answer that people may judge again; nothing when nothing was measured."""
        return iter(()) if self.result is None else self._tables.judged_answers()

    def _warnings(self, tables: "_Tables") -> Iterator[Finding]:
        for caution, (line, count) in sorted(self._faulty_items.items()):
            yield Finding(caution, f"data/items.jsonl:{line}", None, 0, count)
        if not any(profile.hostile for profile in self._profiles):
            hostile = " · ".join(category.code for category in self.scheme.categories if category.hostile)
            if hostile:
                yield Finding(Caution.HOSTILE_CATEGORY_MISSING, "data/items.jsonl", "category", hostile, 0)
        ignored = tables.ignored_on_abstention + tables.ignored_on_hostile
        if ignored:
            yield Finding(Caution.VERDICT_IGNORED, "data/verdicts.jsonl", "verdict", 0, ignored)

    def _measure(self, records: Records, tables: "_Tables") -> Result:
        rates = tables.rates()
        figures = tuple(self._figures(rates, tables))
        faults = contradictions(figures)
        if faults:
            raise FigureImpossible(faults)
        comparable = {
            (*place, group, category): of
            for ((group, category), place, judge), of in rates.items()
            if judge is None and place[0] != "confident_fabrication"
        }
        agreement = reviews.agreement(
            tables.reviewed(),
            judges=tables.judges,
            between_judges=tables.between_judges(),
            judges_are_averaged=tables.averaged,
        )
        return Result(
            set_sha256=records.set_sha256,
            method="hallucination",
            scheme={
                "code": self.scheme.code,
                "version": self.scheme.version,
                "sha256": self.scheme.sha256,
            },
            figures=figures,
            groups=between_groups.among(
                figures,
                comparable,
                scheme=self.scheme,
                set_sha256=records.set_sha256,
                blocks=tables.together().blocks,
                evidence_is_public=self.descriptor.evidence_is_public,
            ),
            agreement=agreement,
            declared=declared.compare(self.descriptor.declared_figures or (), comparable),
            criteria=criteria.decide(
                self.scheme,
                figures,
                comparable,
                circumstances=self._circumstances(figures),
                evidence_is_public=self.descriptor.evidence_is_public,
            ),
            limitations=tuple(self._limitations(records, tables, agreement)),
            counts=tables.counts(),
            reglab=_reglab(rates),
            files={
                "scheme": self.scheme.sha256,
                "grouping": self.grouping.sha256,
                "abstention_phrases": self._abstention.sha256,
                "premise_phrases": self._premise.sha256,
                "article_prefixes": data.sha256(citations.PREFIXES_FILE),
            },
            grouping_sha256=self.grouping.sha256,
        )

    def _circumstances(self, figures: Sequence[Figure]) -> criteria.Circumstances:
        """What the requirements of a scheme with criteria ask about."""
        descriptor, questions = self.descriptor, self.descriptor.question_set
        total = {
            (of.metric, of.denominator, of.category): of.n
            for of in figures
            if of.group is None and of.judge is None
        }
        judges = descriptor.judges or []
        models = [judge.family for judge in judges if not judge.is_human]
        named = [descriptor.system.model_family, *models] if models else []
        return criteria.Circumstances(
            hostile_missing=tuple(
                category.code
                for category in self.scheme.categories
                if category.hostile and not total["hostile_fabrication", "hostile", category.code]
            ),
            judges=len(judges),
            unknown_families=tuple(dict.fromkeys(name for name in named if not families.is_known(name))),
            judged=total["accuracy", "judged", None],
            custodian=questions.custodian if questions else None,
            holder_had_access=str(descriptor.holder_had_access),
        )

    def _figures(self, rates: dict[Place, Rate], tables: "_Tables") -> Iterator[Figure]:
        nothing = rate(0, 0)
        no_reason = {
            "phantom_response": None if self._has_catalogue else "no_catalogue",
            "phantom_citation": None if self._has_catalogue else "no_catalogue",
            "expected_citation": None if tables.expects_citations else "no_expected_citation",
        }
        for row, places in tables.rows():
            group, category = row
            for place in places:
                judges = [None]
                if place in _VERDICT_PLACES and len(tables.judges) > 1:
                    judges += tables.judges
                for judge in judges:
                    yield figure(
                        rates.get((row, place, judge), nothing),
                        *place,
                        suppression=self.scheme.suppression,
                        group=group,
                        category=category,
                        judge=judge,
                        reason=no_reason.get(place[0]),
                        counts_only=place[0] == "confident_fabrication",
                    )

    def _limitations(
        self, records: Records, tables: "_Tables", agreement: dict[str, Any]
    ) -> Iterator[Limitation]:
        descriptor = self.descriptor
        if (descriptor.scheme.code, descriptor.scheme.version) != (self.scheme.code, self.scheme.version):
            yield Limitation(
                code="other_scheme_declared",
                data={"declared": f"{descriptor.scheme.code} {descriptor.scheme.version}"},
            )
        if not reviews.is_measured(agreement):
            yield Limitation(code="agreement_not_measured", data={"reviews": len(records.review_items)})
        for judge in descriptor.judges or ():
            if judge.is_human:
                continue
            if not families.is_known(judge.family) or not families.is_known(descriptor.system.model_family):
                yield Limitation(
                    code="judge_independence_not_checked", data={"judge": judge.id, "family": judge.family}
                )
            if judge.temperature not in (None, 0):
                yield Limitation(
                    code="judge_temperature_not_zero",
                    data={"judge": judge.id, "temperature": str(judge.temperature)},
                )
            if descriptors.is_floating(judge.version):
                yield Limitation(
                    code="judge_version_floating", data={"judge": judge.id, "version": judge.version}
                )
            if judge.related_to_holder:
                yield Limitation(code="judge_related_to_holder", data={"judge": judge.id})
        access = descriptor.holder_had_access
        if access != descriptors.HolderHadAccess.NO:
            yield Limitation(code="holder_had_access", data={"value": str(access)})
        used = descriptor.question_set.times_used_before if descriptor.question_set else None
        if used:
            yield Limitation(code="set_used_before", data={"times": used})
        yield Limitation(code="runs", data={"runs": tables.runs})
        if not self._has_catalogue:
            yield Limitation(code="no_catalogue")
            if tables.undecidable:
                yield Limitation(code="fabrication_not_decidable", data={"responses": tables.undecidable})
        if tables.expects_citations and self._without_expected:
            yield Limitation(code="expected_citation_missing", data={"items": self._without_expected})
        for caution, (_, count) in sorted(self._faulty_items.items()):
            yield Limitation(code=caution.value.lower(), data={"items": count})
        if not any(profile.hostile for profile in self._profiles):
            yield Limitation(code=Caution.HOSTILE_CATEGORY_MISSING.value.lower())
        if records.repeated_items:
            yield Limitation(code=Caution.EQUAL_ITEMS.value.lower(), data={"items": records.repeated_items})
        if self._no_phrases:
            yield Limitation(
                code="no_phrase_list",
                data={
                    "languages": sorted(self._no_phrases),
                    "responses": sum(self._no_phrases.values()),
                },
            )
        if self._reviewed:
            disagree = sum(no == yes for no, yes in self._reviewed.values())
            yield Limitation(
                code="abstention_reviewed", data={"items": len(self._reviewed), "disagreed": disagree}
            )
        if tables.ignored_on_abstention:
            yield Limitation(
                code="verdict_on_abstention_ignored", data={"responses": tables.ignored_on_abstention}
            )
        if tables.ignored_on_hostile:
            yield Limitation(code="verdict_on_hostile_ignored", data={"responses": tables.ignored_on_hostile})


class _Tables:
    """The records as counts of equal responses, and from there to rates."""

    def __init__(self, grader: Grader, records: Records) -> None:
        self._grader = grader
        self._records = records
        self._profiles: list[_Profile] = list(grader._profiles)
        self.judges = list(records.verdicts)
        self.averaged = grader.scheme.several_judges == SeveralJudges.MEAN and len(self.judges) > 1
        self._items_of_profile = Counter(grader._item_profile)
        ordinary = sum(
            count for number, count in self._items_of_profile.items() if not self._profiles[number].hostile
        )
        self.expects_citations = grader._without_expected < ordinary
        # A response is of a kind (state, verdict of each judge); there are few different ones.
        self._columns = (grader._response_state, *records.verdicts.values())
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
        grader, records = self._grader, self._records
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
            "abstention_reviewed": grader._reviewed_responses,
            "items_by_group": {group: items[group] for group in _ordered(items)},
            "confident_fabrication": [
                {"confidence": label, "fabrications": count}
                for label, count in sorted(grader._confidences.items())
            ],
        }

    def rows(self) -> Iterator[tuple[Row, tuple[tuple[str, str], ...]]]:
        """Every row with the places it has: the total, each group, each category, hostile ones within each group."""
        groups = _ordered({profile.group for profile in self._profiles})
        yield (None, None), _PLACES
        for group in groups:
            yield (group, None), _PLACES
        for category in self._grader.scheme.categories:
            special = _HOSTILE_PLACES if category.hostile else _ORDINARY_PLACES
            ordered = tuple(place for place in _PLACES if place in special or place in _EVERYWHERE_PLACES)
            yield (None, category.code), ordered
        for group in groups:
            for category in self._grader.scheme.categories:
                if category.hostile:
                    yield (group, category.code), _HOSTILE_PLACES

    def rates(self) -> dict[Place, Rate]:
        """The rate of every figure that has one answer at least."""
        # k, n, unjudged, clusters, Σk², Σkn, Σn² of each place.
        totals: dict[Place, list[int]] = {}
        added: dict[tuple[int, ...], list[tuple[Place, Counts]]] = {}
        for signature, count in self._clusters():
            cluster: dict[Place, list[int]] = {}
            for kind in signature:
                contributions = added.get(kind)
                if contributions is None:
                    contributions = added[kind] = list(self._contributions(kind))
                for place, (k, n, unjudged) in contributions:
                    sums = cluster.get(place)
                    if sums is None:
                        cluster[place] = [k, n, unjudged]
                    else:
                        sums[0] += k
                        sums[1] += n
                        sums[2] += unjudged
            for place, (k, n, unjudged) in cluster.items():
                total = totals.setdefault(place, [0] * 7)
                total[0] += count * k
                total[1] += count * n
                total[2] += count * unjudged
                if n:
                    total[3] += count
                    total[4] += count * k * k
                    total[5] += count * k * n
                    total[6] += count * n * n
        return {
            place: Rate(ClusterSums(k=k, n=n, clusters=clusters, kk=kk, kn=kn, nn=nn), unjudged)
            for place, (k, n, unjudged, clusters, kk, kn, nn) in totals.items()
        }

    def _clusters(self) -> Iterable[tuple[Sequence[tuple[int, ...]], int]]:
        """The kinds of the responses of each cluster, and how many clusters have these very kinds."""
        records, grader = self._records, self._grader
        if len(records.response_item) == records.item_count and not grader._item_cluster:
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
        signatures = self._signatures = Counter(
            tuple(sorted(ordered[start:end])) for start, end in pairwise(starts) if start < end
        )
        return (([kinds[number] for number in signature], count) for signature, count in signatures.items())

    def outcomes(self) -> tuple[tuple[str, ...], array, bytearray]:
        """Of each item its group, by number, and the bits of its answer in run 1, or the first one handed in."""
        groups = _Interned()
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
        return self._cluster_of_item() if self._grader._item_cluster else None

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
        known: dict[tuple[int, ...], tuple[_Profile, int, tuple[int, ...]]] = {}
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
        if not self._grader._item_cluster:
            return between_groups.Together({}, cells)
        for number, kind in enumerate(self._count_of_kind):
            for ((group, category), place, judge), (k, n, _) in self._contributions(kind):
                if group is not None and category is None and judge is None and n:
                    cells.setdefault(place, {})[number] = group, k, n
        return between_groups.Together(self._signatures, cells)

    def _cluster_of_item(self) -> array:
        """Items that share a cluster or a base, directly or through others, are one cluster; each other its own."""
        grader = self._grader
        count = self._records.item_count
        clusters, bases = grader._item_cluster, grader._item_base
        if not clusters:
            return array("I", range(count))
        labels = len(grader._labels)
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

    def _read(self, kind: tuple[int, ...]) -> tuple[_Profile, int, int, int, tuple[int, ...]]:
        state, *verdicts = kind
        profile = self._profiles[state % _VERIFIED // _PROFILE]
        return profile, state % _PROFILE, state % _PHANTOM // _VERIFIED, state // _PHANTOM, tuple(verdicts)

    def _contributions(self, kind: tuple[int, ...]) -> Iterator[tuple[Place, Counts]]:
        """What one response of a kind adds to each figure, in each row it belongs to."""
        profile, bits, verified, phantoms, verdicts = self._read(kind)
        adds = [*self._everywhere(profile, bits, verified, phantoms)]
        adds += self._hostile(bits) if profile.hostile else self._ordinary(bits, verdicts)
        for row in profile.rows:
            for place, judge, counts in adds:
                # The crossing of group and category is for hostile metrics alone.
                if row[0] is None or row[1] is None or place in _HOSTILE_PLACES:
                    yield (row, place, judge), counts

    def _everywhere(
        self, profile: _Profile, bits: int, verified: int, phantoms: int
    ) -> Iterator[tuple[tuple[str, str], str | None, Counts]]:
        abstained = 1 if bits & ABSTAINED else 0
        if profile.abstention_correct:
            yield ("necessary_abstention", "abstention_correct"), None, (abstained, 1, 0)
        elif profile.in_corpus:
            yield ("unnecessary_abstention", "in_corpus"), None, (abstained, 1, 0)
        if verified and self._grader._has_catalogue:
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


def _confidence(declared_: float | str) -> str:
    """A declared confidence as it is counted: a label as it stands, a number by its tenth."""
    if isinstance(declared_, str):
        return declared_
    tenth = min(int(declared_ * 10), 9)
    return f"{tenth / 10:.1f}-{(tenth + 1) / 10:.1f}"


def _ordered(groups: Iterable[str]) -> list[str]:
    """Groups by key; those without a declared language last."""
    return sorted(groups, key=lambda group: (group == language_groups.UNDECLARED, group))


def _reglab(rates: dict[Place, Rate]) -> dict[str, Any] | None:
    """The three rates of Stanford RegLab, approximately: only when every answer was judged."""
    of = {metric: rates.get(((None, None), (metric, "all"), None)) for metric in _REGLAB_PARTS}
    if None in of.values() or of["accuracy"].unjudged or not of["accuracy"].n:
        return None
    n = of["accuracy"].n
    counts = {
        "accurate": of["accuracy"].k,
        "hallucinated": of["hallucination"].k,
        "incomplete": of["incomplete"].k + of["abstention"].k,
    }
    if of["abstention"].n != n:
        # Averaged judges count an answer once each; the three would not add up.
        return None
    figures = {name: {"k": k, "n": n, "estimate": six_decimals(Fraction(k, n))} for name, k in counts.items()}
    # RegLab counts a partial answer as correct: the page says so beside the numbers.
    return {"caption": "approximate_partial_is_correct_there", **figures}


_REGLAB_PARTS = ("accuracy", "hallucination", "incomplete", "abstention")
