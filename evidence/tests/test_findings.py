"""Every code can be told in both languages, and every code of archive and bag is reached by an archive here."""

import string
from pathlib import Path

import pytest

from evidence import finding_texts, findings
from evidence.findings import Caution, Code, Finding, Findings, Layer, Phrase
from evidence.tests.archives.make import REJECT

HERE = Path(__file__).resolve().parent / "archives"
DOCUMENTATION = Path(__file__).resolve().parents[2] / "docs" / "evidence-package.md"
# Reached by tests that make their archive (limits, bombs) or declare another digest.
MADE_AT_TEST_TIME = {Code.MEMBER_LIMIT, Code.SIZE_LIMIT, Code.DIRECTORY_LIMIT, Code.DIGEST_DECLARED_MISMATCH}


@pytest.mark.parametrize("code", [*Code, *Caution])
def test_each_code_says_what_it_means_and_how_to_mend_it_in_both_languages(code):
    text = finding_texts.TEXTS[code]
    for sentences in (text.meaning, text.mend):
        spanish, english = sentences
        assert spanish
        assert english
    for sentence in (*text.meaning, *text.mend):
        names = {name for _, name, _, _ in string.Formatter().parse(sentence) if name}
        assert names <= {"member", "package", "pattern", "expected", "found"}
    assert text.meaning[0] != text.meaning[1]


@pytest.mark.parametrize("phrase", Phrase)
def test_each_phrase_is_worded_in_both_languages(phrase):
    assert all(finding_texts.PHRASES[phrase])


def test_no_text_is_left_without_a_code():
    assert set(finding_texts.TEXTS) == {*Code, *Caution}
    assert set(finding_texts.PHRASES) == set(Phrase)
    assert {code for code, _ in finding_texts.VARIANTS} <= set(Code)


def test_each_code_of_archive_and_bag_is_reached_by_an_archive():
    crafted = (HERE / "crafted" / "expected.tsv").read_text().splitlines()[1:]
    reached = {code for line in crafted for code in line.split("\t")[1].split("|")}
    reached |= {str(code) for code, _ in REJECT.values()} | MADE_AT_TEST_TIME
    assert {str(code) for code in Code if code.layer != Layer.PACKAGE} <= reached


def test_a_finding_is_kept_without_a_language_and_told_in_one():
    finding = Finding(Code.TRAILING_DATA, expected=35634, found=Phrase.ZEROS)
    stored = finding.as_stored()
    assert stored["found"] == {"phrase": "zeros"}
    spanish = findings.told(stored, language="es", package="mi paquete.zip")
    assert spanish["found"] == "relleno de ceros"
    assert "truncate -s 35634 'mi paquete.zip'" in spanish["mend"]
    assert "padding with zeros" in findings.told(stored, language="en")["mend"]


@pytest.mark.parametrize(
    ("member", "line"),
    [
        ("__MACOSX/data/._a", "zip -d p.zip '__MACOSX/*'"),
        ("bolsa/__MACOSX/._a", "zip -d p.zip 'bolsa/__MACOSX/*'"),
        ("data/.DS_Store", "zip -d p.zip data/.DS_Store"),
        ("data/[x] y/Thumbs.db", "zip -d p.zip 'data/\\[x\\] y/Thumbs.db'"),
    ],
)
def test_junk_is_mended_by_a_line_that_can_be_pasted(member, line):
    assert Finding(Code.JUNK_MEMBER, member).as_json("es", package="p.zip")["mend"] == line


def test_what_readers_expect_is_said_in_spanish_and_what_was_found_is_left_alone():
    typed = Finding(Code.WRONG_TYPE, "data/items.jsonl:3", "id", "string", "integer").as_json("es")
    assert (typed["expected"], typed["found"]) == ("texto", "número entero")
    value = Finding(Code.VALUE_NOT_ALLOWED, "data/items.jsonl:3", "kind", "not empty", "string").as_json("es")
    assert (value["expected"], value["found"]) == ("un texto que no esté vacío", "string")


def test_braces_in_hostile_values_stay_text():
    finding = Finding(Code.MISSING_MEMBER, "data/{package.__class__}", found="{0}")
    assert "data/{package.__class__}" in finding.as_json("es")["mend"]


def test_a_million_findings_are_counted_and_a_hundred_kept():
    found = Findings()
    for line in range(1_000_000):
        found.add(Finding(Code.INVALID_JSON, f"data/items.jsonl:{line}"))
    found.note(Code.DUPLICATE_ID)
    assert len(found) == 101
    assert found.omitted == {"INVALID_JSON": 999_900}
    assert found.codes == {Code.INVALID_JSON, Code.DUPLICATE_ID}


def test_what_another_part_counted_is_taken_over():
    part, whole = Findings(cap=2), Findings(cap=2)
    for _ in range(5):
        part.note(Code.EXTRA_MEMBER)
    whole.note(Code.EXTRA_MEMBER)
    whole.extend(part)
    assert len(whole) == 2
    assert whole.omitted == {"EXTRA_MEMBER": 4}


def test_the_documentation_lists_exactly_these_codes():
    rows = [
        line.split("|")
        for line in DOCUMENTATION.read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    ]
    listed = {
        row[1].strip().strip("`"): row[2].strip() for row in rows if row[1].strip().strip("`").isupper()
    }
    expected = {str(code): finding_texts.TEXTS[code].meaning[1] for code in (*Code, *Caution)}
    missing = [
        f"| `{code}` | {meaning} |" for code, meaning in expected.items() if listed.get(code) != meaning
    ]
    assert not missing, "write these rows into docs/evidence-package.md:\n" + "\n".join(missing)
    assert not set(listed) - set(expected), "docs/evidence-package.md lists codes that do not exist"
