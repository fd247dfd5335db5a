"""Who a proposed holder or system is: staff confirm it with a checked identifier, or merge it."""

import re
import unicodedata
from datetime import datetime

import stdnum.exceptions
from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _
from stdnum import get_cc_module, lei

from evidence import memberships
from evidence.models import EvidencePackage, Holder, System, SystemVersion
from evidence.models.system import Confirmation, IdentifierKind
from evidence.typed_json import is_unsafe_name
from registry_site import audit, roles
from registry_site.models import Person
from registry_site.problems import NotAllowed, Refusal
from registry_site.roles import Role

_DOMAIN = re.compile(r"(?=.{4,60}\Z)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]\Z")
_COUNTRY = re.compile(r"[A-Z]{2}\Z")


# Who has seen the document confirms: whoever hands evidence in names the holder, and so does not.
CONFIRMING_ROLES = frozenset({Role.CERTIFIER, Role.REGISTRAR})


class BadIdentity(Refusal):
    """A name or identifier that cannot stand; `field` says which one."""

    code = "bad_identity"
    status = 422
    title = _("The name or identifier cannot be accepted")

    def __init__(self, field: str, detail):
        super().__init__(detail, field=field)
        self.field = field


class CannotMerge(Refusal):
    code = "cannot_merge"
    title = _("The two cannot be merged")


def refusal_to_confirm(person: Person) -> NotAllowed | None:
    """Why `person` may not confirm or merge holders and systems, or None."""
    if person.role_grants.filter(role__in=CONFIRMING_ROLES, ended_at=None).exists():
        return roles.refusal_after_recovery(person)
    return NotAllowed(_("A certifier or a registrar confirms holders and systems."), code="role_needed")


def _require_role(person: Person) -> None:
    if refusal := refusal_to_confirm(person):
        raise refusal


def _require_no_part(person: Person, holder: Holder, *, at: datetime) -> None:
    """Rule 3: a person of the holder has no staff right on it."""
    if refusal := memberships.refusal_to_member(person, holder, at=at):
        raise refusal


def folded(name: str) -> str:
    """What names are compared by: NFC and case folding, runs of white space as one space."""
    return unicodedata.normalize("NFC", " ".join(name.split())).casefold()


def _scripts(name: str) -> set[str]:
    """The scripts of a name's letters, by the first word of their Unicode names (LATIN, …)."""
    return {unicodedata.name(c, "?").split(" ")[0] for c in name if c.isalpha()}


def checked_name(name: str) -> str:
    """The name in NFC. BadIdentity: control or bidirectional characters, letters of more than one script."""
    name = unicodedata.normalize("NFC", " ".join(name.split()))
    if not name:
        raise BadIdentity("name", _("Write the name."))
    if is_unsafe_name(name):
        raise BadIdentity(
            "name", _("The name holds control characters or marks that turn the direction of writing.")
        )
    if len(_scripts(name)) > 1:
        # «Аcme» with a Cyrillic letter looks like another holder's name.
        raise BadIdentity(
            "name", _("The name mixes letters of different scripts, which may pass for another name.")
        )
    return name


def checked_identifier(kind: str, identifier: str, *, country: str) -> str:
    """The identifier in its compact form, or BadIdentity when its check digits or form are wrong."""
    if not _COUNTRY.match(country):
        raise BadIdentity("country", _("Write the two letters of the country, for example CL."))
    identifier = identifier.strip()
    if kind == IdentifierKind.DOMAIN:
        domain = identifier.lower().removeprefix("https://").removeprefix("http://").strip("/")
        if not _DOMAIN.match(domain):
            raise BadIdentity(
                "identifier", _("Write a domain such as example.cl, without an address behind it.")
            )
        return domain
    module = lei if kind == IdentifierKind.LEI else get_cc_module(country.lower(), "vat")
    if module is None:
        # A country whose tax numbers we cannot check: kept as written, compared with the document by eye.
        if not 3 <= len(identifier) <= 60 or not identifier.isprintable():
            raise BadIdentity("identifier", _("Write the tax number as it stands in the holder's document."))
        return identifier
    try:
        return module.validate(identifier)
    except stdnum.exceptions.ValidationError as error:
        raise BadIdentity(
            "identifier", _("That number has a typing error: its length or check digits are not right.")
        ) from error


@transaction.atomic
def confirm_holder(
    holder: Holder,
    *,
    name: str,
    identifier_kind: str,
    identifier: str,
    country: str,
    contact_email: str = "",
    by: Person,
    at: datetime,
) -> Holder:
    """Confirm a proposed holder with its checked identifier.

    Raises BadIdentity, or CannotMerge with `known` (an id) when another holder has it: they are one.
    """
    _require_role(by)
    holder = Holder.objects.select_for_update().get(pk=holder.pk)
    if holder.confirmation == Confirmation.CONFIRMED:
        raise CannotMerge(_("This holder is confirmed already."), code="already_confirmed")
    name = checked_name(name)
    identifier = checked_identifier(identifier_kind, identifier, country=country)
    known = Holder.objects.filter(
        country=country, identifier_kind=identifier_kind, identifier=identifier
    ).first()
    if known is not None:
        raise _same_identifier(known)
    holder.name, holder.folded = name, folded(name)
    holder.identifier_kind, holder.identifier, holder.country = identifier_kind, identifier, country
    holder.contact_email = contact_email or holder.contact_email
    holder.confirmation = Confirmation.CONFIRMED
    try:
        with transaction.atomic():
            holder.save()
    except IntegrityError as error:  # confirmed elsewhere in the same moment
        raise CannotMerge(_("Another holder has just been confirmed with that identifier.")) from error
    audit.record(
        "holder.confirmed",
        by=by,
        at=at,
        subject=f"holder:{holder.pk}",
        identifier_kind=identifier_kind,
        country=country,
    )
    return holder


def _same_identifier(known: Holder) -> CannotMerge:
    return CannotMerge(
        _("%(name)s is already known with that identifier. Merge this holder into it.")
        % {"name": known.name},
        code="identifier_is_known",
        known=known.pk,
    )


@transaction.atomic
def merge_holder(holder: Holder, *, into: Holder, by: Person, at: datetime) -> Holder:
    """Move a proposed holder's systems to the known one and drop the proposal; of one name they become one.

    Raises CannotMerge when both have the same version with measurements: frozen measurements are never moved.
    """
    _require_role(by)
    locked = {
        h.pk: h for h in Holder.objects.select_for_update().filter(pk__in=[holder.pk, into.pk]).order_by("pk")
    }
    if len(locked) != 2:
        raise CannotMerge(_("Choose another holder: nothing is merged into itself."))
    holder, into = locked[holder.pk], locked[into.pk]
    _require_no_part(by, into, at=at)
    if holder.confirmation == Confirmation.CONFIRMED:
        raise CannotMerge(_("This holder is confirmed already."), code="already_confirmed")
    for system in holder.systems.select_for_update().order_by("pk"):
        twin = into.systems.filter(folded=system.folded).first()
        if twin is not None:
            _merge_versions(system, twin)
            system.delete()
        else:
            system.holder = into
            system.save(update_fields=["holder"])
    holder.interests.update(holder=into)
    proposal = holder.pk
    holder.delete()
    audit.record("holder.merged", by=by, at=at, subject=f"holder:{into.pk}", proposal=proposal)
    return into


@transaction.atomic
def confirm_system(system: System, *, name: str, by: Person, at: datetime) -> System:
    """Confirm a proposed system of a confirmed holder. Raises BadIdentity or CannotMerge."""
    _require_role(by)
    system = (
        System.objects.select_for_update(of=("self", "holder")).select_related("holder").get(pk=system.pk)
    )
    _require_no_part(by, system.holder, at=at)
    if system.confirmation == Confirmation.CONFIRMED:
        raise CannotMerge(_("This system is confirmed already."), code="already_confirmed")
    if system.holder.confirmation != Confirmation.CONFIRMED:
        raise CannotMerge(_("Confirm its holder first."), code="holder_is_proposed")
    name = checked_name(name)
    if system.holder.systems.filter(folded=folded(name)).exclude(pk=system.pk).exists():
        raise CannotMerge(_("Its holder has a system of that name. Merge this one into it."))
    system.name, system.folded, system.confirmation = name, folded(name), Confirmation.CONFIRMED
    system.save()
    audit.record("system.confirmed", by=by, at=at, subject=f"system:{system.pk}")
    return system


@transaction.atomic
def merge_system(system: System, *, into: System, by: Person, at: datetime) -> System:
    """Move a proposed system's versions to a known system of the same holder. Raises CannotMerge."""
    _require_role(by)
    locked = {
        s.pk: s for s in System.objects.select_for_update().filter(pk__in=[system.pk, into.pk]).order_by("pk")
    }
    if len(locked) != 2:
        raise CannotMerge(_("Choose another system: nothing is merged into itself."))
    system, into = locked[system.pk], locked[into.pk]
    _require_no_part(by, into.holder, at=at)
    if system.holder_id != into.holder_id:
        raise CannotMerge(_("Both must be of the same holder: merge the holder first."))
    if system.confirmation == Confirmation.CONFIRMED:
        raise CannotMerge(_("This system is confirmed already."), code="already_confirmed")
    _merge_versions(system, into)
    proposal = system.pk
    system.delete()
    audit.record("system.merged", by=by, at=at, subject=f"system:{into.pk}", proposal=proposal)
    return into


def _merge_versions(source: System, target: System) -> None:
    """All versions of `source` become versions of `target`. Of two rows of one version the measured stays."""
    for version in source.versions.order_by("pk"):
        twin = target.versions.filter(version=version.version).first()
        if twin is None:
            version.system = target
            version.save(update_fields=["system"])
            continue
        kept, dropped = (twin, version) if not version.measurements.exists() else (version, twin)
        if dropped.measurements.exists():
            raise CannotMerge(
                _("Both have measurements of version %(version)s, and a frozen measurement is never moved.")
                % {"version": version.version},
                code="both_are_measured",
            )
        _replace_version(dropped, kept)
        if kept.system_id != target.pk:
            kept.system = target
            kept.save(update_fields=["system"])


def _replace_version(dropped: SystemVersion, kept: SystemVersion) -> None:
    EvidencePackage.objects.filter(system_version=dropped).update(system_version=kept)
    dropped.delete()
