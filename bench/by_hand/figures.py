"""What someone would write to count a package's records: json, rfc8785, dicts and a Counter.

Prints the set hash and some of what the cells add up to, so that it can be seen that both counted the same.
"""

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
WRITTEN_BY = {"kind", "family"}
EXPECTED = {"source", "article"}
RESPONSE = {
    *("item", "run", "answer", "abstained", "invalid"),
    *("citations", "confidence", "requested_at", "latency_ms"),
}
CITATION = {"source", "article", "verified"}
VERDICT = {"item", "run", "judge", "verdict", "eligible", "reason"}


def known(record, keys):
    if not record.keys() <= keys:
        raise SystemExit(f"unknown key in {record}")
    return record


def records(file, keys):
    return (known(json.loads(line), keys) for line in file)


def count(open_):
    items, expected, hashes = {}, {}, []
    for item in records(open_("items.jsonl"), ITEM):
        id_ = item.pop("id")
        if id_ in items:
            raise SystemExit(f"twice: {id_}")
        items[id_] = (item.get("language"), item["category"], item["in_corpus"], item["abstention_correct"])
        if citation := item.get("expected_citation"):
            known(citation, EXPECTED)
            expected[id_] = (citation["source"], citation["article"])
        if writer := item.get("written_by"):
            known(writer, WRITTEN_BY)
        present = {key: value for key, value in item.items() if value is not None}
        hashes.append(hashlib.sha256(rfc8785.dumps(present)).hexdigest())
    hashes.sort()
    set_hash = hashlib.sha256("".join(f"{one}\n" for one in hashes).encode()).hexdigest()
    rows = csv.reader(io.TextIOWrapper(open_("catalogue.csv"), "utf-8"))
    catalogue = {(source, article) for source, article in rows}
    answers = {}
    for response in records(open_("responses.jsonl"), RESPONSE):
        id_ = response["item"]
        answer = (id_, response.get("run") or 1)
        if id_ not in items or answer in answers:
            raise SystemExit(f"of no item, or twice: {answer}")
        found, verified, phantoms = False, 0, 0
        for citation in response.get("citations") or ():
            known(citation, CITATION)
            named = (citation["source"], citation["article"])
            found = found or named == expected.get(id_)
            if citation["verified"]:
                verified += 1
                phantoms += named not in catalogue
        answers[answer] = (response.get("abstained"), found, verified, phantoms)
    verdicts = {}
    for verdict in records(open_("verdicts.jsonl"), VERDICT):
        answer = (verdict["item"], verdict.get("run") or 1)
        if answer not in answers or answer in verdicts:
            raise SystemExit(f"of no answer, or twice: {answer}")
        verdicts[answer] = verdict["verdict"]
    cells = Counter((*items[answer[0]], *of, verdicts.get(answer)) for answer, of in answers.items())
    return set_hash, cells


path = Path(sys.argv[1])
if path.is_dir():
    set_hash, cells = count(lambda name: (path / name).open("rb"))
else:
    archive = zipfile.ZipFile(path)
    set_hash, cells = count(lambda name: archive.open(f"data/{name}"))
totals = Counter()
for (*_of_item, _abstained, _found, verified, phantoms, verdict), n in cells.items():
    totals["exact"] += n * (verdict == "exact")
    totals["verified"] += n * verified
    totals["phantoms"] += n * phantoms
print(set_hash, totals["exact"], totals["phantoms"], totals["verified"], sep="-")
