"""Renders a certificate's public documents once, in the transaction that changes them: pages and status JSON.

Every writer of documents holds the certificate's lock and stores the event it rendered: an older one never
replaces a newer. Visitors are served the stored bytes until `stale_at`; past it (the clock alone has changed
the text, or a relative has) `document` renders anew, and the sweep stores the result.
"""

import gzip
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.template.loader import render_to_string
from django.utils import translation

from certificates import addresses, names, page_facts, projections, states
from certificates.models import Certificate, CertificateState, StatusEvent
from certificates.page_facts import Told
from certificates.states import Overturned
from evidence import run_members
from evidence.models import RunEvent
from registry_site import documents, leaves, sweeping
from registry_site.models import PublishedDocument

LANGUAGES = ("es", "en")
PAGE_TYPE = "text/html; charset=utf-8"
STATUS_TYPE = "application/json"


@dataclass(frozen=True, slots=True)
class Rendered:
    path: str
    content_type: str
    language: str
    content: bytes

    @property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.content).hexdigest()[:32]}"'

    @property
    def body(self) -> bytes:
        return gzip.compress(self.content, compresslevel=6, mtime=0)


# ── writing ──────────────────────────────────────────────────────────────────


def publish(certificate: Certificate, *, at: datetime, rows: Sequence[StatusEvent] | None = None) -> None:
    """Render and store the documents of a certificate; the caller holds its lock."""
    told = page_facts.of_certificate(certificate, at=at, rows=rows)
    rendered = [*(page(told, language) for language in LANGUAGES), status_document(told)]
    stored = dict(
        PublishedDocument.objects.filter(path__in=[one.path for one in rendered]).values_list(
            "path", "sequence"
        )
    )
    PublishedDocument.objects.bulk_create(
        [
            PublishedDocument(
                path=one.path,
                certificate=certificate.number,
                content_type=one.content_type,
                language=one.language,
                body=one.body,
                etag=one.etag,
                sequence=told.facts.sequence,
                as_of=told.as_of,
                stale_at=told.facts.stale_at,
            )
            for one in rendered
            if stored.get(one.path, 0) <= told.facts.sequence
        ],
        update_conflicts=True,
        unique_fields=["path"],
        update_fields=[
            "certificate",
            "content_type",
            "language",
            "body",
            "etag",
            "sequence",
            "as_of",
            "stale_at",
        ],
    )


@transaction.atomic
def republish(certificate: Certificate, *, at: datetime) -> None:
    """Render the documents anew from what is stored, under the certificate's lock."""
    CertificateState.objects.select_for_update().get(pk=certificate.pk)
    publish(names.certificates_with_parents().get(pk=certificate.pk), at=at)


def republish_stale(*, at: datetime, limit: int = 200) -> int:
    """Store anew what the clock or a relative has changed; returns how many certificates were rendered."""
    numbers = list(
        PublishedDocument.objects.filter(stale_at__lte=at)
        .exclude(certificate="")
        .order_by("certificate")
        .values_list("certificate", flat=True)
        .distinct()[:limit]
    )

    def render(certificate: Certificate) -> bool:
        republish(certificate, at=at)
        return True

    # One that is locked is published by whoever is deciding on it just now.
    return sweeping.each(Certificate.objects.filter(number__in=numbers).order_by("pk"), render)


def let_relatives_go_stale(certificate: Certificate, *, at: datetime) -> None:
    """The pages of the system's other certificates list this one: they are rendered anew when next read."""
    let_system_go_stale(certificate.system_version.system_id, at=at, but=certificate)


def let_system_go_stale(system: int, *, at: datetime, but: Certificate | None = None) -> None:
    """A measurement or certificate of the system (its id) was added: what lists it is stale from `at`."""
    relatives = CertificateState.objects.filter(system_version__system=system)
    if but is not None:
        relatives = relatives.exclude(pk=but.pk)
    PublishedDocument.objects.filter(certificate__in=relatives.values("number")).update(stale_at=at)


def let_go_stale(certificates: QuerySet[Certificate], *, at: datetime) -> None:
    """Something that these certificates' pages tell has changed: they are rendered anew when next read."""
    PublishedDocument.objects.filter(certificate__in=certificates.values("number")).update(stale_at=at)


def let_runs_go_stale(*, at: datetime) -> None:
    """Certificates on agent runs list every run of the version: where one took a step since, their pages are stale."""
    last_step = RunEvent.objects.filter(run__system_version=OuterRef("system_version")).order_by("-at")
    rendered = PublishedDocument.objects.filter(certificate=OuterRef("number")).order_by("as_of")
    changed = (
        Certificate.objects.filter(measurement__method=run_members.METHOD)
        .annotate(
            last_step=Subquery(last_step.values("at")[:1]), rendered=Subquery(rendered.values("as_of")[:1])
        )
        .filter(last_step__gt=F("rendered"))
    )
    let_go_stale(changed, at=at)


# ── reading ──────────────────────────────────────────────────────────────────


def document(number: str, *, kind: str, at: datetime) -> documents.Document | None:
    """The document of a certificate as it is at `at`: stored, or rendered now where the stored one is stale.

    `kind` is `es`, `en` or `status`. None when there is no such certificate. Nothing is written.
    """
    path = addresses.status_json(number) if kind == "status" else addresses.certificate(number, kind)
    stored = PublishedDocument.objects.filter(path=path).first()
    if stored is not None and (stored.stale_at is None or stored.stale_at > at):
        return documents.Document(stored.content_type, stored.language, bytes(stored.body), stored.etag)
    certificate = names.certificates_with_parents().filter(number=number).first()
    if certificate is None:
        return None
    told = page_facts.of_certificate(certificate, at=at)
    rendered = status_document(told) if kind == "status" else page(told, kind)
    return documents.Document(rendered.content_type, rendered.language, rendered.body, rendered.etag)


def status_then(
    certificate: Certificate, *, then: datetime, now: datetime
) -> tuple[dict[str, Any], tuple[Overturned, ...]] | None:
    """The status as it was told at a past instant, and what of it was overturned since; None before the issue."""
    rows = projections.events_of(certificate)
    past = [row for row in rows if row.at <= then]
    if not past:
        return None
    later = states.later_overturned(projections.facts_of(rows), then=then, now=now)
    return status(page_facts.of_certificate(certificate, at=then, rows=past)), later


# ── rendering ────────────────────────────────────────────────────────────────


def page(told: Told, language: str) -> Rendered:
    """The certificate's page in one language: the template sees the frozen facts and nothing else."""
    with translation.override(language):
        text = render_to_string("public/certificate.html", {"page": told.page})
    return Rendered(
        addresses.certificate(told.certificate.number, language), PAGE_TYPE, language, text.encode()
    )


def status_document(told: Told) -> Rendered:
    content = json.dumps(status(told), ensure_ascii=False, indent=1, sort_keys=True).encode()
    return Rendered(addresses.status_json(told.certificate.number), STATUS_TYPE, "", content)


def status(told: Told) -> dict[str, Any]:
    """The status as the API tells it. `as_of` is the last change it reflects, `Date` when it was read."""
    facts, verdict = told.facts, told.page.verdict
    suspension = facts.suspension if verdict.status == "suspended" else None
    return {
        "certificate": told.certificate.number,
        "status": facts.word.value,
        "in_force": facts.in_force,
        "since": leaves.instant(facts.since),
        "final": facts.final,
        "facts": [
            {
                "status": fact.status.value,
                "since": leaves.instant(fact.since),
                "notice": fact.notice,
                "reason": fact.reason,
            }
            for fact in facts.facts
        ],
        "reason": verdict.reason,
        "notice": verdict.decision,
        "statement": {"es": verdict.statement.es, "en": verdict.statement.en} if verdict.statement else None,
        "conditions": [{"es": one.text.es, "en": one.text.en} for one in verdict.conditions],
        "review_on": suspension.review_on.isoformat() if suspension and suspension.review_on else None,
        "review_overdue": facts.review_overdue,
        "appeal_until": _instant(facts.appeal_until),
        "open_appeal": verdict.open_appeal,
        "open_report": verdict.open_report,
        "valid_until": leaves.instant(facts.valid_until),
        "superseded_by": facts.superseded_by,
        "supersedes": verdict.supersedes,
        "newer_version_certificate": verdict.newer,
        "do_not_rely": facts.do_not_rely,
        "errata": [erratum.notice for erratum in facts.errata],
        "overturned": [one.notice for one in facts.overturned],
        "integrity": told.page.evidence.integrity if told.page.evidence else "not_checked",
        "checked_at": _instant(told.page.evidence.checked_at if told.page.evidence else None),
        "evidence_sha256": told.page.evidence.sha256 if told.page.evidence else None,
        "sequence": facts.sequence,
        "hash": told.rows[-1].hash,
        "as_of": leaves.instant(told.as_of),
        "stale_at": _instant(facts.stale_at),
    }


def _instant(moment: datetime | None) -> str | None:
    return leaves.instant(moment) if moment is not None else None
