"""Doors to comparisons: what differs between two measurements, and asking for it."""

from http import HTTPStatus
from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from certificates import addresses, comparisons, errata, names, visibility
from grading import comparing, differing
from grading.api.shown import ShownErratum
from grading.models import Comparison, ComparisonRequest, Measurement, RequestOrigin, RequestState
from registry_site import clock, rates
from registry_site.api import Endpoint, moved
from registry_site.client_address import client_address
from registry_site.problems import Refusal
from registry_site.taken import InvalidFields, Taken, TakenNumber, take

POLICY = "comparisons"
LARGEST = 2**63 - 1


class ComparisonNotFound(Refusal):
    """Nobody has asked for it, or it is not finished: `state` and `how` say which, and what to send."""

    code = "comparison_not_found"
    status = HTTPStatus.NOT_FOUND
    title = _("This comparison has not been made yet")


class Pair(Taken):
    """Two measurements; in whichever order, the one that was frozen earlier is the first."""

    first = TakenNumber(min_value=1, max_value=LARGEST, help_text=_("Id of a measurement."))
    second = TakenNumber(min_value=1, max_value=LARGEST, help_text=_("Id of the other one."))


class PairQuery(Taken):
    """The same in a query string."""

    first = serializers.IntegerField(min_value=1, max_value=LARGEST)
    second = serializers.IntegerField(min_value=1, max_value=LARGEST)


class ShownCompared(serializers.Serializer):
    """One of the two measurements."""

    id = serializers.IntegerField()
    reference = serializers.CharField()
    system = serializers.CharField()
    version = serializers.CharField()
    holder = serializers.CharField()
    scheme = serializers.CharField()
    measured_at = serializers.DateTimeField(help_text=_("Declared by whoever evaluated."))
    frozen_at = serializers.DateTimeField(help_text=_("Recorded by the registry."))
    set_sha256 = serializers.CharField()
    evidence_sha256 = serializers.CharField()
    certificates = serializers.ListField(child=serializers.CharField())
    errata = ShownErratum(many=True, help_text=_("On the certificates that rest on it."))
    address = serializers.CharField()


class ShownComparison(serializers.Serializer):
    """What differs between two measurements, pair by pair; no order of systems. It never changes."""

    first = ShownCompared(help_text=_("The one that was frozen earlier."))
    second = ShownCompared()
    state = serializers.ChoiceField(choices=RequestState.choices)
    bytes_done = serializers.IntegerField(help_text=_("Of both packages, read so far."))
    bytes_total = serializers.IntegerField()
    at = serializers.DateTimeField(allow_null=True, help_text=_("When the result was frozen."))
    verifier = serializers.CharField(allow_null=True)
    sha256 = serializers.CharField(allow_null=True, help_text=_("Of the RFC 8785 form of «result»."))
    result = serializers.JSONField(
        allow_null=True,
        help_text=_(
            "Outcome by outcome, in all and by language group: pairs, difference first less second with its "
            "interval, p. Small groups are left out. Every key: docs/figures.md."
        ),
    )
    address = serializers.CharField(help_text=_("Of the page."))


class Comparisons(Endpoint):
    """The comparison of two measurements: each pair is made once, and kept."""

    tag = "comparisons"
    public = False
    anybody_writes = True
    problems = {
        "GET": (
            InvalidFields,
            comparisons.MeasurementsNotFound,
            comparing.SameMeasurement,
            comparing.NotComparable,
            ComparisonNotFound,
        ),
        "POST": (
            comparisons.MeasurementsNotFound,
            comparing.SameMeasurement,
            comparing.NotComparable,
            comparing.TooManyWaiting,
        ),
    }

    @extend_schema(
        operation_id="read_comparison",
        summary=_("What differs between two measurements"),
        description=_(
            "Ids of measurements, the one that was frozen earlier first; the other order is answered with 308. "
            "404 `comparison_not_found` says how to ask for it."
        ),
        parameters=[
            OpenApiParameter("first", int, required=True, description=_("Id of a measurement.")),
            OpenApiParameter("second", int, required=True, description=_("Id of the other one.")),
        ],
        responses=ShownComparison,
    )
    def get(self, request: Request) -> Response:
        values = take(PairQuery, request.query_params, query=True)
        first, second = self._pair(request, values)
        if values["first"] != first.pk:
            return _in_its_order(request, first, second)
        frozen = comparing.found(first, second)
        if frozen is None:
            _refuse_what_differs(comparing.differences(first, second))
            raise _not_found(first, second, comparing.asked(first, second))
        _refuse_what_differs(frozen.result.get("not_comparable"))
        return Response(_shown(first, second, frozen=frozen))

    @extend_schema(
        operation_id="ask_for_comparison",
        summary=_("Ask for a comparison"),
        description=_(
            "Needs no token for public measurements. 202 while it is made, 200 when it stands; sent again, it "
            "asks for nothing new. 20 an hour for an address."
        ),
        request=Pair,
        responses={
            200: ShownComparison,
            202: OpenApiResponse(ShownComparison, description=_("It is being made; «result» is null.")),
        },
    )
    def post(self, request: Request) -> Response:
        client = f"token:{request.auth.pk}" if request.auth else client_address(request)
        at = clock.now()
        rate = rates.take(POLICY, client, at=at)
        if rate is not None and rate.exceeded:
            raise exceptions.Throttled(wait=rate.reset)
        first, second = self._pair(request, take(Pair, request.data))
        origin = RequestOrigin.STAFF if visibility.is_staff(request.user) else RequestOrigin.ANYBODY
        asked = comparing.request(first, second, origin=origin, at=at)
        frozen = comparing.found(first, second)
        if frozen is not None:
            _refuse_what_differs(frozen.result.get("not_comparable"))
        response = Response(
            _shown(first, second, asked=asked, frozen=frozen),
            status=HTTPStatus.ACCEPTED if frozen is None else HTTPStatus.OK,
        )
        response["Location"] = addresses.comparison_json(first.pk, second.pk)
        return response

    def _pair(self, request: Request, values: dict[str, Any]) -> tuple[Measurement, Measurement]:
        among = visibility.measurements_for(request.user)
        one, other = (comparisons.named(str(values[name]), among) for name in ("first", "second"))
        if one is None or other is None:
            raise comparisons.MeasurementsNotFound
        return comparing.pair(one, other)


def _in_its_order(request: Request, first: Measurement, second: Measurement) -> Response:
    request.META["QUERY_STRING"] = f"first={first.pk}&second={second.pk}"
    return moved(request, request.path)


def _refuse_what_differs(differences: list[dict[str, Any]] | None) -> None:
    if differences:
        raise comparing.NotComparable(differing.told(differences))


def _not_found(
    first: Measurement, second: Measurement, asked: ComparisonRequest | None
) -> ComparisonNotFound:
    return ComparisonNotFound(
        _("Ask for it with POST, then read this address again."),
        state=asked.state if asked else None,
        how={
            "method": "POST",
            "address": "/api/v1/comparisons/",
            "body": {"first": first.pk, "second": second.pk},
        },
    )


def _shown(
    first: Measurement,
    second: Measurement,
    *,
    asked: ComparisonRequest | None = None,
    frozen: Comparison | None = None,
) -> dict[str, Any]:
    path = comparisons.path(names.reference(first), names.reference(second))
    asked = asked or comparing.asked(first, second)
    return ShownComparison(
        {
            "first": _compared(first),
            "second": _compared(second),
            "state": RequestState.DONE if frozen else asked.state,
            "bytes_done": asked.progress_bytes,
            "bytes_total": asked.progress_total,
            "at": frozen and frozen.at,
            "verifier": frozen and frozen.verifier_version,
            "sha256": frozen and frozen.sha256,
            "result": frozen and frozen.result,
            "address": f"/es/{path}",
        }
    ).data


def _compared(of: Measurement) -> dict[str, Any]:
    version = of.system_version
    return {
        "id": of.pk,
        "reference": names.reference(of),
        "system": version.system.name,
        "version": version.version,
        "holder": version.system.holder.name,
        "scheme": str(of.scheme),
        "measured_at": of.measured_at,
        "frozen_at": of.frozen_at,
        "set_sha256": of.set_sha256,
        "evidence_sha256": of.package.sha256,
        "certificates": [one.number for one in of.carrying],
        "errata": errata.of(of.carrying),
        "address": f"/api/v1/measurements/{of.pk}/",
    }
