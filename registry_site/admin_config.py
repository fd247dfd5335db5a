"""Puts the registry's own door before Django's admin (see registry_site.admin_site)."""

from django.contrib.admin.apps import AdminConfig


class RegistryAdminConfig(AdminConfig):
    default_site = "registry_site.admin_site.RegistryAdminSite"
