"""What readers are told of comparisons: what a reference names, the page of a pair, links to what was compared."""

import re
from collections.abc import Iterable
from datetime import datetime
from http import HTTPStatus
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db.models import QuerySet
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy as _

from certificates import addresses, errata, names, page_facts, pages, visibility
from grading import comparing, differing, sentences
from grading.models import Comparison, ComparisonRequest, Measurement, RequestState
from registry_site.problems import Refusal

# «M-19», «m 19», or the bare number.
_REFERENCE = re.compile(r"(?:[Mm][- ]?)?([0-9]{1,18})", re.ASCII)
LONGEST_TYPED = 40
OFFERED = 20
# Of a page's state, where it is not 200.
STATUS = {"unknown": HTTPStatus.NOT_FOUND, "same": HTTPStatus.BAD_REQUEST}


class MeasurementsNotFound(Refusal):
    """No such measurement, or none that this reader may know of: the two are not told apart."""

    code = "measurement_not_found"
    status = HTTPStatus.NOT_FOUND
    title = _("There is no measurement with that reference that you may see")


def key_of(text: str) -> int | None:
    """The key of the measurement that a reference names; None for what is no reference."""
    match = _REFERENCE.fullmatch(text.strip())
    return int(match[1]) if match else None


def named(text: str, among: QuerySet[Measurement]) -> Measurement | None:
    """The measurement that a reference names, of those that the reader may see."""
    key = key_of(text)
    return None if key is None else _whole(among).filter(pk=key).first()


def _whole(among: QuerySet[Measurement]) -> QuerySet[Measurement]:
    return among.select_related("scheme", "package", "system_version__system__holder").prefetch_related(
        errata.carrying()
    )


# ── the page of a pair ───────────────────────────────────────────────────────
def page(
    first: str, second: str, *, among: QuerySet[Measurement], at: datetime, action: str
) -> pages.ComparisonPage:
    """The page of two references as they were typed; `among` are the measurements that the reader may see.

    The pair is told in its one order, whichever way round it was asked.
    """
    typed = first[:LONGEST_TYPED], second[:LONGEST_TYPED]
    one, other = (named(text, among) for text in typed)
    unknown = tuple(
        text for text, found in zip(typed, (one, other), strict=True) if text.strip() and found is None
    )
    facts = {"action": action, "typed": typed, "unknown": unknown}
    if unknown or one is None or other is None:
        chosen = one or other
        return pages.ComparisonPage(
            frame=_frame(chosen and names.reference(chosen), at=at),
            state="unknown" if unknown else "choose",
            first=chosen and _compared(chosen),
            offered=_offered(chosen, among),
            **facts,
        )
    if one.pk == other.pk:
        return pages.ComparisonPage(
            frame=_frame(names.reference(one), at=at),
            state="same",
            first=_compared(one),
            offered=_offered(one, among),
            **facts,
        )
    return _of_pair(*comparing.pair(one, other), at=at, facts=facts)


def _of_pair(
    first: Measurement, second: Measurement, *, at: datetime, facts: dict[str, object]
) -> pages.ComparisonPage:
    facts = {
        **facts,
        "frame": _frame(names.reference(first), names.reference(second), at=at),
        "first": _compared(first),
        "second": _compared(second),
    }
    if differ := comparing.differences(first, second):
        return pages.ComparisonPage(state="not_comparable", differences=_differences(differ), **facts)
    found = comparing.found(first, second)
    if found is None:
        asked = comparing.asked(first, second)
        if asked is None:
            return pages.ComparisonPage(state="not_asked", **facts)
        return pages.ComparisonPage(
            state=_unfinished(asked),
            done=asked.progress_bytes,
            total=asked.progress_total,
            **facts,
        )
    frozen = {
        "at": found.at.astimezone(_zone()),
        "verifier": found.verifier_version,
        "sha256": found.sha256,
    }
    if "not_comparable" in found.result:
        differ = found.result["not_comparable"]
        return pages.ComparisonPage(
            state="not_comparable", differences=_differences(differ), **frozen, **facts
        )
    grouping = first.scheme.rules.grouping
    return pages.ComparisonPage(state="done", result=found.result, grouping=grouping, **frozen, **facts)


def _unfinished(asked: ComparisonRequest) -> str:
    if asked.state != RequestState.FAILED:
        return "waiting"
    return "withheld" if asked.failure == comparing.WITHHELD else "failed"


def _frame(*references: str | None, at: datetime) -> pages.Frame:
    return page_facts.frame(path(*filter(None, references)), as_of=at.astimezone(_zone()))


def path(*references: str) -> str:
    """Below the language: «compare/?first=M-3&second=M-9»."""
    query = urlencode(dict(zip(("first", "second"), references, strict=False)))
    return f"{addresses.COMPARE}?{query}" if query else addresses.COMPARE


def _compared(of: Measurement) -> pages.Compared:
    version = of.system_version
    zone = of.scheme.rules.zone
    return pages.Compared(
        reference=names.reference(of),
        system=version.system.name,
        version=version.version,
        holder=version.system.holder.name,
        scheme=str(of.scheme),
        measured_at=of.measured_at.astimezone(zone),
        frozen_at=of.frozen_at.astimezone(zone),
        set_name=of.set_name,
        set_sha256=of.set_sha256,
        evidence_sha256=of.package.sha256,
        items=(of.result.get("counts") or {}).get("items"),
        certificates=tuple(one.number for one in of.carrying),
        errata=errata.of(of.carrying),
    )


def offered(of: Measurement, among: QuerySet[Measurement]) -> tuple[pages.Compared, ...]:
    """What a measurement may be compared with, the newest first."""
    return tuple(_compared(one) for one in comparing.comparable_with(of, _whole(among), limit=OFFERED))


def _offered(of: Measurement | None, among: QuerySet[Measurement]) -> tuple[pages.Compared, ...]:
    return () if of is None else offered(of, among)


def _differences(found: Iterable[dict]) -> tuple[pages.Difference, ...]:
    def both(say, *arguments: object) -> pages.Text:
        return pages.Text(es=say(*arguments, "es"), en=say(*arguments, "en"))

    return tuple(
        pages.Difference(
            field=one["field"],
            name=both(differing.name, one["field"]),
            first=both(differing.value, one["first"]),
            second=both(differing.value, one["second"]),
            mend=both(differing.mend, one["field"]),
        )
        for one in found
    )


def _zone() -> ZoneInfo:
    return ZoneInfo(settings.REGISTRY_TIME_ZONE)


# ── links ────────────────────────────────────────────────────────────────────
def comparisons_of(measurements: Iterable[Measurement]) -> tuple[pages.ComparisonLink, ...]:
    """What was compared among these measurements and may be seen by anybody, the latest first. Two queries."""
    keys = set(
        visibility.public_measurements()
        .filter(pk__in=[one.pk for one in measurements])
        .values_list("pk", flat=True)
    )
    rows = (
        Comparison.objects.filter(first__in=keys, second__in=keys, result__not_comparable__isnull=True)
        .select_related("first__system_version", "second__system_version")
        .order_by("-at", "-pk")
    )
    return tuple(_link(row) for row in rows)


def _link(row: Comparison) -> pages.ComparisonLink:
    first, second = names.reference(row.first), names.reference(row.second)
    return pages.ComparisonLink(
        first=first,
        second=second,
        first_version=row.first.system_version.version,
        second_version=row.second.system_version.version,
        path=path(first, second),
        at=row.at.astimezone(_zone()),
        told=pages.Text(
            es=sentences.comparisons.in_short(row.result, "es"),
            en=sentences.comparisons.in_short(row.result, "en"),
        ),
    )
