"""Doors to published schemes."""

from http import HTTPStatus

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from grading.api import shown
from grading.models import Scheme
from registry_site.api import Endpoint
from registry_site.cursors import CursorPagination, InvalidCursor
from registry_site.problems import Refusal
from registry_site.taken import InvalidFields


class SchemeNotFound(Refusal):
    code = "scheme_not_found"
    status = HTTPStatus.NOT_FOUND
    title = _("There is no published scheme with that code and version")


class Schemes(Endpoint):
    """Published versions, newest first."""

    tag = "schemes"
    pagination_class = CursorPagination
    problems = {"GET": (InvalidCursor, InvalidFields)}

    @extend_schema(
        operation_id="list_schemes", summary=_("Published schemes"), responses=shown.ShownScheme(many=True)
    )
    def get(self, request: Request) -> Response:
        pages = CursorPagination()
        rows = pages.paginate_queryset(Scheme.objects.defer("file"), request, self)
        found = shown.ShownScheme([shown.scheme(row) for row in rows], many=True)
        return pages.get_paginated_response(found.data)


class OneScheme(Endpoint):
    """One published version, with its rules."""

    tag = "schemes"
    problems = {"GET": (SchemeNotFound,)}

    @extend_schema(
        operation_id="read_scheme", summary=_("One scheme with its rules"), responses=shown.ShownSchemeWhole
    )
    def get(self, request: Request, scheme: str) -> Response:
        code, _dash, version = scheme.partition("-")
        row = Scheme.objects.filter(code=code, version=version).first()
        if row is None:
            raise SchemeNotFound()
        return Response(shown.ShownSchemeWhole(shown.scheme_whole(row)).data)
