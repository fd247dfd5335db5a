"""The recorder's rules without the recorder: limits, secrets, host names, and what becomes of headers."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence.recorder import headers, limits, tokens
from evidence.recorder.addresses import Addresses
from evidence.recorder.headers import Naming
from evidence.run_records import Limits

FIRST = datetime(2026, 11, 30, 12, tzinfo=UTC)
PI_001 = Limits(requests=40, seconds=1200)
LABEL = "abcdefghijklmnopqrstuvwx23"
TOKEN = tokens.new_token()
ADDRESSES = Addresses.of(domain="runs.localhost", scheme="http", port=8001, nameless=("127.0.0.2",))
BY_NAME = Naming(
    start_domain="observatoriodeagentes.com",
    client=f"http://{LABEL}.runs.localhost:8001",
    domain="runs.localhost",
    hosts=frozenset({"127.0.0.2"}),
    label=LABEL,
)
UPSTREAM = Naming(
    start_domain="observatoriodeagentes.com",
    client="http://127.0.0.2:8001",
    domain="runs.localhost",
    hosts=frozenset({"127.0.0.2"}),
    target="10.0.0.5:8443",
)


# ── limits ───────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("sequence", "seconds", "beyond"),
    [(1, 0, False), (40, 1200, False), (41, 0, True), (2, 1200.000001, True), (41, 1201, True)],
)
def test_forty_requests_and_twenty_minutes_are_graded(sequence, seconds, beyond):
    at = FIRST + timedelta(seconds=seconds)
    assert limits.is_beyond(PI_001, sequence=sequence, at=at, first_at=FIRST) is beyond


def test_what_is_left_counts_down_and_ends_at_nothing():
    assert limits.left(PI_001, counted=0, first_at=None, at=FIRST) == limits.Left(40, 1200)
    soon = limits.left(PI_001, counted=3, first_at=FIRST, at=FIRST + timedelta(seconds=0.5))
    assert soon == limits.Left(37, 1200)
    late = limits.left(PI_001, counted=41, first_at=FIRST, at=FIRST + timedelta(seconds=1300))
    assert late == limits.Left(0, 0)
    assert late.is_spent
    assert not soon.is_spent


# ── secrets ──────────────────────────────────────────────────────────────────
def test_a_token_tells_a_typing_error():
    assert tokens.is_token(TOKEN)
    assert not tokens.is_token(TOKEN[:-1] + ("0" if TOKEN[-1] != "0" else "1"))
    assert not tokens.is_token(TOKEN.upper())
    assert not tokens.is_token(TOKEN + "\n")
    assert not tokens.is_token("")


def test_labels_are_of_one_form_and_never_twice_the_same():
    labels = {tokens.new_label() for _ in range(50)}
    assert len(labels) == 50
    assert all(tokens.is_label(label) for label in labels)
    assert not tokens.is_label(LABEL.upper())
    assert not tokens.is_label(LABEL + "a")


# ── host names ───────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("value", "label"),
    [
        (f"{LABEL}.runs.localhost:8001", LABEL),
        (f"{LABEL.upper()}.Runs.LocalHost", LABEL),
        ("runs.localhost:8001", None),
        ("127.0.0.2:8001", None),
    ],
)
def test_a_host_of_ours_names_its_run_or_none(value, label):
    assert ADDRESSES.read(value.encode()).label == label


@pytest.mark.parametrize(
    "value",
    [
        *(
            "",
            "localhost:8001",
            "127.0.0.1:8001",
            "[::1]:8001",
            "evil.example",
            "runs.localhost.evil.example",
        ),
        *(
            f"{LABEL}.evil.example",
            f"x.{LABEL}.runs.localhost",
            f"{LABEL}a.runs.localhost",
            f"{LABEL}.runs.localhost.",
        ),
        *(
            f"{LABEL}.runs.localhost:8001:1",
            f"{LABEL}.runs.localhost@evil.example",
            f"u@{LABEL}.runs.localhost",
        ),
        *(
            f"{LABEL}.runs.localhost\n",
            f"{LABEL}.runs.localhost:99999999",
            f"{LABEL}.runs.localhost, evil",
            "ñ",
            "127.0.0.22",
        ),
    ],
)
def test_any_other_host_is_not_ours(value):
    assert ADDRESSES.read(value.encode()) is None


def test_addresses_to_hand_out():
    assert ADDRESSES.entry(LABEL) == f"http://{LABEL}.runs.localhost:8001"
    assert ADDRESSES.nameless() == "http://127.0.0.2:8001"
    public = Addresses.of(domain="ejecuciones.example", scheme="https", port=None)
    assert public.entry(LABEL) == f"https://{LABEL}.ejecuciones.example"
    assert public.nameless() == "https://ejecuciones.example"


# ── headers of a request ─────────────────────────────────────────────────────
def asked(*pairs, naming=BY_NAME, body_size=None):
    return headers.to_target(
        [(name.encode(), value.encode()) for name, value in pairs], naming=naming, body_size=body_size
    )


def test_the_site_is_spoken_to_as_its_start_domain():
    passed = asked(
        ("host", f"{LABEL}.runs.localhost:8001"),
        ("referer", f"http://{LABEL}.runs.localhost:8001/conceptos/?x=1"),
        ("origin", f"http://{LABEL.upper()}.runs.localhost:8001"),
        ("accept", "text/html"),
    )
    assert passed == [
        (b"host", b"observatoriodeagentes.com"),
        (b"referer", b"http://observatoriodeagentes.com/conceptos/?x=1"),
        (b"origin", b"http://observatoriodeagentes.com"),
        (b"accept", b"text/html"),
    ]
    passed = asked(("host", "127.0.0.2:8001"), ("referer", "http://127.0.0.2:8001/"), naming=UPSTREAM)
    assert passed == [
        (b"host", b"observatoriodeagentes.com"),
        (b"referer", b"http://observatoriodeagentes.com/"),
    ]


def test_credentials_and_addresses_stay_with_the_recorder():
    passed = asked(
        ("authorization", f"Bearer {TOKEN}"),
        ("x-run-token", TOKEN),
        ("cookie", f"a=1; feh_run={TOKEN}; b=2"),
        ("proxy-authorization", "Basic eDp5"),
        ("forwarded", "for=192.0.2.1"),
        ("x-forwarded-for", "192.0.2.1"),
        ("x-real-ip", "192.0.2.1"),
        ("via", "1.1 192.0.2.1"),
    )
    assert passed[1:] == [(b"cookie", b"a=1; b=2")]
    assert asked(("cookie", f"feh_run={TOKEN}"))[1:] == []
    assert headers.stored_request(passed) == [("host", "observatoriodeagentes.com")]


def test_what_concerns_one_connection_ends_with_it():
    passed = asked(
        ("connection", "close, X-Mine"),
        *(("x-mine", "1"), ("keep-alive", "5"), ("te", "trailers"), ("transfer-encoding", "chunked")),
        *(("upgrade", "h2c"), ("expect", "100-continue"), ("content-length", "3"), ("x-other", "2")),
        body_size=3,
    )
    assert passed[1:] == [(b"x-other", b"2"), (b"content-length", b"3")]


def test_an_unknown_header_is_passed_on_and_not_stored():
    passed = asked(("x-api-key", "secreto"), ("accept", "*/*"), ("sec-fetch-mode", "navigate"))
    assert (b"x-api-key", b"secreto") in passed
    assert headers.stored_request(passed)[1:] == [("accept", "*/*"), ("sec-fetch-mode", "navigate")]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                ["referer", "user-agent", "accept", "origin", "x-anything", "from", "cookie", "host"]
            ),
            st.lists(
                st.sampled_from(
                    [
                        *(
                            TOKEN,
                            TOKEN.upper(),
                            LABEL,
                            LABEL.upper(),
                            f"http://{LABEL}.runs.localhost:8001/a",
                        ),
                        *(
                            f"{LABEL}%2eruns%2Elocalhost%3A8001",
                            f"feh_run={TOKEN}",
                            ";",
                            " ",
                            "http://",
                            "a=1",
                        ),
                    ]
                ),
                max_size=6,
            ).map("".join),
        ),
        max_size=6,
    )
)
def test_no_header_carries_label_or_token_beyond_the_recorder(pairs):
    passed = asked(*pairs)
    told = b"\n".join(value for _, value in passed).lower()
    kept = "\n".join(value for _, value in headers.stored_request(passed)).lower()
    for text in (told.decode(), kept):
        assert LABEL not in text
        assert TOKEN not in text


def test_a_name_of_ours_is_found_inside_a_query():
    other = tokens.new_label()
    for label in (LABEL, other):
        asked_for = f"/buscar?u=http%3A%2F%2F{label}.runs.localhost%3A8001%2Fa"
        assert UPSTREAM.public(asked_for) == "/buscar?u=http%3A%2F%2Fobservatoriodeagentes.com%2Fa"


def test_texts_without_a_name_of_ours_stay_as_they_are():
    for text in ("/conceptos/agente", "xruns.localhostx", "1127.0.0.21", "fehaciente", "feh_1"):
        assert BY_NAME.public(text) == text


def test_a_target_that_is_no_ascii_is_written_in_triplets():
    assert headers.target_text("/índice?q=ñ".encode()) == "/%C3%ADndice?q=%C3%B1"
    assert headers.target_text(b"/%zz/%2F?a=b#c") == "/%zz/%2F?a=b#c"


# ── headers of a response ────────────────────────────────────────────────────
def sent(*pairs, naming=BY_NAME):
    return headers.to_client([(name.encode(), value.encode()) for name, value in pairs], naming=naming)[:-2]


def stored(*pairs, naming=BY_NAME):
    return headers.stored_response([(name.encode(), value.encode()) for name, value in pairs], naming=naming)


@pytest.mark.parametrize(
    ("location", "followed", "kept"),
    [
        ("/conceptos/", "/conceptos/", "/conceptos/"),
        (
            "http://observatoriodeagentes.com/a",
            "http://127.0.0.2:8001/a",
            "http://observatoriodeagentes.com/a",
        ),
        (
            "https://observatoriodeagentes.com:443/a",
            "http://127.0.0.2:8001/a",
            "https://observatoriodeagentes.com:443/a",
        ),
        ("https://10.0.0.5:8443/a", "http://127.0.0.2:8001/a", "https://observatoriodeagentes.com/a"),
        ("https://10.0.0.5:8443", "http://127.0.0.2:8001", "https://observatoriodeagentes.com"),
        ("https://elsewhere.example/a", "https://elsewhere.example/a", "https://elsewhere.example/a"),
        *[
            (odd, odd, odd)
            for odd in ("http://observatoriodeagentes.com.evil.example/", "https://10.0.0.5:84431/")
        ],
    ],
)
def test_a_redirect_leads_back_into_the_record(location, followed, kept):
    assert sent(("location", location), naming=UPSTREAM) == [(b"location", followed.encode())]
    assert stored(("location", location), naming=UPSTREAM) == [("location", kept)]


def test_what_reaches_beyond_the_run_is_recorded_and_not_sent():
    pairs = [
        ("strict-transport-security", "max-age=1"),
        *(("alt-svc", 'h3=":443"'), ("nel", "{}"), ("report-to", "{}"), ("clear-site-data", '"*"')),
        *(("service-worker-allowed", "/"), ("connection", "close"), ("content-type", "text/html")),
    ]
    assert sent(*pairs) == [(b"content-type", b"text/html")]
    assert stored(*pairs) == pairs


def test_nothing_is_cached_or_indexed():
    answer = headers.to_client(
        [(b"cache-control", b"public, max-age=9"), (b"etag", b'"1"'), (b"expires", b"0")], naming=BY_NAME
    )
    assert answer == [
        (b"etag", b'"1"'),
        (b"cache-control", b"no-store"),
        (b"x-robots-tag", b"noindex, nofollow"),
    ]


def test_a_cookie_stays_on_the_host_of_the_run_and_its_value_out_of_the_record():
    cookie = "sid=secreto; Path=/; Domain=.observatoriodeagentes.com; HttpOnly"
    assert sent(("set-cookie", cookie)) == [(b"set-cookie", b"sid=secreto; Path=/; HttpOnly")]
    assert stored(("set-cookie", cookie)) == [
        ("set-cookie", "sid=[removed]; Path=/; Domain=.observatoriodeagentes.com; HttpOnly")
    ]
    assert sent(("set-cookie", "feh_run=other; Path=/")) == []
