"""At least one e-mail of every kind, with texts that would be markup if nothing escaped them."""

from datetime import timedelta

from certificates import appeals, applications, lifecycle, operator_letters, reports
from certificates.letters import REFUSED, STEPS
from certificates.report_states import OutOfRemit
from certificates.tests import appealing, applying, registry, reporting
from certificates.tests.registry import People
from evidence import contacts, memberships
from evidence.models import Run
from evidence.tests import running
from registry_site import clock, invitations, outbox
from registry_site.models import Outbox, Person

MARKUP = '<script>alert("x")</script> & <b>más</b>'
BOTH = {"es": MARKUP, "en": MARKUP}


def rows(who: People) -> list[Outbox]:
    """What every kind of event would queue; each is queued here as its own writer does, or in its shape."""
    for make in (
        _decisions,
        _appeals,
        _applications,
        _complaints,
        _people,
        _holders,
        _operators,
        _runs,
        _others,
    ):
        make(who)
    return list(Outbox.objects.order_by("pk"))


def _queue(kind: str, **data) -> None:
    outbox.queue(kind, to="paula@peumo.example", language="es", at=clock.now(), **data)


def _decisions(who: People) -> None:
    event = registry.suspend(registry.issued(who), by=who.certifier, statement=BOTH, conditions=[BOTH])
    for kind, step in [(REFUSED, None), *STEPS.items()]:
        by_the_clock = step in ("expire", "finalise")
        _queue(
            kind,
            certificate=None if kind == REFUSED else event.certificate.number,
            notice=None if by_the_clock else event.notice.number,
            to_holder=True,
        )


def _appeals(who: People) -> None:
    def suspension():
        return registry.suspend(registry.issued(who), by=who.certifier).notice

    decided = appealing.filed(suspension())
    appeals.admit(decided, by=who.appeals_officer, at=clock.now(), summary=BOTH)
    appeals.decide(decided, by=who.appeals_officer, at=clock.now(), outcome="dismissed", reasons=BOTH)
    refused = appealing.filed(suspension())
    appeals.declare_inadmissible(
        refused, by=who.appeals_officer, at=clock.now(), reason="without_grounds", reasons=BOTH
    )
    withdrawn = appealing.filed(suspension())
    appeals.withdraw(appealing.by_link(appealing.link_to_follow(withdrawn)), at=clock.now())


def _applications(who: People) -> None:
    def measured():
        return registry.measurement(by=who.evaluator)

    applications.invite(measured(), at=clock.now())
    inadmissible = applying.filed(measured())
    applications.declare_inadmissible(
        inadmissible, by=who.certifier, at=clock.now(), reason="incomplete", reasons=BOTH
    )
    applying.withdraw(applying.filed(measured()))
    on = measured()
    applying.filed(on)
    refusal = lifecycle.refuse_issue(on, by=who.certifier, at=clock.now(), statement=registry.STATEMENT)
    appealing.decide(appealing.admitted(refusal, who), who)


def _complaints(who: People) -> None:
    certificate = registry.issued(who)
    reporting.sent(certificate)
    declined = reporting.received(certificate)
    reports.decline(
        declined,
        by=who.appeals_officer,
        at=clock.now(),
        reason=next(iter(OutOfRemit)).value,
        reasons=BOTH,
    )
    report = reporting.received(certificate)
    reports.take_up(report, by=who.appeals_officer, at=clock.now())
    reports.ask_holder(report, by=who.appeals_officer, at=clock.now(), summary=BOTH)
    reports.reply(
        report,
        at=clock.now(),
        text={"es": MARKUP, "en": ""},
        published=True,
        link=reporting.link_to_reply(report),
    )
    reports.decide(report, by=who.appeals_officer, at=clock.now(), outcome="dismissed", reasons=BOTH)
    reports.ask_review(reporting.link_to_follow(report), at=clock.now(), why=MARKUP)


def _people(who: People) -> None:
    invitations.invite(
        name="Nora Nueva",
        email="nora@registro.example",
        language="es",
        by=who.registrar.person,
        at=clock.now(),
    )
    person = Person.objects.create(name="Nora <b>Nueva</b>")
    for kind in (
        "invitation.accepted",
        "role.granted",
        "role.ended",
        "account.deactivated",
        "account.reactivated",
        "recovery.opened",
        "recovery.confirmed",
        "recovery.cancelled",
    ):
        for own in (True, False):
            _queue(
                kind,
                path="/staff/people/1/",
                person=person.pk,
                by=who.registrar.person.pk,
                own=own,
                role="certifier",
                roles=["certifier"],
                until=clock.now().isoformat(),
            )


def _holders(who: People) -> None:
    holder = registry.holder()
    for kind in (memberships.LINKED, memberships.ENDED):
        for own in (True, False):
            _queue(kind, path="/holder/", holder=holder.pk, person=who.registrar.person.pk, own=own)
    change = contacts.ask(
        holder, by=who.registrar.person, at=clock.now(), email="nuevo@peumo.example", language="es"
    )
    for kind in (contacts.ASKED, contacts.CANCELLED, contacts.APPLIED):
        for reader in ("old", "new", "account"):
            _queue(kind, path="/es/", change=change.pk, reader=reader)


def _operators(who: People) -> None:
    operating = running.an_operator(who.registrar.person)
    running.registered(by=operating, at=clock.now())
    for kind in operator_letters.KINDS - {"run.registered", "operator.admitted"}:
        _queue(kind, **Outbox.objects.filter(kind__startswith=kind.partition(".")[0] + ".").last().data)


def _runs(_who: People) -> None:
    run = Run.objects.last()
    run.review_until = clock.now() + timedelta(days=5)
    run.save()
    _queue("run.review", path=f"/runs/{run.number}/review/", run=run.number)


def _others(who: People) -> None:
    certificate = registry.issued(who)
    now = clock.now()
    _queue("certificate.expires_soon", certificate=certificate.number)
    for days in (0, 1, 5, -1):
        ending = registry.issued(who, valid_until=now + timedelta(days=max(days, 0), minutes=1))
        # Written out on the day that it tells of.
        row = outbox.queue(
            "certificate.expires_soon",
            to="paula@peumo.example",
            language="es",
            at=now,
            certificate=ending.number,
        )
        row.sent_at = ending.valid_until - timedelta(days=days)
        row.save()
    due = {"source": "appeal_decision", "name": "AP-2026-000001", "at": now.isoformat()}
    for overdue in (True, False):
        _queue(
            "staff.digest",
            concerns=f"digest:1:{overdue}",
            path="/staff/",
            items=[due | {"overdue": overdue}],
            stages=[],
        )
    for outcome, problems in (("ready", 0), ("failed", 0), ("rejected", 1), ("rejected", 12)):
        _queue(
            "package_outcome",
            path="/staff/packages/7/",
            outcome=outcome,
            problems=problems,
            sha256="ab" * 32,
        )
