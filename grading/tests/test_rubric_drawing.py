"""The rubric of PI-001 is drawn where it runs: what is drawn is a rubric of that case, and another every time."""

import json
import random

from grading import data, rubric_drawing, rubric_language
from grading.rubric_drawing import Area, Blocks

CASE = json.loads(data.read("cases/PI-001.json"))
BLOCKS = Blocks(
    terms=("/condiciones", "/robots.txt"),
    content=("/conceptos/**",),
    concepts=("/conceptos/*",),
    more_content=("/archivo/**",),
    areas=tuple(
        Area(name, (f"/{name}/**",), {"es": name.upper(), "en": name}) for name in ("a", "b", "c", "d", "e")
    ),
    machine_readable=("application/json", "text/markdown"),
)


def drawn(seed):
    return rubric_drawing.draw(CASE, BLOCKS, chance=random.Random(seed))


def test_whatever_is_drawn_is_a_rubric_of_the_case():
    for seed in range(200):
        rubric = rubric_language.load(rubric_language.sealed_form(drawn(seed)))
        assert [point.code for point in rubric.points] == [point["code"] for point in CASE["points"]]
        assert rubric.catalogue == tuple(CASE["catalogue"])
        areas = rubric.points[1].controls
        assert 2 <= len(areas) <= len(BLOCKS.areas)
        assert {control.kind for control in areas} == {"negative"}
        # That nothing is invented is never left to code alone.
        assert any(
            isinstance(one.rule, rubric_language.rubric_rules.Judge) for one in rubric.points[4].controls
        )


def test_a_registry_draws_another_rubric_than_its_neighbour():
    forms = {rubric_language.sealed_form(drawn(seed)) for seed in range(100)}
    rules = {json.dumps([point["controls"] for point in drawn(seed)["points"]][1:2]) for seed in range(100)}
    assert len(forms) == 100
    assert len(rules) > 20
