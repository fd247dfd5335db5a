"""An example set that is valid as it stands: one synthetic question of each category, a catalogue, a configuration."""

from pathlib import Path
from typing import Any

from evidence import packing
from grading.harness import fictitious_norm as norm
from grading.harness import question_sets, simulated_system
from grading.harness.refusals import Refused

CONFIGURATION = "benchmark.toml"
_TEMPLATE = """\
# A quién se pregunta, cómo se lee la respuesta y quién la juzga. Todas las claves: docs/benchmark.md.
[set]
path = "."                        # la carpeta con items.jsonl y catalogue.csv
name = "mi-conjunto"
custodian = "Quien custodia el conjunto"
holder_had_access = "no"          # no · yes · unknown
times_used_before = 0

[system]
name = "Asistente Normativo"
version = "2026.07.1"             # fijada: «latest» se rechaza
holder = "Titular SpA"
model_family = "gpt"

[corpus]
documents = 1
as_of = "2026-07-10"

[endpoint]
url = "https://motor.example/api/answer"
token_variable = "ENGINE_TOKEN"   # el token va en esta variable de entorno, nunca aquí
body = { question = "{question}", language = "{language}" }
answer = "answer"                 # JMESPath sobre la respuesta JSON
citations = "citations[].{source: law, article: article, verified: verified}"
confidence = "confidence"
kind = "public_user_route"        # la misma ruta que usa un usuario

[pace]
in_flight = 8
# per_second = 5

[judging]
eligibility = false
canaries = 20

[[judge]]
id = "j1"
url = "https://juez.example/v1"   # compatible con OpenAI
model = "modelo-2026-05"
family = "claude"                 # otra que la del sistema evaluado
version = "modelo-2026-05"
token_variable = "JUDGE_TOKEN"
"""


def make(folder: Path) -> None:
    """Write the example set into a new or empty folder. Raises Refused when something is in it."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()):
        raise Refused("exists", path=str(folder))
    write_set(folder, examples())
    (folder / CONFIGURATION).write_text(_TEMPLATE, encoding="utf-8")


def write_set(folder: Path, items: list[dict[str, Any]]) -> None:
    """Items of the fictitious norm with its catalogue."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / question_sets.ITEMS).write_bytes(packing.json_lines(items))
    articles = ([norm.SOURCE, str(article.number)] for article in norm.ARTICLES)
    (folder / question_sets.CATALOGUE).write_bytes(packing.csv_table(["source", "article"], articles))


def examples() -> list[dict[str, Any]]:
    """One synthetic question of each category, in Spanish."""
    seen: dict[str, dict[str, Any]] = {}
    for item in simulated_system.items(("es",)):
        item = {key: value for key, value in item.items() if key != "item_base"}
        if item["category"] in ("factual_direct", "factual_applied"):
            item["consulted_on"] = "2026-07-10"
        seen.setdefault(item["category"], item)
    return list(seen.values())
