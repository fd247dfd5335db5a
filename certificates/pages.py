"""The frozen facts that each public page is made of: a template receives one of these as `page` and nothing else.

Facts only: codes, numbers, dates and the two-language texts that people signed. No sentence, label or
formatted number stands
here; `certificates.sentences`, `registry_site.wording` and the templates turn facts into words in the
language that is active
when the page is rendered, so one object makes the Spanish and the English page.

Conventions
- Every `datetime` is aware and already stands in the zone it is to be printed in (the scheme's):
  `moment.astimezone(zone)`.
  An end of a term («the last day ends at 24:00») is the instant of that midnight; `wording.deadline` prints
  the day before it.
- Codes are stored values, worded in `certificates.words`: a status (`certificates.states.Status`), a step
  (`…states.Step`), a reason, a role.
  `StrEnum` members are strings, so they can be given as they are.
- Numbers of certificates, notices, reports and appeals are complete strings, as printed
  («FEH-2026-000042-87», «AV-2026-000123»).
- `figures` are `grading.figures.Figure` *after* `grading.suppression.published`: a page can show only what
  it was given. They are
  read by attribute (metric, denominator, group, category, judge, k, n, unjudged, estimate, low, high,
  interval, n_eff, clusters,
  band, reason). A suppressed cell has k, n, estimate, low, high None, band `suppressed` and a reason (`few`,
  `complementary`).
  The group that suppressed cells are joined in has the key `rest`. Figures without a declared language have
  the key `und`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING

from certificates import forest, tables

if TYPE_CHECKING:
    from grading.figures import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One public text in both languages, as it was signed. The Spanish one prevails."""

    es: str
    en: str

    def in_language(self, language: str) -> str:
        """The text for readers of `language`; anything but English reads Spanish."""
        return self.en if language.startswith("en") else self.es


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What surrounds every page: where it lives, which instant it reflects."""

    public_url: str  # «https://registro.example», without a slash at the end
    path: str  # below the language: «», «certificates/», «c/FEH-2026-000042-87/»
    as_of: datetime  # the last change the page reflects (for a live page: the moment of reading)
    query: str = ""  # query string without «?», kept by the link to the other language
    operator: str = ""  # who runs this registry, when a setting says it
    accreditation: Text | None = None  # replaces the clause on not being accredited
    demo: bool = False  # demonstration data: the page says so in its first line


# ── the status of a certificate ──────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Overturned:
    """A decision that an appeal left without effect."""

    decision: str  # the notice overturned
    appeal: str | None = None
    at: datetime | None = None  # when it was overturned
    suspended_from: datetime | None = None  # the time it had kept the certificate suspended, if it had
    suspended_to: datetime | None = None
    status_stays: bool = False  # the certificate had ended meanwhile: recorded, the status does not change


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Everything the status sentence is made of. The same object serves page, list,
    notice, badge and preview.
    """

    status: str  # active · suspended · revoked · terminated · expired · superseded · unknown
    in_force: bool | None  # None: could not be determined
    system: str = ""
    version: str = ""
    measured_at: datetime | None = None
    since: datetime | None = (
        None  # since when it is not in force (for `active`: since when it is, without a break)
    )
    valid_until: datetime | None = None
    reason: str | None = None  # a code of `states.Reason`
    reason_number: str | None = None  # the report's number in `report_upheld`
    statement: Text | None = None  # what was signed; the clause itself when the reason is `other`
    decision: str | None = None  # number of the notice that decided it
    conditions: tuple[Condition, ...] = ()
    review_on: date | None = None
    review_overdue: bool = False
    appeal_until: datetime | None = None  # end of the period to appeal against the decision in force
    appeal_period_over: bool = False
    final: bool = False  # only for `revoked`: its `finalise` event exists
    open_appeal: str | None = None  # number of the appeal under way
    open_report: str | None = None
    erratum: str | None = None  # number of the notice with a known defect
    do_not_rely: bool = False  # an erratum says so: it becomes the first sentence of the page
    suspended_since: datetime | None = None  # expired or terminated while suspended
    suspended_decision: str | None = None
    report_open_at_end: str | None = None  # terminated while this report was open
    superseded_by: str | None = None
    supersedes: str | None = None
    newer: str | None = None  # a certificate for a newer version exists; this one stays as it is
    past_suspensions: tuple[tuple[datetime, datetime], ...] = ()  # (from, to), those that were lifted
    overturned: tuple[Overturned, ...] = ()


# ── what was evaluated ───────────────────────────────────────────────────────


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
class QuestionSet:
    name: str
    sha256: str
    items: int | None = None
    custodian: str = ""
    holder_had_access: str = "unknown"  # no · yes · unknown
    times_used_before: int | None = None


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
    first: bool = False  # criteria are decided on the first one
    later_version: bool = False  # of another version of the same system


# ── what happened ────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    text: Text
    met_on: date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Appeal:
    number: str
    against: str  # the notice appealed
    state: str  # filed · admitted · inadmissible · decided · withdrawn
    outcome: str | None = None  # upheld · partly_upheld · dismissed
    filed_at: datetime | None = None
    admitted_at: datetime | None = None
    decided_at: datetime | None = None
    grounds: Text | None = None  # staff's summary
    reasons: Text | None = None
    notice: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A complaint that may be public: after triage, and after the holder was told."""

    number: str
    kind: str
    state: str
    outcome: str | None = None
    received_at: datetime | None = None
    decided_at: datetime | None = None
    reply: Text | None = None  # the holder's, if it chose to publish one
    notice: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One event of the history. `before` and `after` are the status words on both sides of it."""

    sequence: int
    # issue · suspend · prolong · reinstate · revoke · finalise · terminate · supersede · expire · vary ·
    # overturn · erratum
    step: str
    at: datetime
    before: str | None
    after: str
    hash: str = ""  # SHA-256 of the event's bytes
    reason: str | None = None
    reason_number: str | None = None
    statement: Text | None = None
    conditions: tuple[Condition, ...] = ()
    review_on: date | None = None
    notice: str | None = None
    role: str | None = None  # certifier · appeals_officer · …; None: the clock
    against: str | None = None  # the decision that is overturned, varied, made final
    other: str | None = None  # the other certificate of a supersession
    do_not_rely: bool = False
    on_behalf: bool = False  # on the holder's stored written request, entered by staff
    appeal: Appeal | None = None  # the appeal that answers it, nested under it


# ── evidence ─────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    path: str
    size: int
    sha256: str | None  # None when sealed or withheld: then `commitment` may stand in
    sealed: bool = False
    sealed_until: date | None = None
    commitment: str | None = None  # SHA-256(32 random bytes ‖ bytes)
    withheld: Text | None = None  # why the bytes are gone
    downloadable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    sha256: str
    size: int
    integrity: str  # verified · failed · not_checked
    checked_at: datetime | None = None
    verifier: str = ""  # version of the verifier
    access: str = "members"  # open · members · digest_only
    members: tuple[Member, ...] = ()
    members_total: int = 0  # when more than are listed
    sealed: bool = False  # a member is, listed or not
    downloadable: bool = False  # /c/<number>/evidence.zip answers
    descriptor_open: bool = True  # its bytes tell no figure that is suppressed


# ── pages ────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificatePage:
    """`public/certificate.html`."""

    frame: Frame
    number: str
    verdict: Verdict
    holder: Holder
    system: str
    version: str
    model_family: str
    scheme: Scheme
    issued_at: datetime
    valid_until: datetime
    decision: str  # notice of the issue
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
    criteria_outcome: str | None = None  # conforms · does_not_conform · insufficient_evidence
    declared: tuple[DeclaredFigure, ...] = ()
    limitations: Limitations = Limitations()
    measurements: tuple[Measurement, ...] = ()
    history: tuple[Entry, ...] = ()  # newest first
    reports: tuple[Report, ...] = ()
    appeals: tuple[Appeal, ...] = ()  # all of them, also those that hang from an entry
    evidence: Evidence | None = None

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


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticePage:
    """`public/notice.html`: the numbered text of one decision or erratum, also where there is no
    certificate (a refusal).
    """

    frame: Frame
    number: str
    step: str  # as Entry.step, or `refuse`
    at: datetime
    role: str | None
    statement: Text | None
    certificate: str | None = None
    application: str | None = None
    verdict: Verdict | None = None  # of the certificate now
    holder: Holder | None = None
    system: str = ""
    version: str = ""
    scheme: Scheme | None = None
    reason: str | None = None
    reason_number: str | None = None
    conditions: tuple[Condition, ...] = ()
    review_on: date | None = None
    appeal_until: datetime | None = None
    against: str | None = None  # the notice it overturns, varies or corrects
    later: tuple[str, ...] = ()  # notices that name this one
    overturned_by: str | None = None
    other: str | None = None
    do_not_rely: bool = False
    sequence: int | None = None
    event_hash: str = ""
    appeal: Appeal | None = None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusesPage:
    """`public/statuses.html`: what each status means, what may still be relied on, who may appeal until when."""

    frame: Frame
    appeal_days: int = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFoundPage:
    """`public/not_found.html`: an address that names a certificate, notice or evidence the registry does not hold."""

    frame: Frame
    q: str
    kind: str = "certificate"  # certificate · notice · page
    wrong_check_digit: bool = False
