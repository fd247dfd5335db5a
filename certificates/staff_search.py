"""One search over everything that the staff have pages of: what was typed is asked of each kind that can have it.

To add a kind: one line in `SEARCHERS`. A searcher returns rows by an index of its table, or None when what was
typed cannot name such a thing; every kind costs one query, and none reads more than a page.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from certificates import addresses, errata, names, queries, report_rows, words
from certificates.models import Appeal, Application, Notice
from evidence.models import EvidencePackage, Holder, System
from grading.models import Measurement, QuestionSet
from registry_site.models import Person
from registry_site.roles import Role

PAGE_SIZE = 20
LONGEST = 200
# Under three characters a trigram index finds nothing, and a prefix finds too much.
SHORTEST = 3

_HEXADECIMAL = re.compile(r"[0-9a-f]{6,64}")
_KEY = re.compile(r"(?:M-)?(?P<key>[0-9]{1,17})", re.IGNORECASE)
_NUMBER = re.compile(r"[A-Z]{2,3}-[0-9][0-9-]*")


@dataclass(frozen=True, slots=True)
class Typed:
    """What was typed, in each of the forms that a searcher may ask for."""

    text: str
    folded: str
    sha256: str  # or its beginning; empty when it is none
    key: int | None  # of a row: «31», or «M-31» of a measurement
    number: str  # of a notice, an appeal …, or its beginning; empty when it is none
    language: str


@dataclass(frozen=True, slots=True)
class Hit:
    title: Any
    about: Any
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Searcher:
    """How one kind is found, told, and by whom."""

    words: Any
    find: Callable[[Typed], QuerySet | None]
    tell: Callable[[Any, Typed], Hit]
    only: Role | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """What was found of one kind, the newest first; `following` is where its next page begins."""

    kind: str
    words: Any
    hits: tuple[Hit, ...]
    following: int | None


def typed(text: str, *, language: str) -> Typed:
    """What was typed, read in every way it can be."""
    text = " ".join(text.split())[:LONGEST]
    bare = text.lower().removeprefix("sha256:").replace(" ", "")
    key = _KEY.fullmatch(text)
    number = text.upper()
    return Typed(
        text=text,
        folded=names.folded(text),
        sha256=bare if _HEXADECIMAL.fullmatch(bare) else "",
        key=int(key["key"]) if key else None,
        number=number if _NUMBER.fullmatch(number) else "",
        language=language,
    )


def find(
    wanted: Typed, *, roles: frozenset[Role], kind: str = "", before: int | None = None
) -> tuple[Group, ...]:
    """What is found, kind by kind; of one `kind` alone when it is named, from its key `before` on."""
    if not wanted.text:
        return ()
    groups = []
    for code, searcher in SEARCHERS.items():
        if (kind and kind != code) or (searcher.only and searcher.only not in roles):
            continue
        rows = searcher.find(wanted)
        if rows is None:
            continue
        if kind and before is not None:
            rows = rows.filter(pk__lt=before)
        found = list(rows.order_by("-pk")[: PAGE_SIZE + 1])
        if found:
            following = found[PAGE_SIZE - 1].pk if len(found) > PAGE_SIZE else None
            hits = tuple(searcher.tell(row, wanted) for row in found[:PAGE_SIZE])
            groups.append(Group(code, searcher.words, hits, following))
    return tuple(groups)


# ── each kind ────────────────────────────────────────────────────────────────


def _certificates(wanted: Typed) -> QuerySet | None:
    return queries.matching(wanted.text) if len(wanted.text) >= SHORTEST else None


def _numbered(rows: Callable[[], QuerySet]) -> Callable[[Typed], QuerySet | None]:
    """By the beginning of the number."""
    return lambda wanted: rows().filter(number__startswith=wanted.number) if wanted.number else None


def _packages(wanted: Typed) -> QuerySet | None:
    named = Q()
    if wanted.key is not None:
        named |= Q(pk=wanted.key)
    if wanted.sha256:
        named |= Q(sha256__startswith=wanted.sha256)
    if len(wanted.text) >= SHORTEST:
        named |= Q(filename__icontains=wanted.text)
    return EvidencePackage.objects.select_related("system_version__system").filter(named) if named else None


def _measurements(wanted: Typed) -> QuerySet | None:
    by_key = Measurement.objects.filter(pk=wanted.key)
    by_package = Measurement.objects.filter(
        package__in=EvidencePackage.objects.filter(sha256__startswith=wanted.sha256).values("pk")
    )
    if wanted.key is not None and wanted.sha256:
        # Joined by UNION: an OR over two tables would read them whole.
        found = by_key.values("pk").union(by_package.values("pk"))
    elif wanted.key is not None or wanted.sha256:
        found = (by_key if wanted.key is not None else by_package).values("pk")
    else:
        return None
    return Measurement.objects.select_related("scheme", "system_version__system").filter(pk__in=found)


def _named(rows: Callable[[], QuerySet]) -> Callable[[Typed], QuerySet | None]:
    """By a part of the name."""
    return lambda wanted: rows().filter(name__icontains=wanted.text) if len(wanted.text) >= SHORTEST else None


def _sets(wanted: Typed) -> QuerySet | None:
    named = Q(name__icontains=wanted.text) if len(wanted.text) >= SHORTEST else Q()
    if wanted.sha256:
        named |= Q(set_sha256__startswith=wanted.sha256)
    return QuestionSet.objects.defer("file").filter(named) if named else None


SEARCHERS: dict[str, Searcher] = {
    "certificate": Searcher(
        words=_("Certificates"),
        find=_certificates,
        tell=lambda row, _wanted: Hit(
            row.number,
            f"{errata.named(row)} · {row.holder_name}",
            reverse("staff:certificate", args=[row.number]),
        ),
    ),
    "notice": Searcher(
        words=_("Notices"),
        find=_numbered(Notice.objects.all),
        tell=lambda row, wanted: Hit(
            row.number, words.NOUN[row.decision], addresses.notice(row.number, wanted.language)
        ),
    ),
    "application": Searcher(
        words=_("Applications"),
        find=_numbered(lambda: Application.objects.select_related("measurement__system_version__system")),
        tell=lambda row, _wanted: Hit(
            row.number, row.measurement.system_version, reverse("staff:application", args=[row.number])
        ),
    ),
    "appeal": Searcher(
        words=_("Appeals"),
        find=_numbered(lambda: Appeal.objects.select_related("notice")),
        tell=lambda row, _wanted: Hit(
            row.number, row.notice.number, reverse("staff:appeal", args=[row.number])
        ),
    ),
    "report": Searcher(
        words=_("Complaints"),
        find=_numbered(report_rows.with_names),
        tell=lambda row, _wanted: Hit(
            row.number, words.word("report_kind", row.kind), reverse("staff:report", args=[row.number])
        ),
    ),
    "package": Searcher(
        words=_("Evidence packages"),
        find=_packages,
        tell=lambda row, _wanted: Hit(
            row.filename or f"#{row.pk}",
            f"{row.sha256[:8]} {row.system_version or ''}".strip(),
            reverse("staff:package", args=[row.pk]),
        ),
    ),
    "measurement": Searcher(
        words=_("Measurements"),
        find=_measurements,
        tell=lambda row, _wanted: Hit(
            names.reference(row),
            f"{row.system_version} · {row.scheme}",
            reverse("staff:measurement", args=[row.pk]),
        ),
    ),
    "holder": Searcher(
        words=_("Holders"),
        find=_named(Holder.objects.all),
        tell=lambda row, _wanted: Hit(row.name, row.identifier, reverse("staff:holder", args=[row.pk])),
    ),
    "system": Searcher(
        words=_("Systems"),
        find=_named(lambda: System.objects.select_related("holder")),
        tell=lambda row, _wanted: Hit(row.name, row.holder.name, reverse("staff:system", args=[row.pk])),
    ),
    "set": Searcher(
        words=_("Question sets"),
        find=_sets,
        tell=lambda row, _wanted: Hit(row.name, row.set_sha256[:8], reverse("staff:set", args=[row.pk])),
    ),
    "person": Searcher(
        words=_("People"),
        find=_named(Person.objects.all),
        tell=lambda row, _wanted: Hit(row.name, "", reverse("staff:person", args=[row.pk])),
        only=Role.REGISTRAR,
    ),
}
