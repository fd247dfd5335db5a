"""What the API shows of a hand-in: its journey, what was found, how to mend it; sealed members respected."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from evidence.models import EvidencePackage, Integrity, Member, PackageState, Verification
from evidence.models.package import Fault


class ShownProgress(serializers.Serializer):
    """How far the verification is. Never ahead of what was really read."""

    bytes = serializers.IntegerField()
    total = serializers.IntegerField()
    members = serializers.IntegerField()
    member = serializers.CharField(allow_blank=True)


class ShownFinding(serializers.Serializer):
    """One fault of a package, with how to mend it in the language of Accept-Language."""

    code = serializers.CharField()
    member = serializers.CharField(allow_null=True)
    key = serializers.CharField(allow_null=True)
    expected = serializers.JSONField(allow_null=True)
    found = serializers.JSONField(allow_null=True)
    meaning = serializers.CharField(required=False)
    mend = serializers.CharField()


class ShownMeasured(serializers.Serializer):
    """A measurement made from the package, with its address."""

    id = serializers.IntegerField()
    scheme = serializers.CharField()
    address = serializers.CharField()


class ShownPackage(serializers.Serializer):
    """One hand-in. What only its submitter and the staff read is absent for everybody else."""

    sha256 = serializers.CharField()
    bytes = serializers.IntegerField(allow_null=True)
    state = serializers.ChoiceField(choices=PackageState.choices)
    fault = serializers.ChoiceField(choices=Fault.choices, allow_null=True)
    failure = serializers.CharField(allow_null=True, required=False)
    filename = serializers.CharField(required=False)
    declared_sha256 = serializers.CharField(allow_null=True, required=False)
    attempts = serializers.IntegerField(required=False)
    received_at = serializers.DateTimeField(allow_null=True)
    finished_at = serializers.DateTimeField(allow_null=True)
    deadline_at = serializers.DateTimeField(allow_null=True, required=False)
    progress = ShownProgress(required=False)
    integrity = serializers.ChoiceField(choices=Integrity.choices)
    complete = serializers.BooleanField(allow_null=True, help_text=_("All that is announced is there."))
    checked_at = serializers.DateTimeField(allow_null=True)
    verifier = serializers.CharField(allow_null=True)
    members = serializers.IntegerField(allow_null=True)
    findings = ShownFinding(many=True, required=False)
    findings_omitted = serializers.IntegerField(required=False, help_text=_("Counted, not listed."))
    warnings = ShownFinding(many=True, required=False)
    measurements = ShownMeasured(many=True)
    certificates = serializers.ListField(child=serializers.CharField())
    notices = serializers.ListField(child=serializers.CharField())

    def to_representation(self, instance: dict[str, Any]) -> dict[str, Any]:
        # A key that was left out stays out, also where null is allowed.
        return {key: value for key, value in super().to_representation(instance).items() if key in instance}


class ShownMember(serializers.Serializer):
    """A file of the package. Of a sealed one only its salted commitment is public."""

    path = serializers.CharField()
    bytes = serializers.IntegerField()
    sha256 = serializers.CharField(allow_null=True)
    sealed = serializers.BooleanField()
    commitment = serializers.CharField(
        allow_null=True, help_text=_("SHA-256 of 32 random bytes and the file, in place of its own.")
    )
    address = serializers.CharField(allow_null=True, help_text=_("Where its bytes are, when they are open."))


class ShownEvidence(serializers.Serializer):
    """The evidence that a certificate rests on."""

    certificate = serializers.CharField()
    sha256 = serializers.CharField()
    bytes = serializers.IntegerField()
    integrity = serializers.ChoiceField(choices=Integrity.choices)
    complete = serializers.BooleanField()
    checked_at = serializers.DateTimeField()
    verifier = serializers.CharField()
    access = serializers.ChoiceField(choices=["open", "members", "digest_only"])
    address = serializers.CharField(allow_null=True, help_text=_("Where the whole file is, when it is open."))
    members_total = serializers.IntegerField()
    members = ShownMember(many=True)
    next = serializers.CharField(allow_null=True, help_text=_("Address of the next page of members."))


def package(
    row: EvidencePackage,
    *,
    verification: Verification | None,
    findings: dict[str, Any] | None,
    measurements: list[dict[str, Any]],
    certificates: list[str],
    notices: list[str],
) -> dict[str, Any]:
    """A hand-in as JSON. `findings` None: the reader is neither its submitter nor staff."""
    shown: dict[str, Any] = {
        "sha256": row.sha256,
        "bytes": row.size,
        "state": row.state,
        "fault": row.fault or None,
        "received_at": row.received_at,
        "finished_at": row.finished_at,
        "integrity": verification.integrity if verification else Integrity.NOT_CHECKED,
        "complete": verification.complete if verification else None,
        "checked_at": verification.at if verification else None,
        "verifier": verification.verifier_version if verification else None,
        "members": verification.member_count if verification else None,
        "measurements": measurements,
        "certificates": certificates,
        "notices": notices,
    }
    if findings is None:
        return shown
    return {
        **shown,
        "failure": row.failure or None,
        "filename": row.filename,
        "declared_sha256": row.declared_sha256 or None,
        "attempts": row.attempts,
        "deadline_at": row.deadline_at,
        "progress": {
            "bytes": row.progress_bytes,
            "total": row.progress_total,
            "members": row.progress_members,
            "member": row.progress_member,
        },
        **findings,
    }


def member(row: Member, *, address: str | None) -> dict[str, Any]:
    return {
        "path": row.path,
        "bytes": row.size,
        "sha256": None if row.sealed else row.sha256,
        "sealed": row.sealed,
        "commitment": row.commitment or None,
        "address": None if row.sealed else address,
    }
