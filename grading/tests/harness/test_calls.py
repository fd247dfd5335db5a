"""Calls are retried when that may help, paced when asked to, and bounded always."""

import ssl
import threading
import time
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from grading.harness.calls import Caller, CallFault, Interrupted, Request, retry_after
from grading.harness.configuration import Pace
from grading.harness.refusals import Refused
from grading.tests.harness.servers import Scripted, as_json

QUICK = {"first_wait": 0.01, "timeout": 2.0, "attempts": 3}


def call(server, **pace):
    caller = Caller(Pace(**{**QUICK, **pace}), stop=threading.Event())
    try:
        return caller.call(Request("POST", server.url + "/", {"Content-Type": "application/json"}, b"{}"))
    finally:
        caller.close()


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_what_may_pass_is_asked_again(status):
    with Scripted(lambda path, body, number: as_json({}, 200 if number == 3 else status)) as server:
        reply = call(server)
    assert (reply.status, reply.attempts, reply.fault) == (200, 3, None)


@pytest.mark.parametrize("status", [301, 400, 401, 404, 422])
def test_what_will_not_pass_is_asked_once(status):
    with Scripted(lambda path, body, number: as_json({}, status)) as server:
        reply = call(server)
        assert len(server.asked) == 1
    assert (reply.status, reply.fault, reply.may_pass) == (status, CallFault.STATUS, False)


def test_after_the_last_attempt_the_fault_is_told():
    with Scripted(lambda path, body, number: as_json({}, 503)) as server:
        reply = call(server)
    assert (reply.status, reply.attempts, reply.may_pass) == (503, 3, True)


def test_retry_after_is_waited_for_by_everybody():
    with Scripted(
        lambda path, body, number: as_json({}, 429, Retry_After="1") if number == 1 else as_json({})
    ) as server:
        started = time.monotonic()
        assert call(server).attempts == 2
    assert time.monotonic() - started >= 1


def test_a_long_retry_after_ends_the_run_instead_of_sleeping():
    with (
        Scripted(lambda path, body, number: as_json({}, 429, Retry_After="3600")) as server,
        pytest.raises(Refused) as refused,
    ):
        call(server, longest_wait=30)
    assert (refused.value.code, refused.value.data["seconds"]) == ("asked_to_wait", 3600)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("7", 7),
        (" 0 ", 0),
        ("Fri, 10 Jul 2026 15:00:30 GMT", 30),
        ("Fri, 10 Jul 2026 14:00:00 GMT", 0),
        ("soon", None),
        ("-3", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header, seconds):
    assert retry_after(header, now=datetime(2026, 7, 10, 15, tzinfo=UTC)) == seconds


def test_ten_megabytes_are_not_taken_in():
    with Scripted(lambda path, body, number: (200, {}, b"x" * 10_000_000)) as server:
        reply = call(server, largest_answer=1 << 20)
    assert reply.fault == CallFault.TOO_LARGE
    assert len(reply.body) == 1 << 20


def test_an_endpoint_that_drips_is_cut_off():
    stop = threading.Event()

    def drip(path, body, number):
        return 200, {"Transfer-Encoding": "chunked"}, b""

    with Scripted(drip) as server:
        # Headers come and then no body: the chunk never arrives.
        started = time.monotonic()
        reply = call(server, timeout=0.3, attempts=1)
    stop.set()
    assert reply.fault in (CallFault.TIMEOUT, CallFault.UNREACHABLE)
    assert time.monotonic() - started < 5


def test_nobody_there_is_unreachable():
    with Scripted(lambda path, body, number: as_json({})) as server:
        pass
    reply = call(server, attempts=2)
    assert (reply.fault, reply.attempts, reply.may_pass) == (CallFault.UNREACHABLE, 2, True)


def test_a_body_in_chunks_is_read_whole():
    chunks = b'5\r\n{"a":\r\n3\r\n 1}\r\n0\r\n\r\n'
    with Scripted(lambda path, body, number: (200, {"Transfer-Encoding": "chunked"}, chunks)) as server:
        caller = Caller(Pace(**QUICK), stop=threading.Event())
        for _ in range(2):
            reply = caller.call(Request("POST", server.url + "/", {}, b"{}"))
            assert (reply.body, reply.fault) == (b'{"a": 1}', None)
        caller.close()
        assert server.connections == 1


def test_a_certificate_nobody_trusts_is_not_passed_over(tmp_path):
    key, certificate = _self_signed()
    (tmp_path / "both.pem").write_bytes(key + certificate)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(tmp_path / "both.pem")
    with Scripted(lambda path, body, number: as_json({})) as server:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        caller = Caller(Pace(**QUICK), stop=threading.Event())
        try:
            reply = caller.call(Request("POST", server.url.replace("http:", "https:") + "/", {}, b"{}"))
        finally:
            caller.close()
    assert (reply.fault, reply.attempts, reply.may_pass) == (CallFault.INSECURE, 1, False)


def _self_signed():
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return key.private_bytes(pem, *plain), certificate.public_bytes(pem)


def test_a_short_body_is_no_answer():
    with Scripted(lambda path, body, number: (200, {"Content-Length": "50"}, b"{}")) as server:
        reply = call(server, attempts=1, timeout=0.5)
    assert reply.fault in (CallFault.UNREACHABLE, CallFault.TIMEOUT)


def test_connections_are_kept():
    with Scripted(lambda path, body, number: as_json({"n": number})) as server:
        caller = Caller(Pace(**QUICK), stop=threading.Event())
        for _ in range(5):
            assert caller.call(Request("POST", server.url + "/x?y=1", {}, b"{}")).status == 200
        caller.close()
        assert server.connections == 1
        assert server.asked[0][0] == "/x?y=1"


def test_no_more_a_second_than_was_agreed():
    with Scripted(lambda path, body, number: as_json({})) as server:
        caller = Caller(Pace(**QUICK, per_second=20), stop=threading.Event())
        started = time.monotonic()
        for _ in range(5):
            caller.call(Request("POST", server.url + "/", {}, b"{}"))
        caller.close()
    assert time.monotonic() - started >= 4 / 20


def test_a_stopped_run_waits_for_nothing():
    stop = threading.Event()
    stop.set()
    caller = Caller(Pace(**QUICK), stop=stop)
    with pytest.raises(Interrupted):
        caller.call(Request("GET", "http://127.0.0.1:9/", {}, None))


def test_kept_headers_hold_no_cookie():
    with Scripted(lambda path, body, number: as_json({}, Set_Cookie="s=1", X_Request_Id="r1")) as server:
        reply = call(server)
    assert reply.headers["x-request-id"] == "r1"
    assert "set-cookie" not in reply.headers
