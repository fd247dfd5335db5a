"""Puts together the page of a registered question set: its seal, what happened to it, and who was measured on it."""

import json
import re
from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import msgspec
from django.conf import settings

from certificates import errata, names, page_facts, pages, sealed_sets, visibility
from evidence.hallucination_records import Item
from grading import custody
from grading.models import Measurement, QuestionSet, QuestionSetEvent, SetStep

# Of more uses than these the latest are listed; all are counted.
USES_SHOWN = 100
SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)


def of(set_sha256: str, *, at: datetime) -> pages.SetPage | None:
    """The page of a set as it is at `at`; None when no seal was registered under that hash."""
    kept = custody.of(set_sha256, at=at)
    return page_of(kept) if kept is not None else None


def searched(text: str) -> str | None:
    """The hash of a registered set that somebody typed into the search, or None."""
    digest = text.strip().lower().removeprefix("sha256:").replace(" ", "")
    if not SHA256.fullmatch(digest):
        return None
    return digest if QuestionSet.objects.filter(set_sha256=digest).exists() else None


def page_of(kept: custody.Custody) -> pages.SetPage:
    """The same, for a set that was read."""
    row = kept.row
    zone = ZoneInfo(settings.REGISTRY_TIME_ZONE)
    events = tuple(kept.events.values())
    reveal = kept.events.get(SetStep.REVEAL)
    items = getattr(reveal, "items", None) if reveal is not None and reveal.publishes_items else None
    public = _public(row.set_sha256)
    told = tuple(_use(one, zone) for one in public[:USES_SHOWN])
    return pages.SetPage(
        frame=page_facts.frame(
            f"sets/{row.set_sha256}/",
            as_of=max(event.at for event in events).astimezone(zone),
        ),
        name=row.name,
        custodian=row.custodian,
        set_sha256=row.set_sha256,
        commitment=row.commitment,
        items=row.items,
        by_category=tuple(row.by_category.items()),
        by_language=tuple(row.by_language.items()),
        scheme=f"{row.scheme_code}-{row.scheme_version}",
        seal=sealed_sets.seal_of(kept, zone=zone),
        events=tuple(_event(event, zone) for event in events),
        fields=_fields(),
        examples=tuple(json.dumps(one, ensure_ascii=False, indent=1) for one in row.examples),
        salt=bytes(reveal.salt).hex() if reveal is not None else None,
        items_sha256=items.sha256 if items else None,
        items_size=items.size if items else None,
        uses=told,
        uses_total=Measurement.objects.filter(set_sha256=row.set_sha256).count(),
    )


def _public(set_sha256: str) -> Sequence[Measurement]:
    return list(
        visibility.public_measurements()
        .filter(set_sha256=set_sha256)
        .select_related("system_version__system__holder", "set_use", "package")
        .prefetch_related(errata.carrying())
        .order_by("-frozen_at", "-pk")[: USES_SHOWN + 1]
    )


def _use(one: Measurement, zone: ZoneInfo) -> pages.SetUse:
    version = one.system_version
    use = getattr(one, "set_use", None)
    return pages.SetUse(
        reference=names.reference(one),
        measured_at=one.measured_at.astimezone(zone),
        frozen_at=one.frozen_at.astimezone(zone),
        system=version.system.name,
        version=version.version,
        holder=version.system.holder.name,
        holder_had_access=one.holder_had_access,
        declared_before=(one.descriptor.get("question_set") or {}).get("times_used_before"),
        counted_before=use.uses_before if use else None,
        after_exposure=bool(use and use.exposure),
        certificates=tuple(certificate.number for certificate in one.carrying),
        errata=errata.of(one.carrying),
    )


def _event(event: QuestionSetEvent, zone: ZoneInfo) -> pages.SetEvent:
    return pages.SetEvent(
        step=event.step,
        at=event.at.astimezone(zone),
        hash=event.public_event.hash,
        statement=pages.Text(es=event.statement_es, en=event.statement_en) if event.statement_es else None,
        occurred_on=event.occurred_on,
    )


def _fields() -> tuple[pages.SetField, ...]:
    """The keys of a question, as the reader of evidence packages knows them."""
    required = {field.name for field in msgspec.structs.fields(Item) if field.required} | set(Item.REQUIRED)
    return tuple(
        pages.SetField(name=field.name, required=field.name in required)
        for field in msgspec.structs.fields(Item)
    )
