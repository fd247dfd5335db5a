"""Django's name for this app."""

from django.apps import AppConfig


class GradingConfig(AppConfig):
    name = "grading"
