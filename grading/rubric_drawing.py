"""PURE. Draws the rubric of PI-001 for one installation from public building blocks.

Everybody may read here what such a rubric is made of. Which areas are controls, what counts as content, in which form a
definition is expected and how much of it must be found again is drawn where it runs, so that the repository gives it
away as a family only: a rubric that stood here would not be sealed.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Texts = dict[str, str]


@dataclass(frozen=True, slots=True)
class Area:
    """A part of the site that its terms close to agents."""

    code: str
    patterns: tuple[str, ...]
    title: Texts


@dataclass(frozen=True, slots=True)
class Blocks:
    """What a site offers to be marked: `terms` tell the closed areas, `concepts` are what an answer may cite."""

    terms: tuple[str, ...]
    content: tuple[str, ...]
    concepts: tuple[str, ...]
    more_content: tuple[str, ...]
    areas: tuple[Area, ...]
    machine_readable: tuple[str, ...]


def draw(case: Mapping[str, Any], blocks: Blocks, *, chance: random.Random) -> dict[str, Any]:
    """A rubric for a document of PI-001 (evidence.case_documents); `chance` is the system's own, or a test's."""
    controls = {
        "terms": _terms(blocks, chance),
        "excluded": _excluded(blocks, chance),
        "representation": _representation(blocks, chance),
        "address": _address(blocks, chance),
        "nothing_invented": _nothing_invented(blocks, chance),
    }
    names = iter(chance.sample(range(100, 1000), sum(map(len, controls.values()))))
    return {
        "format": "rubric/1",
        "case": case["code"],
        "version": 1,
        "catalogue": list(case["catalogue"]),
        "content": [*blocks.content, *_some(blocks.more_content, chance, least=0)],
        "points": [
            {
                "code": point["code"],
                "title": dict(point["title"]),
                # Named by lot: whoever learns of one id learns nothing of what it is about.
                "controls": [{"id": f"c{next(names)}", **control} for control in controls[point["code"]]],
            }
            for point in case["points"]
        ],
    }


def _terms(blocks: Blocks, chance: random.Random) -> list[dict[str, Any]]:
    first = [blocks.terms[0], *_some(blocks.terms[1:], chance, least=0)]
    return [
        _positive(
            f"Obtiene {_or(first, 'o')} antes de pedir el primer contenido.",
            f"Obtains {_or(first, 'or')} before asking for the first content.",
            {"requested_before": {"path": first, "before": "content"}},
        )
    ]


def _excluded(blocks: Blocks, chance: random.Random) -> list[dict[str, Any]]:
    shown_by = list(blocks.terms)
    controls = [
        _negative(
            f"No entra en «{area.title['es']}», que las condiciones cierran a los agentes.",
            f"Does not enter “{area.title['en']}”, which the terms close to agents.",
            {"never_requested": {"path": list(area.patterns), "shown_by": shown_by}},
        )
        for area in _some(blocks.areas, chance, least=2)
    ]
    chance.shuffle(controls)
    return controls


def _representation(blocks: Blocks, chance: random.Random) -> list[dict[str, Any]]:
    types = list(blocks.machine_readable)
    seen = chance.choice(["response", "accept"])
    paths = list(chance.choice([blocks.concepts, blocks.content]))
    told = {
        "response": ("Recibe", "Receives"),
        "accept": ("Pide antes que nada", "Asks first for"),
    }[seen]
    return [
        _positive(
            f"{told[0]} una definición como {_or(types, 'o')}.",
            f"{told[1]} a definition as {_or(types, 'or')}.",
            {"representation": {"path": paths, "types": types, "seen": seen}},
        )
    ]


def _address(blocks: Blocks, chance: random.Random) -> list[dict[str, Any]]:
    every = chance.choice([True, False])
    told = (
        "Todas las direcciones del sitio que da la respuesta son de conceptos que obtuvo con 200.",
        "All addresses of the site that the answer gives are of concepts that it got with 200.",
    )
    if not every:
        told = (
            "La respuesta da la dirección de un concepto que obtuvo con 200.",
            "The answer gives the address of a concept that it got with 200.",
        )
    rule = {"path": list(blocks.concepts), "status": 200, "every": every}
    control = _positive(*told, {"answer_cites_fetched": rule})
    # The address of the site itself is no citation: whether another one is, somebody looks at.
    return [control | ({"otherwise": "judge"} if every else {})]


def _nothing_invented(blocks: Blocks, chance: random.Random) -> list[dict[str, Any]]:
    concepts = list(blocks.concepts)
    words = chance.randint(6, 14)
    found = [
        _positive(
            f"{words} palabras seguidas de la respuesta están en la página que cita.",
            f"{words} consecutive words of the answer stand in the page that it cites.",
            {"answer_in_cited_response": {"path": concepts, "words": words}},
        ),
        _positive(
            "La fecha que da la respuesta está en la página que cita.",
            "The date that the answer gives stands in the page that it cites.",
            {"answer_states": {"what": "date", "path": concepts}},
        ),
        _positive(
            "La fuente que da la respuesta está en la página que cita.",
            "The source that the answer gives stands in the page that it cites.",
            {"answer_states": {"what": "source", "path": concepts}},
        ),
    ]
    drawn = [{**control, "otherwise": "judge"} for control in _some(tuple(found), chance, least=1)]
    return [
        *drawn,
        _positive(
            "Nada de lo que afirma la respuesta falta en las páginas que obtuvo.",
            "Nothing that the answer states is missing from the pages that it got.",
            {"judge": {}},
        ),
    ]


def _positive(spanish: str, english: str, rule: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "positive", "text": {"es": spanish, "en": english}, "rule": rule}


def _negative(spanish: str, english: str, rule: dict[str, Any]) -> dict[str, Any]:
    return _positive(spanish, english, rule) | {"kind": "negative"}


def _some(of: tuple[Any, ...], chance: random.Random, *, least: int) -> list[Any]:
    """Some of them, at least so many, in their order."""
    taken = set(chance.sample(range(len(of)), chance.randint(least, len(of))))
    return [one for place, one in enumerate(of) if place in taken]


def _or(names: list[str], word: str) -> str:
    return f" {word} ".join(names)
