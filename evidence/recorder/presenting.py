"""By what a request says to belong to a run: its host name, a token in a header, or the cookie set on entry."""

from collections.abc import Iterable
from dataclasses import dataclass

from evidence.recorder import tokens
from evidence.recorder.addresses import Addresses, Host
from evidence.recorder.headers import RUN_COOKIE

_BEARER = "bearer "


@dataclass(frozen=True, slots=True)
class Presented:
    """The host asked for, and the digests of the secrets shown; all of them must be of one run."""

    host: Host
    digests: tuple[str, ...]


def read(headers: Iterable[tuple[bytes, bytes]], *, addresses: Addresses) -> Presented | None:
    """What was presented, or None: no host of ours, two hosts, a token that is none, or two that differ."""
    hosts: list[bytes] = []
    shown: set[str] = set()
    for name, value in headers:
        if name == b"host":
            hosts.append(value)
        elif name == b"x-run-token":
            shown.add(value.decode("latin-1").strip())
        elif name == b"authorization":
            text = value.decode("latin-1")
            # Credentials of another kind are the site's business; they go no further, and name no run.
            if text[: len(_BEARER)].lower() == _BEARER and text[len(_BEARER) :].strip().startswith(
                tokens.PREFIX
            ):
                shown.add(text[len(_BEARER) :].strip())
        elif name == b"cookie":
            for pair in value.decode("latin-1").split(";"):
                key, _, token = pair.partition("=")
                if key.strip() == RUN_COOKIE:
                    shown.add(token.strip())
    host = addresses.read(hosts[0]) if len(hosts) == 1 else None
    if host is None or len(shown) > 1 or not all(map(tokens.is_token, shown)):
        return None
    secrets = [host.label] if host.label else []
    return Presented(host, tuple(map(tokens.digest, [*secrets, *shown])))
