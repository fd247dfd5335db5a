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

from certificates.pages.application import Application, ApplicationStep
from certificates.pages.calibration import Calibration, FilledSheet
from certificates.pages.certificate import CertificatePage
from certificates.pages.comparison import Compared, ComparisonLink, ComparisonPage, Difference
from certificates.pages.evaluated import (
    Corpus,
    DeclaredFigure,
    Holder,
    Judge,
    Kappa,
    Limitations,
    Measurement,
    QuestionSet,
    Scheme,
    Seal,
)
from certificates.pages.evidence import Evidence, Member
from certificates.pages.frame import Frame, Text
from certificates.pages.history import Appeal, Entry, Report, ReportStep
from certificates.pages.lists import Decision, Filter, HomePage, Listed, ListPage
from certificates.pages.measured import BetweenGroups
from certificates.pages.notice import NoticePage
from certificates.pages.plain import NotFoundPage, StatusesPage
from certificates.pages.question_set import SetEvent, SetField, SetPage, SetUse
from certificates.pages.run import (
    CertifiedRun,
    MarkCounts,
    RunComment,
    RunFacts,
    RunPage,
    RunPoint,
    RunRequest,
    RunResult,
    RunRow,
    RunsPage,
    RunStep,
    RunSystem,
)
from certificates.pages.run_comparison import RunComparisonPage, RunGroup, RunOffer
from certificates.pages.status import Condition, Erratum, Overturned, Verdict
from certificates.pages.system import Measured, SystemPage
from certificates.pages.test_case import (
    CasePage,
    CasePoint,
    CaseRow,
    CasesPage,
    Control,
    RevealedRubric,
    RubricPoint,
    SeriesEvent,
    SeriesPage,
    SeriesRow,
    SeriesRun,
    Variant,
)

__all__ = [
    "Appeal",
    "Application",
    "ApplicationStep",
    "BetweenGroups",
    "Calibration",
    "CasePage",
    "CasePoint",
    "CaseRow",
    "CasesPage",
    "CertificatePage",
    "CertifiedRun",
    "Compared",
    "ComparisonLink",
    "ComparisonPage",
    "Condition",
    "Control",
    "Corpus",
    "Decision",
    "DeclaredFigure",
    "Difference",
    "Entry",
    "Erratum",
    "Evidence",
    "FilledSheet",
    "Filter",
    "Frame",
    "Holder",
    "HomePage",
    "Judge",
    "Kappa",
    "Limitations",
    "ListPage",
    "Listed",
    "MarkCounts",
    "Measured",
    "Measurement",
    "Member",
    "NotFoundPage",
    "NoticePage",
    "Overturned",
    "QuestionSet",
    "Report",
    "ReportStep",
    "RevealedRubric",
    "RubricPoint",
    "RunComment",
    "RunComparisonPage",
    "RunFacts",
    "RunGroup",
    "RunOffer",
    "RunPage",
    "RunPoint",
    "RunRequest",
    "RunResult",
    "RunRow",
    "RunStep",
    "RunSystem",
    "RunsPage",
    "Scheme",
    "Seal",
    "SeriesEvent",
    "SeriesPage",
    "SeriesRow",
    "SeriesRun",
    "SetEvent",
    "SetField",
    "SetPage",
    "SetUse",
    "StatusesPage",
    "SystemPage",
    "Text",
    "Variant",
    "Verdict",
]
