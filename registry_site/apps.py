"""Django's name for this app, and its checks."""

from django.apps import AppConfig


class RegistrySiteConfig(AppConfig):
    name = "registry_site"

    def ready(self) -> None:
        from registry_site import checks  # noqa: F401  (registers them)
