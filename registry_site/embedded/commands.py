"""What script/server, manage, test, bench and rehearse do: services up, the work, services down."""

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from registry_site import catalogues

from . import claim as claims
from . import environment, preparation, services
from . import places as places_of
from .errors import CannotStart, Stopped
from .places import ROOT, Places
from .processes import STOP_SIGNALS, Child, Processes
from .services import Services

DEFAULT_PORT = 8000


def main(arguments: list[str]) -> int:
    """Run one of the scripts' commands; the exit status."""
    table = {"server": server, "manage": manage, "test": test, "bench": bench, "rehearse": rehearse}
    try:
        return table[arguments[0]](arguments[1:])
    except CannotStart as reason:
        say(str(reason))
        return 1
    except Stopped as stopped:
        return 128 + stopped.signal_number
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def say(line: str) -> None:
    """To standard error: standard output belongs to the command that is run."""
    print(line, file=sys.stderr, flush=True)


def data_folder() -> Path:
    return Path(os.environ.get("DATA_DIR") or ROOT / "data").absolute()


def port() -> int:
    text = os.environ.get("PORT") or str(DEFAULT_PORT)
    if not text.isdecimal() or not 0 < int(text) < 65535:
        raise CannotStart(f"PORT must be a number from 1 to 65534, found {text!r}.")
    return int(text)


# ── server ───────────────────────────────────────────────────────────────────
def server(arguments: list[str]) -> int:
    """The whole registry until it is told to stop."""
    if arguments:
        say("Usage: script/server   (DATA_DIR, PORT, DATABASE_URL, REDIS_URL, …: docs/operations.md)")
        return 0 if arguments[0] in ("-h", "--help") else 2
    from . import server as serving

    return serving.serve(data=data_folder(), port=port())


# ── manage ───────────────────────────────────────────────────────────────────
def manage(arguments: list[str]) -> int:
    """manage.py ARGUMENTS on the services of a running server of this data folder, or on its own."""
    told = environment.base(data=data_folder(), port=port())
    if environment.is_offline(arguments):
        _become(arguments, told)
    places = places_of.of(data_folder())
    given = Services(os.environ.get("DATABASE_URL", ""), os.environ.get("REDIS_URL", ""))
    if services.given_database(os.environ) and given.redis_url:
        _become(arguments, _told_for(arguments, told, places, given))
    claim = claims.Claim(places)
    waiting = False
    while not claim.take():
        owner = claim.owner()
        if owner and owner.redis_url:
            claim.borrow()
            # Looked at again under the lock: an owner that is about to stop takes its notice away first.
            if claim.owner() == owner:
                borrowed = Services(
                    given.database_url or owner.database_url, given.redis_url or owner.redis_url
                )
                _become(arguments, _told_for(arguments, told, places, borrowed))
            claim.return_what_was_borrowed()
        if owner and not waiting:
            say(f"Waiting for {owner.kind} (process {owner.pid}) on {places.data} …")
            waiting = True
        time.sleep(0.1)
    claim.announce(_notice("script/manage", Services("", "")))

    def work(processes: Processes, up: Services) -> int:
        return _manage_alone(arguments, told, places, claim, processes, up)

    return _with_services(places, claim, work=work)


def _manage_alone(
    arguments: list[str],
    told: dict[str, str],
    places: Places,
    claim: claims.Claim,
    processes: Processes,
    up: Services,
) -> int:
    # A database of the machine's own is never changed unasked: there, `prepare` is a person's step.
    if up.database and arguments[0] != "prepare" and preparation.is_due(places):
        owner = environment.as_owner(told, database_url=up.database_url, redis_url=up.redis_url)
        status = preparation.run(places, processes=processes, environment=owner)
        if status != 0:
            return status
    claim.announce(_notice("script/manage", up))
    child = processes.start(
        arguments[0],
        _command(arguments),
        environment=_told_for(arguments, told, places, up),
        cwd=os.getcwd(),
        foreground=True,
    )
    status = follow(child, processes)
    if arguments == ["prepare"] and status == 0:
        preparation.remember(places)
    claim.withdraw()
    while claim.is_borrowed():
        processes.pause(0.1)
    return status


def _command(arguments: list[str]) -> list[str]:
    return [sys.executable, str(ROOT / "manage.py"), *arguments]


def _become(arguments: list[str], told: dict[str, str]) -> None:
    """Go on as manage.py: same process, so signals, terminal and exit status are the command's own."""
    os.execve(sys.executable, _command(arguments), told)  # noqa: S606  (no shell is wanted)


def _told_for(arguments: list[str], told: dict[str, str], places: Places, up: Services) -> dict[str, str]:
    if arguments[0] in environment.OWNER_COMMANDS:
        return environment.as_owner(told, database_url=up.database_url, redis_url=up.redis_url)
    return environment.as_application(
        told, data=places.data, database_url=up.database_url, redis_url=up.redis_url
    )


# ── test, bench, rehearse ────────────────────────────────────────────────────
def test(arguments: list[str]) -> int:
    """pytest ARGUMENTS on a throw-away data folder."""
    return _thrown_away("script/test", [sys.executable, "-m", "pytest", *arguments])


def bench(arguments: list[str]) -> int:
    """The benchmarks of bench/ on a throw-away data folder."""
    if not (ROOT / "bench" / "__main__.py").exists():
        raise CannotStart("There is no benchmark yet: bench/__main__.py is missing.")
    # Durable as in earnest: a decision's cost is mostly waiting for the disk.
    return _thrown_away("script/bench", [sys.executable, "-m", "bench", *arguments], durable=True)


def rehearse(arguments: list[str]) -> int:
    """One rehearsal at full size: tests/rehearsals/test_NAME.py, which is small inside script/test."""
    folder = ROOT / "tests" / "rehearsals"
    known = sorted(file.stem.removeprefix("test_").replace("_", "-") for file in folder.glob("test_*.py"))
    if not arguments or arguments[0] not in known:
        say(f"Usage: script/rehearse NAME [pytest arguments]; NAME: {', '.join(known) or '(none yet)'}")
        return 2
    file = folder / f"test_{arguments[0].replace('-', '_')}.py"
    command = [sys.executable, "-m", "pytest", str(file), "-s", *arguments[1:]]
    return _thrown_away("script/rehearse", command, {"REHEARSAL": "full"})


def _thrown_away(
    kind: str, command: list[str], extra: dict[str, str] | None = None, *, durable: bool = False
) -> int:
    # A fresh clone has the catalogues as text only, and Django keeps what it found, even nothing, when it starts.
    catalogues.compile_catalogues()
    places = places_of.of(Path(tempfile.mkdtemp(prefix="fehaciente-test-")))
    told = environment.base(data=places.data, port=port()) | {
        "TESTING": "1",
        "CLOCK_MAY_MOVE": "1",
        "PUBLIC_URL": "http://testserver",
        **(extra or {}),
    }

    def work(processes: Processes, up: Services) -> int:
        told_all = environment.as_owner(told, database_url=up.database_url, redis_url=up.redis_url)
        child = processes.start(kind, command, environment=told_all, cwd=ROOT, foreground=True)
        try:
            return follow(child, processes)
        finally:
            # Registries that the tests started and, killed themselves, could not take away.
            for left_behind in places.data.glob("*/services"):
                services.throw_away(places_of.of(left_behind.parent))

    claim = claims.Claim(places)
    claim.take()
    return _with_services(places, claim, work=work, durable=durable, kept=False)


# ── what they share ──────────────────────────────────────────────────────────
def _notice(kind: str, up: Services) -> claims.Owner:
    return claims.Owner(
        pid=os.getpid(),
        kind=kind,
        url="",
        ready=bool(up.redis_url),
        database_url=up.database_url,
        redis_url=up.redis_url,
    )


def _with_services(
    places: Places,
    claim: claims.Claim,
    *,
    work: Callable[[Processes, Services], int],
    durable: bool = True,
    kept: bool = True,
) -> int:
    """Services up, the work, services down, whatever happens in between. Not `kept`: the data goes too."""
    processes = Processes()
    if not kept:
        processes.remove_at_the_end(places.data)
        if places.servant:
            processes.remove_at_the_end(places.home)
    try:
        return work(processes, services.start(places, processes=processes, durable=durable, say=say))
    finally:
        processes.end(list(processes.children), patience=3)
        claim.give_back()
        processes.close()


def follow(child: Child, processes: Processes) -> int:
    """Wait for a program on the terminal, pass on what is sent to this process alone; its exit status."""
    reported: set[int] = set()
    while child.is_running():
        number = processes.listen(1)
        if number in STOP_SIGNALS and not (number == signal.SIGINT and _terminal_told_everyone()):
            child.send(signal.Signals(number))
        for other in processes.children:
            if other is not child and not other.is_running() and other.pid not in reported:
                reported.add(other.pid)
                say(f"{other.name} has ended ({other.how_it_ended()}).")
    code = child.popen.returncode
    processes.forget(child)
    return code if code >= 0 else 128 - code


def _terminal_told_everyone() -> bool:
    """Ctrl-C at a terminal reaches the whole foreground group by itself."""
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False
