"""Measurements on which nobody has decided, with what stands in the way."""

from typing import Any

from django.db.models import OuterRef
from django.db.models.expressions import RawSQL
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from certificates import policies
from certificates.models import ApplicationStanding, Assignment, Certificate, Notice
from certificates.work_queue.matters import DECIDE, OPEN, SEE, Asked, Kind, Matter
from certificates.work_subjects import Subject
from evidence import run_members
from evidence.models.run import Run
from grading.models import Measurement
from registry_site.roles import Role

# «Nothing was decided on it» has no index to be found by: only so many measurements, the newest, are looked at, so
# that a queue costs the same in a registry of a million. What is older and undecided is too old to be certified.
LOOKED_AT = 20_000


def read(asked: Asked) -> list[Matter]:
    rows = (
        Measurement.objects.filter(pk__in=_undecided(asked))
        .select_related("scheme", "package__graded_run", "verification", "system_version__system__holder")
        .annotate(took_part=policies.took_part_in(asked.person, sha256=OuterRef("package__sha256")))
        .order_by("-pk")
    )
    return [_measurement(row, asked) for row in rows]


# Of agent runs only results wait for a decision, not what was recorded of one, here or by whoever handed it in.
# Written out: the planner guesses that a join with «nothing there» leaves one row, and then reads both tables whole.
_UNDECIDED = f"""
WITH latest AS MATERIALIZED (
  SELECT id, package_id, method FROM {Measurement._meta.db_table} ORDER BY id DESC LIMIT {LOOKED_AT})
SELECT id FROM latest
WHERE (method <> '{run_members.METHOD}' OR EXISTS (
    SELECT FROM {Run._meta.db_table} WHERE graded_package_id = latest.package_id))
  AND NOT EXISTS (SELECT FROM {Certificate._meta.db_table} WHERE measurement_id = latest.id)
  AND NOT EXISTS (
    SELECT FROM {Notice._meta.db_table} n WHERE n.measurement_id = latest.id AND n.decision = 'refuse'
      AND NOT EXISTS (
        SELECT FROM {Notice._meta.db_table} o WHERE o.about_id = n.id AND o.decision = 'overturn'))
  AND NOT EXISTS (
    SELECT FROM {ApplicationStanding._meta.db_table} WHERE measurement_id = latest.id AND state = 'filed')
  AND (%s IS NULL OR id IN (
    SELECT identifier::bigint FROM {Assignment._meta.db_table}
    WHERE kind = 'measurement' AND person_id = %s AND ended_at IS NULL))
ORDER BY id DESC LIMIT %s
"""  # noqa: S608 - names of our own tables


def _undecided(asked: Asked) -> RawSQL:
    """Ids of the newest measurements on which nobody has decided. Those applied for stand among the applications."""
    person = asked.person.pk if asked.in_hand else None
    return RawSQL(_UNDECIDED, [person, person, asked.limit + 1])  # noqa: S611 - no word of it is anybody's


def _measurement(row: Measurement, asked: Asked) -> Matter:
    missing, action = what_is_missing(row, asked, took_part=row.took_part)
    return Matter(
        kind=Kind.MEASUREMENT,
        title=_("Measurement ready"),
        about=f"{row.system_version} · {row.scheme}",
        missing=missing,
        address=reverse("staff:measurement", args=[row.pk]),
        action=action,
        due=policies.certifiable_until(row),
        subject=Subject("measurement", str(row.pk)),
    )


def what_is_missing(row: Measurement, asked: Asked, *, took_part: bool) -> tuple[Any, Any]:
    """For this person to decide on a measurement: what is missing, and the action that is left to it."""
    refusal = policies.refusal_at_sight(row, at=asked.now)
    if Role.CERTIFIER not in asked.roles:
        return _("A certifier decides whether to issue."), SEE
    if took_part:
        return policies.refusal_for_part_in_it().detail, None
    if refusal is None:
        return _("Decide whether to issue."), DECIDE
    if refusal.code == "identity_not_confirmed":
        return _("Confirm its holder and system, then decide whether to issue."), OPEN
    return refusal.detail, DECIDE
