"""Makes evidence packages of an evaluation that no one here made: NoMIRACL, eleven systems, the same questions.

    python -m tests.external.nomiracl FOLDER SYSTEM PACKAGE.zip

FOLDER is the data set as its README describes it, SYSTEM as its files name it. A question that no passage answers
(`non_relevant`) is out of the corpus, and abstaining is right; one that some passage answers is factual. What the
authors' rule found to be an answer counts as exact, for that is all they looked at.
"""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evidence import packing

MEASURED_AT = "2024-11-29T00:00:00Z"  # of the commit the data were published in
SUBSETS = ("relevant", "non_relevant")
# The authors' rule for answers, which read no model: in that sense the judge is of no family.
JUDGE = {"id": "rule", "family": "people", "version": "nomiracl-2024-11", "kind": "human"}
FAMILIES = {"gpt": "gpt", "llama": "llama", "mi": "mistral", "orca": "orca", "aya": "aya", "flan": "flan-t5"}


def _rows(folder: Path, system: str) -> Iterator[dict[str, Any]]:
    for subset in SUBSETS:
        for path in sorted((folder / subset).glob("*.jsonl")):
            with path.open(encoding="utf-8") as file:
                for row in map(json.loads, file):
                    if system in row["derived_label"]:
                        yield {**row, "label": row["derived_label"][system], "answer": row["outputs"][system]}


def records(folder: Path, system: str) -> tuple[dict[str, bytes], str]:
    """(path below data/ → bytes of every record file, hash of the question set)."""
    items: list[dict[str, Any]] = []
    responses: list[dict[str, Any]] = []
    verdicts: list[dict[str, Any]] = []
    for row in _rows(folder, system):
        relevant = row["subset"] == "relevant"
        item = f"{row['lang']}-{row['subset']}-{row['query_id']}"
        items.append(
            {
                "id": item,
                "language": row["lang"],
                "category": "factual_direct" if relevant else "out_of_corpus",
                # The source prints no question where it had no prompt; the number of the query still tells them apart.
                "question": row["question"] or f"MIRACL {row['lang']} {row['query_id']}",
                "in_corpus": relevant,
                "abstention_correct": not relevant,
            }
        )
        invalid = row["label"] == "invalid"
        responses.append(
            {
                "item": item,
                "answer": row["answer"].replace("\0", ""),
                "abstained": row["label"] == "abstained",
                **({"invalid": True} if invalid else {}),
            }
        )
        if relevant and row["label"] == "answered":
            verdicts.append({"item": item, "judge": "rule", "verdict": "exact"})
    files = {
        "items.jsonl": packing.json_lines(items),
        "responses.jsonl": packing.json_lines(responses),
        "verdicts.jsonl": packing.json_lines(verdicts),
    }
    return files, packing.set_sha256(items)


def files(folder: Path, system: str) -> dict[str, bytes]:
    """Every file of the package by its path below data/. Raises FileNotFoundError when the data are not there."""
    if not folder.is_dir():
        raise FileNotFoundError(folder)
    recorded, set_sha256 = records(folder, system)
    family = next(of for start, of in FAMILIES.items() if system.lower().startswith(start))
    document = {
        "format": "evaluation-package/1",
        "method": "hallucination",
        "scheme": {"code": "HALU", "version": "1"},
        "system": {"name": system, "version": system, "holder": "NoMIRACL", "model_family": family},
        "measured_at": MEASURED_AT,
        "question_set": {"name": "NoMIRACL", "sha256": set_sha256, "custodian": "MIRACL"},
        "judges": [JUDGE],
    }
    return {"evaluation.json": packing.json_document(document), **recorded}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("system")
    parser.add_argument("package", type=Path)
    arguments = parser.parse_args()
    with arguments.package.open("wb") as file:
        packing.pack(files(arguments.folder, arguments.system), into=file)


if __name__ == "__main__":
    main()
