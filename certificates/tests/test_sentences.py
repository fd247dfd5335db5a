"""The first line of a certificate in every state, word by word, and the sentences that stand beside figures."""

import dataclasses
from datetime import timedelta

import pytest
from django.utils import translation

from certificates import sentences, words
from certificates.tests import sample_pages
from certificates.tests.sample_pages import figure, hidden, verdicts
from grading.figures import Figure
from registry_site import catalogues

FIRST = {
    "active": (
        "Vigente, respecto de la versión 4.2.1 de Peumo Consulta tal como se midió el 27 de marzo de 2026.",
        "In force, about version 4.2.1 of Peumo Consulta as measured on 27 March 2026.",
    ),
    "do-not-rely": (
        "No se apoye en este certificado: véase la fe de erratas N.º AV-2026-000160.",
        "Do not rely on this certificate: see erratum No. AV-2026-000160.",
    ),
    "suspended": (
        (
            "No vigente desde el 2 de julio de 2026: suspendido, porque el sistema que se ofrece ya no es la "
            "versión evaluada (decisión N.º AV-2026-000112)."
        ),
        (
            "Not in force since 2 July 2026: suspended, because the system offered is no longer the version evaluated "
            "(decision No. AV-2026-000112)."
        ),
    ),
    "suspended-other": (
        (
            "No vigente desde el 2 de julio de 2026: suspendido, porque no se pudo localizar al "
            "titular (decisión N.º AV-2026-000112)."
        ),
        (
            "Not in force since 2 July 2026: suspended, because the holder could not be reached "
            "(decision No. AV-2026-000112)."
        ),
    ),
    "revoked": (
        (
            "No vigente desde el 2 de julio de 2026: revocado, porque el titular declaró algo que "
            "no es cierto (decisión N.º AV-2026-000112)."
        ),
        (
            "Not in force since 2 July 2026: revoked, because the holder made a false declaration "
            "(decision No. AV-2026-000112)."
        ),
    ),
    "revoked-final": (
        (
            "No vigente desde el 2 de julio de 2026: revocado de forma definitiva, porque el titular declaró algo que "
            "no es cierto (decisión N.º AV-2026-000112)."
        ),
        (
            "Not in force since 2 July 2026: revoked, finally, because the holder made a false declaration "
            "(decision No. AV-2026-000112)."
        ),
    ),
    "terminated": (
        "No vigente desde el 2 de julio de 2026: finalizado a petición del titular.",
        "Not in force since 2 July 2026: ended at the holder's request.",
    ),
    "expired": (
        "No vigente desde el 2 de julio de 2026: vencido al terminar su plazo.",
        "Not in force since 2 July 2026: expired at the end of its term.",
    ),
    "expired-suspended": (
        (
            "No vigente: vencido el 2 de julio de 2026; estaba suspendido desde el 2 de junio de "
            "2026 (decisión N.º AV-2026-000112)."
        ),
        "Not in force: expired on 2 July 2026; it had been suspended since 2 June 2026 (decision No. AV-2026-000112).",
    ),
    "superseded": (
        "No vigente desde el 2 de julio de 2026: sustituido por el certificado FEH-2026-000151-51.",
        "Not in force since 2 July 2026: superseded by certificate FEH-2026-000151-51.",
    ),
    "unknown": (
        "No se pudo determinar si está vigente. No lo dé por vigente.",
        "It could not be determined whether it is in force. Do not assume that it is.",
    ),
}
FURTHER = {
    "active-suspended-before": [
        "Hasta el 13 de abril de 2028, si antes no se publica otra decisión.",
        "Estuvo suspendido del 2 de julio de 2026 al 11 de septiembre de 2026.",
    ],
    "active-complaint": [
        "Hasta el 13 de abril de 2028, si antes no se publica otra decisión.",
        "Hay una queja en trámite (N.º QJ-2026-000214); no prejuzga el resultado.",
    ],
    "suspended": [
        "La suspensión se revisa a más tardar el 30 de septiembre de 2026.",
        "El titular puede apelar hasta el 1 de agosto de 2026, 24:00 (hora de Chile, UTC−4).",
    ],
    "suspended-overdue": [
        "La revisión debía hacerse el 30 de septiembre de 2026 y está pendiente. Sigue suspendido."
    ],
    "revoked": ["El titular puede apelar hasta el 30 de diciembre de 2026, 24:00 (hora de Chile, UTC−3)."],
    "revoked-period-over": [
        (
            "El plazo para apelar terminó el 30 de diciembre de 2026, 24:00 (hora de Chile, UTC−3); "
            "la revocación aún no es firme."
        )
    ],
    "revoked-appeal": ["Hay una apelación en trámite (N.º AP-2026-000014); mientras tanto no está vigente."],
    "revoked-final": [],
    "terminated": ["No es una sanción."],
    "terminated-suspended": [
        "Al pedirlo, estaba suspendido (decisión N.º AV-2026-000112).",
        "Al pedirlo, había una queja en trámite (N.º QJ-2026-000214).",
    ],
}


@pytest.fixture(scope="module", autouse=True)
def _catalogue():
    catalogues.compile_catalogues()


def plain(text: str) -> str:
    return text.replace("\u00a0", " ").replace("\u202f", " ")


@pytest.mark.parametrize(("case", "expected"), FIRST.items())
def test_the_status_sentence(case, expected):
    for language, sentence in zip(("es", "en"), expected, strict=True):
        with translation.override(language):
            assert plain(sentences.status_sentence(verdicts()[case]).text()) == sentence


@pytest.mark.parametrize(("case", "expected"), FURTHER.items())
def test_what_else_is_true(case, expected):
    with translation.override("es"):
        assert [plain(told.text()) for told in sentences.further_sentences(verdicts()[case])] == expected


def test_an_overturned_suspension_stays_on_record():
    with translation.override("es"):
        told = " ".join(
            plain(sentence.text()) for sentence in sentences.further_sentences(verdicts()["overturned"])
        )

    assert "La decisión N.º AV-2026-000112 quedó sin efecto por la apelación N.º AP-2026-000009." in told
    assert "El certificado estuvo suspendido del 2 de julio de 2026 al 19 de agosto de 2026." in told


def test_a_suspension_that_was_lifted_the_same_day_names_it_once():
    before = verdicts()["active-suspended-before"]
    start = before.past_suspensions[0][0]
    with translation.override("es"):
        told = sentences.further_sentences(
            dataclasses.replace(before, past_suspensions=((start, start + timedelta(minutes=9)),))
        )
    assert plain(told[-1].text()) == "Estuvo suspendido el 2 de julio de 2026, parte del día."


def test_not_relying_comes_before_the_status_and_does_not_hide_it():
    with translation.override("en"):
        told = sentences.further_sentences(verdicts()["do-not-rely"])

    assert told[0].text().startswith("In force")


def test_no_sentence_calls_a_termination_with_matters_open_no_sanction():
    with translation.override("en"):
        told = [
            sentence.text() for sentence in sentences.further_sentences(verdicts()["terminated-suspended"])
        ]

    assert "This is not a sanction." not in told


def test_every_code_of_a_table_has_a_word_in_both_languages():
    for name, table in words.TABLES.items():
        for code in table:
            told = {}
            for language in ("es", "en"):
                with translation.override(language):
                    told[language] = words.word(name, code)
            assert all(told.values()), (name, code)


class TestFigures:
    def test_a_rate_has_k_of_n_estimate_and_interval(self):
        with translation.override("es"):
            assert (
                plain(sentences.rate(figure("hallucination", "judged", 15, 148)))
                == "15 de 148 · 10,1 % [6,2 – 16,0]"
            )
        with translation.override("en"):
            assert (
                plain(sentences.rate(figure("hallucination", "judged", 15, 148)))
                == "15 of 148 · 10.1% [6.2 – 16.0]"
            )

    def test_nought_of_few_has_no_rule_of_three(self):
        with translation.override("es"):
            note = plain(sentences.figure_note(figure("hallucination", "judged", 0, 12)))

        assert note.startswith("No se observó ningún caso en 12.")
        assert "3/12" not in note
        assert "Orientativo: pocas respuestas (12)" in note

    def test_all_is_bounded_from_below(self):
        with translation.override("es"):
            note = plain(sentences.figure_note(figure("accuracy", "judged", 61, 61)))
            told = plain(sentences.rate(figure("accuracy", "judged", 61, 61)))

        assert (
            note == "Se observó en los 61 casos. Con 95 % de confianza, la tasa real no es inferior a 95,2 %."
        )
        assert told == "61 de 61 · [94,1 – 100,0] %"

    def test_the_unjudged_are_told_as_a_range(self):
        with translation.override("en"):
            note = plain(sentences.figure_note(figure("hallucination", "judged", 15, 148, unjudged=2)))

        assert (
            note == "2 answers were not judged: had they been, the figure would lie between 10.0% and 11.3%."
        )

    def test_repeated_answers_do_not_tighten_the_bound(self):
        once = figure("hallucination", "judged", 0, 61)
        repeated = figure("hallucination", "judged", 0, 183, clusters=61)
        with translation.override("en"):
            assert "does not exceed 4.8%" in sentences.figure_note(once)
            assert "does not exceed 4.8%" in sentences.figure_note(repeated)

    def test_what_may_not_be_shown_says_why(self):
        with translation.override("es"):
            assert "Menos de 10 respuestas" in sentences.figure_note(
                hidden("hallucination", "judged", "ay"), 10
            )
            assert "«resto»" in sentences.figure_note(
                hidden("hallucination", "judged", "ay", "complementary")
            )
            assert sentences.figure_note(Figure(metric="m", denominator="d", k=0, n=0)) == (
                "Sin datos: no hubo casos en que medirlo."
            )
            assert sentences.rate(hidden("hallucination", "judged", "ay")) == "suprimido"


def test_the_sample_covers_every_sentence():
    assert set(FIRST) <= set(verdicts())
    assert sample_pages.every_page()
