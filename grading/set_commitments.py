"""PURE. The file that registers a sealed question set: what may be known of it while nobody knows its questions.

It holds no question of the set, no item hash and no salt: name, custodian, set hash, commitment, counts, the schema of
its items, and synthetic examples.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evidence.plain_json import Fault, is_unsafe_name, parse, shown
from grading import sealing
from grading.harness import shapes

FORMAT = "set-commitment/1"
RECORDS = "evaluation-package/1"
MAX_BYTES = 256 * 1024
MOST_EXAMPLES = 50
MOST_ITEMS = 10_000_000
_MOST_COUNTS = 500
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetCommitment:
    """What is published of a sealed set. `examples` are items, with ids, that are none of the set."""

    name: str
    custodian: str
    set_sha256: str
    commitment: str
    items: int
    by_category: Mapping[str, int]
    by_language: Mapping[str, int]
    scheme: tuple[str, str]  # code and version whose categories are counted
    examples: tuple[Mapping[str, Any], ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "name": self.name,
            "custodian": self.custodian,
            "set_sha256": self.set_sha256,
            "commitment": self.commitment,
            "items": self.items,
            "by_category": dict(self.by_category),
            "by_language": dict(self.by_language),
            "schema": {
                "records": RECORDS,
                "scheme": {"code": self.scheme[0], "version": self.scheme[1]},
            },
            "examples": [dict(example) for example in self.examples],
        }

    def as_file(self) -> bytes:
        return (json.dumps(self.as_json(), ensure_ascii=False, indent=1) + "\n").encode()


@dataclass(frozen=True, slots=True)
class _Counts:
    """Label → count, each at least 1."""

    def faults(self, value: Any, at: str) -> Iterable[Fault]:
        if not isinstance(value, dict):
            yield Fault("WRONG_TYPE", at, "object", type(value).__name__)
            return
        if not 0 < len(value) <= _MOST_COUNTS:
            yield Fault("VALUE_NOT_ALLOWED", at, f"1 … {_MOST_COUNTS}", str(len(value)))
            return
        for key, count in value.items():
            if not key or len(key) > 100 or is_unsafe_name(key):
                yield Fault("UNSAFE_TEXT", at, found=shown(key))
            yield from shapes.Number(1, MOST_ITEMS, whole=True).faults(count, f"{at}.{shown(key)}")


_NAME = shapes.Text(1, 200)
_SHAPE = shapes.Object(
    {
        "format": shapes.Text(choices=(FORMAT,)),
        "name": _NAME,
        "custodian": _NAME,
        "set_sha256": shapes.Text(64, 64),
        "commitment": shapes.Text(64, 64),
        "items": shapes.Number(1, MOST_ITEMS, whole=True),
        "by_category": _Counts(),
        "by_language": _Counts(),
        "schema": shapes.Object(
            {
                "records": shapes.Text(choices=(RECORDS,)),
                "scheme": shapes.Object(
                    {"code": shapes.Text(1, 20), "version": shapes.Text(1, 20)}, ("code", "version")
                ),
            },
            ("records", "scheme"),
        ),
        "examples": shapes.Many(shapes.ITEM),
    },
    (
        "format",
        "name",
        "custodian",
        "set_sha256",
        "commitment",
        "items",
        "by_category",
        "by_language",
        "schema",
    ),
)


def read(file: bytes) -> tuple[SetCommitment | None, list[Fault]]:
    """The commitment in a file and everything that is wrong with it; None when anything is."""
    if len(file) > MAX_BYTES:
        return None, [Fault("LINE_TOO_LONG", None, f"<= {MAX_BYTES}", str(len(file)))]
    content, faults = parse(file)
    if content is None and faults:
        return None, list(faults)
    faults = [*faults, *_SHAPE.faults(content)] or list(_rules(content))
    if faults:
        return None, faults
    return SetCommitment(
        name=content["name"],
        custodian=content["custodian"],
        set_sha256=content["set_sha256"],
        commitment=content["commitment"],
        items=content["items"],
        by_category=content["by_category"],
        by_language=content["by_language"],
        scheme=(content["schema"]["scheme"]["code"], content["schema"]["scheme"]["version"]),
        examples=tuple(shapes.without_nulls(example) for example in content.get("examples") or ()),
    ), []


def _rules(content: dict[str, Any]) -> Iterable[Fault]:
    for key in ("name", "custodian"):
        if is_unsafe_name(content[key]) or not content[key].strip():
            yield Fault("UNSAFE_TEXT", key, found=shown(content[key]))
    for key in ("set_sha256", "commitment"):
        if not _SHA256.fullmatch(content[key]):
            yield Fault("VALUE_NOT_ALLOWED", key, "SHA-256", shown(content[key]))
    for key in ("by_category", "by_language"):
        if sum(content[key].values()) != content["items"]:
            yield Fault("VALUE_NOT_ALLOWED", key, str(content["items"]), str(sum(content[key].values())))
    examples = content.get("examples") or []
    if len(examples) > MOST_EXAMPLES:
        yield Fault("VALUE_NOT_ALLOWED", "examples", f"<= {MOST_EXAMPLES}", str(len(examples)))
    forms = [sealing.item_form(shapes.without_nulls(example)) for example in examples]
    if forms and sealing.set_sha256(forms) == content["set_sha256"]:
        # Whoever hands in the whole set as its examples has published it.
        yield Fault("VALUE_NOT_ALLOWED", "examples", "synthetic")
