"""Changes of the address that a holder's letters go to: asked for, told to the old address, cancelled or applied.

A changed contact takes effect after 72 hours (rule 6): whoever got hold of an account cannot turn the letters away
before those who read the old address have heard of it.
"""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from evidence import memberships
from evidence.models import ContactChange, ContactLink, Holder
from evidence.models.holder_account import CONTACT_WAITS
from evidence.models.system import Confirmation
from registry_site import audit, outbox, roles, signed_links, sweeping
from registry_site.models import Outbox, Person
from registry_site.problems import NotAllowed, Refusal

LANGUAGES = frozenset({"es", "en"})
ASKED = "contact.change_asked"
CANCELLED = "contact.change_cancelled"
APPLIED = "contact.changed"


class ContactRefused(Refusal):
    """The change cannot be asked for or cancelled now; `field` names what was written wrong."""

    code = "contact_refused"
    title = _("The contact cannot be changed in this way")


# ── who may ──────────────────────────────────────────────────────────────────


def refusal_to_change(person: Person | None, holder: Holder, *, at: datetime) -> Refusal | None:
    """Why `person` may not ask for another address of `holder`, or None: its own people, or a registrar."""
    if holder.confirmation != Confirmation.CONFIRMED:
        return ContactRefused(_("Confirm the holder first."), code="holder_is_proposed")
    if memberships.is_member(person, holder):
        return roles.refusal_after_recovery(person)
    if person is None or not roles.is_registrar(person):
        return NotAllowed(
            _("The holder's own people change its address, or a registrar on its behalf."),
            code="role_missing",
        )
    return roles.refusal_after_recovery(person) or memberships.refusal_to_member(person, holder, at=at)


def pending(holder: Holder) -> ContactChange | None:
    """The change that waits to take effect."""
    return (
        ContactChange.objects.filter(holder=holder, cancelled_at=None, applied_at=None)
        .select_related("holder", "asked_by")
        .first()
    )


# ── asking, cancelling, applying ─────────────────────────────────────────────


@transaction.atomic
def ask(holder: Holder, *, by: Person, at: datetime, email: str, language: str) -> ContactChange:
    """Ask for another address or language. The same change asked twice is one; another one waits for it."""
    # Locked first: two may ask at once.
    holder = Holder.objects.select_for_update().get(pk=holder.pk)
    if refusal := refusal_to_change(by, holder, at=at):
        raise refusal
    if language not in LANGUAGES:
        raise ContactRefused(_("Choose Spanish or English."), code="unknown_language", field="language")
    waiting = pending(holder)
    if waiting is not None:
        if (waiting.new_email, waiting.new_language, waiting.asked_by_id) == (email, language, by.pk):
            return waiting
        raise ContactRefused(
            _("Another change is waiting to take effect. Cancel it before you ask for a new one."),
            code="change_pending",
            field="email",
        )
    if (email, language) == (holder.contact_email, holder.contact_language):
        raise ContactRefused(
            _("That is the present address and language."), code="nothing_changes", field="email"
        )
    change = ContactChange.objects.create(
        holder=holder,
        old_email=holder.contact_email,
        old_language=holder.contact_language,
        new_email=email,
        new_language=language,
        asked_by=by,
        on_behalf=not memberships.is_member(by, holder),
        asked_at=at,
        effective_at=at + CONTACT_WAITS,
    )
    audit.record(
        ASKED, by=by, at=at, subject=f"holder:{holder.pk}", change=change.pk, on_behalf=change.on_behalf
    )
    _tell(ASKED, change, at=at)
    return change


@transaction.atomic
def cancel(change: ContactChange, *, by: Person, at: datetime) -> ContactChange:
    """Cancel a change that waits, by the holder's people or a registrar. A second press changes nothing."""
    change = _locked(change)
    if refusal := refusal_to_change(by, change.holder, at=at):
        raise refusal
    return _cancel(change, by=by, at=at)


@transaction.atomic
def cancel_by_link(link: ContactLink, *, at: datetime) -> ContactChange:
    """Cancel by the link that was sent to the old address: whoever reads it needs no account."""
    change = _locked(link.change)
    if change.cancelled_at is None:
        living_link(ContactLink.objects.select_for_update().get(pk=link.pk), at=at)
    return _cancel(change, by=None, at=at, by_link=True)


def apply_due(*, at: datetime) -> int:
    """Apply what has waited long enough; returns how many. Safe to run at any time, several at once.

    What was asked for by someone who speaks for the holder no longer is cancelled instead.
    """
    due = ContactChange.objects.filter(cancelled_at=None, applied_at=None, effective_at__lte=at).order_by(
        "pk"
    )
    return sweeping.each(due, lambda change: _apply(change, at=at))


@transaction.atomic
def _apply(change: ContactChange, *, at: datetime) -> bool:
    change = _locked(change)
    if change.cancelled_at is not None or change.applied_at is not None or at < change.effective_at:
        return False
    holder = change.holder
    if not _may_still_ask(change):
        _cancel(change, by=None, at=at)
        return False
    holder.contact_email, holder.contact_language = change.new_email, change.new_language
    holder.save(update_fields=["contact_email", "contact_language"])
    change.applied_at = at
    change.save(update_fields=["applied_at"])
    change.links.filter(used_at=None).update(used_at=at)
    audit.record(APPLIED, by=None, at=at, subject=f"holder:{holder.pk}", change=change.pk)
    _tell(APPLIED, change, at=at)
    return True


def _may_still_ask(change: ContactChange) -> bool:
    """Whether whoever asked still speaks for the holder, or keeps the registry, through an account that opens."""
    if change.on_behalf:
        return roles.is_registrar(change.asked_by)
    return memberships.accounts_of(change.holder).filter(person=change.asked_by_id).exists()


def _locked(change: ContactChange) -> ContactChange:
    """The change under its holder's lock, as it stands now."""
    holder = Holder.objects.select_for_update().get(pk=change.holder_id)
    change = ContactChange.objects.select_for_update().get(pk=change.pk)
    change.holder = holder
    return change


def _cancel(
    change: ContactChange, *, by: Person | None, at: datetime, by_link: bool = False
) -> ContactChange:
    if change.cancelled_at is not None:
        return change
    if change.applied_at is not None:
        raise ContactRefused(
            _("The change has taken effect already: ask for another one."), code="change_applied"
        )
    change.cancelled_by, change.cancelled_at = by, at
    change.save(update_fields=["cancelled_by", "cancelled_at"])
    change.links.filter(used_at=None).update(used_at=at)
    audit.record(
        CANCELLED, by=by, at=at, subject=f"holder:{change.holder_id}", change=change.pk, by_link=by_link
    )
    _tell(CANCELLED, change, at=at)
    return change


# ── the link of the old address ──────────────────────────────────────────────


def link_to_cancel(change: ContactChange, *, at: datetime, letter: Outbox | None = None) -> str | None:
    """A new secret to cancel `change` with; None when it no longer waits."""
    if change.cancelled_at is not None or change.applied_at is not None or at >= change.effective_at:
        return None
    return signed_links.make(ContactLink, change=change, at=at, expires_at=change.effective_at, letter=letter)


def find_link(secret: str, *, at: datetime) -> ContactLink:
    """The living link of a secret, or LinkRefused. Nothing is changed."""
    return signed_links.find(ContactLink.objects.select_related("change__holder"), secret, at=at)


living_link = signed_links.living


# ── e-mails ──────────────────────────────────────────────────────────────────


def _tell(kind: str, change: ContactChange, *, at: datetime) -> None:
    """The old address, the new one, and every account of the holder; rows hold numbers, the letters the texts."""
    accounts = memberships.accounts_of(change.holder).values_list("email", "language")
    told = {email: (language, "account") for email, language in accounts}
    told[change.new_email] = (change.new_language, "new")
    if change.old_email:
        told[change.old_email] = (change.old_language, "old")
    for address, (language, reader) in sorted(told.items()):
        outbox.queue(
            kind,
            to=address,
            language=language,
            at=at,
            concerns=f"holder:{change.holder_id}",
            path="/holder/" if reader == "account" else f"/{language}/",
            lifetime=CONTACT_WAITS,
            change=change.pk,
            reader=reader,
        )
