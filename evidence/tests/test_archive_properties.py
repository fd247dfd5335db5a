"""Laws of the archive layer: what is sound passes, and no changed byte gets a changed payload through."""

import hashlib
import io
import zipfile

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evidence import checking, inflate
from evidence.tests.archives.writing import Part, archive, bag, deflated, streamed

STEPS = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=12).map("x".__add__)
CONTENTS = st.one_of(st.binary(max_size=300), st.binary(min_size=1, max_size=8).map(lambda data: data * 9000))
PAYLOADS = st.dictionaries(STEPS.map("data/".__add__), CONTENTS, min_size=1, max_size=5).filter(
    lambda payload: len({name.casefold() for name in payload}) == len(payload)
)
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class Keeping:
    """A reader that keeps each member's bytes."""

    def __init__(self) -> None:
        self.members: dict[str, bytearray] = {}
        self._now = bytearray()

    def order(self, paths):
        return sorted(paths)

    def consumer(self, path):
        self._now = self.members[path] = bytearray()
        return self

    def feed(self, chunk):
        self._now += chunk

    def finish(self):
        return (), ()


def read(content: bytes) -> tuple[checking.Report, dict[str, bytes]]:
    keeping = Keeping()
    report = checking.check(io.BytesIO(content), layer="package", reader=keeping)
    return report, {path: bytes(data) for path, data in keeping.members.items()}


@QUICK
@given(payload=PAYLOADS, method=st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))
def test_what_zipfile_writes_comes_back_byte_for_byte(payload, method):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as writer:
        for part in bag(payload):
            writer.writestr(part.name.decode(), part.data)
    report, members = read(stream.getvalue())
    assert report.findings == ()
    assert {path: data for path, data in members.items() if path in payload} == payload
    assert report.sha256 == hashlib.sha256(stream.getvalue()).hexdigest()
    assert {member.path: member.sha256 for member in report.members if member.path in payload} == {
        path: hashlib.sha256(data).hexdigest() for path, data in payload.items()
    }


def _written(payload: dict[str, bytes], *, stream: bool) -> bytes:
    parts = bag(payload)
    return archive([streamed(part.name, part.data) for part in parts] if stream else parts)


@settings(QUICK, max_examples=300)
@given(
    payload=PAYLOADS,
    stream=st.booleans(),
    changes=st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(1, 255)), min_size=1, max_size=3),
    cut=st.one_of(st.none(), st.integers(0, 1 << 20)),
)
def test_a_changed_byte_never_verifies_a_changed_payload(payload, stream, changes, cut):
    content = bytearray(_written(payload, stream=stream))
    for place, mask in changes:
        content[place % len(content)] ^= mask
    if cut is not None:
        del content[cut % len(content) :]
    report, members = read(bytes(content))
    if report.integrity == "verified":
        assert {path: data for path, data in members.items() if path in payload} == payload
        assert {member.path for member in report.members if member.path.startswith("data/")} == set(payload)


@settings(QUICK, max_examples=200)
@given(content=st.binary(max_size=400))
def test_random_bytes_are_refused_and_nothing_crashes(content):
    assert read(content)[0].integrity == "failed"


@settings(QUICK, max_examples=200)
@given(
    data=st.one_of(st.binary(max_size=400), st.binary(min_size=1, max_size=8).map(lambda data: data * 200)),
    level=st.integers(0, 9),
    changes=st.lists(st.tuples(st.integers(0, 1 << 16), st.integers(1, 255)), max_size=2),
)
def test_both_inflaters_read_the_same_from_any_stream(data, level, changes):
    packed = bytearray(deflated(data, level))
    for place, mask in changes:
        packed[place % len(packed)] ^= mask
    outcomes = []
    for make in (inflate.inflater, inflate.ZlibInflater):
        stream = make()
        try:
            out = stream.decompress(bytes(packed), len(data) + 1)
        except inflate.ERRORS:
            outcomes.append(None)
        else:
            outcomes.append((out, stream.eof) if stream.eof else None)
    if outcomes[0] != outcomes[1]:
        # They may differ on streams that break RFC 1951 only if neither is the announced content.
        assert (data, True) not in outcomes
    if not changes:
        assert outcomes[0] == outcomes[1] == (data, True)


@QUICK
@given(parts=st.lists(st.tuples(st.binary(max_size=20), st.binary(max_size=50)), max_size=6))
def test_hostile_names_are_findings_never_errors(parts):
    report = checking.check(io.BytesIO(archive([Part(name, data) for name, data in parts])), layer="archive")
    for finding in report.findings:
        told = finding.as_json("es")
        assert told["mend"]
        assert (told["member"] or "").isprintable()
