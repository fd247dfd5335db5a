"""Doors to complaints: sending one, which its sender then confirms by e-mail, and what the public is told of one."""

from http import HTTPStatus

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import exceptions, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from certificates import finding, report_facts, report_rows, reports
from certificates.api import shown
from certificates.api.taken import LONGEST_NUMBER
from certificates.models import Certificate
from certificates.refusals import IncompleteReport
from certificates.report_states import ReportKind
from registry_site import clock, rates
from registry_site.api import Endpoint
from registry_site.client_address import client_address
from registry_site.problems import Refusal
from registry_site.taken import Taken, TakenText, take

POLICY = "reports"
NUMBER = OpenApiParameter(
    "number", str, OpenApiParameter.PATH, description=_("Number of a complaint: QJ-2026-000031.")
)


class ReportNotFound(Refusal):
    """No complaint has that number, or nothing of it is public."""

    code = "report_not_found"
    status = HTTPStatus.NOT_FOUND
    title = _("There is no complaint with that number, or nothing of it is public")


class TakenReport(Taken):
    """A complaint. Files are attached on the site alone."""

    kind = serializers.ChoiceField(choices=[kind.value for kind in ReportKind])
    certificate = TakenText(
        required=False,
        max_length=LONGEST_NUMBER,
        help_text=_("Its number in any spelling; left out only with «misuse_by_others»."),
    )
    place = TakenText(
        required=False,
        max_length=reports.LONGEST_PLACE,
        help_text=_("With «misuse_by_others»: where it is used."),
    )
    text = TakenText(max_length=reports.LONGEST_TEXT, help_text=_("Never published."))
    name = TakenText(required=False, max_length=200, help_text=_("Never published."))
    email = serializers.EmailField(
        max_length=254, help_text=_("The link that confirms it is sent there. Never published.")
    )


class ShownSent(serializers.Serializer):
    """A complaint that waits to be confirmed by the link in the e-mail. It has no number yet."""

    state = serializers.ChoiceField(choices=["unconfirmed"])
    confirm_until = serializers.DateTimeField(help_text=_("What is not confirmed by then is erased."))
    detail = serializers.CharField()


class Reports(Endpoint):
    """Complaints of anybody."""

    tag = "certificates"
    anybody_writes = True
    problems = {"POST": (IncompleteReport,)}

    @extend_schema(
        operation_id="send_report",
        summary=_("Complain of a certificate, or of the use that is made of it"),
        description=_(
            "Needs no token. 202: it is recorded, with a number, when its sender confirms it by the link in the "
            "e-mail. 10 an hour for an address."
        ),
        request=TakenReport,
        responses={202: OpenApiResponse(ShownSent, description=_("It waits to be confirmed by e-mail."))},
        examples=[
            OpenApiExample(
                "system_changed",
                value={
                    "kind": "system_changed",
                    "certificate": "FEH-2026-000001-16",
                    "text": "La página de ayuda dice «versión 4.4».",
                    "email": "vecina@correo.example",
                },
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        at = clock.now()
        rate = rates.take(POLICY, client_address(request), at=at)
        if rate is not None and rate.exceeded:
            raise exceptions.Throttled(wait=rate.reset)
        values = take(TakenReport, request.data)
        certificate = _certificate(values.pop("certificate", ""))
        draft = reports.send(at=at, language=request.LANGUAGE_CODE, certificate=certificate, **values)
        told = {
            "state": "unconfirmed",
            "confirm_until": draft.expires_at,
            "detail": _("Open the link in the e-mail and confirm it: only then is the complaint recorded."),
        }
        return Response(ShownSent(told).data, status=HTTPStatus.ACCEPTED)


def _certificate(typed: str) -> Certificate | None:
    if not typed:
        return None
    try:
        return finding.certificate(typed)
    except (finding.CertificateNotFound, finding.NumberMistyped) as refusal:
        raise IncompleteReport(refusal.title, code=refusal.code, field="certificate") from refusal


class OneReport(Endpoint):
    """A complaint as the public reads it."""

    tag = "certificates"
    problems = {"GET": (ReportNotFound,)}

    @extend_schema(
        operation_id="report",
        summary=_("One complaint"),
        description=_("Public after the holder was told of it; never its words, nor who made it."),
        parameters=[NUMBER],
        responses={200: shown.ShownReport},
    )
    def get(self, request: Request, number: str) -> Response:
        report = report_rows.find(number)
        told = report_facts.of_report(report, at=clock.now()) if report else None
        if told is None:
            raise ReportNotFound()
        return Response(shown.ShownReport(told).data)
