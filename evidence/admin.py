"""Holders, systems and packages in the admin, only to be looked at."""

from django.contrib import admin

from evidence.models import EvidencePackage, Holder, System, SystemVersion, Verification
from registry_site.admin_site import ReadOnly


@admin.register(Holder)
class HolderAdmin(ReadOnly):
    list_display = ("name", "country", "identifier_kind", "identifier", "confirmation")
    list_filter = ("confirmation",)
    search_fields = ("name", "identifier")


@admin.register(System)
class SystemAdmin(ReadOnly):
    list_display = ("name", "holder", "confirmation")
    list_select_related = ("holder",)
    search_fields = ("name",)


@admin.register(SystemVersion)
class SystemVersionAdmin(ReadOnly):
    list_display = ("system", "version", "model_family")
    list_select_related = ("system",)


@admin.register(EvidencePackage)
class EvidencePackageAdmin(ReadOnly):
    list_display = ("pk", "sha256", "state", "submitter", "created_at")
    list_select_related = ("submitter",)
    list_filter = ("state",)
    exclude = ("lease",)


@admin.register(Verification)
class VerificationAdmin(ReadOnly):
    list_display = ("package", "verifier_version", "integrity", "complete", "at")
    list_select_related = ("package",)
    # Findings and descriptor may quote sealed members: they are shown on the package's page, by its rules.
    fields = ("package", "verifier_version", "integrity", "complete", "sha256", "size", "member_count", "at")
