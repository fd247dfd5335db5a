"""Makes an evidence package of a real evaluation that no one here made: TruthfulQA-multi, human verdicts.

    python -m tests.external.truthfulqa FOLDER PACKAGE.zip [--sealed]

FOLDER is the data set as its README describes it. 100 questions in each of en, es, ca, eu and gl, answered by
gemma-2-27b-it and judged by people: truth «no» → incorrect; truth «yes» and informative → exact; truth «yes»,
not informative → an abstention, decided by a person (abstention-review.csv).
"""

import argparse
import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evidence import packing

LANGUAGES = ("en", "es", "ca", "eu", "gl")
SYSTEM = "gemma-2-27b-it"
# As the data name them: what the package says of each.
SYSTEMS = {
    SYSTEM: {"name": "Gemma 2 27B", "holder": "Google DeepMind", "model_family": "gemma"},
    "Meta-Llama-3-8B-Instruct": {"name": "Llama 3 8B", "holder": "Meta", "model_family": "llama"},
}
MEASURED_AT = "2025-05-27T00:00:00Z"  # the data's own date: the commit they were published in
REVIEWER = "hitz-annotator"


def _rows(folder: Path, language: str, of: str) -> Iterator[dict[str, str]]:
    path = folder / "manual_review" / "evaluated" / f"{language}.csv"
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            question, _, system = row["id"].partition("__")
            if system == of:
                yield {**row, "number": question}


def _name(text: str) -> str:
    """Free text without the control characters that a few cells carry."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", " ", text)


def records(folder: Path, system: str = SYSTEM) -> tuple[dict[str, bytes], str]:
    """(path below data/ → bytes of every record file, hash of the question set)."""
    items: list[dict[str, Any]] = []
    responses: list[dict[str, Any]] = []
    verdicts: list[dict[str, Any]] = []
    reviews: list[list[Any]] = []
    for language in LANGUAGES:
        for row in _rows(folder, language, system):
            item = f"{language}-{row['number']}"
            truth, informative = row["truthfulness"] == "yes", row["informativeness"] == "yes"
            items.append(
                {
                    "id": item,
                    "item_base": row["number"],
                    "language": language,
                    "category": "factual_direct",
                    "question": _name(row["question"]),
                    "reference_text": _name(row["correct_answers"]),
                    "reference_source": "TruthfulQA-multi",
                    "consulted_on": MEASURED_AT[:10],
                    "in_corpus": True,
                    "abstention_correct": False,
                }
            )
            responses.append({"item": item, "answer": _name(row["model_answer"])})
            reviews.append([item, truth and not informative, REVIEWER])
            if not truth or informative:
                verdict = "exact" if truth else "incorrect"
                verdicts.append({"item": item, "judge": "people", "verdict": verdict})
    files = {
        "items.jsonl": packing.json_lines(items),
        "responses.jsonl": packing.json_lines(responses),
        "verdicts.jsonl": packing.json_lines(verdicts),
        "abstention-review.csv": packing.csv_table(["item", "abstained", "reviewer"], reviews),
    }
    return files, packing.set_sha256(items)


def descriptor(
    *, scheme: tuple[str, str], set_sha256: str, sealed: bool, system: str = SYSTEM
) -> dict[str, Any]:
    """The package's data/evaluation.json."""
    document: dict[str, Any] = {
        "format": "evaluation-package/1",
        "method": "hallucination",
        "scheme": {"code": scheme[0], "version": scheme[1]},
        "system": {**SYSTEMS[system], "version": system},
        "measured_at": MEASURED_AT,
        "question_set": {
            "name": "truthfulqa-multi, manual review",
            "sha256": set_sha256,
            "custodian": "HiTZ",
            "holder_had_access": "yes",
        },
        "judges": [{"id": "people", "family": "people", "version": "hitz-2025", "kind": "human"}],
        "access": "members",
    }
    if sealed:
        document["sealed"] = ["data/items.jsonl"]
    return document


def make(
    folder: Path,
    package: Path,
    *,
    scheme: tuple[str, str] = ("TQA", "1"),
    sealed: bool = False,
    system: str = SYSTEM,
) -> None:
    """Write the package. Raises FileNotFoundError when the data are not there."""
    recorded, set_sha256 = records(folder, system)
    document = descriptor(scheme=scheme, set_sha256=set_sha256, sealed=sealed, system=system)
    files = {"evaluation.json": packing.json_document(document), **recorded}
    with package.open("wb") as file:
        packing.pack(
            files, into=file, bag_info={"Source-Organization": "HiTZ", "Bagging-Date": MEASURED_AT[:10]}
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("package", type=Path)
    parser.add_argument("--scheme", default="TQA-1")
    parser.add_argument("--sealed", action="store_true")
    options = parser.parse_args()
    code, _, version = options.scheme.rpartition("-")
    make(options.folder, options.package, scheme=(code, version), sealed=options.sealed)


if __name__ == "__main__":
    main()
