"""The page of a certificate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from certificates import forest, tables
from certificates.pages.application import Application
from certificates.pages.calibration import Calibration
from certificates.pages.evaluated import (
    Corpus,
    DeclaredFigure,
    Holder,
    Judge,
    Limitations,
    Measurement,
    QuestionSet,
    Scheme,
)
from certificates.pages.evidence import Evidence
from certificates.pages.frame import Frame
from certificates.pages.history import Appeal, Entry, Report
from certificates.pages.measured import BetweenGroups
from certificates.pages.run import CertifiedRun
from certificates.pages.status import Verdict

if TYPE_CHECKING:
    from grading.figures import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificatePage:
    """`public/certificate.html`."""

    frame: Frame
    number: str
    verdict: Verdict
    holder: Holder
    system: str
    system_id: int | None = None  # of its page, where its measurements stand through time
    version: str
    model_family: str
    scheme: Scheme
    issued_at: datetime
    valid_until: datetime
    decision: str  # notice of the issue
    application: Application | None = None  # that the issue answers
    measured_at: datetime
    endpoint_kind: str | None = None  # public_user_route · dedicated
    question_set: QuestionSet | None = None
    corpus: Corpus | None = None
    judges: tuple[Judge, ...] = ()
    evaluator_role: str = "evaluator"
    decider_role: str = "certifier"
    first_party: bool = (
        False  # the registry's operator also operates the system: a declaration, not a certification
    )
    groups: tuple[str, ...] = ()  # keys of the language groups, every one that was measured
    figures: tuple[Figure, ...] = ()
    headline: tuple[str, str] = ("hallucination", "judged")  # metric and denominator of the plot
    threshold: str | None = None  # of the scheme's criterion on it, a fraction of 1 as decimal string
    between: tuple[BetweenGroups, ...] = ()  # the groups among each other; the headline's metric first
    criteria: Mapping[str, Any] | None = None  # `grading.publishable.criteria`; None: a descriptive scheme
    agreement: Mapping[str, Any] = field(default_factory=dict)  # `grading.publishable.agreement`
    calibrations: tuple[Calibration, ...] = ()  # blind reviews added since, newest first
    declared: tuple[DeclaredFigure, ...] = ()
    limitations: Limitations = field(default_factory=Limitations)
    measurements: tuple[Measurement, ...] = ()
    history: tuple[Entry, ...] = ()  # newest first
    reports: tuple[Report, ...] = ()
    appeals: tuple[Appeal, ...] = ()  # all of them, also those that hang from an entry
    evidence: Evidence | None = None
    run: CertifiedRun | None = None  # of a certificate on an agent run

    @property
    def plot(self) -> forest.Forest | None:
        """The forest plot of the headline figure; None where nothing of it was measured."""
        metric, denominator = self.headline
        return forest.plot(self.figures, metric=metric, denominator=denominator, threshold=self.threshold)

    @property
    def pairs(self) -> tuple[tables.Pair, ...]:
        """The headline over both denominators, group by group."""
        return tables.pairs(self.figures, self.headline[0])

    @property
    def answers(self) -> tuple[tables.Answers, ...]:
        """How the answers divide, group by group."""
        return tables.answers(self.figures)

    @property
    def totals(self) -> tuple[Figure, ...]:
        """The further figures of the total."""
        return tables.totals(self.figures)

    @property
    def categories(self) -> tuple[Figure, ...]:
        """Figures by category of question."""
        return tables.categories(self.figures)

    @property
    def per_judge(self) -> tuple[Figure, ...]:
        """The headline as each of several judges sees it."""
        return tables.judges(self.figures, *self.headline)

    @property
    def headline_figure(self) -> Figure | None:
        """The headline of the total: what is cited."""
        return tables.find(self.figures, *self.headline)

    @property
    def differing(self) -> tuple[DeclaredFigure, ...]:
        """Declared figures that are not ours."""
        return tuple(figure for figure in self.declared if figure.outcome != "coincides")

    @property
    def hides_in_the_open(self) -> bool:
        """Whether figures are left out though anyone can count them in the evidence."""
        readable = self.evidence is not None and self.evidence.access != "digest_only" and not self.sealed
        return readable and any(figure.band == "suppressed" for figure in self.figures)

    @property
    def sealed(self) -> bool:
        """Whether a member of the evidence is sealed."""
        return self.evidence is not None and self.evidence.sealed
