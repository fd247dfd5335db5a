"""Site map: every address, readable on one screen."""

from django.contrib import admin
from django.urls import include, path, re_path

from certificates.api import reference
from certificates.views import invitations
from registry_site import error_pages
from registry_site.api import NoSuchAddress

urlpatterns = [
    path("api/v1/", include("registry_site.api_urls")),
    re_path(r"^api/", NoSuchAddress.as_view()),
    path("problems/<slug:code>", reference.problem),
    path("staff/", include("certificates.staff_urls")),
    path("runs/", include("certificates.runs_urls")),
    path("holder/", include("certificates.holder_urls")),
    # An account keeps the address it was invited under: whoever holds a session cannot move it to another.
    re_path(r"^accounts/(?:email|confirm-email)(?:/|$)", error_pages.no_such_page),
    path("accounts/invitation/", invitations.accept, name="invitation"),
    path("accounts/invitation/link/<str:secret>/", invitations.by_link),
    path("accounts/", include("allauth.urls")),
    path("admin/", admin.site.urls),
    # Last: the public addresses take whatever begins with a language.
    path("", include("certificates.public_urls")),
]

handler400 = "registry_site.error_pages.bad_request"
handler403 = "registry_site.error_pages.permission_denied"
handler404 = "registry_site.error_pages.page_not_found"
handler500 = "registry_site.error_pages.server_error"
