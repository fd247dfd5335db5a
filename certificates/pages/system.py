"""The page of a system: its certificates, and what was measured of it through time."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from certificates import forest

if TYPE_CHECKING:
    from certificates.pages.comparison import ComparisonLink
    from certificates.pages.evaluated import Corpus, Holder
    from certificates.pages.frame import Frame
    from certificates.pages.lists import Listed
    from certificates.pages.run_comparison import RunGroup
    from certificates.pages.status import Erratum
    from grading.figures import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One frozen measurement. `breaks`: what is another than in the row before, so that figures cannot be compared."""

    reference: str  # «M-19»
    measured_at: datetime
    frozen_at: datetime
    version: str
    scheme: str  # «HALU-1»
    set_name: str
    set_sha256: str
    judges: tuple[str, ...]  # «family · version»
    evidence_sha256: str
    corpus: Corpus | None = None
    judged: Figure | None = None  # the headline over judged answers
    all: Figure | None = None  # and over all
    certificates: tuple[str, ...] = ()
    errata: tuple[Erratum, ...] = ()  # on whatever was certified on it
    set_has_page: bool = False
    breaks: tuple[str, ...] = ()  # scheme · set · judges · rules


@dataclass(frozen=True, slots=True)
class Stretch:
    """Neighbours with one scheme, set and judges: only within one may figures be read beside each other."""

    measurements: tuple[Measured, ...]

    @property
    def plot(self) -> forest.Forest | None:
        return forest.course(one.judged for one in self.measurements if one.judged is not None)

    @property
    def rows(self) -> tuple[tuple[Measured, forest.Row], ...]:
        """Each measurement with its mark in the plot."""
        shown = [one for one in self.measurements if one.judged is not None]
        return tuple(zip(shown, self.plot.rows if self.plot else (), strict=True))

    @property
    def breaks(self) -> tuple[str, ...]:
        """What changed with the first of them."""
        return self.measurements[-1].breaks


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPage:
    """`public/system.html`. Measurements stand by the time they were frozen, the latest first."""

    frame: Frame
    id: int
    system: str
    holder: Holder
    versions: tuple[str, ...]
    certificates: tuple[Listed, ...]
    measurements: tuple[Measured, ...]
    comparisons: tuple[ComparisonLink, ...] = ()
    runs: tuple[RunGroup, ...] = ()  # agent runs that have ended, put together by their conditions
    older: str = ""  # query string of the page with older ones, without «?»

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """Runs of neighbours with one scheme, set and judges, the latest first."""
        found, run = [], []
        for one in self.measurements:
            run.append(one)
            if one.breaks:
                found.append(Stretch(tuple(run)))
                run = []
        return (*found, Stretch(tuple(run))) if run else tuple(found)
