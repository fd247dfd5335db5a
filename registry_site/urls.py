"""Site map: every address, readable on one screen."""

from django.conf.urls.i18n import i18n_patterns  # noqa: F401
from django.urls import include, path

urlpatterns = [
    path("accounts/", include("allauth.urls")),
]
