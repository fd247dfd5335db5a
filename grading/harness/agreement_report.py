"""What is said of a kappa, and everything it may not stand without: n, interval, raw agreement, matrix."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from grading.harness import texts
from grading.harness.calibrating import Agreement
from grading.harness.rendering import Block, Listing, Paragraph, Table, Title
from grading.harness.shapes import VERDICTS
from grading.harness.texts import said, word
from grading.statistics import CohenKappa
from grading.words import STRENGTHS
from registry_site import wording


def blocks(agreement: Agreement, language: str) -> Iterator[Block]:
    """Kappa with everything it may not stand without: n, interval, raw agreement, matrix."""
    cohen = agreement.cohen
    yield Title(f"{agreement.first} · {agreement.second}", 3)
    lines = [f"n: {wording.whole(cohen.n, language)} {word('compared', language)}"]
    if cohen.n:
        lines.append(f"{word('kappa', language)}: {kappa_sentence(cohen, language)}")
        agreed = sum(cohen.matrix[place][place] for place in range(len(VERDICTS)))
        lines.append(
            f"{word('raw_agreement', language)}: {wording.ratio(agreed, cohen.n, language)} · "
            f"{wording.percentage(cohen.raw_agreement, language)} "
            f"{wording.interval(_decimal(cohen.raw_low), _decimal(cohen.raw_high), language)}"
        )
        lines.append(f"{word('binary', language)}: {kappa_sentence(agreement.hallucinates, language)}")
        per_verdict = [
            f"{said(texts.VERDICTS, verdict, language)} {wording.percentage(share, language)}"
            for verdict, share in zip(VERDICTS, cohen.per_category, strict=True)
            if share is not None
        ]
        lines.append(f"{word('per_verdict', language)}: {wording.listing(per_verdict, language)}")
    lines.append(
        f"{word('left_out', language)}: {agreement.only_first} {word('only_in_first', language)}, "
        f"{agreement.only_second} {word('only_in_second', language)}"
    )
    yield Listing(tuple(lines))
    if cohen.n:
        names = [said(texts.VERDICTS, verdict, language) for verdict in VERDICTS]
        rows = [
            (name, *(str(count) for count in row), str(total))
            for name, row, total in zip(names, cohen.matrix, cohen.rows, strict=True)
        ]
        rows.append((word("total", language), *(str(count) for count in cohen.columns), str(cohen.n)))
        yield Paragraph(word("matrix", language))
        yield Table(("", *names, word("total", language)), tuple(rows))


def kappa_sentence(of: CohenKappa, language: str) -> str:
    """One kappa in words: «0,71 [0,55 – 0,87] · considerable (moderado – casi perfecto)»."""
    agreed = sum(of.matrix[place][place] for place in range(len(of.matrix)))
    if of.kappa is None:
        return word("kappa_undefined", language, k=agreed, n=of.n)
    low, high = (wording.decimal(_decimal(bound), language, 2) for bound in (of.low, of.high))
    strength = said(STRENGTHS, str(of.strength), language)
    bounds = [said(STRENGTHS, str(bound), language) for bound in of.strength_of_bounds]
    range_ = bounds[0] if bounds[0] == bounds[1] else f"{bounds[0]} – {bounds[1]}"
    parts = [
        f"{wording.decimal(of.kappa, language, 2)} [{low} – {high}] · {strength} ({range_}) · n = {of.n}"
    ]
    if of.disagreement_bound is not None:
        bound = wording.upper_bound(of.disagreement_bound, language)
        parts.append(word("kappa_one", language, n=of.n, bound=bound))
    if of.is_indicative:
        parts.append(word("kappa_indicative", language))
    return ". ".join(part.rstrip(".") for part in parts) + "."


def fleiss_sentence(fleiss: dict[str, Any], language: str) -> str:
    """Fleiss' kappa, or why there is none."""
    name, n = word("fleiss", language), wording.whole(fleiss["n"], language)
    if fleiss["kappa"] is None:
        return f"{name}: {word('fleiss_' + fleiss['reason'], language)} (n = {n})"
    return f"{name}: {wording.decimal(Fraction(fleiss['kappa']), language, 2)} (n = {n})"


def _decimal(value: float) -> Fraction:
    return Fraction(str(value))
