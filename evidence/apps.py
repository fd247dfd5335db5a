"""Django's name for this app."""

from django.apps import AppConfig


class EvidenceConfig(AppConfig):
    name = "evidence"
