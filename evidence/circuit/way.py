"""The known way through the observed site: which requests the circuit check makes, and how each is answered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from evidence.observed_site import routes

HTML, JSON, MARKDOWN = routes.REPRESENTATIONS
_CONCEPT = "/conceptos/agente"
_EXCLUDED = "/borradores/agente"

# How a request says which run it is of.
By = Literal["header", "bearer", "host"]


@dataclass(frozen=True)
class Step:
    """One request. `target` goes into the request line as it is; `etag_of` names the step whose entity tag is sent."""

    code: str
    target: str
    status: int
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    by: By = "header"
    etag_of: str | None = None
    path: str | None = None  # as it is recorded when normalised, where it differs from `target`

    @property
    def normalised(self) -> str:
        return self.path or self.target.partition("?")[0]


WAY = (
    Step("start", "/", 200, headers={"Accept": HTML}),
    Step("terms", routes.TERMS[0], 200),
    Step("robots", routes.TERMS[1], 200),
    Step("guide", routes.GUIDE[0], 200),
    Step("html", _CONCEPT, 200, headers={"Accept": HTML}),
    Step("json", _CONCEPT, 200, headers={"Accept": JSON}),
    Step("markdown", _CONCEPT, 200, headers={"Accept": MARKDOWN}),
    Step("not_modified", _CONCEPT, 304, headers={"Accept": HTML}, etag_of="html"),
    Step("head", _CONCEPT, 200, method="HEAD", headers={"Accept": HTML}),
    Step("part", routes.DOWNLOAD, 206, headers={"Range": "bytes=0-1023"}),
    Step("whole", routes.DOWNLOAD, 200),
    Step("moved", "/concepto/agente", 301),
    Step("post", _CONCEPT, 405, method="POST", headers={"Content-Type": "text/plain"}, body=b"circuito"),
    Step("missing", "/conceptos/no-existe", 404),
    Step("search", "/buscar?q=alucinaci%C3%B3n", 200),
    Step("excluded", _EXCLUDED, 200),
    # The same page spelled otherwise: it is recorded as it was written, and matched as it was meant.
    Step("excluded_spelled", "/conceptos/%2e%2e/%62orradores/agente", 301, path=_EXCLUDED),
    Step("bearer", f"{_CONCEPT}.json", 200, by="bearer"),
    Step("host", f"{_CONCEPT}.md", 200, by="host"),
)
