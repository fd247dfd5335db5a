"""The item hash is that of the RFC 8785 form, the set hash that of the page, whatever order and spelling."""

import hashlib
import json

import msgspec
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from evidence import canonical
from evidence.canonical import Digests
from evidence.hallucination_records import ExpectedCitation, Item, WrittenBy

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30)
items = st.fixed_dictionaries(
    {"category": texts, "question": texts, "in_corpus": st.booleans(), "abstention_correct": st.booleans()},
    optional={
        "item_base": st.none() | texts,
        "language": st.none() | texts,
        "expected_citation": st.none() | st.fixed_dictionaries({"source": texts, "article": texts}),
        "reference_text": st.none() | texts,
        "reference_source": st.none() | texts,
        "consulted_on": st.none() | texts,
        "cluster": st.none() | texts,
        "written_by": st.none()
        | st.fixed_dictionaries({"kind": st.just("model")}, optional={"family": st.none() | texts}),
    },
)


def without_nulls(value):
    if isinstance(value, dict):
        return {key: without_nulls(entry) for key, entry in value.items() if entry is not None}
    return value


def set_hash(digests):
    return hashlib.sha256("".join(f"{digest}\n" for digest in sorted(digests)).encode()).hexdigest()


@given(st.lists(items, max_size=5))
def test_forms_are_those_of_rfc8785(values):
    read = [msgspec.json.decode(json.dumps(value), type=Item) for value in values]
    assert canonical.forms(read) == [rfc8785.dumps(without_nulls(value)) for value in values]


@pytest.mark.parametrize("struct", [Item, ExpectedCitation, WrittenBy])
def test_fields_of_items_stand_in_the_order_of_their_canonical_form(struct):
    assert list(struct.__struct_fields__) == sorted(struct.__struct_fields__)


def test_every_character_below_256_is_written_as_rfc8785_does():
    text = "".join(map(chr, range(1, 256))) + "\u2028\ufeff\U0001f600\uffff"
    item = Item(category="c", question=text, in_corpus=True, abstention_correct=False)
    expected = {"category": "c", "question": text, "in_corpus": True, "abstention_correct": False}
    assert canonical.forms([item]) == [rfc8785.dumps(expected)]


@given(st.lists(items, max_size=8), st.randoms())
def test_set_hash_is_of_the_sorted_item_hashes_and_counts_equal_items(values, random):
    read = [msgspec.json.decode(json.dumps(value), type=Item) for value in values]
    hashes = [hashlib.sha256(rfc8785.dumps(without_nulls(value))).hexdigest() for value in values]
    digests, mixed = Digests(), Digests()
    digests.extend(read)
    random.shuffle(read)
    mixed.extend(read)
    assert digests.set_sha256() == (set_hash(hashes), len(hashes) - len(set(hashes)))
    assert mixed.set_sha256() == digests.set_sha256()


def test_a_set_hash_by_hand():
    digests = Digests()
    digests.extend([Item(category="trap", question="¿Sí?", in_corpus=False, abstention_correct=True)])
    form = '{"abstention_correct":true,"category":"trap","in_corpus":false,"question":"¿Sí?"}'.encode()
    item = hashlib.sha256(form).hexdigest()
    assert digests[0].hex() == item
    assert digests.set_sha256() == (hashlib.sha256(f"{item}\n".encode()).hexdigest(), 0)
