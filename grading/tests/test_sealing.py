"""Seals: what is committed to, that nothing else opens it, and which states may follow each other."""

import hashlib
import json
import os
import subprocess

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from evidence import packing
from grading import sealing, set_commitments
from grading.sealing import State, Step
from grading.tests.harness.servers import items

SALT = bytes(range(32))


def forms(of):
    return [sealing.item_form(item) for item in of]


# -- commitments ----------------------------------------------------------------------------------


def test_a_commitment_is_checked_with_two_files_and_a_shell(tmp_path):
    content = sealing.canonical_form(forms(items()))
    (tmp_path / "set.salt").write_bytes(SALT)
    (tmp_path / "set.jsonl").write_bytes(content)
    told = subprocess.run(
        ["sh", "-c", "cat set.salt set.jsonl | sha256sum"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.split()[0] == sealing.commitment(content, salt=SALT)


def test_the_set_hash_is_read_from_the_same_bytes():
    """Each line without its line feed is what an item's hash is of."""
    content = sealing.canonical_form(forms(items()))
    assert sealing.set_sha256(content.splitlines()) == packing.set_sha256(items())


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@given(st.dictionaries(st.sampled_from(["question", "category", "language"]), texts), texts)
def test_the_form_of_an_item_is_its_rfc_8785_form(item, id_):
    item = {**item, "in_corpus": True, "abstention_correct": False}
    form = sealing.item_form({**item, "id": id_})
    assert form == rfc8785.dumps(item)
    assert b"\n" not in form, "one line an item"


@given(st.permutations(forms(items())), st.binary(min_size=32, max_size=32))
def test_the_order_of_the_items_changes_nothing(shuffled, salt):
    content = sealing.canonical_form(shuffled)
    assert content == sealing.canonical_form(forms(items()))
    assert sealing.matches(
        content, salt=salt, commitment=sealing.commitment(content, salt=salt).upper() + "\n"
    )


@given(st.binary(min_size=1), st.integers(0), st.binary(min_size=32, max_size=32), st.integers(0, 255))
def test_no_other_bytes_and_no_other_salt_match(content, place, salt, bit):
    committed = sealing.commitment(content, salt=salt)
    place %= len(content)
    other = bytes([*content[:place], content[place] ^ (bit or 1), *content[place + 1 :]])
    assert not sealing.matches(other, salt=salt, commitment=committed)
    turned = bytes([salt[0] ^ (bit or 1), *salt[1:]])
    assert not sealing.matches(content, salt=turned, commitment=committed)
    # What a short salt would leave to guess: the border between salt and content moves.
    assert not sealing.matches(salt[-1:] + content, salt=salt[:-1], commitment=committed)


def test_a_salt_has_32_bytes_or_their_digits():
    assert sealing.salt_in(SALT) == SALT
    assert sealing.salt_in(SALT.hex().encode() + b"\r\n") == SALT
    assert sealing.salt_in(SALT[:-1]) is None
    assert sealing.salt_in(b"g" * 64) is None
    with pytest.raises(ValueError, match="32"):
        sealing.commitment(b"x", salt=b"")


# -- states ---------------------------------------------------------------------------------------

ORDER = [State.SEALED, State.OPEN, State.CLOSED]


def test_the_course_of_a_set():
    assert sealing.state_of([]) is None
    assert sealing.state_of([Step.SEAL]) is State.SEALED
    assert sealing.state_of([Step.SEAL, Step.USE, Step.USE]) is State.OPEN
    assert sealing.state_of([Step.SEAL, Step.USE, Step.CLOSE]) is State.CLOSED
    assert sealing.state_of([Step.SEAL, Step.USE, Step.CLOSE, Step.REVEAL]) is State.REVEALED
    assert sealing.state_of([Step.SEAL, Step.USE, Step.LEAK, Step.USE]) is State.LEAKED


@pytest.mark.parametrize(
    "steps",
    [
        [Step.REVEAL],
        [Step.USE],
        [Step.SEAL, Step.SEAL],
        [Step.SEAL, Step.REVEAL],
        [Step.SEAL, Step.USE, Step.REVEAL],
        [Step.SEAL, Step.CLOSE, Step.USE],
        [Step.SEAL, Step.CLOSE, Step.REVEAL, Step.REVEAL],
        [Step.SEAL, Step.CLOSE, Step.REVEAL, Step.LEAK],
        [Step.SEAL, Step.LEAK, Step.REVEAL],
        [Step.SEAL, Step.LEAK, Step.LEAK],
    ],
)
def test_no_other_step_is_allowed(steps):
    with pytest.raises(sealing.ForbiddenStep):
        sealing.state_of(steps)


def test_every_state_and_step_has_its_place_in_the_table():
    assert set(sealing.TRANSITIONS.values()) == set(State)
    assert {step for _, step in sealing.TRANSITIONS} == set(Step)


@given(st.lists(st.sampled_from(Step), max_size=30))
def test_what_is_exposed_is_never_sealed_again(asked):
    """Whatever is asked for, refused steps left out: states only go on, and nothing leaves «revealed» or «leaked»."""
    state, course = None, []
    for step in asked:
        try:
            state = sealing.after(state, step)
        except sealing.ForbiddenStep:
            continue
        course.append(step)
        if state in sealing.EXPOSED:
            assert course[0] is Step.SEAL
    seen = [sealing.state_of(course[: place + 1]) for place in range(len(course))]
    ranks = [ORDER.index(one) if one in ORDER else len(ORDER) for one in seen]
    assert ranks == sorted(ranks)
    assert len({one for one in seen if one in sealing.EXPOSED}) <= 1
    assert course.count(Step.SEAL) <= 1
    if Step.REVEAL in course:
        assert course.index(Step.CLOSE) < course.index(Step.REVEAL)


# -- the file that is registered ------------------------------------------------------------------


def commitment_file(**changed):
    content = {
        "format": "set-commitment/1",
        "name": "normativa-cl",
        "custodian": "Auditora Ejemplo",
        "set_sha256": "5e" * 32,
        "commitment": "c0" * 32,
        "items": 40,
        "by_category": {"factual_direct": 30, "trap": 10},
        "by_language": {"es": 40},
        "schema": {"records": "evaluation-package/1", "scheme": {"code": "HALU", "version": "1"}},
        "examples": [],
    } | changed
    return json.dumps(content).encode()


def test_a_commitment_is_read_as_it_was_written():
    read, faults = set_commitments.read(commitment_file())
    assert not faults
    assert set_commitments.read(read.as_file()) == (read, [])


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        ({"format": "set-commitment/2"}, "format"),
        ({"name": "a\u202eb"}, "name"),
        ({"custodian": "  "}, "custodian"),
        ({"custodian": None}, "custodian"),
        ({"commitment": "C0" * 32}, "commitment"),
        ({"set_sha256": "5e"}, "set_sha256"),
        ({"items": 41}, "by_category"),
        ({"items": True}, "items"),
        ({"by_language": {}}, "by_language"),
        ({"by_category": {"a\u2028": 40}}, "by_category"),
        ({"by_category": {"a": 41, "b": -1}}, "by_category.b"),
        ({"salt": "00"}, "salt"),
        ({"item_hashes": []}, "item_hashes"),
        ({"examples": [{"id": "a"}]}, "examples[0].category"),
    ],
)
def test_a_faulty_commitment_is_refused_by_name(changed, key):
    read, faults = set_commitments.read(commitment_file(**changed))
    assert read is None
    assert key in {fault.key for fault in faults}


def test_the_whole_set_as_examples_is_refused():
    whole = list(items())
    read, faults = set_commitments.read(commitment_file(set_sha256=packing.set_sha256(whole), examples=whole))
    assert read is None
    assert [fault.key for fault in faults] == ["examples"]


@pytest.mark.parametrize(
    "file", [b"", b"[]", b"{", b"null", b"\xff", b"{}" + b" " * (256 * 1024), b"[" * 5000]
)
def test_what_is_no_commitment_is_refused(file):
    read, faults = set_commitments.read(file)
    assert read is None
    assert faults


def test_two_salts_make_two_commitments():
    content = sealing.canonical_form(forms(items()))
    one, other = os.urandom(32), os.urandom(32)
    assert sealing.commitment(content, salt=one) != sealing.commitment(content, salt=other)
    assert sealing.commitment(content, salt=one) != hashlib.sha256(content).hexdigest()
