"""What was evaluated: by whom, under which rules, on which questions, with which limits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

from certificates.pages.frame import Text
from certificates.pages.status import Erratum

if TYPE_CHECKING:
    from grading.figures import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who answers for the system, with the identifier that was checked."""

    name: str
    country: str = ""  # ISO 3166 code
    identifier: str = ""
    identifier_kind: str = ""  # tax_number · lei · domain


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """The versioned rules, named as the certificate names them."""

    code: str  # «HALU»
    version: str  # «1»
    sha256: str = ""
    method: str = "hallucination"  # hallucination · agent_run
    title: Text | None = None
    error: Text | None = None  # its definition of error
    descriptive: bool = True  # no criteria: it certifies what was measured
    unmet_rules: tuple[str, ...] = ()  # hostile_questions · other_judge · error_types_apart
    grouping: str = "language"
    grouping_sha256: str = ""
    suppressed_below: int = 10
    indicative_below: int = 30
    appeal_days: int = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """The seal of a question set that its custodian registered here."""

    state: str  # sealed · open · closed · revealed · leaked
    sealed_at: datetime
    used_before: bool = False  # registered after it was first used
    first_used_at: datetime | None = None
    exposed_on: date | None = None  # day of the reveal or leak
    items_published: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSet:
    name: str
    sha256: str
    items: int | None = None
    custodian: str = ""
    holder_had_access: str = "unknown"  # no · yes · unknown
    times_used_before: int | None = None  # declared
    counted_before: int | None = None  # by the registry, when the measurement was frozen
    seal: Seal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    documents: int | None = None
    articles: int | None = None
    as_of: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    id: str
    family: str
    version: str
    kind: str = "model"  # model · human
    temperature: str | None = None
    family_known: bool = True  # False: «independence of the judge not checked»


@dataclass(frozen=True, slots=True, kw_only=True)
class Kappa:
    """Agreement of the judge with people; numbers as decimal strings, None where it is not defined."""

    k: int  # answers they agree on
    n: int
    kappa: str | None = None
    low: str | None = None
    high: str | None = None
    band: str | None = None  # poor · slight · fair · moderate · substantial · almost_perfect
    added_on: datetime | None = None  # the blind review came after the measurement, on this day


@dataclass(frozen=True, slots=True, kw_only=True)
class Limitations:
    """What the limits of the method say about this very measurement."""

    kappa: Kappa | None = None  # None: agreement was not measured
    doubtful_reviewed: int = 0  # abstentions decided by a person
    catalogue: bool = True  # a catalogue was supplied, so phantom citations could be looked for
    declared: tuple[Text, ...] = ()  # warnings of the package, as declared limitations


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredFigure:
    """A figure that the package declared, beside ours."""

    metric: str
    denominator: str
    group: str | None
    category: str | None
    declared: str  # decimal string of the descriptor, a fraction of 1
    computed: str | None
    outcome: str  # coincides · differs · not_comparable · not_recomputed


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One line of the list without picking: every measurement of the version under the scheme, certified or not."""

    reference: str  # how it is named («M-2026-000019», or its id)
    measured_at: datetime
    frozen_at: datetime
    version: str
    headline: Figure | None  # hallucination over judged, of the total
    evidence_sha256: str = ""
    this_one: bool = False  # the certificate rests on it
    certificate: str | None = None  # another certificate that rests on it
    errata: tuple[Erratum, ...] = ()  # on whatever certificate rests on it
    first: bool = False  # criteria are decided on the first one
    later_version: bool = False  # of another version of the same system
