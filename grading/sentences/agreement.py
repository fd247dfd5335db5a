"""What is said of the agreement of judges with people, and of judges, and people, among themselves."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from grading.sentences.telling import counted_rate, say, two
from grading.words import STRENGTHS, VERDICTS, word
from registry_site import wording

# code: (es, en)
TEXTS = {
    "no_kappa": (
        "Limitación declarada: no se ha medido el acuerdo entre el juez y personas.",
        "Declared limitation: agreement between the judge and humans has not been measured.",
    ),
    "kappa_undefined": (
        "Kappa no definido: todas las respuestas están en una sola categoría. Acuerdo simple: {k} de {n}.",
        "Kappa not defined: a single category. Raw agreement: {k} of {n}.",
    ),
    "kappa": (
        "Acuerdo entre el juez y personas: kappa de Cohen {kappa}{interval}, {strength}; {k} de {n}.",
        "Agreement between the judge and humans: Cohen's kappa {kappa}{interval}, {strength}; {k} of {n}.",
    ),
    "kappa_all_agree": (
        " Eso no demuestra que coincidan siempre: con 95 % de confianza, el desacuerdo real no supera {u} %.",
        " That does not show that they always agree: with 95% confidence, the true disagreement does not exceed {u}%.",
    ),
    "kappa_indicative": (" Orientativo: pocas respuestas ({n}).", " Indicative: few answers ({n})."),
    "nothing_compared": (
        "Kappa no definido: ninguna respuesta que comparar.",
        "Kappa not defined: no answer to compare.",
    ),
    "one_kappa": (
        "Kappa de Cohen {kappa}{interval}, {strength}.",
        "Cohen's kappa {kappa}{interval}, {strength}.",
    ),
    "by_its_interval": (
        "Por su intervalo, de {low} a {high}.",
        "By its interval, from {low} to {high}.",
    ),
    "raw": ("Acuerdo simple: {rate}.", "Raw agreement: {rate}."),
    "few": (
        "Menos de {t} respuestas comparadas: el acuerdo no se publica, porque sería ruido con apariencia de medida.",
        "Fewer than {t} answers compared: the agreement is not published, as it would be noise that looks measured.",
    ),
    "complementary": (
        "La matriz no se publica, porque permitiría deducir la cifra de un grupo.",
        "The matrix is not published, because the figure of a group could be deduced from it.",
    ),
    "reviews": (
        "Respuestas revisadas a ciegas: {answers}; personas revisoras: {reviewers}; comparadas: {compared}.",
        "Answers reviewed blind: {answers}; reviewers: {reviewers}; compared: {compared}.",
    ),
    "left_out": ("Fuera de la comparación: {why}.", "Left out of the comparison: {why}."),
    "not_judged": ("{n} sin veredicto del juez", "{n} without a verdict of the judge"),
    "reviewer_undecided": ("{n} sin decisión de las personas", "{n} that people left undecided"),
    "reviewers_tied": ("{n} con empate entre personas", "{n} on which people were tied"),
    "the_judge": ("El juez y las personas", "The judge and people"),
    "the_majority": ("La mayoría de los jueces y las personas", "The majority of the judges and people"),
    "one_judge": ("El juez {judge} y las personas", "Judge {judge} and people"),
    "between_reviewers": ("Las personas revisoras entre sí", "The reviewers among themselves"),
    "between_judges": ("Los jueces entre sí", "The judges among themselves"),
    "fleiss": (
        "Kappa de Fleiss {kappa}, {strength}: {n} respuestas, {raters} veredictos de cada una; acuerdo simple {raw}.",
        "Fleiss's kappa {kappa}, {strength}, on {n} answers with {raters} verdicts each; raw agreement {raw}.",
    ),
    # «100 %» and «0 %» would say more than these answers show.
    "fleiss_all": (
        (
            "Kappa de Fleiss {kappa}, {strength}: {n} respuestas, {raters} veredictos de cada una, sin desacuerdo "
            "observado. Eso no demuestra que coincidan siempre."
        ),
        (
            "Fleiss's kappa {kappa}, {strength}, on {n} answers with {raters} verdicts each, without a disagreement "
            "observed. That does not show that they always agree."
        ),
    ),
    "fleiss_none": (
        "Kappa de Fleiss {kappa}, {strength}: {n} respuestas, {raters} veredictos de cada una, sin acuerdo observado.",
        "Fleiss's kappa {kappa}, {strength}, on {n} answers with {raters} verdicts each, without agreement observed.",
    ),
    "no_answers": (
        "Kappa de Fleiss no definido: ninguna respuesta que comparar.",
        "Fleiss's kappa not defined: no answer to compare.",
    ),
    "different_numbers_of_raters": (
        "Kappa de Fleiss no definido: no todas las respuestas tienen el mismo número de veredictos.",
        "Fleiss's kappa not defined: not all answers have the same number of verdicts.",
    ),
    "fewer_than_two_raters": (
        "Kappa de Fleiss no definido: hay respuestas con un solo veredicto.",
        "Fleiss's kappa not defined: some answers have a single verdict.",
    ),
    "one_category": (
        "Kappa de Fleiss no definido: todos los veredictos están en una sola categoría.",
        "Fleiss's kappa not defined: all verdicts are in a single category.",
    ),
    "fleiss_indicative": ("Orientativo: pocas respuestas ({n}).", "Indicative: few answers ({n})."),
    "per_verdict": ("{value} ({twice} de {margins})", "{value} ({twice} of {margins})"),
    "unused": ("nadie la usó", "nobody used it"),
}


@dataclass(frozen=True, slots=True)
class ToldRow:
    """A row of a matrix: what the first rater said, its cells by what the second said, their sum, the agreement."""

    word: str
    cells: tuple[str, ...]
    total: str
    agreement: str = ""


@dataclass(frozen=True, slots=True)
class ToldMatrix:
    columns: tuple[str, ...]
    rows: tuple[ToldRow, ...]
    totals: ToldRow


@dataclass(frozen=True, slots=True)
class ToldKappa:
    """Two raters, or several: over the four verdicts, and over «hallucinates» alone."""

    title: str
    verdicts: str
    hallucinates: str
    matrix: ToldMatrix | None = None
    # The first rater is a judge and the second is people.
    with_people: bool = False


@dataclass(frozen=True, slots=True)
class ToldAgreement:
    """`summary`: the kappa that counts, or that none was measured. `kappas`: each in full."""

    measured: bool
    summary: str
    counts: str
    kappas: tuple[ToldKappa, ...]


def tell(agreement: Mapping[str, Any], language: str, *, suppressed_below: int = 10) -> ToldAgreement:
    """The `agreement` of a result, or of a later calibration, as `publishable.agreement` leaves it."""
    measured = bool(agreement.get("judges"))
    kappas = [_judge(of, agreement, language, suppressed_below) for of in agreement.get("judges") or ()]
    for code in ("between_reviewers", "between_judges"):
        of = agreement.get(code)
        if of is not None:
            kappas.append(_among(of, say(TEXTS, code, language), language, suppressed_below))
    return ToldAgreement(
        measured=measured,
        summary=of_agreement(agreement, language, suppressed_below=suppressed_below),
        counts=of_reviews(agreement, language),
        kappas=tuple(kappas),
    )


def of_agreement(agreement: Mapping[str, Any], language: str, *, suppressed_below: int = 10) -> str:
    """The kappa of the verdicts that count (of the first judge, where judges are averaged), or why there is none."""
    if not agreement.get("judges") or agreement.get("compared") == 0:
        return say(TEXTS, "no_kappa", language)
    kappa = agreement["judges"][0]["verdicts"]
    if kappa.get("withheld") == "few":
        return say(TEXTS, "few", language, t=wording.whole(suppressed_below, language))
    counts = {
        "k": wording.whole(kappa["raw_agreement"]["k"], language),
        "n": wording.whole(kappa["n"], language),
    }
    if kappa["kappa"] is None:
        return say(TEXTS, "kappa_undefined", language, **counts)
    told = say(
        TEXTS,
        "kappa",
        language,
        strength=_strength(kappa, "strength", language),
        **_ends(kappa, language),
        **counts,
    )
    if kappa["disagreement_bound"] is not None:
        bound = wording.upper_bound(kappa["disagreement_bound"], language)
        told += say(TEXTS, "kappa_all_agree", language, u=bound)
    return told + (say(TEXTS, "kappa_indicative", language, n=counts["n"]) if kappa["indicative"] else "")


def of_reviews(agreement: Mapping[str, Any], language: str) -> str:
    """How many answers people reviewed, and which of them could not be compared; empty where no number is told."""
    if agreement.get("compared") is None:
        return ""
    told = say(
        TEXTS,
        "reviews",
        language,
        **{key: wording.whole(agreement[key], language) for key in ("answers", "reviewers", "compared")},
    )
    why = [
        say(TEXTS, code, language, n=wording.whole(count, language))
        for code, count in agreement["left_out"].items()
        if count
    ]
    return told + (" " + say(TEXTS, "left_out", language, why="; ".join(why)) if why else "")


def of_kappa(kappa: Mapping[str, Any], language: str, *, suppressed_below: int = 10) -> str:
    """Cohen's kappa of one table with its words, and raw agreement beside it, always."""
    if kappa.get("withheld") == "few":
        return say(TEXTS, "few", language, t=wording.whole(suppressed_below, language))
    if not kappa["n"]:
        return say(TEXTS, "nothing_compared", language)
    n = wording.whole(kappa["n"], language)
    if kappa["kappa"] is None:
        k = wording.whole(kappa["raw_agreement"]["k"], language)
        told = say(TEXTS, "kappa_undefined", language, k=k, n=n)
    else:
        strength = _strength(kappa, "strength", language)
        told = say(TEXTS, "one_kappa", language, strength=strength, **_ends(kappa, language))
        low, high = (_strength(kappa, f"strength_{end}", language) for end in ("low", "high"))
        if low != high:
            told += " " + say(TEXTS, "by_its_interval", language, low=low, high=high)
        told += " " + say(TEXTS, "raw", language, rate=counted_rate(kappa["raw_agreement"], language))
    if kappa["disagreement_bound"] is not None:
        bound = wording.upper_bound(kappa["disagreement_bound"], language)
        told += say(TEXTS, "kappa_all_agree", language, u=bound)
    if kappa["indicative"]:
        told += say(TEXTS, "kappa_indicative", language, n=n)
    if kappa.get("withheld"):
        told += " " + say(TEXTS, kappa["withheld"], language)
    return told


def of_fleiss(kappa: Mapping[str, Any], language: str, *, suppressed_below: int = 10) -> str:
    """Fleiss's kappa of several raters, or why there is none."""
    if kappa.get("withheld") == "few":
        return say(TEXTS, "few", language, t=wording.whole(suppressed_below, language))
    if kappa["kappa"] is None:
        return say(TEXTS, kappa["reason"], language)
    n = wording.whole(kappa["n"], language)
    raw = Decimal(kappa["raw_agreement"])
    told = say(
        TEXTS,
        "fleiss" if raw not in (0, 1) else "fleiss_all" if raw else "fleiss_none",
        language,
        kappa=two(kappa["kappa"], language),
        strength=_strength(kappa, "strength", language),
        n=n,
        raters=wording.whole(kappa["raters"], language),
        raw=wording.percentage(kappa["raw_agreement"], language),
    )
    return told + (" " + say(TEXTS, "fleiss_indicative", language, n=n) if kappa["indicative"] else "")


def _judge(
    of: Mapping[str, Any], agreement: Mapping[str, Any], language: str, suppressed_below: int
) -> ToldKappa:
    if of["judge"] is not None:
        title = say(TEXTS, "one_judge", language, judge=of["judge"])
    else:
        title = say(TEXTS, "the_majority" if len(agreement["judges"]) > 1 else "the_judge", language)
    return ToldKappa(
        title=title,
        verdicts=of_kappa(of["verdicts"], language, suppressed_below=suppressed_below),
        hallucinates=_binary(of, language, suppressed_below),
        matrix=_matrix(of["verdicts"], language),
        with_people=True,
    )


def _among(of: Mapping[str, Any], title: str, language: str, suppressed_below: int) -> ToldKappa:
    if of["kind"] == "fleiss":
        verdicts, binary = (
            of_fleiss(of[table], language, suppressed_below=suppressed_below)
            for table in ("verdicts", "hallucinates")
        )
        return ToldKappa(title, verdicts, "" if binary == verdicts else binary)
    return ToldKappa(
        title,
        of_kappa(of["verdicts"], language, suppressed_below=suppressed_below),
        _binary(of, language, suppressed_below),
        _matrix(of["verdicts"], language),
    )


def _binary(of: Mapping[str, Any], language: str, suppressed_below: int) -> str:
    """The same of «hallucinates» alone; nothing where it would only repeat that there is nothing to tell."""
    if of["verdicts"].get("withheld") == "few" or not of["verdicts"]["n"]:
        return ""
    return of_kappa({**of["hallucinates"], "withheld": None}, language, suppressed_below=suppressed_below)


def _matrix(kappa: Mapping[str, Any], language: str) -> ToldMatrix | None:
    table = kappa.get("matrix")
    if table is None or not kappa["n"]:
        return None
    words = tuple(word(VERDICTS, code, language) for code in kappa["categories"])

    def whole(values: Any) -> tuple[str, ...]:
        return tuple(wording.whole(value, language) for value in values)

    return ToldMatrix(
        columns=words,
        rows=tuple(
            ToldRow(
                words[place],
                whole(cells),
                wording.whole(kappa["rows"][place], language),
                _per_verdict(kappa, code, place, language),
            )
            for place, (code, cells) in enumerate(zip(kappa["categories"], table, strict=True))
        ),
        totals=ToldRow("", whole(kappa["columns"]), wording.whole(kappa["n"], language)),
    )


def _per_verdict(kappa: Mapping[str, Any], code: str, place: int, language: str) -> str:
    value = kappa["per_category"][code]
    if value is None:
        return say(TEXTS, "unused", language)
    return say(
        TEXTS,
        "per_verdict",
        language,
        value=two(value, language),
        twice=wording.whole(2 * kappa["matrix"][place][place], language),
        margins=wording.whole(kappa["rows"][place] + kappa["columns"][place], language),
    )


def _ends(kappa: Mapping[str, Any], language: str) -> dict[str, str]:
    """Where all agree, or none do, the formula of the interval gives a point: that is none to be shown."""
    interval = ""
    if kappa["low"] != kappa["high"]:
        interval = f" [{two(kappa['low'], language)} – {two(kappa['high'], language)}]"
    return {"kappa": two(kappa["kappa"], language), "interval": interval}


def _strength(kappa: Mapping[str, Any], key: str, language: str) -> str:
    return word(STRENGTHS, kappa[key], language)
