"""Every field that can differ has a name and a remedy in both languages; what is said of a comparison, case by case."""

import pytest

from grading import differing
from grading.comparison import compare, differences
from grading.schemes import shipped
from grading.sentences import comparisons
from grading.tests import test_comparison as cases
from grading.tests.test_comparison import HALU, answers, compared, exact
from grading.tests.test_comparison import of as of_outcome


def test_every_field_that_is_compared_has_its_own_words():
    one = answers(exact([1]), files=dict.fromkeys(("grouping", "abstention_phrases"), "aa"))
    other = answers(
        exact([1]),
        method="x",
        scheme="x",
        scheme_sha256="x",
        judges=(),
        files=dict.fromkeys(("premise_phrases", "article_prefixes"), "bb"),
    )
    found = differences(one, other)
    assert len(found) == 8
    for told in differing.told(found):
        assert told["field"] in differing.FIELDS
        for language in ("es", "en"):
            assert told["mend"][language].endswith(".")
        assert told["name"]["es"] != told["name"]["en"] or "SHA-256" in told["name"]["es"]


def test_a_file_that_nobody_named_yet_is_told_by_its_code():
    assert differing.name("files.judge_prompt", "es") == "archivo versionado «judge_prompt» (SHA-256)"
    assert differing.name("something", "en") == "something"


@pytest.mark.parametrize(
    ("value", "es", "en"),
    [
        (None, "ninguno", "none"),
        ([], "ninguno", "none"),
        (["a · 1", "b · 2"], "a · 1; b · 2", "a · 1; b · 2"),
        ("x", "x", "x"),
    ],
)
def test_values_are_printed(value, es, en):
    assert (differing.value(value, "es"), differing.value(value, "en")) == (es, en)


class TestSentences:
    def test_each_no_difference_says_what_would_have_been_found(self):
        for cells in ((500, 393, 353, 400), (60, 0, 0, 40), (60, 3, 1, 40)):
            told = comparisons.of_row(of_outcome(compared(*cells))["overall"], "en")
            assert any("At this size only" in sentence for sentence in told), cells

    @pytest.mark.parametrize(("b", "cannot"), [(5, True), (6, False)])
    def test_what_could_never_be_significant_is_said(self, b, cannot):
        told = comparisons.of_row(of_outcome(compared(60, b, 0, 40))["overall"], "es")
        assert ("ninguna diferencia puede alcanzar p < 0,05" in " ".join(told)) is cannot

    def test_few_pairs_are_indicative(self):
        told = comparisons.of_row(of_outcome(compared(12, 3, 3, 2))["overall"], "es")
        assert told[-1] == "Orientativo: pocos pares (20) o intervalo muy ancho."

    def test_questions_that_stand_together_are_said_to(self):
        bits = exact([1] * 60 + [0] * 60)
        clusters = [number // 4 for number in range(120)]
        comparison = compare(answers(bits, clusters=clusters), answers(bits[::-1]), scheme=HALU)
        assert (
            "Some questions stand together, such as translations: they are worth 30."
            in comparisons.of_row(of_outcome(comparison)["overall"], "en")
        )

    def test_what_is_left_out_is_named(self):
        found = cases.TestGroups._left_out(("es", 100, 5), ("en", 60, 0), ("fr", 40, 40))
        told = " ".join(comparisons.of_outcome(found, "es"))
        assert told.startswith("En y es: no se comparan por separado")
        assert "El total no se publica" in told

    def test_an_outcome_that_no_question_measures_says_so(self):
        nothing = of_outcome(compared(36, 12, 2, 50), "necessary_abstention")
        assert comparisons.of_outcome(nothing, "en") == (
            "No data: none of the common questions measures it.",
        )

    def test_in_short_it_is_one_sentence_an_outcome_and_never_better(self):
        told = comparisons.in_short(compared(36, 12, 2, 50), "en")
        assert told.startswith(
            "Exact: The first measurement differs from the second by 10.0 percentage points"
        )
        assert "Hallucination: The first measurement differs" in told
        assert "better" not in told
        assert comparisons.in_short({"not_comparable": []}, "en") == ""

    def test_of_what(self):
        comparison = compare(
            answers(exact([1] * 40), runs=3), answers(exact([1] * 40)), scheme=shipped()["HALU", "1"]
        )
        assert comparisons.of_what(comparison, "es") == (
            "El mismo conjunto: 40 preguntas.",
            "Hay preguntas con varias ejecuciones: se compara la primera de cada una.",
        )
