"""What the e-mails about a holder's accounts and its contact say: read from their rows when they are written."""

from zoneinfo import ZoneInfo

from django.conf import settings

from certificates import addresses
from evidence import contacts, memberships
from evidence.models import ContactChange, Holder
from registry_site import clock, outbox, wording
from registry_site.models import Outbox, Person

# Subjects hold fixed words only, because others than the reader see them. «own»: the person; else its holder.
_SUBJECTS = {
    (memberships.LINKED, True): (
        "Su cuenta quedó vinculada a un titular",
        "Your account has been linked to a holder",
    ),
    (memberships.LINKED, False): (
        "Se vinculó una cuenta a su organización",
        "An account has been linked to your organisation",
    ),
    (memberships.ENDED, True): (
        "Su cuenta ya no está vinculada a un titular",
        "Your account is no longer linked to a holder",
    ),
    (memberships.ENDED, False): (
        "Se desvinculó una cuenta de su organización",
        "An account is no longer linked to your organisation",
    ),
    contacts.ASKED: (
        "Se pidió cambiar el correo de contacto de un titular",
        "A change of a holder's contact e-mail was asked for",
    ),
    contacts.CANCELLED: (
        "Se canceló el cambio del correo de contacto de un titular",
        "The change of a holder's contact e-mail was cancelled",
    ),
    contacts.APPLIED: (
        "Cambió el correo de contacto de un titular",
        "A holder's contact e-mail has changed",
    ),
}
_MEMBERS = {
    (memberships.LINKED, True): (
        (
            "Con su cuenta puede ver desde ahora los certificados, paquetes de evidencia y decisiones de {holder}, y "
            "apelar en su nombre. Si no pertenece a {holder}, avise al registro."
        ),
        (
            "With your account you can now see the certificates, evidence packages and decisions of {holder}, and "
            "appeal in its name. If you do not belong to {holder}, tell the registry."
        ),
    ),
    (memberships.LINKED, False): (
        (
            "Desde ahora {person} puede ver con su cuenta los certificados, paquetes de evidencia y decisiones de "
            "{holder}, y apelar en su nombre. Si no corresponde, avise al registro."
        ),
        (
            "With an account of its own, {person} can now see the certificates, evidence packages and decisions of "
            "{holder}, and appeal in its name. If this is not right, tell the registry."
        ),
    ),
    (memberships.ENDED, True): (
        "Desde ahora su cuenta no ve lo que concierne a {holder} ni actúa en su nombre.",
        "From now on your account neither sees what concerns {holder} nor acts in its name.",
    ),
    (memberships.ENDED, False): (
        "Desde ahora {person} no ve lo que concierne a {holder} ni actúa en su nombre.",
        "From now on {person} neither sees what concerns {holder} nor acts in its name.",
    ),
}
_CONTACT = {
    (contacts.ASKED, "old"): (
        (
            "Se pidió que el registro escriba a {holder} a otra dirección: {new}. El cambio se aplica el {date}; hasta "
            "entonces todo llega a esta. Si no corresponde, cancélelo con el enlace siguiente. No hace falta tener "
            "cuenta."
        ),
        (
            "It was asked that the registry write to {holder} at another address: {new}. The change takes effect on "
            "{date}; until then everything comes to this one. If it is not right, cancel it with the following link. "
            "No account is needed."
        ),
    ),
    (contacts.ASKED, "account"): (
        (
            "Se pidió que el registro escriba a {holder} a otra dirección: {new}. El cambio se aplica el {date}. Hasta "
            "entonces puede cancelarlo en el espacio del titular."
        ),
        (
            "It was asked that the registry write to {holder} at another address: {new}. The change takes effect on "
            "{date}. Until then you can cancel it in the holder's area."
        ),
    ),
    (contacts.ASKED, "new"): (
        (
            "Se pidió que el registro escriba a {holder} a esta dirección. El cambio se aplica el {date}. Si no lo "
            "esperaba, avise al registro."
        ),
        (
            "It was asked that the registry write to {holder} at this address. The change takes effect on {date}. "
            "If you did not expect it, tell the registry."
        ),
    ),
    (contacts.CANCELLED, "old"): (
        "El cambio fue cancelado. El registro sigue escribiendo a {holder} a esta dirección.",
        "The change was cancelled. The registry goes on writing to {holder} at this address.",
    ),
    (contacts.CANCELLED, "account"): (
        "El cambio fue cancelado. El registro sigue escribiendo a {holder} a la dirección de antes.",
        "The change was cancelled. The registry goes on writing to {holder} at the address it had.",
    ),
    (contacts.CANCELLED, "new"): (
        "El cambio fue cancelado. El registro no escribirá a {holder} a esta dirección.",
        "The change was cancelled. The registry will not write to {holder} at this address.",
    ),
    (contacts.APPLIED, "old"): (
        "Desde ahora el registro escribe a {holder} a {new}, y no a esta dirección.",
        "From now on the registry writes to {holder} at {new}, and not at this address.",
    ),
    (contacts.APPLIED, "account"): (
        "Desde ahora el registro escribe a {holder} a {new}.",
        "From now on the registry writes to {holder} at {new}.",
    ),
    (contacts.APPLIED, "new"): (
        "Desde ahora el registro escribe a {holder} a esta dirección.",
        "From now on the registry writes to {holder} at this address.",
    ),
}
KINDS = frozenset(
    {memberships.LINKED, memberships.ENDED, contacts.ASKED, contacts.CANCELLED, contacts.APPLIED}
)


def compose(row: Outbox) -> outbox.Letter:
    """The letter of a row; only that of the old address carries the link to cancel a change."""
    return _of_contact(row) if "change" in row.data else _of_member(row)


def _of_member(row: Outbox) -> outbox.Letter:
    case = row.kind, row.data["own"]
    facts = {
        "subject": _in(row, _SUBJECTS[case]),
        "text": _in(row, _MEMBERS[case]).format(
            holder=Holder.objects.get(pk=row.data["holder"]).name,
            person=Person.objects.get(pk=row.data["person"]).name,
        ),
    }
    return outbox.Letter("holder", facts, row.data["path"])


def _of_contact(row: Outbox) -> outbox.Letter:
    change = ContactChange.objects.select_related("holder").get(pk=row.data["change"])
    reader, path = row.data["reader"], row.data["path"]
    if row.kind == contacts.ASKED and reader == "old":
        secret = contacts.link_to_cancel(change, at=clock.now(), letter=row)
        path = addresses.contact_link(secret, row.language) if secret else path
    zone = ZoneInfo(settings.REGISTRY_TIME_ZONE)
    facts = {
        "subject": _in(row, _SUBJECTS[row.kind]),
        "text": _in(row, _CONTACT[row.kind, reader]).format(
            holder=change.holder.name,
            new=change.new_email,
            date=wording.moment(change.effective_at.astimezone(zone), row.language),
        ),
    }
    return outbox.Letter("holder", facts, path)


def _in(row: Outbox, pair: tuple[str, str]) -> str:
    return pair[0] if row.language == "es" else pair[1]
