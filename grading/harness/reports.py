"""A measurement as its readers see it: Markdown and HTML for people, JSON for programs; no number is made here."""

import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from grading import statistics
from grading.figures import Band, Figure, at
from grading.harness import calibrating, texts
from grading.harness.calibrating import Agreement
from grading.harness.comparing import LEVEL, Comparison, Pairs
from grading.harness.measuring import Measured
from grading.harness.packages import Package
from grading.harness.shapes import VERDICTS
from grading.harness.texts import said, word
from grading.words import DENOMINATORS, METRICS
from grading.words import word as known
from registry_site import wording

FORMATS = ("markdown", "html", "json")


@dataclass(frozen=True, slots=True)
class Title:
    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str


@dataclass(frozen=True, slots=True)
class Listing:
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Title | Paragraph | Listing | Table


# -- one measurement -----------------------------------------------------------------------------


def as_json(package: Package, measured: Measured, *, language: str) -> dict[str, Any]:
    """Every figure with the sentence that is read beside it, and everything else of the report."""
    return {
        "package": package.sha256,
        "set_sha256": measured.set_sha256,
        "method": "hallucination",
        "scheme": {
            "code": package.scheme.code,
            "version": package.scheme.version,
            "sha256": package.scheme.sha256,
        },
        "descriptor": dict(package.evaluation.descriptor),
        "figures": [
            {**figure.as_json(), "reading": reading(figure, package, language)} for figure in measured.figures
        ],
        "unjudged_ranges": [
            {
                "metric": figure.metric,
                "denominator": figure.denominator,
                "group": figure.group,
                "category": figure.category,
                "judge": figure.judge,
                "low": f"{float(span[0]):.6f}",
                "high": f"{float(span[1]):.6f}",
            }
            for figure in measured.figures
            if (span := figure.unjudged_range) is not None
        ],
        "counts": measured.counts,
        "reglab": measured.reglab,
        "agreement": [of.as_json() for of in calibrating.of_package(package.evaluation, measured)],
        "canaries": list(_canaries(package)),
        "limitations": list(measured.limitations),
        "limits": list(limits(package, measured, language)),
        "files": _files(package),
    }


def blocks(package: Package, measured: Measured, *, language: str) -> Iterator[Block]:
    """The report, part by part."""
    descriptor = package.evaluation.descriptor
    system = descriptor["system"]
    yield Title(f"{word('report_title', language)}: {system['name']}", 1)
    yield Listing(tuple(_identity(package, measured, language)))
    yield Title(word("totals", language))
    yield from _figures(measured, package, language, group=None, category=None)
    yield from _unjudged(measured, language)
    if measured.reglab:
        yield from _reglab(measured.reglab, language)
    groups = list(dict.fromkeys(figure.group for figure in measured.figures if figure.group is not None))
    yield Title(word("groups", language))
    for group in groups:
        yield Title(_group(group, language), 3)
        yield from _figures(measured, package, language, group=group, category=None)
    yield Title(word("categories", language))
    for category in package.scheme.categories:
        yield Title(category.names[language], 3)
        yield from _figures(measured, package, language, group=None, category=category.code)
    yield Title(word("hostile", language))
    yield from _hostile(measured, package, groups, language)
    if any(figure.judge for figure in measured.figures):
        yield Title(word("by_judge", language))
        yield _by_judge(measured, package, language)
    yield Title(word("agreement", language))
    agreements = calibrating.of_package(package.evaluation, measured)
    for agreement in agreements:
        yield from agreement_blocks(agreement, language)
    if not agreements:
        yield Paragraph(word("no_kappa", language))
    if descriptor.get("judges"):
        yield Title(word("canaries", language))
        yield from _canary_blocks(package, language)
    yield Title(word("limits", language))
    yield Listing(tuple(limits(package, measured, language)))
    yield Title(word("files", language))
    yield Listing(tuple(f"{name}: `{digest}`" for name, digest in _files(package).items()))


def reading(figure: Figure, package: Package, language: str) -> str:
    """The sentence beside a figure: what a zero means, that it is indicative, why there is none. Often empty."""
    if figure.reason in ("no_catalogue", "no_expected_citation"):
        return said(texts.FIGURES, figure.reason, language)
    if not figure.n:
        return said(texts.FIGURES, "no_data", language)
    if figure.estimate is None:
        return ""
    sentences = []
    # Repeated answers are not new cases: the bound is that of the independent ones.
    independent = figure.independent
    n, cases = (wording.whole(count, language) for count in (figure.n, independent))
    if figure.k == 0:
        bound = wording.upper_bound(statistics.zero_bound(independent), language)
        code = "zero_three" if independent >= 30 else "zero"
        sentences.append(said(texts.FIGURES, code, language, n=n, m=cases, u=bound))
    elif figure.k == figure.n:
        bound = wording.lower_bound(1 - statistics.zero_bound(independent), language)
        sentences.append(said(texts.FIGURES, "all", language, n=n, l=bound))
    if figure.band == Band.SUPPRESSED:
        sentences.append(said(texts.FIGURES, "suppressed", language, t=package.scheme.suppressed_below))
    elif figure.band == Band.INDICATIVE:
        sentences.append(said(texts.FIGURES, "indicative", language, n=wording.whole(independent, language)))
    return " ".join(sentences)


def limits(package: Package, measured: Measured, language: str) -> Iterator[str]:
    """What the benchmark does not measure: the method's own limits, then those of this measurement."""
    evaluation = package.evaluation
    agreements = calibrating.of_package(evaluation, measured)
    doubtful = package.run.get("doubtful_abstentions")
    reviewed = len({item for item, _, _ in evaluation.abstention_review})
    unknown = "?" if not isinstance(doubtful, int) else wording.whole(doubtful, language)
    runs = measured.counts["runs"]
    data = {
        "agreement": _agreed(agreements, language),
        "corpus": _corpus(evaluation.descriptor.get("corpus", {}), language),
        "runs": runs,
        "doubtful": unknown,
        "reviewed": reviewed,
    }
    for code, sentence in texts.LIMITS:
        if code == "one_run" and runs > 1:
            sentence = texts.SEVERAL_RUNS
        yield sentence[language == "en"].format(**data)
    for limitation in measured.limitations:
        values = {key: value for key, value in limitation.items() if key != "code"}
        if "languages" in values:
            values["languages"] = wording.listing(values["languages"], language)
        if limitation["code"] == "holder_had_access":
            values["value"] = said(texts.ACCESS, values["value"], language)
        if limitation["code"] in texts.LIMITATIONS:
            yield said(texts.LIMITATIONS, limitation["code"], language, **values)


# -- parts of the report -------------------------------------------------------------------------


def _identity(package: Package, measured: Measured, language: str) -> Iterator[str]:
    descriptor = package.evaluation.descriptor
    system = descriptor["system"]
    yield f"{word('system', language)}: {system['name']}"
    yield f"{word('version', language)}: {system['version']}"
    yield f"{word('holder', language)}: {system['holder']}"
    yield f"{word('family', language)}: {system['model_family']}"
    yield f"{word('measured_at', language)}: {_moment(descriptor['measured_at'], language)}"
    name = descriptor.get("question_set", {}).get("name")
    items = f"{wording.whole(measured.counts['items'], language)} {word('items', language)}"
    yield f"{word('set', language)}: {' · '.join(filter(None, (name, items)))}"
    yield f"{word('set_hash', language)}: `{measured.set_sha256}`"
    if corpus := descriptor.get("corpus"):
        yield f"{word('corpus', language)}: {_corpus(corpus, language)}"
    scheme = package.scheme
    yield f"{word('scheme', language)}: {scheme.code} {scheme.version} · {scheme.title[language]}"
    for judge in descriptor.get("judges", ()):
        yield f"{word('judge', language)} {judge['id']}: {judge['family']} · {judge['version']}"
    yield f"{word('package', language)}: `{package.sha256}`"
    counts = measured.counts
    told = [
        f"{wording.whole(counts[key], language)} {word(key, language)}"
        for key in ("responses", "hostile_responses", "judged", "abstained", "invalid", "ineligible")
    ]
    unjudged = sum(counts["unjudged"].values())
    told.append(f"{wording.whole(unjudged, language)} {word('unjudged', language).lower()}")
    yield f"{word('counts', language)}: {wording.listing(told, language)}"


def _figures(
    measured: Measured, package: Package, language: str, *, group: str | None, category: str | None
) -> Iterator[Block]:
    rows = []
    for figure in measured.figures:
        if (figure.group, figure.category, figure.judge) != (group, category, None):
            continue
        if not figure.n and not (group is None and category is None):
            continue
        rows.append(
            (
                known(METRICS, figure.metric, language),
                known(DENOMINATORS, figure.denominator, language),
                *_numbers(figure, language),
                reading(figure, package, language),
            )
        )
    if rows:
        heads = ("metric", "denominator", "k_of_n", "estimate", "interval", "reading")
        yield Table(tuple(word(head, language) for head in heads), tuple(rows))
    else:
        yield Paragraph(said(texts.FIGURES, "no_data", language))


def _numbers(figure: Figure, language: str) -> tuple[str, str, str]:
    if not figure.n:
        return "–", "–", "–"
    ratio = wording.ratio(figure.k, figure.n, language)
    if figure.estimate is None:
        return ratio, "–", "–"
    return (
        ratio,
        wording.percentage(figure.estimate, language),
        wording.interval(figure.low, figure.high, language),
    )


def _unjudged(measured: Measured, language: str) -> Iterator[Block]:
    lines = []
    for figure in measured.figures:
        span = figure.unjudged_range
        if span is None or (figure.group, figure.category, figure.judge) != (None, None, None):
            continue
        name = (
            f"{known(METRICS, figure.metric, language)} ({known(DENOMINATORS, figure.denominator, language)})"
        )
        low, high = (wording.percentage(bound, language) for bound in span)
        sentence = word(
            "unjudged_range", language, u=wording.whole(figure.unjudged, language), low=low, high=high
        )
        lines.append(f"{name}: {sentence}")
    if lines:
        yield Title(word("unjudged", language), 3)
        yield Listing(tuple(lines))


def _reglab(reglab: dict[str, Any], language: str) -> Iterator[Block]:
    yield Title(word("reglab", language), 3)
    names = {"accurate": "accurate", "hallucinated": "hallucinated", "incomplete": "incomplete_reglab"}
    yield Listing(
        tuple(
            f"{word(name, language)}: {wording.ratio(reglab[key]['k'], reglab[key]['n'], language)} · "
            f"{wording.percentage(reglab[key]['estimate'], language)}"
            for key, name in names.items()
        )
    )
    yield Paragraph(word("reglab_caption", language))


def _hostile(measured: Measured, package: Package, groups: Sequence[str], language: str) -> Iterator[Block]:
    """Each hostile category, in all and in each group: fabrications, and questions not held off."""
    rows = []
    for category in package.scheme.categories:
        if not category.hostile:
            continue
        for group in (None, *groups):
            for metric, denominator in (
                ("hostile_fabrication", "hostile"),
                ("hostile_not_held", "hostile"),
                ("hostile_not_held", "hostile_readable"),
            ):
                figure = at(measured.figures, metric, denominator, group=group, category=category.code)
                if figure is None or not figure.n:
                    continue
                rows.append(
                    (
                        category.names[language],
                        word("total", language) if group is None else _group(group, language),
                        f"{known(METRICS, metric, language)} ({known(DENOMINATORS, denominator, language)})",
                        *_numbers(figure, language),
                        reading(figure, package, language),
                    )
                )
    if not rows:
        yield Paragraph(said(texts.FIGURES, "no_data", language))
        return
    heads = ("category", "group", "metric", "k_of_n", "estimate", "interval", "reading")
    yield Table(tuple(word(head, language) for head in heads), tuple(rows))
    confident = measured.counts["confident_fabrication"]
    if confident:
        lines = tuple(f"{entry['confidence']}: {entry['fabrications']}" for entry in confident)
        yield Paragraph(word("fabrication_confidence", language))
        yield Listing(lines)


def _by_judge(measured: Measured, package: Package, language: str) -> Table:
    rows = tuple(
        (
            figure.judge,
            known(METRICS, figure.metric, language),
            known(DENOMINATORS, figure.denominator, language),
            *_numbers(figure, language),
            reading(figure, package, language),
        )
        for figure in measured.figures
        if figure.judge is not None and figure.group is None and figure.category is None
    )
    heads = ("judge", "metric", "denominator", "k_of_n", "estimate", "interval", "reading")
    return Table(tuple(word(head, language) for head in heads), rows)


def agreement_blocks(agreement: Agreement, language: str) -> Iterator[Block]:
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


def kappa_sentence(of: Any, language: str) -> str:
    """One kappa in words: «0,71 [0,55 – 0,87] · considerable (moderado – casi perfecto)»."""
    agreed = sum(of.matrix[place][place] for place in range(len(of.matrix)))
    if of.kappa is None:
        return word("kappa_undefined", language, k=agreed, n=of.n)
    low, high = (wording.decimal(_decimal(bound), language, 2) for bound in (of.low, of.high))
    strength = said(texts.STRENGTHS, str(of.strength), language)
    bounds = [said(texts.STRENGTHS, str(bound), language) for bound in of.strength_of_bounds]
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


def _agreed(agreements: Sequence[Agreement], language: str) -> str:
    if not agreements:
        return "no se ha medido" if language == "es" else "has not been measured"
    kappas = [kappa_sentence(agreement.cohen, language).rstrip(".") for agreement in agreements]
    verb = "es de" if language == "es" else "is"
    return f"{verb} kappa {wording.listing(kappas, language)}"


def _canaries(package: Package) -> Iterator[dict[str, Any]]:
    judges = package.canaries.get("judges")
    for entry in judges if isinstance(judges, list) else ():
        planted, obeyed = entry.get("planted"), entry.get("obeyed")
        if isinstance(planted, int) and isinstance(obeyed, int) and 0 <= obeyed <= planted:
            low, high = statistics.wilson(obeyed, planted)
            yield {
                "judge": str(entry.get("judge")),
                "planted": planted,
                "obeyed": obeyed,
                "low": None if low is None else f"{low:.6f}",
                "high": None if high is None else f"{high:.6f}",
            }


def _canary_blocks(package: Package, language: str) -> Iterator[Block]:
    lines = []
    for entry in _canaries(package):
        if not entry["planted"]:
            continue
        sentence = word("judge_obeyed", language, judge=entry["judge"], k=entry["obeyed"], n=entry["planted"])
        lines.append(f"{sentence} {wording.interval(entry['low'], entry['high'], language)}")
    yield Listing(tuple(lines)) if lines else Paragraph(word("no_canaries", language))


def _corpus(corpus: Any, language: str) -> str:
    parts = [
        f"{wording.whole(corpus[key], language)} {word(key if corpus[key] != 1 else f'one_{key}', language)}"
        for key in ("documents", "articles")
        if key in corpus
    ]
    told = wording.listing(parts, language) or "?"
    return f"{told} {word('as_of', language)} {corpus['as_of']}" if "as_of" in corpus else told


def _files(package: Package) -> dict[str, str]:
    fingerprint = package.run.get("fingerprint")
    files = fingerprint.get("files") if isinstance(fingerprint, dict) else None
    found = {"scheme": package.scheme.sha256, "grouping": package.scheme.grouping.sha256}
    if isinstance(files, dict):
        found |= {str(name): str(digest) for name, digest in files.items()}
    return found


def _group(group: str, language: str) -> str:
    return word("undeclared", language) if group == "und" else group


def _moment(text: str, language: str) -> str:
    try:
        return wording.moment(datetime.fromisoformat(text.replace("Z", "+00:00")), language)
    except ValueError:
        return text


def _decimal(value: float) -> Fraction:
    return Fraction(str(value))


# -- a comparison --------------------------------------------------------------------------------


def comparison_blocks(of: Comparison, *, language: str) -> Iterator[Block]:
    """The paired comparison in words; every sentence follows from its numbers by rule."""
    yield Title(word("compare_title", language), 1)
    yield Listing(
        tuple(
            f"{word(place, language)}: {package.evaluation.descriptor['system']['name']} "
            f"{package.evaluation.descriptor['system']['version']} · "
            f"{_moment(package.evaluation.descriptor['measured_at'], language)} · `{package.sha256}`"
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
    name = word("total", language) if pairs.group is None else _group(pairs.group, language)
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


# -- writing -------------------------------------------------------------------------------------


def markdown(parts: Sequence[Block] | Iterator[Block]) -> str:
    lines: list[str] = []
    for part in parts:
        if isinstance(part, Title):
            lines += ["", f"{'#' * part.level} {_marked(part.text)}", ""]
        elif isinstance(part, Paragraph):
            lines += [_marked(part.text), ""]
        elif isinstance(part, Listing):
            lines += [*(f"- {_marked(line)}" for line in part.lines), ""]
        else:
            lines.append("| " + " | ".join(_cell(cell) for cell in part.head) + " |")
            lines.append("|" + "---|" * len(part.head))
            lines += ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in part.rows]
            lines.append("")
    return "\n".join(lines).strip() + "\n"


def page(parts: Sequence[Block] | Iterator[Block], *, language: str) -> str:
    """One HTML file without scripts and without anything from elsewhere."""
    body: list[str] = []
    title = ""
    for part in parts:
        if isinstance(part, Title):
            title = title or part.text
            body.append(f"<h{part.level}>{_inline(part.text)}</h{part.level}>")
        elif isinstance(part, Paragraph):
            body.append(f"<p>{_inline(part.text)}</p>")
        elif isinstance(part, Listing):
            body.append("<ul>" + "".join(f"<li>{_inline(line)}</li>" for line in part.lines) + "</ul>")
        else:
            head = "".join(f'<th scope="col">{_inline(cell)}</th>' for cell in part.head)
            rows = "".join(
                "<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in row) + "</tr>" for row in part.rows
            )
            body.append(
                f'<div class="wide" tabindex="0"><table><thead><tr>{head}</tr></thead>'
                f"<tbody>{rows}</tbody></table></div>"
            )
    return _PAGE.format(language=language, title=html.escape(title), body="\n".join(body))


def plain(parts: Sequence[Block] | Iterator[Block]) -> str:
    """For a terminal: the Markdown without its marks."""
    return markdown(parts).replace("`", "").replace("\\", "")


_PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }}
body {{ max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }}
.wide {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #8884; }}
code {{ overflow-wrap: anywhere; }}
</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def _marked(text: str) -> str:
    """A text that Markdown shows as it is, with our own code marks kept."""
    pieces = text.split("`")
    for place in range(0, len(pieces), 2):
        for letter in "\\*_[]<>|#":
            pieces[place] = pieces[place].replace(letter, f"\\{letter}")
    joined = "`".join(pieces)
    return " ".join(joined.split("\n"))


def _cell(text: str) -> str:
    return _marked(text)


def _inline(text: str) -> str:
    pieces = html.escape(text).split("`")
    if len(pieces) % 2 == 0:
        return "`".join(pieces)
    return "".join(
        f"<code>{piece}</code>" if place % 2 else f"<bdi>{piece}</bdi>" if piece else ""
        for place, piece in enumerate(pieces)
    )
