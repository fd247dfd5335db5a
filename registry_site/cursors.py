"""Pages of a list by the last row seen."""

import base64
import binascii
import json
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.utils.http import urlencode
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from rest_framework.pagination import BasePagination
from rest_framework.request import Request
from rest_framework.response import Response

from registry_site.problems import Refusal
from registry_site.taken import InvalidFields


class InvalidCursor(Refusal):
    code = "invalid_cursor"
    status = HTTPStatus.BAD_REQUEST
    title = _("That cursor was not made here. Begin again without one, and follow «next».")


def next_page(request: Request, cursor: str | None) -> str | None:
    """The address of the page that begins at `cursor`, same filters; relative: no host is trusted."""
    if cursor is None:
        return None
    query = {key: request.query_params[key] for key in request.query_params if key != "cursor"}
    return f"{request.path}?{urlencode({**query, 'cursor': cursor})}"


class CursorPagination(BasePagination):
    """Pages by the last row seen, newest first: a row added meanwhile neither hides nor repeats another.

    The cursor is opaque to clients. A view names its order by a unique column in `ordering` («-id»).
    """

    largest = 200

    def paginate_queryset(self, queryset: Any, request: Request, view: Any = None) -> list[Any]:
        self.request = request
        self.size = self._size(request.query_params.get("limit"))
        ordering = getattr(view, "ordering", "-id")
        self.column, descending = ordering.removeprefix("-"), ordering.startswith("-")
        queryset = queryset.order_by(ordering)
        if cursor := request.query_params.get("cursor"):
            after = {f"{self.column}__{'lt' if descending else 'gt'}": self._position(cursor)}
            queryset = queryset.filter(**after)
        rows = list(queryset[: self.size + 1])
        self.has_next = len(rows) > self.size
        self.page = rows[: self.size]
        return self.page

    def _size(self, text: str | None) -> int:
        if text is None:
            return settings.REST_FRAMEWORK["PAGE_SIZE"]
        if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= self.largest):
            raise InvalidFields(
                [
                    {
                        "parameter": "limit",
                        "code": "invalid",
                        "expected": f"1–{self.largest}",
                        "found": text[:100],
                        "mend": gettext("Ask for a smaller page, and follow «next»."),
                    }
                ]
            )
        return int(text)

    @staticmethod
    def _position(cursor: str) -> int:
        try:
            position = json.loads(base64.urlsafe_b64decode(cursor.encode() + b"=="))
        except (ValueError, binascii.Error, RecursionError):
            raise InvalidCursor() from None
        if not isinstance(position, int) or isinstance(position, bool) or not -(2**63) < position < 2**63:
            raise InvalidCursor()
        return position

    def next_link(self) -> str | None:
        """The address of the next page, relative to the site: never made from the Host header."""
        if not self.has_next:
            return None
        position = json.dumps(getattr(self.page[-1], self.column)).encode()
        return next_page(self.request, base64.urlsafe_b64encode(position).decode().rstrip("="))

    def get_paginated_response(self, data: Any) -> Response:
        following = self.next_link()
        response = Response({"results": data, "next": following})
        if following:
            response["Link"] = f'<{following}>; rel="next"'
        return response

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        return {
            "type": "object",
            "required": ["results", "next"],
            "properties": {
                "results": schema,
                "next": {"type": ["string", "null"], "description": str(_("Address of the next page."))},
            },
        }

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        return [
            {
                "name": "cursor",
                "in": "query",
                "schema": {"type": "string"},
                "description": str(_("Where the page begins: follow «next», do not make one.")),
            },
            {
                "name": "limit",
                "in": "query",
                "schema": {"type": "integer", "minimum": 1, "maximum": self.largest, "default": 50},
                "description": str(_("Rows of one page.")),
            },
        ]
