"""How the OpenAPI document is made: drf-spectacular's, and every operation with the problems it may answer.

A view says in `problems` which refusals each method may meet: a mapping of method → refusal classes. What
every address may answer (limits, a busy database, an unreadable token) is added here once.
"""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers

from registry_site import api_examples, bearer, idempotency, problems, taken
from registry_site.request_texts import NullCharacter

# The framework's own problems, which are no Refusal classes: code → status.
FRAMEWORK = {
    "not_authenticated": HTTPStatus.UNAUTHORIZED,
    "authentication_failed": HTTPStatus.UNAUTHORIZED,
    "not_found": HTTPStatus.NOT_FOUND,
    "method_not_allowed": HTTPStatus.METHOD_NOT_ALLOWED,
    "not_acceptable": HTTPStatus.NOT_ACCEPTABLE,
    "unsupported_media_type": HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
    "throttled": HTTPStatus.TOO_MANY_REQUESTS,
    "malformed_request": HTTPStatus.BAD_REQUEST,
}
EVERYWHERE = (
    NullCharacter,
    problems.Busy,
    problems.Unavailable,
    "authentication_failed",
    "not_acceptable",
    "throttled",
)
ON_WRITES = (
    taken.InvalidFields,
    taken.MalformedBody,
    taken.TooLarge,
    taken.LengthRequired,
    bearer.RoleNeeded,
    problems.NotAllowed,
    idempotency.KeyMalformed,
    idempotency.KeyInUse,
    idempotency.KeyReused,
    "not_authenticated",
    "unsupported_media_type",
)


class FieldProblem(serializers.Serializer):
    """One field that cannot be accepted."""

    pointer = serializers.CharField(required=False, help_text=_("JSON Pointer (RFC 6901) into the body."))
    parameter = serializers.CharField(required=False, help_text=_("Name of the query parameter."))
    code = serializers.CharField()
    expected = serializers.JSONField(required=False)
    found = serializers.JSONField(required=False)
    mend = serializers.CharField(required=False, help_text=_("How to mend it, in the reader's language."))


class Problem(serializers.Serializer):
    """RFC 9457. Programs rely on `code`; the other texts are in the language of Accept-Language."""

    type = serializers.CharField(help_text=_("Address of the description of this code."))
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField(help_text=_("Stable; never reworded."))
    detail = serializers.CharField()
    errors = FieldProblem(many=True, required=False)


class TokenScheme(OpenApiAuthenticationExtension):
    """`Authorization: Bearer …`, as the document names it."""

    target_class = "registry_site.bearer.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": str(_("A token of one person or service account; it begins with «feh_».")),
        }


def titled(kind: Any) -> tuple[int, str, str]:
    """(status, code, title) of a refusal class or of a framework code."""
    if isinstance(kind, str):
        return int(FRAMEWORK[kind]), kind, str(problems.API_TITLES[kind])
    return int(kind.status), kind.code, str(kind.title)


def problems_of(view: Any, method: str) -> list[tuple[int, str, str]]:
    """Every problem an operation may answer, by status and code."""
    kinds: list[Any] = [*EVERYWHERE, *getattr(view, "problems", {}).get(method, ())]
    if method == "POST":
        kinds += ON_WRITES
    return sorted({titled(kind) for kind in kinds})


def catalogue(views: Iterable[Any]) -> dict[str, tuple[int, str]]:
    """code → (status, title) of all problems that the operations document."""
    found = {code: (int(status), str(problems.API_TITLES[code])) for code, status in FRAMEWORK.items()}
    for view in views:
        for method in ("GET", "POST"):
            found |= {code: (status, title) for status, code, title in problems_of(view, method)}
    return dict(sorted(found.items()))


class Schema(AutoSchema):
    """AutoSchema, with problems, conditional reads, limits and idempotency keys."""

    def get_operation(self, path: str, path_regex: str, path_prefix: str, method: str, registry: Any) -> Any:
        operation = super().get_operation(path, path_regex, path_prefix, method, registry)
        if operation is None:
            return None
        responses = operation["responses"]
        problem = self.resolve_serializer(Problem, "response").ref
        by_status: dict[int, list[tuple[str, str]]] = {}
        for status, code, title in problems_of(self.view, method):
            by_status.setdefault(status, []).append((code, title))
        for status, codes in by_status.items():
            responses[str(status)] = {
                "description": " · ".join(f"`{code}`: {title}" for code, title in codes),
                "content": {
                    "application/problem+json": {
                        "schema": problem,
                        "examples": {code: _example(status, code, title) for code, title in codes},
                    }
                },
            }
        for status, response in responses.items():
            if status.startswith("2"):
                response["headers"] = _headers(method)
        if method == "GET":
            responses["304"] = {"description": str(_("Nothing has changed since the ETag sent."))}
            if "{number}" in path or "{sha256}" in path:
                responses["308"] = {"description": str(_("Another spelling of the address."))}
        operation["responses"] = dict(sorted(responses.items()))
        return operation

    def get_auth(self) -> list[dict[str, list[str]]]:
        super().get_auth()  # registers the security scheme
        needed = self.method == "POST" and not getattr(self.view, "anybody_writes", False)
        return [{"token": []}] if needed else [{}, {"token": []}]

    def get_tags(self) -> list[str]:
        return [getattr(self.view, "tag", "registry")]

    def get_override_parameters(self) -> list[Any]:
        parameters = list(super().get_override_parameters())
        if self.method == "POST":
            parameters.append(_IDEMPOTENCY_KEY)
        return parameters


def _example(status: int, code: str, title: str) -> dict[str, Any]:
    body = {"type": f"/problems/{code}", "title": title, "status": status, "code": code, "detail": title}
    return {"value": body}


def _headers(method: str) -> dict[str, Any]:
    text = {"schema": {"type": "string"}}
    headers = {"RateLimit": text, "RateLimit-Policy": text}
    return {"ETag": text, **headers} if method == "GET" else headers


_IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description=_(
        "Send the same key when you repeat a request: within 24 hours it is carried out once and "
        "answered alike."
    ),
)


def with_examples(result: dict[str, Any], **_hook: Any) -> dict[str, Any]:
    """A hook of the generator: every answer and body that has no example of its own gets one."""
    _tidy(result)
    components = result.get("components", {}).get("schemas", {})
    for operations in result["paths"].values():
        for operation in operations.values():
            bodies = [operation.get("requestBody", {}), *operation["responses"].values()]
            for content in (one for body in bodies for one in body.get("content", {}).items()):
                media, described = content
                if media == "application/json" and "examples" not in described and "schema" in described:
                    described["example"] = api_examples.example_of(described["schema"], components)
    return result


_REFERENCE = "#/components/schemas/"


def _tidy(result: dict[str, Any]) -> None:
    """Take out what speaks of the code: marks of the generator, and «Shown» before the names of objects."""
    schemas = result.get("components", {}).get("schemas", {})
    for name in list(schemas):
        schemas[name.removeprefix("Shown")] = schemas.pop(name)
    todo: list[Any] = [result]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            part.pop("x-spec-enum-id", None)
            if str(part.get("$ref", "")).startswith(_REFERENCE):
                name = part["$ref"].removeprefix(_REFERENCE)
                part["$ref"] = _REFERENCE + name.removeprefix("Shown")
            todo += part.values()
        elif isinstance(part, list):
            todo += part
