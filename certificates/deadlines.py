"""Telling people of what comes: holders before the end of a certificate, the staff before a deadline.

Nothing is decided here. A sweep that was down for days tells the nearest term alone. What was told is a row,
so that it is told once.
"""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef

from certificates import deadline_sources, digest_letters, expiry_letters, notices, terms
from certificates.models import CertificateState, ExpiryNotice
from certificates.states import Status
from registry_site import outbox, sweeping
from registry_site.models import Outbox, User
from registry_site.roles import Role

# A suspended certificate expires too; its letter tells both facts. What has ended otherwise tells nothing.
TOLD_WHILE = (Status.ACTIVE.value, Status.SUSPENDED.value)


def sweep(*, at: datetime) -> dict[str, int]:
    """Tell what is due; returns how many of each. Safe to run twice and several at once."""
    return {"expiries": tell_expiries(at=at), "digests": remind_staff(at=at)}


def tell_expiries(*, at: datetime) -> int:
    """Tell holders and certifiers of certificates that end in 60, 30 or 7 days; returns of how many."""
    told = 0
    for days in sorted(terms.EXPIRY_TOLD_BEFORE):
        told += sweeping.each(
            _ending_within(days, at=at), lambda certificate: _tell_expiry(certificate, at=at)
        )
    return told


def _ending_within(days: int, *, at: datetime) -> list[int]:
    """Ids of certificates that end in `days` days or sooner, and of which nothing so near was told."""
    told = ExpiryNotice.objects.filter(certificate=OuterRef("pk"), days_before__lte=days)
    return list(
        CertificateState.objects.filter(
            word__in=TOLD_WHILE,
            expiry_recorded=False,
            valid_until__gt=at,
            # Days are counted in each certificate's own zone, so a day more is looked at.
            valid_until__lte=at + timedelta(days=days + 2),
        )
        .exclude(Exists(told))
        .order_by("valid_until")
        .values_list("pk", flat=True)
    )


@transaction.atomic
def _tell_expiry(certificate: int, *, at: datetime) -> bool:
    # Locked first: it may be revoked at this moment, and another sweep may be telling the same.
    state = CertificateState.objects.select_for_update().get(pk=certificate)
    row = state.certificate
    days = terms.expiry_notice_due(
        state.valid_until, issued_at=state.issued_at, at=at, zone=ZoneInfo(row.zone)
    )
    if days is None or state.word not in TOLD_WHILE:
        return False
    if ExpiryNotice.objects.filter(certificate=row, days_before__lte=days).exists():
        return False
    ExpiryNotice.objects.create(certificate=row, days_before=days, at=at)
    notices.tell(expiry_letters.KIND, at=at, holder=state.holder, concerns=row.number, certificate=row.number)
    return True


# ── the staff ────────────────────────────────────────────────────────────────

# From this hour on, in the registry's zone: who works here reads it in the morning.
DIGEST_FROM_HOUR = 7


def remind_staff(*, at: datetime) -> int:
    """Write to whoever has something coming or overdue: one e-mail a day a person; returns how many.

    It leaves on the days on which something has come near, fallen overdue, or been overdue for another week,
    and then tells all. Days without news have no e-mail: what comes every day is not read.
    """
    zone = ZoneInfo(settings.REGISTRY_TIME_ZONE)
    local = at.astimezone(zone)
    if local.hour < DIGEST_FROM_HOUR:
        return 0
    due = {source: _items(source, at=at, zone=zone) for source in deadline_sources.SOURCES}
    holding = {
        roles: _accounts_holding(roles) for roles in {source.roles for source, items in due.items() if items}
    }
    accounts: dict[int, User] = {}
    told: dict[int, list[digest_letters.Item]] = {}
    for source, items in due.items():
        for user in holding.get(source.roles, ()):
            accounts.setdefault(user.person_id, user)
            told.setdefault(user.person_id, []).extend(items)
    return sum(_remind(accounts[person], items, at=at, today=local.date()) for person, items in told.items())


def _items(source: deadline_sources.Source, *, at: datetime, zone: ZoneInfo) -> list[digest_letters.Item]:
    until = terms.end_of_day(at.astimezone(zone).date() + timedelta(days=source.days), zone=zone)
    return [
        digest_letters.Item(
            source.code, one.name, one.at, weeks_overdue=(at - one.at).days // 7 if one.at <= at else None
        )
        for one in source.read(at, until)
    ]


def _accounts_holding(roles: tuple[Role, ...]) -> list[User]:
    return list(
        User.objects.filter(
            is_active=True, person__role_grants__role__in=roles, person__role_grants__ended_at=None
        )
        .distinct()
        .order_by("pk")
    )


def _remind(user: User, items: list[digest_letters.Item], *, at: datetime, today: date) -> bool:
    about = f"digest:{user.person_id}:"
    last = Outbox.objects.filter(kind=digest_letters.KIND, concerns__startswith=about).order_by("-pk").first()
    known = {tuple(stage) for stage in last.data["stages"]} if last else set()
    stages = [item.stage for item in items]
    if known.issuperset(map(tuple, stages)) or (last and last.concerns == f"{about}{today}"):
        return False
    try:
        with transaction.atomic():
            outbox.queue(
                digest_letters.KIND,
                to=user.email,
                language=user.language,
                at=at,
                concerns=f"{about}{today}",
                path="/staff/",
                items=[item.stored() for item in items],
                stages=stages,
            )
    except IntegrityError:
        # Another sweep was faster: the database lets one a day through.
        return False
    return True
