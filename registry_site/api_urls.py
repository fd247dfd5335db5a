"""All of /api/v1/, on one page."""

from django.urls import path, re_path

from certificates.api.evidence import Evidence, HandInEvidence
from grading.api.schemes import OneScheme, Schemes
from registry_site.api import NoSuchAddress

urlpatterns = [
    path("evidence/", HandInEvidence.as_view()),
    path("evidence/<str:sha256>/", Evidence.as_view()),
    path("schemes/", Schemes.as_view()),
    path("schemes/<str:scheme>/", OneScheme.as_view()),
    # Last: whatever is left is a problem document, never a page.
    re_path(r"^.*$", NoSuchAddress.as_view()),
]
