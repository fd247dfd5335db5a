"""Written requests of holders that nobody has acted on yet: a second person does (rule 6)."""

from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from certificates.appeal_states import OPEN as OPEN_APPEAL
from certificates.models import AppealStanding, HolderRequest
from certificates.models.notice import HolderRequestKind
from certificates.work_queue.matters import OPEN, SEE, Asked, Kind, Matter

_TITLES = {
    HolderRequestKind.TERMINATE: _("Request to end a certificate"),
    HolderRequestKind.SUPERSEDE: _("Request to supersede a certificate"),
    HolderRequestKind.APPEAL: _("Request to appeal"),
    HolderRequestKind.WITHDRAW: _("Request to withdraw an appeal"),
}


def read(asked: Asked) -> list[Matter]:
    """The oldest first; one to appeal is due by the end of its period. Whoever stored it sees that it waits."""
    open_appeals = AppealStanding.objects.filter(state__in=OPEN_APPEAL).values("appeal__notice")
    waiting = (
        HolderRequest.objects.filter(notices=None, appeal_event=None)
        # What can no longer be withdrawn asks for nothing any more, and what is appealed not for an appeal.
        .exclude(~Q(notice__in=open_appeals), kind=HolderRequestKind.WITHDRAW)
        .exclude(kind=HolderRequestKind.APPEAL, notice__appeal__isnull=False)
        .select_related(
            "certificate__system_version__system",
            "notice__certificate__system_version__system",
            "notice__measurement__system_version__system",
        )
        .order_by("stored_at", "pk")[: asked.limit + 1]
    )
    return [_matter(row, own=row.stored_by_id == asked.person.pk) for row in waiting]


def _matter(row: HolderRequest, *, own: bool) -> Matter:
    notice, certificate = row.notice, row.certificate
    version = certificate.system_version if certificate else notice.measurement.system_version
    return Matter(
        kind=Kind.REQUEST,
        title=_TITLES[HolderRequestKind(row.kind)],
        number=notice.number if notice else certificate.number,
        about=str(version),
        missing=_("Someone other than whoever stored it acts on it."),
        address=reverse("staff:request_act", args=[row.pk])
        if notice
        else reverse("staff:certificate", args=[certificate.number]),
        action=SEE if own else OPEN,
        due=notice.appeal_until if row.kind == HolderRequestKind.APPEAL else None,
    )
