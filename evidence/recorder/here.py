"""The recorder's addresses in this registry, from its settings."""

from functools import cache

from django.conf import settings

from evidence.recorder.addresses import Addresses

# The address of who has no name, in the embedded default: cookies ignore ports, so it must not be the registry's.
NAMELESS = "127.0.0.2"


@cache
def addresses() -> Addresses:
    """Under `*.localhost` plain HTTP on RUNS_PORT; under a public domain whatever a proxy in front publishes."""
    if settings.RUNS_ON_LOOPBACK:
        return Addresses.of(
            domain=settings.RUNS_DOMAIN, scheme="http", port=settings.RUNS_PORT, nameless=(NAMELESS,)
        )
    return Addresses.of(domain=settings.RUNS_DOMAIN, scheme=settings.RUNS_SCHEME, port=None)
