"""The versioned files that figures depend on: schemes, groupings, phrases, article prefixes, each with its hash."""

import hashlib
from functools import cache
from importlib import resources


def names(folder: str) -> list[str]:
    """The files of one folder, in order of name."""
    inside = resources.files(__name__).joinpath(folder)
    return sorted(f"{folder}/{entry.name}" for entry in inside.iterdir() if entry.name.endswith(".json"))


@cache
def read(path: str) -> bytes:
    return resources.files(__name__).joinpath(*path.split("/")).read_bytes()


@cache
def sha256(path: str) -> str:
    return hashlib.sha256(read(path)).hexdigest()
