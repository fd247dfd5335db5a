"""Seals a question set on its custodian's machine: a salt that nobody else has, and a file that tells no question."""

import os
import secrets
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from grading import language_groups, sealing
from grading.harness import new_sets, question_sets, shapes
from grading.harness.question_sets import Problem, QuestionSet
from grading.harness.refusals import Refused
from grading.harness.scheme_files import Scheme
from grading.set_commitments import MOST_EXAMPLES, SetCommitment

# The canonical form leaves the ids out, so a file of it is read without them.
ITEM = shapes.Object(shapes.ITEM.fields, tuple(key for key in shapes.ITEM.required if key != "id"))
_LANGUAGES = "language-1"


def canonical(items: Iterable[dict[str, Any]]) -> bytes:
    """The bytes of a set that are committed to."""
    return sealing.canonical_form(sealing.item_form(item) for item in items)


def seal(
    questions: QuestionSet,
    *,
    name: str,
    custodian: str,
    scheme: Scheme,
    examples: list[dict[str, Any]] | None,
) -> tuple[SetCommitment, bytes]:
    """The commitment to a set, and the salt that nobody but its custodian has.

    `examples` are the custodian's own; None takes those of the fictitious norm whose category the set has. Raises
    Refused when one of the custodian's own is a question of the set: it would publish it.
    """
    salt = secrets.token_bytes(sealing.SALT_BYTES)
    known = {_folded(item["question"]) for item in questions.items}
    if examples is None:
        examples = [
            one
            for one in new_sets.examples()
            if questions.by_category.get(one["category"]) and _folded(one["question"]) not in known
        ]
    own = [
        Problem("EXAMPLE_OF_THE_SET", "examples", place, "question")
        for place, example in enumerate(examples, 1)
        if _folded(example["question"]) in known
    ]
    if own:
        raise Refused("set_faults", faults=[problem.as_json() for problem in own])
    languages = language_groups.shipped()[_LANGUAGES]
    return SetCommitment(
        name=name,
        custodian=custodian,
        set_sha256=questions.sha256,
        commitment=sealing.commitment(canonical(questions.items), salt=salt),
        items=len(questions),
        by_category={code: count for code, count in questions.by_category.items() if count},
        by_language=dict(
            sorted(Counter(languages.group(item.get("language")) for item in questions.items).items())
        ),
        scheme=(scheme.code, scheme.version),
        examples=tuple(examples[:MOST_EXAMPLES]),
    ), salt


def _folded(question: str) -> str:
    """Without case and spacing: how an example is compared with the questions."""
    return " ".join(question.casefold().split())


def read_items(path: Path, *, ids: bool = False) -> list[dict[str, Any]]:
    """The items in a folder, a file of items, or a file of their canonical form. Raises OSError, Refused."""
    path = path / question_sets.ITEMS if path.is_dir() else path
    read, wrong = shapes.read_lines(path.read_bytes(), shapes.ITEM if ids else ITEM)
    if wrong or not read:
        faults = [
            Problem(fault.code, path.name, line, fault.key, fault.expected, fault.found).as_json()
            for line, fault in wrong
        ] or [Problem("RECORDS_MISSING", path.name, expected=">= 1").as_json()]
        raise Refused("set_faults", faults=faults)
    return [item for _, item in read]


def read_salt(path: Path) -> bytes:
    """The salt in a file. Raises OSError, Refused."""
    salt = sealing.salt_in(path.read_bytes()[: 4 * sealing.SALT_BYTES])
    if salt is None:
        raise Refused("salt_unusable", path=str(path))
    return salt


def keep(path: Path, content: bytes) -> None:
    """Write a secret for its owner's eyes alone; one that is there is never written over. Raises OSError, Refused."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise Refused("exists", path=str(path)) from error
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def named(path: Path) -> dict[str, str]:
    """Name and custodian as the folder's own configuration has them, where there is one."""
    configuration = (path if path.is_dir() else path.parent) / new_sets.CONFIGURATION
    try:
        table = tomllib.loads(configuration.read_text(encoding="utf-8")).get("set", {})
    except (OSError, ValueError):
        return {}
    return {key: table[key].strip() for key in ("name", "custodian") if isinstance(table.get(key), str)}
