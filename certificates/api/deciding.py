"""Doors to decisions: each takes a certifier's token, asks the life cycle, and answers what it led to."""

from http import HTTPStatus
from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from certificates import finding, lifecycle, page_facts, refusals, visibility
from certificates.api import reading, shown, taken
from certificates.api.reading import NUMBER, ON_NUMBERS, MeasurementNotFound
from certificates.models import Certificate, Notice
from certificates.states import Step
from grading.models import Measurement
from registry_site import bearer, clock
from registry_site.api import Endpoint, moved
from registry_site.problems import Refusal
from registry_site.roles import Role
from registry_site.taken import Taken, take

STATEMENT = {
    "es": "El sistema que se ofrece ya no es la versión evaluada.",
    "en": "The system offered is no longer the version evaluated.",
}
STATEMENT_OF_ISSUE = {
    "es": "Se certifica lo que se midió, con sus límites.",
    "en": "What was measured is certified, with its limits.",
}
ON_DECISIONS = (
    refusals.RuleOfImpartiality,
    refusals.RegistryNotStaffed,
    refusals.NotCertifiable,
    refusals.IncompleteDecision,
    refusals.ForbiddenStep,
    refusals.LostRace,
    bearer.ServiceAccount,
)


class OtherNotFound(Refusal):
    """A number inside the body names no certificate."""

    code = "unknown_certificate"
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    title = _("There is no certificate with that number")


class Certificates(reading.Certificates):
    """The list of certificates, and the door to issue one."""

    problems = {**reading.Certificates.problems, "POST": (*ON_DECISIONS, MeasurementNotFound, OtherNotFound)}

    @extend_schema(
        operation_id="issue_certificate",
        summary=_("Issue a certificate"),
        description=_(
            "On a frozen measurement, by a certifier who took no part in it. «valid_until» is by default the "
            "longest term of the scheme."
        ),
        tags=["decisions"],
        request=taken.Issue,
        responses={201: shown.ShownCertificate},
        examples=[
            OpenApiExample(
                "issue", value={"measurement": 19, "statement": STATEMENT_OF_ISSUE}, request_only=True
            )
        ],
    )
    def post(self, request: Request) -> Response:
        user = bearer.require_role(request, Role.CERTIFIER)
        values = take(taken.Issue, request.data)
        measurement = _measurement(values["measurement"], user)
        supersedes = _named(values["supersedes"], field="supersedes") if "supersedes" in values else None
        certificate = lifecycle.issue(
            measurement,
            by=user,
            at=clock.now(),
            statement=values["statement"],
            valid_until=values.get("valid_until"),
            supersedes=supersedes,
        )
        told = page_facts.of_certificate(finding.certificate(certificate.number), at=clock.now())
        response = Response(shown.ShownCertificate(shown.certificate(told)).data, status=HTTPStatus.CREATED)
        response["Location"] = f"/api/v1/certificates/{certificate.number}/"
        return response


class Refuse(Endpoint):
    """A certificate is refused: a notice of its own, which can be appealed."""

    tag = "decisions"
    problems = {"POST": (*ON_DECISIONS, MeasurementNotFound)}

    @extend_schema(
        operation_id="refuse_certificate",
        summary=_("Refuse a certificate"),
        request=taken.Refuse,
        responses={201: shown.ShownNotice},
    )
    def post(self, request: Request) -> Response:
        user = bearer.require_role(request, Role.CERTIFIER)
        values = take(taken.Refuse, request.data)
        notice = lifecycle.refuse_issue(
            _measurement(values["measurement"], user),
            by=user,
            at=clock.now(),
            statement=values["statement"],
            reason=values.get("reason"),
        )
        response = Response(shown.ShownNotice(shown.notice(notice)).data, status=HTTPStatus.CREATED)
        response["Location"] = f"/api/v1/notices/{notice.number}/"
        return response


class TakeStep(Endpoint):
    """One step on one certificate; the address names it."""

    tag = "decisions"
    step: Step
    problems = {"POST": (*ON_NUMBERS, *ON_DECISIONS)}

    def post(self, request: Request, number: str) -> Response:
        canonical = finding.canonical_number(number)
        if canonical != number:
            return moved(request, f"/api/v1/certificates/{canonical}/{self.step}/")
        user = bearer.require_role(request, Role.CERTIFIER)
        values = dict(take(taken.STEPS[self.step], request.data))
        certificate = finding.certificate(canonical)
        if "other" in values:
            values["other"] = _named(values["other"], field="other")
        event = getattr(lifecycle, self.step)(certificate, by=user, at=clock.now(), **values)
        return Response(shown.ShownDecided(_decided(certificate, event.notice)).data)


def _decided(certificate: Certificate, notice: Notice) -> dict[str, Any]:
    told = page_facts.of_certificate(finding.certificate(certificate.number), at=clock.now())
    row = next(row for row in told.rows if row.notice_id == notice.pk)
    return {
        "certificate": certificate.number,
        "status": told.facts.word.value,
        "in_force": told.facts.in_force,
        "sequence": row.sequence,
        "step": row.step,
        "notice": notice.number,
        "at": row.at,
        "hash": row.hash,
    }


def _measurement(measurement: int, user: Any) -> Measurement:
    found = visibility.measurement_for(user, measurement)
    if found is None:
        raise MeasurementNotFound()
    return found


def _named(text: str, *, field: str) -> Certificate:
    """The certificate that a body names. It is not the address that is wrong, so 422 and the field."""
    try:
        return finding.certificate(text)
    except (finding.CertificateNotFound, finding.NumberMistyped) as error:
        raise OtherNotFound(error.detail, code=error.code, field=field) from error


def _door(step: Step, summary: Any, example: dict[str, Any]) -> type[TakeStep]:
    """The view of one step: its own body, its own description in the OpenAPI document."""
    body: type[Taken] = taken.STEPS[step]

    @extend_schema(
        operation_id=f"{step}_certificate",
        summary=summary,
        description=_(
            "«if_sequence» is the sequence of the last event you have seen. If another has happened since, "
            "nothing is recorded and 409 tells the present state."
        ),
        parameters=[NUMBER],
        request=body,
        responses={200: OpenApiResponse(shown.ShownDecided)},
        examples=[OpenApiExample(str(step), value=example, request_only=True)],
    )
    def post(self: TakeStep, request: Request, number: str) -> Response:
        return TakeStep.post(self, request, number)

    name = f"{step.capitalize()}Certificate"
    return type(name, (TakeStep,), {"__doc__": body.__doc__, "step": step, "post": post})


_TEXT = {"statement": STATEMENT, "if_sequence": 1}
_CONDITIONS = [{"es": "Ofrecer de nuevo la versión evaluada.", "en": "Offer the version evaluated again."}]

SuspendCertificate = _door(
    Step.SUSPEND,
    _("Suspend"),
    {"reason": "system_changed", "conditions": _CONDITIONS, "review_on": "2027-01-31", **_TEXT},
)
ProlongCertificate = _door(Step.PROLONG, _("Extend a suspension"), {"review_on": "2027-03-31", **_TEXT})
ReinstateCertificate = _door(Step.REINSTATE, _("Reinstate"), _TEXT)
RevokeCertificate = _door(Step.REVOKE, _("Revoke"), {"reason": "system_changed", **_TEXT})
TerminateCertificate = _door(Step.TERMINATE, _("End at the holder's request"), {"request": 7, **_TEXT})
SupersedeCertificate = _door(
    Step.SUPERSEDE, _("Supersede by another certificate"), {"other": "FEH-2026-000043-84", **_TEXT}
)
ErratumOnCertificate = _door(Step.ERRATUM, _("Publish an erratum"), {"do_not_rely": False, **_TEXT})
