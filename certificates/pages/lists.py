"""Front page, list, filters and search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from certificates.pages.frame import Frame, Text
from certificates.pages.status import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A certificate as one line of a list or a search."""

    number: str
    verdict: Verdict
    holder: str
    system: str
    version: str
    scheme: str  # «HALU, 1» is made by the template: give «HALU-1»
    method: str
    issued_at: datetime
    measured_at: datetime
    groups: tuple[str, ...] = ()
    grouping: str = ""  # under which the groups have their names


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """One of the latest decisions on the front page."""

    step: str
    at: datetime
    after: str
    certificate: str | None
    notice: str | None
    system: str
    version: str
    holder: str
    method: str = "hallucination"
    groups: int = 0
    reason: str | None = None
    reason_number: str | None = None
    statement: Text | None = None
    review_on: date | None = None
    appeal_until: datetime | None = None
    final: bool = False
    erratum: str | None = None  # a known defect of the certificate, whatever was decided here
    do_not_rely: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePage:
    """`public/home.html`."""

    frame: Frame
    census: Mapping[str, int] = field(default_factory=dict)  # status → certificates today; absent = none
    latest: tuple[Decision, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A select of the list: `name` is the query parameter; the first choice («any») is made by the template."""

    name: str  # status · method · group · holder · scheme · year
    value: str = ""
    choices: tuple[str, ...] = ()  # codes; holder and scheme: pairs by `labels`
    labels: Mapping[str, str] = field(default_factory=dict)  # only for choices whose word is a name


@dataclass(frozen=True, slots=True, kw_only=True)
class ListPage:
    """`public/certificates.html`: list, filters and search results are one page."""

    frame: Frame
    q: str = ""  # what was searched, as typed
    searched: str = ""  # number · sha256 · words: how it was understood
    filters: tuple[Filter, ...] = ()
    rows: tuple[Listed, ...] = ()
    count: int = 0
    more_than: bool = False  # the count stopped at `count` (1,000)
    following: str = ""  # query string of the next page, without «?»
    earlier: str = ""  # query string of the page before
    wrong_check_digit: bool = False
    suggestions: tuple[str, ...] = ()  # names of holders that are written alike
    exists: bool = True  # False: the registry holds no certificate at all yet
