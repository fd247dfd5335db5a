"""PUBLIC_URL, fixed at first start: signed and printed documents carry it for ever."""

from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import CommandError

from registry_site.models import PublishedDocument, SiteSetting

_LOOPBACK = {"localhost", "127.0.0.1", "::1"}


def same_address(stored: str, present: str) -> bool:
    """Whether `present` is the stored address; while the host is loopback another port is no change."""
    if stored == present:
        return True
    a, b = urlsplit(stored), urlsplit(present)
    return a.scheme == b.scheme and a.hostname in _LOOPBACK and b.hostname in _LOOPBACK


def fix() -> str:
    """Store PUBLIC_URL at the first start; refuse another one once documents were published.

    Returns one line that says which address holds. Runs as the owner: the application role cannot write it.
    """
    stored, made = SiteSetting.objects.get_or_create(
        name="public_url", defaults={"value": settings.PUBLIC_URL}
    )
    if made or stored.value == settings.PUBLIC_URL:
        return f"Public address: {stored.value}"
    if same_address(stored.value, settings.PUBLIC_URL):
        return f"Public address: {stored.value} (served now at {settings.PUBLIC_URL}; documents keep the stored one)"
    if PublishedDocument.objects.exists():
        raise CommandError(
            f"This registry was published at {stored.value} and PUBLIC_URL says {settings.PUBLIC_URL}. Documents "
            "that people hold name the stored address. Start it with the stored PUBLIC_URL and let the old address "
            "redirect, or begin a new registry with another DATA_DIR and database."
        )
    stored.value = settings.PUBLIC_URL
    stored.save()
    return f"Public address: {stored.value}"


def stored() -> str:
    """The address that documents carry."""
    row = SiteSetting.objects.filter(name="public_url").first()
    return row.value if row else settings.PUBLIC_URL
