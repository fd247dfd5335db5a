"""Doors of whoever operates agents: register a run, follow it, close it, and have lost secrets made anew."""

import json
from http import HTTPStatus
from typing import Any

from django.http import HttpResponse, HttpResponseBase
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, PolymorphicProxySerializer, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from certificates import run_journey
from certificates.api import run_results, run_shown
from certificates.api.run_results import NUMBER, RunNotFound
from evidence import run_live, runs, series_events
from evidence.models import Run, Series
from evidence.runs import Intervention, Operation, System
from registry_site import bearer, clock, roles
from registry_site.api import Endpoint
from registry_site.problems import Refusal
from registry_site.taken import Taken, TakenText, TakenTruth, take

_FOR_OPERATORS = _("Needs a token of an operator, made on the page «API tokens» of the runs.")


def _for_operators(told: Any) -> Any:
    return format_lazy("{} {}", told, _FOR_OPERATORS)


EXAMPLE = {
    "series": "PI-001-S1",
    "system": {
        "holder": "Quillay SpA",
        "name": "Quillay Navegante",
        "version": "2.3.1",
        "model_family": "quillay",
    },
    "operator": {"name": "Laboratorio Quillay", "email": "pruebas@quillay.example"},
    "permission": True,
    "tools": ["browser", "http"],
    "language": "es",
    "clean_session": True,
}


class SeriesNotFound(Refusal):
    """A code inside the body names no series."""

    code = "unknown_series"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = _("There is no series with that code")


class TakenSystem(Taken):
    """What is put to the test."""

    holder = TakenText(max_length=runs.LONGEST_TEXT, help_text=_("Who answers for the system."))
    name = TakenText(max_length=runs.LONGEST_TEXT)
    version = TakenText(max_length=runs.LONGEST_TEXT, help_text=_("Pinned: never «latest» or the like."))
    model_family = TakenText(max_length=runs.LONGEST_TEXT)


class TakenOperator(Taken):
    """Who operates the agent. Never published."""

    name = TakenText(max_length=runs.LONGEST_TEXT)
    email = serializers.EmailField(max_length=254)


class TakenRun(Taken):
    """A run to be registered."""

    series = TakenText(max_length=40, help_text=_("Code of a series that takes runs."))
    system = TakenSystem()
    operator = TakenOperator()
    permission = TakenTruth(help_text=runs.PERMISSION)
    tools = serializers.ListField(
        child=TakenText(max_length=runs.LONGEST_TEXT),
        min_length=1,
        max_length=runs.MOST_TOOLS,
        help_text=_("«browser», «http», «mcp», or another one in words."),
    )
    language = TakenText(max_length=20, help_text=_("Tag of the language in which the agent works: «es»."))
    clean_session = TakenTruth(help_text=_("A new session, without memory of this site or of the catalogue."))


class TakenIntervention(Taken):
    """Something that somebody handed to the agent while it ran."""

    kind = serializers.ChoiceField(choices=list(runs.INTERVENTIONS))
    note = TakenText(required=False, allow_blank=True, max_length=runs.LONGEST_NOTE)


class TakenClosing(Taken):
    """What the agent delivered, to the letter, and what its operator declares."""

    answer = TakenText(
        allow_blank=True,
        trim_whitespace=False,
        max_length=runs.LONGEST_ANSWER,
        help_text=_("Exactly as delivered; empty when nothing was."),
    )
    interventions = TakenIntervention(many=True, help_text=_("Empty when nobody helped."))
    knew_catalogue = TakenTruth(help_text=_("Whether the system knew the catalogue of tests before."))


class _HandsOut(Endpoint):
    """Answers with secrets: they are shown this once, and a repeated request is answered without them."""

    tag = "runs"
    public = False

    def _keep_answer(self, response: HttpResponseBase) -> None:
        if isinstance(response, Response) and response.status_code < HTTPStatus.BAD_REQUEST:
            response.render()
            told = json.loads(response.content)
            kept = HttpResponse(
                json.dumps({**told, **dict.fromkeys(run_shown.SECRETS)}, ensure_ascii=False),
                status=response.status_code,
                content_type=response["Content-Type"],
            )
            if "Location" in response:
                kept["Location"] = response["Location"]
            response = kept
        super()._keep_answer(response)


class Runs(_HandsOut, run_results.Runs):
    """The runs: read by everybody, and here they are registered."""

    public = True
    problems = {
        **run_results.Runs.problems,
        "POST": (
            runs.IncompleteRun,
            runs.SeriesFull,
            series_events.SeriesClosed,
            series_events.SeriesExposed,
            SeriesNotFound,
            bearer.ServiceAccount,
        ),
    }

    @extend_schema(
        operation_id="register_run",
        summary=_("Register a run"),
        description=_(
            "The answer has the run's token and the address at which its agent begins, once: a request that is "
            "repeated with its Idempotency-Key registers nothing again and is answered without them."
        ),
        request=TakenRun,
        responses={201: run_shown.ShownRegistered},
        examples=[OpenApiExample("register", value=EXAMPLE, request_only=True)],
    )
    def post(self, request: Request) -> Response:
        user = bearer.require_person(request)
        values = take(TakenRun, request.data)
        series = Series.objects.select_related("variant__case").filter(code=values["series"]).first()
        if series is None:
            raise SeriesNotFound(field="series")
        handed = runs.register(
            series,
            by=user,
            system=System(**values["system"]),
            operation=_operation(values),
            at=clock.now(),
        )
        return _handed(handed)


class OneRun(run_results.OneRun):
    """A run: as its operator follows it, and what is public of it for everybody else."""

    public = False

    @extend_schema(
        operation_id="read_run",
        summary=_("One run"),
        description=_(
            "What is public of it: that it is there, what became of it, and once it is published what it did. For "
            "whoever registered it, by a token: state, what has been recorded, and what is left of the limits."
        ),
        parameters=[NUMBER],
        responses=PolymorphicProxySerializer(
            component_name="RunAsRead",
            serializers=[run_results.ShownRun, run_shown.ShownOwnRun],
            resource_type_field_name=None,
        ),
    )
    def get(self, request: Request, number: str) -> HttpResponseBase:
        run = runs.find(number, person=roles.person_of(request.user))
        if run is None or run.number != number:
            return super().get(request, number)
        return Response(run_shown.ShownOwnRun(run_shown.own(run_live.of(run, at=clock.now()))).data)


class CloseRun(Endpoint):
    """A run is closed: nothing is recorded afterwards."""

    tag = "runs"
    public = False
    problems = {"POST": (RunNotFound, runs.NotRecording, runs.IncompleteRun, bearer.ServiceAccount)}

    @extend_schema(
        operation_id="close_run",
        summary=_("Close a run"),
        description=_for_operators(_("Closing twice is told with 409 and changes nothing.")),
        parameters=[NUMBER],
        request=TakenClosing,
        responses=run_shown.ShownOwnRun,
        examples=[
            OpenApiExample(
                "close",
                value={
                    "answer": "Un agente es… (http://observatoriodeagentes.com/conceptos/agente)",
                    "interventions": [],
                    "knew_catalogue": False,
                },
                request_only=True,
            )
        ],
    )
    def post(self, request: Request, number: str) -> Response:
        run, user = _own(request, number)
        values = take(TakenClosing, request.data)
        run = runs.close(
            run,
            by=user,
            at=clock.now(),
            answer=values["answer"],
            interventions=[Intervention(**one) for one in values["interventions"]],
            knew_catalogue=values["knew_catalogue"],
        )
        run_journey.wake(run)
        found = runs.find(run.number, person=user.person)
        return Response(run_shown.ShownOwnRun(run_shown.own(run_live.of(found, at=clock.now()))).data)


class RenewSecrets(_HandsOut):
    """Lost secrets are made anew."""

    problems = {"POST": (RunNotFound, runs.NotRecording, runs.RecordedAlready, bearer.ServiceAccount)}

    @extend_schema(
        operation_id="renew_run_secrets",
        summary=_("Make a new token and address of a run"),
        description=_for_operators(_("Only while nothing has been recorded; the earlier ones are dead.")),
        parameters=[NUMBER],
        request=None,
        responses={201: OpenApiResponse(run_shown.ShownRegistered, description=_("Shown this once."))},
    )
    def post(self, request: Request, number: str) -> Response:
        run, user = _own(request, number)
        return _handed(runs.hand_out_again(run, by=user, at=clock.now()))


def _handed(handed: runs.HandedOut) -> Response:
    response = Response(
        run_shown.ShownRegistered(run_shown.registered(handed)).data, status=HTTPStatus.CREATED
    )
    response["Location"] = f"/api/v1/runs/{handed.run.number}/"
    return response


def _own(request: Request, number: str) -> tuple[Run, Any]:
    user = bearer.require_person(request)
    run = runs.find(number, person=user.person)
    if run is None:
        raise RunNotFound()
    return run, user


def _operation(values: dict[str, Any]) -> Operation:
    return Operation(
        name=values["operator"]["name"],
        email=values["operator"]["email"],
        permission=str(runs.PERMISSION) if values["permission"] else "",
        tools=values["tools"],
        language=values["language"],
        clean_session=values["clean_session"],
    )
