"""Evidence packages as the client reads them back: checked as the registry checks an archive, then read as records."""

import hashlib
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evidence import checking, findings
from evidence.plain_json import parse
from grading.harness import question_sets, shapes
from grading.harness.measuring import Evaluation
from grading.harness.scheme_files import Scheme, shipped

DESCRIPTOR = "data/evaluation.json"
ATTACHMENTS = "data/attachments/"
RUN = ATTACHMENTS + "run.json"
CANARIES = ATTACHMENTS + "canaries.json"
_LARGEST = 2 << 30
_CSV = {
    "data/catalogue.csv": ("source", "article"),
    "data/abstention-review.csv": ("item", "abstained", "reviewer"),
    "data/reviews.csv": ("item", "reviewer", "verdict"),
}
_LINES = {
    "data/items.jsonl": shapes.ITEM,
    "data/responses.jsonl": shapes.RESPONSE,
    "data/verdicts.jsonl": shapes.VERDICT,
}


class UnusablePackage(Exception):
    """The package is not intact, or its records cannot be read; `faults` has code, member, key, expected, found."""

    def __init__(self, path: Path, faults: list[dict[str, Any]]) -> None:
        super().__init__(
            f"{path}: " + "; ".join(f"{fault['code']} {fault['member'] or ''}" for fault in faults)
        )
        self.path = path
        self.faults = faults


@dataclass(frozen=True, slots=True)
class Package:
    """One package: the SHA-256 of its bytes, its records, and what the client that made it attached."""

    path: Path
    sha256: str
    evaluation: Evaluation
    scheme: Scheme
    verdicts_sha256: str
    run: Mapping[str, Any]
    canaries: Mapping[str, Any]


def read(path: Path, *, language: str = "es", scheme: Scheme | None = None) -> Package:
    """The package in a file. Raises UnusablePackage, or OSError when the file cannot be read.

    `scheme`: the rules to measure under; None: the shipped one that the descriptor names.
    """
    with path.open("rb") as source:
        report = checking.check(source, layer="bag")
    if report.integrity != "verified":
        raise UnusablePackage(
            path, [finding.as_json(language, package=path.name) for finding in report.findings]
        )
    faults: list[dict[str, Any]] = []
    with zipfile.ZipFile(path) as archive:
        names = _inside(archive)
        content = {}
        for member in (DESCRIPTOR, *_LINES, *_CSV, RUN, CANARIES):
            if member not in names:
                continue
            if archive.getinfo(names[member]).file_size > _LARGEST:
                raise UnusablePackage(path, [_fault("SIZE_LIMIT", member, found=">2 GiB")])
            content[member] = archive.read(names[member])
    if DESCRIPTOR not in content:
        raise UnusablePackage(path, [_fault("DESCRIPTOR_MISSING", DESCRIPTOR)])
    descriptor, wrong = parse(content[DESCRIPTOR], unique_keys=True)
    faults += [_fault(fault.code, DESCRIPTOR, fault.key, fault.expected, fault.found) for fault in wrong]
    rules = scheme
    if not faults:
        faults += _faults_of(descriptor)
    if not faults and rules is None:
        named = descriptor["scheme"]
        rules = shipped().get((named["code"], named["version"]))
        if rules is None:
            faults.append(
                _fault("SCHEME_UNKNOWN", DESCRIPTOR, "scheme", found=f"{named['code']} {named['version']}")
            )
    records: dict[str, list[dict[str, Any]]] = {}
    for member, shape in _LINES.items():
        if member not in content:
            faults.append(_fault("RECORDS_MISSING", member))
            continue
        read_, wrong_lines = shapes.read_lines(content[member], shape)
        records[member] = [record for _, record in read_]
        faults += [
            _fault(fault.code, f"{member}:{line}", fault.key, fault.expected, fault.found)
            for line, fault in wrong_lines
        ]
    tables: dict[str, list[dict[str, str]]] = {}
    for member, columns in _CSV.items():
        if member in content:
            rows, problems = question_sets.read_table(content[member], columns, member)
            tables[member] = [row for _, row in rows]
            faults += [problem.as_json() for problem in problems]
    if not faults:
        faults += _references(records, descriptor, rules)
    if faults:
        raise UnusablePackage(path, faults)
    evaluation = Evaluation(
        descriptor=shapes.without_nulls(descriptor),
        items=records["data/items.jsonl"],
        responses=records["data/responses.jsonl"],
        verdicts=records["data/verdicts.jsonl"],
        catalogue=(
            [(row["source"], row["article"]) for row in tables["data/catalogue.csv"]]
            if "data/catalogue.csv" in tables
            else None
        ),
        abstention_review=[
            (row["item"], row["abstained"] == "true", row["reviewer"])
            for row in tables.get("data/abstention-review.csv", ())
        ],
        reviews=[
            (row["item"], row["reviewer"], row["verdict"]) for row in tables.get("data/reviews.csv", ())
        ],
    )
    return Package(
        path=path,
        sha256=report.sha256,
        evaluation=evaluation,
        scheme=rules,
        verdicts_sha256=hashlib.sha256(content["data/verdicts.jsonl"]).hexdigest(),
        run=_attached(content.get(RUN)),
        canaries=_attached(content.get(CANARIES)),
    )


def _inside(archive: zipfile.ZipFile) -> dict[str, str]:
    """Bag-relative paths to the names in the archive, which may have one common folder."""
    found = {}
    for name in archive.namelist():
        if not name.endswith("/"):
            start = 0 if name.startswith("data/") else name.find("/data/") + 1
            found[name[start:]] = name
    return found


def _attached(text: bytes | None) -> Mapping[str, Any]:
    """What a client attached; an attachment of another make is left alone."""
    if text is None:
        return {}
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _faults_of(descriptor: Any) -> list[dict[str, Any]]:
    """What this client needs of a descriptor; `check_package` looks at all of it."""
    if not isinstance(descriptor, dict):
        return [_fault("WRONG_TYPE", DESCRIPTOR, None, "object")]
    if descriptor.get("format") != "evaluation-package/1":
        return [_fault("FORMAT_UNSUPPORTED", DESCRIPTOR, "format", "evaluation-package/1")]
    if descriptor.get("method") != "hallucination":
        return [_fault("METHOD_UNKNOWN", DESCRIPTOR, "method", "hallucination")]
    faults = []
    for part, keys in (
        ("scheme", ("code", "version")),
        ("system", ("name", "version", "holder", "model_family")),
    ):
        for key in keys:
            inside = descriptor.get(part)
            if not isinstance(inside, dict) or not isinstance(inside.get(key), str):
                faults.append(_fault("MISSING_KEY", DESCRIPTOR, f"{part}.{key}"))
    if not isinstance(descriptor.get("measured_at"), str):
        faults.append(_fault("MISSING_KEY", DESCRIPTOR, "measured_at"))
    judges = descriptor.get("judges")
    for index, judge in enumerate(judges if isinstance(judges, list) else []):
        for key in ("id", "family", "version"):
            if not isinstance(judge, dict) or not isinstance(judge.get(key), str):
                faults.append(_fault("MISSING_KEY", DESCRIPTOR, f"judges[{index}].{key}"))
    return faults


def _references(
    records: Mapping[str, list[dict[str, Any]]], descriptor: Mapping[str, Any], scheme: Scheme
) -> list[dict[str, Any]]:
    faults = []
    ids = [item["id"] for item in records["data/items.jsonl"]]
    known = set(ids)
    if len(known) != len(ids):
        faults.append(_fault("DUPLICATE_ID", "data/items.jsonl", "id"))
    categories = {category.code for category in scheme.categories}
    for item in records["data/items.jsonl"]:
        if item["category"] not in categories:
            faults.append(_fault("VALUE_NOT_ALLOWED", "data/items.jsonl", "category", found=item["category"]))
    answered = set()
    for line, response in enumerate(records["data/responses.jsonl"], 1):
        key = (response["item"], response.get("run", 1))
        if response["item"] not in known:
            faults.append(_fault("UNKNOWN_REFERENCE", f"data/responses.jsonl:{line}", "item"))
        if key in answered:
            faults.append(_fault("DUPLICATE_ID", f"data/responses.jsonl:{line}", "item"))
        answered.add(key)
    if missing := known - {item for item, _ in answered}:
        faults.append(_fault("RESPONSE_MISSING", "data/items.jsonl", "id", found=str(len(missing))))
    judges = {judge["id"] for judge in descriptor.get("judges") or ()}
    judged = set()
    for line, verdict in enumerate(records["data/verdicts.jsonl"], 1):
        place = f"data/verdicts.jsonl:{line}"
        key = (verdict["item"], verdict.get("run", 1))
        if key not in answered:
            faults.append(_fault("UNKNOWN_REFERENCE", place, "item"))
        if verdict["judge"] not in judges:
            faults.append(_fault("UNKNOWN_REFERENCE", place, "judge"))
        if (*key, verdict["judge"]) in judged:
            faults.append(_fault("DUPLICATE_ID", place, "item"))
        judged.add((*key, verdict["judge"]))
    return faults


def _fault(
    code: str,
    member: str,
    key: str | None = None,
    expected: str | None = None,
    found: str | None = None,
) -> dict[str, Any]:
    return {"code": code, "member": member, "key": key, "expected": expected, "found": found}


def worded(fault: Mapping[str, Any], *, language: str) -> Mapping[str, Any]:
    """A fault with its meaning and how to mend it."""
    if "meaning" in fault:
        return fault
    return findings.told(dict(fault), language=language)
