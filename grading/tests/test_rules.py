"""The versioned files that figures depend on: schemes, groupings, phrases and article prefixes."""

import json
from fractions import Fraction

import pytest

from evidence import families, records
from grading import citations, data, language_groups, phrases, schemes
from grading.methods import METHODS
from grading.schemes import UnusableScheme
from grading.tests.packages import item, measured, package, response

HALU = json.loads(data.read("schemes/HALU-1.json"))
LANGUAGES = language_groups.shipped()["language-1"]
SCRIPTS = language_groups.shipped()["script-1"]


class TestScheme:
    def test_the_shipped_one(self):
        scheme = schemes.shipped()["HALU", "1"]
        assert (scheme.code, scheme.version, scheme.method) == ("HALU", "1", "hallucination")
        assert scheme.is_descriptive
        assert (scheme.max_evidence_age, scheme.appeal_period) == (180, 30)
        assert scheme.suppression == schemes.Suppression(10, 30, Fraction(3, 10))
        assert scheme.time_zone == "America/Santiago"
        assert [one.code for one in scheme.categories if one.hostile] == [
            "trap",
            "out_of_corpus",
            "adversarial",
        ]
        assert scheme.sha256 == data.sha256("schemes/HALU-1.json")
        assert schemes.shipped_codes() == {("HALU", "1"), ("AGENT", "1")}

    def test_the_one_of_agent_runs(self):
        scheme = schemes.shipped()["AGENT", "1"]
        assert scheme.method == "agent_run"
        assert scheme.is_descriptive
        assert (scheme.publication_delay, scheme.review_days, scheme.minimum_runs) == (7, 5, 3)
        assert scheme.suppression == schemes.OF_RUNS
        assert scheme.categories == ()

    @pytest.mark.parametrize(
        ("change", "where"),
        [
            ({"minimum_runs": 2}, "VALUE_NOT_ALLOWED at minimum_runs"),
            ({"review_days": 0}, "VALUE_NOT_ALLOWED at review_days"),
            ({"review_days": None}, "MISSING_KEY at review_days"),
            ({"suppression": HALU["suppression"]}, "UNKNOWN_KEY at suppression"),
            ({"criteria": {"clauses": []}}, "UNKNOWN_KEY at criteria"),
            ({"grouping": "moon-1"}, "VALUE_NOT_ALLOWED at grouping"),
        ],
    )
    def test_what_is_no_scheme_of_runs_says_where(self, change, where):
        changed = json.dumps(json.loads(data.read("schemes/AGENT-1.json")) | change).encode()
        with pytest.raises(UnusableScheme, match=where):
            schemes.load(changed)

    def test_another_version_of_it(self):
        changed = json.dumps({**HALU, "code": "TQA", "max_evidence_age": 3650}).encode()
        assert schemes.load(changed).max_evidence_age == 3650

    def test_the_group_that_others_are_compared_with(self):
        assert schemes.shipped()["HALU", "1"].reference_group is None
        named = json.dumps({**HALU, "code": "TQA", "reference_group": "es"}).encode()
        assert schemes.load(named).reference_group == "es"

    @pytest.mark.parametrize(
        ("change", "where"),
        [
            ({"validty": 5}, "UNKNOWN_KEY at validty"),
            ({"validity": None}, "MISSING_KEY at validity"),
            ({"validity": "365"}, "WRONG_TYPE at validity"),
            ({"validity": 0}, "VALUE_NOT_ALLOWED at validity"),
            ({"method": "web_agent"}, "VALUE_NOT_ALLOWED at method"),
            ({"method": "agent_run"}, "UNKNOWN_KEY at categories"),
            ({"criteria": {"metric": "hallucination"}}, "at criteria"),
            ({"grouping": "moon-1"}, "at grouping"),
            ({"reference_group": "spa"}, "at reference_group"),
            ({"reference_group": "es-CL"}, "at reference_group"),
            ({"time_zone": "America/Fehaciente"}, "at time_zone"),
            ({"time_zone": "../etc/passwd"}, "at time_zone"),
            ({"title": {"es": "x"}}, "MISSING_KEY at title.en"),
            ({"categories": []}, "VALUE_NOT_ALLOWED at categories"),
            ({"categories": [HALU["categories"][0]] * 2}, "DUPLICATE_ID at categories"),
            (
                {"categories": [{**HALU["categories"][0], "hostil": True}]},
                "UNKNOWN_KEY at categories[0].hostil",
            ),
            (
                {"categories": [{**HALU["categories"][0], "expected_citation": "does_not_exist"}]},
                "at categories[0].expected_citation",
            ),
            (
                {"suppression": {**HALU["suppression"], "widest_full": 0.3}},
                "WRONG_TYPE at suppression.widest_full",
            ),
            ({"suppression": {**HALU["suppression"], "suppressed_below": 31}}, "at suppression"),
        ],
    )
    def test_what_is_no_scheme_says_where(self, change, where):
        with pytest.raises(UnusableScheme, match=where.replace("[", r"\[").replace(".", r"\.")):
            schemes.load(json.dumps({**HALU, **change}).encode())

    def test_a_key_twice(self):
        with pytest.raises(UnusableScheme, match="DUPLICATE_KEY at code"):
            schemes.load(b'{"code": "A", "code": "B"}')


def test_records_and_figures_know_the_same_methods():
    assert set(METHODS) == set(records.METHODS)


class TestLanguages:
    @pytest.mark.parametrize(
        ("tag", "group"),
        [("es", "es"), ("ES-cl", "es"), ("es-419", "es"), ("iw", "he"), ("in-ID", "id"), ("ji", "yi"), ("mo", "ro"),
         ("spa", "es"), ("eng-US", "en"), ("zh-Hant-TW", "zh"), ("zh-yue", "yue"), ("sr-Latn", "sr"), ("und", "und"),
         ("", "und"), (None, "und"), ("x-inca", "und"), ("i-klingon", "tlh"), ("zh-min-nan", "nan"), ("de-1996", "de"),
         ("en-u-ca-gregory", "en"), ("mul", "mul")],
    )  # fmt: skip
    def test_the_group_is_the_canonical_primary_subtag(self, tag, group):
        assert LANGUAGES.is_well_formed(tag)
        assert LANGUAGES.group(tag) == group

    @pytest.mark.parametrize(
        "tag", ["rest", "español", "es_CL", "e", "es-", "es--CL", "es CL", "x", "de-a", "abcdefghi"]
    )
    def test_what_is_no_tag(self, tag):
        assert not LANGUAGES.is_well_formed(tag)

    def test_replacements_end_in_codes_that_are_not_replaced(self):
        assert not set(LANGUAGES.preferred.values()) & set(LANGUAGES.preferred)
        assert set(LANGUAGES.grandfathered.values()).isdisjoint(LANGUAGES.preferred)


class TestScripts:
    @pytest.mark.parametrize(
        ("tag", "group"),
        [("es-CL", "Latn"), ("zh", "Hans"), ("zh-TW", "Hant"), ("zh-Hant-HK", "Hant"), ("zh-yue", "Hant"),
         ("sr", "Cyrl"), ("sr-Latn", "Latn"), ("sr-ME", "Latn"), ("iw", "Hebr"), ("ja", "Jpan"), ("arn", "Latn"),
         ("und-Cyrl", "Cyrl"), ("und", "und"), (None, "und"), ("x-latn", "und"), ("i-lux", "Latn"),
         ("en-u-ca-gregory", "Latn"), ("qqz", "Zzzz"), ("de-1996", "Latn"), ("de-x-cyrl", "Latn")],
    )  # fmt: skip
    def test_the_script_named_or_the_usual_one(self, tag, group):
        assert SCRIPTS.is_well_formed(tag)
        assert SCRIPTS.group(tag) == group
        assert SCRIPTS.has(group)

    def test_it_rests_on_the_codes_of_one_language_file(self):
        assert SCRIPTS.primary("spa") == "es"
        file = json.loads(data.read("groupings/script-1.json"))
        assert file["languages_sha256"] == LANGUAGES.sha256
        languages = " ".join(file["usual"].values()).split()
        assert len(languages) == len(set(languages)) > 7000
        assert {of for of in languages if LANGUAGES.primary(of) != of} == set()
        file["languages_sha256"] = "0" * 64
        with pytest.raises(language_groups.UnusableGrouping, match="SHA-256"):
            language_groups.load(json.dumps(file).encode(), "0" * 64)


class TestOwnGroups:
    file = {
        "name": "iberia",
        "version": "1",
        "by": "own",
        "languages": "language-1",
        "languages_sha256": LANGUAGES.sha256,
        "groups": [
            {"key": "romance", "names": {"es": "romances", "en": "Romance"}, "members": ["es", "pt", "gl"]},
            {"key": "vasconic", "names": {"es": "vascas", "en": "Vasconic"}, "members": ["eu"]},
        ],
        "others": {"key": "other", "names": {"es": "otras", "en": "other"}},
    }

    def load(self, **changes):
        return language_groups.load(json.dumps({**self.file, **changes}).encode(), "ab" * 32)

    @pytest.mark.parametrize(
        ("tag", "group"),
        [
            ("es-CL", "romance"),
            ("spa", "romance"),
            ("eu", "vasconic"),
            ("en", "other"),
            ("und", "und"),
            (None, "und"),
        ],
    )
    def test_every_language_has_its_group(self, tag, group):
        own = self.load()
        assert own.group(tag) == group
        assert own.has(group)
        assert not own.has("es")
        assert own.names["romance"]["es"] == "romances"

    @pytest.mark.parametrize(
        ("changes", "fault"),
        [
            ({"groups": [file["groups"][0], {**file["groups"][1], "members": ["es"]}]}, "es: twice"),
            ({"groups": [{**file["groups"][0], "members": ["spa"]}]}, "spa: not a canonical code"),
            ({"groups": [{**file["groups"][0], "key": "rest"}]}, "rest: not a key"),
            ({"others": {**file["others"], "key": "romance"}}, "romance: twice"),
            ({"others": {"key": "other", "names": {"es": "otras"}}}, "other: a name in es and en"),
        ],
    )
    def test_what_groups_in_no_usable_way(self, changes, fault):
        with pytest.raises(language_groups.UnusableGrouping, match=fault):
            self.load(**changes)

    def test_figures_are_by_the_groups_that_the_scheme_names(self, monkeypatch):
        own = self.load()
        monkeypatch.setattr(language_groups, "shipped", lambda: {"language-1": LANGUAGES, "iberia-1": own})
        rules = {**HALU, "code": "IB", "grouping": "iberia-1", "reference_group": "romance"}
        scheme = schemes.load(json.dumps(rules).encode())
        items = [item("a"), item("b", language="pt"), item("c", language="eu")]
        result = measured(package(items, [response(one["id"]) for one in items]), scheme=scheme)
        assert {one.group for one in result.figures} == {None, "romance", "vasconic"}
        assert result.files["grouping"] == result.grouping_sha256 == own.sha256
        with pytest.raises(UnusableScheme, match="at reference_group"):
            schemes.load(json.dumps({**rules, "reference_group": "es"}).encode())


class TestPhrases:
    @pytest.mark.parametrize(
        "listed", [phrases.abstention(), phrases.premise()], ids=["abstention", "premise"]
    )
    def test_every_phrase_is_found_and_what_holds_none_is_not(self, listed):
        for language, known in listed.languages.items():
            searcher = listed.searcher(language)
            for phrase in known:
                assert searcher.finds(f"¡¿{phrase}!"), phrase
                assert phrase == phrases.folded(phrase)
            assert not searcher.finds("42")

    def test_searching_is_looking_for_each(self):
        searcher = phrases.Searcher(["no lo sé", "no puedo", "ez dakit"])
        for text in ("no lo", "no lo sé", "yo no puedo", "ez", "ez dakitx", ""):
            assert searcher.finds(text) == any(one in text for one in ["no lo sé", "no puedo", "ez dakit"])

    def test_no_phrase_is_listed_twice(self):
        for listed in (phrases.abstention(), phrases.premise()):
            for language, _known in listed.languages.items():
                own = json.loads(data.read(f"{listed.name}/phrases-1.json"))["languages"][language]
                assert len(own) == len(set(own)), language

    def test_compatibility_forms_are_folded(self):
        assert phrases.folded("\uff2eo\u00a0LO SÉ") == "no lo sé"


class TestCitations:
    @pytest.mark.parametrize(
        "article",
        [
            "12",
            "Art. 12",
            "art 12",
            "ARTÍCULO 12",
            "artículo  12",
            "Article 12",
            "Artigo 12",
            "§ 12",
            "§12",
            "art. n.º 12",
            "Art.12",
        ],
    )
    def test_words_for_article_do_not_count(self, article):
        keys = citations.Keys()
        assert keys["Ley 19.880", article] == keys["LEY  19.880 ", "12"]

    @pytest.mark.parametrize("article", ["13", "12 bis", "artesanal 12", "1 2"])
    def test_other_articles_are_others(self, article):
        keys = citations.Keys()
        assert keys["Ley 19.880", article] != keys["Ley 19.880", "12"]

    def test_a_prefix_alone_is_an_article(self):
        assert citations.article("Artículo") == "artículo"
        assert citations.article("art. único") == "único"

    def test_source_and_article_do_not_run_together(self):
        keys = citations.Keys()
        assert keys["a b", "c"] != keys["a", "b c"]

    def test_many_citations_take_bounded_memory(self):
        keys = citations.Keys()
        for number in range(60_000):
            keys["L", str(number)]
        assert len(keys) <= 50_000


class TestFamilies:
    @pytest.mark.parametrize(
        ("one", "other"), [("GPT", "OpenAI"), ("gpt-4o", "ChatGPT"), ("Meta  Llama", "llama_3"), ("x", "X ")]
    )
    def test_names_of_one_family(self, one, other):
        assert families.same(one, other)

    def test_others_are_others_and_unknown_ones_known_as_such(self):
        assert not families.same("gpt", "claude")
        assert families.is_known("Anthropic")
        assert not families.is_known("casera")
