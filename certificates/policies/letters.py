"""Who may read which e-mails of the outbox."""

from collections.abc import Iterable

from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from certificates.policies import persons
from registry_site.models import Outbox, User
from registry_site.problems import Refusal
from registry_site.roles import Role

# What only the registrar sees of the outbox, by the first word of its kind: what tells of people, and what tells
# whoever appealed or complained. Those who decide learn an address on the page of the case, where the rules of
# impartiality are asked; a registrar decides nothing (rule 5). Certifiers see the rest.
_LETTERS_FOR_THE_REGISTRAR = (
    "account",
    "appeal",
    "contact",
    "holder",
    "invitation",
    "recovery",
    "report",
    "role",
)


_READERS_OF_LETTERS = (Role.REGISTRAR, Role.CERTIFIER)


def refusal_to_read_letters(user: User) -> Refusal | None:
    """Why `user` may not look into the outbox at all, or None."""
    return persons.refusal_without_role(
        user, _READERS_OF_LETTERS, _("E-mails are seen by the registrar and by certifiers.")
    )


def refusal_to_read_letter(user: User, row: Outbox) -> Refusal | None:
    """Why `user` may not read this e-mail, nor act on it, or None."""
    reserved = row.kind.partition(".")[0] in _LETTERS_FOR_THE_REGISTRAR
    readers = (Role.REGISTRAR,) if reserved else _READERS_OF_LETTERS
    return persons.refusal_without_role(user, readers, _("This e-mail is for the registrar alone."))


def letters_for(held: Iterable[Role]) -> Q:
    """The e-mails that whoever holds these roles may read, as a condition on the outbox."""
    held = frozenset(held)
    if Role.REGISTRAR in held:
        return Q()
    if not held & set(_READERS_OF_LETTERS):
        return Q(pk__in=[])
    reserved = Q()
    for word in _LETTERS_FOR_THE_REGISTRAR:
        reserved |= Q(kind__startswith=f"{word}.")
    return ~reserved
