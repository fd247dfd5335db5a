"""Django's admin as a reading room: who may enter, and the one kind of shelf in it.

Staff work on their own pages (/staff/), where the rules are asked. Here rows are looked at and nothing is written:
a superuser may do no more than anybody else. People, their accounts, roles, tokens, second factors and interests,
and the audit log, are not here at all: who looks at them is asked and written down on /staff/.
"""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext_lazy as _

from registry_site import roles, second_factor


class RegistryAdminSite(admin.AdminSite):
    """Opens only to a person with a role, `is_staff`, and a second factor in this very session."""

    site_header = "Fehaciente"
    site_title = "Fehaciente"
    index_title = _("Reference data")
    enable_nav_sidebar = False

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Put up a shelf to look at. Those that libraries bring along write, second factors among them: left out."""
        if admin_class is not None and issubclass(admin_class, ReadOnly):
            super().register(model_or_iterable, admin_class, **options)

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
