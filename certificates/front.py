"""Puts together the public pages that are made when they are read: home, list and search, one notice."""

from collections.abc import Mapping
from datetime import datetime
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.conf import settings

from certificates import (
    appeal_facts,
    application_facts,
    page_facts,
    pages,
    projections,
    queries,
    report_facts,
    states,
)
from certificates.models import Certificate, CertificateState, Notice
from certificates.queries import Wanted
from certificates.states import Status

FILTERS = ("status", "method", "group", "holder", "scheme", "year")
LATEST = 5


def home(*, at: datetime) -> pages.HomePage:
    """Census of today and the latest decisions."""
    return pages.HomePage(
        frame=page_facts.frame("", as_of=_here(at)),
        census=queries.census(at=at),
        latest=queries.latest_decisions(at=at, limit=LATEST),
    )


def certificates(query: Mapping[str, str], *, at: datetime) -> pages.ListPage:
    """List, filters and search results: `query` is the address's, whatever it holds."""
    chosen = {name: _plain(query.get(name, "")) for name in ("q", *FILTERS, "after", "before")}
    found = queries.find(Wanted(**chosen), at=at)
    kept = {name: chosen[name] for name in ("q", *FILTERS) if chosen[name]}
    return pages.ListPage(
        frame=page_facts.frame("certificates/", as_of=_here(at), query=_query(chosen)),
        q=chosen["q"],
        searched=found.searched.value,
        filters=_filters(chosen),
        rows=queries.listed(found.rows, at=at),
        count=found.count,
        more_than=found.more_than,
        following=_query(kept | {"after": found.following}) if found.following else "",
        earlier=_query(kept | {"before": found.earlier}) if found.earlier else "",
        wrong_check_digit=found.wrong_check_digit,
        suggestions=found.suggestions,
        exists=bool(found.rows) or CertificateState.objects.exists(),
    )


def notice(number: str, *, at: datetime) -> pages.NoticePage | None:
    """One decision or erratum by its canonical number; None where there is none."""
    row = (
        Notice.objects.select_related(
            "certificate__supersedes",
            "measurement__scheme",
            "measurement__system_version__system__holder",
            "about",
            "other",
            "public_event",
            "application_event__application",
        )
        .filter(number=number)
        .first()
    )
    if row is None:
        return None
    if row.certificate is not None:
        return _of_certificate(row, at=at)
    return _of_refusal(row, at=at) if row.measurement else _of_misuse(row)


# ── notices ──────────────────────────────────────────────────────────────────


def _of_certificate(row: Notice, *, at: datetime) -> pages.NoticePage:
    certificate: Certificate = row.certificate
    zone = ZoneInfo(certificate.zone)
    events = projections.events_of(certificate)
    facts = states.status_of(projections.facts_of(events), max(at, events[-1].at))
    named = certificate.names
    event = next((one for one in events if one.notice_id == row.pk), None)
    overturned = next((one for one in facts.overturned if one.notice == row.number), None)
    by = events[overturned.by - 1].notice if overturned else None
    appeals = appeal_facts.of_certificate(certificate, at=at)
    reports = report_facts.of_certificate(certificate, at=at, appeals=appeals)
    moments = [
        row.at,
        events[-1].at,
        *appeal_facts.last_change(appeals),
        *report_facts.last_change(reports),
    ]
    return pages.NoticePage(
        frame=page_facts.frame(f"notices/{row.number}/", as_of=max(moments).astimezone(zone)),
        number=row.number,
        step=row.decision,
        at=row.at.astimezone(zone),
        role=row.role,
        statement=page_facts.statement_of(row),
        certificate=certificate.number,
        application=application_facts.answered_by(row, zone=zone),
        verdict=page_facts.verdict(certificate, facts, events, appeals=appeals, reports=reports),
        holder=pages.Holder(**named["holder"]),
        system=named["system"],
        version=named["version"],
        scheme=pages.Scheme(code=named["scheme"]["code"], version=named["scheme"]["version"]),
        reason=row.reason,
        reason_number=row.reason_number,
        conditions=page_facts.conditions_of(row),
        review_on=row.review_on,
        appeal_until=row.appeal_until.astimezone(zone) if row.appeal_until else None,
        against=row.about.number if row.about else None,
        later=_later(row),
        overturned_by=by.number if by else None,
        other=row.other.number if row.other else None,
        do_not_rely=row.do_not_rely,
        sequence=event.sequence if event else None,
        event_hash=event.hash if event else row.public_event.hash if row.public_event else "",
        appeal=next((one for one in appeals if row.number in (one.against, one.notice)), None),
        report=next((one for one in reports if row.number in (one.notice, *one.earlier_notices)), None),
    )


def _of_refusal(row: Notice, *, at: datetime) -> pages.NoticePage:
    measurement = row.measurement
    rules = measurement.scheme.rules
    version = measurement.system_version
    holder = version.system.holder
    until = row.appeal_until
    passed = until is not None and until <= at
    return pages.NoticePage(
        frame=page_facts.frame(
            f"notices/{row.number}/", as_of=(until if passed else row.at).astimezone(rules.zone)
        ),
        number=row.number,
        step=row.decision,
        at=row.at.astimezone(rules.zone),
        role=row.role,
        statement=page_facts.statement_of(row),
        application=application_facts.answered_by(row, zone=rules.zone),
        holder=pages.Holder(
            name=holder.name,
            country=holder.country,
            identifier=holder.identifier,
            identifier_kind=holder.identifier_kind,
        ),
        system=version.system.name,
        version=version.version,
        scheme=pages.Scheme(code=rules.code, version=rules.version),
        reason=row.reason,
        reason_number=row.reason_number,
        appeal_until=until.astimezone(rules.zone) if until else None,
        against=row.about.number if row.about else None,
        later=_later(row),
        overturned_by=row.later.filter(decision="overturn").values_list("number", flat=True).first(),
        event_hash=row.public_event.hash if row.public_event else "",
        appeal=appeal_facts.of_notice(row, at=at, zone=rules.zone),
    )


def _of_misuse(row: Notice) -> pages.NoticePage:
    """What others did with a mark: it names no certificate, for none is to blame."""
    at = _here(row.at)
    return pages.NoticePage(
        frame=page_facts.frame(f"notices/{row.number}/", as_of=at),
        number=row.number,
        step=row.decision,
        at=at,
        role=row.role,
        statement=page_facts.statement_of(row),
        later=_later(row),
        event_hash=row.public_event.hash,
        report=report_facts.of_notice(row, zone=at.tzinfo),
    )


def _later(row: Notice) -> tuple[str, ...]:
    return tuple(row.later.order_by("pk").values_list("number", flat=True))


# ── lists ────────────────────────────────────────────────────────────────────


def _filters(chosen: Mapping[str, str]) -> tuple[pages.Filter, ...]:
    known = queries.choices(holder=chosen["holder"])
    offered: dict[str, tuple[str, ...]] = {
        "status": tuple(status.value for status in Status),
        "method": known.methods,
        "group": known.groups,
        "holder": tuple(known.holders),
        "scheme": known.schemes,
        "year": known.years,
    }
    labels = {"holder": known.holders, "scheme": {code: code for code in known.schemes}}
    return tuple(
        pages.Filter(name=name, value=chosen[name], choices=offered[name], labels=labels.get(name, {}))
        for name in FILTERS
    )


def _query(values: Mapping[str, str | None]) -> str:
    return urlencode({name: value for name, value in values.items() if value})


def _plain(text: str) -> str:
    return text.replace("\x00", "").strip()[: queries.LONGEST_QUERY]


def _here(at: datetime) -> datetime:
    return at.astimezone(ZoneInfo(settings.REGISTRY_TIME_ZONE))
