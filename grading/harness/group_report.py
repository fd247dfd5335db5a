"""Language groups among each other and acceptance criteria, as a report tells them: the words are the registry's."""

from collections.abc import Callable, Iterator
from typing import Any

from grading import publishable, suppression
from grading.harness.measuring import Measured
from grading.harness.packages import Package
from grading.harness.rendering import Block, Listing, Paragraph, Table, Title
from grading.harness.texts import group_name, word
from grading.sentences import criteria, groups, telling
from grading.words import DENOMINATORS, METRICS
from grading.words import word as known

# The metric that is told with everything that may be said of its groups; of the others the gate and the mean.
HEADLINE = "hallucination"


def among_groups(package: Package, measured: Measured, language: str) -> Iterator[Block]:
    """Whether groups differ, their mean, the gaps: no more than a certificate's page would say."""
    scheme = package.scheme
    shown = suppression.published(measured.figures, scheme, evidence_is_public=package.evaluation.is_public)
    stored = publishable.groups(measured.groups.as_json(), shown)
    yield Title(word("among_groups", language))
    if not stored["homogeneity"]:
        yield Paragraph(word("no_groups_compared", language))
        return
    told = [
        (gate, _told(gate, stored, language, _names(package, language))) for gate in stored["homogeneity"]
    ]
    for gate, of in told:
        if gate["metric"] != HEADLINE:
            continue
        over = known(DENOMINATORS, gate["denominator"], language)
        metric = known(METRICS, HEADLINE, language)
        yield Title(f"{metric[:1].upper()}{metric[1:]}, {over}", 3)
        yield Paragraph(of.gate)
        lines = (of.macro, of.left_out, of.lowest, of.observed_range, of.gap_note, of.test)
        gaps = (f"{gap.group}: {gap.sentence}" for gap in of.gaps)
        yield Listing(tuple(line for line in (*lines[:2], *gaps, *lines[2:]) if line))
    rows = tuple(
        (
            known(METRICS, gate["metric"], language),
            known(DENOMINATORS, gate["denominator"], language),
            of.gate,
            _mean(gate, stored, language),
        )
        for gate, of in told
        if gate["metric"] != HEADLINE
    )
    if rows:
        heads = ("metric", "denominator", "do_groups_differ", "mean_of_groups")
        yield Table(tuple(word(head, language) for head in heads), rows)


def _told(
    gate: dict[str, Any], stored: dict[str, Any], language: str, name: Callable[[str], str]
) -> groups.Told:
    """What is said of the groups in the metric and denominator of a gate."""

    return groups.tell(
        language,
        homogeneity=gate,
        gaps=_entry("gaps", gate, stored),
        worst=_entry("worst", gate, stored),
        macro=_entry("macro", gate, stored),
        name=name,
    )


def _entry(key: str, gate: dict[str, Any], stored: dict[str, Any]) -> dict[str, Any] | None:
    place = (gate["metric"], gate["denominator"])
    return next((of for of in stored[key] or () if (of["metric"], of["denominator"]) == place), None)


def _mean(gate: dict[str, Any], stored: dict[str, Any], language: str) -> str:
    macro = _entry("macro", gate, stored)
    if macro is None or macro["estimate"] is None:
        return "–"
    return telling.rate(macro, language)


def acceptance(package: Package, measured: Measured, language: str) -> Iterator[Block]:
    """The decision on each clause and requirement; nothing for a descriptive scheme."""
    if measured.criteria is None:
        return
    categories = {of.code: of.names[language] for of in package.scheme.categories}
    told = criteria.tell(
        measured.criteria,
        language,
        name=_names(package, language),
        category=lambda code: categories.get(code, code),
    )
    yield Title(word("criteria", language))
    yield Paragraph(told.sentence)
    for clause in told.clauses:
        yield Title(f"{clause.title}: {clause.word}", 3)
        rates = (
            " ".join(filter(None, (f"{of.group}:" if of.group else "", of.rate, of.sentence, of.further)))
            for of in clause.rates
        )
        yield Listing((clause.demands, *rates, *clause.notes))
    yield Title(word("requirements", language), 3)
    yield Listing(
        tuple(
            f"{word('met' if met else 'not_met', language)}: {sentence}"
            for met, sentence in told.requirements
        )
    )


def _names(package: Package, language: str) -> Callable[[str], str]:
    """What groups are called: as an own grouping names them, else by their tag."""
    own = package.scheme.grouping.names
    return lambda key: own[key][language] if key in own else group_name(key, language)
