"""To whom the steps of a complaint are told: rows of the outbox with numbers only, and how they are forgotten."""

from datetime import datetime

from certificates import addresses, notices
from certificates.models import Report, ReportContent, ReportDraft, ReportEvent
from certificates.report_states import ABOUT_OTHERS, EVENT_TYPES, ReportStep
from registry_site import mail_erasure, outbox
from registry_site.models import Outbox, OutboxState, User
from registry_site.roles import Role

CONFIRM = "report.confirm"
REPORTER, HOLDER, STAFF = "reporter", "holder", "staff"

_TOLD = {
    ReportStep.CONFIRM: {REPORTER, STAFF},
    ReportStep.TAKE_UP: {REPORTER},
    ReportStep.DECLINE: {REPORTER},
    ReportStep.ASK_HOLDER: {HOLDER},
    ReportStep.REPLY: {STAFF},
    ReportStep.DECIDE: {REPORTER, HOLDER, STAFF},
    ReportStep.ASK_REVIEW: {REPORTER, HOLDER, STAFF},
    ReportStep.CLOSE: set(),
}


def ask_to_confirm(draft: ReportDraft, *, at: datetime) -> None:
    outbox.queue(
        CONFIRM,
        to=draft.email,
        language=draft.language,
        at=at,
        concerns=_of_draft(draft.pk),
        lifetime=notices.MAIL_LIFETIME,
        draft=draft.pk,
    )


def forget_the_draft(draft: ReportDraft, report: Report) -> None:
    """The e-mail that asked to confirm is from now on one about the complaint, and is erased with it.

    One that was not sent yet asks for what has been done, and is not sent any more.
    """
    asked = Outbox.objects.filter(concerns=_of_draft(draft.pk))
    asked.filter(state=OutboxState.QUEUED).delete()
    asked.update(concerns=report.number)


def erase_the_draft(draft: ReportDraft, *, at: datetime) -> None:
    mail_erasure.forget(_of_draft(draft.pk), at=at)


def erase(report: Report, *, at: datetime) -> None:
    mail_erasure.forget(report.number, at=at)


def tell(report: Report, event: ReportEvent) -> None:
    step = ReportStep(event.step)
    for who, recipients in _recipients(report, step).items():
        for recipient, language in sorted(recipients.items()):
            outbox.queue(
                EVENT_TYPES[step],
                to=recipient,
                language=language,
                at=event.at,
                concerns=report.number,
                path=addresses.staff_report(report.number),
                lifetime=notices.MAIL_LIFETIME,
                report=report.number,
                sequence=event.sequence,
                who=who,
            )


def _recipients(report: Report, step: ReportStep) -> dict[str, dict[str, str]]:
    """For each kind of reader: e-mail → language."""
    told: dict[str, dict[str, str]] = {}
    if REPORTER in _TOLD[step]:
        contents = ReportContent.objects.get(pk=report.pk)
        if contents.email:
            told[REPORTER] = {contents.email: contents.language}
    if HOLDER in _TOLD[step] and report.certificate is not None and report.kind not in ABOUT_OTHERS:
        holder = report.certificate.system_version.system.holder
        if holder.contact_email:
            told[HOLDER] = {holder.contact_email: holder.contact_language}
    if STAFF in _TOLD[step]:
        deciding = User.objects.filter(
            is_active=True,
            person__role_grants__role__in=[Role.CERTIFIER, Role.APPEALS_OFFICER],
            person__role_grants__ended_at=None,
        )
        told[STAFF] = dict(deciding.values_list("email", "language"))
    return told


def _of_draft(pk: int) -> str:
    return f"report draft:{pk}"
