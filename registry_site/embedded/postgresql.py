"""The embedded PostgreSQL: made once, started on a socket only, with an owner that is not a superuser."""

import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from urllib.parse import quote

from .errors import CannotStart
from .places import Binaries, Places, Secrets, write_private
from .processes import Child, Processes, last_lines, roll_over

OWNER = "fehaciente"
DATABASE = "fehaciente"
SUPERUSER = "postgres"
# A postmaster that was just killed may need this long to let go of its data folder.
LOCK_PATIENCE = 15.0
START_PATIENCE = 120.0


def url(sockets: Path, *, role: str, password: str, database: str = DATABASE) -> str:
    """An address over the socket that libpq and Django both read: the folder is the parameter `host`."""
    return f"postgresql://{quote(role)}:{quote(password, safe='')}@/{database}?host={quote(str(sockets))}"


def make_cluster(
    places: Places, binaries: Binaries, secrets: Secrets, *, processes: Processes, durable: bool, say
) -> None:
    """initdb beside the final place, then a rename: an interrupted first start leaves no half cluster."""
    if (places.cluster / "PG_VERSION").exists():
        _refuse_other_major(places, binaries)
        return
    say("Making the database cluster …")
    unfinished = places.cluster.with_name("postgresql.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(mode=0o700)
    places.hand_over(unfinished)
    password_file = places.home / "initdb-password"
    write_private(password_file, secrets.superuser)
    places.hand_over(password_file)
    log = roll_over(places.logs / "initdb.log")
    try:
        child = processes.start(
            "initdb",
            [
                binaries.postgresql / "bin" / "initdb",
                f"--pgdata={unfinished}",
                f"--username={SUPERUSER}",
                f"--pwfile={password_file}",
                "--auth-local=scram-sha-256",
                "--auth-host=reject",
                "--encoding=UTF8",
                "--locale=C",
                "--locale-provider=builtin",
                "--builtin-locale=C.UTF-8",
                "--no-instructions",
                *([] if durable else ["--no-sync"]),
            ],
            environment=_clean_environment(),
            log=log,
            **places.as_servant(),
        )
        if processes.wait_for(child) != 0:
            raise CannotStart(f"PostgreSQL could not make its data folder:\n{last_lines(log)}")
    finally:
        password_file.unlink(missing_ok=True)
    unfinished.rename(places.cluster)


def _refuse_other_major(places: Places, binaries: Binaries) -> None:
    kept = (places.cluster / "PG_VERSION").read_text().strip()
    answer = subprocess.run(
        [binaries.postgresql / "bin" / "postgres", "--version"],
        capture_output=True,
        text=True,
        cwd="/",
        check=True,
        **places.as_servant(),
    )
    found = re.search(r"(\d+)", answer.stdout.removeprefix("postgres (PostgreSQL)"))
    if found is None or found.group(1) != kept:
        raise CannotStart(
            f"{places.cluster} was written by PostgreSQL {kept}, and the installed one is "
            f"{answer.stdout.strip()}. With PostgreSQL {kept} started on it: pg_dump --format=custom "
            f"--no-owner --file=registry.dump {DATABASE}. Then move the folder away, start anew, and: "
            f"pg_restore --clean --if-exists --no-owner --role={OWNER} --dbname={DATABASE} registry.dump"
        )


def start(
    places: Places,
    binaries: Binaries,
    secrets: Secrets,
    sockets: Path,
    *,
    processes: Processes,
    durable: bool,
    say,
) -> Child:
    """Start the server and wait until it lets somebody in; waits for the lock of one that was just killed."""
    log = roll_over(places.logs / "postgresql.log")
    give_up_lock = time.monotonic() + LOCK_PATIENCE
    while True:
        before = log.stat().st_size if log.exists() else 0
        child = launch(places, binaries, sockets, processes=processes, durable=durable)
        if _wait_until_open(child, sockets, secrets, processes=processes, say=say):
            return child
        processes.forget(child)
        with open(log, "rb") as text:
            text.seek(before)
            said = text.read().decode(errors="replace")
        # The messages are English: initdb ran with locale C.
        still_held = "lock file" in said or "still in use" in said
        if not still_held or time.monotonic() > give_up_lock:
            raise CannotStart(
                f"PostgreSQL did not start ({child.how_it_ended()}); {log} says:\n{last_lines(log)}"
            )
        processes.pause(0.3)


def launch(
    places: Places, binaries: Binaries, sockets: Path, *, processes: Processes, durable: bool
) -> Child:
    """Start the server without waiting."""
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": str(sockets),
        "unix_socket_permissions": "0700",
        "max_connections": "100",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "log_line_prefix": "%m [%p] %q%u@%d ",
        "log_checkpoints": "off",
    }
    if not durable:
        settings |= {"fsync": "off", "full_page_writes": "off", "autovacuum_naptime": "10min"}
    command = [binaries.postgresql / "bin" / "postgres", "-D", places.cluster]
    for name, value in settings.items():
        command += ["-c", f"{name}={value}"]
    return processes.start(
        "PostgreSQL",
        command,
        environment=_clean_environment(),
        log=places.logs / "postgresql.log",
        # PostgreSQL's «fast» shutdown: sessions end, all is written, nothing to recover at the next start.
        gentle=signal.SIGINT,
        impatient=signal.SIGQUIT,
        **places.as_servant(),
    )


def _wait_until_open(child: Child, sockets: Path, secrets: Secrets, *, processes: Processes, say) -> bool:
    import psycopg

    started = time.monotonic()
    told = False
    socket = sockets / ".s.PGSQL.5432"
    while child.is_running():
        if socket.exists():
            try:
                psycopg.connect(**_superuser(sockets, secrets)).close()
                return True
            except psycopg.OperationalError as refusal:
                if "password authentication failed" in str(refusal):
                    raise CannotStart(
                        f"PostgreSQL does not know the password of this data folder's secrets.json: {refusal}"
                    ) from None
        waited = time.monotonic() - started
        if waited > 4 and not told:
            say("PostgreSQL is putting its data in order after an interruption …")
            told = True
        if waited > START_PATIENCE:
            raise CannotStart(
                f"PostgreSQL has not opened after {waited:.0f} s; see {child.name} in the logs folder."
            )
        processes.pause(0.03)
    return False


def make_owner(sockets: Path, secrets: Secrets) -> None:
    """The owner's role and its database; the superuser is used for nothing else."""
    import psycopg
    from psycopg import sql

    with psycopg.connect(**_superuser(sockets, secrets), autocommit=True) as connection:
        known = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [OWNER]).fetchone()
        if not known:
            connection.execute(
                sql.SQL("CREATE ROLE {} LOGIN CREATEDB CREATEROLE PASSWORD {}").format(
                    sql.Identifier(OWNER), sql.Literal(secrets.owner)
                )
            )
        if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
            connection.execute(
                sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(DATABASE), sql.Identifier(OWNER))
            )


def _superuser(sockets: Path, secrets: Secrets) -> dict[str, object]:
    return {
        "host": str(sockets),
        "user": SUPERUSER,
        "dbname": "postgres",
        "password": secrets.superuser,
        "connect_timeout": 5,
    }


def _clean_environment() -> dict[str, str]:
    """Nothing of the caller's reaches the server: no PG* variable, no secret, one language of messages."""
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}
