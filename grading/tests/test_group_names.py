"""What groups are called on pages and in the API, whatever they were grouped by."""

import pytest

from grading import group_names, language_groups
from grading.tests import test_rules


@pytest.mark.parametrize(
    ("key", "grouping", "es", "en"),
    [
        ("es", "language-1", "español", "Spanish"),
        ("arn", "language-1", "mapudungun", "Mapudungun"),
        ("und", "language-1", "sin idioma declarado", "no declared language"),
        ("und", "script-1", "sin idioma declarado", "no declared language"),
        ("rest", "script-1", "resto", "rest"),
        # «árabe» alone would be taken for the language.
        ("Arab", "script-1", "árabe (escritura)", "Arabic (script)"),
        ("Latn", "script-1", "latino (escritura)", "Latin (script)"),
        ("Latn", "", "latino (escritura)", "Latin (script)"),
        ("Hant", "script-1", "han tradicional (escritura)", "Traditional Han (script)"),
        ("Zzzz", "script-1", "escritura desconocida", "unknown script"),
        # CLDR has no Spanish word for it: the English one rather than a code.
        ("Osge", "script-1", "Osage (escritura)", "Osage (script)"),
        ("xx-unheard", "language-1", "xx-unheard", "xx-unheard"),
    ],
)
def test_languages_and_scripts(key, grouping, es, en):
    assert group_names.name(key, "es", grouping=grouping) == es
    assert group_names.name(key, "en", grouping=grouping) == en


class TestOwn:
    @pytest.fixture(autouse=True)
    def _shipped(self, monkeypatch):
        own = test_rules.TestOwnGroups().load()
        shipped = {**language_groups.shipped(), "iberia-1": own}
        monkeypatch.setattr(language_groups, "shipped", lambda: shipped)

    def test_groups_of_a_scheme_have_the_names_of_its_grouping(self):
        assert group_names.names(["romance", None, "und", "rest", "romance"], grouping="iberia-1") == {
            "romance": {"es": "romances", "en": "Romance"},
            "und": {"es": "sin idioma declarado", "en": "no declared language"},
            "rest": {"es": "resto", "en": "rest"},
        }

    def test_a_list_that_knows_no_grouping_finds_the_name_by_the_key(self):
        assert group_names.name("vasconic", "es") == "vascas"

    def test_a_key_of_its_own_is_no_language_there(self):
        assert group_names.name("es", "en", grouping="iberia-1") == "es"


def test_every_group_of_every_grouping_has_a_name():
    for code, grouping in language_groups.shipped().items():
        keys = [*grouping.scripts.values(), *grouping.names, "und"]
        for key, told in group_names.names(keys, grouping=code).items():
            assert key not in told.values(), f"{key} of {code}: add it to registry_site/language_names.py"
