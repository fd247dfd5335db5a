"""The frame's rows in the admin, only to be looked at: roles are given by `roles.grant`, which knows rule 5."""

from django.contrib import admin

from registry_site.admin_site import ReadOnly
from registry_site.models import ApiToken, AuditEntry, Person, RoleGrant, User


@admin.register(Person)
class PersonAdmin(ReadOnly):
    list_display = ("name", "created_at")
    search_fields = ("name",)


@admin.register(User)
class UserAdmin(ReadOnly):
    list_display = ("email", "person", "service_name", "language", "is_active")
    list_select_related = ("person",)
    search_fields = ("email", "person__name", "service_name")
    exclude = ("password", "groups", "user_permissions")


@admin.register(RoleGrant)
class RoleGrantAdmin(ReadOnly):
    list_display = ("person", "role", "granted_by", "granted_at", "ended_at")
    list_select_related = ("person", "granted_by")
    list_filter = ("role",)


@admin.register(ApiToken)
class ApiTokenAdmin(ReadOnly):
    list_display = ("user", "role", "label", "created_at", "expires_at", "revoked_at")
    list_select_related = ("user",)
    exclude = ("sha256",)


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnly):
    list_display = ("at", "person", "action", "subject")
    list_select_related = ("person",)
    search_fields = ("action", "subject", "person__name")
    ordering = ("-at", "-pk")
