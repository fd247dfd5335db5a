"""A figure is known to be wrong: the erratum is published the same day, and every place that tells of it says so."""

import pytest

from certificates import lifecycle
from certificates.models import Notice
from certificates.refusals import IncompleteDecision
from certificates.states import Status
from certificates.tests import desks, registry
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
