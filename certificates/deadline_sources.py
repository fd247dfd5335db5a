"""What the staff must do by a certain day, by kind: one line of the table each. Nothing is decided here.

To remind of another kind: a function that reads it, its line in `SOURCES`, its words in `digest_letters`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q

from certificates import application_states, policies, report_rows, reports
from certificates.appeal_states import AppealState
from certificates.models import (
    AppealStanding,
    ApplicationStanding,
    Certificate,
    CertificateState,
    Notice,
)
from certificates.report_states import ReportState
from certificates.states import Decision, Status
from grading.models import Measurement, Scheme
from registry_site.roles import Role

# Of one kind so many are named, the nearest; the queue has the rest.
NAMED = 50


@dataclass(frozen=True, slots=True)
class Due:
    """One thing: how the staff call it, and the instant by which it is to be done."""

    name: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Source:
    """What is due of one kind. `read(at, until)` gives it in order of time.

    Whoever holds one of `roles` hears of it `days` calendar days before, and again when it is overdue.
    """

    code: str
    roles: tuple[Role, ...]
    days: int
    read: Callable[[datetime, datetime], list[Due]]


def _suspensions(at: datetime, until: datetime) -> list[Due]:
    rows = CertificateState.objects.filter(
        word=Status.SUSPENDED.value, valid_until__gt=at, review_until__lte=until
    ).order_by("review_until")
    return [Due(number, due) for number, due in rows.values_list("number", "review_until")[:NAMED]]


def _appeals(state: AppealState) -> Callable[[datetime, datetime], list[Due]]:
    def read(_at: datetime, until: datetime) -> list[Due]:
        rows = AppealStanding.objects.filter(state=state.value, deadline_at__lte=until)
        named = rows.order_by("deadline_at").values_list("appeal__number", "deadline_at")
        return [Due(number, due) for number, due in named[:NAMED]]

    return read


def _complaints(at: datetime, until: datetime) -> list[Due]:
    """The next step on a complaint that waits for the staff: not while its holder may reply."""
    found = [
        Due(row.number, reports.next_step_due(row, replied=row.replied, at=at))
        for row in report_rows.open_ones().filter(standing__deadline_at__lte=until)
        if row.standing.state != ReportState.WITH_HOLDER or row.replied or row.standing.deadline_at <= at
    ]
    return sorted((due for due in found if due.at <= until), key=lambda due: due.at)[:NAMED]


def _applications(_at: datetime, until: datetime) -> list[Due]:
    rows = ApplicationStanding.objects.filter(state__in=application_states.OPEN, deadline_at__lte=until)
    named = rows.order_by("deadline_at").values_list("application__number", "deadline_at")
    return [Due(number, due) for number, due in named[:NAMED]]


def _ageing_evidence(at: datetime, until: datetime) -> list[Due]:
    """Measurements on which nobody has decided and which the scheme will soon call too old.

    Once they are, there is nothing to do on them any more: they are never told as overdue.
    """
    overturned = Notice.objects.filter(about=OuterRef("pk"), decision=Decision.OVERTURN.value)
    refused = Notice.objects.filter(
        ~Exists(overturned), measurement=OuterRef("pk"), decision=Decision.REFUSE.value
    )
    window = Q()
    for scheme in Scheme.objects.all():
        age = timedelta(days=scheme.rules.max_evidence_age)
        window |= Q(scheme=scheme, measured_at__gt=at - age, measured_at__lte=until - age)
    if not window:
        return []
    rows = (
        Measurement.objects.filter(window)
        .exclude(Exists(Certificate.objects.filter(measurement=OuterRef("pk"))))
        .exclude(Exists(refused))
        .select_related("scheme")
    )
    found = [Due(str(row.pk), policies.certifiable_until(row)) for row in rows]
    return sorted(found, key=lambda due: due.at)[:NAMED]


# Either role decides complaints.
_ON_COMPLAINTS = (Role.CERTIFIER, Role.APPEALS_OFFICER)
SOURCES = (
    Source("suspension_review", (Role.CERTIFIER,), 7, _suspensions),
    Source("appeal_admission", (Role.APPEALS_OFFICER,), 5, _appeals(AppealState.FILED)),
    Source("appeal_decision", (Role.APPEALS_OFFICER,), 5, _appeals(AppealState.ADMITTED)),
    Source("complaint", _ON_COMPLAINTS, 5, _complaints),
    Source("application", (Role.CERTIFIER,), 7, _applications),
    Source("evidence_age", (Role.CERTIFIER,), 14, _ageing_evidence),
)
