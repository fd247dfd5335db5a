"""Doors to what is public: certificates, status, history, figures, evidence, notices, look-up by hash."""

from datetime import date, datetime
from http import HTTPStatus
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import HttpResponseBase
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from certificates import (
    finding,
    page_facts,
    publishing,
    queries,
    sealed_sets,
    terms,
    visibility,
)
from certificates.api import shown, taken
from certificates.models import Notice
from certificates.page_facts import Told
from evidence.api.shown import ShownEvidence
from evidence.descriptor import Access
from evidence.models import Member
from grading.api.shown import ShownMeasurement
from registry_site import clock, documents
from registry_site.api import Endpoint, moved
from registry_site.cursors import CursorPagination, InvalidCursor, next_page
from registry_site.problems import Refusal
from registry_site.taken import InvalidFields, take

NUMBER = OpenApiParameter(
    "number",
    str,
    OpenApiParameter.PATH,
    description=_("In any spelling; another than the printed one is answered with 308."),
)
ON_NUMBERS = (finding.CertificateNotFound, finding.NumberMistyped)


class NotYetIssued(Refusal):
    """`as_of` lies before the issue: nothing was said then."""

    code = "not_yet_issued"
    status = HTTPStatus.NOT_FOUND
    title = _("There was no such certificate yet at that instant")


class InTheFuture(Refusal):
    code = "as_of_in_the_future"
    status = HTTPStatus.BAD_REQUEST
    title = _("What will be said in the future is not known: ask for a past instant")


class MeasurementNotFound(Refusal):
    """No such measurement, or none that this reader may know of: the two are not told apart."""

    code = "measurement_not_found"
    status = HTTPStatus.NOT_FOUND
    title = _("There is no measurement with that id that you may see")


class NotASha256(Refusal):
    code = "invalid_sha256"
    status = HTTPStatus.BAD_REQUEST
    title = _("A SHA-256 is written as 64 hexadecimal digits")


class UnknownSha256(Refusal):
    code = "sha256_not_found"
    status = HTTPStatus.NOT_FOUND
    title = _("No certificate here rests on a file with that SHA-256")


class Certificates(Endpoint):
    """The list of certificates, newest first, with the filters of its page."""

    tag = "certificates"
    problems = {"GET": (InvalidCursor, InvalidFields, finding.NumberMistyped)}

    @extend_schema(
        operation_id="list_certificates",
        summary=_("Find certificates"),
        description=_(
            "Newest first. «status» is what it is now, by the clock too. «q» is a number in any spelling, a "
            "SHA-256 or its beginning, or words of the names."
        ),
        parameters=[taken.CertificateQuery],
        responses=shown.ShownList,
    )
    def get(self, request: Request) -> Response:
        values = take(taken.CertificateQuery, request.query_params, query=True)
        after = values.get("cursor", "")
        if after and not queries.is_cursor(after):
            raise InvalidCursor()
        at = clock.now()
        wanted = queries.Wanted(
            **{name: str(values.get(name, "")) for name in taken.FILTERS},
            after=after,
            size=values.get("limit", settings.REST_FRAMEWORK["PAGE_SIZE"]),
        )
        found = queries.find(wanted, at=at)
        if found.wrong_check_digit:
            raise finding.NumberMistyped()
        following = next_page(request, found.following)
        rows = [
            shown.listed(*pair) for pair in zip(found.rows, queries.listed(found.rows, at=at), strict=True)
        ]
        body = {"results": rows, "count": found.count, "more_than": found.more_than, "next": following}
        response = Response(shown.ShownList(body).data)
        if following:
            response["Link"] = f'<{following}>; rel="next"'
        return response


class _OfOneCertificate(Endpoint):
    """An address below a certificate's number; another spelling of it is led to the printed one."""

    tag = "certificates"
    problems = {"GET": ON_NUMBERS}
    below = ""

    def get(self, request: Request, number: str) -> HttpResponseBase:
        canonical = finding.canonical_number(number)
        if canonical != number:
            return moved(request, f"/api/v1/certificates/{canonical}/{self.below}")
        return self.answer(request, canonical)

    def answer(self, request: Request, number: str) -> HttpResponseBase:
        raise NotImplementedError

    def told(self, number: str) -> Told:
        return page_facts.of_certificate(finding.certificate(number), at=clock.now())


class OneCertificate(_OfOneCertificate):
    """What a certificate names, and its status now."""

    @extend_schema(
        operation_id="read_certificate",
        summary=_("One certificate"),
        parameters=[NUMBER],
        responses=shown.ShownCertificate,
    )
    def get(self, request: Request, number: str) -> HttpResponseBase:
        return super().get(request, number)

    def answer(self, request: Request, number: str) -> Response:
        return Response(shown.ShownCertificate(shown.certificate(self.told(number))).data)


class CertificateStatus(_OfOneCertificate):
    """The published status document; with `as_of`, what it said then."""

    below = "status/"
    problems = {"GET": (*ON_NUMBERS, NotYetIssued, InTheFuture, InvalidFields)}

    @extend_schema(
        operation_id="read_status",
        summary=_("The status of a certificate"),
        description=_(
            "Without parameters the same bytes for everybody, revalidated with their ETag. «as_of» is the "
            "last change they reflect; «stale_at» is when the clock alone will change them."
        ),
        parameters=[NUMBER, taken.StatusQuery],
        responses=shown.ShownStatus,
    )
    def get(self, request: Request, number: str) -> HttpResponseBase:
        return super().get(request, number)

    def answer(self, request: Request, number: str) -> HttpResponseBase:
        values = take(taken.StatusQuery, request.query_params, query=True)
        if "as_of" in values:
            return Response(_status_then(number, values["as_of"]))
        document = publishing.document(number, kind="status", at=clock.now())
        if document is None:
            raise finding.CertificateNotFound()
        return documents.response(document, request)


def past_instant(as_of: datetime | date, *, now: datetime, zone: ZoneInfo) -> datetime:
    """The instant that `as_of` asks about; of a day its end, or now. Raises InTheFuture."""
    if not isinstance(as_of, datetime):
        if as_of > now.astimezone(zone).date():
            raise InTheFuture()
        as_of = min(terms.end_of_day(as_of, zone=zone), now)
    if as_of > now:
        raise InTheFuture()
    return as_of


def _status_then(number: str, as_of: datetime | date) -> dict[str, Any]:
    certificate = finding.certificate(number)
    now = clock.now()
    then = past_instant(as_of, now=now, zone=ZoneInfo(certificate.zone))
    found = publishing.status_then(certificate, then=then, now=now)
    if found is None:
        raise NotYetIssued(issued_at=certificate.issued_at.isoformat())
    status, later = found
    return {**status, "later_overturned_by": shown.later_overturned(later)}


class CertificateHistory(_OfOneCertificate):
    """The append-only events, with the bytes that are hashed."""

    below = "history/"

    @extend_schema(
        operation_id="read_history",
        summary=_("The history of a certificate"),
        description=_(
            "Oldest first. SHA-256 of «bytes» is «hash», and «previous» is the hash of the one before."
        ),
        parameters=[NUMBER],
        responses=shown.ShownHistory,
    )
    def get(self, request: Request, number: str) -> HttpResponseBase:
        return super().get(request, number)

    def answer(self, request: Request, number: str) -> Response:
        return Response(shown.ShownHistory(shown.history(self.told(number))).data)


class CertificateFigures(_OfOneCertificate):
    """Published figures: suppression applied."""

    below = "figures/"

    @extend_schema(
        operation_id="read_figures",
        summary=_("The published figures of a certificate"),
        parameters=[NUMBER],
        responses=shown.ShownFigures,
    )
    def get(self, request: Request, number: str) -> HttpResponseBase:
        return super().get(request, number)

    def answer(self, request: Request, number: str) -> Response:
        return Response(shown.ShownFigures(shown.figures(self.told(number))).data)


class CertificateEvidence(_OfOneCertificate):
    """The evidence a certificate rests on: digests of open members, commitments of sealed ones."""

    below = "evidence/"
    ordering = "id"
    problems = {"GET": (*ON_NUMBERS, InvalidCursor, InvalidFields)}

    @extend_schema(
        operation_id="read_certificate_evidence",
        summary=_("The evidence of a certificate"),
        description=_("Members come in pages: follow «next»."),
        parameters=[NUMBER, taken.PageQuery],
        responses=ShownEvidence,
    )
    def get(self, request: Request, number: str) -> HttpResponseBase:
        return super().get(request, number)

    def answer(self, request: Request, number: str) -> Response:
        told = self.told(number)
        verification = told.certificate.measurement.verification
        open_to = told.page.evidence.access
        members = verification.members.all() if open_to != Access.DIGEST_ONLY else Member.objects.none()
        pages = CursorPagination()
        listed = pages.paginate_queryset(members, request, self)
        listed = sealed_sets.as_told(listed, told.certificate.measurement)
        whole = shown.evidence(told, listed, complete=verification.complete, following=pages.next_link())
        return Response(ShownEvidence(whole).data)


class OneMeasurement(Endpoint):
    """Frozen figures of one package under one scheme, as published."""

    tag = "measurements"
    public = False
    problems = {"GET": (MeasurementNotFound,)}

    @extend_schema(
        operation_id="read_measurement",
        summary=_("One measurement"),
        description=_(
            "Public once a certificate or a refusal rests on the system's version under this scheme; before "
            "that for its submitter and the staff. Figures are suppressed alike for everybody."
        ),
        responses=ShownMeasurement,
    )
    def get(self, request: Request, measurement: int) -> Response:
        row = visibility.measurement_for(request.user, measurement) if measurement < 2**63 else None
        if row is None:
            raise MeasurementNotFound()
        return Response(ShownMeasurement(shown.measurement(row)).data)


class OneNotice(Endpoint):
    """The numbered public text of a decision."""

    tag = "notices"
    problems = {"GET": (finding.NoticeNotFound,)}

    @extend_schema(
        operation_id="read_notice",
        summary=_("One notice"),
        parameters=[NUMBER],
        responses=shown.ShownNotice,
    )
    def get(self, request: Request, number: str) -> HttpResponseBase:
        canonical = finding.canonical_notice(number)
        if canonical != number:
            return moved(request, f"/api/v1/notices/{canonical}/")
        row = (
            Notice.objects.select_related("certificate", "about", "other", "application_event__application")
            .filter(number=number)
            .first()
        )
        if row is None:
            raise finding.NoticeNotFound()
        return Response(shown.ShownNotice(shown.notice(row)).data)


class Lookup(Endpoint):
    """What a file that someone holds has to do with certificates: its bytes stay with whoever asks."""

    tag = "lookup"
    problems = {"GET": (NotASha256, UnknownSha256)}

    @extend_schema(
        operation_id="look_up_sha256",
        summary=_("Look a file up by its SHA-256"),
        description=_(
            "Evidence, open members of it, question sets and scheme files that a certificate here rests on. "
            "Sealed members are not found by their digest."
        ),
        parameters=[OpenApiParameter("sha256", str, OpenApiParameter.PATH)],
        responses=shown.ShownLookup,
    )
    def get(self, request: Request, sha256: str) -> HttpResponseBase:
        digest = sha256.lower()
        if not taken.SHA256.fullmatch(digest):
            raise NotASha256()
        if digest != sha256:
            return moved(request, f"/api/v1/lookup/{digest}/")
        matches = visibility.rests_on(digest)
        if not matches:
            raise UnknownSha256()
        return Response(shown.ShownLookup({"sha256": digest, "matches": matches}).data)
