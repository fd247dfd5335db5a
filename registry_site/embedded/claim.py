"""Who has this data folder: one program owns its services, others borrow them."""

import fcntl
import json
import os
from dataclasses import asdict, dataclass

from .places import Places, write_private


@dataclass(frozen=True)
class Owner:
    """What the owning program tells others: the site's `url` (server only) and how to reach its services."""

    pid: int
    kind: str
    url: str
    ready: bool
    database_url: str
    redis_url: str


class Claim:
    """The lock that makes one program the owner of a data folder's services; it ends with any death."""

    def __init__(self, places: Places) -> None:
        self._file = places.control / "owner.json"
        self._use = places.control / "in-use.lock"
        self._lock = os.open(places.control / "owner.lock", os.O_RDWR | os.O_CREAT, 0o600)

    def take(self) -> bool:
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        self._file.unlink(missing_ok=True)
        return True

    def announce(self, owner: Owner) -> None:
        write_private(self._file, json.dumps(asdict(owner)))

    def owner(self) -> Owner | None:
        """What the present owner has announced; None while it has said nothing yet."""
        try:
            return Owner(**json.loads(self._file.read_text()))
        except FileNotFoundError:
            return None

    def borrow(self) -> None:
        """Keep the services up while this process, or what it turns into by exec, is there."""
        use = os.open(self._use, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(use, fcntl.LOCK_SH)
        os.set_inheritable(use, True)
        self._borrowed = use

    def return_what_was_borrowed(self) -> None:
        os.close(self._borrowed)

    def is_borrowed(self) -> bool:
        use = os.open(self._use, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(use, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(use)
        return False

    def withdraw(self) -> None:
        """Take the notice away, so that nobody new borrows; `is_borrowed` tells when the others are done."""
        self._file.unlink(missing_ok=True)

    def give_back(self) -> None:
        self._file.unlink(missing_ok=True)
        os.close(self._lock)
