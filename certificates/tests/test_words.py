"""Every code that the domain has is worded wherever a reader may meet it, so that no page shows a bare code."""

import pytest

from certificates import sentences, states, words
from certificates.templatetags import certificate_words
from evidence import records
from evidence.descriptor import Access, HolderHadAccess
from evidence.models import Integrity, PackageState
from evidence.models.system import IdentifierKind
from grading import words as printed
from grading.agreement import Strength
from grading.declared import Outcome
from grading.figures import Band
from registry_site.roles import Role

CODES = [
    ("status", states.Status),
    ("status_short", states.Status),
    ("step", states.Step),
    ("noun", states.Step),
    ("button", states.Decision),
    ("step", states.Decision),
    ("reason", states.Reason),
    ("role", Role),
    ("integrity", Integrity.values),
    ("method", records.METHODS),
    ("metric", printed.METRICS),
    ("denominator", printed.DENOMINATORS),
    ("band", Band),
    ("comparison", Outcome),
    ("kappa_band", Strength),
    ("package", PackageState.values),
    ("access", Access),
    ("held_access", HolderHadAccess),
    ("identifier", IdentifierKind.values),
]


@pytest.mark.parametrize(
    ("table", "codes"), CODES, ids=[f"{table}-{place}" for place, (table, _) in enumerate(CODES)]
)
def test_each_code_has_its_word(table, codes):
    missing = {str(code) for code in codes} - set(words.TABLES[table])
    assert not missing, f"word them in certificates/words.py, table {table!r}, then script/messages"


def test_each_status_has_its_shape_and_its_place_in_the_census():
    assert set(certificate_words.SHAPES) == {*states.Status, "unknown"}
    assert set(sentences.CENSUS_ORDER) == set(states.Status)


def test_what_is_printed_without_a_database_has_words_for_the_same_codes():
    assert set(printed.METRICS) == set(words.METRIC)
    assert set(printed.DENOMINATORS) == set(words.DENOMINATOR)
    assert set(printed.BANDS) == set(words.BAND)
    assert set(printed.OUTCOMES) == set(words.COMPARISON)
