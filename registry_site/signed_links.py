"""Signed links: 256 bits, one purpose, one object; only the hash is kept; dead on use and at the deadline."""

import hashlib
import secrets
from datetime import datetime
from http import HTTPStatus
from typing import TypeVar

from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from registry_site import outbox
from registry_site.models import Outbox, SignedLink
from registry_site.problems import Refusal

SECRET_BYTES = 32

Link = TypeVar("Link", bound=SignedLink)


class LinkRefused(Refusal):
    """A signed link that is used up, past its deadline, or none of ours."""

    code = "link_unknown"
    status = HTTPStatus.GONE
    title = _("This link cannot be used")


def unknown(refused: type[LinkRefused] = LinkRefused) -> LinkRefused:
    """No link has this secret."""
    return refused(
        _("This link is not one of ours, or not whole. Copy it from the e-mail in one piece."),
        status=HTTPStatus.NOT_FOUND,
    )


def make(
    table: type[SignedLink],
    *,
    at: datetime,
    expires_at: datetime,
    letter: Outbox | None = None,
    **about: object,
) -> str:
    """A new secret; `about` is what else the row says: its purpose and its object.

    `letter` is the e-mail that carries it: the link of an earlier copy of the same e-mail ends now.
    """
    secret, sha256 = new_secret()
    links = table._default_manager
    links.create(sha256=sha256, created_at=at, expires_at=expires_at, **about)
    if letter is not None and (earlier := outbox.replace_link(letter, sha256)):
        links.filter(sha256=earlier, used_at=None, expires_at__gt=at).update(expires_at=at)
    return secret


def known(links: QuerySet[Link], secret: str) -> Link | None:
    """The link of a secret among `links`, living or not."""
    return links.filter(sha256=digest(secret)).first()


def find(links: QuerySet[Link], secret: str, *, at: datetime) -> Link:
    """The living link of a secret among `links`, or `LinkRefused`. Nothing is changed."""
    link = known(links, secret)
    if link is None:
        raise unknown()
    return living(link, at=at)


def living(link: Link, *, at: datetime) -> Link:
    """The link itself, or why it cannot be used any more."""
    if link.used_at is not None:
        raise LinkRefused(_("This link has been used: it serves once."), code="link_used")
    if at >= link.expires_at:
        raise LinkRefused(
            _("This link is past its deadline, or a later e-mail has taken its place."), code="link_expired"
        )
    return link


def use_up(links: QuerySet[SignedLink], *, at: datetime) -> None:
    """Every link to the same act dies with it, also a second copy of the same e-mail."""
    links.filter(used_at=None).update(used_at=at)


def new_secret() -> tuple[str, str]:
    """256 bits that fit into an address, and the hash that is kept of them."""
    secret = secrets.token_urlsafe(SECRET_BYTES)
    return secret, digest(secret)


def digest(secret: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()
