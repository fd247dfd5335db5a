"""What a package names is found again under any spelling of the same name, and proposed once."""

import threading

import pytest
from django.db import connection, transaction

from evidence import identities, proposals
from evidence.models import Holder, System, SystemVersion
from registry_site import clock


@transaction.atomic
def named(holder="Innova SpA", system="Asistente Normativo", version="2026.07.1", family="gpt"):
    return proposals.version_named(
        holder=holder, system=system, version=version, model_family=family, at=clock.now()
    )


def test_what_is_not_known_is_proposed(db):
    version = named()
    assert (version.version, version.model_family) == ("2026.07.1", "gpt")
    assert version.system.confirmation == "proposed"
    assert version.system.holder.confirmation == "proposed"
    assert version.system.holder.name == "Innova SpA"


@pytest.mark.parametrize("spelling", ["INNOVA SPA", " Innova   SpA ", "innova spa"])
def test_another_spelling_of_a_name_is_the_same_name(db, spelling):
    assert named(holder=spelling) == named()
    assert Holder.objects.count() == 1


def test_composed_and_decomposed_letters_are_the_same(db):
    assert named(system="Pregúntame") == named(system="Pregu\u0301ntame")


def test_a_version_is_compared_letter_by_letter(db):
    assert named(version="v1") != named(version="V1")
    assert System.objects.count() == 1


def test_of_two_holders_of_one_name_the_confirmed_one_is_meant(db):
    proposed = named().system.holder
    confirmed = Holder.objects.create(
        name="Innova SpA",
        folded=identities.folded("Innova SpA"),
        identifier_kind="tax_number",
        identifier="76.123.456-0",
        country="CL",
        confirmation="confirmed",
        created_at=clock.now(),
    )
    assert confirmed.pk > proposed.pk
    assert named(version="2").system.holder == confirmed


def test_the_longest_names_that_a_descriptor_may_hold_fit(db):
    # Under case folding «ΐ» becomes three characters.
    version = named(holder="ΐ" * 200, system="ß" * 200, version="v" * 200, family="f" * 200)
    version.refresh_from_db()
    assert len(version.version) == 200
    assert named(holder="ΐ" * 200, system="ß" * 200, version="v" * 200) == version


@pytest.mark.django_db(transaction=True)
def test_eight_packages_of_a_new_holder_at_once_propose_it_once():
    start, found = threading.Barrier(8), []

    def verify():
        start.wait(10)
        found.append(named().pk)
        connection.close()

    threads = [threading.Thread(target=verify) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(found) == 8
    assert (Holder.objects.count(), System.objects.count(), SystemVersion.objects.count()) == (1, 1, 1)
