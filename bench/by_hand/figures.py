"""What someone would write to count a package's records: json, rfc8785, a dict and a Counter. Prints the set hash."""

import csv
import hashlib
import io
import json
import sys
import zipfile
from collections import Counter
from pathlib import Path

import rfc8785

ITEM = {
    *("id", "item_base", "language", "category", "question", "expected_citation", "reference_text"),
    *("reference_source", "consulted_on", "in_corpus", "abstention_correct", "cluster", "written_by"),
}
RESPONSE = {
    *("item", "run", "answer", "abstained", "invalid"),
    *("citations", "confidence", "requested_at", "latency_ms"),
}
VERDICT = {"item", "run", "judge", "verdict", "eligible", "reason"}


def records(file, keys):
    for line in file:
        record = json.loads(line)
        if not record.keys() <= keys:
            raise SystemExit(f"unknown key in {line[:80]!r}")
        yield record


def count(open_):
    items, hashes = {}, []
    for item in records(open_("items.jsonl"), ITEM):
        id_ = item.pop("id")
        if id_ in items:
            raise SystemExit(f"twice: {id_}")
        items[id_] = (item["language"], item["category"], item["in_corpus"], item["abstention_correct"])
        known = {key: value for key, value in item.items() if value is not None}
        hashes.append(hashlib.sha256(rfc8785.dumps(known)).hexdigest())
    hashes.sort()
    print(hashlib.sha256("".join(f"{one}\n" for one in hashes).encode()).hexdigest())
    rows = csv.reader(io.TextIOWrapper(open_("catalogue.csv"), "utf-8"))
    catalogue = {(source, article) for source, article in rows}
    answers = {}
    for response in records(open_("responses.jsonl"), RESPONSE):
        cited = [citation for citation in response.get("citations") or () if citation["verified"]]
        phantoms = sum((citation["source"], citation["article"]) not in catalogue for citation in cited)
        answers[response["item"]] = (response.get("abstained"), len(cited), phantoms)
    verdicts = {verdict["item"]: verdict["verdict"] for verdict in records(open_("verdicts.jsonl"), VERDICT)}
    cells = Counter((*item, answers[id_], verdicts.get(id_)) for id_, item in items.items())
    return len(cells)


path = Path(sys.argv[1])
if path.is_dir():
    count(lambda name: (path / name).open("rb"))
else:
    archive = zipfile.ZipFile(path)
    count(lambda name: archive.open(f"data/{name}"))
