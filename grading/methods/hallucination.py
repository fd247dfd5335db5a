"""Method `hallucination`: from the records of a package to every figure of it, overall, per group and per category."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from evidence import descriptor as descriptors
from evidence import families
from evidence.descriptor import Descriptor
from evidence.findings import Caution, Code, Finding
from evidence.hallucination_records import Item, Records, Response
from evidence.typed_json import shown
from grading import between_groups, citations, comparison, criteria, data, declared, reviews
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
from grading.methods.answer_columns import Columns
from grading.methods.answer_tables import VERDICT_PLACES, Place, Tables
from grading.schemes import Scheme


class Grader:
    """Watches the records of one package pass (an `evidence.hallucination_records.Observer`) and then measures them.

    `scheme` says which categories are hostile, how judges are joined and how languages are grouped.
    """

    def __init__(self, scheme: Scheme) -> None:
        self.scheme = scheme
        self.descriptor: Descriptor | None = None
        self.result: Result | None = None
        self._columns = Columns(scheme)
        self._tables: Tables | None = None

    # -- records, as they pass --------------------------------------------------------------------

    def begin(self, descriptor: Descriptor, *, files: frozenset[str]) -> None:
        self.descriptor = descriptor
        self._columns.begin(files=files)

    def catalogue(self, source: str, article: str) -> None:
        self._columns.catalogue(source, article)

    def items(self, items: Sequence[Item], first_place: int) -> Iterator[Finding]:
        return self._columns.items(items, first_place)

    def abstention(self, item: int, abstained: bool, reviewer: str) -> None:
        self._columns.abstention(item, abstained, reviewer)

    def responses(self, responses: Sequence[Response], items: Sequence[int]) -> None:
        self._columns.responses(responses, items)

    # -- figures, when all have passed ------------------------------------------------------------

    def finish(self, records: Records) -> tuple[list[Finding], list[Finding]]:
        """Measure. Findings when the figures are impossible; warnings on the set and on verdicts that do not count."""
        if records.set_sha256 is None or len(self._columns.response_state) != len(records.response_item):
            return [], []
        tables = self._tables = Tables(self._columns, self.scheme, records)
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

    def _warnings(self, tables: Tables) -> Iterator[Finding]:
        for caution, (line, count) in sorted(self._columns.faulty_items.items()):
            yield Finding(caution, f"data/items.jsonl:{line}", None, 0, count)
        if not any(profile.hostile for profile in self._columns.profiles):
            hostile = " · ".join(category.code for category in self.scheme.categories if category.hostile)
            if hostile:
                yield Finding(Caution.HOSTILE_CATEGORY_MISSING, "data/items.jsonl", "category", hostile, 0)
        ignored = tables.ignored_on_abstention + tables.ignored_on_hostile
        if ignored:
            yield Finding(Caution.VERDICT_IGNORED, "data/verdicts.jsonl", "verdict", 0, ignored)

    def _measure(self, records: Records, tables: Tables) -> Result:
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
                "grouping": self._columns.grouping.sha256,
                "abstention_phrases": self._columns.abstention_phrases.sha256,
                "premise_phrases": self._columns.premise_phrases.sha256,
                "article_prefixes": data.sha256(citations.PREFIXES_FILE),
            },
            grouping_sha256=self._columns.grouping.sha256,
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

    def _figures(self, rates: dict[Place, Rate], tables: Tables) -> Iterator[Figure]:
        nothing = rate(0, 0)
        no_reason = {
            "phantom_response": None if self._columns.has_catalogue else "no_catalogue",
            "phantom_citation": None if self._columns.has_catalogue else "no_catalogue",
            "expected_citation": None if tables.expects_citations else "no_expected_citation",
        }
        for row, places in tables.rows():
            group, category = row
            for place in places:
                judges = [None]
                if place in VERDICT_PLACES and len(tables.judges) > 1:
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
        self, records: Records, tables: Tables, agreement: dict[str, Any]
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
        if not self._columns.has_catalogue:
            yield Limitation(code="no_catalogue")
            if tables.undecidable:
                yield Limitation(code="fabrication_not_decidable", data={"responses": tables.undecidable})
        if tables.expects_citations and self._columns.without_expected:
            yield Limitation(code="expected_citation_missing", data={"items": self._columns.without_expected})
        for caution, (_, count) in sorted(self._columns.faulty_items.items()):
            yield Limitation(code=caution.value.lower(), data={"items": count})
        if not any(profile.hostile for profile in self._columns.profiles):
            yield Limitation(code=Caution.HOSTILE_CATEGORY_MISSING.value.lower())
        if records.repeated_items:
            yield Limitation(code=Caution.EQUAL_ITEMS.value.lower(), data={"items": records.repeated_items})
        if self._columns.no_phrases:
            yield Limitation(
                code="no_phrase_list",
                data={
                    "languages": sorted(self._columns.no_phrases),
                    "responses": sum(self._columns.no_phrases.values()),
                },
            )
        if self._columns.reviewed:
            disagree = sum(no == yes for no, yes in self._columns.reviewed.values())
            yield Limitation(
                code="abstention_reviewed", data={"items": len(self._columns.reviewed), "disagreed": disagree}
            )
        if tables.ignored_on_abstention:
            yield Limitation(
                code="verdict_on_abstention_ignored", data={"responses": tables.ignored_on_abstention}
            )
        if tables.ignored_on_hostile:
            yield Limitation(code="verdict_on_hostile_ignored", data={"responses": tables.ignored_on_hostile})


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
