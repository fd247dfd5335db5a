"""Sentences made from facts, through gettext: the status of a certificate, and what a figure does and does not say."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import (
    gettext,
    gettext_lazy,
    ngettext,
    npgettext,
    pgettext,
    pgettext_lazy,
)

from certificates import addresses, words
from grading import group_names, statistics
from registry_site import present_language, wording

if TYPE_CHECKING:
    from certificates.pages import Entry, Verdict
    from grading.figures import Figure


@dataclass(frozen=True, slots=True)
class Named:
    """An identifier inside a sentence: never broken, a link where there is a page of it."""

    text: str
    address: str = ""

    def __str__(self) -> str:
        return self.text

    def __html__(self) -> str:
        inner = format_html('<span class="nb">{}</span>', self.text)
        return format_html('<a href="{}">{}</a>', self.address, inner) if self.address else inner


@dataclass(frozen=True, slots=True)
class Sentence:
    """A message with its values; `**…**` in the message marks what carries the weight."""

    message: Any
    values: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # The values are in the language of this moment; a lazy message would follow a later one.
        object.__setattr__(self, "message", str(self.message).replace("No. {", f"No.{wording.NO_BREAK}{{"))

    def text(self) -> str:
        """Plain, for feeds, titles and descriptions."""
        return str(self.message).replace("**", "").format(**self.values)

    def __html__(self) -> SafeString:
        marked = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", str(conditional_escape(str(self.message))))
        values = {name: conditional_escape(value) for name, value in self.values.items()}
        # The message is ours, the values are escaped above.
        return mark_safe(marked.format(**values))  # noqa: S308

    def __str__(self) -> str:
        return self.text()


def _notice(number: str | None) -> Named:
    return Named(number or "", addresses.notice(number, present_language.code()) if number else "")


def _certificate(number: str) -> Named:
    return Named(number, addresses.certificate(number, present_language.code()))


def _day(value: date | datetime | None) -> str:
    return "" if value is None else wording.day(value, present_language.code())


# ── status ───────────────────────────────────────────────────────────────────

DO_NOT_RELY = gettext_lazy("**Do not rely on this certificate**: see erratum No. {n}.")
ACTIVE = gettext_lazy("**In force**, about version {v} as measured on {date}.")
OPEN_REPORT = gettext_lazy("A complaint is under review (No. {n}); it does not prejudge the outcome.")
OPEN_APPEAL = gettext_lazy("An appeal is under review (No. {n}); it does not prejudge the outcome.")
DEFECT = gettext_lazy("It has a known defect: see erratum No. {n}.")
SUSPENDED = gettext_lazy("**Not in force** since {date}: **suspended**, because {reason} (decision No. {n}).")
TO_BE_REVIEWED = gettext_lazy("To be reviewed by {review}.")
REVIEW_OVERDUE = gettext_lazy("The review was due on {review} and is pending. It remains suspended.")
REVOKED = gettext_lazy("**Not in force** since {date}: **revoked**, because {reason} (decision No. {n}).")
MAY_APPEAL = gettext_lazy("The holder may appeal until {deadline}.")
APPEAL_OVER = gettext_lazy("The appeal period ended on {deadline}; the revocation is not yet final.")
UNDER_APPEAL = gettext_lazy("An appeal is under review (No. {n}); meanwhile it is not in force.")
REVOKED_FINAL = gettext_lazy(
    "**Not in force** since {date}: **revoked**, finally, because {reason} (decision No. {n})."
)
TERMINATED = gettext_lazy("**Not in force** since {date}: **ended at the holder's request**.")
NO_SANCTION = gettext_lazy("This is not a sanction.")
WAS_SUSPENDED = gettext_lazy("At the time, it was suspended (decision No. {n}).")
HAD_REPORT = gettext_lazy("At the time, a complaint was under review (No. {n}).")
EXPIRED = gettext_lazy("**Not in force** since {date}: **expired** at the end of its term.")
EXPIRED_SUSPENDED = gettext_lazy(
    "**Not in force**: **expired** on {date}; it had been suspended since {date2} (decision No. {n})."
)
SUPERSEDED = gettext_lazy("**Not in force** since {date}: **superseded** by certificate {number}.")
OVERTURNED = gettext_lazy("Decision No. {n} was overturned by appeal No. {m}.")
OVERTURNED_ALONE = gettext_lazy("Decision No. {n} was overturned.")
KEPT_SUSPENDED = gettext_lazy("The certificate was suspended from {a} to {b}.")
OVERTURNED_LATE = gettext_lazy(
    "Decision No. {n} was overturned on {date}. The certificate had ended meanwhile, and its status stays."
)
UNKNOWN = gettext_lazy("It **could not be determined** whether it is in force. Do not assume that it is.")
UNTIL = gettext_lazy("Until {date}, unless another decision is published before.")
SUSPENDED_BEFORE = gettext_lazy("It was suspended from {a} to {b}.")
SUSPENDED_FOR_HOURS = gettext_lazy("It was suspended on {a}, for part of the day.")
NEWER = gettext_lazy("There is a certificate for a newer version: {number}.")
REPLACES = gettext_lazy("It supersedes certificate {number}.")
VERSION_OF = pgettext_lazy("version of a system", "{v} of {system}")


def reason_clause(verdict: Any) -> str:
    """What follows «porque»: the reason's clause, or the signed text itself when the reason is `other`."""
    clause = words.word("reason", verdict.reason or "other")
    statement = verdict.statement.in_language(present_language.code()) if verdict.statement else ""
    return clause.format(n=verdict.reason_number or "", statement=statement.rstrip(". "))


def status_sentence(verdict: Verdict) -> Sentence:
    """The first line of page, PDF and feed: whether it is in force, since when not, why, by which decision."""
    if verdict.do_not_rely:
        return Sentence(DO_NOT_RELY, {"n": _notice(verdict.erratum)})
    since, decision = _day(verdict.since), _notice(verdict.decision)
    match verdict.status:
        case "active":
            return _in_force(verdict)
        case "suspended":
            return Sentence(SUSPENDED, {"date": since, "reason": reason_clause(verdict), "n": decision})
        case "revoked":
            message = REVOKED_FINAL if verdict.final else REVOKED
            return Sentence(message, {"date": since, "reason": reason_clause(verdict), "n": decision})
        case "terminated":
            return Sentence(TERMINATED, {"date": since})
        case "expired" if verdict.suspended_since:
            return Sentence(
                EXPIRED_SUSPENDED,
                {
                    "date": since,
                    "date2": _day(verdict.suspended_since),
                    "n": _notice(verdict.suspended_decision),
                },
            )
        case "expired":
            return Sentence(EXPIRED, {"date": since})
        case "superseded":
            return Sentence(SUPERSEDED, {"date": since, "number": _certificate(verdict.superseded_by or "")})
    return Sentence(UNKNOWN)


def _in_force(verdict: Verdict) -> Sentence:
    version = verdict.version
    if verdict.system:
        # The name stays with its version: «4.2.1 de Peumo Consulta» is one thing.
        version = str(VERSION_OF).format(v=version, system=verdict.system.replace(" ", wording.NO_BREAK))
    return Sentence(ACTIVE, {"v": version, "date": _day(verdict.measured_at)})


def further_sentences(verdict: Verdict) -> list[Sentence]:
    """What else is true of the status now, in the order in which a reader needs it."""
    told: list[Sentence] = []
    language = present_language.code()
    if verdict.do_not_rely:
        told.append(status_sentence(_relied_on(verdict)))
    match verdict.status:
        case "active":
            if verdict.valid_until:
                told.append(
                    Sentence(UNTIL, {"date": wording.day(wording.last_day(verdict.valid_until), language)})
                )
            if verdict.open_report:
                told.append(Sentence(OPEN_REPORT, {"n": Named(verdict.open_report)}))
            if verdict.open_appeal:
                told.append(Sentence(OPEN_APPEAL, {"n": Named(verdict.open_appeal)}))
        case "suspended":
            if verdict.review_on:
                message = REVIEW_OVERDUE if verdict.review_overdue else TO_BE_REVIEWED
                told.append(Sentence(message, {"review": _day(verdict.review_on)}))
            told += _appealable(verdict)
        case "revoked" if not verdict.final:
            if verdict.appeal_period_over and verdict.appeal_until and not verdict.open_appeal:
                told.append(
                    Sentence(APPEAL_OVER, {"deadline": wording.deadline(verdict.appeal_until, language)})
                )
            else:
                told += _appealable(verdict)
        case "terminated":
            if verdict.suspended_decision:
                told.append(Sentence(WAS_SUSPENDED, {"n": _notice(verdict.suspended_decision)}))
            if verdict.report_open_at_end:
                told.append(Sentence(HAD_REPORT, {"n": Named(verdict.report_open_at_end)}))
            if not verdict.suspended_decision and not verdict.report_open_at_end:
                told.append(Sentence(NO_SANCTION))
    if verdict.erratum and not verdict.do_not_rely:
        told.append(Sentence(DEFECT, {"n": _notice(verdict.erratum)}))
    for a, b in verdict.past_suspensions:
        text = SUSPENDED_BEFORE if a.date() < b.date() else SUSPENDED_FOR_HOURS
        told.append(Sentence(text, {"a": _day(a), "b": _day(b)}))
    for overturned in verdict.overturned:
        told += _overturned(overturned)
    if verdict.newer:
        told.append(Sentence(NEWER, {"number": _certificate(verdict.newer)}))
    if verdict.supersedes:
        told.append(Sentence(REPLACES, {"number": _certificate(verdict.supersedes)}))
    return told


def _relied_on(verdict: Verdict) -> Verdict:
    from dataclasses import replace

    return replace(verdict, do_not_rely=False)


def _appealable(verdict: Verdict) -> list[Sentence]:
    if verdict.open_appeal:
        return [Sentence(UNDER_APPEAL, {"n": Named(verdict.open_appeal)})]
    if verdict.appeal_until and not verdict.appeal_period_over and not verdict.appealed:
        return [
            Sentence(
                MAY_APPEAL, {"deadline": wording.deadline(verdict.appeal_until, present_language.code())}
            )
        ]
    return []


def _overturned(overturned: Any) -> list[Sentence]:
    decision = _notice(overturned.decision)
    if overturned.status_stays:
        return [Sentence(OVERTURNED_LATE, {"n": decision, "date": _day(overturned.at)})]
    if overturned.appeal:
        told = [Sentence(OVERTURNED, {"n": decision, "m": Named(overturned.appeal)})]
    else:
        told = [Sentence(OVERTURNED_ALONE, {"n": decision})]
    if overturned.suspended_from and overturned.suspended_to:
        values = {"a": _day(overturned.suspended_from), "b": _day(overturned.suspended_to)}
        told.append(Sentence(KEPT_SUSPENDED, values))
    return told


# ── history ──────────────────────────────────────────────────────────────────


def step_title(entry: Entry | Any) -> Sentence:
    """«Suspendido», «Decisión N.º AV-… dejada sin efecto»: what happened, as the timeline heads it."""
    about = getattr(entry, "notice", None) or getattr(entry, "number", "")
    if entry.step != "erratum":
        about = getattr(entry, "against", None)
    return Sentence(words.TABLES["step"].get(entry.step, entry.step), {"n": _notice(about)})


def entry_reason(entry: Any) -> str:
    """The clause of an entry's reason as a sentence of its own, or nothing where there is none to tell."""
    if not entry.reason or entry.reason in ("other", "holder_request"):
        return ""
    clause = reason_clause(entry)
    return clause[:1].upper() + clause[1:] + "."


# ── figures ──────────────────────────────────────────────────────────────────

ZERO = gettext_lazy(
    "No case was observed in {n}. That does not show there are none: with 95% confidence, "
    "the true rate does not exceed {U}."
)
ZERO_THREE = gettext_lazy("(approximately 3/{n})")
ALL = gettext_lazy("It was observed in all {n}. With 95% confidence, the true rate is not below {L}.")
NO_DATA = gettext_lazy("No data: there was no case to measure it on.")
SUPPRESSED = gettext_lazy(
    "Fewer than {t} answers in this group: the figure is not published, because it would be noise that looks like "
    "a measurement. The answers do count in the total."
)
COMPLEMENTARY = gettext_lazy(
    "Not published separately, because another group's figure could be deduced from it. Included in “rest”."
)
INDICATIVE = gettext_lazy(
    "Indicative: few answers ({n}) or a very wide interval. Left out of averages and comparisons."
)
DIFFERS = gettext_lazy(
    "The declared figure ({a}) differs from the recomputed one ({b}). No certificate can be issued on this evidence."
)


def figure_note(figure: Figure | Any, suppressed_below: int = 10) -> str:
    """What must be said beside a figure so that it is not read for more than it is; nothing when it speaks
    for itself.
    """
    language = present_language.code()
    if figure.band == "no_data":
        return str(NO_DATA)
    if figure.band == "suppressed":
        if figure.reason == "complementary":
            return str(COMPLEMENTARY)
        return str(SUPPRESSED).format(t=suppressed_below)
    told = []
    # Repeated answers are not new cases: the bound is that of the independent ones.
    cases = figure.independent
    # Without an interval it is not known how many of them were independent: no bound can be given.
    if figure.k == 0 and figure.low is not None:
        bound = wording.percent(wording.upper_bound(statistics.zero_bound(cases), language), language)
        zero = str(ZERO).format(n=wording.whole(figure.n, language), U=bound)
        if cases >= 30:
            zero = f"{zero.removesuffix('.')} {str(ZERO_THREE).format(n=wording.whole(cases, language))}."
        told.append(zero)
    elif figure.k == figure.n and figure.low is not None:
        bound = wording.percent(wording.lower_bound(1 - statistics.zero_bound(cases), language), language)
        told.append(str(ALL).format(n=wording.whole(figure.n, language), L=bound))
    if figure.band == "indicative":
        told.append(str(INDICATIVE).format(n=wording.whole(figure.n, language)))
    if bounds := figure.unjudged_range:
        low, high = (wording.percentage(bound, language) for bound in bounds)
        told.append(
            ngettext(
                "{n} answer was not judged: had it been, the figure would lie between {low} and {high}.",
                "{n} answers were not judged: had they been, the figure would lie between {low} and {high}.",
                figure.unjudged,
            ).format(n=wording.whole(figure.unjudged, language), low=low, high=high)
        )
    return " ".join(told)


def gathered_notes(notes: Any) -> list[tuple[str, str]]:
    """(whom, note) with those who share a note told together: «mapudungun y aimara»."""
    gathered: dict[str, list[str]] = {}
    for whom, note in notes:
        if note:
            gathered.setdefault(note, []).append(whom)
    return [(wording.listing(whom, present_language.code()), note) for note, whom in gathered.items()]


def figure_name(figure: Figure | Any) -> str:
    """«Fabricación en preguntas hostiles, sobre las preguntas hostiles»."""
    return f"{words.word('metric', figure.metric)}, {words.word('denominator', figure.denominator)}"


def rate(figure: Figure | Any) -> str:
    """«15 de 148 · 10,1 % [6,2 – 16,0]»; k of n alone where nothing was estimated; a word where nothing
    may be shown.
    """
    language = present_language.code()
    if figure.band in ("no_data", "suppressed") or figure.k is None:
        return words.word("band", figure.band)
    counts = wording.ratio(figure.k, figure.n, language)
    if told := estimate(figure):
        return f"{counts} · {told}"
    # None of 72 says little where it is not known how many of them were independent.
    apart = pgettext("figure", "without interval")
    return f"{counts} ({apart})" if figure.k in (0, figure.n) else counts


def estimate(figure: Figure | Any) -> str:
    """«10,1 % [6,2 – 16,0]»; of no case and of all only the interval, never «0 %» or «100 %» alone."""
    language = present_language.code()
    if figure.band in ("no_data", "suppressed") or figure.estimate is None:
        return ""
    if figure.low is None or figure.high is None:
        return "" if figure.k in (0, figure.n) else wording.percentage(figure.estimate, language)
    if figure.k in (0, figure.n):
        return wording.percent(wording.interval(figure.low, figure.high, language), language)
    told = wording.percentage(figure.estimate, language)
    return f"{told} {wording.interval(figure.low, figure.high, language)}"


def group_word(key: str | None, grouping: str = "") -> str:
    """The name of a language group in its grouping («language-1»); None is the total over all groups."""
    if key is None:
        return str(pgettext_lazy("all groups", "Total"))
    return group_names.name(key, present_language.code(), grouping=grouping)


# ── lists ────────────────────────────────────────────────────────────────────


def census_word(status: str, count: int) -> str:
    """How many certificates have a status: «121 vigentes»."""
    match status:
        case "active":
            told = npgettext("census", "{n} in force", "{n} in force", count)
        case "suspended":
            told = npgettext("census", "{n} suspended", "{n} suspended", count)
        case "revoked":
            told = npgettext("census", "{n} revoked", "{n} revoked", count)
        case "expired":
            told = npgettext("census", "{n} expired", "{n} expired", count)
        case "superseded":
            told = npgettext("census", "{n} superseded", "{n} superseded", count)
        case _:
            told = npgettext(
                "census", "{n} ended at the holder's request", "{n} ended at the holder's request", count
            )
    return told.format(n=wording.whole(count, present_language.code()))


# The longest phrase stands last.
CENSUS_ORDER = ("active", "suspended", "revoked", "expired", "superseded", "terminated")


def census(counts: Any) -> list[dict[str, str]]:
    """«148 certificados: 121 vigentes, 4 suspendidos y …», in pieces, so that each number can be a link."""
    present = [status for status in CENSUS_ORDER if counts.get(status)]
    total = sum(counts[status] for status in present)
    if not total:
        return []
    head = ngettext("{n} certificate", "{n} certificates", total).format(
        n=wording.whole(total, present_language.code())
    )
    parts = [{"status": "", "text": f"{head}: "}]
    for position, status in enumerate(present):
        if position:
            last = position == len(present) - 1
            parts.append(
                {"status": "", "text": pgettext("before the last of a list", " and ") if last else ", "}
            )
        parts.append({"status": status, "text": census_word(status, counts[status])})
    return [*parts, {"status": "", "text": "."}]


def language_groups(groups: Any, figures: Any = (), grouping: str = "") -> str:
    """«español, inglés y portugués; mapudungun y aimara, suprimidos»."""
    language = present_language.code()
    hidden = {
        figure.group
        for figure in figures
        if figure.metric == "hallucination" and figure.category is None and figure.band == "suppressed"
    }
    shown = [group_word(key, grouping) for key in groups if key not in hidden]
    kept_back = [group_word(key, grouping) for key in groups if key in hidden]
    told = wording.listing(shown, language)
    if not kept_back:
        return told
    apart = ngettext("{groups}, suppressed", "{groups}, suppressed", len(kept_back)).format(
        groups=wording.listing(kept_back, language)
    )
    return f"{told}; {apart}" if told else apart


def corpus(of: Any) -> str:
    """«16 documentos y 1 173 artículos», “1 document”; nothing when neither was declared."""
    language = present_language.code()
    told = []
    if of.documents is not None:
        told.append(
            ngettext("{n} document", "{n} documents", of.documents).format(
                n=wording.whole(of.documents, language)
            )
        )
    if of.articles is not None:
        told.append(
            ngettext("{n} article", "{n} articles", of.articles).format(
                n=wording.whole(of.articles, language)
            )
        )
    return wording.listing(told, language)


def headline_title(metric: str, denominator: str) -> str:
    """What the forest plot shows, over which answers."""
    return str(gettext("{metric}, {denominator}, by language group")).format(
        metric=words.word("metric", metric), denominator=words.word("denominator", denominator)
    )


# ── what each status means ───────────────────────────────────────────────────


def status_meanings(appeal_days: int) -> list[dict[str, Any]]:
    """For each status: what it means, how it is reached, what may still be relied on, what may follow."""
    measured = gettext("The figures, as what was measured on that version on that date.")
    past = gettext("The figures, as a historical fact; not the certificate.")
    appeal = gettext(
        "The holder may appeal within {days} calendar days; someone who was not involved decides."
    ).format(days=appeal_days)
    closed = gettext(
        "Nothing changes it any more; only the outcome of an appeal filed in time may be added to its history."
    )
    return [
        {
            "status": "active",
            "force": gettext("In force."),
            "means": gettext(
                "The registry stands by the certificate, about one pinned version as measured on one date. "
                "It does not follow the system afterwards."
            ),
            "reached": gettext(
                "By the decision to issue it, or to reinstate it, or by an appeal that was upheld."
            ),
            "relied": measured,
            "follows": gettext(
                "Suspension, revocation, supersession, the holder's wish to end it, or the end of its term."
            ),
        },
        {
            "status": "suspended",
            "force": gettext("Not in force."),
            "means": gettext(
                "There is a reason not to rely on it for now, with conditions for lifting the suspension and a day by "
                "which it is reviewed. That the day passes changes nothing by itself: it stays "
                "suspended, and the page says so."
            ),
            "reached": gettext("By a decision with its reason, published in both languages."),
            "relied": past,
            "follows": gettext("It is reinstated, extended or revoked.") + " " + appeal,
        },
        {
            "status": "revoked",
            "force": gettext("Not in force."),
            "means": gettext(
                "The registry withdrew the certificate. It is without force from that decision on; "
                "it is final once the period "
                "to appeal is over or the appeal is decided."
            ),
            "reached": gettext("By a decision with its reason, published in both languages."),
            "relied": gettext("What the notice of the revocation says of the figures."),
            "follows": appeal + " " + gettext("Once final, nothing changes it any more."),
        },
        {
            "status": "terminated",
            "force": gettext("Not in force."),
            "means": gettext(
                "The holder asked for its end. It is not a sanction; if the certificate was "
                "suspended or a complaint was open, "
                "the page says so."
            ),
            "reached": gettext("By the holder's own wish."),
            "relied": past,
            "follows": closed,
        },
        {
            "status": "expired",
            "force": gettext("Not in force."),
            "means": gettext("Its term ended. It is not a sanction and says nothing new about the system."),
            "reached": gettext("By the passing of time, at the very moment printed on the certificate."),
            "relied": past,
            "follows": closed,
        },
        {
            "status": "superseded",
            "force": gettext("Not in force."),
            "means": gettext(
                "Another certificate took its place, for the same version or at the holder's "
                "written request. Each links to the "
                "other. A certificate for a newer version does not by itself supersede the one before."
            ),
            "reached": gettext("By a decision."),
            "relied": past,
            "follows": closed,
        },
        {
            "status": "unknown",
            "force": gettext("It could not be determined whether it is in force."),
            "means": gettext("Whoever asked got no trustworthy answer. Do not assume that it is in force."),
            "reached": gettext("By a fault or a lost connection, never by a decision."),
            "relied": gettext("Nothing, until the registry answers."),
            "follows": gettext("Ask again."),
        },
    ]
