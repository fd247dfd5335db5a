"""Doors to applications for the staff: which wait, and where each stands. The public reads them at the decision."""

from http import HTTPStatus

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from certificates import application_rows
from certificates.api import shown
from certificates.api.taken import PageQuery
from certificates.application_states import ApplicationState
from certificates.models import Application
from registry_site import bearer, roles
from registry_site.api import Endpoint
from registry_site.cursors import CursorPagination, InvalidCursor
from registry_site.problems import Refusal
from registry_site.roles import Role
from registry_site.taken import InvalidFields, take

NUMBER = OpenApiParameter(
    "number", str, OpenApiParameter.PATH, description=_("Number of an application: SOL-2026-000007.")
)
FOR_STAFF = _("Needs a token with the role «evaluator», «certifier» or «appeals_officer», of a person.")


class ApplicationNotFound(Refusal):
    """No application has that number."""

    code = "application_not_found"
    status = HTTPStatus.NOT_FOUND
    title = _("There is no application with that number")


class ApplicationQuery(PageQuery):
    """Filters of the list of applications."""

    state = serializers.ChoiceField(choices=[state.value for state in ApplicationState], required=False)


def _require_staff(request: Request) -> None:
    held = getattr(request.auth, "role", None)
    user = bearer.require_role(request, Role(held) if held in roles.DECIDING_ROLES else Role.CERTIFIER)
    if roles.person_of(user) is None:
        raise bearer.ServiceAccount()


class Applications(Endpoint):
    """Applications, newest first."""

    tag = "decisions"
    public = False
    pagination_class = CursorPagination
    problems = {"GET": (InvalidCursor, InvalidFields, bearer.RoleNeeded, bearer.ServiceAccount)}

    @extend_schema(
        operation_id="list_applications",
        summary=_("Applications, for the staff"),
        description=FOR_STAFF,
        parameters=[ApplicationQuery],
        responses=shown.ShownApplication(many=True),
    )
    def get(self, request: Request) -> Response:
        _require_staff(request)
        wanted = take(ApplicationQuery, request.query_params, query=True)
        rows = application_rows.with_parents()
        if "state" in wanted:
            rows = rows.filter(standing__state=wanted["state"])
        pages = CursorPagination()
        found = [shown.application(row) for row in pages.paginate_queryset(rows, request, self)]
        return pages.get_paginated_response(shown.ShownApplication(found, many=True).data)


class OneApplication(Endpoint):
    """One application with its steps."""

    tag = "decisions"
    public = False
    problems = {"GET": (ApplicationNotFound, bearer.RoleNeeded, bearer.ServiceAccount)}

    @extend_schema(
        operation_id="read_application",
        summary=_("One application, for the staff"),
        description=FOR_STAFF,
        parameters=[NUMBER],
        responses=shown.ShownApplication,
    )
    def get(self, request: Request, number: str) -> Response:
        _require_staff(request)
        row: Application | None = application_rows.find(number)
        if row is None:
            raise ApplicationNotFound()
        return Response(shown.ShownApplication(shown.application(row)).data)
