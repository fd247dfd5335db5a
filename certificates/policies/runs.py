"""Which agent runs a certificate may rest on: recorded here, graded, published, and without help."""

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from certificates.refusals import NotCertifiable
from evidence.models.run import Run, RunState
from grading.models import Measurement
from registry_site.problems import Refusal


def refusal_of_run(measurement: Measurement) -> Refusal | None:
    """Why no certificate may rest on this measurement of a run, or None; None for every other method.

    Anybody may write into a package who recorded it. So the question is whether it is the very package that this
    registry made of a run of its own.
    """
    if not measurement.is_of_a_run:
        return None
    run: Run | None = getattr(measurement.package, "graded_run", None)
    if run is None:
        return _refusal_of_no_result(getattr(measurement.package, "closed_run", None))
    if run.outcome:
        return NotCertifiable(
            format_lazy(
                _("Run {number} is not autonomous ({outcome}): it stays listed and is never certified."),
                number=run.number,
                outcome=run.get_outcome_display(),
            ),
            code="run_not_autonomous",
            run=run.number,
            outcome=run.outcome,
        )
    if run.state != RunState.PUBLISHED:
        return NotCertifiable(
            format_lazy(_("The result of run {number} is not published."), number=run.number),
            code="run_not_published",
            run=run.number,
        )
    return None


def _refusal_of_no_result(closed: Run | None) -> Refusal:
    if closed is None:
        return NotCertifiable(
            _(
                "This registry did not record this run: what whoever hands it in recorded is never certified as "
                "recorded by the server."
            ),
            code="run_not_recorded_here",
        )
    return NotCertifiable(
        format_lazy(
            _("This is what was recorded of run {number}, not its result: a certificate rests on its marks."),
            number=closed.number,
        ),
        code="run_not_graded",
        run=closed.number,
    )
