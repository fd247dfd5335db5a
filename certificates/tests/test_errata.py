"""A figure is known to be wrong: the erratum is published the same day, and every place that tells of it says so."""

import re

import pytest
from django.test import Client

from certificates import lifecycle, publishing
from certificates.models import Notice
from certificates.refusals import IncompleteDecision
from certificates.states import Status
from certificates.tests import desks, registry
from certificates.tests.test_holder_area import link
from certificates.tests.test_publishing import text
from certificates.tests.test_staff_decisions import address, hidden_fields, preview, sign, word
from registry_site import clock
from registry_site.models import AuditEntry
from registry_site.roles import Role

pytestmark = pytest.mark.django_db
ES = "La tasa en español no es 10,2 %, sino 12,5 %."
EN = "The rate in Spanish is not 10.2%, but 12.5%."
TEXT = {"if_sequence": "1", "statement_es": ES, "statement_en": EN}


@pytest.fixture
def certificate(who):
    return registry.issued(who)


def erratum(certificate, who, **more):
    return lifecycle.erratum(
        certificate, by=who.certifier, at=clock.now(), statement={"es": ES, "en": EN}, **more
    )


# ── published on a page ──────────────────────────────────────────────────────


def test_an_erratum_is_seen_in_both_languages_before_it_is_published(who, certificate):
    client, where = desks.at_desk(who.certifier), address(certificate, "erratum")
    issue = certificate.notices.get()
    form = client.get(where).content.decode()
    assert "Lo que se midió: una cifra, o aquello en que se apoya" in form
    assert f"Aviso N.º\u00a0{issue.number}: emisión" in form
    # Whether it can be relied on is never left unsaid.
    assert client.post(where, TEXT | {"about": "", "action": "preview"}).status_code == 422

    page = preview(client, where, TEXT | {"about": issue.number, "do_not_rely": "yes"})
    assert "<b>No se apoye en este certificado</b>" in page
    assert "<b>Do not rely on this certificate</b>" in page
    assert ES in page
    assert EN in page
    assert certificate.events.count() == 1

    answer = client.post(where, hidden_fields(page) | {"action": "sign"})
    assert (answer.status_code, answer["Location"]) == (302, address(certificate))
    notice = Notice.objects.get(decision="erratum")
    assert (notice.do_not_rely, notice.about, notice.statement_es) == (True, issue, ES)
    assert word(certificate) == "active"
    assert AuditEntry.objects.filter(action="certificate.erratum", person=who.certifier.person).exists()
    # A second press of the same button records nothing more.
    again = client.post(where, hidden_fields(page) | {"action": "sign"})
    assert again.status_code == 302
    assert certificate.events.count() == 2


@pytest.mark.parametrize("status", [Status.REVOKED, Status.TERMINATED, Status.SUPERSEDED])
def test_what_is_no_longer_in_force_is_corrected_all_the_same(who, status):
    certificate = registry.certificate_at(status, who)
    text = TEXT | {"if_sequence": str(certificate.events.count()), "about": "", "do_not_rely": "no"}
    assert sign(desks.at_desk(who.certifier), address(certificate, "erratum"), text).status_code == 302
    assert word(certificate) == status.value
    assert Notice.objects.filter(certificate=certificate, decision="erratum", about=None).exists()


def test_whoever_evaluated_it_does_not_correct_it(who, certificate):
    assert desks.at_desk(who.evaluator).post(
        address(certificate, "erratum"), TEXT | {"about": "", "do_not_rely": "no", "action": "preview"}
    ).status_code == 403  # fmt: skip
    assert certificate.events.count() == 1


def test_an_erratum_corrects_a_notice_of_its_own_certificate(who, certificate):
    elsewhere = registry.issued(who, registry.measurement(by=who.evaluator)).notices.get()
    with pytest.raises(IncompleteDecision, match="not_a_notice_of_it"):
        erratum(certificate, who, about=elsewhere)
    assert certificate.events.count() == 1


# ── published by a program ───────────────────────────────────────────────────


def test_a_program_publishes_an_erratum(who, certificate):
    api = desks.holding(who.certifier, Role.CERTIFIER)
    where = f"/api/v1/certificates/{certificate.number}/erratum/"
    body = {"statement": {"es": ES, "en": EN}, "if_sequence": 1, "do_not_rely": True}

    def post(body):
        return api.post(where, body, content_type="application/json")

    (unsaid,) = post({"statement": body["statement"], "if_sequence": 1}).json()["errors"]
    assert unsaid["pointer"] == "/do_not_rely"
    assert post(body | {"do_not_rely": "yes"}).status_code == 400
    refused = post(body | {"about": "AV-2020-000001"})
    assert (refused.status_code, refused.json()["code"]) == (422, "not_a_notice_of_it")
    about = certificate.notices.get().number
    answer = post(body | {"about": about}).json()
    assert (answer["status"], answer["step"], answer["sequence"]) == ("active", "erratum", 2)
    told = api.get(f"/api/v1/notices/{answer['notice']}/").json()
    assert (told["about"], told["do_not_rely"], told["decision"]) == (about, True, "erratum")
    assert post(body).json()["code"] == "lost_race"


# ── and every place says so ──────────────────────────────────────────────────

BEWARE = "no se apoye"
FIRST_OF_PAGE = re.compile(r"<main.*?<h1>(.*?)</h1>", re.DOTALL)


def certificate_page(number: str) -> str:
    return text(publishing.document(number, kind="es", at=clock.now()))


def places(certificate, again) -> dict[str, str]:
    """Where a certificate or its figures are told to anyone → its address."""
    notice = certificate.notices.get(decision="issue").number
    mine, other = certificate.measurement_id, again.pk
    return {
        "the list": "/es/certificates/",
        "the front page": "/es/",
        "the notice of its issue": f"/es/notices/{notice}/",
        "the page of the system": f"/es/systems/{certificate.system_version.system_id}/",
        "a comparison": f"/es/compare/?first=M-{mine}&second=M-{other}",
    }


def test_every_page_says_that_it_is_not_to_be_relied_on(who):
    certificate = registry.issued(who)
    other_set = registry.Evidence(set_sha256="5f" * 32)
    again = registry.measurement(certificate.system_version, by=who.evaluator, evidence=other_set)
    other = registry.issued(who, again).number
    holder = certificate.system_version.system.holder
    member = registry.person("Paula Peumo")
    link(holder, member, who)
    of_holder = {
        "the holder's area": f"/holder/{holder.pk}/",
        "its decisions": f"/holder/{holder.pk}/decisions/",
    }
    of_staff = {
        "the staff's page": address(certificate),
        "its measurement": f"/staff/measurements/{certificate.measurement_id}/",
        "the staff's search": f"/staff/search/?q={certificate.number}",
    }
    published = {"the certificate": certificate.number, "another certificate of the system": other}
    readers = [
        *((Client(), what, where) for what, where in places(certificate, again).items()),
        *((desks.by_password(member), what, where) for what, where in of_holder.items()),
        *((desks.at_desk(who.certifier), what, where) for what, where in of_staff.items()),
    ]

    def silent(words: str) -> list[str]:
        answers = {what: client.get(where) for client, what, where in readers}
        assert {answer.status_code for answer in answers.values()} == {200}, answers
        told = {what: answer.content.decode() for what, answer in answers.items()}
        told |= {what: certificate_page(number) for what, number in published.items()}
        return [what for what, page in told.items() if words not in page.lower()]

    assert len(silent(BEWARE)) == len(readers) + len(published)
    correction = erratum(certificate, who).notice.number.lower()
    # A correction is named by its number; the search of the staff finds it under «notices».
    assert silent(correction) == ["the staff's search"]
    erratum(certificate, who, do_not_rely=True)
    assert silent(BEWARE) == []
    assert FIRST_OF_PAGE.search(certificate_page(certificate.number))[1].startswith(
        "<b>No se apoye en este certificado</b>"
    )


def test_every_answer_of_the_api_says_so(who):
    certificate = registry.issued(who)
    again = registry.measurement(certificate.system_version, by=who.evaluator)
    number, mine = certificate.number, certificate.measurement_id
    first = erratum(certificate, who, do_not_rely=True).notice.number
    # A later correction takes nothing back.
    second = erratum(certificate, who).notice.number
    api = Client()

    def read(where):
        return api.get(f"/api/v1/{where}").json()

    for where in ("", "status/", "figures/", "history/"):
        told = read(f"certificates/{number}/{where}")
        assert (where, told["do_not_rely"], told["errata"]) == (where, True, [first, second])
    (row,) = read("certificates/")["results"]
    assert (row["do_not_rely"], row["erratum"]) == (True, first)
    beside = [{"certificate": number, "notice": first, "do_not_rely": True}]
    assert read(f"measurements/{mine}/")["errata"] == beside
    assert [one["errata"] for one in read(f"certificates/{number}/")["measurements"]] == [beside, []]
    asked = api.post(
        "/api/v1/comparisons/", {"first": mine, "second": again.pk}, content_type="application/json"
    ).json()
    assert (asked["first"]["errata"], asked["second"]["errata"]) == (beside, [])
