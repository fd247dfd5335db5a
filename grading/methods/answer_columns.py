"""What is kept of each item and answer as the records of a package pass: bits in columns of numbers."""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evidence.findings import Caution, Code, Finding
from evidence.hallucination_records import Item, Response
from evidence.index import Index
from evidence.typed_json import shown
from grading import citations, language_groups, phrases
from grading.schemes import Scheme

# What is known of a response stands in the bits of one number, its state: these flags, then the number of its item's
# profile, how many of its citations are verified, and how many of these are phantoms. There are at most 50,000
# profiles, and a line of 16 MiB holds fewer than 2**19 citations.
ABSTAINED, INVALID, FABRICATED, REJECTED, EXPECTED_FOUND, UNDECIDABLE, CONFIDENT = (
    1 << bit for bit in range(7)
)
PROFILE, VERIFIED, PHANTOM = 1 << 7, 1 << 23, 1 << 43

# Each language group has its table on every page of the certificate; figures of more would be read by nobody, and
# those of every language tag that can be made up would fill the database.
MOST_GROUPS = 300


@dataclass(frozen=True, slots=True)
class Profile:
    """What the items of one kind have in common."""

    group: str
    language: str
    category: str
    hostile: bool
    # Its expected citation names an article that does not exist.
    trap: bool
    in_corpus: bool
    abstention_correct: bool


class Interned(dict):
    """Small numbers for the few distinct values of a column, in order of appearance."""

    def __missing__(self, value: Any) -> int:
        self[value] = number = len(self)
        return number


class Columns:
    """The columns of one package pass, filled in the calls of an `evidence.hallucination_records.Observer`.

    `scheme` says which categories are hostile and how languages are grouped.
    """

    def __init__(self, scheme: Scheme) -> None:
        self.grouping = language_groups.shipped()[scheme.grouping]
        self._categories = {category.code: category for category in scheme.categories}
        self.abstention_phrases = phrases.abstention()
        self.premise_phrases = phrases.premise()
        self._searchers: dict[str, tuple[phrases.Searcher, phrases.Searcher]] = {}
        self._keys = citations.Keys()
        self._numbers = citations.Numbers()
        self.has_catalogue = False
        self._catalogue: set[int] = set()
        self._groups: set[str] = set()
        # Of each item the number of its profile and the key of its expected citation (0: none); its cluster and base.
        self._kinds: dict[tuple[str | None, str, bool, bool], int] = {}
        self.profiles = Interned()
        self._profile_list: list[Profile] = []
        self.item_profile = array("H")
        self._item_expected = array("q")
        self.labels = Index()
        self.item_cluster = array("I")
        self.item_base = array("I")
        self.response_state = array("Q")
        self.reviewed: dict[int, list[int]] = {}
        self.reviewed_responses = 0
        self.confidences: Counter[str] = Counter()
        self.no_phrases: Counter[str] = Counter()
        self.faulty_items: dict[Caution, tuple[int, int]] = {}
        self.without_expected = 0

    def begin(self, *, files: frozenset[str]) -> None:
        self.has_catalogue = "data/catalogue.csv" in files

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
        self.item_profile.extend(array("H", numbers))
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
                self.without_expected += 1
                continue
            article, digits = numbered[expected.article]
            if digits in item.question and citations.tells(item.question, article):
                self._warn(Caution.QUESTION_NAMES_ARTICLE, place)
        self._item_expected.extend(array("q", expecteds))
        if bare:
            self._warn(Caution.REFERENCE_MISSING, bare[0], len(bare))
        if self.item_cluster or any(item.cluster is not None or item.item_base is not None for item in items):
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
            profile = Profile(
                group=group,
                language=self.grouping.primary(language),
                category=code,
                hostile=category.hostile,
                trap=category.expects_nothing_there,
                in_corpus=in_corpus,
                abstention_correct=abstention_correct,
            )
            self._kinds[kind] = self.profiles[profile]
            self._profile_list = list(self.profiles)

    def _label(self, items: Sequence[Item], first_place: int) -> None:
        """Note clusters and bases; the columns begin with the first item that has one."""
        for kind, column in (("cluster", self.item_cluster), ("item_base", self.item_base)):
            if len(column) < first_place:
                column.extend([0] * (first_place - len(column)))
            for item in items:
                name = getattr(item, kind)
                if name is None:
                    column.append(0)
                else:
                    number = self.labels.add(hash(f"{kind}\0{name}"))
                    column.append((number if number >= 0 else -1 - number) + 1)

    def _warn(self, caution: Caution, place: int, more: int = 1) -> None:
        first, count = self.faulty_items.get(caution, (place + 1, 0))
        self.faulty_items[caution] = (first, count + more)

    def abstention(self, item: int, abstained: bool, reviewer: str) -> None:
        votes = self.reviewed.setdefault(item, [0, 0])
        votes[abstained] += 1

    def responses(self, responses: Sequence[Response], items: Sequence[int]) -> None:
        # The innermost loop of a million answers: what is one call a citation elsewhere is written out here.
        profiles, item_profile, item_expected = self._profile_list, self.item_profile, self._item_expected
        reviewed, keys = self.reviewed, self._keys
        catalogue, has_catalogue = self._catalogue, self.has_catalogue
        states = []
        for response, item in zip(responses, items, strict=True):
            number = item_profile[item]
            profile = profiles[number]
            state = number * PROFILE
            if response.invalid:
                state |= INVALID
            abstained = response.abstained
            text = None
            if reviewed and (votes := reviewed.get(item)) is not None and votes[0] != votes[1]:
                self.reviewed_responses += 1
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
                        state += VERIFIED
                        if has_catalogue:
                            if key not in catalogue:
                                state = (state | FABRICATED) + PHANTOM
                        elif profile.trap and key == expected:
                            state |= FABRICATED
                        else:
                            state |= UNDECIDABLE
            if profile.hostile:
                if state & FABRICATED:
                    if response.confidence is not None:
                        state |= CONFIDENT
                        self.confidences[_confidence(response.confidence)] += 1
                # Only of who neither abstained nor fabricated does it matter whether the premise was rejected.
                elif not state & (ABSTAINED | INVALID) and self._phrases_of(profile)[1].finds(
                    text or phrases.folded(response.answer)
                ):
                    state |= REJECTED
            states.append(state)
        self.response_state.extend(array("Q", states))

    def _phrases_of(self, profile: Profile) -> tuple[phrases.Searcher, phrases.Searcher]:
        """What finds abstentions, and rejected premises, in the language of a profile."""
        language = profile.language
        known = self._searchers.get(language)
        if known is None:
            known = self.abstention_phrases.searcher(language), self.premise_phrases.searcher(language)
            self._searchers[language] = known
            if not known[0]:
                self.no_phrases[language] = 0
        if language in self.no_phrases:
            self.no_phrases[language] += 1
        return known


def _confidence(declared_: float | str) -> str:
    """A declared confidence as it is counted: a label as it stands, a number by its tenth."""
    if isinstance(declared_, str):
        return declared_
    tenth = min(int(declared_ * 10), 9)
    return f"{tenth / 10:.1f}-{(tenth + 1) / 10:.1f}"
