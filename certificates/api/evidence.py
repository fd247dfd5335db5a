"""Doors to hand evidence in and to follow what becomes of it."""

from datetime import timedelta
from http import HTTPStatus
from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.parsers import MultiPartParser as MultiPartBody
from rest_framework.request import Request
from rest_framework.response import Response

from certificates import pipeline, visibility
from certificates.api import taken
from evidence import findings, intake, storage, upload_handler, verification
from evidence.api import shown
from evidence.models import EvidencePackage, Verification
from registry_site import bearer, clock, idempotency, present_language
from registry_site.api import Endpoint, moved
from registry_site.models import IdempotencyRecord
from registry_site.problems import Refusal
from registry_site.roles import Role


class EvidenceNotFound(Refusal):
    """No such bytes, or none that this reader may know of: the two are not told apart."""

    code = "evidence_not_found"
    status = HTTPStatus.NOT_FOUND
    title = _("There is no evidence with that SHA-256 that you may see")


class HandIn(serializers.Serializer):
    """The fields of the form."""

    file = serializers.FileField(help_text=_("The ZIP, as it is: see docs/evidence-package.md."))
    sha256 = serializers.CharField(required=False, help_text=_("Its SHA-256, 64 hexadecimal digits."))


SHA256_PARAMETER = OpenApiParameter(
    "sha256", str, OpenApiParameter.PATH, description=_("SHA-256 of the file, 64 hexadecimal digits.")
)


class HandInEvidence(Endpoint):
    """Evidence is handed in as one file, streamed to storage and never held in memory."""

    tag = "evidence"
    parser_classes = [MultiPartBody]
    # The largest package over a slow line: a repetition within this time is told that the first still runs.
    idempotency_lease = timedelta(hours=6)
    # A connection that was cut is no answer for ever: the same key tries again.
    keeps_refusals = False
    problems = {
        "POST": (
            intake.TooLarge,
            intake.InvalidDigest,
            intake.DigestMismatch,
            intake.ConnectionCut,
            storage.StorageFull,
            upload_handler.MalformedUpload,
        )
    }

    @extend_schema(
        operation_id="hand_in_evidence",
        summary=_("Hand in an evidence package"),
        description=_(
            "Needs a token with the role «evaluator». The same file handed in again is found, not stored "
            "twice: 201 the first time, 200 afterwards. Follow «Location» until «state» is ready, rejected "
            "or failed."
        ),
        request={"multipart/form-data": HandIn},
        responses={
            201: OpenApiResponse(shown.ShownPackage, description=_("Received; verification begins.")),
            200: OpenApiResponse(shown.ShownPackage, description=_("It was here already.")),
        },
    )
    def post(self, request: Request) -> Response:
        user = bearer.require_role(request, Role.EVALUATOR)
        if self.earlier is not None:
            self._repeat_after_reading(request)
        upload = upload_handler.receive(request._request, by=user, at=clock.now())
        pipeline.wake(upload.package)
        self.body_sha256 = upload.package.sha256
        status = HTTPStatus.CREATED if upload.created else HTTPStatus.OK
        response = Response(_shown(upload.package, reader=user), status=status)
        response["Location"] = f"/api/v1/evidence/{upload.package.sha256}/"
        return response

    # A streamed body is known only when it was read: its file's SHA-256 stands for it.
    earlier: IdempotencyRecord | None = None

    def digest_of_body(self, request: Request) -> str:
        return ""

    def repeat(self, record: IdempotencyRecord) -> None:
        self.earlier = record

    def _repeat_after_reading(self, request: Request) -> None:
        """The answer given before, when the file is the same one; read and hashed, not stored again."""
        idempotency.require_same(self.earlier, upload_handler.digest_of_file(request._request))
        super().repeat(self.earlier)


class Evidence(Endpoint):
    """What became of a package: progress while it is checked, then what was found and how to mend it."""

    tag = "evidence"
    public = False
    problems = {"GET": (EvidenceNotFound,)}

    @extend_schema(
        operation_id="read_evidence",
        summary=_("Follow an evidence package"),
        description=_(
            "Before a certificate or a refusal rests on it, only its submitter and the staff see it; "
            "findings and progress always. Of sealed members the public sees no digest."
        ),
        parameters=[SHA256_PARAMETER],
        responses=shown.ShownPackage,
    )
    def get(self, request: Request, sha256: str) -> Response:
        if sha256 != sha256.lower() and taken.SHA256.fullmatch(sha256.lower()):
            return moved(request, f"/api/v1/evidence/{sha256.lower()}/")
        package = visibility.package_for(request.user, sha256) if taken.SHA256.fullmatch(sha256) else None
        if package is None:
            raise EvidenceNotFound()
        return Response(_shown(package, reader=request.user))


def _shown(package: EvidencePackage, *, reader: Any) -> dict[str, Any]:
    found = verification.latest(package)
    whole = visibility.sees_findings(reader, package)
    measurements = [
        {"id": row.pk, "scheme": str(row.scheme), "address": f"/api/v1/measurements/{row.pk}/"}
        for row in package.measurements.select_related("scheme").order_by("pk")
    ]
    row = shown.package(
        package,
        verification=found,
        findings=_findings(package, found, reader=reader) if whole else None,
        measurements=measurements,
        certificates=list(visibility.certificates_on(package.sha256).values_list("number", flat=True)),
        notices=list(visibility.refusals_on(package.sha256).values_list("number", flat=True)),
    )
    return shown.ShownPackage(row).data


def _findings(package: EvidencePackage, found: Verification | None, *, reader: Any) -> dict[str, Any]:
    """Findings and warnings in the language of the answer; those on sealed members are for the submitter."""
    listed, warned = visibility.findings_for(reader, found) if found else ([], [])
    language = present_language.code()
    name = package.filename or "package.zip"
    return {
        "findings": [findings.told(one, language=language, package=name) for one in listed],
        "findings_omitted": sum((found.findings_omitted if found else {}).values()),
        "warnings": [findings.told(one, language=language, package=name) for one in warned],
    }
