"""One run of the demonstration from its registration to its certificate, through the real recorder and writers.

Told again after an interruption it goes on where it stopped; a run that was left half recorded is left to the sweep.
"""

from certificates import lifecycle, run_journey
from certificates.demo import agent, journeys, story
from certificates.pages import Text
from evidence import identities, operators, run_package, runs, series_events
from evidence.models import Run, Series
from evidence.models.run import RunState
from evidence.models.system import Confirmation, IdentifierKind
from grading import run_grading, run_rules
from registry_site import clock
from registry_site.models import User

SYSTEM = runs.System(holder="Quillay SpA", name="Quillay Navegante", version="2.3.1", model_family="quillay")
DOMAIN = "quillay.example"
NOTE = "Las palabras de la respuesta están en la ficha que cita."
COMMENT = "Estamos de acuerdo con el resultado."
STATEMENT = Text(
    es="Se certifica lo que se registró y evaluó en esta ejecución.",
    en="What was recorded and graded in this run is certified.",
)


def record(series: Series, users: dict[str, User]) -> Run | None:
    """A run of the series that waits for the series' end; None where none begins any more."""
    by = users[story.OPERATOR.email]
    run = Run.objects.filter(series=series, operator=by, closed_at__isnull=False).order_by("pk").first()
    if run is None:
        if series_events.refusal_to_register(series, at=clock.now()) is not None:
            return None
        run = _walked(series, by)
    run_journey.hand_in(run.pk)
    journeys.to_its_end(run_package.write(run.pk))
    run.refresh_from_db()
    if run.state == RunState.CLOSED:
        _grade(run, users)
    return run


def _walked(series: Series, by: User) -> Run:
    handed = runs.register(
        series,
        by=by,
        system=SYSTEM,
        operation=runs.Operation(
            name=operators.living(by.person).organisation,
            email=by.email,
            permission=str(runs.PERMISSION),
            tools=["http"],
            language="es",
            clean_session=True,
        ),
        at=clock.now(),
    )
    answer = agent.browse(handed.token, start_domain=series.variant.start_domain)
    return runs.close(
        handed.run, answer=answer, interventions=(), knew_catalogue=False, by=by, at=clock.now()
    )


def _grade(run: Run, users: dict[str, User]) -> None:
    by = users[story.EVALUATOR.email]
    run_grading.decide_by_code(run, at=clock.now())
    for point in run_grading.unmarked(run):
        run_grading.mark(
            run, point=point, mark="met", requests=[len(agent.ASKED)], note=NOTE, by=by, at=clock.now()
        )
    run_grading.finish_grading(run, by=by, at=clock.now())


def publish(run: Run, users: dict[str, User]) -> None:
    """Once its series is over: the result, its package, and a certificate on it."""
    run = run_grading.with_parents().get(pk=run.pk)
    if run.state == RunState.GRADED:
        run = _review(run, by=users[story.OPERATOR.email])
    at = clock.now()
    if run.state == RunState.IN_REVIEW and run_rules.refusal_to_publish(run, at=at) is None:
        run = run_grading.publish(run, at=at)
    if run.state != RunState.PUBLISHED:
        return
    package = journeys.to_its_end(run_grading.write_graded(run, at=clock.now()))
    _confirm(run, users)
    measurement = package.measurements.get()
    if not measurement.certificates.exists():
        lifecycle.issue(measurement, by=users[story.CERTIFIER.email], at=clock.now(), statement=STATEMENT)


def _review(run: Run, *, by: User) -> Run:
    run_grading.open_review(run, at=clock.now())
    run_grading.comment(run, text=COMMENT, by=by, at=clock.now())
    return run_grading.end_review(run, by=by, at=clock.now())


def _confirm(run: Run, users: dict[str, User]) -> None:
    registrar = users[story.REGISTRAR.email].person
    system = run.system_version.system
    if system.holder.confirmation != Confirmation.CONFIRMED:
        identities.confirm_holder(
            system.holder,
            name=system.holder.name,
            identifier_kind=IdentifierKind.DOMAIN,
            identifier=DOMAIN,
            country="CL",
            contact_email=f"contacto@{DOMAIN}",
            by=registrar,
            at=clock.now(),
        )
    if system.confirmation != Confirmation.CONFIRMED:
        identities.confirm_system(system, name=system.name, by=registrar, at=clock.now())
