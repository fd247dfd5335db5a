"""What a request may hold: strict JSON bodies, declared keys, and refusals that name every wrong field."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers
from rest_framework.parsers import BaseParser

from registry_site import strict_json
from registry_site.problems import Refusal


class InvalidFields(Refusal):
    """All fields that cannot be accepted: place, what was expected, what was found, how to mend it."""

    code = "invalid_field"
    status = HTTPStatus.BAD_REQUEST
    title = _("Some fields cannot be accepted")

    def __init__(self, errors: list[dict[str, Any]]):
        super().__init__(_("Some fields cannot be accepted: see «errors»."), errors=errors)


class MalformedBody(Refusal):
    code = "malformed_body"
    status = HTTPStatus.BAD_REQUEST
    title = _("The body is not JSON that is taken here")


class LengthRequired(Refusal):
    """A body in pieces of unknown sum: the server reads no further than an announced length."""

    code = "length_required"
    status = HTTPStatus.LENGTH_REQUIRED
    title = _("The request must say how long its body is (Content-Length)")


class TooLarge(Refusal):
    code = "too_large"
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    title = _("The body is larger than this address takes")


class StrictJSONParser(BaseParser):
    """application/json with one meaning (registry_site.strict_json); anything else is a problem document."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping | None = None) -> Any:
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        data = stream.read(limit + 1)
        if len(data) > limit:
            raise TooLarge(_("A JSON body has at most %(limit)d bytes.") % {"limit": limit}, limit=limit)
        try:
            return strict_json.loads(data)
        except strict_json.Malformed as fault:
            place = {"line": fault.line, "column": fault.column} if fault.line else {}
            found = {"found": fault.found} if fault.found else {}
            raise MalformedBody(_malformed(fault), reason=fault.code, **place, **found) from None


def _malformed(fault: strict_json.Malformed) -> Any:
    return {
        "not_utf8": _("The body is not UTF-8. Send JSON in UTF-8."),
        "not_json": _("The body is not JSON. Mend it at the line and column named here."),
        "duplicate_key": _("A key is given twice. Leave one."),
        "not_a_number": _("NaN and infinite numbers are not JSON. Leave the key out or send a number."),
        "number_too_long": _("A number has too many digits."),
        "too_deep": _("The body is nested deeper than 32 levels."),
        "null_character": _("A text holds the character U+0000. Take it out."),
        "unpaired_surrogate": _("A text holds half of a surrogate pair. Send the whole character."),
    }[fault.code]


class TakenText(serializers.CharField):
    """A JSON string; numbers and booleans are not turned into one."""

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return super().to_internal_value(data)


class TakenNumber(serializers.IntegerField):
    """A JSON integer; not a string, not a boolean, not 3.0."""

    def to_internal_value(self, data: Any) -> int:
        if not isinstance(data, int) or isinstance(data, bool):
            self.fail("invalid")
        return super().to_internal_value(data)


class TakenTruth(serializers.BooleanField):
    """A JSON true or false; not "yes", not 1."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


class Taken(serializers.Serializer):
    """What a request may hold. A key that is not declared is refused."""

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        errors: dict[str, Any] = {}
        if isinstance(data, Mapping):
            for key in data:
                if key not in self.fields:
                    mend = gettext("Nothing is taken under this name. Check its spelling, or leave it out.")
                    errors[str(key)[:100]] = [serializers.ErrorDetail(mend, code="unknown_key")]
        try:
            value = super().to_internal_value(data)
        except serializers.ValidationError as error:
            raise serializers.ValidationError({**error.detail, **errors}) from None
        if errors:
            raise serializers.ValidationError(errors)
        return value


def take(kind: type[Taken], data: Any, *, query: bool = False) -> dict[str, Any]:
    """The values of a body (with `query`: of the query string) as `kind` declares them, or InvalidFields."""
    if query:
        data = {key: data.get(key) for key in data}
    taken = kind(data=data)
    if taken.is_valid():
        return taken.validated_data
    errors = []
    for pointer, detail in _flattened(taken.errors):
        field = _field_at(taken, pointer)
        entry: dict[str, Any] = {"pointer": "/" + "/".join(map(_escaped, pointer)), "code": detail.code}
        if query:
            entry = {"parameter": pointer[0], "code": detail.code}
        errors.append(
            {**entry, "expected": _expected(field), "found": _found(data, pointer), "mend": str(detail)}
        )
    raise InvalidFields(errors)


def _escaped(part: str) -> str:
    return part.replace("~", "~0").replace("/", "~1")  # RFC 6901


def _flattened(errors: Any, pointer: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    if isinstance(errors, Mapping):
        found = []
        for key, value in errors.items():
            # Faults of an object as a whole stand under this name: their place is the object.
            inside = pointer if key == "non_field_errors" else (*pointer, str(key))
            found += _flattened(value, inside)
        return found
    if isinstance(errors, list):
        found = []
        for position, value in enumerate(errors):
            inside = (*pointer, str(position)) if isinstance(value, Mapping | list) else pointer
            found += _flattened(value, inside)
        return found
    return [(pointer or ("",), errors)]


def _field_at(taken: serializers.Serializer, pointer: tuple[str, ...]) -> Any:
    field: Any = taken
    for part in pointer:
        if isinstance(field, serializers.Serializer) and part in field.fields:
            field = field.fields[part]
        elif isinstance(field, serializers.Serializer):
            return field
    return field


def _expected(field: Any) -> Any:
    """What a field takes, as data: the keys of an object, the choices, else a word."""
    if isinstance(field, serializers.Serializer):
        return sorted(field.fields)
    if isinstance(field, serializers.ChoiceField):
        return [str(choice) for choice in field.choices]
    for kind, word in _WORDS.items():
        if isinstance(field, kind):
            longest = getattr(field, "max_length", None)
            return f"{word}, 1–{longest}" if longest else word
    return "value"


_WORDS = {
    serializers.DateTimeField: "RFC 3339 date and time with offset",
    serializers.DateField: "date, YYYY-MM-DD",
    serializers.IntegerField: "integer",
    serializers.BooleanField: "true or false",
    serializers.ListField: "array",
    serializers.CharField: "string",
}


def _found(data: Any, pointer: tuple[str, ...]) -> Any:
    for part in pointer:
        if isinstance(data, Mapping) and part in data:
            data = data[part]
        elif isinstance(data, list) and part.isdigit() and int(part) < len(data):
            data = data[int(part)]
        elif part:
            return None
    if isinstance(data, str):
        return data[:100]
    if isinstance(data, Mapping | list):
        return "object" if isinstance(data, Mapping) else "array"
    return data if isinstance(data, int | float | bool | None) else str(data)[:100]
