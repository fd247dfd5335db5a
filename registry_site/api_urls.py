"""All of /api/v1/, on one page."""

from django.urls import re_path

from registry_site import api

urlpatterns = [
    # Last: whatever is left is a problem document, never a page.
    re_path(r"^.*$", api.NoSuchAddress.as_view()),
]
