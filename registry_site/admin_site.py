"""Django's admin as a reading room: who may enter, and the two kinds of shelves in it.

Staff decide on their own pages (/staff/). Here rows are looked at; what may be entered is reference data, and the
rules that hold on the pages hold here too: a superuser without the role may do no more than anybody else.
"""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from registry_site import audit, clock, roles, second_factor


class RegistryAdminSite(admin.AdminSite):
    """Opens only to a person with a role, `is_staff`, and a second factor in this very session."""

    site_header = "Fehaciente"
    site_title = "Fehaciente"
    index_title = _("Reference data")
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        user = request.user
        return bool(
            user.is_active and user.is_staff and roles.held_by(user) and second_factor.is_proved(request)
        )

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        # Its own form knows no second factor: sign-in has one door, and it is not this one.
        return redirect("staff:queue") if request.user.is_authenticated else redirect("account_login")


class ReadOnly(admin.ModelAdmin):
    """A shelf to look at: nobody adds, changes or deletes here, whatever permissions the account has."""

    actions = None
    list_per_page = 50
    show_full_result_count = False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.admin_site.has_permission(request)

    has_module_permission = has_view_permission

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class KeptByRegistrars(ReadOnly):
    """Reference data that a registrar enters and corrects; nothing is ever deleted, every change is audited."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return roles.holds(request.user, roles.Role.REGISTRAR)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return roles.holds(request.user, roles.Role.REGISTRAR)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        name = obj._meta.model_name
        audit.record(
            f"{name}.{'changed' if change else 'added'}",
            by=request.user.person,
            at=clock.now(),
            subject=f"{name}:{obj.pk}",
            fields=sorted(form.changed_data),
        )
