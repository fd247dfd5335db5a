"""What the public reads: every page in both languages, made from facts alone."""

import dataclasses
import functools
import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.template.loader import render_to_string
from django.utils import translation

from certificates import pages
from certificates.tests import sample_pages
from registry_site import catalogues

PAGES = sample_pages.every_page()
LANGUAGES = ("es", "en")
# Words that promise more than the registry knows; in certificates' pages of neither language.
NEVER = re.compile(
    r"\b(válid[oa]s?|inválid[oa]s?|garantizad\w*|aprobad[oa]s?|homologad\w*|avalad[oa]s?|ranking|valid|invalid|guaranteed)\b",
    re.IGNORECASE,
)


@pytest.fixture(scope="module", autouse=True)
def _catalogue():
    catalogues.compile_catalogues()


@functools.cache
def render(name: str, language: str) -> str:
    template, page = PAGES[name]
    with translation.override(language):
        return render_to_string(template, {"page": page})


def words(html: str) -> str:
    """What a reader sees, on one line."""
    text = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", html, flags=re.DOTALL)
    text = re.sub(r"</?(?:b|a|span|i|code|time)\b[^>]*>", "", text)
    text = re.sub(r"<[^>]+>", " ", text)
    text = text.replace("&#x27;", "'").replace("&amp;", "&").replace("&lt;", "<").replace("&quot;", '"')
    return re.sub(r"[\s\u00a0\u202f]+", " ", text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", PAGES)
class TestEveryPage:
    def test_it_can_be_kept_by_anybody_and_run_under_the_strictest_policy(self, name, language):
        html = render(name, language)

        assert f'<html lang="{language}"' in html
        assert not re.search(r"<[^>]+\sstyle=", html), "no inline style: use a class, or geometry attributes"
        assert not re.search(r"<script(?![^>]*\ssrc=)", html), (
            "no inline script: use a module under static/js"
        )
        assert not re.search(r"\son[a-z]+=", html), "no event attributes"
        assert "csrf" not in html
        sources = re.findall(r'(?:src|<link rel="(?:stylesheet|preload|icon)" href)="([^"]+)"', html)
        assert all(address.startswith("/static/") for address in sources), "nothing is fetched from elsewhere"

    def test_it_says_nothing_it_does_not_know(self, name, language):
        text = words(render(name, language))

        assert not re.search(r"\bNone\b(?! of | is )", text)
        assert not re.search(r"\{[a-zA-Z]\w*\}|%\(\w+\)s|\{\{|\{%", text), "a value was not filled in"
        said = text.replace("no está acreditado", "").replace("No es una certificación acreditada", "")
        assert not NEVER.search(said), NEVER.search(said)
        assert not re.search(r"(?<![\d,.–\[] )(?<![\d,.])\b0 ?%", said), "nought is bounded, never alone"

    def test_the_other_language_is_one_click_away(self, name, language):
        html = render(name, language)
        other = "en" if language == "es" else "es"

        assert re.search(rf'<a lang="{other}" hreflang="{other}" rel="alternate" href="/{other}/', html)

    def test_identifiers_of_elements_are_unique_and_links_within_the_page_lead_somewhere(
        self, name, language
    ):
        html = render(name, language)
        identifiers = re.findall(r'\sid="([^"]+)"', html)

        assert len(identifiers) == len(set(identifiers))
        assert set(re.findall(r'href="#([^"]+)"', html)) <= set(identifiers)
        for named in re.findall(r'aria-(?:labelledby|describedby)="([^"]+)"', html):
            assert set(named.split()) <= set(identifiers)


class TestCertificatePage:
    @pytest.mark.parametrize("case", sample_pages.verdicts())
    def test_the_first_heading_is_the_status_sentence(self, case):
        html = render(f"certificate-{case}", "es")
        first = words(re.search(r"<h1>(.*?)</h1>", html, re.DOTALL)[1]).strip()

        assert first.startswith(("Vigente", "No vigente", "No se pudo determinar", "No se apoye")), first
        assert html.index("<h1>") < html.index('class="facts"')

    def test_each_fact_says_where_it_comes_from(self):
        html = render("certificate-active", "es")

        for fact in re.findall(r"<dt>(.*?)</dt>", html, re.DOTALL):
            assert "registro" in fact or "recalculado" in fact or "declarado por" in fact, fact

    def test_both_denominators_stand_beside_each_other(self):
        text = words(render("certificate-active", "es"))

        assert "español 17 de 412 · 4,1 % [2,6 – 6,5] 17 de 440 · 3,9 % [2,4 – 6,1]" in text
        assert "Total 35 de 852 · 4,1 % [3,0 – 5,7] 35 de 926 · 3,8 % [2,7 – 5,2]" in text

    def test_nought_is_told_with_its_bound_in_sentence_table_and_plot(self):
        html = render("certificate-active", "es")
        text = words(html)

        assert "guaraní 0 de 61 · [0,0 – 5,9] % 0 de 70 · [0,0 – 5,2] %" in text
        assert (
            "guaraní: No se observó ningún caso en 61. Eso no demuestra que no los haya: con 95 % de confianza, "
            "la tasa real no supera 4,8 % (aproximadamente 3/61)." in text
        )
        assert re.search(r'<rect class="zb" x="1\.00%" width="\d+\.\d+%"', html)

    def test_suppressed_groups_say_so_and_why_and_give_no_number(self):
        html = render("certificate-active", "es")
        text = words(html)

        assert "mapudungun suprimido suprimido" in text
        assert "mapudungun y aimara: Menos de 10 respuestas en este grupo: la cifra no se publica" in text
        assert "español, portugués, inglés, guaraní y quechua; mapudungun y aimara, suprimidos" in text

    def test_few_answers_are_marked_in_plot_and_table(self):
        html = render("certificate-active", "en")

        assert re.search(r'<circle class="pt ind"', html)
        assert "Quechua (indicative)" in words(html)

    def test_every_measurement_is_listed_certified_or_not(self):
        text = words(render("certificate-active", "en"))

        assert "M-2026-000058, not certified" in text
        assert "M-2026-000019, the one this certificate rests on" in text

    def test_the_line_of_history_is_broken_while_it_was_not_in_force(self):
        html = render("certificate-active-suspended-before", "es")
        entries = re.findall(r'<li[^>]*class="(ev[^"]*)"', html)

        # Today, reinstated, suspended, issued: the line under a mark shows the time before it.
        assert entries == ["ev", "ev broken was-suspended", "ev", "ev first"]

    def test_a_sealed_member_shows_no_digest_of_its_own_and_no_link(self):
        html = render("certificate-active", "es")

        assert "evidence/data/items.jsonl" not in html
        assert "sellado hasta el 27\u00a0de\u00a0marzo de\u00a02027" in html

    def test_how_to_verify_fits_what_may_be_downloaded(self):
        assert "/evidence.zip" in render("certificate-bare", "es")
        assert "/evidence.zip" not in render("certificate-active", "es").replace("/status/", "")
        assert "Quien recibió el paquete" in render("certificate-digest-only", "es")

    def test_a_certificate_not_to_be_relied_on_wears_no_green_disc(self):
        html = render("certificate-do-not-rely", "es")
        head = html[html.index('id="status"') : html.index('class="facts"')]

        assert "is-active" not in head
        assert words(head).strip().find("No se apoye en este certificado") >= 0

    def test_the_criterion_is_told_with_its_threshold(self):
        html = render("certificate-threshold", "es")

        assert "umbral 10\u00a0%" in html
        assert "Criterio de aceptación del esquema: conforme" in words(html)

    def test_the_box_what_it_is_and_is_not_is_printed_once(self):
        for language in LANGUAGES:
            assert render("certificate-active", language).count("2024/1689") == 1

    def test_an_accredited_operator_replaces_the_clause(self):
        clause = pages.Text(es="Acreditación INN LE 999.", en="Accreditation INN LE 999.")
        page = sample_pages.certificate("active", frame=sample_pages.frame(accreditation=clause))
        with translation.override("es"):
            html = render_to_string("public/certificate.html", {"page": page})

        assert "Acreditación INN LE 999." in html
        assert "este registro no está acreditado" not in html

    def test_names_of_holders_cannot_write_markup(self):
        page = sample_pages.certificate(
            "suspended-other", system="<i>Peumo</i> & Cía", holder=pages.Holder(name="<b>Peumo</b>")
        )
        verdict = dataclasses.replace(
            page.verdict,
            system="<i>Peumo</i>",
            statement=pages.Text(es="<script>alert(1)</script> {n}", en="x"),
        )
        with translation.override("es"):
            html = render_to_string(
                "public/certificate.html", {"page": dataclasses.replace(page, verdict=verdict)}
            )

        assert "<script>alert" not in html
        assert "<i>Peumo" not in html
        assert "<b>Peumo" not in html
        assert "&lt;script&gt;alert(1)&lt;/script&gt; {n}" in html


class TestSearch:
    def test_an_unknown_number_says_what_was_searched(self):
        assert "No hay ningún certificado con ese número. Se buscó: «FEH-2026-000999-11»." in words(
            render("list-no-number", "es")
        )

    def test_a_wrong_check_digit_is_a_typing_error(self):
        for name in ("list-wrong-digit", "not-found-wrong-digit"):
            assert "El número tiene un error de escritura. Revise los dos últimos dígitos." in words(
                render(name, "es")
            )
            assert "That number has a typing error. Check the last two digits." in words(render(name, "en"))

    def test_beyond_a_thousand_the_list_stops_counting(self):
        assert "Más de 1 000" in words(render("list-many", "es"))

    def test_an_empty_registry_says_so(self):
        assert "Todavía no consta ningún certificado." in words(render("list-empty", "es"))
        assert "The registry holds no certificate yet." in words(render("home-empty", "en"))

    def test_what_was_typed_is_still_in_the_box(self):
        assert 'value="Peumu"' in render("list-not-found", "es")


class TestHome:
    def test_the_census_is_one_sentence_with_links(self):
        html = render("home", "es")

        assert (
            "146 certificados: 121 vigentes, 4 suspendidos, 3 revocados, 11 vencidos, 6 sustituidos y "
            "1 finalizado a petición del titular." in words(html)
        )
        assert '<a class="is-suspended" href="/es/certificates/?status=suspended">' in html

    def test_a_revocation_that_may_be_appealed_is_not_final(self):
        assert "Revocado, aún no firme" in words(render("home", "es"))


class TestNotice:
    def test_it_links_to_its_certificate_and_both_texts_stand_side_by_side(self):
        html = render("notice", "en")

        assert f'href="/en/c/{sample_pages.NUMBER}/"' in html
        assert sample_pages.SUSPENSION.es in html
        assert sample_pages.SUSPENSION.en in html

    def test_a_refusal_names_an_applicant_and_no_certificate(self):
        html = render("notice-refusal", "es")

        assert "Solicitante" in html
        assert "/c/FEH" not in html

    def test_an_overturned_decision_says_so_first(self):
        text = words(render("notice-overturned", "es"))

        assert text.index("quedó sin efecto por la decisión AV-2026-000140") < text.index(
            "Fecha de la decisión"
        )


def test_facts_are_frozen_and_hold_no_words_of_one_language():
    for value in vars(pages).values():
        if dataclasses.is_dataclass(value):
            assert value.__dataclass_params__.frozen, value
            assert not hasattr(value, "__dict__") or "__slots__" in vars(value), value


@pytest.mark.parametrize("code", [400, 403, 404, 429, 500, 503])
def test_error_pages_speak_both_languages_and_need_nothing(code):
    html = render_to_string(f"errors/{code}.html")

    assert f"<title>{code}: " in html
    assert '<div lang="en"' in html
    assert html.count("<h1>") == 1


def test_a_first_visit_weighs_little():
    """What a phone fetches after scanning the code: the page and its parts, as they travel."""
    html = render("certificate-active-suspended-before", "es")
    assets = {address for address in re.findall(r'"/static/([^"]+)"', html) if not address.startswith("img/")}
    read = {address: Path(finders.find(address)).read_bytes() for address in assets | {"fonts/mono.woff2"}}
    travelling = sum(
        len(content) if address.endswith(".woff2") else len(gzip.compress(content))
        for address, content in read.items()
    )

    assert travelling + len(gzip.compress(html.encode())) <= 120_000
