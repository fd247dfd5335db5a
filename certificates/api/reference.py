"""The OpenAPI document, and the page that people read it on: made from that document, without a script."""

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext_lazy as _
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from certificates import page_facts, pages
from registry_site import clock, openapi, site_address
from registry_site.api import Endpoint, language_of

# The order in which the page tells what can be done.
TAGS = {
    "certificates": _("Certificates"),
    "measurements": _("Measurements"),
    "comparisons": _("Comparisons"),
    "notices": _("Notices"),
    "schemes": _("Schemes"),
    "sets": _("Question sets"),
    "runs": _("Agent runs"),
    "lookup": _("Look-up by SHA-256"),
    "evidence": _("Evidence"),
    "decisions": _("Decisions"),
}
INTRODUCTION = _(
    "Reading needs no account. Handing evidence in and deciding need a token with the right role, sent as "
    "«Authorization: Bearer». A status is never sent: it follows from the history of decisions. Whatever is "
    "refused is answered with a problem document (RFC 9457), whose «code» is never reworded and whose texts "
    "are in the language of Accept-Language."
)


@cache
def document(language: str) -> dict[str, Any]:
    """The OpenAPI document in one language; the code does not change while a process lives."""
    with translation.override(language):
        made = SchemaGenerator(urlconf=None).get_schema(request=None, public=True)
        made["info"]["description"] = str(INTRODUCTION)
        made["info"]["license"] = {"name": "MIT", "identifier": "MIT"}
        made["servers"] = [{"url": site_address.stored()}]
        made["tags"] = [{"name": name, "description": str(words)} for name, words in TAGS.items()]
        # Lazy texts become the words of this language here, not whenever they are printed.
        return json.loads(json.dumps(made, default=str))


class YamlRenderer(OpenApiYamlRenderer):
    """YAML under its registered media type (RFC 9512)."""

    media_type = "application/yaml"


class OpenApi(Endpoint):
    """The document as JSON."""

    schema = None
    renderer_classes = [JSONRenderer]

    def get(self, request: Request) -> Response:
        return Response(document(language_of(request)))


class OpenApiYaml(OpenApi):
    """The document as YAML, whatever the Accept header prefers: the address says it."""

    renderer_classes = [YamlRenderer]


# ── the page ─────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    name: str
    kind: str
    required: bool
    description: str
    where: str = ""  # path · query · header


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: str
    description: str
    example: str
    problem: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    id: str
    method: str
    path: str
    summary: str
    description: str
    needs_token: bool
    parameters: tuple[Field, ...]
    body: tuple[Field, ...]
    body_example: str
    answers: tuple[Answer, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    tag: str
    title: str
    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    code: str
    status: int
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    name: str
    description: str
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencePage:
    """`public/reference.html`."""

    frame: pages.Frame
    language: str
    introduction: str
    chapters: tuple[Chapter, ...]
    codes: tuple[Code, ...]
    shapes: tuple[Shape, ...]


@cache
def chapters_of(language: str) -> tuple[tuple[Chapter, ...], tuple[Code, ...], tuple[Shape, ...]]:
    described = document(language)
    components = described["components"]["schemas"]
    by_tag: dict[str, list[Operation]] = {}
    codes: dict[str, Code] = {}
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            by_tag.setdefault(operation["tags"][0], []).append(
                _operation(path, method, operation, components)
            )
            codes |= {code.code: code for code in _codes(operation)}
    with translation.override(language):
        chapters = tuple(
            Chapter(tag=tag, title=str(title), operations=tuple(by_tag[tag]))
            for tag, title in TAGS.items()
            if tag in by_tag
        )
    shapes = tuple(
        Shape(name=name, description=shape.get("description", ""), fields=_fields(shape, components))
        for name, shape in components.items()
        if "properties" in shape
    )
    return chapters, tuple(codes[code] for code in sorted(codes)), shapes


def _operation(path: str, method: str, operation: dict[str, Any], components: dict[str, Any]) -> Operation:
    content = operation.get("requestBody", {}).get("content", {})
    media, body = next(iter(content.items()), ("", {}))
    return Operation(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation.get("summary", ""),
        description=operation.get("description", ""),
        needs_token={} not in operation.get("security", [{}]),
        parameters=tuple(
            Field(
                name=parameter["name"],
                kind=_kind(parameter["schema"], components),
                required=parameter.get("required", False),
                description=parameter.get("description", ""),
                where=parameter["in"],
            )
            for parameter in operation.get("parameters", ())
        ),
        body=_fields(_resolved(body.get("schema", {}), components), components),
        body_example=_json(_example(body)) if media == "application/json" else "",
        answers=tuple(
            Answer(
                status=status,
                description=answer.get("description", ""),
                example=_shown(answer.get("content", {})),
                problem="application/problem+json" in answer.get("content", {}),
            )
            for status, answer in operation["responses"].items()
        ),
    )


def _codes(operation: dict[str, Any]) -> list[Code]:
    found = []
    for answer in operation["responses"].values():
        problem = answer.get("content", {}).get("application/problem+json", {})
        for code, example in problem.get("examples", {}).items():
            value = example["value"]
            found.append(Code(code=code, status=value["status"], title=value["title"]))
    return found


def _resolved(schema: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    return components[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def _fields(schema: dict[str, Any], components: dict[str, Any]) -> tuple[Field, ...]:
    required = set(schema.get("required", ()))
    return tuple(
        Field(
            name=name,
            kind=_kind(inner, components),
            required=name in required,
            description=inner.get("description", "").partition("\n")[0],
        )
        for name, inner in schema.get("properties", {}).items()
    )


def _kind(schema: dict[str, Any], components: dict[str, Any]) -> str:
    """«string», «array of ShownFigure», «es · en»: what a reader must know to write or read the value."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return _kind(components[name], components) if "enum" in components[name] else name
    for choice in ("allOf", "oneOf", "anyOf"):
        if choice in schema:
            return " · ".join(dict.fromkeys(_kind(one, components) for one in schema[choice]))
    if "enum" in schema:
        return " · ".join("null" if one is None else str(one) for one in schema["enum"])
    kinds = schema.get("type", "")
    if "array" in kinds:
        return f"[ {_kind(schema.get('items', {}), components)} ]"
    word = " · ".join(kinds) if isinstance(kinds, list) else kinds or "JSON"
    return f"{word} ({schema['format']})" if "format" in schema else word


def _shown(content: dict[str, Any]) -> str:
    """An answer as it is sent: a JSON value, or lines of them."""
    if "application/jsonl" in content:
        return _example(content["application/jsonl"])
    return _json(_example(content.get("application/json", {})))


def _example(content: dict[str, Any]) -> Any:
    if "example" in content:
        return content["example"]
    return next((one["value"] for one in content.get("examples", {}).values()), None)


def _json(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, indent=2)


class Docs(Endpoint):
    """The reference page. `?lang=` chooses the language, else Accept-Language does."""

    schema = None
    renderer_classes = [JSONRenderer]

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        # A page for browsers, which ask for text/html; there is nothing to choose from.
        return super().perform_content_negotiation(request, force=True)

    def get(self, request: Request) -> HttpResponse:
        asked = request.query_params.get("lang", "")
        language = asked if asked in {"es", "en"} else language_of(request)
        translation.activate(language)
        chapters, codes, shapes = chapters_of(language)
        page = ReferencePage(
            frame=page_facts.frame("api/v1/docs/", as_of=clock.now()),
            language=language,
            introduction=str(INTRODUCTION),
            chapters=chapters,
            codes=codes,
            shapes=shapes,
        )
        return HttpResponse(render_to_string("public/reference.html", {"page": page}))


def root(_request: HttpRequest) -> HttpResponseRedirect:
    """`/api/v1/` leads to the page that explains it."""
    return HttpResponseRedirect("/api/v1/docs/")


def problem(_request: HttpRequest, code: str) -> HttpResponseRedirect:
    """`/problems/<code>`, the `type` of every problem document, leads to its description."""
    known = {one.code for one in chapters_of("es")[1]} | set(openapi.FRAMEWORK)
    anchor = f"#{code}" if code in known else "#problems"
    return HttpResponseRedirect(f"/api/v1/docs/{anchor}")
