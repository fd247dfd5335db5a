"""The bytes of an event hold exactly what the log will hold, and a chain that was touched says where."""

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certificates import history
from certificates.history import Stored
from certificates.states import EVENT_TYPES, Step

AT = datetime(2026, 11, 30, 14, 5, tzinfo=UTC)
NUMBER = "FEH-2026-000042-87"
SALT = bytes(range(32))


def bytes_of(**changes) -> bytes:
    facts = {
        "step": Step.SUSPEND,
        "certificate": NUMBER,
        "sequence": 2,
        "at": AT,
        "role": "certifier",
        "document": "ab" * 32,
        "previous": "cd" * 32,
        "reason": "figure_error",
        "notice": "AV-2026-000123",
    }
    return history.event_bytes(**(facts | changes))


def chain(length: int) -> list[Stored]:
    events: list[Stored] = []
    for sequence in range(1, length + 1):
        step = Step.ISSUE if sequence == 1 else Step.ERRATUM
        previous = events[-1].hash if events else None
        facts = {
            "sequence": sequence,
            "at": AT + timedelta(hours=sequence),
            "reason": None,
            "notice": f"AV-2026-{sequence:06d}",
            "role": "certifier",
            "document": history.document_digest(SALT, history.canonical({"sequence": sequence})),
            "previous": previous,
        }
        data = history.event_bytes(step=step, certificate=NUMBER, **facts)
        events.append(Stored(step=step, bytes=data, hash=history.event_hash(data), **facts))
    return events


def test_the_bytes_of_a_suspension_are_these_for_ever():
    assert bytes_of() == (
        b'{"at":"2026-11-30T14:05:00.000000Z","certificate":"FEH-2026-000042-87","document":"'
        + b"ab" * 32
        + b'",'
        b'"notice":"AV-2026-000123","previous":"'
        + b"cd"
        * 32
        + b'","reason":"figure_error","role":"certifier",'
        b'"sequence":2,"type":"certificate.suspended","v":1}'
    )


def test_the_first_event_has_nothing_before_it_and_what_the_clock_does_has_no_notice():
    document = json.loads(bytes_of(step=Step.EXPIRE, previous=None, notice=None, reason=None, role=None))
    assert document["previous"] is document["notice"] is document["reason"] is document["role"] is None
    assert tuple(sorted(document)) == history.FIELDS


@given(st.sampled_from(Step), st.integers(1, 10**6), st.integers(-12, 12))
def test_the_zone_that_an_instant_is_given_in_changes_no_byte(step, sequence, hours):
    elsewhere = AT.astimezone(timezone(timedelta(hours=hours)))
    assert bytes_of(step=step, sequence=sequence, at=elsewhere) == bytes_of(step=step, sequence=sequence)


def test_an_instant_without_a_zone_is_refused():
    with pytest.raises(ValueError, match="zone"):
        bytes_of(at=AT.replace(tzinfo=None))


def test_a_digest_is_over_the_salt_and_the_canonical_form():
    content = history.canonical({"statement": {"es": "Sí", "en": "Yes"}, "a": 1})
    assert content == '{"a":1,"statement":{"en":"Yes","es":"Sí"}}'.encode()
    assert history.document_digest(SALT, content) == hashlib.sha256(SALT + content).hexdigest()
    with pytest.raises(ValueError, match="32"):
        history.document_digest(b"short", content)


@pytest.mark.parametrize("content", [{"rate": 0.1}, {"deep": [{"rate": 1.0}]}])
def test_nothing_fixed_for_ever_holds_a_float(content):
    with pytest.raises(TypeError, match="float"):
        history.canonical(content)


def test_each_step_has_one_word_and_each_word_one_step():
    assert len(set(EVENT_TYPES.values())) == len(EVENT_TYPES)
    assert all(history.step_of(word) is step for step, word in EVENT_TYPES.items())


def test_a_whole_chain_has_no_fault():
    assert history.faults_of_chain(NUMBER, chain(5)) == []
    assert history.faults_of_chain(NUMBER, []) == []


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"hash": "0" * 64}, "hash_differs"),
        ({"previous": "0" * 64}, "chain_is_broken"),
        ({"reason": "other"}, "bytes_differ_from_reason"),
        ({"notice": "AV-2026-999999"}, "bytes_differ_from_notice"),
        ({"role": "appeals_officer"}, "bytes_differ_from_role"),
        ({"document": "0" * 64}, "bytes_differ_from_document"),
        ({"step": Step.REVOKE}, "bytes_differ_from_type"),
        ({"at": AT + timedelta(days=9)}, "bytes_differ_from_at"),
        ({"at": AT - timedelta(days=9)}, "dated_back"),
        ({"sequence": 7}, "sequence_has_a_gap"),
        ({"bytes": b"{}"}, "bytes_differ_from_fields"),
        ({"bytes": b'{"v": 1}'}, "bytes_differ_from_canonical_form"),
        ({"bytes": b"\xff"}, "bytes_differ_from_canonical_form"),
    ],
)
def test_whatever_is_touched_is_found_and_named(change, code):
    events = chain(4)
    events[2] = replace(events[2], **change)
    found = history.faults_of_chain(NUMBER, events)
    assert code in {fault.code for fault in found}
    assert all(fault.certificate == NUMBER and fault.as_json()["code"] == fault.code for fault in found)


def test_an_event_taken_out_of_the_middle_is_found():
    events = chain(4)
    del events[1]
    assert {"sequence_has_a_gap", "chain_is_broken"} <= {
        f.code for f in history.faults_of_chain(NUMBER, events)
    }


def test_two_events_changed_places_are_found():
    events = chain(4)
    events[1], events[2] = events[2], events[1]
    assert history.faults_of_chain(NUMBER, events)
