"""What is said of a run in words: its counts, its contamination, the requests behind a mark, its tools."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext, ngettext

from certificates import words
from certificates.pages import MarkCounts, RunPage
from evidence import runs
from grading.run_marks import Counts
from grading.sentences import runs as sentences
from grading.sentences import telling
from registry_site import present_language, wording


def counts(told: Counts | MarkCounts) -> str:
    """«3 cumplidos, 1 no cumplido, 1 no observable»; what there is none of is left out. Never a percentage."""
    parts = [
        (told.met, ngettext("%(n)s met", "%(n)s met", told.met)),
        (told.not_met, ngettext("%(n)s not met", "%(n)s not met", told.not_met)),
        (
            told.not_observable,
            ngettext("%(n)s not observable", "%(n)s not observable", told.not_observable),
        ),
    ]
    return ", ".join(text % {"n": n} for n, text in parts if n)


def contamination(k: int) -> str:
    """«contaminada a partir de la petición 7»."""
    return gettext("contaminated from request %(k)s") % {"k": k}


def requests_named(numbers: Sequence[int]) -> str:
    """«petición 3», «peticiones 3, 4 y 7»."""
    listed = [wording.whole(number, present_language.code()) for number in numbers]
    together = (
        listed[0]
        if len(listed) == 1
        else gettext("%(first)s and %(last)s")
        % {
            "first": ", ".join(listed[:-1]),
            "last": listed[-1],
        }
    )
    return ngettext("request %(n)s", "requests %(n)s", len(listed)) % {"n": together}


def tools(codes: Sequence[str]) -> str:
    """«navegación, HTTP»; a tool of the operator's own words stays as it was written."""
    return ", ".join(str(words.TOOL.get(code, code)) for code in codes) or gettext("none")


def title_of(code: str, points: Sequence[dict[str, Any]]) -> dict[str, str]:
    """The public title of a point in both languages; its code where a case does not name it."""
    return next((point["title"] for point in points if point["code"] == code), {"es": code, "en": code})


def path_of(url: str) -> str:
    """What stands behind the host of an address, as it was asked for."""
    _scheme, _slashes, rest = url.partition("://")
    _host, slash, path = rest.partition("/")
    return slash + path if slash else "/"


def intervention(kind: str) -> str:
    """What somebody handed to the agent, in the words that its operator chose from."""
    return str(runs.INTERVENTIONS.get(kind, kind))


def lasted(seconds: float) -> str:
    """«en 4 minutos y 12 segundos»: between the first counted request and the last."""
    minutes, rest = divmod(max(1, round(seconds)), 60)
    language = present_language.code()
    told = ngettext("%(n)s second", "%(n)s seconds", rest) % {"n": wording.whole(rest, language)}
    if minutes:
        first = ngettext("%(n)s minute", "%(n)s minutes", minutes) % {"n": wording.whole(minutes, language)}
        told = gettext("%(first)s and %(last)s") % {"first": first, "last": told} if rest else first
    return gettext("within %(time)s") % {"time": told}


def citation(page: RunPage) -> str:
    """What may be said of a published run: which version, what, on which case, when, and how it was helped."""
    result, language = page.result, present_language.code()
    if result is None:
        return ""
    told = gettext(
        "%(system)s, version %(version)s: %(counts)s in run %(number)s of the test case %(case)s "
        "(%(domain)s), published on %(date)s"
    ) % {
        "system": result.system.system,
        "version": result.system.version,
        "counts": counts(result.counts),
        "number": page.row.number,
        "case": page.row.case,
        "domain": result.variant.start_domain,
        "date": wording.day(page.published_at.date(), language) if page.published_at else "",
    }
    further = [contamination(result.facts.catalogue_at)] if result.facts.catalogue_at else []
    further += [words.word("run", page.row.outcome)] if page.row.outcome else []
    return "; ".join([told, *further]) + "."


def left_out(reason: str) -> str:
    """Why a run does not count among the independent ones."""
    if reason == "withheld":
        return gettext("its result was not published")
    return sentences.REASONS[reason][present_language.code() == "en"]


def met_of(figure: Mapping[str, Any]) -> str:
    """«2 de 3 · 66,7 % [20,8 – 93,9]» of a figure as JSON; of none and of all the interval alone."""
    if not figure["n"]:
        return gettext("in no run could it be seen")
    language = present_language.code()
    return f"{wording.ratio(figure['k'], figure['n'], language)} · {telling.rate(figure, language)}"
