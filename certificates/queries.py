"""Finds certificates: by what someone typed, by filters, page by page; each query named and built once.

Lists read one table (`CertificateState`), whatever the size of the registry: keyset pages, no offsets, no
exact totals past a thousand. What a row *says* comes from `states.status_of` over its events, as on its own
page; the stored word only finds the rows. Past `valid_until` the stored «in force» and «suspended» mean
expired.
"""

import base64
import binascii
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.postgres.search import SearchQuery, TrigramSimilarity
from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet

from certificates import names, numbers, page_facts, pages, projections, states
from certificates.models import Certificate, CertificateState, Notice, StatusEvent
from certificates.states import Decision, Status, Step
from evidence.models import Holder
from grading.models import Scheme

PAGE_SIZE = 25
COUNTED = 1_000
SUGGESTIONS = 3
# Filters offer the groups of this many newest certificates, and holders while there are no more than these.
RECENT = 2_000
HOLDERS_OFFERED = 200
LONGEST_QUERY = 200
# Below this two names are not written alike.
SIMILAR = 0.3

_HEXADECIMAL = re.compile(r"[0-9a-f]{8,64}")
_CLOCK_WORDS = (Status.ACTIVE, Status.SUSPENDED)


class Searched(StrEnum):
    """How what was typed was understood."""

    NOTHING = ""
    NUMBER = "number"
    SHA256 = "sha256"
    WORDS = "words"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a list is to hold. Empty fields do not narrow it."""

    q: str = ""
    status: str = ""
    method: str = ""
    group: str = ""
    holder: str = ""
    scheme: str = ""
    year: str = ""
    after: str = ""  # keyset cursors, as a page gave them out
    before: str = ""
    size: int = PAGE_SIZE


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One page of a list."""

    rows: tuple[CertificateState, ...] = ()
    searched: Searched = Searched.NOTHING
    number: str | None = None  # the canonical number that was typed
    wrong_check_digit: bool = False
    count: int = 0
    more_than: bool = False  # there are more than `count`
    following: str | None = None
    earlier: str | None = None
    suggestions: tuple[str, ...] = ()


# ── lists and searches ───────────────────────────────────────────────────────


def find(wanted: Wanted, *, at: datetime) -> Found:
    """One page of what is wanted, newest first; what matches is decided at `at`."""
    text = wanted.q.replace("\x00", "").strip()[:LONGEST_QUERY]
    searched, matching, facts = _searched(text)
    if facts.get("wrong_check_digit"):
        return Found(searched=searched, **facts)
    matching = _narrowed(matching, wanted, at)
    count = matching.order_by()[: COUNTED + 1].count()
    rows, following, earlier = _keyset_page(matching, wanted)
    suggestions = () if rows or searched is not Searched.WORDS else similar_holders(text)
    return Found(
        rows=tuple(rows),
        searched=searched,
        count=min(count, COUNTED),
        more_than=count > COUNTED,
        following=following,
        earlier=earlier,
        suggestions=suggestions,
        **facts,
    )


def _searched(text: str) -> tuple[Searched, QuerySet[CertificateState], dict[str, Any]]:
    """What was typed is a number, a SHA-256 or its beginning, or words: in this order."""
    every = CertificateState.objects.all()
    if not text:
        return Searched.NOTHING, every, {}
    hexadecimal = text.lower().removeprefix("sha256:").replace(" ", "")
    is_hexadecimal = bool(_HEXADECIMAL.fullmatch(hexadecimal))
    try:
        number = numbers.parse(text, prefix=settings.CERTIFICATE_PREFIX)
    except numbers.WrongCheckDigit:
        # Twelve digits may also begin a digest: only what can be nothing else is called a typing error.
        if not is_hexadecimal:
            return Searched.NUMBER, every.none(), {"wrong_check_digit": True}
    except numbers.NotANumber:
        pass
    else:
        return Searched.NUMBER, every.filter(number=number), {"number": number}
    if is_hexadecimal:
        return Searched.SHA256, every.filter(evidence_sha256__startswith=hexadecimal), {}
    return Searched.WORDS, every.filter(_words(text)), {}


def matching(text: str) -> QuerySet[CertificateState]:
    """Every certificate that what was typed can mean, in no order."""
    _how, rows, _facts = _searched(text)
    return rows


def _words(text: str) -> Q:
    """Whole words by the full-text index, or the text as a part of the names by the trigram index."""
    folded = names.folded(text)
    query = SearchQuery(folded, config="simple", search_type="plain")
    # Under three characters a trigram index finds nothing: only whole words then.
    return Q(text=query) | Q(folded__contains=folded) if len(folded) >= 3 else Q(text=query)


def _narrowed(
    matching: QuerySet[CertificateState], wanted: Wanted, at: datetime
) -> QuerySet[CertificateState]:
    if wanted.status:
        matching = matching.filter(with_status(wanted.status, at=at))
    if wanted.method:
        matching = matching.filter(method=wanted.method)
    if wanted.group:
        matching = matching.filter(groups__contains=[wanted.group])
    if wanted.scheme:
        matching = matching.filter(scheme_name=wanted.scheme)
    if wanted.holder:
        matching = matching.filter(holder=int(wanted.holder)) if _is_key(wanted.holder) else matching.none()
    if wanted.year:
        matching = matching.filter(year=int(wanted.year)) if _is_key(wanted.year) else matching.none()
    return matching


def with_status(status: str, *, at: datetime) -> Q:
    """Rows whose word at `at` is `status`; a term that has passed counts as passed, swept or not."""
    if status == Status.EXPIRED:
        # `expiry_recorded` adds nothing but the small index of what the sweep has not seen yet.
        return Q(word=Status.EXPIRED) | Q(word__in=_CLOCK_WORDS, expiry_recorded=False, valid_until__lte=at)
    if status in _CLOCK_WORDS:
        return Q(word=status, valid_until__gt=at)
    return Q(word=status)


def _keyset_page(
    matching: QuerySet[CertificateState], wanted: Wanted
) -> tuple[list[CertificateState], str | None, str | None]:
    """Rows after or before a cursor, newest first, and the cursors of the pages beside it."""
    backwards = bool(wanted.before)
    cursor = _cursor(wanted.before or wanted.after)
    ordered = matching.order_by("issued_at", "pk") if backwards else matching.order_by("-issued_at", "-pk")
    if cursor is not None:
        issued_at, key = cursor
        beyond = "gt" if backwards else "lt"
        ordered = ordered.filter(
            Q(**{f"issued_at__{beyond}": issued_at}) | Q(issued_at=issued_at, **{f"pk__{beyond}": key})
        )
    rows = list(ordered[: wanted.size + 1])
    more = len(rows) > wanted.size
    rows = rows[: wanted.size]
    if backwards:
        rows.reverse()
        return rows, cursor_of(rows[-1]) if rows else None, cursor_of(rows[0]) if rows and more else None
    following = cursor_of(rows[-1]) if rows and more else None
    return rows, following, cursor_of(rows[0]) if rows and cursor is not None else None


def cursor_of(row: CertificateState) -> str:
    """Where a page ends, for the address of the next one."""
    told = json.dumps([row.issued_at.isoformat(), row.pk]).encode()
    return base64.urlsafe_b64encode(told).decode().rstrip("=")


def is_cursor(text: str) -> bool:
    """Whether a page gave out this cursor, as far as its form tells."""
    return _cursor(text) is not None


def _cursor(text: str) -> tuple[datetime, int] | None:
    """A cursor read back; whatever is none begins the list anew."""
    try:
        issued_at, key = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        moment = datetime.fromisoformat(issued_at)
        return (moment, int(key)) if moment.tzinfo and 0 <= int(key) < 2**63 else None
    except (ValueError, TypeError, binascii.Error, OverflowError):
        return None


def _is_key(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def similar_holders(text: str) -> tuple[str, ...]:
    """Names of holders with certificates that are written alike: «did you mean»."""
    near = (
        Holder.objects.filter(pk__in=CertificateState.objects.values("holder"))
        .annotate(nearness=TrigramSimilarity("folded", names.folded(text)))
        .filter(nearness__gte=SIMILAR)
        .order_by("-nearness", "pk")
        .values_list("name", flat=True)
    )
    return tuple(near[:SUGGESTIONS])


# ── what a list shows ────────────────────────────────────────────────────────


def listed(rows: Sequence[CertificateState], *, at: datetime) -> tuple[pages.Listed, ...]:
    """The rows of a list as they are told: three queries, whatever the number of rows."""
    keys = [row.pk for row in rows]
    schemes = Scheme.objects.in_bulk({row.scheme_id for row in rows})
    certificates = Certificate.objects.select_related("supersedes").in_bulk(keys)
    histories = projections.events_of_all(keys)
    return tuple(
        _listed(row, certificates[row.pk], histories[row.pk], at, schemes[row.scheme_id].rules.grouping)
        for row in rows
    )


def _listed(
    row: CertificateState,
    certificate: Certificate,
    rows: Sequence[StatusEvent],
    at: datetime,
    grouping: str,
) -> pages.Listed:
    zone = ZoneInfo(certificate.zone)
    facts = states.status_of(projections.facts_of(rows), max(at, rows[-1].at))
    return pages.Listed(
        number=row.number,
        verdict=page_facts.verdict(certificate, facts, rows, supersedes=""),
        holder=row.holder_name,
        system=row.system_name,
        version=row.version,
        scheme=row.scheme_name,
        method=row.method,
        issued_at=row.issued_at.astimezone(zone),
        measured_at=row.measured_at.astimezone(zone),
        groups=tuple(row.groups),
        grouping=grouping,
    )


@dataclass(frozen=True, slots=True)
class Choices:
    """What the filters of the list may be set to: only what there is."""

    methods: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    schemes: tuple[str, ...] = ()
    years: tuple[str, ...] = ()
    holders: dict[str, str] = field(default_factory=dict)


def choices(*, holder: str = "") -> Choices:
    """Every method, scheme and year there is, and the groups of recent certificates, in a bounded time.

    Holders are offered while there are few of them; of many, only the one that was chosen (`holder`).
    """
    known = list(Scheme.objects.order_by("code", "version"))
    return Choices(
        methods=tuple(sorted({scheme.method for scheme in known})),
        groups=_groups_in_use(),
        schemes=tuple(str(scheme) for scheme in known),
        years=_years(),
        holders=_holders_offered(holder),
    )


def _groups_in_use() -> tuple[str, ...]:
    newest = CertificateState.objects.order_by("-issued_at", "-pk").values_list("groups", flat=True)[:RECENT]
    return tuple(sorted({key for groups in newest for key in groups}))


def _years() -> tuple[str, ...]:
    span = CertificateState.objects.aggregate(first=Min("issued_at"), last=Max("issued_at"))
    if span["first"] is None:
        return ()
    return tuple(str(year) for year in range(span["last"].year, span["first"].year - 1, -1))


def _holders_offered(chosen: str) -> dict[str, str]:
    certified = Holder.objects.filter(Exists(CertificateState.objects.filter(holder=OuterRef("pk"))))
    if Holder.objects.order_by()[: HOLDERS_OFFERED + 1].count() > HOLDERS_OFFERED:
        certified = certified.filter(pk=int(chosen)) if _is_key(chosen) else certified.none()
    return {str(key): name for key, name in certified.order_by("name", "pk").values_list("pk", "name")}


def census(*, at: datetime) -> dict[str, int]:
    """How many certificates have each status at `at`; a status that none has is left out."""
    every = CertificateState.objects.order_by()
    counted = dict(every.values_list("word").annotate(number=Count("pk")))
    # What the sweep has not seen yet is few, and has its own index.
    passed = every.filter(word__in=_CLOCK_WORDS, expiry_recorded=False, valid_until__lte=at)
    for word, number in passed.values_list("word").annotate(number=Count("pk")):
        counted[word] -= number
        counted[Status.EXPIRED.value] = counted.get(Status.EXPIRED.value, 0) + number
    return {status.value: counted[status.value] for status in Status if counted.get(status.value)}


def latest_decisions(*, at: datetime, limit: int = 5) -> tuple[pages.Decision, ...]:
    """The last things that happened to certificates, and refusals, newest first."""
    events = list(
        StatusEvent.objects.filter(at__lte=at)
        .select_related("certificate", "certificate__state", "notice")
        .order_by("-at", "-id")[:limit]
    )
    refusals = list(
        Notice.objects.filter(certificate=None, decision=Decision.REFUSE, at__lte=at)
        .select_related("measurement__system_version__system__holder")
        .order_by("-at", "-id")[:limit]
    )
    histories = projections.events_of_all({event.certificate_id for event in events})
    told = [_decision(event, histories[event.certificate_id]) for event in events]
    told += [_refusal(notice) for notice in refusals]
    return tuple(sorted(told, key=lambda one: one.at, reverse=True)[:limit])


def _decision(event: StatusEvent, rows: Sequence[StatusEvent]) -> pages.Decision:
    certificate, notice = event.certificate, event.notice
    zone = ZoneInfo(certificate.zone)
    state = certificate.state
    history = projections.facts_of(rows)
    _before, after = states.course(history)[event.sequence - 1]
    facts = states.status_of(history, history[-1].at)
    return pages.Decision(
        step=event.step,
        at=event.at.astimezone(zone),
        after=after.value,
        certificate=certificate.number,
        notice=notice.number if notice else None,
        system=state.system_name,
        version=state.version,
        holder=state.holder_name,
        method=state.method,
        groups=len(state.groups),
        reason=event.reason,
        reason_number=notice.reason_number if notice else None,
        statement=page_facts.statement_of(notice) if notice else None,
        review_on=event.review_on,
        appeal_until=event.appeal_until.astimezone(zone) if event.appeal_until else None,
        final=event.step == Step.FINALISE,
        erratum=facts.erratum.notice if facts.erratum else None,
        do_not_rely=facts.do_not_rely,
    )


def _refusal(notice: Notice) -> pages.Decision:
    version = notice.measurement.system_version
    zone = ZoneInfo(settings.REGISTRY_TIME_ZONE)
    return pages.Decision(
        step="refuse",
        at=notice.at.astimezone(zone),
        after="refused",
        certificate=None,
        notice=notice.number,
        system=version.system.name,
        version=version.version,
        holder=version.system.holder.name,
        method=notice.measurement.method,
        reason=notice.reason,
        reason_number=notice.reason_number,
        statement=page_facts.statement_of(notice),
        appeal_until=notice.appeal_until.astimezone(zone) if notice.appeal_until else None,
    )
