"""The descriptor is read strictly, and each of its faults is named by its code and key."""

import json
import tracemalloc

import pytest

from evidence import descriptor as descriptors
from evidence import typed_json
from evidence.descriptor import Access, HolderHadAccess, is_floating
from evidence.records import Reader
from evidence.tests.record_files import DESCRIPTOR, descriptor
from evidence.tests.record_files import read as read_files

SYSTEM = DESCRIPTOR["system"]
JUDGE = DESCRIPTOR["judges"][0]
FIGURE = {
    "metric": "hallucination",
    "denominator": "judged",
    "group": None,
    "category": None,
    "value": "0.0450",
}


def read(value, *, schemes=frozenset({("HALU", "1")})):
    text = value if isinstance(value, bytes) else json.dumps(value).encode()
    return descriptors.read(text, methods=frozenset({"hallucination"}), schemes=schemes)


def faults(value, **options):
    return {(fault.code, fault.key) for fault in read(value, **options)[1]}


def test_a_sound_descriptor():
    read_, found = read(
        descriptor(
            question_set={"name": "normativa-cl", "sha256": "ab" * 32, "holder_had_access": "no"},
            corpus={"documents": 16, "articles": 1173, "as_of": "2026-07-10"},
            declared_figures=[{**FIGURE, "low": "0.0239", "high": "0.0833"}],
            sealed=["data/items.jsonl"],
            access="open",
        )
    )
    assert found == []
    assert read_.system.name == "Asistente Normativo"
    assert read_.measured_at.isoformat() == "2026-07-10T15:00:00+00:00"
    assert read_.declared_access == Access.OPEN
    assert read_.holder_had_access == HolderHadAccess.NO
    assert "data/responses.jsonl" in descriptors.sealed_members(read_)


def test_null_equals_absent():
    read_, found = read(descriptor(corpus=None) | {"corpus": None, "access": None, "sealed": None})
    assert found == []
    assert read_.declared_access == Access.MEMBERS
    assert "corpus" not in read_.as_json()


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (b"{", ("INVALID_JSON", None)),
        (b"\xff", ("INVALID_UTF8", None)),
        (b"[]", ("WRONG_TYPE", None)),
        (b"null", ("WRONG_TYPE", None)),
        (b'{"a": NaN}', ("INVALID_JSON", None)),
        (b"[" * 40 + b"]" * 40, ("RECORD_DEPTH", None)),
        (b'{"format": "evaluation-package/1", "format": "x"}', ("DUPLICATE_KEY", "format")),
        (descriptor(format="evaluation-package/2"), ("FORMAT_UNSUPPORTED", "format")),
        (descriptor(format=None), ("MISSING_KEY", "format")),
        (descriptor(method="agent_run"), ("METHOD_UNKNOWN", "method")),
        (descriptor(scheme={"code": "HALU", "version": "9"}), ("SCHEME_UNKNOWN", "scheme")),
        (descriptor(scheme={"code": "HALU"}), ("MISSING_KEY", "scheme.version")),
        (descriptor(sistem={}), ("UNKNOWN_KEY", "sistem")),
        (descriptor(system={**SYSTEM, "versión": "1"}), ("UNKNOWN_KEY", "system.versión")),
        (descriptor(system={**SYSTEM, "name": 5}), ("WRONG_TYPE", "system.name")),
        (descriptor(system={**SYSTEM, "name": ""}), ("VALUE_NOT_ALLOWED", "system.name")),
        (descriptor(system={**SYSTEM, "name": "a\u202eb"}), ("UNSAFE_TEXT", "system.name")),
        (descriptor(system={**SYSTEM, "name": "a\u0000b"}), ("RECORD_TEXT", "system.name")),
        (descriptor(system={**SYSTEM, "version": "latest"}), ("VERSION_FLOATING", "system.version")),
        (descriptor(system={**SYSTEM, "version": ""}), ("VERSION_FLOATING", "system.version")),
        (descriptor(measured_at="2026-07-10T15:00:00"), ("VALUE_NOT_ALLOWED", "measured_at")),
        (descriptor(measured_at="ayer"), ("VALUE_NOT_ALLOWED", "measured_at")),
        # No clock of any time zone can show these, and no column can hold them.
        (descriptor(measured_at="0001-01-01T00:00:00+23:59"), ("VALUE_NOT_ALLOWED", "measured_at")),
        (descriptor(measured_at="9999-12-31T23:59:59-23:59"), ("VALUE_NOT_ALLOWED", "measured_at")),
        (descriptor(corpus={"as_of": "2026-13-45"}), ("VALUE_NOT_ALLOWED", "corpus.as_of")),
        (descriptor(corpus={"as_of": "٢٠٢٦-٠١-٠١"}), ("VALUE_NOT_ALLOWED", "corpus.as_of")),
        (descriptor(system={**SYSTEM, "holder": "  "}), ("VALUE_NOT_ALLOWED", "system.holder")),
        (descriptor(system={**SYSTEM, "name": "Innova\u200b SpA"}), ("UNSAFE_TEXT", "system.name")),
        (descriptor(system={**SYSTEM, "name": "\u2060"}), ("UNSAFE_TEXT", "system.name")),
        (descriptor(judges=[{**JUDGE, "family": "OpenAI"}]), ("JUDGE_SAME_FAMILY", "judges[0].family")),
        (descriptor(judges=[JUDGE, JUDGE]), ("DUPLICATE_ID", "judges[1].id")),
        (descriptor(judges=[{**JUDGE, "temperature": -1}]), ("VALUE_NOT_ALLOWED", "judges[0].temperature")),
        (descriptor(judges=[{**JUDGE, "kind": "human"}]), ("VALUE_NOT_ALLOWED", "judges[0].temperature")),
        (
            descriptor(judges=[{**JUDGE, "id": f"j{number}"} for number in range(101)]),
            ("VALUE_NOT_ALLOWED", "judges"),
        ),
        (
            descriptor(declared_figures=[{**FIGURE, "group": f"g{number}"} for number in range(2001)]),
            ("VALUE_NOT_ALLOWED", "declared_figures"),
        ),
        (descriptor(access="public"), ("VALUE_NOT_ALLOWED", "access")),
        (descriptor(sealed=["data/evaluation.json"]), ("VALUE_NOT_ALLOWED", "sealed[0]")),
        (
            descriptor(question_set={"name": "n", "sha256": "AB" * 32}),
            ("VALUE_NOT_ALLOWED", "question_set.sha256"),
        ),
        (
            descriptor(declared_figures=[{**FIGURE, "value": "27.33"}]),
            ("VALUE_NOT_ALLOWED", "declared_figures[0].value"),
        ),
        (
            descriptor(declared_figures=[{**FIGURE, "value": "4,5"}]),
            ("VALUE_NOT_ALLOWED", "declared_figures[0].value"),
        ),
        (
            descriptor(declared_figures=[{**FIGURE, "value": 0.045}]),
            ("WRONG_TYPE", "declared_figures[0].value"),
        ),
        (
            descriptor(declared_figures=[{**FIGURE, "low": "0.0500"}]),
            ("FIGURE_IMPOSSIBLE", "declared_figures[0]"),
        ),
        (descriptor(declared_figures=[FIGURE, FIGURE]), ("DUPLICATE_ID", "declared_figures[1]")),
    ],
)
def test_each_fault_has_its_code_and_key(value, fault):
    assert fault in faults(value)


def test_all_faults_are_named_at_once():
    assert faults(descriptor(access="x", sistem={}, measured_at=5, judges=None)) == {
        ("VALUE_NOT_ALLOWED", "access"),
        ("UNKNOWN_KEY", "sistem"),
        ("WRONG_TYPE", "measured_at"),
    }


def test_a_human_judge_is_of_no_family_of_models():
    human = {"id": "h", "family": "gpt", "version": "1", "kind": "human"}
    assert faults(descriptor(judges=[human])) == set()


def test_schemes_are_checked_only_where_they_are_known():
    assert faults(descriptor(scheme={"code": "X", "version": "1"}), schemes=None) == set()


@pytest.mark.parametrize(
    "version",
    [
        *[
            "latest",
            " Latest",
            "stable",
            "main",
            "gpt-4o-latest",
            "llama3:latest",
            *("2.x", "v1.4.*", "3.x.x", "model-2.X"),
            "v@stable",
            "",
            "  ",
            "actual",
        ],
        # What reads as «latest» is «latest», however it is spelled.
        *["ｌａｔｅｓｔ", "latest\u200b", "la\u00adtest", "u\u0301ltima", "v@latest\u2060"],
    ],
)
def test_floating_versions(version):
    assert is_floating(version)


@pytest.mark.parametrize("version", ["2026.07.1", "gpt-4o-2024-08-06", "1.0-stable-2026", "mainline-3", "v1"])
def test_pinned_versions(version):
    assert not is_floating(version)


def test_a_large_descriptor_costs_little_memory():
    tracemalloc.start()
    text = json.dumps(descriptor(system={**SYSTEM, "name": "x" * 2_000_000})).encode()
    assert ("VALUE_NOT_ALLOWED", "system.name") in faults(text)
    # A few copies of the text; told apart by steps of a character it took a hundred times as much.
    assert tracemalloc.get_traced_memory()[1] < 12 * len(text)
    tracemalloc.stop()


def test_what_is_larger_than_a_descriptor_may_be_is_refused_unread():
    reader = read_files({descriptors.PATH: b" " * (descriptors.MAX_BYTES + 1)}, Reader())
    assert reader.findings.codes == {"LINE_TOO_LONG"}


def test_of_a_list_of_nothing_but_faults_a_bounded_number_is_named(monkeypatch):
    monkeypatch.setattr(typed_json, "MOST_FAULTS", 1_000)
    monkeypatch.setattr(descriptors, "MOST_FAULTS", 1_000)
    _, found = read(descriptor(sealed=[0] * 50_000))
    assert len(found) == 1_000
