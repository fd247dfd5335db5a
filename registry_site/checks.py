"""What `manage.py check --deploy` adds to Django's own: nothing made for tests or demonstration goes public."""

from typing import Any

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
