"""A frozen measurement as the staff see it before deciding: figures, declared beside ours, the rules."""

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from certificates import (
    calibration_facts,
    checklist,
    comparisons,
    group_facts,
    limitations,
    measured,
    names,
    policies,
    tables,
    visibility,
    work_facts,
)
from certificates.models import Notice
from certificates.states import Decision
from certificates.views.staff import decisions
from certificates.views.staff.desk import Desk, show, staff_page
from evidence.models.system import Confirmation
from grading import custody
from grading.models import QuestionSet
from registry_site.roles import DECIDING_ROLES


@require_GET
@staff_page
def measurement(request: HttpRequest, desk: Desk, pk: int) -> HttpResponse:
    row = get_object_or_404(names.with_parents(), pk=pk)
    rules = row.scheme.rules
    figures = measured.published_figures(row)
    declared = row.result.get("declared") or []
    refusal = decisions.refusal_to_issue(desk, row, decisions.live_certificates_of_version(row))
    system = row.system_version.system
    return show(
        request,
        desk,
        "measurement",
        here="queue",
        measurement=row,
        reference=names.reference(row),
        measured_at=row.measured_at.astimezone(rules.zone),
        frozen_at=row.frozen_at.astimezone(rules.zone),
        shown=group_facts.of_measurement(row, figures),
        headline=measured.HEADLINE[0],
        calibrations=calibration_facts.of_measurement(row, figures, at=desk.now, zone=rules.zone),
        refusal_to_calibrate=policies.refusal_to_calibrate(desk.user, row, at=desk.now),
        comparable=comparisons.offered(row, visibility.measurements_for(desk.user)),
        pairs=tables.pairs(figures, "hallucination"),
        answers=tables.answers(figures),
        totals=tables.totals(figures),
        declared=declared,
        differing=[one for one in declared if one["outcome"] != "coincides"],
        registered_set=QuestionSet.objects.filter(set_sha256=row.set_sha256).only("pk").first(),
        set_limits=limitations.told(custody.limitations_of(getattr(row, "set_use", None))),
        limitations=row.result.get("limitations") or [],
        run=row.result.get("run"),
        run_limits=limitations.told(row.result.get("limitations") or []),
        applications=list(row.applications.select_related("standing").order_by("-pk")),
        # Whether this person has an interest is asked on the page that stores it.
        may_store_application=not desk.roles.isdisjoint(DECIDING_ROLES)
        and policies.refusal_to_apply(row) is None,
        notices=list(
            Notice.objects.filter(
                Q(measurement=row, decision__in=[Decision.ISSUE, Decision.REFUSE])
                | Q(certificate__measurement=row, decision=Decision.ERRATUM)
            )
            .select_related("certificate", "decided_by")
            .order_by("pk")
        ),
        first=policies.first_measurement(row),
        rules=checklist.ticks(Decision.ISSUE, refusal, complete=False)[:-1],
        refusal=refusal,
        refusal_to_refuse=policies.refusal_to_refuse(desk.user, row, at=desk.now),
        holder_proposed=system.holder.confirmation == Confirmation.PROPOSED,
        system_proposed=system.confirmation == Confirmation.PROPOSED,
        work=work_facts.of(row, reader=desk.person, at=desk.now),
    )
