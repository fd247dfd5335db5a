"""Decisions through the pages: form, preview in both languages, signature; and what must not happen."""

import re
import threading
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from certificates import lifecycle, projections, states
from certificates.models import Certificate, HolderRequest, Notice
from certificates.states import Status
from certificates.tests import desks, registry
from registry_site import clock
from registry_site.models import AuditEntry

pytestmark = pytest.mark.django_db
ES = "El sistema en servicio responde con otra versión."
EN = "The system in service answers with another version."


def word(certificate) -> str:
    rows = projections.events_of(certificate)
    return states.status_of(projections.facts_of(rows), clock.now()).word.value


def address(certificate, step="") -> str:
    return f"/staff/certificates/{certificate.number}/{step}/".replace("//", "/")


def day_fields(name: str, day) -> dict[str, str]:
    return {f"{name}_day": str(day.day), f"{name}_month": str(day.month), f"{name}_year": str(day.year)}


def suspension(certificate, **more) -> dict[str, str]:
    day = clock.now().date() + timedelta(days=30)
    return {
        "if_sequence": str(certificate.events.count()),
        "reason": "system_changed",
        "statement_es": ES,
        "statement_en": EN,
        "conditions_es": "1. Volver a servir la versión certificada.\n- Medir otra vez.",
        "conditions_en": "Serve the certified version again.\nMeasure again.",
        **day_fields("review_on", day),
    } | more


def hidden_fields(page: str) -> dict[str, str]:
    """What the preview's form carries, as a browser would post it."""
    import html

    form = page[page.index("<form", page.index('class="ask gap"')) :]
    found = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form[: form.index("</form>")])
    return {name: html.unescape(value) for name, value in found}


def preview(client, where, data):
    answer = client.post(where, data | {"action": "preview"})
    assert answer.status_code == 200, answer.content.decode()
    return answer.content.decode()


def sign(client, where, data):
    return client.post(where, hidden_fields(preview(client, where, data)) | {"action": "sign"})


# ── the way it is meant ──────────────────────────────────────────────────────


def test_suspend_reinstate_revoke(who):
    certificate = registry.issued(who)
    client = desks.at_desk(who.certifier)
    form = client.get(address(certificate, "suspend")).content.decode()
    assert "Firmar y publicar" not in form
    assert "Usted no participó en la evaluación (regla 1)." in form

    page = preview(client, address(certificate, "suspend"), suspension(certificate))
    # Both languages, by the same component as the public page, before there is anything to sign.
    assert "<b>No vigente</b> desde el" in page
    assert "<b>Not in force</b> since" in page
    assert "porque el sistema que se ofrece ya no es la versión evaluada" in page
    assert "because the system offered is no longer the version evaluated" in page
    assert "Volver a servir la versión certificada." in page
    assert "Serve the certified version again." in page
    assert "Firmar y publicar la decisión" in page
    assert certificate.events.count() == 1
    assert Notice.objects.filter(certificate=certificate).count() == 1

    answer = client.post(address(certificate, "suspend"), hidden_fields(page) | {"action": "sign"})
    assert (answer.status_code, answer["Location"]) == (302, address(certificate))
    assert word(certificate) == "suspended"
    notice = Notice.objects.get(certificate=certificate, decision="suspend")
    assert (notice.statement_es, notice.statement_en) == (ES, EN)
    assert [c["es"] for c in notice.conditions] == [
        "Volver a servir la versión certificada.",
        "Medir otra vez.",
    ]
    assert notice.decided_by == who.certifier.person
    told = client.get(address(certificate)).content.decode()
    assert "está firmada y publicada" in told
    assert AuditEntry.objects.filter(action="certificate.suspend", person=who.certifier.person).exists()

    text = {
        "if_sequence": "2",
        "statement_es": "Se cumplieron las condiciones.",
        "statement_en": "They were met.",
    }
    assert sign(client, address(certificate, "reinstate"), text).status_code == 302
    assert word(certificate) == "active"
    text = {
        "if_sequence": "3",
        "reason": "false_declaration",
        "statement_es": "No era cierto.",
        "statement_en": "Untrue.",
    }
    assert sign(client, address(certificate, "revoke"), text).status_code == 302
    assert word(certificate) == "revoked"


def test_issue_and_refuse(who):
    client = desks.at_desk(who.certifier)
    first = registry.measurement(by=who.evaluator)
    where = f"/staff/measurements/{first.pk}/issue/"
    text = {"if_sequence": "0", "statement_es": "Se emite.", "statement_en": "Issued."}
    page = preview(client, where, text)
    assert "<b>Vigente</b>, respecto de la versión" in page
    assert Certificate.objects.count() == 0
    answer = client.post(where, hidden_fields(page) | {"action": "sign"})
    certificate = Certificate.objects.get()
    assert answer["Location"] == address(certificate)

    second = registry.measurement(by=who.evaluator)
    where = f"/staff/measurements/{second.pk}/refuse/"
    text = text | {"reason": "evidence_integrity", "statement_es": "Se deniega.", "statement_en": "Refused."}
    page = preview(client, where, text)
    assert "Emisión denegada, porque la evidencia no es íntegra" in page
    assert "Issue refused, because the evidence is not intact" in page
    assert not Notice.objects.filter(decision="refuse").exists()
    assert client.post(where, hidden_fields(page) | {"action": "sign"}).status_code == 302
    assert Notice.objects.get(decision="refuse").measurement == second


def test_a_shorter_term_may_be_chosen(who):
    on = registry.measurement(by=who.evaluator)
    day = clock.now().date() + timedelta(days=10)
    text = {
        "if_sequence": "0", "statement_es": "Se emite.", "statement_en": "Issued.",
        **day_fields("valid_until", day),
    }  # fmt: skip
    assert sign(desks.at_desk(who.certifier), f"/staff/measurements/{on.pk}/issue/", text).status_code == 302
    assert abs(Certificate.objects.get().valid_until - clock.now() - timedelta(days=10)) < timedelta(days=2)


def test_a_later_measurement_supersedes_the_certificate_on_the_first(who):
    certificate = registry.issued(who)
    again = registry.measurement(certificate.system_version, by=who.evaluator)
    client = desks.at_desk(who.certifier)
    where = f"/staff/measurements/{again.pk}/issue/"
    assert certificate.number in client.get(where).content.decode()
    text = {"if_sequence": "0", "statement_es": "Nueva medición.", "statement_en": "A new measurement."}
    assert client.post(where, text | {"action": "preview"}).status_code == 422
    assert sign(client, where, text | {"supersedes": certificate.number}).status_code == 302
    assert word(certificate) == "superseded"
    assert Certificate.objects.exclude(pk=certificate.pk).get().supersedes == certificate


def test_another_certificate_takes_its_place_by_its_number_in_any_spelling(who):
    certificate = registry.issued(who)
    other_set = registry.Evidence(set_sha256="5f" * 32)
    again = registry.measurement(certificate.system_version, by=who.evaluator, evidence=other_set)
    other = registry.issued(who, again)
    client, where = desks.at_desk(who.certifier), address(certificate, "supersede")
    text = {"if_sequence": "1", "request": "", "statement_es": ES, "statement_en": EN}
    for typed, told in (
        ("FEH-2026-000001-99", "El número tiene un error de escritura. Revise los dos últimos dígitos."),
        ("Peumo", "Ese no es el número de un certificado."),
    ):
        refused = client.post(where, text | {"other": typed, "action": "preview"})
        assert refused.status_code == 422
        assert told in refused.content.decode()
    typed = other.number.lower().replace("-", " ")
    assert sign(client, where, text | {"other": typed}).status_code == 302
    assert word(certificate) == "superseded"


def test_the_holders_wish_needs_a_stored_request_and_a_second_person(who):
    certificate = registry.issued(who)
    first, second = desks.at_desk(who.certifier), desks.at_desk(who.second_certifier)
    day = clock.now().date() - timedelta(days=1)
    answer = first.post(
        address(certificate, "request"),
        {
            "kind": "terminate", "text": "Pedimos finalizar el certificado.",
            **day_fields("received_on", day),
        },
    )  # fmt: skip
    assert answer["Location"] == address(certificate)
    request = HolderRequest.objects.get()
    text = {
        "if_sequence": "1",
        "statement_es": "A petición.",
        "statement_en": "At request.",
        "request": str(request.pk),
    }
    # Whoever stored it finds the rule in place of the form.
    page = first.get(address(certificate, "terminate")).content.decode()
    assert "No hay ninguna petición escrita del titular que haya guardado otra persona (regla 6)" in page
    assert "<textarea" not in page
    assert first.post(address(certificate, "terminate"), text | {"action": "preview"}).status_code != 200
    assert sign(second, address(certificate, "terminate"), text).status_code == 302
    assert word(certificate) == "terminated"


def test_a_suspension_is_extended_beyond_its_present_date(who):
    certificate = registry.issued(who)
    present = (clock.now() + timedelta(days=30)).date()
    registry.suspend(certificate, by=who.certifier)
    client, where = desks.at_desk(who.certifier), address(certificate, "prolong")
    text = {
        "if_sequence": "2",
        "statement_es": "Se pidió más plazo.",
        "statement_en": "More time was asked for.",
    }
    early = client.post(where, text | day_fields("review_on", present) | {"action": "preview"})
    assert "La fecha debe ser posterior a la fecha de revisión actual." in early.content.decode()
    later = present + timedelta(days=60)
    assert sign(client, where, text | day_fields("review_on", later)).status_code == 302
    assert projections.events_of(certificate)[-1].review_on == later
    # The conditions stay as they were.
    assert registry.CONDITIONS[0].es in client.get(address(certificate)).content.decode()


# ── what must not happen ─────────────────────────────────────────────────────


def test_nothing_is_signed_without_its_preview(who):
    certificate = registry.issued(who)
    client = desks.at_desk(who.certifier)
    page = client.post(
        address(certificate, "suspend"), suspension(certificate) | {"action": "sign"}
    ).content.decode()
    assert "Así se publicará" in page
    assert certificate.events.count() == 1


def test_what_is_signed_is_what_was_previewed(who):
    certificate = registry.issued(who)
    client = desks.at_desk(who.certifier)
    seen = hidden_fields(preview(client, address(certificate, "suspend"), suspension(certificate)))
    changed = seen | {"statement_es": "Otro texto que nadie vio.", "action": "sign"}
    page = client.post(address(certificate, "suspend"), changed).content.decode()
    assert "Así se publicará" in page
    assert "Otro texto que nadie vio." in page
    # Nor does another person sign what this one saw.
    other = desks.at_desk(who.second_certifier)
    assert (
        "Así se publicará"
        in other.post(address(certificate, "suspend"), seen | {"action": "sign"}).content.decode()
    )
    assert certificate.events.count() == 1


def test_a_preview_shows_the_text_that_is_about_to_be_signed(who):
    on, client = registry.measurement(by=who.evaluator), desks.at_desk(who.certifier)
    text = {"statement_es": "Esto se lee en español.", "statement_en": "This is read in English."}

    def shown(where, **data):
        page = preview(client, where, text | data)
        return [page.count(f"<p>{one}</p>") for one in text.values()]

    assert shown(f"/staff/measurements/{on.pk}/issue/", if_sequence="0") == [1, 1]
    certificate = registry.issued(who)
    registry.suspend(certificate, by=who.certifier)
    assert shown(address(certificate, "reinstate"), if_sequence="2") == [1, 1]
    later = day_fields("review_on", clock.now().date() + timedelta(days=60))
    assert shown(address(certificate, "prolong"), if_sequence="2", **later) == [1, 1]


def test_a_second_press_is_no_second_decision(who):
    certificate = registry.issued(who)
    client = desks.at_desk(who.certifier)
    seen = hidden_fields(preview(client, address(certificate, "suspend"), suspension(certificate))) | {
        "action": "sign"
    }
    assert client.post(address(certificate, "suspend"), seen)["Location"] == address(certificate)
    # The back button, and the same form once more.
    again = client.post(address(certificate, "suspend"), seen)
    assert again["Location"] == address(certificate)
    assert "Su decisión ya constaba" in client.get(address(certificate)).content.decode()
    assert certificate.events.count() == 2


def test_a_second_press_issues_no_second_certificate(who):
    on = registry.measurement(by=who.evaluator)
    client, where = desks.at_desk(who.certifier), f"/staff/measurements/{on.pk}/issue/"
    text = {"if_sequence": "0", "statement_es": "Se emite.", "statement_en": "Issued."}
    seen = hidden_fields(preview(client, where, text)) | {"action": "sign"}
    first, again = client.post(where, seen), client.post(where, seen)
    assert first["Location"] == again["Location"] == address(Certificate.objects.get())


def test_whoever_comes_too_late_is_told_what_happened(who):
    certificate = registry.issued(who)
    client = desks.at_desk(who.certifier)
    data = suspension(certificate)
    seen = hidden_fields(preview(client, address(certificate, "suspend"), data)) | {"action": "sign"}
    registry.suspend(certificate, by=who.second_certifier)
    answer = client.post(address(certificate, "suspend"), seen)
    assert answer.status_code == 409
    page = answer.content.decode()
    assert "Otra persona acaba de decidir: Suspendido, " in page
    assert "Su decisión no se registró." in page
    assert certificate.events.count() == 2


def test_a_lost_race_on_a_step_that_is_still_possible_keeps_the_text(who):
    certificate = registry.issued(who)
    client = desks.at_desk(who.certifier)
    text = {"if_sequence": "1", "reason": "other", "statement_es": ES, "statement_en": EN}
    seen = hidden_fields(preview(client, address(certificate, "revoke"), text)) | {"action": "sign"}
    registry.suspend(certificate, by=who.second_certifier)
    page = client.post(address(certificate, "revoke"), seen).content.decode()
    assert "Otra persona acaba de decidir" in page
    assert ES in page
    assert 'name="if_sequence" value="2"' in page


@pytest.mark.parametrize(
    ("wrong", "field", "told"),
    [
        ({"statement_en": ""}, "statement_en", "Public text in English"),
        ({"reason": ""}, "reason", "Reason"),
        ({"conditions_en": "Only one."}, "conditions_en", "2 conditions in Spanish and 1 in English"),
        ({"review_on_day": "31", "review_on_month": "2"}, "review_on", "That date does not exist."),
        ({"review_on_year": "27"}, "review_on", "Write day, month and year in figures"),
        ({"review_on_year": "2001"}, "review_on", "The date must be in the future."),
        ({"review_on_year": "2999"}, "review_on", "The date is too far away."),
        ({"statement_es": "a" * 100_000}, "statement_es", "at most 4000 can be published"),
        ({"statement_es": "al rev\u202eés"}, "statement_es", "turn the direction of writing"),
        ({"statement_es": "nulo\x00"}, "statement_es", "Null characters are not allowed."),
        ({"reason": "report_upheld"}, "reason", "Select a valid choice"),
        ({"reason": "other", "statement_es": "Una.\nDos."}, "statement_es", "write one sentence"),
        ({"if_sequence": "no"}, None, "whole number"),
    ],
)  # fmt: skip
def test_errors_come_first_and_nothing_written_is_lost(who, wrong, field, told):
    certificate = registry.issued(who)
    client = desks.at_desk(who.certifier, language="en")
    answer = client.post(
        address(certificate, "suspend"), suspension(certificate) | wrong | {"action": "preview"}
    )
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "<title>Error: " in page
    summary = page[page.index('class="errors"') : page.index("<h1>")]
    assert told in summary
    if field:
        assert f'href="#id_{field}"' in summary
        assert f'id="id_{field}"' in page
    for kept in (
        ("Medir otra vez.", "Measure again.") if "conditions_en" not in wrong else ("Medir otra vez.",)
    ):
        assert kept in page
    assert certificate.events.count() == 1


def test_html_in_a_text_stays_text(who):
    certificate = registry.issued(who)
    client = desks.at_desk(who.certifier)
    hostile = '<script>alert(1)</script> & "comillas"'
    page = preview(client, address(certificate, "suspend"), suspension(certificate, statement_es=hostile))
    assert "<script>alert(1)</script>" not in page
    assert (
        client.post(address(certificate, "suspend"), hidden_fields(page) | {"action": "sign"}).status_code
        == 302
    )
    assert Notice.objects.get(decision="suspend").statement_es == hostile
    assert "<script>alert(1)</script>" not in client.get(address(certificate)).content.decode()


def test_correcting_goes_back_with_everything_written(who):
    certificate = registry.issued(who)
    client = desks.at_desk(who.certifier)
    seen = hidden_fields(preview(client, address(certificate, "suspend"), suspension(certificate)))
    page = client.post(address(certificate, "suspend"), seen | {"action": "edit"}).content.decode()
    for kept in (ES, EN, "Medir otra vez.", "Measure again.", 'value="system_changed" selected'):
        assert kept in page
    assert "Así se publicará" not in page


# ── who may not ──────────────────────────────────────────────────────────────


def test_whoever_took_part_finds_the_rule_and_no_button(who):
    both = registry.person("Eva de Ambas", "evaluator", is_superuser=True, is_staff=True)
    registry.RoleGrant.objects.create(person=both.person, role="certifier", granted_at=clock.now())
    certificate = registry.issued(who, registry.measurement(by=both))
    client = desks.at_desk(both)
    page = client.get(address(certificate)).content.decode()
    assert "No puede tomar esta decisión: participó en la evaluación (regla 1)." in page
    assert f'href="{address(certificate, "suspend")}"' not in page
    page = client.get(address(certificate, "suspend")).content.decode()
    assert "participó en la evaluación (regla 1)" in page
    assert "<textarea" not in page
    answer = client.post(address(certificate, "suspend"), suspension(certificate) | {"action": "preview"})
    assert answer.status_code == 403
    assert certificate.events.count() == 1


@pytest.mark.parametrize("role", ["evaluator", "appeals_officer", "registrar"])
def test_other_roles_look_and_do_not_decide(who, role):
    certificate = registry.issued(who)
    client = desks.at_desk(getattr(who, role))
    page = client.get(address(certificate)).content.decode()
    assert "Esta decisión requiere la función de decisión de certificación." in page
    assert f'href="{address(certificate, "revoke")}"' not in page
    text = {
        "if_sequence": "1",
        "reason": "other",
        "statement_es": ES,
        "statement_en": EN,
        "action": "preview",
    }
    assert client.post(address(certificate, "revoke"), text).status_code == 403


@pytest.mark.parametrize("status", list(Status))
def test_only_the_steps_that_the_status_allows_are_offered(who, status):
    certificate = registry.certificate_at(status, who)
    if status is Status.EXPIRED:
        import time

        time.sleep(0.25)
    page = desks.at_desk(who.certifier).get(address(certificate)).content.decode()
    offered = set(re.findall(rf'href="{address(certificate)}([a-z]+)/"', page)) - {"request"}
    wanted = {
        Status.ACTIVE: {"suspend", "revoke", "supersede"},
        Status.SUSPENDED: {"reinstate", "prolong", "revoke", "supersede"},
    }
    # A known defect is published whatever became of the certificate.
    assert offered == wanted.get(status, set()) | {"erratum"}


def test_a_step_that_the_status_forbids_says_why(who):
    certificate = registry.issued(who)
    page = desks.at_desk(who.certifier).get(address(certificate, "reinstate")).content.decode()
    assert "«Restablecer» no procede: el certificado está vigente." in page
    assert "<textarea" not in page


def test_no_form_has_a_status_field(who):
    certificate = registry.certificate_at(Status.SUSPENDED, who)
    client = desks.at_desk(who.certifier)
    for step in ("reinstate", "prolong", "revoke", "terminate", "supersede", "erratum"):
        names = re.findall(r'name="([^"]+)"', client.get(address(certificate, step)).content.decode())
        assert not {"status", "word", "in_force", "state"} & set(names)


# ── size ─────────────────────────────────────────────────────────────────────


def test_decision_and_certificate_pages_take_few_queries(who):
    certificate = registry.issued(who)
    client = desks.at_desk(who.certifier)

    def queries(where: str) -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(where).status_code == 200
        return len(captured)

    few = queries(address(certificate, "revoke"))
    for _ in range(3):
        registry.suspend(certificate, by=who.certifier)
        lifecycle.reinstate(certificate, by=who.certifier, at=clock.now(), statement=registry.STATEMENT)
    assert queries(address(certificate, "revoke")) == few <= 15
    few = queries(address(certificate))
    registry.suspend(certificate, by=who.certifier)
    assert queries(address(certificate)) == few <= 30


@pytest.mark.django_db(transaction=True)
def test_eight_presses_at_once_are_one_decision(transactional_db):
    who = registry.people()
    certificate = registry.issued(who)
    where = address(certificate, "suspend")
    presses = []
    for user, text in ((who.certifier, "Texto de Carlos."), (who.second_certifier, "Texto de Carmen.")):
        first = desks.at_desk(user)
        seen = hidden_fields(preview(first, where, suspension(certificate, statement_es=text)))
        presses += [(first if n == 0 else desks.at_desk(user), seen | {"action": "sign"}) for n in range(4)]
    start, answers = threading.Barrier(len(presses)), []

    def press(client, data):
        try:
            start.wait(10)
            answers.append(client.post(where, data))
        finally:
            connection.close()

    threads = [threading.Thread(target=press, args=one) for one in presses]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert certificate.events.count() == 2
    # The four of the same person lead to the same place; the other four are told who was first.
    assert sorted(answer.status_code for answer in answers) == [302] * 4 + [409] * 4
    told = [answer.content.decode() for answer in answers if answer.status_code == 409]
    assert all("Otra persona acaba de decidir: Suspendido, " in page for page in told)
