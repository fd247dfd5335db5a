"""What every address under /api/v1/ keeps: tokens, strict bodies, problems, cursors, limits, keys."""

import json
import socket
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.urls import include, path
from rest_framework import serializers
from rest_framework.response import Response

from registry_site import api, bearer, clock, cursors, idempotency, roles, taken, tokens
from registry_site.models import ApiToken, AuditEntry, IdempotencyRecord, Person, PublicEvent, User
from registry_site.problems import Refusal
from registry_site.roles import Role

pytestmark = [pytest.mark.django_db, pytest.mark.urls("registry_site.tests.test_api")]


# ── two small endpoints of the test's own ────────────────────────────────────────────────────────────────


class Statement(taken.Taken):
    es = taken.TakenText(max_length=100)
    en = taken.TakenText(max_length=100)


class Decision(taken.Taken):
    reason = serializers.ChoiceField(choices=["other", "figure_error"])
    statement = Statement()
    if_sequence = taken.TakenNumber(min_value=1)
    review_on = serializers.DateField(required=False)


class Decide(api.Endpoint):
    decided: list[dict] = []

    def post(self, request):
        user = bearer.require_role(request, Role.CERTIFIER)
        values = taken.take(Decision, request.data)
        if values["if_sequence"] == 7:
            raise Refusal("out of order")
        if values["if_sequence"] == 8:
            raise Refusal("not now", status=503)
        self.decided.append(values)
        response = Response({"number": len(self.decided), "by": user.person.name}, status=201)
        response["Location"] = "/api/v1/decisions/1/"
        return response


class Events(api.Endpoint):
    def get(self, request):
        pages = cursors.CursorPagination()
        rows = pages.paginate_queryset(PublicEvent.objects.all(), request, self)
        return pages.get_paginated_response([row.type for row in rows])


urlpatterns = [
    path("api/v1/decisions/", Decide.as_view()),
    path("api/v1/events/", Events.as_view()),
    path("api/v1/", include("registry_site.api_urls")),
]


# ── actors ───────────────────────────────────────────────────────────────────────────────────────────────


def account(name: str, *held: Role) -> User:
    person = Person.objects.create(name=name)
    for role in held:
        roles.grant(person, role, by=None, at=clock.now())
    return User.objects.create_user(f"{name.lower()}@example.org", person=person)


def token_of(user: User, role: Role | None, **options) -> str:
    return tokens.make(user, role=role, at=clock.now(), **options)


@pytest.fixture
def certifier(db) -> Client:
    return holding(token_of(account("Clara", Role.CERTIFIER), Role.CERTIFIER))


@pytest.fixture(autouse=True)
def nothing_taken():
    Decide.decided.clear()


def holding(token: str) -> Client:
    return Client(headers={"Authorization": f"Bearer {token}"})


GOOD = {"reason": "other", "statement": {"es": "Porque sí.", "en": "Because."}, "if_sequence": 1}


def decide(client: Client, body=GOOD, **headers):
    data = body if isinstance(body, bytes) else json.dumps(body)
    return client.post("/api/v1/decisions/", data, content_type="application/json", headers=headers)


def problem(response, status: int, code: str) -> dict:
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    body = response.json()
    assert (body["status"], body["code"]) == (status, code)
    assert body["type"] == f"/problems/{code}"
    assert body["title"]
    assert body["detail"]
    return body


# ── tokens ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_certifiers_token_decides(certifier):
    assert decide(certifier).status_code == 201


def test_without_a_token_nothing_is_written_and_the_answer_says_what_is_needed(visitor):
    response = decide(visitor)
    problem(response, 401, "not_authenticated")
    assert response["WWW-Authenticate"].startswith("Bearer")


def test_a_signed_in_browser_writes_nothing_here(visitor):
    visitor.force_login(
        account("Clara", Role.CERTIFIER), backend="allauth.account.auth_backends.AuthenticationBackend"
    )
    problem(decide(visitor), 401, "not_authenticated")


@pytest.mark.parametrize("header", ["Bearer", "Basic abc", "Bearer a b", "Bearer feh_0", "Bearer \xff"])
def test_what_is_no_token_is_refused(visitor, header):
    response = visitor.get("/api/v1/events/", headers={"Authorization": header})
    problem(response, 401, "authentication_failed")


def test_a_mistyped_an_expired_and_a_revoked_token_are_refused():
    user = account("Clara", Role.CERTIFIER)
    token = token_of(user, Role.CERTIFIER)
    mistyped = token[:10] + ("0" if token[10] != "0" else "1") + token[11:]
    problem(decide(holding(mistyped)), 401, "authentication_failed")
    expired = token_of(user, Role.CERTIFIER, lifetime=timedelta(seconds=-1))
    problem(decide(holding(expired)), 401, "authentication_failed")
    ApiToken.objects.filter(sha256=tokens.digest(token)).update(revoked_at=clock.now())
    problem(decide(holding(token)), 401, "authentication_failed")


def test_a_token_of_another_role_of_the_same_person_does_not_decide():
    user = account("Clara", Role.CERTIFIER, Role.EVALUATOR)
    body = problem(decide(holding(token_of(user, Role.EVALUATOR))), 403, "role_needed")
    assert (body["needed"], body["found"]) == ("certifier", "evaluator")
    problem(decide(holding(token_of(user, None))), 403, "role_needed")


def test_a_token_dies_with_the_role_of_its_person():
    user = account("Clara", Role.CERTIFIER)
    token = token_of(user, Role.CERTIFIER)
    user.person.role_grants.update(ended_at=clock.now())
    problem(decide(holding(token)), 403, "role_needed")


def test_a_service_account_never_decides():
    robot = User.objects.create_user("robot@example.org", service_name="nightly upload")
    problem(decide(holding(token_of(robot, Role.CERTIFIER))), 403, "service_account")


def test_a_demonstration_accounts_token_opens_nothing_on_a_public_host(settings):
    user = account("Clara", Role.CERTIFIER)
    User.objects.update(is_demo=True)
    client = holding(token_of(user, Role.CERTIFIER))
    assert decide(client).status_code == 201
    settings.LOOPBACK = False
    problem(decide(client), 401, "authentication_failed")


def test_the_use_of_a_token_is_remembered(certifier):
    decide(certifier)
    assert ApiToken.objects.get().last_used_at is not None


# ── create_api_token ─────────────────────────────────────────────────────────────────────────────────────


def make_token(**options) -> str:
    out = StringIO()
    call_command("create_api_token", stdout=out, stderr=StringIO(), **options)
    return out.getvalue().strip()


def test_the_console_prints_one_token_that_works():
    account("Clara", Role.CERTIFIER)
    token = make_token(user="Clara@example.org", role="certifier")
    assert decide(holding(token)).status_code == 201
    assert ApiToken.objects.get().sha256 == tokens.digest(token)
    assert AuditEntry.objects.filter(action="api_token.made").count() == 1


@pytest.mark.parametrize("role", ["certifier", "registrar"])
def test_the_console_makes_no_token_for_a_role_that_is_not_held(role):
    account("Eva", Role.EVALUATOR)
    with pytest.raises(CommandError):
        make_token(user="eva@example.org", role=role)
    assert not ApiToken.objects.exists()


def test_the_console_makes_no_deciding_token_for_a_service():
    User.objects.create_user("robot@example.org", service_name="nightly upload")
    with pytest.raises(CommandError):
        make_token(user="robot@example.org", role="certifier")
    assert make_token(user="robot@example.org", role="evaluator").startswith("feh_")


def test_the_console_knows_no_unknown_account():
    with pytest.raises(CommandError):
        make_token(user="nobody@example.org", role="certifier")


# ── bodies ───────────────────────────────────────────────────────────────────────────────────────────────


def test_every_wrong_field_is_named_with_what_was_expected_and_found(certifier):
    body = problem(
        decide(
            certifier, {"reason": "mood", "statement": {"es": "", "fr": "x"}, "if_sequence": "1", "stauts": 1}
        ),
        400,
        "invalid_field",
    )
    errors = {entry["pointer"]: entry for entry in body["errors"]}
    assert set(errors) == {
        "/reason",
        "/statement/es",
        "/statement/en",
        "/statement/fr",
        "/if_sequence",
        "/stauts",
    }
    assert errors["/reason"]["expected"] == ["other", "figure_error"]
    assert errors["/reason"]["found"] == "mood"
    assert errors["/statement/en"]["code"] == "required"
    assert errors["/statement/fr"]["code"] == "unknown_key"
    assert errors["/stauts"]["expected"] == ["if_sequence", "reason", "review_on", "statement"]
    assert errors["/if_sequence"]["found"] == "1"
    assert all(entry["mend"] for entry in errors.values())


@pytest.mark.parametrize("body", [[], "text", None, 3, True])
def test_a_body_that_is_no_object_is_refused(certifier, body):
    problem(decide(certifier, body), 400, "invalid_field")


@pytest.mark.parametrize(
    ("value", "taken"), [(True, False), (1.0, False), ("1", False), (None, False), ([1], False), (1, True)]
)
def test_only_an_integer_is_a_sequence_number(certifier, value, taken):
    assert (decide(certifier, {**GOOD, "if_sequence": value}).status_code == 201) is taken


@pytest.mark.parametrize("value", [3, True, ["x"], {"a": 1}, None])
def test_only_a_string_is_a_text(certifier, value):
    problem(decide(certifier, {**GOOD, "statement": {"es": value, "en": "x"}}), 400, "invalid_field")


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"{", "not_json"),
        (b'{"reason": "other", "reason": "other"}', "duplicate_key"),
        (b'{"if_sequence": NaN}', "not_a_number"),
        (b'{"statement": {"es": "a\\u0000"}}', "null_character"),
        (b"[" * 5000, "too_deep"),
        (b"\xff\xfe", "not_utf8"),
    ],
)
def test_a_body_that_could_be_read_in_two_ways_is_refused(certifier, body, reason):
    assert problem(decide(certifier, body), 400, "malformed_body")["reason"] == reason


def test_a_body_that_is_too_long_is_refused(certifier):
    problem(decide(certifier, b'"' + b"a" * 3_000_000 + b'"'), 413, "too_large")
    problem(decide(certifier, b'"' + b"a" * 3_000_000 + b'"', **{"Idempotency-Key": "k"}), 413, "too_large")


def test_a_body_of_unknown_length_is_refused(certifier):
    response = certifier.post(
        "/api/v1/decisions/",
        content_type="application/json",
        headers={"Transfer-Encoding": "chunked"},
        CONTENT_LENGTH="",
    )
    problem(response, 411, "length_required")


def test_another_media_type_is_refused(certifier):
    response = certifier.post("/api/v1/decisions/", "reason=other", content_type="text/plain")
    problem(response, 415, "unsupported_media_type")


# ── problems ─────────────────────────────────────────────────────────────────────────────────────────────


def test_an_unknown_address_is_a_problem_document(visitor):
    for address in ("/api/v1/nothing/", "/api/v1/nothing", "/api/v1/certificates.json", "/api/v1/a/b/c/"):
        for method in ("get", "post", "put", "delete", "patch"):
            problem(getattr(visitor, method)(address), 404, "not_found")


def test_a_forgotten_last_slash_is_put_right_with_method_and_body(visitor):
    response = visitor.post("/api/v1/decisions?x=1", "{}", content_type="application/json")
    assert (response.status_code, response["Location"]) == (308, "/api/v1/decisions/?x=1")


def test_another_method_is_refused_and_the_right_ones_are_named(visitor):
    response = visitor.delete("/api/v1/decisions/")
    problem(response, 405, "method_not_allowed")
    assert response["Allow"] == "POST, OPTIONS"


def test_another_format_is_refused(visitor):
    problem(visitor.get("/api/v1/events/", headers={"Accept": "text/html"}), 406, "not_acceptable")


@pytest.mark.parametrize("address", ["/api/v1/%00", "/api/v1/events/?cursor=%00", "/api/v1/events/?a%00b=1"])
def test_the_null_character_has_no_place_in_an_address(visitor, address):
    problem(visitor.get(address), 400, "null_character")


def test_problems_speak_the_readers_language(visitor):
    spanish = visitor.get("/api/v1/nothing/")
    english = visitor.get("/api/v1/nothing/", headers={"Accept-Language": "en-GB,en;q=0.9,es;q=0.1"})
    unknown = visitor.get("/api/v1/nothing/", headers={"Accept-Language": "de, *;q=0.1"})
    assert (spanish["Content-Language"], english["Content-Language"]) == ("es", "en")
    assert english.json()["title"] == "There is nothing at this address"
    assert unknown["Content-Language"] == "es"
    assert "Accept-Language" in spanish["Vary"]


def test_a_cookie_of_the_site_does_not_change_what_a_program_reads(visitor):
    visitor.cookies["django_language"] = "en"
    assert visitor.get("/api/v1/nothing/")["Content-Language"] == "es"


STRANGE = [
    ("Accept", ["a/b/c", ";;;", "*/*;q=x", "application/json;q=0", "application/problem+json", "\xff", ""]),
    ("Accept-Language", ["\xff", "*", "es;q=x", "en" * 400, "x-y-z-" * 100, "en_US", ";", "es-419,en"]),
    ("Authorization", ["Bearer \x00", "Bearer", " ", "bearer  x", "Bearer " + "f" * 9000]),
    ("If-None-Match", ["*", "x", '"', 'W/"', "W/", '"a", "b', "\xff"]),
    (
        "Content-Type",
        ["application/json; charset", "application/json; charset=utf-16", "x", ";", "\xff", "a/b; c="],
    ),
    ("Content-Length", ["x", "-1", "99999999999999999999", ""]),
    ("Idempotency-Key", ['"', '""', "\x7f"]),
    ("X-Forwarded-For", ["x", ",,,", "::1%eth0", "1.2.3.4, " * 500]),
    ("Range", ["bytes=0-0"]),
    ("Cookie", ["\xff", "sessionid=\x00", "django_language=zz"]),
]


@pytest.mark.parametrize(("header", "values"), STRANGE)
def test_strange_headers_are_answered_like_any_other(certifier, header, values):
    for value in values:
        for client in (certifier, Client()):
            client.raise_request_exception = False
            told = {header: value}
            for response in (
                client.get("/api/v1/events/", headers=told),
                client.generic("POST", "/api/v1/decisions/", json.dumps(GOOD), headers=told),
                client.get("/api/v1/nowhere/", headers=told),
            ):
                assert response.status_code < 500, (value, response.content)
                assert response.status_code < 400 or response["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    "address",
    [
        "/api/v1/%ff",
        "/api/v1/events/?%ff=%fe",
        "/api/v1/events/?cursor=%ff",
        "/api/v1/events/?cursor=a&cursor=b",
    ],
)
def test_addresses_that_are_no_utf8_are_answered(visitor, address):
    response = visitor.get(address)
    assert response.status_code in {200, 400, 404}


# ── pages by cursor ──────────────────────────────────────────────────────────────────────────────────────


def events(count: int) -> None:
    from registry_site import public_events

    for number in range(count):
        public_events.append(f"e{number}", subject="x", at=clock.now(), document={})


def test_pages_follow_one_another_without_gap_or_repetition(visitor):
    events(7)
    seen, address = [], "/api/v1/events/?limit=3"
    while address:
        response = visitor.get(address)
        if address.endswith("limit=3"):
            events(1)  # a row added meanwhile changes nothing of what follows
        body = response.json()
        seen += body["results"]
        address = body["next"]
        assert (response.headers.get("Link") == f'<{address}>; rel="next"') is (address is not None)
    assert seen == ["e6", "e5", "e4", "e3", "e2", "e1", "e0"]


@pytest.mark.parametrize(
    "cursor", ["x", "bnVsbA", "MS41", "dHJ1ZQ", "é", "W10", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5", "===="]
)
def test_a_cursor_that_was_not_made_here_is_refused(visitor, cursor):
    problem(visitor.get("/api/v1/events/", {"cursor": cursor}), 400, "invalid_cursor")


@pytest.mark.parametrize("limit", ["0", "201", "-1", "x", "", "1e2", "٣"])
def test_a_page_has_a_size(visitor, limit):
    problem(visitor.get("/api/v1/events/", {"limit": limit}), 400, "invalid_field")


# ── conditional reads, other origins, limits ─────────────────────────────────────────────────────────────


def test_what_has_not_changed_is_not_sent_again(visitor):
    first = visitor.get("/api/v1/events/")
    assert first["Cache-Control"] == "no-cache"
    again = visitor.get("/api/v1/events/", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    events(1)
    assert visitor.get("/api/v1/events/", headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_head_answers_as_get_without_a_body(visitor):
    assert visitor.head("/api/v1/events/").headers["ETag"] == visitor.get("/api/v1/events/").headers["ETag"]


def test_pages_of_other_sites_may_read_without_credentials(visitor, certifier):
    response = visitor.get("/api/v1/events/", headers={"Origin": "https://other.example"})
    assert response["Access-Control-Allow-Origin"] == "*"
    assert "ETag" in response["Access-Control-Expose-Headers"]
    assert "Access-Control-Allow-Credentials" not in response
    assert "Access-Control-Allow-Origin" not in certifier.get("/api/v1/events/")
    assert certifier.get("/api/v1/events/")["Cache-Control"] == "private, no-cache"
    preflight = visitor.options("/api/v1/decisions/", headers={"Access-Control-Request-Method": "POST"})
    assert preflight.status_code == 204
    assert "POST" not in preflight["Access-Control-Allow-Methods"]
    assert "Authorization" not in preflight["Access-Control-Allow-Headers"]


def test_problems_may_be_read_by_other_origins_too(visitor):
    assert visitor.get("/api/v1/nothing/")["Access-Control-Allow-Origin"] == "*"


def test_limits_are_told_and_kept(visitor, settings):
    settings.API_RATES = {"anonymous": (2, 3600), "token": (2, 3600), "writes": (2, 3600)}
    address = {"REMOTE_ADDR": "203.0.113.9"}
    first = visitor.get("/api/v1/events/", **address)
    assert first["RateLimit-Policy"] == '"anonymous";q=2;w=3600'
    assert first["RateLimit"].startswith('"anonymous";r=1;t=')
    visitor.get("/api/v1/events/", **address)
    third = visitor.get("/api/v1/events/", **address)
    problem(third, 429, "throttled")
    assert int(third["Retry-After"]) > 0
    assert visitor.get("/api/v1/events/", REMOTE_ADDR="203.0.113.10").status_code == 200


def test_guessing_tokens_is_counted_by_address(visitor, settings):
    settings.API_RATES = {"anonymous": (2, 3600), "token": (2, 3600), "writes": (2, 3600)}
    well_formed = [f"feh_{n:064x}{zlib.crc32(f'{n:064x}'.encode()):08x}" for n in range(2)]
    guesses = [
        visitor.get(
            "/api/v1/events/", headers={"Authorization": f"Bearer {guess}"}, REMOTE_ADDR="203.0.113.11"
        )
        for guess in ("rubbish", *well_formed)
    ]
    assert [guess.status_code for guess in guesses] == [401, 401, 429]


def test_reads_stay_open_without_counters(visitor, settings):
    settings.CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.redis.RedisCache",
            "LOCATION": "redis://127.0.0.1:1/0",
        }
    }
    response = visitor.get("/api/v1/events/")
    assert response.status_code == 200
    assert "RateLimit" not in response


def test_reads_do_not_wait_for_counters_that_hang(visitor, settings):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        (kept,) = settings.CACHES.values()
        hanging = kept | {"LOCATION": f"redis://127.0.0.1:{silent.getsockname()[1]}/1"}
        settings.CACHES = {"default": hanging}
        began = time.monotonic()
        assert visitor.get("/api/v1/events/").status_code == 200
        assert time.monotonic() - began < 2.5


@pytest.mark.parametrize(
    ("proxies", "forwarded", "remote", "believed"),
    [
        (0, "198.51.100.1", "203.0.113.5", "203.0.113.5"),
        (1, "6.6.6.6, 198.51.100.1", "10.0.0.1", "198.51.100.1"),
        (2, "6.6.6.6, 198.51.100.1, 10.0.0.2", "10.0.0.1", "198.51.100.1"),
        (1, "", "10.0.0.1", "10.0.0.1"),
        (1, "rubbish", "10.0.0.1", "unknown"),
        (0, "", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        (0, "", "::ffff:203.0.113.5", "203.0.113.5"),
        (0, "", "", "unknown"),
    ],
)
def test_an_address_is_believed_as_far_as_our_own_proxies(rf, settings, proxies, forwarded, remote, believed):
    from registry_site.client_address import client_address

    settings.TRUSTED_PROXIES = proxies
    request = rf.get("/", REMOTE_ADDR=remote, headers={"X-Forwarded-For": forwarded})
    assert client_address(request) == believed


# ── writes that may be sent twice ────────────────────────────────────────────────────────────────────────


def test_a_write_sent_twice_with_one_key_happens_once_and_is_answered_alike(certifier):
    first = decide(certifier, **{"Idempotency-Key": "a1"})
    again = decide(certifier, **{"Idempotency-Key": '"a1"'})
    assert (first.status_code, first.content, first["Location"]) == (
        again.status_code,
        again.content,
        again["Location"],
    )
    assert len(Decide.decided) == 1


def test_a_key_with_another_body_is_refused(certifier):
    decide(certifier, **{"Idempotency-Key": "a1"})
    response = decide(certifier, {**GOOD, "if_sequence": 2}, **{"Idempotency-Key": "a1"})
    problem(response, 422, "idempotency_key_reused")
    assert len(Decide.decided) == 1


def test_a_key_whose_first_request_still_runs_is_refused(certifier):
    body = json.dumps(GOOD).encode()
    decide(certifier)
    begun = {
        "method": "POST",
        "path": "/api/v1/decisions/",
        "key": "a1",
        "body_sha256": idempotency.digest(body),
    }
    idempotency.begin(ApiToken.objects.get(), **begun, at=clock.now(), lease=timedelta(minutes=1))
    problem(decide(certifier, **{"Idempotency-Key": "a1"}), 409, "idempotency_key_in_use")
    # Its process died: after the lease the key may be used again.
    IdempotencyRecord.objects.update(lease_until=clock.now())
    assert decide(certifier, **{"Idempotency-Key": "a1"}).status_code == 201


def test_a_refusal_is_an_answer_and_a_passing_fault_is_none(certifier):
    refused = {**GOOD, "if_sequence": 7}
    assert decide(certifier, refused, **{"Idempotency-Key": "a1"}).status_code == 409
    assert IdempotencyRecord.objects.get().status == 409
    passing = {**GOOD, "if_sequence": 8}
    assert decide(certifier, passing, **{"Idempotency-Key": "a2"}).status_code == 503
    assert not IdempotencyRecord.objects.filter(key="a2").exists()


@pytest.mark.django_db(transaction=True)
def test_of_eight_requests_at_once_with_one_key_one_is_carried_out():
    token = token_of(account("Clara", Role.CERTIFIER), Role.CERTIFIER)

    def send(_number: int) -> int:
        try:
            return decide(holding(token), **{"Idempotency-Key": "at-once"}).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as clients:
        answers = list(clients.map(send, range(8)))
    assert len(Decide.decided) == 1
    assert set(answers) <= {201, 409}


def test_what_is_a_day_old_is_cleared_away(certifier):
    decide(certifier, **{"Idempotency-Key": "a1"})
    assert idempotency.forget_old(at=clock.now()) == 0
    assert idempotency.forget_old(at=clock.now() + timedelta(hours=25)) == 1


def test_a_key_belongs_to_one_token(certifier):
    decide(certifier, **{"Idempotency-Key": "a1"})
    other = holding(token_of(account("Carlos", Role.CERTIFIER), Role.CERTIFIER))
    assert decide(other, **{"Idempotency-Key": "a1"}).json()["by"] == "Carlos"


def test_a_key_is_forgotten_after_a_day(certifier):
    decide(certifier, **{"Idempotency-Key": "a1"})
    IdempotencyRecord.objects.update(created_at=clock.now() - timedelta(hours=24, seconds=1))
    decide(certifier, **{"Idempotency-Key": "a1"})
    assert len(Decide.decided) == 2


@pytest.mark.parametrize("key", ["a b", "", "é", "x" * 256])
def test_a_key_is_short_and_visible(certifier, key):
    problem(decide(certifier, **{"Idempotency-Key": key}), 400, "idempotency_key_malformed")
