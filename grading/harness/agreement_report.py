"""What is said of a kappa, and everything it may not stand without: n, interval, raw agreement, matrix."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from grading import reviews
from grading.harness import texts
from grading.harness.rendering import Block, Listing, Paragraph, Table, Title
from grading.harness.texts import said, word
from grading.words import STRENGTHS
from registry_site import wording


def blocks(agreement: Mapping[str, Any], language: str) -> Iterator[Block]:
    """The `agreement` of a result (grading.reviews): each judge against people, then people, and judges, among them."""
    if not reviews.is_measured(agreement):
        yield Paragraph(word("no_kappa", language))
    for row in agreement.get("judges", ()):
        yield Title(row["judge"] or word("verdict_that_counts", language), 3)
        yield from _tables(row, language)
    if agreement:
        left_out = [
            f"{word(why, language)} {wording.whole(count, language)}"
            for why, count in agreement.get("left_out", {}).items()
            if count
        ]
        if left_out:
            yield Listing((f"{word('left_out', language)}: {', '.join(left_out)}",))
    for place in ("between_reviewers", "between_judges"):
        if agreement.get(place):
            yield Title(word(place, language), 3)
            yield from _among(agreement[place], language)


def of_two(pair: Mapping[str, Any], language: str) -> Iterator[Block]:
    """Two sources (`reviews.between`, with the names of both)."""
    yield Title(f"{pair['first']} · {pair['second']}", 3)
    yield from _tables(pair, language)
    first = f"{pair['only_first']} {word('only_in_first', language)}"
    second = f"{pair['only_second']} {word('only_in_second', language)}"
    yield Listing((f"{word('left_out', language)}: {first}, {second}",))


def _among(of: Mapping[str, Any], language: str) -> Iterator[Block]:
    if of["kind"] == "cohen":
        yield from _tables(of, language)
    else:
        yield Paragraph(fleiss_sentence(of, language))


def _tables(of: Mapping[str, Any], language: str) -> Iterator[Block]:
    verdicts = of["verdicts"]
    lines = [f"n: {wording.whole(verdicts['n'], language)} {word('compared', language)}"]
    if verdicts["n"]:
        raw = verdicts["raw_agreement"]
        lines.append(f"{word('kappa', language)}: {kappa_sentence(verdicts, language)}")
        lines.append(
            f"{word('raw_agreement', language)}: {wording.ratio(raw['k'], raw['n'], language)} · "
            f"{wording.percentage(raw['estimate'], language)} "
            f"{wording.interval(raw['low'], raw['high'], language)}"
        )
        lines.append(f"{word('binary', language)}: {kappa_sentence(of['hallucinates'], language)}")
        per_verdict = [
            f"{said(texts.VERDICTS, verdict, language)} {wording.percentage(share, language)}"
            for verdict, share in verdicts["per_category"].items()
            if share is not None
        ]
        lines.append(f"{word('per_verdict', language)}: {wording.listing(per_verdict, language)}")
    yield Listing(tuple(lines))
    if verdicts["n"]:
        names = [said(texts.VERDICTS, verdict, language) for verdict in verdicts["categories"]]
        rows = [
            (name, *(str(count) for count in row), str(total))
            for name, row, total in zip(names, verdicts["matrix"], verdicts["rows"], strict=True)
        ]
        rows.append(
            (word("total", language), *(str(count) for count in verdicts["columns"]), str(verdicts["n"]))
        )
        yield Paragraph(word("matrix", language))
        yield Table(("", *names, word("total", language)), tuple(rows))


def kappa_sentence(of: Mapping[str, Any], language: str) -> str:
    """One kappa in words: «0,71 [0,55 – 0,87] · considerable (moderado – casi perfecto)»."""
    if of["kappa"] is None:
        return word("kappa_undefined", language, k=of["raw_agreement"]["k"], n=of["n"])
    low, high = (_two(of[bound], language) for bound in ("low", "high"))
    strength = said(STRENGTHS, of["strength"], language)
    bounds = [said(STRENGTHS, of[bound], language) for bound in ("strength_low", "strength_high")]
    range_ = bounds[0] if bounds[0] == bounds[1] else f"{bounds[0]} – {bounds[1]}"
    parts = [f"{_two(of['kappa'], language)} [{low} – {high}] · {strength} ({range_}) · n = {of['n']}"]
    if of["disagreement_bound"] is not None:
        bound = wording.upper_bound(of["disagreement_bound"], language)
        parts.append(word("kappa_one", language, n=of["n"], bound=bound))
    if of["indicative"]:
        parts.append(word("kappa_indicative", language))
    return ". ".join(part.rstrip(".") for part in parts) + "."


def fleiss_sentence(of: Mapping[str, Any], language: str) -> str:
    """Fleiss' kappa of several raters (`kind`: fleiss), or why there is none."""
    fleiss = of["verdicts"]
    name, n = word("fleiss", language), wording.whole(fleiss["n"], language)
    if fleiss["kappa"] is None:
        return f"{name}: {word('fleiss_' + fleiss['reason'], language)} (n = {n})"
    return f"{name}: {_two(fleiss['kappa'], language)} (n = {n})"


def _two(value: str, language: str) -> str:
    return wording.decimal(Decimal(value), language, 2)
