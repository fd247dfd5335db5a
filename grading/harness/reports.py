"""A measurement as its readers see it: Markdown and HTML for people, JSON for programs; no number is made here."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from grading import reviews, statistics
from grading.figures import Band, Figure, at
from grading.harness import agreement_report, calibrating, group_report, texts
from grading.harness.measuring import Measured
from grading.harness.packages import Package
from grading.harness.rendering import Block, Listing, Paragraph, Table, Title
from grading.harness.texts import group_name, moment, said, word
from grading.words import DENOMINATORS, METRICS
from grading.words import word as known
from registry_site import wording

FORMATS = ("markdown", "html", "json")


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
        "groups": measured.groups.as_json(),
        "criteria": measured.criteria,
        "agreement": calibrating.of_package(package.evaluation, measured, package.scheme),
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
        yield Title(group_name(group, language), 3)
        yield from _figures(measured, package, language, group=group, category=None)
    yield from group_report.among_groups(package, measured, language)
    yield from group_report.acceptance(package, measured, language)
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
    agreement = calibrating.of_package(package.evaluation, measured, package.scheme)
    yield from agreement_report.blocks(agreement, language)
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
    agreement = calibrating.of_package(evaluation, measured, package.scheme)
    doubtful = package.run.get("doubtful_abstentions")
    reviewed = len({item for item, _, _ in evaluation.abstention_review})
    unknown = "?" if not isinstance(doubtful, int) else wording.whole(doubtful, language)
    runs = measured.counts["runs"]
    data = {
        "agreement": _agreed(agreement, language),
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
    yield f"{word('measured_at', language)}: {moment(descriptor['measured_at'], language)}"
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
                        word("total", language) if group is None else group_name(group, language),
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


def _agreed(agreement: Mapping[str, Any], language: str) -> str:
    if not reviews.is_measured(agreement):
        return "no se ha medido" if language == "es" else "has not been measured"
    kappas = [
        agreement_report.kappa_sentence(row["verdicts"], language).rstrip(".") for row in agreement["judges"]
    ]
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
