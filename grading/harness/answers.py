"""A question as a request, and a reply as a response record: templates one way, JMESPath the other."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import jmespath
from jmespath.exceptions import JMESPathError

from grading.harness.calls import Reply, Request
from grading.harness.refusals import Refused

_PLACE = re.compile(r"\{(question|language|id|run|version|token)\}")
_UNKEPT = re.compile("[\x00\ud800-\udfff]")
_PATHS = ("answer", "abstained", "citations", "confidence")


class Unreadable(Exception):
    """A reply from which no answer can be taken; `code` says why, `detail` what was found."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reply says: fields of a response record, and what was left out of it."""

    record: dict[str, Any]
    left_out: tuple[str, ...] = field(default=())


class Endpoint:
    """The evaluated system's endpoint: how it is asked and how its reply is read."""

    def __init__(self, settings: Mapping[str, Any], *, version: str, token: str | None) -> None:
        self._settings = settings
        self._version = version
        self._token = token
        self._method = settings.get("method") or ("POST" if {"body", "form"} & settings.keys() else "GET")
        self._paths = {}
        for key in _PATHS:
            if key in settings:
                try:
                    self._paths[key] = jmespath.compile(settings[key])
                except JMESPathError as error:
                    raise Refused("path_unusable", key=f"endpoint.{key}", error=str(error)) from error
        self._verified = settings.get("verified_values", [True])

    def request(self, item: Mapping[str, Any], run: int) -> Request:
        """The request that asks one question. Values are put into a structure, never into a text that is parsed."""
        values = {
            "question": item["question"],
            "language": item.get("language", ""),
            "id": item["id"],
            "run": str(run),
            "version": self._version,
        }
        settings = self._settings
        url = settings["url"]
        if "query" in settings:
            url += ("&" if "?" in url else "?") + urlencode(_filled(settings["query"], values))
        headers = {"Accept": "application/json", "User-Agent": "fehaciente-benchmark"}
        body = None
        if "body" in settings:
            body = json.dumps(_filled(settings["body"], values), ensure_ascii=False).encode()
            headers["Content-Type"] = "application/json"
        elif "form" in settings:
            body = urlencode(_filled(settings["form"], values)).encode()
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        own = settings.get("headers", {})
        if self._token is not None:
            values["token"] = self._token
            if not any("{token}" in value for value in own.values()):
                headers["Authorization"] = f"Bearer {self._token}"
        for name, value in own.items():
            headers = {key: old for key, old in headers.items() if key.lower() != name.lower()}
            headers[name] = _filled(value, values)
        return Request(self._method, url, headers, body)

    def read(self, reply: Reply) -> Reading:
        """The record fields of a reply with status 2xx. Raises Unreadable."""
        try:
            content = json.loads(reply.body.decode("utf-8-sig"), parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            start = reply.body[:200].lstrip().lower()
            code = "html" if start.startswith((b"<!doctype", b"<html", b"<?xml")) else "not_json"
            raise Unreadable(code, reply.headers.get("content-type", "")) from error
        try:
            found = {key: path.search(content) for key, path in self._paths.items()}
        except (JMESPathError, RecursionError) as error:
            raise Unreadable("path_failed", str(error)[:200]) from error
        answer = found.get("answer")
        if answer is None:
            keys = (
                ", ".join(sorted(map(str, content))[:10])
                if isinstance(content, dict)
                else type(content).__name__
            )
            raise Unreadable("nothing_at_path", keys)
        if not isinstance(answer, str):
            raise Unreadable("answer_not_text", type(answer).__name__)
        left_out: list[str] = []
        record: dict[str, Any] = {"answer": _clean(answer)}
        abstained = found.get("abstained")
        if isinstance(abstained, bool):
            record["abstained"] = abstained
        elif abstained is not None:
            left_out.append("abstained")
        if "citations" in self._paths:
            record["citations"] = self._citations(found["citations"])
        confidence = self._confidence(found.get("confidence"))
        if confidence is not None:
            record["confidence"] = confidence
        elif found.get("confidence") is not None:
            left_out.append("confidence")
        return Reading(record, tuple(left_out))

    def _citations(self, found: Any) -> list[dict[str, Any]]:
        if found is None:
            return []
        if not isinstance(found, list):
            raise Unreadable("citations_not_a_list", type(found).__name__)
        citations = []
        for entry in found:
            if not isinstance(entry, dict):
                raise Unreadable("citation_without_keys", type(entry).__name__)
            source, article = (_name(entry.get(key)) for key in ("source", "article"))
            if source is None or article is None:
                raise Unreadable("citation_without_keys", ", ".join(map(str, entry)))
            mark = entry.get("verified", False)
            verified = any(type(mark) is type(value) and mark == value for value in self._verified)
            citations.append({"source": source, "article": article, "verified": verified})
        return citations

    def _confidence(self, found: Any) -> float | str | None:
        if isinstance(found, str):
            label = _clean(found).strip()
            return label if 0 < len(label) <= 100 and label.isprintable() else None
        if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
            return None
        scaled = found / self._settings.get("confidence_scale", 1)
        return scaled if 0 <= scaled <= 1 else None


def redacted(content: bytes, tokens: list[str | None]) -> bytes:
    """What came back without the tokens, should an endpoint have sent one back."""
    for token in tokens:
        if token:
            content = content.replace(token.encode(), b"[token]")
    return content


def _filled(value: Any, values: Mapping[str, str]) -> Any:
    """The structure with each place filled, in one go: what is put in is not looked at again."""
    if isinstance(value, str):
        return _PLACE.sub(lambda match: values.get(match[1], match[0]), value)
    if isinstance(value, dict):
        return {key: _filled(entry, values) for key, entry in value.items()}
    if isinstance(value, list):
        return [_filled(entry, values) for entry in value]
    return value


def _clean(text: str) -> str:
    """Without what a record may not hold: U+0000 and halves of characters."""
    return _UNKEPT.sub("\ufffd", text)


def _name(value: Any) -> str | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return str(value)
    return _clean(value) if isinstance(value, str) else None


def _no_constant(name: str) -> None:
    raise ValueError(name)
