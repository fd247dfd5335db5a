"""Reading certificates and deciding on them through the API."""

import hashlib
import json
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from django.test import Client

from certificates import holder_requests, measured, numbers
from certificates.models import Certificate, Notice, StatusEvent
from certificates.states import Status
from certificates.tests import desks, registry
from registry_site import clock
from registry_site.roles import Role

pytestmark = pytest.mark.django_db

STATEMENT = {"es": "El sistema ya no es el evaluado.", "en": "The system is no longer the one evaluated."}
CONDITIONS = [{"es": "Ofrecer la versión evaluada.", "en": "Offer the version evaluated."}]


@pytest.fixture
def certifier(who) -> Client:
    return desks.holding(who.certifier, Role.CERTIFIER)


def send(client: Client, address: str, body: dict, **headers):
    return client.post(address, json.dumps(body), content_type="application/json", headers=headers)


def step(client: Client, certificate: Certificate, name: str, *, seen: int = 1, **body):
    address = f"/api/v1/certificates/{certificate.number}/{name}/"
    return send(client, address, {"statement": STATEMENT, "if_sequence": seen, **body})


def suspend(client: Client, certificate: Certificate, **more):
    review = (clock.now() + timedelta(days=30)).date().isoformat()
    terms = {"reason": "system_changed", "conditions": CONDITIONS, "review_on": review}
    return step(client, certificate, "suspend", **(terms | more))


def refused(response, status: int, code: str) -> dict:
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["code"] == code
    return response.json()


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("status", list(Status))
def test_certificate_list_and_status_say_the_same_word(who, visitor, status):
    certificate = registry.certificate_at(status, who)
    if status is Status.EXPIRED:
        _wait_for(certificate.valid_until)
    number = certificate.number
    whole = visitor.get(f"/api/v1/certificates/{number}/").json()
    told = visitor.get(f"/api/v1/certificates/{number}/status/").json()
    (line,) = [
        row
        for row in visitor.get("/api/v1/certificates/", {"status": status.value}).json()["results"]
        if row["number"] == number
    ]
    assert whole["status"] == told["status"] == line["status"] == status.value
    assert whole["in_force"] == told["in_force"] == line["in_force"] == (status is Status.ACTIVE)
    assert whole["sequence"] == told["sequence"]


def _wait_for(moment) -> None:
    import time

    time.sleep(max(0, (moment - clock.now()).total_seconds()) + 0.01)


def test_a_certificate_names_what_was_measured_and_by_what_rules(who, visitor):
    certificate = registry.issued(who)
    body = visitor.get(f"/api/v1/certificates/{certificate.number}/").json()
    assert body["holder"]["name"] == "Peumo SpA"
    assert (body["system"], body["version"]) == ("Peumo Consulta", "4.2.1")
    assert (body["scheme"]["code"], body["scheme"]["version"]) == ("HALU", "1")
    assert body["evidence"]["sha256"] == certificate.measurement.package.sha256
    assert body["groups"] == ["en", "es"]
    assert body["address"] == f"http://testserver/c/{certificate.number}"
    for name in ("status_address", "history_address", "figures_address"):
        assert visitor.get(body[name]).status_code == 200
    for part in ("scheme", "measurement", "evidence"):
        assert visitor.get(body[part]["address"]).status_code == 200, part


BELOW = ["", "status/", "history/", "figures/", "evidence/"]


def test_any_spelling_of_a_number_leads_to_the_printed_one(who, visitor):
    number = registry.issued(who).number
    spelled = (number.lower(), number.replace("-", ""), number.removeprefix("FEH-"), number.replace("-", " "))
    for below in BELOW:
        for typed in spelled:
            response = visitor.get(f"/api/v1/certificates/{typed}/{below}?x=1")
            address = f"/api/v1/certificates/{number}/{below}?x=1"
            assert (response.status_code, response["Location"]) == (308, address), typed


def test_a_mistyped_number_is_told_from_an_unknown_one(who, visitor):
    number = registry.issued(who).number
    mistyped = number[:-1] + str((int(number[-1]) + 1) % 10)
    unknown = numbers.certificate_number(prefix="FEH", year=2019, serial=1)
    for below in BELOW:
        refused(visitor.get(f"/api/v1/certificates/{mistyped}/{below}"), 404, "number_mistyped")
        refused(visitor.get(f"/api/v1/certificates/{unknown}/{below}"), 404, "certificate_not_found")
        for nonsense in ("nonsense", "é", "x" * 500):
            refused(visitor.get(f"/api/v1/certificates/{nonsense}/{below}"), 404, "certificate_not_found")


def test_the_list_is_filtered_and_pages_follow_one_another(who, visitor):
    numbers = [registry.issued(who).number for _one in range(3)]
    suspend(desks.holding(who.certifier, Role.CERTIFIER), Certificate.objects.get(number=numbers[0]))
    seen, address = [], "/api/v1/certificates/?limit=2"
    while address:
        body = visitor.get(address).json()
        seen += [row["number"] for row in body["results"]]
        address = body["next"]
    assert seen == numbers[::-1]

    def found(**filters) -> list[str]:
        return [row["number"] for row in visitor.get("/api/v1/certificates/", filters).json()["results"]]

    assert found(status="suspended") == numbers[:1]
    assert found(scheme="HALU-1", method="hallucination", group="es") == numbers[::-1]
    assert found(group="eu") == []
    assert found(q=numbers[1].lower()) == [numbers[1]]
    assert found(q="peumo") == numbers[::-1]
    holder = Certificate.objects.get(number=numbers[2]).system_version.system.holder_id
    assert found(holder=holder) == [numbers[2]]
    assert found(year=clock.now().year) == numbers[::-1]
    assert found(year=2001) == []


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"stauts": "active"}, "invalid_field"),
        ({"status": "valid"}, "invalid_field"),
        ({"year": "x"}, "invalid_field"),
        ({"holder": "0"}, "invalid_field"),
        ({"scheme": "HALU"}, "invalid_field"),
        ({"limit": "1000"}, "invalid_field"),
        ({"cursor": "x"}, "invalid_cursor"),
        ({"q": "FEH-2026-000001-00"}, "number_mistyped"),
    ],
)
def test_a_filter_that_means_nothing_is_refused(db, visitor, query, code):
    response = visitor.get("/api/v1/certificates/", query)
    assert response.json()["code"] == code
    if code == "invalid_field":
        (error,) = response.json()["errors"]
        assert error["parameter"] == next(iter(query))


def test_reading_costs_the_same_however_many_there_are(who, visitor, django_assert_max_num_queries):
    numbers_issued = [registry.issued(who).number for _one in range(3)]
    with django_assert_max_num_queries(8):
        visitor.get("/api/v1/certificates/")
    with django_assert_max_num_queries(3):
        visitor.get(f"/api/v1/certificates/{numbers_issued[0]}/status/")
    with django_assert_max_num_queries(16):
        visitor.get(f"/api/v1/certificates/{numbers_issued[0]}/")


def test_history_is_the_chain_of_what_was_decided(who, visitor):
    certificate = registry.certificate_at(Status.SUSPENDED, who)
    body = visitor.get(f"/api/v1/certificates/{certificate.number}/history/").json()
    assert [event["step"] for event in body["events"]] == ["issue", "suspend"]
    previous = None
    for event in body["events"]:
        assert hashlib.sha256(event["bytes"].encode()).hexdigest() == event["hash"]
        assert event["previous"] == previous
        previous = event["hash"]
    assert [(event["before"], event["after"]) for event in body["events"]] == [
        (None, "active"),
        ("active", "suspended"),
    ]


def test_figures_are_the_published_ones(who, visitor):
    few = registry.Evidence(
        figures=((None, 16, 155), ("es", 9, 88), ("en", 6, 60), ("gl", 1, 7)), access="digest_only"
    )
    certificate = registry.issued(who, registry.measurement(by=who.evaluator, evidence=few))
    body = visitor.get(f"/api/v1/certificates/{certificate.number}/figures/").json()
    by_group = {figure["group"]: figure for figure in body["figures"]}
    assert (by_group[None]["k"], by_group[None]["n"]) == (16, 155)
    assert by_group["gl"]["band"] == "suppressed"
    assert by_group["gl"]["k"] is by_group["gl"]["n"] is by_group["gl"]["estimate"] is None
    measured = visitor.get(f"/api/v1/measurements/{certificate.measurement_id}/").json()
    assert measured["figures"] == body["figures"]


def test_what_was_declared_of_a_suppressed_figure_is_not_told_either(who, visitor):
    few = registry.Evidence(figures=((None, 10, 95), ("es", 9, 88), ("gl", 1, 7)), access="digest_only")
    measurement = registry.measurement(by=who.evaluator, evidence=few)
    cell = {"metric": "hallucination", "denominator": "judged", "category": None, "outcome": "coincides"}
    declared = [{**cell, "group": "gl", "declared": "0.143", "computed": "0.142857"}]
    figures = measured.published_figures(measurement)
    assert measured.declared_beside({"declared": declared}, figures) == []
    shown = [{**cell, "group": "es", "declared": "0.102", "computed": "0.102273"}]
    by_group = {figure.group: figure.band for figure in figures}
    assert measured.declared_beside({"declared": shown}, figures) == (
        shown if by_group["es"] == "full" else []
    )


def test_evidence_tells_digests_of_open_members_and_commitments_of_sealed_ones(who, visitor):
    sealed = registry.Evidence(sealed=("data/items.jsonl",))
    certificate = registry.issued(who, registry.measurement(by=who.evaluator, evidence=sealed))
    body = visitor.get(f"/api/v1/certificates/{certificate.number}/evidence/").json()
    by_path = {member["path"]: member for member in body["members"]}
    open_one, sealed_one = by_path["data/evaluation.json"], by_path["data/items.jsonl"]
    assert open_one["address"] == f"/c/{certificate.number}/evidence/data/evaluation.json"
    assert (sealed_one["sha256"], sealed_one["address"], sealed_one["sealed"]) == (None, None, True)
    assert sealed_one["commitment"]
    assert body["address"] is None
    digest = hashlib.sha256(b"data/items.jsonl").hexdigest()
    refused(visitor.get(f"/api/v1/lookup/{digest}/"), 404, "sha256_not_found")


def test_of_digest_only_evidence_no_member_is_told(who, visitor):
    closed = registry.Evidence(access="digest_only")
    certificate = registry.issued(who, registry.measurement(by=who.evaluator, evidence=closed))
    body = visitor.get(f"/api/v1/certificates/{certificate.number}/evidence/").json()
    assert (body["members"], body["access"]) == ([], "digest_only")


def test_members_come_in_pages(who, visitor):
    certificate = registry.issued(who)
    first = visitor.get(f"/api/v1/certificates/{certificate.number}/evidence/?limit=1").json()
    second = visitor.get(first["next"]).json()
    assert [one["path"] for one in first["members"] + second["members"]] == [
        "data/evaluation.json",
        "data/items.jsonl",
    ]
    assert second["next"] is None


def test_a_measurement_is_public_once_a_decision_rests_on_it(who, visitor):
    measurement = registry.measurement(by=who.evaluator)
    address = f"/api/v1/measurements/{measurement.pk}/"
    refused(visitor.get(address), 404, "measurement_not_found")
    assert desks.holding(who.evaluator, Role.EVALUATOR).get(address).status_code == 200
    assert desks.holding(who.appeals_officer, None).get(address).status_code == 200
    certificate = registry.issued(who, measurement)
    assert visitor.get(address).json()["certificates"] == [certificate.number]


def test_a_file_is_looked_up_by_its_hash(who, visitor):
    certificate = registry.issued(who)
    sha256 = certificate.measurement.package.sha256
    body = visitor.get(f"/api/v1/lookup/{sha256}/").json()
    assert body["matches"] == [{"kind": "evidence", "name": None, "certificates": [certificate.number]}]
    assert visitor.get(f"/api/v1/lookup/{sha256.upper()}/")["Location"] == f"/api/v1/lookup/{sha256}/"
    refused(visitor.get("/api/v1/lookup/abc/"), 400, "invalid_sha256")
    refused(visitor.get(f"/api/v1/lookup/{'0' * 64}/"), 404, "sha256_not_found")
    member = hashlib.sha256(b"data/evaluation.json").hexdigest()
    (match,) = visitor.get(f"/api/v1/lookup/{member}/").json()["matches"]
    assert (match["kind"], match["name"]) == ("member", "data/evaluation.json")
    scheme = certificate.measurement.scheme.sha256
    assert visitor.get(f"/api/v1/lookup/{scheme}/").json()["matches"][0]["name"] == "HALU-1"


def test_schemes_are_read_with_their_rules(who, visitor):
    scheme = registry.scheme()
    (line,) = visitor.get("/api/v1/schemes/").json()["results"]
    assert (line["scheme"], line["sha256"]) == ("HALU-1", scheme.sha256)
    body = visitor.get("/api/v1/schemes/HALU-1/").json()
    assert body["rules"]["code"] == "HALU"
    refused(visitor.get("/api/v1/schemes/HALU-2/"), 404, "scheme_not_found")


def test_a_notice_is_read_by_its_number(who, visitor):
    certificate = registry.certificate_at(Status.SUSPENDED, who)
    notice = Notice.objects.get(decision="suspend")
    body = visitor.get(f"/api/v1/notices/{notice.number}/").json()
    assert (body["certificate"], body["reason"]) == (certificate.number, "misuse_of_certificate")
    assert body["statement"]["es"] == registry.STATEMENT.es
    spelled = notice.number.lower().replace("-", "")
    assert visitor.get(f"/api/v1/notices/{spelled}/")["Location"] == f"/api/v1/notices/{notice.number}/"
    refused(visitor.get("/api/v1/notices/AV-2019-000001/"), 404, "notice_not_found")
    refused(visitor.get("/api/v1/notices/x/"), 404, "notice_not_found")


# ── the status, now and then ─────────────────────────────────────────────────────────────────────────────


def test_the_status_is_the_published_document_and_is_revalidated(who, visitor):
    certificate = registry.issued(who)
    address = f"/api/v1/certificates/{certificate.number}/status/"
    first = visitor.get(address)
    assert first["Cache-Control"] == "no-cache"
    assert visitor.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304
    registry.suspend(certificate, by=who.certifier)
    again = visitor.get(address, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.json()["status"]) == (200, "suspended")


def test_as_of_a_past_instant_answers_what_was_said_then(who, visitor):
    certificate = registry.issued(who)
    between = clock.now().isoformat()
    event = registry.suspend(certificate, by=who.certifier)
    address = f"/api/v1/certificates/{certificate.number}/status/"
    then = visitor.get(address, {"as_of": between}).json()
    assert (then["status"], then["in_force"], then["sequence"]) == ("active", True, 1)
    assert then["later_overturned_by"] == []
    now = visitor.get(address, {"as_of": clock.now().isoformat()}).json()
    assert (now["status"], now["sequence"]) == ("suspended", 2)
    local = event.at.astimezone(ZoneInfo(certificate.zone))
    today = visitor.get(address, {"as_of": local.date().isoformat()}).json()
    assert today["status"] == "suspended"


AS_OF = [
    ("2001-01-01", 404, "not_yet_issued"),
    ("2001-01-01T00:00:00Z", 404, "not_yet_issued"),
    ("0001-01-01", 404, "not_yet_issued"),
    ("2999-01-01T00:00:00Z", 400, "as_of_in_the_future"),
    ("9999-12-31", 400, "as_of_in_the_future"),
    ("yesterday", 400, "invalid_field"),
    ("2026-13-01", 400, "invalid_field"),
    ("2026-11-30T10:00:00", 400, "invalid_field"),
    ("0001-01-01T00:00:00+14:00", None, None),
    ("9999-12-31T23:59:59-14:00", None, None),
]


def test_as_of_is_a_past_instant_with_its_offset(who, visitor):
    certificate = registry.issued(who)
    for as_of, status, code in AS_OF:
        response = visitor.get(f"/api/v1/certificates/{certificate.number}/status/", {"as_of": as_of})
        if code:
            refused(response, status, code)
        else:
            assert response.status_code in {400, 404}, as_of


# ── deciding ─────────────────────────────────────────────────────────────────────────────────────────────


def test_a_certifier_issues_a_certificate(who, certifier):
    measurement = registry.measurement(by=who.evaluator)
    response = send(
        certifier, "/api/v1/certificates/", {"measurement": measurement.pk, "statement": STATEMENT}
    )
    assert response.status_code == 201, response.content
    certificate = Certificate.objects.get()
    assert response["Location"] == f"/api/v1/certificates/{certificate.number}/"
    assert (response.json()["number"], response.json()["status"]) == (certificate.number, "active")


def test_the_term_may_be_chosen_within_the_scheme(who, certifier):
    day = (clock.now() + timedelta(days=20)).date().isoformat()
    body = {
        "measurement": registry.measurement(by=who.evaluator).pk,
        "statement": STATEMENT,
        "valid_until": day,
    }
    response = send(certifier, "/api/v1/certificates/", body)
    assert response.json()["valid_until"][:10] > day
    body["measurement"] = registry.measurement(by=who.evaluator).pk
    body["valid_until"] = "2999-01-01T00:00:00Z"
    problem = refused(send(certifier, "/api/v1/certificates/", body), 422, "term_out_of_range")
    assert problem["errors"][0]["pointer"] == "/valid_until"


@pytest.mark.parametrize(
    ("evidence", "code"),
    [
        (registry.Evidence(age=timedelta(days=181)), "evidence_too_old"),
        (registry.Evidence(coincides=False), "declared_figures_differ"),
        (registry.Evidence(integrity="failed"), "integrity_not_verified"),
    ],
)
def test_what_cannot_be_certified_is_refused_by_name(who, certifier, evidence, code):
    measurement = registry.measurement(by=who.evaluator, evidence=evidence)
    body = {"measurement": measurement.pk, "statement": STATEMENT}
    refused(send(certifier, "/api/v1/certificates/", body), 409, code)
    assert not Certificate.objects.exists()


def test_status_hash_and_figures_are_never_taken(who, certifier):
    body = {"measurement": registry.measurement(by=who.evaluator).pk, "statement": STATEMENT}
    for key, value in {"status": "active", "sha256": "0" * 64, "figures": [], "number": "x"}.items():
        problem = refused(
            send(certifier, "/api/v1/certificates/", {**body, key: value}), 400, "invalid_field"
        )
        assert problem["errors"][0]["pointer"] == f"/{key}"
        assert problem["errors"][0]["code"] == "unknown_key"
    assert not Certificate.objects.exists()


def test_whoever_evaluated_does_not_decide(who):
    measurement = registry.measurement(by=who.certifier)
    client = desks.holding(who.certifier, Role.CERTIFIER)
    body = {"measurement": measurement.pk, "statement": STATEMENT}
    assert refused(send(client, "/api/v1/certificates/", body), 403, "took_part_in_evaluation")["rule"] == 1


@pytest.mark.parametrize("role", [Role.EVALUATOR, Role.APPEALS_OFFICER, Role.REGISTRAR, None])
def test_only_a_certifiers_token_decides(who, role):
    certificate = registry.issued(who)
    owner = {Role.APPEALS_OFFICER: who.appeals_officer, Role.REGISTRAR: who.registrar}.get(
        role, who.evaluator
    )
    refused(suspend(desks.holding(owner, role), certificate), 403, "role_needed")
    assert StatusEvent.objects.count() == 1


def test_without_a_token_nothing_is_decided(who, visitor):
    certificate = registry.issued(who)
    refused(suspend(visitor, certificate), 401, "not_authenticated")
    visitor.force_login(who.certifier, backend="allauth.account.auth_backends.AuthenticationBackend")
    refused(suspend(visitor, certificate), 401, "not_authenticated")


def test_suspend_prolong_reinstate_and_revoke(who, certifier, visitor):
    certificate = registry.issued(who)
    later = (clock.now() + timedelta(days=60)).date().isoformat()
    steps = [
        ("suspended", suspend(certifier, certificate)),
        ("suspended", step(certifier, certificate, "prolong", seen=2, review_on=later)),
        ("active", step(certifier, certificate, "reinstate", seen=3)),
        ("revoked", step(certifier, certificate, "revoke", seen=4, reason="false_declaration")),
    ]
    for sequence, (status, response) in enumerate(steps, start=2):
        assert response.status_code == 200, response.content
        body = response.json()
        assert (body["status"], body["sequence"]) == (status, sequence)
    told = visitor.get(f"/api/v1/certificates/{certificate.number}/status/").json()
    assert (told["status"], told["reason"], told["final"]) == ("revoked", "false_declaration", False)
    assert told["notice"] == steps[-1][1].json()["notice"]


def test_who_comes_too_late_is_told_what_happened(who, certifier):
    certificate = registry.issued(who)
    suspend(desks.holding(who.second_certifier, Role.CERTIFIER), certificate)
    problem = refused(suspend(certifier, certificate), 409, "lost_race")
    present = problem["present"]
    assert (present["status"], present["sequence"], present["last"]["step"]) == ("suspended", 2, "suspend")
    assert StatusEvent.objects.count() == 2


def test_a_step_that_cannot_follow_is_refused_with_the_present_state(who, certifier):
    certificate = registry.issued(who)
    problem = refused(step(certifier, certificate, "reinstate"), 409, "forbidden_transition")
    assert problem["present"]["sequence"] == 1


def test_a_decision_needs_its_reason_texts_and_dates(who, certifier):
    certificate = registry.issued(who)
    response = send(certifier, f"/api/v1/certificates/{certificate.number}/suspend/", {})
    errors = {entry["pointer"] for entry in refused(response, 400, "invalid_field")["errors"]}
    assert errors == {"/reason", "/statement", "/conditions", "/review_on", "/if_sequence"}
    past = suspend(certifier, certificate, review_on="2001-01-01")
    assert refused(past, 422, "review_date_out_of_range")["errors"][0]["pointer"] == "/review_on"


def test_a_single_condition_may_stand_without_brackets(who, certifier):
    certificate = registry.issued(who)
    assert suspend(certifier, certificate, conditions=CONDITIONS[0]).status_code == 200
    later = (clock.now() + timedelta(days=60)).date().isoformat()
    wrong = step(certifier, certificate, "prolong", seen=2, review_on=later, conditions={"es": "Solo una."})
    (error,) = refused(wrong, 400, "invalid_field")["errors"]
    assert error["pointer"] == "/conditions/0/en"


def test_a_decision_sent_twice_with_one_key_is_taken_once(who, certifier):
    certificate = registry.issued(who)
    body = {"statement": STATEMENT, "if_sequence": 1, "reason": "figure_error"}
    address = f"/api/v1/certificates/{certificate.number}/revoke/"
    first = send(certifier, address, body, **{"Idempotency-Key": "once"})
    again = send(certifier, address, body, **{"Idempotency-Key": "once"})
    assert (first.status_code, first.content) == (again.status_code, again.content)
    assert StatusEvent.objects.count() == 2


def test_the_holders_wish_needs_its_request_and_a_second_person(who, certifier):
    certificate = registry.issued(who)
    request = holder_requests.store(
        certificate,
        by=who.second_certifier,
        at=clock.now(),
        kind="terminate",
        text="Pedimos finalizarlo.",
        received_on=clock.now().date(),
    )
    second = desks.holding(who.second_certifier, Role.CERTIFIER)
    refused(step(second, certificate, "terminate", request=request.pk), 403, "second_person_needed")
    refused(step(certifier, certificate, "terminate", request=10**9), 422, "unknown_request")
    assert step(certifier, certificate, "terminate", request=request.pk).json()["status"] == "terminated"


def test_a_certificate_takes_the_place_of_another(who, certifier):
    certificate = registry.issued(who)
    again = registry.measurement(certificate.system_version, by=who.evaluator)
    body = {"measurement": again.pk, "statement": STATEMENT, "supersedes": certificate.number}
    response = send(certifier, "/api/v1/certificates/", body)
    assert response.json()["supersedes"] == certificate.number
    missing = {**body, "supersedes": "FEH-2026-000001-00"}
    assert send(certifier, "/api/v1/certificates/", missing).status_code == 422


def test_a_refusal_is_a_notice_of_its_own(who, certifier, visitor):
    measurement = registry.measurement(by=who.evaluator)
    body = {"measurement": measurement.pk, "statement": STATEMENT, "reason": "evidence_integrity"}
    response = send(certifier, "/api/v1/refusals/", body)
    assert response.status_code == 201, response.content
    notice = visitor.get(response["Location"]).json()
    assert (notice["decision"], notice["certificate"]) == ("refuse", None)
    assert visitor.get(f"/api/v1/measurements/{measurement.pk}/").status_code == 200


def test_a_step_in_another_spelling_is_led_to_the_printed_one(who, certifier):
    certificate = registry.issued(who)
    response = send(certifier, f"/api/v1/certificates/{certificate.number.lower()}/revoke/", {})
    assert (response.status_code, response["Location"]) == (
        308,
        f"/api/v1/certificates/{certificate.number}/revoke/",
    )
