"""Each case has its sentence, in both languages, as the registry's vocabulary words it."""

import pytest

from grading import sentences
from grading.comparison import compare
from grading.schemes import shipped
from grading.tests.test_between_groups import TestTheSameQuestions, among, only, parallel
from grading.tests.test_between_groups import of as of_metric
from grading.tests.test_comparison import answers, compared, exact
from grading.tests.test_comparison import of as of_outcome
from grading.tests.test_reviews import AGREED, reviewed_package


def groups(counts, language="es", **options):
    said = among(counts, **options)
    return sentences.of_groups(only(said.homogeneity), only(said.gaps), language, name=str.upper)


class TestGroups:
    def test_groups_that_differ_with_the_gaps_that_stand(self):
        counts = {"en": (45, 150), "es": (15, 150), "pt": (16, 150)}
        assert groups(counts) == (
            "Los grupos lingüísticos difieren (p < 0,001). "
            "Respecto de ES: EN 20,0 puntos porcentuales [11,1 – 28,7]."
        )
        assert groups(counts, "en").startswith("The language groups differ (p < 0.001). Against ES: EN 20.0")

    def test_a_gap_below_the_reference_has_its_sign(self):
        assert "EN −20,0 puntos" in groups({"en": (15, 150), "es": (45, 150)})

    def test_groups_that_are_not_shown_to_differ_have_no_gap(self):
        told = groups({"en": (18, 150), "es": (15, 150)})
        assert told.startswith(
            "Con estos datos no se puede afirmar que los grupos lingüísticos difieran (p = 0,"
        )
        assert told.endswith("Tampoco se puede afirmar que sean iguales.")
        assert "Respecto" not in told

    def test_no_variation(self):
        assert groups({"en": (0, 100), "es": (0, 100)}) == (
            "No hubo variación: ningún grupo registró casos (o todos los registraron en cada respuesta)."
        )

    def test_questions_that_never_tell_groups_apart_are_not_called_without_a_case(self):
        said = parallel([{"en": 1, "es": 1, "pt": 1}] * 20 + [{"en": 0, "es": 0, "pt": 0}] * 20)
        assert of_metric(said.homogeneity)["outcome"] == "no_variation_within_questions"
        assert sentences.of_groups(of_metric(said.homogeneity), None, "es") == (
            "No hubo variación: cada pregunta que los grupos comparten tuvo el mismo resultado en todos."
        )

    def test_not_assessed(self):
        assert groups({"es": (15, 150)}, "en") == (
            "Whether groups differ was not assessed: fewer than two groups have full publication."
        )

    def test_without_a_reference_group(self):
        said = parallel(TestTheSameQuestions.outcomes)
        told = sentences.of_groups(of_metric(said.homogeneity), None, "en")
        assert told.startswith("The language groups differ (p = 0.0")


class TestAgreement:
    def test_kappa(self):
        assert sentences.of_agreement(reviewed_package(AGREED).agreement, "es") == (
            "Acuerdo entre el juez y personas: kappa de Cohen 0,40 [0,15 – 0,65], aceptable; 35 de 50."
        )

    def test_few_answers_are_indicative(self):
        few = {("exact", "exact"): 10, ("exact", "incorrect"): 2, ("incorrect", "incorrect"): 8}
        told = sentences.of_agreement(reviewed_package(few).agreement, "en")
        assert told.endswith("substantial; 18 of 20. Indicative: few answers (20).")

    def test_where_all_agree_the_disagreement_is_bounded(self):
        told = sentences.of_agreement(
            reviewed_package({("exact", "exact"): 60, ("incorrect", "incorrect"): 60}).agreement, "es"
        )
        assert told.endswith("con 95 % de confianza, el desacuerdo real no supera 2,5 %.")

    def test_one_category(self):
        told = sentences.of_agreement(reviewed_package({("exact", "exact"): 40}).agreement, "es")
        assert told == (
            "Kappa no definido: todas las respuestas están en una sola categoría. Acuerdo simple: 40 de 40."
        )

    def test_none(self):
        assert sentences.of_agreement({}, "es") == (
            "Limitación declarada: no se ha medido el acuerdo entre el juez y personas."
        )


class TestComparison:
    @pytest.mark.parametrize(
        ("cells", "told"),
        [
            ((36, 12, 2, 50), "La primera medición difiere de la segunda en 10,0 puntos porcentuales ["),
            ((60, 0, 0, 40), "Las dos mediciones acertaron y fallaron en las mismas preguntas"),
            ((500, 393, 353, 400), "No se detectó diferencia (p = 0,153). Con este tamaño solo se habría"),
        ],
    )
    def test_each_case(self, cells, told):
        assert sentences.of_comparison(of_outcome(compared(*cells))["overall"], "es").startswith(told)

    def test_the_intersection_is_told(self):
        first = answers(exact([1] * 60), names=range(60))
        second = answers(exact([1] * 60), names=range(20, 80), set_sha256="dd" * 32)
        comparison = compare(first, second, scheme=shipped()["HALU", "1"])
        assert (
            sentences.of_intersection(comparison, "es") == "Intersección de 40 ítems, no el mismo conjunto."
        )
        assert sentences.of_intersection(compared(1, 1, 1, 1), "es") == ""


@pytest.mark.parametrize("subject", sentences.TEXTS)
def test_every_sentence_is_in_both_languages(subject):
    for spanish, english in sentences.TEXTS[subject].values():
        assert spanish != english
        assert set(_names(spanish)) == set(_names(english))


def _names(text):
    from string import Formatter

    return [name for _, name, _, _ in Formatter().parse(text) if name]
