"""Under which host names the recorder answers, and which run a host name is of."""

import re
from dataclasses import dataclass

from evidence.recorder import tokens

_HOST = re.compile(r"([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)(?::([0-9]{1,5}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Host:
    """What a Host header named. `label` is None on the recorder's own addresses; `authority` is as the client wrote."""

    authority: str
    label: str | None


@dataclass(frozen=True)
class Addresses:
    """`domain` is RUNS_DOMAIN, whose labels are runs; `own` the hosts that belong to no run, itself among them.

    `localhost` and 127.0.0.1 are never among them: cookies ignore ports, and the registry lives there.
    """

    domain: str
    own: frozenset[str]
    scheme: str
    port: int | None

    @classmethod
    def of(cls, *, domain: str, scheme: str, port: int | None, nameless: tuple[str, ...] = ()) -> "Addresses":
        return cls(domain=domain, own=frozenset({domain, *nameless}), scheme=scheme, port=port)

    def read(self, value: bytes) -> Host | None:
        """The host of a Host header, or None for one that is not ours."""
        match = _HOST.fullmatch(value.decode("latin-1").lower())
        if match is None:
            return None
        name = match[1]
        if name in self.own:
            return Host(match[0], None)
        label, _, domain = name.partition(".")
        if domain == self.domain and tokens.is_label(label):
            return Host(match[0], label)
        return None

    def entry(self, label: str) -> str:
        """Where a run's site begins, for clients that resolve host names."""
        return f"{self.scheme}://{label}.{self.domain}{self._port}"

    def nameless(self) -> str:
        """Where every run's site begins for clients that show their token instead."""
        host = min(self.own - {self.domain}, default=self.domain)
        return f"{self.scheme}://{host}{self._port}"

    @property
    def _port(self) -> str:
        return f":{self.port}" if self.port else ""
