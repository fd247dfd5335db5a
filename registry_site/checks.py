"""What `manage.py check --deploy` adds to Django's own: nothing made for tests or demonstration goes public."""

from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks
from django.db import DatabaseError


@checks.register(checks.Tags.security, deploy=True)
def clock_stands(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    if not settings.CLOCK_MAY_MOVE:
        return []
    return [
        checks.Error(
            "CLOCK_MAY_MOVE is set: events could be dated by hand.",
            hint="Unset it. It is for tests and rehearsals, on databases of their own.",
            id="registry.E001",
        )
    ]


@checks.register(checks.Tags.security, deploy=True)
def public_address_is_https(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    if settings.PUBLIC_URL.startswith("https://"):
        return []
    return [
        checks.Error(
            f"PUBLIC_URL is {settings.PUBLIC_URL}: documents would carry an address without encryption.",
            hint="Set PUBLIC_URL=https://your.host before the first start.",
            id="registry.E002",
        )
    ]


@checks.register(checks.Tags.security, deploy=True)
def runs_have_a_domain_of_their_own(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    """Not below the registry's name, nor beside it under a name that both share: cookies would be sent along."""
    if settings.RUNS_ON_LOOPBACK:  # no agent comes from elsewhere
        return []
    if _registrable(settings.RUNS_DOMAIN) != _registrable(urlsplit(settings.PUBLIC_URL).hostname or ""):
        return []
    return [
        checks.Error(
            f"RUNS_DOMAIN ({settings.RUNS_DOMAIN}) and PUBLIC_URL ({settings.PUBLIC_URL}) share a domain: what agents "
            "visit could set cookies for the registry.",
            hint="Register another domain for the runs.",
            id="registry.E004",
        )
    ]


@checks.register(checks.Tags.security, deploy=True)
def runs_reach_public_sites_alone(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    if not settings.RUNS_PRIVATE_UPSTREAMS:
        return []
    return [
        checks.Error(
            "RUNS_PRIVATE_UPSTREAMS is set: agents could be led to machines of this network.",
            hint="Unset it. It is for development and tests.",
            id="registry.E005",
        )
    ]


# Below a country's domain these are nobody's own: registro.gob.cl and ejecuciones.gob.cl share nothing.
_SECOND_LEVEL = frozenset({"ac", "co", "com", "edu", "gob", "gov", "gouv", "mil", "net", "nom", "or", "org"})


def _registrable(host: str) -> str:
    """The part of a host name that somebody registered, as well as it can be told without the list of all suffixes."""
    labels = host.lower().rstrip(".").split(".")
    is_of_country = len(labels) > 2 and len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVEL
    return ".".join(labels[-3 if is_of_country else -2 :])


@checks.register(checks.Tags.security, checks.Tags.database, deploy=True)
def no_demo_accounts(app_configs: Any, **kwargs: Any) -> list[checks.CheckMessage]:
    from registry_site.models import User

    try:
        count = User.objects.filter(is_demo=True).count()
    except DatabaseError:
        return [
            checks.Warning(
                "The database did not answer, so demonstration accounts could not be looked for.",
                hint="Run the check where the database can be reached.",
                id="registry.W001",
            )
        ]
    if not count:
        return []
    return [
        checks.Error(
            f"{count} demonstration accounts exist.",
            hint="Begin the public registry with a database of its own, without seed_demo.",
            id="registry.E003",
        )
    ]
