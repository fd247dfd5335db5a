"""A paired comparison as it is printed; its sentences are those of `grading.sentences`."""

from collections.abc import Iterator, Mapping
from typing import Any

from grading import sentences
from grading.harness.packages import Package
from grading.harness.rendering import Block, Listing, Paragraph, Title
from grading.harness.texts import group_name, moment, word
from grading.words import DENOMINATORS, METRICS
from grading.words import word as known
from registry_site import wording


def blocks(of: Mapping[str, Any], first: Package, second: Package, *, language: str) -> Iterator[Block]:
    """The comparison, outcome by outcome, in all and in each group; then what it shows."""
    yield Title(word("compare_title", language), 1)
    yield Listing(
        tuple(
            f"{word(place, language)}: {of[place]} · "
            f"{moment(package.evaluation.descriptor['measured_at'], language)} · `{package.sha256}`"
            for place, package in (("first", first), ("second", second))
        )
    )
    yield Paragraph(
        sentences.of_intersection(of, language)
        or word("same_set", language, n=wording.whole(of["items"]["compared"], language))
    )
    if max(of["runs"]["first"], of["runs"]["second"]) > 1:
        yield Paragraph(word("first_run_only", language))
    for outcome in of["outcomes"]:
        rows = [row for row in (outcome["overall"], *outcome["groups"]) if row is not None]
        if not rows and not outcome["groups_left_out"]:
            continue
        name = known(METRICS, outcome["metric"], language)
        denominator = known(DENOMINATORS, outcome["denominator"], language)
        yield Title(f"{name[:1].upper()}{name[1:]} ({denominator})")
        lines = [_line(row, language) for row in rows]
        lines += [
            f"{group_name(left['group'], language)}: {word('few_pairs', language)}"
            for left in outcome["groups_left_out"]
        ]
        yield Listing(tuple(lines))
    if of["second_is_worse"]:
        names = [known(METRICS, metric, language) for metric in of["worse_in"]]
        yield Paragraph(word("worse", language, what=wording.listing(names, language)))
    else:
        yield Paragraph(word("not_worse", language))
        if not of["could_have_been_told"]:
            yield Paragraph(word("too_small", language))


def _line(row: Mapping[str, Any], language: str) -> str:
    name = word("total", language) if row["group"] is None else group_name(row["group"], language)
    counts = ", ".join(
        f"{word(key, language)} {wording.whole(row[key], language)}"
        for key in ("both", "only_first", "only_second", "neither")
    )
    told = [f"{name} (n = {wording.whole(row['n'], language)}): {counts}."]
    told.append(sentences.of_comparison(row, language))
    if row["cannot_be_significant"] and not row["no_discordant_pairs"]:
        told.append(word("cannot_reach", language))
    if row["design_effect"] is not None:
        told.append(word("stand_together", language, clusters=wording.whole(row["clusters"], language)))
    return " ".join(told)
