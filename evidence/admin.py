"""Holders, systems and interests in the admin: interests are entered by a registrar, the rest is looked at."""

from django.contrib import admin
from django.core.exceptions import ValidationError
from django.forms import ModelForm
from django.utils.translation import gettext_lazy as _

from evidence.models import EvidencePackage, Holder, Interest, System, SystemVersion, Verification
from registry_site.admin_site import KeptByRegistrars, ReadOnly


class InterestForm(ModelForm):
    """Nobody ends an interest of one's own: it would lift the rule that it stands for."""

    def clean(self):
        cleaned = super().clean()
        started, ended = cleaned.get("declared_at"), cleaned.get("ended_at")
        if started and ended and ended < started:
            self.add_error("ended_at", ValidationError(_("It ended before it began.")))
        return cleaned


@admin.register(Interest)
class InterestAdmin(KeptByRegistrars):
    form = InterestForm
    list_display = ("person", "holder", "kind", "declared_at", "ended_at")
    list_select_related = ("person", "holder")
    autocomplete_fields = ("person", "holder")

    def has_change_permission(self, request, obj=None):
        own = obj is not None and request.user.person_id == obj.person_id
        return super().has_change_permission(request, obj) and not own


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
