"""Doors of the circuit check: a technical run for anybody, for a quarter of an hour, and what was recorded of it."""

from http import HTTPStatus

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.authentication import get_authorization_header
from rest_framework.request import Request
from rest_framework.response import Response

from certificates.api import run_shown
from evidence import run_live, runs
from evidence.models.run import RunState
from registry_site import clock, leaves, rates
from registry_site.api import Endpoint
from registry_site.client_address import client_address
from registry_site.problems import Refusal
from registry_site.taken import Taken, take

POLICY = "circuit_checks"
NUMBER = OpenApiParameter(
    "number", str, OpenApiParameter.PATH, description=_("Number of a circuit check: PC-2026-000003.")
)


class NothingToCheck(Refusal):
    """No variant of any case is recorded against the built-in site."""

    code = "no_observed_site"
    title = _("No test case of this registry uses the built-in site")


class CheckNotFound(Refusal):
    """No check has that number and that token: the two are not told apart."""

    code = "circuit_check_not_found"
    status = HTTPStatus.NOT_FOUND
    title = _("There is no circuit check with that number and that token")


class TakenCheck(Taken):
    """Nothing needs to be said."""


class ShownCheckVariant(serializers.Serializer):
    """What the check runs against."""

    case = serializers.CharField()
    case_version = serializers.IntegerField()
    start_domain = serializers.CharField()


class ShownCheck(serializers.Serializer):
    """A technical run: it proves that recording works, and is never graded, certified or compared."""

    run = serializers.CharField()
    expires_at = serializers.CharField()
    token = serializers.CharField()
    header = serializers.CharField()
    entry = serializers.CharField()
    address = serializers.CharField()
    variant = ShownCheckVariant()


class ShownCheckRecord(serializers.Serializer):
    """What was recorded of a check."""

    run = serializers.CharField()
    state = serializers.ChoiceField(choices=RunState.values)
    outcome = serializers.ChoiceField(choices=["technical"])
    requests = run_shown.ShownRequest(many=True)


class CircuitChecks(Endpoint):
    """Checks of the circuit, of anybody."""

    tag = "runs"
    anybody_writes = True
    problems = {"POST": (NothingToCheck,)}

    @extend_schema(
        operation_id="check_circuit",
        summary=_("Begin a check of the circuit"),
        description=_(
            "Needs no token: a technical run of a quarter of an hour, never graded, certified or compared. "
            "30 an hour for an address."
        ),
        request=TakenCheck,
        responses={201: ShownCheck},
    )
    def post(self, request: Request) -> Response:
        at = clock.now()
        rate = rates.take(POLICY, client_address(request), at=at)
        if rate is not None and rate.exceeded:
            raise exceptions.Throttled(wait=rate.reset)
        take(TakenCheck, request.data)
        variant = runs.variant_to_check()
        if variant is None:
            raise NothingToCheck()
        handed = runs.register_technical(variant, at=at)
        entry = runs.entry_of(handed)
        told = {
            "run": handed.run.number,
            "expires_at": leaves.instant(handed.run.deadline_at),
            "token": handed.token,
            "header": run_shown.HEADER,
            "entry": f"{entry.by_name}/",
            "address": f"{entry.without_name}/",
            "variant": {
                "case": variant.case.code,
                "case_version": variant.case.version,
                "start_domain": variant.start_domain,
            },
        }
        response = Response(ShownCheck(told).data, status=HTTPStatus.CREATED)
        response["Location"] = f"/api/v1/circuit-checks/{handed.run.number}/"
        return response


class OneCircuitCheck(Endpoint):
    """What was recorded of one check, for whoever has its token."""

    tag = "runs"
    public = False
    # The token of the run, not one of the API: it opens its own record and nothing else.
    authentication_classes = ()
    problems = {"GET": (CheckNotFound,)}

    @extend_schema(
        operation_id="read_circuit_check",
        summary=_("What was recorded of a circuit check"),
        description=_("«Authorization: Bearer» with the token of the check itself."),
        parameters=[NUMBER],
        responses=ShownCheckRecord,
    )
    def get(self, request: Request, number: str) -> Response:
        scheme, _space, token = get_authorization_header(request).decode("latin-1").partition(" ")
        run = runs.technical(number, token=token) if scheme.lower() == "bearer" else None
        if run is None:
            raise CheckNotFound()
        told = {
            "run": run.number,
            "state": run.state,
            "outcome": run.outcome,
            "requests": [run_shown.request(one) for one in run_live.seen(run)],
        }
        return Response(ShownCheckRecord(told).data)
