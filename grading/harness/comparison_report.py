"""A paired comparison in words; every sentence follows from its numbers by rule."""

from collections.abc import Iterator
from fractions import Fraction

from grading.harness.comparing import LEVEL, Comparison, Pairs
from grading.harness.rendering import Block, Listing, Paragraph, Title
from grading.harness.texts import group_name, moment, word
from registry_site import wording


def blocks(of: Comparison, *, language: str) -> Iterator[Block]:
    """The comparison, outcome by outcome, in all and in each group; then what it shows."""
    yield Title(word("compare_title", language), 1)
    yield Listing(
        tuple(
            f"{word(place, language)}: {package.evaluation.descriptor['system']['name']} "
            f"{package.evaluation.descriptor['system']['version']} · "
            f"{moment(package.evaluation.descriptor['measured_at'], language)} · `{package.sha256}`"
            for place, package in (("first", of.first), ("second", of.second))
        )
    )
    yield Paragraph(
        word("same_set" if of.same_set else "intersection", language, n=wording.whole(of.n, language))
    )
    for note in of.notes:
        yield Paragraph(word(note, language))
    for pairs in of.pairs:
        if pairs.group is None:
            yield Title(word(pairs.outcome, language)[:1].upper() + word(pairs.outcome, language)[1:])
        yield from _pair_blocks(pairs, language)
    if of.worse:
        names = [word(outcome, language) for outcome in of.worse]
        yield Paragraph(word("worse", language, what=wording.listing(names, language)))
    else:
        yield Paragraph(word("not_worse", language))
        if not of.could_show:
            yield Paragraph(word("too_small", language))


def _pair_blocks(pairs: Pairs, language: str) -> Iterator[Block]:
    name = word("total", language) if pairs.group is None else group_name(pairs.group, language)
    counts = ", ".join(
        f"{word(key, language)} {wording.whole(count, language)}"
        for key, count in (
            ("both", pairs.a),
            ("only_first", pairs.b),
            ("only_second", pairs.c),
            ("neither", pairs.d),
        )
    )
    yield Listing(
        (f"{name} (n = {wording.whole(pairs.n, language)}): {counts}. {pair_sentence(pairs, language)}",)
    )


def pair_sentence(pairs: Pairs, language: str) -> str:
    """What the pairs allow to say. Significance is that of the exact p, with Holm where there is a family."""
    if pairs.b + pairs.c == 0:
        return word("no_discordant", language)
    numbers = pairs.as_json()
    p = _p_told(pairs.decided_p, language)
    if pairs.decided_p < LEVEL:
        if pairs.b > pairs.c:
            code, ends = "more_in_first", [numbers[key] for key in ("difference", "low", "high")]
        else:
            code, ends = "more_in_second", [_negative(numbers[key]) for key in ("difference", "high", "low")]
        difference, low, high = (_points(end, language) for end in ends)
        return word(code, language, p=p, d=f"{difference} [{low} – {high}]")
    mde = wording.decimal(Fraction(numbers["detectable"]) * 100, language, 1)
    sentence = word("no_difference", language, p=p, mde=mde)
    if not numbers["can_reach"]:
        sentence += " " + word("cannot_reach", language, m=pairs.b + pairs.c, least=pairs.least)
    return sentence


def _p_told(p: float, language: str) -> str:
    """«p = 0,019», «p < 0,001»."""
    told = wording.p_value(p, language)
    return f"p < {told[1:]}" if told.startswith("<") else f"p = {told}"


def _negative(value: str) -> str:
    return value[1:] if value.startswith("-") else f"-{value}"


def _points(value: str, language: str) -> str:
    return wording.decimal(Fraction(value) * 100, language, 1)
