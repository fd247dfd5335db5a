"""A million graded items, beside a script with json, rfc8785, dicts and a Counter: processor time and memory."""

import random
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from bench import cost
from bench.table import Row
from evidence import packing

ITEMS = 1_000_000
_RUNS = 2
# What is promised: five times less processor time, and so much memory.
AT_MOST = 1 / 5
MEMORY = 60 * 2**20 + 150 * ITEMS

_ROOT = Path(__file__).resolve().parent.parent
_LANGUAGES = (
    *("es", "en", "pt", "ca", "gl", "eu", "fr", "de", "it", "nl"),
    *("pl", "ro", "sv", "da", "fi", "cs", "hu", "el", "tr", "id"),
)
_CATEGORIES = ("factual_direct", "factual_applied", "trap", "out_of_corpus", "adversarial")
_VERDICTS = ["exact"] * 80 + ["incomplete"] * 8 + ["ill_founded"] * 4 + ["incorrect"] * 7 + ["unjudged"]
_DESCRIPTOR = {
    "format": "evaluation-package/1",
    "method": "hallucination",
    "scheme": {"code": "HALU", "version": "1"},
    "system": {
        "name": "Banco de pruebas",
        "version": "1.0",
        "holder": "Banco de pruebas",
        "model_family": "gpt",
    },
    "measured_at": "2026-07-10T15:00:00Z",
    "judges": [{"id": "j1", "family": "claude", "version": "claude-2026-05", "temperature": 0}],
}

# What the script by hand says too: the set hash, exact answers, phantom citations of verified ones.
_SAY = """
total = {figure.metric: figure for figure in result.figures if not (figure.group or figure.category)}
exact, phantom = total["accuracy"], total["phantom_citation"]
print(result.set_sha256, exact.k, phantom.k, phantom.n, sep="-")
"""
# Each runs in a process of its own, so that its memory is its own.
_RECORDS = (
    """
import sys
from pathlib import Path
from evidence.records import Reader
from grading import schemes
from grading.methods.hallucination import Grader
folder = Path(sys.argv[1])
grader = Grader(schemes.shipped()["HALU", "1"])
reader = Reader(schemes=schemes.shipped_codes(), observer=grader)
for path in reader.order([f"data/{file.name}" for file in folder.iterdir()]):
    consumer = reader.consumer(path)
    with (folder / path.removeprefix("data/")).open("rb") as file:
        while chunk := file.read(1 << 17):
            consumer.feed(chunk)
    consumer.finish()
reader.finish()
result = grader.result
"""
    + _SAY
)
_PACKAGE = (
    """
import sys
from grading import computing
report, result, descriptor = computing.compute(open(sys.argv[1], "rb"))
"""
    + _SAY
)


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "data"
        folder.mkdir()
        _write(folder, ITEMS)
        package = Path(temporary) / "package.zip"
        with package.open("wb") as into:
            packing.pack({file.name: file for file in sorted(folder.iterdir())}, into=into)
        size = sum(file.stat().st_size for file in folder.iterdir()) // 10**6
        work = f"{ITEMS:,} items, {size} MB of records"
        for what, ours, of, at_most in (
            ("records to figures", _RECORDS, folder, AT_MOST),
            ("package to figures", _PACKAGE, package, None),
        ):
            here, there = _costs(
                [sys.executable, "-c", ours, str(of)],
                [sys.executable, str(_ROOT / "bench/by_hand/figures.py"), str(of)],
            )
            yield Row(
                f"{work}, {what}", "processor", here.cpu, "json + rfc8785 + Counter", there.cpu, "s", at_most
            )
            yield Row(
                f"{work}, {what}",
                "memory",
                here.peak / 2**20,
                "60 MiB + 150 B an item",
                MEMORY / 2**20,
                "MiB",
                1,
            )
        # Questions that all languages share keep more: which answers stand together.
        _write(folder, ITEMS, parallel=True)
        shared = cost.of_command([sys.executable, "-c", _RECORDS, str(folder)], cwd=str(_ROOT))
        yield Row(
            f"{ITEMS:,} items, {len(_LANGUAGES)} languages of one question, records to figures",
            "memory",
            shared.peak / 2**20,
            "60 MiB + 150 B an item",
            MEMORY / 2**20,
            "MiB",
            1,
        )


def _costs(ours: list[str], theirs: list[str]) -> tuple[cost.Cost, cost.Cost]:
    """Both run as often, and must have counted the same, or the comparison says nothing."""
    with tempfile.TemporaryFile() as output:
        here, there = (
            cost.best(partial(cost.of_command, command, cwd=str(_ROOT), output=output), of=_RUNS)
            for command in (ours, theirs)
        )
        output.seek(0)
        said = output.read().split()
    if len(said) != 2 * _RUNS or len(set(said)) != 1:
        raise RuntimeError(f"they did not count the same: {said}")
    return here, there


def _write(folder: Path, count: int, *, parallel: bool = False) -> None:
    """The same records every time. `parallel`: each question in every language, under one `item_base`."""
    draw = random.Random(7)
    (folder / "evaluation.json").write_bytes(packing.json_document(_DESCRIPTOR))
    with (folder / "catalogue.csv").open("w", encoding="utf-8") as file:
        file.write("source,article\n")
        file.writelines(f"Ley 19.880,{article}\n" for article in range(1200))
    with (
        (folder / "items.jsonl").open("w", encoding="utf-8") as items,
        (folder / "responses.jsonl").open("w", encoding="utf-8") as responses,
        (folder / "verdicts.jsonl").open("w", encoding="utf-8") as verdicts,
    ):
        for number in range(count):
            category = _CATEGORIES[number % 5]
            hostile = number % 5 > 1
            language = _LANGUAGES[number // 5 % 20]
            article = draw.randrange(1200)
            expected = article + 5000 if category == "trap" else article
            truth = ("false", "true") if hostile else ("true", "false")
            base = f'"item_base":"b{number // 100 * 5 + number % 5}",' if parallel else ""
            items.write(
                f'{{"id":"q{number:07}","language":"{language}","category":"{category}",{base}'
                f'"question":"¿Qué plazo fija la norma en el caso {draw.randrange(10**6)}?",'
                f'"expected_citation":{{"source":"Ley 19.880","article":"{expected}"}},'
                f'"in_corpus":{truth[0]},"abstention_correct":{truth[1]}}}\n'
            )
            abstained = draw.random() < (0.7 if hostile else 0.05)
            cited = article if draw.random() < 0.9 else 9999
            responses.write(
                f'{{"item":"q{number:07}","answer":"El plazo es de {draw.randrange(90)} días.",'
                f'"abstained":{"true" if abstained else "false"},'
                f'"citations":[{{"source":"Ley 19.880","article":"{cited}","verified":true}}]}}\n'
            )
            if not hostile and not abstained:
                verdict = _VERDICTS[draw.randrange(100)]
                verdicts.write(f'{{"item":"q{number:07}","judge":"j1","verdict":"{verdict}"}}\n')
