"""What is known to be wrong of certificates, read together with them wherever one or its figures are told."""

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, Prefetch, QuerySet, Subquery
from django.utils.translation import gettext as _

from certificates import pages
from certificates.models import Certificate, CertificateState, StatusEvent
from certificates.states import Step


def beside(rows: QuerySet[Certificate]) -> QuerySet[Certificate]:
    """Each row with `erratum`, the number of the notice that weighs most, and `not_relied_on`. No query more.

    «Do not rely on it» weighs more than any later correction; among equals the latest counts.
    """
    published = StatusEvent.objects.filter(certificate=OuterRef("pk"), step=Step.ERRATUM)
    weightiest = published.order_by("-do_not_rely", "-sequence")
    return rows.annotate(
        erratum=Subquery(weightiest.values("notice__number")[:1]),
        not_relied_on=Exists(published.filter(do_not_rely=True)),
    )


def carrying() -> Prefetch:
    """The certificates that rest on each measurement, in `carrying`, with what is known to be wrong of them."""
    return Prefetch("certificates", queryset=beside(Certificate.objects.order_by("pk")), to_attr="carrying")


def of(certificates: Iterable[Certificate]) -> tuple[pages.Erratum, ...]:
    """Of rows that were read with `beside`."""
    return tuple(
        pages.Erratum(certificate=one.number, notice=one.erratum, do_not_rely=one.not_relied_on)
        for one in certificates
        if one.erratum
    )


def named(row: CertificateState) -> str:
    """What was certified, as a row of the staff's names it."""
    name = f"{row.system_name} {row.version}"
    return f"{name} · {_('do not rely on it')}" if row.do_not_rely else name
