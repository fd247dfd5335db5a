"""Every limitation that a method can find is told on the page, in both languages."""

import re
from pathlib import Path

import pytest

from certificates import limitations

METHODS = Path(__file__).parents[2] / "grading" / "methods"


def codes_of_the_methods() -> set[str]:
    """The codes that the sources of the methods name."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in METHODS.glob("*.py"))
    return set(re.findall(r"Limitation\(\s*code=\"([a-z_]+)\"", text))


def test_each_code_of_a_method_has_its_sentences():
    known = set(limitations.SENTENCES) | limitations.TOLD_BY_THE_PAGE | {"holder_had_access"}
    assert codes_of_the_methods() - known == set(), "add the sentence to certificates/limitations.py"


@pytest.mark.parametrize("code", limitations.SENTENCES)
def test_both_languages_name_the_same_data(code):
    es, en = limitations.SENTENCES[code]
    assert re.findall(r"{(\w+)}", es) == re.findall(r"{(\w+)}", en)
    assert es.endswith(".")
    assert en.endswith(".")


def test_sentences_are_told_with_their_data_in_order():
    told = limitations.told(
        [
            {"code": "agreement_not_measured", "reviews": 0},
            {"code": "judge_temperature_not_zero", "judge": "j1", "temperature": "0.7"},
            {"code": "holder_had_access", "value": "yes"},
            {"code": "no_phrase_list", "languages": ["arn", "ay", "qu"], "responses": 12},
        ]
    )
    assert [text.es for text in told] == [
        "El juez «j1» trabajó con temperatura 0,7, no con 0: repetirlo puede dar otros veredictos.",
        "El titular tuvo acceso al conjunto de preguntas.",
        "No hay lista de frases de abstención para estas lenguas: arn, ay y qu; respuestas afectadas: 12.",
    ]
    assert "temperature 0.7" in told[0].en
    assert "arn, ay and qu" in told[2].en


def test_what_a_later_method_finds_is_not_silently_dropped():
    (told,) = limitations.told([{"code": "something_new", "items": 3}])
    assert told.es == told.en == "something_new"
    (told,) = limitations.told([{"code": "equal_items"}])
    assert told.en == "Some questions equal another, word by word."
