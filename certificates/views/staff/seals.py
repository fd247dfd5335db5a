"""The seal over a preview: only what this person has seen, in these very words, is signed."""

import hashlib
import json
from typing import Any

from django.core import signing
from django.http import HttpRequest

# A preview older than this is shown anew: meanwhile the case may have changed.
HOLDS = 4 * 3600


def put(seen: Any, *, kind: str) -> str:
    """The seal that a preview carries as a hidden field. `kind` keeps one sort of preview from passing for another."""
    return signing.dumps(_digest(seen), salt=_salt(kind))


def holds(request: HttpRequest, seen: Any, *, kind: str) -> bool:
    """Whether the posted seal is over this."""
    try:
        sealed = signing.loads(request.POST.get("seal", ""), salt=_salt(kind), max_age=HOLDS)
    except signing.BadSignature:
        return False
    return sealed == _digest(seen)


def _digest(seen: Any) -> str:
    return hashlib.sha256(json.dumps(seen, sort_keys=True, default=str).encode()).hexdigest()


def _salt(kind: str) -> str:
    return f"certificates.{kind}"
