"""Site map: every address, readable on one screen."""

from django.conf.urls.i18n import i18n_patterns  # noqa: F401
from django.urls import include, path, re_path

from registry_site.api import NoSuchAddress

urlpatterns = [
    path("api/v1/", include("registry_site.api_urls")),
    re_path(r"^api/", NoSuchAddress.as_view()),
    path("accounts/", include("allauth.urls")),
]
