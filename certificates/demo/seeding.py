"""Makes the demonstration happen through the real writers; goes on where an interrupted telling stopped."""

import io
import json
import os
import secrets
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from django.conf import settings
from django.db import transaction

from certificates import (
    appeal_authors,
    appeal_links,
    appeals,
    applications,
    calibrating,
    holder_requests,
    lifecycle,
    policies,
    report_links,
    reports,
    set_custody,
)
from certificates.demo import engine, journeys, run_series, story
from certificates.demo.journeys import PATIENCE, SeedingFailed
from certificates.models import Certificate, HolderRequest, Notice
from certificates.models.appeal import LinkPurpose
from certificates.models.notice import HolderRequestKind
from certificates.models.report import ReportLinkPurpose
from certificates.states import Decision, Step
from evidence import identities, intake, operators, packing
from evidence.models import EvidencePackage, Holder, PackageState
from evidence.models.system import Confirmation, IdentifierKind
from grading import calibrations, comparing, publication
from grading.harness import question_sets, scheme_files, sealing_sets
from grading.models import Measurement, QuestionSet, RequestState
from registry_site import clock, roles
from registry_site.models import Person, User

SCHEME = ("HALU", "1")
# A scheme with criteria, which only the demonstration publishes.
CONTRACT = Path(__file__).with_name("clausula-1.json")


# ── people ───────────────────────────────────────────────────────────────────
def people() -> tuple[dict[str, User], list[dict[str, str]]]:
    """The demonstration's staff by e-mail, and their sign-ins: passwords are made anew at each telling."""
    users: dict[str, User] = {}
    sign_ins = []
    for actor in story.ACTORS:
        password = secrets.token_urlsafe(12)
        users[actor.email] = _hire(actor, password)
        named = actor.role.value if actor.role else "operator"
        sign_ins.append({"role": named, "email": actor.email, "password": password})
    if operators.living(users[story.OPERATOR.email].person) is None:
        operators.admit(
            user=users[story.OPERATOR.email],
            organisation=story.OPERATES_FOR,
            by=users[story.REGISTRAR.email].person,
            at=clock.now(),
        )
    return users, sign_ins


@transaction.atomic
def _hire(actor: story.Actor, password: str) -> User:
    user = User.objects.filter(email=actor.email).select_related("person").first()
    if user is not None:
        user.set_password(password)
        user.save(update_fields=["password"])
        return user
    person = Person.objects.create(name=actor.name)
    user = User.objects.create_user(actor.email, password, person=person, is_demo=True)
    EmailAddress.objects.create(user=user, email=actor.email, verified=True, primary=True)
    if actor.role is not None:
        roles.grant(person, actor.role, by=None, at=clock.now())
        TOTP.activate(user, generate_totp_secret())
    return user


def keep_sign_ins(path: Path, sign_ins: list[dict[str, str]]) -> None:
    """Write them where only the owner of the data folder reads; the file says that all was told."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(sign_ins, file, ensure_ascii=False, indent=1)
    part.replace(path)


# ── the story ────────────────────────────────────────────────────────────────
def tell(users: dict[str, User], *, say: Callable[[str], None]) -> None:
    """Every chapter, from where it stands to its end."""
    publication.publish(CONTRACT.read_bytes(), at=clock.now())
    for position, chapter in enumerate(story.CHAPTERS, 1):
        say(f"{position} of {len(story.CHAPTERS)}: {chapter.system.name} {chapter.system.version}")
        _tell_chapter(chapter, users)
    say("test cases of agent runs")
    run_series.tell(users)


def _tell_chapter(chapter: story.Chapter, users: dict[str, User]) -> None:
    if chapter.sealed:
        _seal_set(chapter, users)
    package = _hand_in(chapter, users, nth=1)
    if chapter.spoiled:
        return
    _confirm(chapter, _measurement(package), users)
    # Read after it: nobody applies for a certificate of a holder that is only proposed.
    measurement = _measurement(package)
    if chapter.applied and policies.refusal_to_apply(measurement) is None:
        at = clock.now()
        applications.store(
            measurement,
            by=users[story.EVALUATOR.email],
            at=at,
            text=chapter.applied,
            received_on=at.date(),
        )
    if chapter.undecided:
        return
    if chapter.refuse:
        if not Notice.objects.filter(measurement=measurement, decision=Decision.REFUSE).exists():
            lifecycle.refuse_issue(
                measurement,
                by=users[story.CERTIFIER.email],
                at=clock.now(),
                statement=chapter.refuse,
                reason="other",
            )
        return
    certificate = _issue(chapter, measurement, users)
    if chapter.complained:
        _complain(chapter.complained, certificate, users)
    done = certificate.events.count() - 1
    for taken in chapter.steps[done:]:
        _take(taken, certificate, users)
    if chapter.appealed:
        _appeal(chapter.appealed, certificate, users)
    if chapter.reviewers and not measurement.calibrations.exists():
        _review(chapter.reviewers, measurement, users)
    if chapter.expires_in_seconds:
        _wait_until_over(certificate)
    if chapter.measured_again:
        again = _measurement(_hand_in(chapter, users, nth=2))
        if not again.certificates.exists():
            lifecycle.issue(
                again,
                by=users[story.CERTIFIER.email],
                at=clock.now(),
                statement=chapter.measured_again,
                supersedes=certificate,
            )
        _compare(again)
    if chapter.newer:
        _compare(_measurement(_hand_in(chapter, users, nth=3, system=chapter.newer)))


def _compare(measurement: Measurement) -> None:
    """Have what changed since the last measurement of the system: made by ourselves, or by the worker that has it."""
    asked = comparing.request_with_earlier(measurement, at=clock.now())
    give_up = time.monotonic() + PATIENCE
    while asked.state in comparing.UNFINISHED:
        if time.monotonic() > give_up:
            raise SeedingFailed(f"a comparison is still {asked.state} after {PATIENCE:.0f} seconds")
        comparing.compute(asked.pk)
        asked.refresh_from_db()
        if asked.state in comparing.UNFINISHED:
            time.sleep(0.5)
    if asked.state != RequestState.DONE:
        raise SeedingFailed(f"a comparison is {asked.state}: {asked.failure}")


def _seal_set(chapter: story.Chapter, users: dict[str, User]) -> None:
    """Register the seal of the chapter's questions before anything is measured with them.

    Questions and salt are kept as a custodian keeps them, so that the reveal can be tried.
    """
    if QuestionSet.objects.filter(name=engine.RESERVED_SET).exists():
        return
    scheme = scheme_files.shipped()[SCHEME]
    asked = engine.reserved(chapter.languages)
    questions = question_sets.QuestionSet(
        items=tuple(asked),
        catalogue=None,
        sha256=question_sets.set_sha256(asked),
        by_category=Counter(item["category"] for item in asked),
    )
    made, salt = sealing_sets.seal(
        questions, name=engine.RESERVED_SET, custodian=engine.CUSTODIAN, scheme=scheme, examples=None
    )
    folder = settings.DATA_DIR / "demo-set"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, content in (("items.jsonl", packing.json_lines(asked)), ("set.salt", salt)):
        # Of a telling that was interrupted before the seal was registered.
        (folder / name).unlink(missing_ok=True)
        sealing_sets.keep(folder / name, content)
    set_custody.seal(made.as_file(), by=users[story.EVALUATOR.email], at=clock.now())


def _hand_in(
    chapter: story.Chapter, users: dict[str, User], *, nth: int, system: story.System | None = None
) -> EvidencePackage:
    """The chapter's nth package, made now unless it was handed in before; its journey is over."""
    evaluator = users[story.EVALUATOR.email]
    filename = f"{chapter.identifier.partition('.')[0]}-{nth}.zip"
    package = EvidencePackage.objects.filter(submitter=evaluator, filename=filename).first()
    if package is None or package.state == PackageState.RECEIVING:
        at = clock.now()
        payload = engine.evaluate(
            system or chapter.system,
            scheme=chapter.scheme,
            at=at,
            declared=chapter.declared,
            languages=chapter.languages,
            sealed=chapter.sealed,
            judge_family=chapter.judge_family,
        )
        if chapter.spoiled:
            payload["verdicts.jsonl"] = payload["verdicts.jsonl"].replace(b'"exact"', b'"exacta"', 1)
        file = io.BytesIO()
        packing.pack(payload, into=file)
        package = intake.receive([file.getvalue()], by=evaluator, filename=filename, at=at)
    return journeys.to_its_end(
        package, wanted=PackageState.REJECTED if chapter.spoiled else PackageState.READY
    )


def _measurement(package: EvidencePackage) -> Measurement:
    return package.measurements.select_related("system_version__system__holder").get()


def _confirm(chapter: story.Chapter, measurement: Measurement, users: dict[str, User]) -> None:
    registrar = users[story.REGISTRAR.email].person
    system = measurement.system_version.system
    holder: Holder = system.holder
    if holder.confirmation != Confirmation.CONFIRMED:
        identities.confirm_holder(
            holder,
            name=holder.name,
            identifier_kind=IdentifierKind.DOMAIN,
            identifier=chapter.identifier,
            country=chapter.country,
            contact_email=f"contacto@{chapter.identifier}",
            by=registrar,
            at=clock.now(),
        )
    if system.confirmation != Confirmation.CONFIRMED:
        identities.confirm_system(system, name=system.name, by=registrar, at=clock.now())


def _issue(chapter: story.Chapter, measurement: Measurement, users: dict[str, User]) -> Certificate:
    certificate = measurement.certificates.first()
    if certificate is None:
        at = clock.now()
        seconds = chapter.expires_in_seconds
        certificate = lifecycle.issue(
            measurement,
            by=users[story.CERTIFIER.email],
            at=at,
            statement=chapter.issue,
            valid_until=at + timedelta(seconds=seconds) if seconds else None,
        )
    return certificate


def _take(taken: story.Taken, certificate: Certificate, users: dict[str, User]) -> None:
    by, at = users[taken.by.email], clock.now()
    facts = {"by": by, "at": at, "statement": taken.statement}
    if taken.step == Step.SUSPEND:
        lifecycle.suspend(
            certificate,
            reason=taken.reason,
            conditions=taken.conditions,
            review_on=at.date() + timedelta(days=taken.review_in_days),
            **facts,
        )
    elif taken.step == Step.REINSTATE:
        lifecycle.reinstate(certificate, **facts)
    elif taken.step == Step.REVOKE:
        lifecycle.revoke(certificate, reason=taken.reason, **facts)
    elif taken.step == Step.TERMINATE:
        lifecycle.terminate(certificate, request=_request(taken, certificate, users), **facts)
    else:
        raise ValueError(f"the story has no {taken.step}")


def _request(taken: story.Taken, certificate: Certificate, users: dict[str, User]) -> HolderRequest:
    stored = certificate.holder_requests.filter(kind=HolderRequestKind.TERMINATE).first()
    if stored is None:
        at = clock.now()
        stored = holder_requests.store(
            certificate,
            by=users[story.CERTIFIER.email],
            at=at,
            kind=HolderRequestKind.TERMINATE,
            text=taken.request,
            received_on=at.date(),
        )
    return stored


def _complain(told: story.Complained, certificate: Certificate, users: dict[str, User]) -> None:
    """From the form to the decision; the secret of the e-mail is used as whoever opens it does."""
    by = users[told.by.email]
    report = certificate.reports.first()
    if report is None:
        at = clock.now()
        draft = reports.send(
            at=at,
            kind=told.kind,
            certificate=certificate,
            text=told.text,
            name=told.name,
            email=told.email,
            language="es",
            once=f"demo-{certificate.pk}",
        )
        secret = report_links.to_confirm(draft, at=at)
        report = reports.confirm(
            report_links.find(secret, purpose=ReportLinkPurpose.CONFIRM, at=at), at=clock.now()
        )
    steps = (
        lambda: reports.take_up(report, by=by, at=clock.now()),
        lambda: reports.ask_holder(report, by=by, at=clock.now(), summary=told.summary),
        lambda: reports.reply(report, at=clock.now(), text=told.reply, published=True),
        lambda: reports.decide(report, by=by, at=clock.now(), outcome=told.outcome, reasons=told.reasons),
    )
    for take in steps[report.events.count() - 1 :]:
        take()


def _appeal(told: story.Appealed, certificate: Certificate, users: dict[str, User]) -> None:
    """Against the last decision, by a link as the holder's letter has one."""
    by = users[told.by.email]
    appeal = certificate.appeals.first()
    if appeal is None:
        at = clock.now()
        notice = certificate.notices.latest("pk")
        secret = appeal_links.to_file(notice, at=at)
        appeal = appeals.file(
            appeal_authors.ByLink(appeal_links.find(secret, purpose=LinkPurpose.FILE, at=at)),
            at=at,
            grounds=told.grounds,
            name=told.name,
            email=certificate.system_version.system.holder.contact_email,
            language="es",
        )
    steps = (
        lambda: appeals.admit(appeal, by=by, at=clock.now(), summary=told.summary),
        lambda: appeals.decide(appeal, by=by, at=clock.now(), outcome=told.outcome, reasons=told.reasons),
    )
    for take in steps[appeal.events.count() - 1 :]:
        take()


def _review(reviewers: tuple[str, ...], measurement: Measurement, users: dict[str, User]) -> None:
    """People judge the sampled answers again: most often as the judge did, who is simulated as well."""
    by = users[story.SECOND_EVALUATOR.email]
    sample = calibrations.sample_of(measurement)
    judged = [joint - 1 for joint, _ in sample.verdicts]
    files = [
        calibrating.File(f"{name}.csv", engine.filled_sheet(name, sample.items, judged)) for name in reviewers
    ]
    seen = calibrating.preview(measurement, files, by=by, at=clock.now())
    calibrating.add(measurement, seen.said, by=by, at=clock.now())


def _wait_until_over(certificate: Certificate) -> None:
    """Nothing is dated back: the clock itself has to pass the end of the term."""
    left = (certificate.valid_until - clock.now()).total_seconds()
    if left > 0:
        time.sleep(min(left, 10) + 0.05)
    lifecycle.sweep(at=clock.now())
