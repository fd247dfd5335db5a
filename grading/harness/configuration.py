"""The file that says whom to ask, how to read the answer, and who judges it (TOML)."""

import json
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from evidence import families
from evidence.plain_json import Fault, is_unsafe_name, shown
from evidence.versions import is_floating
from grading.harness import scheme_files
from grading.harness.refusals import Refused
from grading.harness.scheme_files import Scheme
from grading.harness.shapes import Flag, Number, Object, Text

_NAME, _ID, _LONG = Text(1, 200), Text(1, 100), Text(1)
_PACE = {
    "in_flight": Number(1, 1024, whole=True),
    "per_second": Number(0.001, 100_000),
    "timeout": Number(0.1, 3600),
    "attempts": Number(1, 20, whole=True),
    "first_wait": Number(0, 600),
    "longest_wait": Number(0, 3600),
    "give_up_after": Number(1, 10_000, whole=True),
    "largest_answer": Number(1, 8 << 20, whole=True),
}


class _Any:
    """Any value; what it means is decided where it is used."""

    def faults(self, value: Any, at: str):
        return iter(())


class _Several:
    """An array of values of one kind."""

    def __init__(self, of: Any) -> None:
        self._of = of

    def faults(self, value: Any, at: str):
        if not isinstance(value, list):
            yield Fault("WRONG_TYPE", at, "array", type(value).__name__)
            return
        for index, entry in enumerate(value):
            yield from self._of.faults(entry, f"{at}[{index}]")


_FILE = Object(
    {
        "set": Object(
            {
                "path": _LONG,
                "catalogue": _LONG,
                "name": _NAME,
                "custodian": _NAME,
                "holder_had_access": Text(choices=("no", "yes", "unknown")),
                "times_used_before": Number(0, 2**31, whole=True),
            },
            ("path", "name"),
        ),
        "system": Object(
            {"name": _NAME, "version": Text(), "holder": _NAME, "model_family": _NAME},
            ("name", "version", "holder", "model_family"),
        ),
        "corpus": Object(
            {
                "documents": Number(0, 2**53, whole=True),
                "articles": Number(0, 2**53, whole=True),
                "as_of": Text(10, 10),
            },
            (),
        ),
        "endpoint": Object(
            {
                "url": _LONG,
                "method": Text(choices=("GET", "POST", "PUT")),
                "headers": _Any(),
                "query": _Any(),
                "body": _Any(),
                "form": _Any(),
                "token_variable": _NAME,
                "answer": _LONG,
                "abstained": _LONG,
                "citations": _LONG,
                "verified_values": _Any(),
                "confidence": _LONG,
                "confidence_scale": Number(0.001, 1e9),
                "kind": Text(choices=("public_user_route", "dedicated")),
            },
            ("url", "answer"),
        ),
        "pace": Object(_PACE, ()),
        "judging": Object(
            {
                "language": Text(choices=("es", "en", "item")),
                "eligibility": Flag(),
                "canaries": Number(0, 1000, whole=True),
            },
            (),
        ),
        "judge": _Several(
            Object(
                {
                    "id": _ID,
                    "url": _LONG,
                    "model": _NAME,
                    "family": _NAME,
                    "version": Text(),
                    "token_variable": _NAME,
                    "related_to_holder": Flag(),
                    "extra": _Any(),
                },
                ("id", "url", "model", "family", "version"),
            )
        ),
        "judge_pace": Object(_PACE, ()),
        "phrases": Object({"abstention": _LONG}, ()),
        "scheme": _LONG,
        "runs": Number(1, 100, whole=True),
        "access": Text(choices=("open", "members", "digest_only")),
        "sealed": _Several(_LONG),
    },
    ("set", "system", "endpoint"),
)
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_DEFAULT_SCHEME = ("HALU", "1")


@dataclass(frozen=True, slots=True)
class Pace:
    """How hard an endpoint is asked. Seconds; `per_second` None: no limit but `in_flight`."""

    in_flight: int = 8
    per_second: float | None = None
    timeout: float = 60.0
    attempts: int = 5
    first_wait: float = 1.0
    longest_wait: float = 120.0
    give_up_after: int = 10
    largest_answer: int = 4 << 20


@dataclass(frozen=True, slots=True)
class Judge:
    id: str
    url: str
    model: str
    family: str
    version: str
    token_variable: str | None = None
    related_to_holder: bool | None = None
    extra: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Configuration:
    """One run. `raw` is the file as it was read, without anything from the environment."""

    raw: Mapping[str, Any]
    set_path: Path
    catalogue: Path | None
    scheme: Scheme
    system: Mapping[str, str]
    endpoint: Mapping[str, Any]
    pace: Pace
    judges: tuple[Judge, ...]
    judge_pace: Pace
    runs: int
    prompt_language: str
    eligibility: bool
    canaries: int
    abstention_phrases: Path | None


def read(path: Path) -> Configuration:
    """The configuration in a file. Raises Refused with every fault of it, or OSError."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Refused("config_not_toml", path=str(path), error=str(error)) from error
    faults = [
        {"code": fault.code, "key": fault.key, "expected": fault.expected, "found": fault.found}
        for fault in _FILE.faults(raw)
    ]
    if not faults:
        faults = list(_rules(raw))
    if faults:
        raise Refused(
            "config_faults", path=str(path), faults=[{**fault, "member": path.name} for fault in faults]
        )
    folder = path.parent
    known = raw["set"]
    judging = raw.get("judging", {})
    listed = raw.get("phrases", {})
    scheme = _scheme(folder / raw["scheme"]) if "scheme" in raw else scheme_files.shipped()[_DEFAULT_SCHEME]
    return Configuration(
        raw=raw,
        set_path=folder / known["path"],
        catalogue=folder / known["catalogue"] if "catalogue" in known else None,
        scheme=scheme,
        system=raw["system"],
        endpoint=raw["endpoint"],
        pace=Pace(**raw.get("pace", {})),
        judges=tuple(Judge(**judge) for judge in raw.get("judge", ())),
        judge_pace=Pace(**{**raw.get("pace", {}), **raw.get("judge_pace", {})}),
        runs=raw.get("runs", 1),
        prompt_language=judging.get("language", "item"),
        eligibility=judging.get("eligibility", False),
        canaries=judging.get("canaries", 20),
        abstention_phrases=folder / listed["abstention"] if "abstention" in listed else None,
    )


def _scheme(path: Path) -> Scheme:
    try:
        return scheme_files.load(path.read_bytes())
    except ValueError as error:
        raise Refused("scheme_unusable", path=str(path), error=str(error)) from error


def secret(variable: str | None) -> str | None:
    """The token in an environment variable. Raises Refused when it is named and not set; it is never printed."""
    if variable is None:
        return None
    value = os.environ.get(variable, "").strip()
    if not value:
        raise Refused("token_missing", variable=variable)
    if not value.isascii() or not value.isprintable():
        raise Refused("token_unusable", variable=variable)
    return value


def is_of_family(model: str, family: str) -> bool:
    """Whether a model's name says that it is of a family: «openai/gpt-4o-2024-08-06» is of «gpt»."""
    for name in (model, model.rpartition("/")[2]):
        parts = re.split(r"(?=[-_:@ ])", name)
        for end in range(len(parts), 0, -1):
            label = "".join(parts[:end])
            if families.is_known(label) or end == len(parts):
                if families.same(label, family):
                    return True
                if families.is_known(label):
                    return False
    return False


def _rules(raw: Mapping[str, Any]):
    system = raw["system"]
    if is_floating(system["version"]):
        yield _fault("VERSION_FLOATING", "system.version", "a pinned version", system["version"])
    for key, value in system.items():
        if is_unsafe_name(value):
            yield _fault("UNSAFE_TEXT", f"system.{key}", None, value)
    yield from _address("endpoint.url", raw["endpoint"]["url"])
    given = [key for key in ("body", "form") if key in raw["endpoint"]]
    if len(given) > 1:
        yield _fault("VALUE_NOT_ALLOWED", "endpoint.form", "body or form, not both", "both")
    if given and raw["endpoint"].get("method") == "GET":
        yield _fault("VALUE_NOT_ALLOWED", f"endpoint.{given[0]}", "query, for GET", given[0])
    if not any(
        "{question}" in text for key in ("query", "body", "form") for text in _texts(raw["endpoint"].get(key))
    ):
        yield _fault("MISSING_KEY", "endpoint.body", "{question}", None)
    for key in ("headers", "query", "form"):
        entries = raw["endpoint"].get(key, {})
        if not isinstance(entries, dict) or not all(isinstance(text, str) for text in entries.values()):
            yield _fault("WRONG_TYPE", f"endpoint.{key}", "a table of texts", None)
        elif key == "headers":
            for name, value in entries.items():
                if not _HEADER.fullmatch(name) or not value.isascii() or not value.isprintable():
                    yield _fault("VALUE_NOT_ALLOWED", f"endpoint.headers.{name}", "printable ASCII", value)
    for key in ("endpoint", "judge"):
        try:
            json.dumps(raw.get(key), allow_nan=False)
        except (TypeError, ValueError):
            # TOML has dates and infinity; JSON has none.
            yield _fault("WRONG_TYPE", key, "values that JSON has", None)
    for index, path in enumerate(raw.get("sealed", [])):
        if not path.startswith("data/") or path == "data/evaluation.json":
            yield _fault("VALUE_NOT_ALLOWED", f"sealed[{index}]", "data/items.jsonl, …", path)
    as_of = raw.get("corpus", {}).get("as_of")
    if as_of is not None and not re.fullmatch(r"\d{4}-\d{2}-\d{2}", as_of):
        yield _fault("VALUE_NOT_ALLOWED", "corpus.as_of", "YYYY-MM-DD", as_of)
    ids = set()
    for index, judge in enumerate(raw.get("judge", [])):
        at = f"judge[{index}]"
        yield from _address(f"{at}.url", judge["url"])
        if judge["id"] in ids:
            yield _fault("DUPLICATE_ID", f"{at}.id", None, judge["id"])
        ids.add(judge["id"])
        if is_floating(judge["version"]):
            yield _fault("VERSION_FLOATING", f"{at}.version", "a pinned version", judge["version"])
        if families.same(judge["family"], system["model_family"]):
            yield _fault("JUDGE_SAME_FAMILY", f"{at}.family", "another family", judge["family"])
        elif is_of_family(judge["model"], system["model_family"]):
            yield _fault("JUDGE_SAME_FAMILY", f"{at}.model", "another family", judge["model"])


def _address(at: str, url: str):
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and parts.hostname and not parts.username
        parts.port  # noqa: B018  (raises for one that is no number)
    except ValueError:
        sound = False
    if not sound or not url.isascii() or not url.isprintable() or " " in url:
        yield _fault("VALUE_NOT_ALLOWED", at, "http:// or https://, without a name or password in it", url)


def _texts(value: Any):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for entry in value.values():
            yield from _texts(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _texts(entry)


def _fault(code: str, key: str, expected: str | None, found: str | None) -> dict[str, Any]:
    return {"code": code, "key": key, "expected": expected, "found": None if found is None else shown(found)}
