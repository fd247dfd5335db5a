"""Receiving, looking into, deciding and closing complaints: the only writer of complaints and their steps.

Each function is one transaction: the certificate's lock first, then the complaint's, then the rules, the table of
steps, the event, and what visitors read. A complaint changes no certificate by itself: what follows from one that
is upheld is a decision of its own (`certificates.lifecycle`), which names it. Deadlines surface in the queue;
nothing here is decided by one, and the sweep only closes what was decided and erases what is past its time.
"""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from certificates import (
    attached_files,
    notices,
    numbers,
    policies,
    publishing,
    refusals,
    report_confidence,
    report_links,
    report_posts,
    report_rows,
    report_states,
    terms,
)
from certificates.models import (
    Certificate,
    CertificateState,
    Report,
    ReportAttachment,
    ReportContent,
    ReportDraft,
    ReportEvent,
    ReportLink,
    ReportReply,
    ReportStanding,
)
from certificates.models.report import ReportLinkPurpose
from certificates.notices import BothLanguages
from certificates.report_states import (
    ABOUT_OTHERS,
    EVENT_TYPES,
    OutOfRemit,
    ReportKind,
    ReportOutcome,
    ReportState,
    ReportStep,
)
from certificates.states import Decision
from evidence.typed_json import is_unsafe_name
from registry_site import audit, leaves, public_events, roles, signed_links, sweeping
from registry_site.models import NumberSeries, PublicEvent, User
from registry_site.roles import Role

LONGEST_TEXT = 20_000
LONGEST_PLACE = 500
# Calendar days in the zone of the certificate's scheme.
TAKEN_UP_WITHIN = 5
REPLY_WITHIN = 10
DECIDED_WITHIN = 30
REVIEW_WITHIN = 15
# More about one certificate in a day than this are told to the staff as a crowd; each is received all the same.
CROWD = 20


# ── what whoever complains does ──────────────────────────────────────────────


@transaction.atomic
def send(
    *,
    at: datetime,
    kind: str,
    text: str,
    email: str,
    language: str,
    certificate: Certificate | None = None,
    place: str = "",
    name: str = "",
    attachments: Sequence[attached_files.Kept] = (),
    once: str = "",
) -> ReportDraft:
    """Keep what someone sent until its sender confirms it by the link in an e-mail.

    `once` names the form it came by: what the same form sends again is the draft that there is.
    """
    if kind not in set(ReportKind):
        raise refusals.IncompleteReport(
            _("Choose what the complaint is about."), code="unknown_kind", field="kind"
        )
    if certificate is None and kind not in ABOUT_OTHERS:
        raise refusals.IncompleteReport(
            _("Write the number of the certificate that it is about."),
            code="certificate_needed",
            field="certificate",
        )
    if kind in ABOUT_OTHERS and not place.strip():
        raise refusals.IncompleteReport(
            _("Say where the certificate or its mark is used: an address or a place."),
            code="place_needed",
            field="place",
        )
    if is_unsafe_name(name) or is_unsafe_name(place) or len(place) > LONGEST_PLACE:
        field = "name" if is_unsafe_name(name) else "place"
        raise refusals.IncompleteReport(
            _("It is too long, or holds control characters."), code="unsafe_text", field=field
        )
    draft, made = ReportDraft.objects.get_or_create(
        once=once or secrets.token_hex(16),
        defaults={
            "kind": kind,
            "certificate": certificate,
            "place": place.strip(),
            "text": _words(text, field="text"),
            "name": name.strip(),
            "email": email,
            "language": language,
            "attachments": [
                {"name": one.name, "kind": one.kind, "size": one.size, "sha256": one.sha256}
                for one in attachments
            ],
            "sent_at": at,
            "expires_at": at + report_links.CONFIRMED_WITHIN,
        },
    )
    if made:
        report_posts.ask_to_confirm(draft, at=at)
    return draft


@transaction.atomic
def confirm(link: ReportLink, *, at: datetime) -> Report:
    """Give it its number: from here on it is recorded, and answered."""
    link = signed_links.living(ReportLink.objects.select_for_update().get(pk=link.pk), at=at)
    draft = ReportDraft.objects.select_related("certificate").get(pk=link.draft_id)
    salt = secrets.token_bytes(32)
    year, serial = NumberSeries.take("report", at=at)
    report = Report.objects.create(
        number=numbers.report_number(year=year, serial=serial),
        kind=draft.kind,
        certificate=draft.certificate,
        received_at=at,
        crowded=_is_crowded(draft.certificate, at=at),
        content=leaves.salted_digest(
            report_rows.document_of(
                kind=draft.kind,
                certificate=draft.certificate,
                place=draft.place,
                text=draft.text,
                digests=[one["sha256"] for one in draft.attachments],
            ),
            salt=salt,
        ),
    )
    for position, kept in enumerate(draft.attachments):
        ReportAttachment.objects.create(
            report=report,
            position=position,
            kind=kept["kind"],
            size=kept["size"],
            sha256=kept["sha256"],
        )
    ReportContent.objects.create(
        report=report,
        place=draft.place,
        text=draft.text,
        name=draft.name,
        email=draft.email,
        language=draft.language,
        file_names=[one["name"] for one in draft.attachments],
        salt=salt,
    )
    _write(report, ReportStep.CONFIRM, at=at, deadline_at=_due(report, TAKEN_UP_WITHIN, at=at))
    # The link stays, used, and knows what it confirmed: a second click is answered, and nothing is recorded again.
    ReportLink.objects.filter(report_links.of_draft(draft)).update(draft=None, report=report, used_at=at)
    report_posts.forget_the_draft(draft, report)
    draft.delete()
    return report


@transaction.atomic
def ask_review(link: ReportLink, *, at: datetime, why: str) -> ReportEvent:
    """Whoever complained asks, once and in time, that someone else looks at what was dismissed."""
    why = _words(why, field="why")
    report, at = _begin(link.report_id, ReportStep.ASK_REVIEW, at=at)
    signed_links.living(ReportLink.objects.select_for_update().get(pk=link.pk), at=at)
    ReportContent.objects.filter(report=report, erased_at=None).update(review_text=why)
    event = _write(report, ReportStep.ASK_REVIEW, at=at, deadline_at=_due(report, DECIDED_WITHIN, at=at))
    _publish(report, at=at)
    return event


# ── what the holder does ─────────────────────────────────────────────────────


@transaction.atomic
def reply(
    report: Report,
    *,
    at: datetime,
    text: Mapping[str, str],
    published: bool,
    link: ReportLink | None = None,
    by: User | None = None,
) -> ReportEvent:
    """The holder answers, by its link or, as `by`, from the account of one of its people.

    `text` is in Spanish, in English or in both. Published, it stands beside the complaint on the public page;
    otherwise it is read by whoever decides, and erased with the complaint.
    """
    written = {language: (text.get(language) or "").strip() for language in ("es", "en")}
    if not any(written.values()):
        raise refusals.IncompleteReport(_("Write the reply."), code="reply_needed", field="text_es")
    for language, one in written.items():
        if one:
            written[language] = _words(one, field=f"text_{language}", longest=notices.LONGEST_TEXT)
    if by is not None and (refusal := policies.refusal_to_reply(by, report)):
        raise refusal
    report, at = _begin(report.pk, ReportStep.REPLY, at=at)
    if link is not None:
        link = signed_links.living(ReportLink.objects.select_for_update().get(pk=link.pk), at=at)
        if link.report_id != report.pk:
            raise signed_links.LinkRefused()
    event = _write(
        report, ReportStep.REPLY, at=at, author=by, deadline_at=_due(report, DECIDED_WITHIN, at=at)
    )
    if published:
        ReportReply.objects.create(report=report, event=event, text_es=written["es"], text_en=written["en"])
    else:
        kept = "\n\n".join(one for one in written.values() if one)
        ReportContent.objects.filter(report=report, erased_at=None).update(reply_text=kept)
    report_links.use_up(purpose=ReportLinkPurpose.REPLY, report=report, at=at)
    _publish(report, at=at)
    return event


# ── what the staff do ────────────────────────────────────────────────────────


@transaction.atomic
def take_up(report: Report, *, by: User, at: datetime) -> ReportEvent:
    """Say that it is within our remit, and look into it."""
    report, at = _begin(report.pk, ReportStep.TAKE_UP, at=at, by=by)
    return _write(report, ReportStep.TAKE_UP, at=at, by=by, deadline_at=_due(report, TAKEN_UP_WITHIN, at=at))


@transaction.atomic
def decline(report: Report, *, by: User, at: datetime, reason: str, reasons: BothLanguages) -> ReportEvent:
    """Say that it is outside our remit, and why: to whoever complained, not to the public."""
    reasons = notices.in_both_languages(reasons, field="reasons")
    if reason not in set(OutOfRemit):
        raise refusals.IncompleteDecision(
            _("There is no such reason."), code="unknown_reason", field="reason"
        )
    report, at = _begin(report.pk, ReportStep.DECLINE, at=at, by=by)
    report_confidence.require_kept(report, reasons=reasons)
    return _write(
        report,
        ReportStep.DECLINE,
        at=at,
        by=by,
        reason=reason,
        reasons_es=reasons.es,
        reasons_en=reasons.en,
        deadline_at=_due(report, REVIEW_WITHIN, at=at),
    )


@transaction.atomic
def ask_holder(
    report: Report, *, by: User, at: datetime, summary: BothLanguages, proposal: str = ""
) -> ReportEvent:
    """Put it to the holder, in the registry's words and without whoever complained; from now on it is public.

    `proposal` is what whoever looked into it would do, for whoever decides.
    """
    summary = notices.in_both_languages(summary, field="summary")
    report, at = _begin(report.pk, ReportStep.ASK_HOLDER, at=at, by=by)
    report_confidence.require_kept(report, summary=summary, proposal=proposal)
    until = _due(report, REPLY_WITHIN, at=at)
    event = _write(
        report,
        ReportStep.ASK_HOLDER,
        at=at,
        by=by,
        until=until,
        deadline_at=until,
        summary_es=summary.es,
        summary_en=summary.en,
        proposal=_words(proposal, field="proposal") if proposal.strip() else "",
    )
    _publish(report, at=at)
    return event


@transaction.atomic
def decide(report: Report, *, by: User, at: datetime, outcome: str, reasons: BothLanguages) -> ReportEvent:
    """Uphold it, in whole or in part, or dismiss it, with reasons in a numbered notice.

    The notice of what others do with a mark names no certificate: it is no mark on an innocent one.
    """
    reasons = notices.in_both_languages(reasons, field="reasons")
    if outcome not in set(ReportOutcome):
        raise refusals.IncompleteDecision(_("Choose the outcome."), code="unknown_outcome", field="outcome")
    report, at = _begin(report.pk, ReportStep.DECIDE, at=at, by=by)
    report_confidence.require_kept(report, reasons=reasons)
    number = notices.next_number(at=at)
    certificate = None if report.kind in ABOUT_OTHERS else report.certificate
    public = _public_event(
        report,
        ReportStep.DECIDE,
        at=at,
        fixed={
            "outcome": outcome,
            "reasons": {"es": reasons.es, "en": reasons.en},
            "notice": number,
            "certificate": certificate.number if certificate else None,
        },
    )
    notice = notices.write(
        Decision.REPORT,
        number=number,
        at=at,
        decided_by=by.person,
        role=_working_role(by),
        statement=reasons,
        certificate=certificate,
        public_event=public,
        appeal_until=_appeal_until(certificate, outcome, at=at),
    )
    until = _due(report, REVIEW_WITHIN, at=at)
    event = _write(
        report,
        ReportStep.DECIDE,
        at=at,
        by=by,
        until=until,
        deadline_at=until,
        outcome=outcome,
        reasons_es=reasons.es,
        reasons_en=reasons.en,
        notice=notice,
        public_event=public,
    )
    report_links.use_up(purpose=ReportLinkPurpose.REPLY, report=report, at=at)
    _publish(report, at=at)
    return event


# ── what the clock does ──────────────────────────────────────────────────────


def sweep(*, at: datetime) -> dict[str, int]:
    """Forget what was never confirmed, close what is decided and past its review, erase what is past its time."""
    return {"forgotten": _forget(at=at), "closed": _close_due(at=at), "erased": _erase_due(at=at)}


def _forget(*, at: datetime) -> int:
    return sweeping.each(
        ReportDraft.objects.filter(expires_at__lte=at), lambda draft: _forget_draft(draft.pk, at=at)
    )


@transaction.atomic
def _forget_draft(draft: int, *, at: datetime) -> bool:
    found = ReportDraft.objects.select_for_update().filter(pk=draft).first()
    if found is None:  # confirmed, or forgotten by another worker
        return False
    digests = [one["sha256"] for one in found.attachments]
    report_posts.erase_the_draft(found, at=at)
    found.delete()
    _withhold(digests)
    return True


def _close_due(*, at: datetime) -> int:
    due = ReportStanding.objects.filter(
        state__in=[ReportState.DECIDED, ReportState.OUT_OF_REMIT], deadline_at__lte=at
    )
    # Refused where a review was asked for meanwhile.
    return sweeping.each(due, lambda standing: close(standing.pk, at=at))


@transaction.atomic
def close(report: int, *, at: datetime) -> ReportEvent:
    """End it: nothing more can be asked of it. Counts the days until its personal data is erased."""
    report, at = _begin(report, ReportStep.CLOSE, at=at)
    told = report_rows.life_of(report).is_public
    public = _public_event(report, ReportStep.CLOSE, at=at, fixed={}) if told else None
    event = _write(report, ReportStep.CLOSE, at=at, public_event=public)
    _publish(report, at=at)
    return event


def _erase_due(*, at: datetime) -> int:
    before = at - timedelta(days=settings.PERSONAL_DATA_DAYS)
    due = Report.objects.filter(
        contents__erased_at=None, events__step=ReportStep.CLOSE, events__at__lte=before
    )
    return sweeping.each(due, lambda report: erase(report, at=at))


@transaction.atomic
def erase(report: Report, *, at: datetime) -> bool:
    """Empty what is personal: words, sender, names and bytes of files, e-mails, links. The record stays."""
    contents = ReportContent.objects.select_for_update().get(pk=report.pk)
    if contents.erased_at is not None:
        return False
    report_posts.erase(report, at=at)
    ReportContent.objects.filter(pk=report.pk).update(
        place="",
        text="",
        review_text="",
        reply_text="",
        name="",
        email="",
        file_names=[],
        salt=b"",
        erased_at=at,
    )
    ReportLink.objects.filter(report=report).delete()
    _withhold(list(report.attachments.values_list("sha256", flat=True)))
    audit.record("report.erased", by=None, at=at, subject=f"report:{report.number}")
    return True


def _withhold(digests: Sequence[str]) -> None:
    """Take the bytes away that nobody else keeps, once it is certain that their rows are gone."""

    def take_away() -> None:
        for sha256 in digests:
            if not report_rows.is_kept_by_another(sha256):
                attached_files.storage().withhold(sha256)

    transaction.on_commit(take_away)


def next_step_due(report: Report, *, replied: bool, at: datetime) -> datetime | None:
    """By when the registry is to take the next step; None once it is closed.

    While the holder may reply that is the end of its term, and from then on the time to decide counts.
    """
    due = report.standing.deadline_at
    waited = report.standing.state == ReportState.WITH_HOLDER and not replied
    if due is None or not waited or due > at:
        return due
    # A term ends with its last day, and the next one counts from there.
    return _due(report, DECIDED_WITHIN, at=due - timedelta(microseconds=1))


# ── the frame of every step ──────────────────────────────────────────────────


def _begin(report: int, step: ReportStep, *, at: datetime, by: User | None = None) -> tuple[Report, datetime]:
    found = report_rows.with_parents().get(pk=report)
    at = _lock_certificate(found.certificate_id, at=at)
    # Its own lock: what others do with a mark has no certificate to hold, and two may press at once.
    ReportStanding.objects.select_for_update().get(pk=found.pk)
    if by is not None and (refusal := policies.REFUSAL_TO_ON_REPORT[step](by, found, at=at)):
        raise refusal
    found = report_rows.with_parents().get(pk=report)
    if refusal := refusal_to(step, found, at=at):
        raise refusal
    return found, at


def refusal_to(step: ReportStep, report: Report, *, at: datetime) -> refusals.ReportRefused | None:
    """Why a complaint does not allow this step at `at`, whoever takes it, or None."""
    life = report_rows.life_of(report)
    try:
        report_states.require(step, life, at=at, about_others=report.kind in ABOUT_OTHERS)
    except report_states.ReportStepRefused as error:
        return refusals.ReportRefused(
            _WHY.get(error.code), code=error.code, state=life.state if life else None
        )
    return None


_WHY = {
    report_states.HolderNotHeard.code: _("The holder has not been heard yet: put the complaint to it first."),
    report_states.HolderMayReply.code: _(
        "The holder may still reply: it is decided when the term has ended."
    ),
    report_states.HeardAlready.code: _("The holder has been heard already."),
    report_states.NoHolderToHear.code: _("It is about what others do: no holder answers for it."),
    report_states.NotReviewable.code: _(
        "What was dismissed is reviewed once, and when it is asked for in time."
    ),
    report_states.NotYet.code: _("A review can still be asked for."),
}


def _lock_certificate(certificate: int | None, *, at: datetime) -> datetime:
    """Hold the certificate it is about; `at`, or the instant of what was written meanwhile."""
    if certificate is None:
        return at
    state = CertificateState.objects.select_for_update().get(pk=certificate)
    return max(at, state.changed_at) if state.changed_at - at < timedelta(seconds=5) else at


def _write(
    report: Report,
    step: ReportStep,
    *,
    at: datetime,
    by: User | None = None,
    author: User | None = None,
    deadline_at: datetime | None = None,
    **columns: Any,
) -> ReportEvent:
    """`author` is a person of the holder: told to the audit log, and no decider of the step."""
    last = ReportEvent.objects.filter(report=report).order_by("-sequence").first()
    state = ReportState(report.standing.state) if last else None
    event = ReportEvent.objects.create(
        report=report,
        sequence=last.sequence + 1 if last else 1,
        step=step.value,
        at=max(at, last.at) if last else at,
        by=by.person if by else None,
        role=_working_role(by).value if by else None,
        **columns,
    )
    ReportStanding.objects.update_or_create(
        report=report,
        defaults={
            "state": report_states.TRANSITIONS[state, step].value,
            "sequence": event.sequence,
            "deadline_at": deadline_at,
        },
    )
    acting = by or author
    audit.record(
        EVENT_TYPES[step],
        by=acting.person if acting else None,
        at=at,
        subject=f"report:{report.number}",
        certificate=report.certificate.number if report.certificate else None,
    )
    report_posts.tell(report, event)
    return event


def _working_role(by: User) -> Role:
    """In which of the own roles someone works on a complaint: the one that decides, where there is one."""
    held = roles.held_by(by)
    order = (Role.CERTIFIER, Role.APPEALS_OFFICER, Role.EVALUATOR)
    return next(role for role in order if role in held)


def _due(report: Report, days: int, *, at: datetime) -> datetime:
    return terms.end_of_term(at, days=days, zone=report_rows.zone_of(report))


def _appeal_until(certificate: Certificate | None, outcome: str, *, at: datetime) -> datetime | None:
    """The holder may appeal against an outcome that is not simply for it."""
    if certificate is None or outcome == ReportOutcome.DISMISSED:
        return None
    rules = certificate.measurement.scheme.rules
    return terms.end_of_term(at, days=rules.appeal_period, zone=rules.zone)


def _public_event(report: Report, step: ReportStep, *, at: datetime, fixed: dict[str, Any]) -> PublicEvent:
    return public_events.append(
        EVENT_TYPES[step],
        subject=report.number,
        at=at,
        document={"v": 1, "report": report.number, "at": leaves.instant(at), **fixed},
    )


def _publish(report: Report, *, at: datetime) -> None:
    if report.certificate is not None and report.kind not in ABOUT_OTHERS:
        publishing.republish(report.certificate, at=at)


def _is_crowded(certificate: Certificate | None, *, at: datetime) -> bool:
    if certificate is None:
        return False
    since = at - timedelta(days=1)
    return Report.objects.filter(certificate=certificate, received_at__gt=since).count() >= CROWD


# ── what is asked of the words ───────────────────────────────────────────────


def _words(text: str, *, field: str, longest: int = LONGEST_TEXT) -> str:
    written = text.strip().replace("\r\n", "\n")
    if not written or "\x00" in written:
        raise refusals.IncompleteReport(_("Say what it is about."), code="text_needed", field=field)
    if len(written) > longest:
        raise refusals.IncompleteReport(
            _("The text is too long: attach the rest as a file."), code="text_too_long", field=field
        )
    if is_unsafe_name(written.replace("\n", " ").replace("\t", " ")):
        raise refusals.IncompleteReport(
            _("The text holds control characters or marks that turn the direction of writing."),
            code="unsafe_text",
            field=field,
        )
    return written
