"""Recomputes every figure of an evidence package from its records, offline."""

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from evidence.management.offline import OfflineCommand
from grading import computing, schemes, sentences
from grading.figures import Figure, Result
from grading.words import BANDS, CRITERIA, DENOMINATORS, METRICS, OUTCOMES, word
from registry_site import wording

_TEXTS = {
    "refused": (
        "El paquete no se admite; no se calculó ninguna cifra.",
        "The package is refused; no figure was computed.",
    ),
    "expected": ("se esperaba", "expected"),
    "found": ("se encontró", "found"),
    "package": ("Paquete", "Package"),
    "set": ("Conjunto", "Question set"),
    "scheme": ("Esquema", "Scheme"),
    "total": ("Total", "Total"),
    "group": ("Grupo lingüístico", "Language group"),
    "category": ("Categoría", "Category"),
    "undeclared": ("sin idioma declarado", "no declared language"),
    "judge": ("juez", "judge"),
    "unjudged": ("sin juzgar", "unjudged"),
    "declared": ("Cifras declaradas", "Declared figures"),
    "computed": ("recalculada", "recomputed"),
    "groups": ("Grupos lingüísticos entre sí", "Language groups among each other"),
    "macro": ("promedio de los grupos", "mean of the groups"),
    "agreement": ("Acuerdo", "Agreement"),
    "criteria": ("Criterio de aceptación", "Acceptance criterion"),
    "margin": ("margen", "margin"),
    "requirement_met": ("se cumple", "met"),
    "requirement_not_met": ("no se cumple", "not met"),
    "limitations": ("Limitaciones declaradas", "Declared limitations"),
    "run": ("Ejecución", "Run"),
    "variant": ("Encargo", "Assignment"),
    "requests": ("peticiones", "requests"),
    "beyond_limit": ("fuera del límite", "beyond the limit"),
    "catalogue_at": ("catálogo encontrado en la petición", "catalogue found at request"),
    "supported_by": ("peticiones", "requests"),
    "open": ("sin marca", "no mark"),
}


class Command(OfflineCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--scheme", type=Path, help="scheme file to measure under (default: the one it names)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        language = options["language"]
        scheme = None if options["scheme"] is None else _scheme(options["scheme"])
        try:
            source = options["file"].open("rb")
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}", returncode=2) from error
        with source:
            report, result, _ = computing.compute(source, scheme=scheme)
        if result is None:
            answer = report.as_json(language)
            if options["json"]:
                self.stdout.write(json.dumps(answer, ensure_ascii=False))
            else:
                self.stdout.write(_text("refused", language))
                for finding in answer["findings"]:
                    self.stdout.write("\n".join(_finding(finding, language)))
            sys.exit(1)
        if options["json"]:
            self.stdout.write(json.dumps(result.as_json(), ensure_ascii=False))
        else:
            for line in _lines(result, report.sha256, language):
                self.stdout.write(line)


def _scheme(path: Path) -> schemes.Scheme:
    try:
        return schemes.load(path.read_bytes())
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}", returncode=2) from error
    except schemes.UnusableScheme as error:
        raise CommandError(f"{path}: {error}", returncode=2) from error


def _text(code: str, language: str) -> str:
    return word(_TEXTS, code, language)


def _finding(finding: dict[str, Any], language: str) -> list[str]:
    place = " · ".join(str(part) for part in (finding["member"], finding["key"]) if part)
    seen = [
        f"{_text(key, language)}: {finding[key]}" for key in ("expected", "found") if finding[key] is not None
    ]
    lines = [f"{finding['code']}  {place}".rstrip(), f"    {finding['meaning']}"]
    lines += [f"    ({'; '.join(seen)})"] if seen else []
    return [f"  {line}" for line in (*lines, f"    → {finding['mend']}")]


def _lines(result: Result, sha256: str, language: str):
    yield f"{_text('package', language)}  {sha256}"
    yield f"{_text('set' if result.run is None else 'variant', language)}  {result.set_sha256}"
    yield f"{_text('scheme', language)}  {result.scheme['code']} {result.scheme['version']}"
    rows: dict[tuple[str | None, str | None], list[Figure]] = {}
    for figure in result.figures:
        rows.setdefault((figure.group, figure.category), []).append(figure)
    if result.run is not None:
        yield from _run(result.run, language)
        # Each point was told with its mark.
        rows = {row: figures for row, figures in rows.items() if row == (None, None)}
    for (group, category), figures in rows.items():
        # A part without any answer says nothing that the total does not say.
        shown = [figure for figure in figures if figure.n or (group is None and category is None)]
        if not shown:
            continue
        yield ""
        yield _heading(group, category, language)
        for figure in shown:
            yield "  " + _line(figure, language)
    yield from _groups(result, language)
    if result.agreement.get("compared"):
        yield ""
        yield _text("agreement", language)
        yield f"  {sentences.of_agreement(result.agreement, language)}"
    yield from _criteria(result, language)
    if result.declared:
        yield ""
        yield _text("declared", language)
        for declared in result.declared:
            place = " · ".join(
                part
                for part in (
                    word(METRICS, declared.metric, language),
                    word(DENOMINATORS, declared.denominator, language),
                    declared.group,
                    declared.category,
                )
                if part
            )
            computed = f"{_text('computed', language)} {declared.computed}" if declared.computed else ""
            yield f"  {place}: {declared.declared} {computed} — {word(OUTCOMES, declared.outcome, language)}"
    yield ""
    yield _text("limitations", language)
    for limitation in result.limitations:
        data = ", ".join(f"{key}={value}" for key, value in limitation.data.items())
        yield f"  {limitation.code}" + (f" ({data})" if data else "")


def _run(run: dict[str, Any], language: str):
    """The run and each of its points: counts and requests, no rate."""
    facts = run["facts"]
    parts = [
        f"{_text('run', language)}  {run['number']}",
        f"{run['test_case']} {run['case_version']}",
        f"{_text('requests', language)}: {wording.whole(facts['counted'], language)}",
    ]
    for key in ("beyond_limit", "catalogue_at"):
        if facts[key]:
            parts.append(f"{_text(key, language)}: {wording.whole(facts[key], language)}")
    yield " · ".join(parts)
    for point in run["points"]:
        mark = word(METRICS, point["mark"], language) if point["mark"] else _text("open", language)
        requests = ", ".join(map(str, point["requests"]))
        support = f" · {_text('supported_by', language)}: {requests}" if requests else ""
        yield f"  {point['title'][language]:<60} {mark}{support}"


def _rate(of: dict[str, Any], language: str) -> str:
    return f"{word(METRICS, of['metric'], language)} ({word(DENOMINATORS, of['denominator'], language)})"


def _groups(result: Result, language: str):
    """What is said of the groups, of the metrics that were assessed."""
    groups = result.groups
    gaps = groups.gaps or [None] * len(groups.homogeneity or ())
    assessed = [
        (gate, macro, gap)
        for gate, macro, gap in zip(groups.homogeneity or (), groups.macro or (), gaps, strict=True)
        if gate["outcome"] != "not_assessed"
    ]
    if not assessed:
        return
    yield ""
    yield _text("groups", language)
    for gate, macro, gap in assessed:
        mean = wording.percentage(macro["estimate"], language)
        interval = wording.interval(macro["low"], macro["high"], language)
        yield f"  {_rate(gate, language):<60} {_text('macro', language)}: {mean} {interval}"
        yield f"      {sentences.of_groups(gate, gap, language)}"


def _criteria(result: Result, language: str):
    """The decision, each clause with its margin, and what had to be met."""
    if result.criteria is None:
        return
    yield ""
    yield f"{_text('criteria', language)}: {word(CRITERIA, result.criteria['outcome'], language)}"
    for clause in result.criteria["clauses"]:
        sign = "≤" if clause["direction"] == "at_most" else "≥"
        demand = f"{_rate(clause, language)} {sign} {wording.percentage(clause['threshold'], language)}"
        reason = f" ({clause['reason']})" if clause["reason"] else ""
        yield f"  {demand}: {word(CRITERIA, clause['outcome'], language)}{reason}"
        rates = [clause["overall"]] if clause["overall"] else clause["groups"]
        for of in rates:
            margin = wording.decimal(of["margin"], language)
            name = f"{of['group']}  " if of.get("group") else ""
            yield (
                f"      {name}{wording.ratio(of['k'], of['n'], language)} · "
                f"{wording.percentage(of['estimate'], language)} "
                f"{wording.interval(of['low'], of['high'], language)} · {_text('margin', language)} {margin}"
            )
    for of in result.criteria["requirements"]:
        met = "requirement_met" if of["met"] else "requirement_not_met"
        yield f"  {of['code']}: {_text(met, language)}"


def _heading(group: str | None, category: str | None, language: str) -> str:
    if group is None and category is None:
        return _text("total", language)
    parts = []
    if group is not None:
        name = _text("undeclared", language) if group == "und" else group
        parts.append(f"{_text('group', language)}: {name}")
    if category is not None:
        parts.append(f"{_text('category', language)}: {category}")
    return " · ".join(parts)


def _line(figure: Figure, language: str) -> str:
    name = f"{word(METRICS, figure.metric, language)} ({word(DENOMINATORS, figure.denominator, language)})"
    if figure.judge is not None:
        name += f" · {_text('judge', language)} {figure.judge}"
    if not figure.n:
        return f"{name:<62} {word(BANDS, 'no_data', language)}"
    parts = [wording.ratio(figure.k, figure.n, language)]
    if figure.estimate is not None:
        parts.append(wording.percentage(figure.estimate, language))
        parts.append(wording.interval(figure.low, figure.high, language))
    if figure.unjudged:
        parts.append(f"{_text('unjudged', language)}: {wording.whole(figure.unjudged, language)}")
    if band := word(BANDS, figure.band, language):
        parts.append(band)
    return f"{name:<62} " + " · ".join(parts)
