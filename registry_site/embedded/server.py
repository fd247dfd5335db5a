"""script/server: one registry on this machine, from nothing to «Ready», watched until it is told to stop."""

import http.client
import json
import os
import secrets
import socket
import sys
import time
from collections.abc import Callable

from . import claim as claims
from . import environment, preparation, services, supervision
from . import places as places_of
from .errors import CannotStart, Stopped
from .places import ROOT, Places
from .processes import Child, Processes, last_lines, roll_over

HOST = "127.0.0.1"
READY_PATIENCE = 60.0
# A page that fails may be a service that is not quite up; after this it is a fault.
FAULT_PATIENCE = 10.0
DATABASE_RESTARTS = 3
SEED_COMMAND = ROOT / "certificates" / "management" / "commands" / "seed_demo.py"


def serve(*, data, port: int) -> int:
    """Run until SIGINT, SIGTERM or SIGHUP; the exit status."""
    places = places_of.of(data)
    claim = claims.Claim(places)
    if not _claimed(claim, places):
        return 0
    _refuse_taken_port(port)
    runs_port = int(environment.base(data=data, port=port)["RUNS_PORT"])
    _refuse_taken_port(runs_port, variable="RUNS_PORT")
    claim.announce(_notice(port=port, ready=False))
    processes = Processes()
    status = 0
    try:
        _run(places, claim, port=port, processes=processes)
    except Stopped:
        say("Stopping …")
    except CannotStart as reason:
        say(str(reason))
        status = 1
    finally:
        _stop(processes)
        claim.give_back()
        processes.close()
    return status


def say(line: str) -> None:
    try:
        print(line, flush=True)
    except BrokenPipeError:
        # Who read the first lines and went away wants the registry all the same.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  (open as long as the process)


def _claimed(claim: claims.Claim, places: Places) -> bool:
    """Take the data folder; False when a server has it already, which is said with its address."""
    waiting = False
    while not claim.take():
        owner = claim.owner()
        if owner and owner.kind == "script/server":
            if owner.ready:
                say(f"Already running: {owner.url} (process {owner.pid})")
            else:
                say(f"Already starting, soon at {owner.url} (process {owner.pid})")
            return False
        if owner and not waiting:
            say(f"Waiting for {owner.kind} (process {owner.pid}) on {places.data} …")
            waiting = True
        time.sleep(0.1)
    return True


def _refuse_taken_port(port: int, *, variable: str = "PORT") -> None:
    with socket.socket() as probe:
        # Without this a port whose last connections have just been closed would seem taken.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except PermissionError:
            raise CannotStart(
                f"This account may not listen on port {port}. Choose another: {variable}=8080 script/server"
            ) from None
        except OSError:
            free = port + 10 if port + 10 < 65536 else 8000
            raise CannotStart(
                f"Port {port} is taken by another program. Choose another: {variable}={free} script/server"
            ) from None


def _notice(*, port: int, ready: bool, up: services.Services | None = None) -> claims.Owner:
    return claims.Owner(
        pid=os.getpid(),
        kind="script/server",
        url=f"http://localhost:{port}/",
        ready=ready,
        database_url=up.database_url if up else "",
        redis_url=up.redis_url if up else "",
    )


def _run(places: Places, claim: claims.Claim, *, port: int, processes: Processes) -> None:
    say(f"Starting the registry of {places.data} …")
    told = environment.base(data=places.data, port=port)
    up = services.start(places, processes=processes, say=say)
    if places.home != places.data and up.sockets:
        say(f"Database and messages are in {places.home}; evidence, mail and keys are in {places.data}")
    if up.database_url:
        status = preparation.run(
            places,
            processes=processes,
            environment=environment.as_owner(told, database_url=up.database_url, redis_url=up.redis_url),
        )
        if status != 0:
            raise CannotStart("The database could not be prepared; the reason is above.")
    claim.announce(_notice(port=port, ready=False, up=up))
    application = environment.as_application(
        told, data=places.data, database_url=up.database_url, redis_url=up.redis_url
    )
    if wants_demo(places, up):
        seed(places, processes=processes, told=application)

    programs = _programs(places, port=port, told=application, processes=processes)
    _wait_until_ready(programs[0].child, places, port=port, processes=processes)
    runs_port = int(told["RUNS_PORT"])
    _wait_until_recording(programs[1].child, places, port=runs_port, processes=processes)
    for name, child in (("PostgreSQL", up.database), ("Valkey", up.broker)):
        if child:
            tries = DATABASE_RESTARTS if name == "PostgreSQL" else None
            log = places.logs / f"{name.lower()}.log"
            programs.append(supervision.Program(name, up.relaunch[name], child, log, tries=tries))
    claim.announce(_notice(port=port, ready=True, up=up))
    say(f"Ready: http://localhost:{port}/")
    say(f"Agent runs are recorded on port {runs_port}, each under its own host name")
    print_demo_sign_ins(places)
    number = supervision.watch(programs, processes=processes, say=say)
    raise Stopped(number)


def recorder_command(*, port: int) -> list[object]:
    """The recorder's server, for the interpreter: one process, so that one run's requests have one order of arrival."""
    return [
        *("-m", "granian", "--interface", "asgi", "--http", "1", "--no-ws", "--host", HOST, "--port", port),
        *("--workers", 1, "--http1-buffer-size", 64 * 1024, "--log-level", "warning"),
        *("--workers-kill-timeout", 2, "--respawn-failed-workers", "evidence.recorder.asgi:application"),
    ]


def _programs(
    places: Places, *, port: int, told: dict[str, str], processes: Processes
) -> list[supervision.Program]:
    """Web first, the recorder, then the background work; all as the application role."""
    python = sys.executable
    # Hostile archives are read by the worker: it is not given the key that signs sessions and links.
    keyless = told | {"SECRET_KEY": secrets.token_urlsafe(50)}
    celery = [python, "-m", "celery", "--app", "registry_site.celery", "--quiet"]
    quiet = ("--loglevel", "INFO", "--without-gossip", "--without-mingle")
    table: list[tuple[str, list[object], dict[str, str]]] = [
        (
            "web",
            [
                *(python, "-m", "granian", "--interface", "wsgi", "--host", HOST, "--port", port, "--no-ws"),
                *(
                    "--workers",
                    min(2, os.cpu_count() or 1),
                    "--blocking-threads",
                    4,
                    "--log-level",
                    "warning",
                ),
                *("--workers-kill-timeout", 2, "--respawn-failed-workers", "registry_site.wsgi:application"),
            ],
            told,
        ),
        # It reads what strangers send and signs nothing: no key of the site's.
        ("recorder", [python, *recorder_command(port=int(told["RUNS_PORT"]))], keyless),
        (
            "worker",
            [
                *(*celery, "worker", "--pool", "prefork", "--concurrency", 2, "--queues", "packages"),
                *(*quiet, "--hostname", "worker@fehaciente"),
            ],
            keyless,
        ),
        (
            # What must not wait behind long packages: expiries, e-mails, sweeps.
            "clerk",
            [
                *(*celery, "worker", "--pool", "solo", "--queues", "celery"),
                *(*quiet, "--hostname", "clerk@fehaciente"),
            ],
            keyless,
        ),
        ("beat", [*celery, "beat", "--loglevel", "WARNING", "--pidfile="], keyless),
    ]

    def launcher(name: str, command: list[object], variables: dict[str, str]) -> Callable[[], Child]:
        def launch() -> Child:
            log = roll_over(places.logs / f"{name}.log")
            return processes.start(name, command, environment=variables, cwd=ROOT, log=log)

        return launch

    programs = []
    for name, command, variables in table:
        launch = launcher(name, command, variables)
        programs.append(supervision.Program(name, launch, launch(), places.logs / f"{name}.log"))
    return programs


def _wait_until_ready(web: Child, places: Places, *, port: int, processes: Processes) -> None:
    started = time.monotonic()
    log = places.logs / "web.log"
    while (answer := _status(port)) is None or answer >= 500:
        if not web.is_running():
            raise CannotStart(
                f"The web process has ended ({web.how_it_ended()}); {log} says:\n{last_lines(log)}"
            )
        patience = READY_PATIENCE if answer is None else FAULT_PATIENCE
        if time.monotonic() - started > patience:
            what = "No page" if answer is None else f"The first page answers {answer}"
            raise CannotStart(f"{what} after {patience:.0f} s; {log} says:\n{last_lines(log)}")
        processes.pause(0.05)


def _wait_until_recording(recorder: Child, places: Places, *, port: int, processes: Processes) -> None:
    """Until it refuses whoever is of no run."""
    started = time.monotonic()
    while _status(port) != 403:
        if not recorder.is_running() or time.monotonic() - started > READY_PATIENCE:
            log = places.logs / "recorder.log"
            raise CannotStart(f"The recorder of agent runs does not answer; {log} says:\n{last_lines(log)}")
        processes.pause(0.05)


def _status(port: int) -> int | None:
    """What the first page answers; None when nobody listens yet."""
    connection = http.client.HTTPConnection(HOST, port, timeout=10)
    try:
        connection.request("GET", "/", headers={"Host": f"localhost:{port}"})
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def _stop(processes: Processes) -> None:
    """Those who use the services first, then the services; within five seconds, sooner when told twice."""
    users = [child for child in processes.children if child.name not in ("PostgreSQL", "Valkey")]
    servers = [child for child in processes.children if child.name in ("PostgreSQL", "Valkey")]
    hurried = processes.end(users, patience=2.0)
    processes.end(servers, patience=1.0, hurried=hurried)


# ── demo data ────────────────────────────────────────────────────────────────
def wants_demo(places: Places, up: services.Services) -> bool:
    """Once, into the embedded database; DEMO=1 asks for it elsewhere too, DEMO=0 leaves it out."""
    wish = os.environ.get("DEMO", "")
    if wish == "0" or not SEED_COMMAND.exists() or (places.data / "demo-sign-ins.json").exists():
        return False
    return wish == "1" or up.database is not None


def seed(places: Places, *, processes: Processes, told: dict[str, str]) -> None:
    say("demo data")
    child = processes.start(
        "seed_demo",
        [sys.executable, ROOT / "manage.py", "seed_demo"],
        environment=told,
        cwd=ROOT,
        log=roll_over(places.logs / "seed_demo.log"),
    )
    if processes.wait_for(child) != 0:
        # A registry without its examples is still a registry: said, not fatal.
        log = places.logs / "seed_demo.log"
        say(f"The demo data could not be made ({child.how_it_ended()}); {log} says:\n{last_lines(log)}")


def print_demo_sign_ins(places: Places) -> None:
    """The rows of demo-sign-ins.json: `[{"role", "email", "password"}, …]`."""
    try:
        rows = json.loads((places.data / "demo-sign-ins.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    say("Demo sign-ins (this machine only; `script/manage demo_code EMAIL` prints the second factor's code):")
    for row in rows:
        say(f"  {row['role']:<18} {row['email']:<36} {row['password']}")
