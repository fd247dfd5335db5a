"""Writes, seals, closes and reveals rubrics, and records their leaks, for whoever may; and who must be told more.

The rules of who may are in `certificates.policies`; the rows are written by `evidence.cases` and `grading.series`.
"""

from datetime import date, datetime
from typing import Any

from django.db import transaction

from certificates import policies
from certificates.models import Certificate
from evidence import cases
from evidence.case_documents import CaseDocument
from evidence.models import CaseVariant, Series, SeriesEvent, Target, TestCase
from grading import series as series_life
from grading.models import RubricDraft
from registry_site import audit
from registry_site.models import User
from registry_site.problems import Refusal


@transaction.atomic
def publish_case(document: dict[str, Any], *, by: User, at: datetime) -> TestCase:
    """Publish a version of a case. Raises the refusal of policies and those of evidence.cases.publish."""
    _refuse_if(policies.refusal_to_write_rubrics(by))
    return cases.publish(document, by=by.person, at=at)


def checked_case(document: dict[str, Any]) -> CaseDocument:
    """A case as it would be published. Raises CaseFaulty and CaseAlreadyPublished; nothing is written."""
    read = cases.checked(document)
    if TestCase.objects.filter(code=read.code, version=read.version).exists():
        raise cases.CaseAlreadyPublished(field="version")
    return read


@transaction.atomic
def make_variant(case: TestCase, *, start_domain: str, target: Target, by: User, at: datetime) -> CaseVariant:
    _refuse_if(policies.refusal_to_write_rubrics(by))
    return cases.make_variant(case, start_domain=start_domain, target=target, by=by.person, at=at)


@transaction.atomic
def make_target(*, by: User, at: datetime, **facts: Any) -> Target:
    _refuse_if(policies.refusal_to_write_rubrics(by))
    return cases.make_target(by=by.person, at=at, **facts)


@transaction.atomic
def write(
    case: TestCase, document: dict[str, Any], *, by: User, at: datetime, draft: RubricDraft | None = None
) -> RubricDraft:
    """Keep a draft. Raises the refusal of policies, and RubricFaulty of grading.series."""
    _refuse_if(policies.refusal_to_write_rubrics(by))
    return series_life.write_draft(case, document, by=by.person, at=at, draft=draft)


@transaction.atomic
def discard(draft: RubricDraft, *, by: User, at: datetime) -> None:
    _refuse_if(policies.refusal_to_write_rubrics(by))
    series_life.discard_draft(draft, by=by.person, at=at)


@transaction.atomic
def seal(draft: RubricDraft, *, by: User, at: datetime, **terms: Any) -> Series:
    """Seal a draft that somebody else wrote. `terms` are those of grading.series.seal."""
    _refuse_if(policies.refusal_to_seal_rubric(by, draft))
    return series_life.seal(draft, by=by.person, at=at, **terms)


@transaction.atomic
def close(series: Series, *, by: User, at: datetime) -> SeriesEvent:
    _refuse_if(policies.refusal_to_close_series(by))
    return series_life.close(series, by=by.person, at=at)


@transaction.atomic
def reveal(series: Series, *, by: User, at: datetime) -> SeriesEvent:
    _refuse_if(policies.refusal_to_reveal_rubric(by))
    return series_life.reveal(series, by=by.person, at=at)


@transaction.atomic
def leak(
    series: Series, *, by: User, at: datetime, occurred_on: date, statement: dict[str, str]
) -> SeriesEvent:
    """Tell the public that the rubric got out; the certificates on its runs then need an erratum."""
    _refuse_if(policies.refusal_to_record_rubric_leak(by))
    return series_life.leak(series, occurred_on=occurred_on, statement=statement, by=by.person, at=at)


def read_draft(draft: RubricDraft, *, by: User, at: datetime) -> dict[str, Any]:
    """A draft for the eyes of those who evaluate; that it was read is written down."""
    _refuse_if(policies.refusal_to_write_rubrics(by))
    case = draft.case
    audit.record("rubric.read", by=by.person, at=at, subject=f"case:{case.code}-{case.version}")
    return series_life.document_of(draft)


def read_sealed(series: Series, *, by: User, at: datetime) -> dict[str, Any]:
    """The rubric of a series for the eyes of those who evaluate; that it was read is written down."""
    _refuse_if(policies.refusal_to_write_rubrics(by))
    if not series_life.is_public(series):
        audit.record("rubric.read", by=by.person, at=at, subject=f"series:{series.code}")
    return series_life.document_of(series_life.rubric_of(series))


def certificates_on(series: Series) -> Any:
    """Certificates that rest on a run of this series: after a leak each gets an erratum."""
    return Certificate.objects.filter(measurement__package__graded_run__series=series)


def _refuse_if(refusal: Refusal | None) -> None:
    if refusal is not None:
        raise refusal
