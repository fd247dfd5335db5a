"""Certificates, their events and notices in the admin, only to be looked at: decisions are taken on /staff/."""

from django.contrib import admin

from certificates.models import Certificate, CertificateState, HolderRequest, Notice, StatusEvent
from registry_site.admin_site import ReadOnly


@admin.register(Certificate)
class CertificateAdmin(ReadOnly):
    list_display = ("number", "system_version", "issued_at", "valid_until")
    list_select_related = ("system_version__system",)
    search_fields = ("number",)


@admin.register(CertificateState)
class CertificateStateAdmin(ReadOnly):
    list_display = ("number", "word", "final", "sequence", "changed_at", "valid_until")
    list_filter = ("word",)
    search_fields = ("number",)
    exclude = ("folded",)


@admin.register(StatusEvent)
class StatusEventAdmin(ReadOnly):
    list_display = ("certificate", "sequence", "step", "reason", "at")
    list_select_related = ("certificate",)
    ordering = ("-at", "-pk")
    fields = ("certificate", "sequence", "step", "reason", "notice", "role", "at", "previous", "hash")


@admin.register(Notice)
class NoticeAdmin(ReadOnly):
    list_display = ("number", "decision", "certificate", "at", "decided_by")
    list_select_related = ("certificate", "decided_by")
    search_fields = ("number",)


@admin.register(HolderRequest)
class HolderRequestAdmin(ReadOnly):
    list_display = ("certificate", "kind", "received_on", "stored_by")
    list_select_related = ("certificate", "stored_by")
    # The holder's words may name persons: they are read on the certificate's page.
    exclude = ("text",)
