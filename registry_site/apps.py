"""Django's name for this app."""

from django.apps import AppConfig


class RegistrySiteConfig(AppConfig):
    name = "registry_site"
