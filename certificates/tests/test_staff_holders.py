"""Proposed holders and systems: confirmed with a checked identifier, or merged into a known one."""

import pytest

from certificates.tests import desks, registry
from evidence import identities
from evidence.models import Holder, System, SystemVersion
from registry_site import clock
from registry_site.models import AuditEntry
from registry_site.problems import NotAllowed

pytestmark = pytest.mark.django_db
RUT = "76086428-5"


def proposed(name="Nueva SpA") -> Holder:
    return registry.holder(name, confirmation="proposed", identifier="", identifier_kind="", country="")


def facts(**more) -> dict[str, str]:
    return {
        "action": "confirm", "name": "Nueva SpA", "identifier_kind": "tax_number", "identifier": "76.086.428-5",
        "country": "cl", "contact_email": "contacto@nueva.example",
    } | more  # fmt: skip


def test_a_holder_is_confirmed_with_its_identifier(who):
    holder = proposed()
    client = desks.at_desk(who.certifier)
    assert "Titular propuesto" in client.get(f"/staff/holders/{holder.pk}/").content.decode()
    answer = client.post(f"/staff/holders/{holder.pk}/", facts())
    assert answer["Location"] == f"/staff/holders/{holder.pk}/"
    holder.refresh_from_db()
    assert (holder.confirmation, holder.identifier, holder.country) == ("confirmed", "760864285", "CL")
    assert AuditEntry.objects.get(action="holder.confirmed").person == who.certifier.person
    page = client.get(f"/staff/holders/{holder.pk}/").content.decode()
    assert "Titular confirmado." in page
    assert '<form method="post" data-once' not in page


@pytest.mark.parametrize(
    ("wrong", "field", "told"),
    [
        ({"identifier": "76.086.428-1"}, "identifier", "error de escritura"),
        ({"identifier_kind": "lei", "identifier": "1234"}, "identifier", "error de escritura"),
        ({"identifier_kind": "domain", "identifier": "no es un dominio"}, "identifier", "Escriba un dominio"),
        ({"country": "1"}, "country", "dos letras"),
        ({"name": "Аcme SpA"}, "name", "distintos alfabetos"),  # the first letter is Cyrillic
        ({"name": "Nue\u202eva"}, "name", "caracteres de control"),
    ],
)  # fmt: skip
def test_a_wrong_identity_is_told_at_its_field(who, wrong, field, told):
    holder = proposed()
    answer = desks.at_desk(who.certifier).post(f"/staff/holders/{holder.pk}/", facts(**wrong))
    assert answer.status_code == 422
    page = answer.content.decode()
    assert told in page[page.index('class="errors"') : page.index("<h1>")]
    assert f'href="#id_{field}"' in page
    assert "contacto@nueva.example" in page
    holder.refresh_from_db()
    assert holder.confirmation == "proposed"


def test_an_identifier_that_is_known_asks_for_a_merge(who):
    known = registry.holder(
        "Antigua SpA", identifier=identities.checked_identifier("tax_number", RUT, country="CL")
    )
    holder = proposed()
    system = registry.version(holder, name="Asistente").system
    client = desks.at_desk(who.certifier)
    page = client.post(f"/staff/holders/{holder.pk}/", facts()).content.decode()
    assert "Antigua SpA ya consta con ese identificador." in page

    answer = client.post(f"/staff/holders/{holder.pk}/", {"action": "merge", "into": "ANTIGUA  spa"})
    assert answer["Location"] == f"/staff/holders/{known.pk}/"
    assert not Holder.objects.filter(pk=holder.pk).exists()
    system.refresh_from_db()
    assert system.holder == known
    assert AuditEntry.objects.get(action="holder.merged").subject == f"holder:{known.pk}"


def test_merging_into_an_unknown_one_says_so(who):
    holder = proposed()
    answer = desks.at_desk(who.certifier).post(
        f"/staff/holders/{holder.pk}/", {"action": "merge", "into": "Nadie"}
    )
    assert answer.status_code == 422
    assert "No hay ninguno confirmado con ese nombre o identificador." in answer.content.decode()


def test_systems_of_one_name_become_one_and_the_measured_version_stays(who):
    known, holder = registry.holder("Antigua SpA"), proposed()
    mine = registry.version(known, name="Asistente", pinned="1.0")
    theirs = registry.version(holder, name="asistente", pinned="1.0")
    measured = registry.measurement(theirs, by=who.evaluator)
    identities.merge_holder(holder, into=known, by=who.certifier.person, at=clock.now())
    assert not SystemVersion.objects.filter(pk=mine.pk).exists()
    measured.refresh_from_db()
    assert measured.system_version.system == System.objects.get(holder=known, folded="asistente")


def test_two_measured_versions_are_never_merged(who):
    known, holder = registry.holder("Antigua SpA"), proposed()
    registry.measurement(registry.version(known, name="Asistente", pinned="1.0"), by=who.evaluator)
    registry.measurement(registry.version(holder, name="asistente", pinned="1.0"), by=who.evaluator)
    answer = desks.at_desk(who.certifier).post(
        f"/staff/holders/{holder.pk}/", {"action": "merge", "into": known.name}
    )
    assert answer.status_code == 422
    assert "una medición congelada no se traslada nunca" in answer.content.decode()
    assert Holder.objects.filter(pk=holder.pk).exists()


def test_a_system_waits_for_its_holder_and_is_then_confirmed(who):
    holder = proposed()
    system = registry.version(holder, name="Asistente", confirmation="proposed").system
    client = desks.at_desk(who.certifier)
    assert "Confirme primero a su titular:" in client.get(f"/staff/systems/{system.pk}/").content.decode()
    assert (
        client.post(f"/staff/systems/{system.pk}/", {"action": "confirm", "name": "Asistente"}).status_code
        == 422
    )
    client.post(f"/staff/holders/{holder.pk}/", facts())
    answer = client.post(f"/staff/systems/{system.pk}/", {"action": "confirm", "name": "Asistente"})
    assert answer["Location"] == f"/staff/systems/{system.pk}/"
    system.refresh_from_db()
    assert system.confirmation == "confirmed"


def test_a_system_is_merged_into_one_of_the_same_holder(who):
    holder = registry.holder("Antigua SpA")
    known = registry.version(holder, name="Asistente").system
    other = registry.version(holder, name="Asistente Plus", pinned="9.9", confirmation="proposed").system
    answer = desks.at_desk(who.certifier).post(
        f"/staff/systems/{other.pk}/", {"action": "merge", "into": "asistente"}
    )
    assert answer["Location"] == f"/staff/systems/{known.pk}/"
    assert set(known.versions.values_list("version", flat=True)) == {"4.2.1", "9.9"}


def test_evaluators_look_and_do_not_confirm(who):
    holder = proposed()
    client = desks.at_desk(who.evaluator)
    assert "Titulares y sistemas los confirma" in client.get(f"/staff/holders/{holder.pk}/").content.decode()
    assert client.post(f"/staff/holders/{holder.pk}/", facts()).status_code == 403
    holder.refresh_from_db()
    assert holder.confirmation == "proposed"


def test_the_writer_asks_who_confirms_whatever_the_door(who):
    proposal = registry.version(confirmation="proposed").system
    with pytest.raises(NotAllowed):
        identities.confirm_system(proposal, name=proposal.name, by=who.evaluator.person, at=clock.now())
    with pytest.raises(NotAllowed):
        identities.merge_system(proposal, into=proposal, by=who.appeals_officer.person, at=clock.now())
