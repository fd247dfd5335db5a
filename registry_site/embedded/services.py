"""PostgreSQL and Valkey of one data folder, or the ones that DATABASE_URL and REDIS_URL name."""

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from . import places as places_of
from . import postgresql, valkey
from .places import Places
from .processes import Child, Processes

DATABASE_VARIABLES = ("DATABASE_URL", "DATABASE_APP_URL", "DATABASE_READER_URL")


@dataclass
class Services:
    """The services that are up, and how to launch an embedded one again.

    `database_url` is the owner's; empty when only DATABASE_APP_URL is given. `database` and `broker` are the
    embedded servers' processes, None where the machine names its own.
    """

    database_url: str
    redis_url: str
    sockets: Path | None = None
    database: Child | None = None
    broker: Child | None = None
    relaunch: dict[str, Callable[[], Child]] = field(default_factory=dict)


def given_database(variables: Mapping[str, str]) -> bool:
    """Whether the machine names a database of its own; then no embedded one starts."""
    return any(variables.get(name) for name in DATABASE_VARIABLES)


def start(
    places: Places, *, processes: Processes, durable: bool = True, say: Callable[[str], None]
) -> Services:
    """Start what the environment does not name. Not `durable`: for data that is thrown away."""
    services = Services(
        database_url=os.environ.get("DATABASE_URL", ""), redis_url=os.environ.get("REDIS_URL", "")
    )
    wants_database = not given_database(os.environ)
    wants_broker = not services.redis_url
    if not wants_database and not wants_broker:
        return services
    places_of.make_home(places)
    secrets = places_of.secrets_of(places, say=say)
    binaries = places_of.binaries(places)
    services.sockets = sockets = places_of.make_sockets(places)
    processes.remove_at_the_end(sockets)
    if wants_database:
        postgresql.make_cluster(places, binaries, secrets, processes=processes, durable=durable, say=say)
        services.database = postgresql.start(
            places, binaries, secrets, sockets, processes=processes, durable=durable, say=say
        )
        postgresql.make_owner(sockets, secrets)
        services.database_url = postgresql.url(sockets, role=postgresql.OWNER, password=secrets.owner)
        services.relaunch["PostgreSQL"] = lambda: postgresql.launch(
            places, binaries, sockets, processes=processes, durable=durable
        )
    if wants_broker:
        services.broker = valkey.start(places, binaries, sockets, processes=processes, durable=durable)
        services.redis_url = valkey.url(sockets)
        services.relaunch["Valkey"] = lambda: valkey.launch(
            places, binaries, sockets, processes=processes, durable=durable
        )
    return services


def throw_away(places: Places) -> None:
    """Remove a data folder and the cluster that belongs to it."""
    shutil.rmtree(places.data, ignore_errors=True)
    if places.servant:
        shutil.rmtree(places.home, ignore_errors=True)
