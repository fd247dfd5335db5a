"""Which labels name the same family of models, and which families the registry knows."""

import json
import re
import unicodedata
from functools import cache
from importlib import resources

FILE = "model-families-1.json"


def family(label: str) -> str:
    """The family a label names: that of the list when it is an alias, else the label itself, normalised."""
    name = _normal(label)
    return _aliases().get(name, name)


def is_known(label: str) -> bool:
    """Whether the label is in the list; of others nobody checked that they are independent."""
    return _normal(label) in _aliases()


def same(one: str, other: str) -> bool:
    return family(one) == family(other)


def _normal(label: str) -> str:
    return re.sub(r"[\s_-]+", " ", unicodedata.normalize("NFKC", label).casefold()).strip()


@cache
def _aliases() -> dict[str, str]:
    listed = json.loads(resources.files("evidence").joinpath("data", FILE).read_bytes())["families"]
    return {_normal(alias): _normal(name) for name, aliases in listed.items() for alias in (name, *aliases)}
