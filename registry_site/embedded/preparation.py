"""When `manage.py prepare` has to run again, and running it as the owner."""

import hashlib
import sys
from pathlib import Path

from .places import ROOT, Places
from .processes import Processes

APPS = ("registry_site", "evidence", "grading", "certificates")


def is_due(places: Places) -> bool:
    """Whether tables or rights may be behind the code; `prepare` itself knows what is left to do."""
    try:
        return _stamp_file(places).read_text() != _fingerprint()
    except FileNotFoundError:
        return True


def run(
    places: Places, *, processes: Processes, environment: dict[str, str], extra: list[str] | None = None
) -> int:
    """Run it; its messages go to standard error as they come."""
    stamp = _fingerprint()
    child = processes.start(
        "prepare",
        [sys.executable, ROOT / "manage.py", "prepare", *(extra or [])],
        environment=environment,
        cwd=ROOT,
        stdout=sys.stderr,
    )
    status = processes.wait_for(child)
    if status == 0:
        remember(places, fingerprint=stamp)
    return status


def remember(places: Places, *, fingerprint: str | None = None) -> None:
    """That the database matches the code, as it was when `prepare` began."""
    _stamp_file(places).write_text(fingerprint or _fingerprint())


def _stamp_file(places: Places) -> Path:
    return places.control / "prepared"


def _fingerprint() -> str:
    """Models, migrations and the lock file: what tables, triggers and rights are made from."""
    digest = hashlib.sha256()
    files = [ROOT / "requirements.txt"]
    for app in APPS:
        files += sorted((ROOT / app / "migrations").glob("*.py"))
        files += sorted((ROOT / app).glob("models/*.py")) + sorted((ROOT / app).glob("models.py"))
    for file in files:
        digest.update(f"{file.relative_to(ROOT)}\n".encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()
