"""Random people try random steps on real rows: no forbidden state is reached, no past row changes, replay agrees.

What may happen is written down here a second time, by hand and apart from the code under test: `MAY_FOLLOW` after the
table of the domain, `may_*` after the rules of impartiality.
"""

import random
from collections.abc import Callable, Iterable
from datetime import timedelta
from types import MappingProxyType

import pytest
from django.apps import apps
from django.db import transaction

from certificates import (
    appeal_rows,
    appeals,
    holder_requests,
    lifecycle,
    page_facts,
    projections,
    replay,
    report_rows,
    reports,
)
from certificates.models import Appeal, CertificateState, Notice, Report, ReportEvent, StatusEvent
from certificates.states import status_of
from certificates.tests import appealing, registry, reporting
from evidence.models import Interest
from registry_site import clock
from registry_site.append_only import written_once_models
from registry_site.models import User
from registry_site.problems import Refusal
from registry_site.roles import Role
from tests.rehearsals import machinery

# A short walk in the suite; at full size with `script/rehearse chance`.
SEEDS, STEPS = (range(20), 100) if machinery.FULL else (range(1), 80)

# The word of the page before a step, and what may follow on it. A decision of an appeal may be recorded on all.
MAY_FOLLOW = MappingProxyType(
    {
        "active": {"suspend", "revoke", "terminate", "erratum", "expire"},
        "suspended": {"prolong", "reinstate", "revoke", "terminate", "erratum", "expire"},
        "revoked": {"finalise", "erratum"},
        "terminated": {"erratum"},
        "expired": {"erratum", "expire"},
    }
)
_ALWAYS = {"overturn", "vary"}
_LIKELY_STEPS = MappingProxyType(
    {
        "active": ["suspend", "suspend", "revoke"],
        "suspended": ["reinstate", "prolong", "revoke"],
        "revoked": ["erratum"],
        "terminated": ["erratum"],
        "expired": ["erratum"],
    }
)
# What people mostly do next on a complaint.
_LIKELY = MappingProxyType(
    {
        "confirm": ("take_up", "take_up"),
        "take_up": ("ask_holder", "ask_holder"),
        "decline": ("uphold", "ask_holder"),
        "ask_holder": ("reply", "uphold"),
        "reply": ("uphold", "dismiss"),
        "decide": ("ask_review", "uphold"),
        "ask_review": ("uphold", "dismiss"),
        "close": ("ask_review", "reply"),
    }
)
_BY_CERTIFIERS = {"issue", "suspend", "prolong", "reinstate", "revoke", "terminate", "erratum"}


class RegistryByChance:
    """One certificate, seven people with all kinds of roles, the holder, someone who complains, and the clock."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.told: list[str] = []
        who = registry.people()
        self.people: dict[str, User] = {
            "evaluator who certifies": registry.person("Eva Todo", Role.EVALUATOR, Role.CERTIFIER),
            "certifier": who.certifier,
            "second certifier": who.second_certifier,
            "officer": who.appeals_officer,
            "certifier and officer": registry.person("Cora", Role.CERTIFIER, Role.APPEALS_OFFICER),
            "certifier with an interest": registry.person("Inés", Role.CERTIFIER, Role.APPEALS_OFFICER),
            "registrar": who.registrar,
            "superuser": registry.person("Raíz", is_superuser=True, is_staff=True),
        }
        self.evaluator = self.people["evaluator who certifies"]
        self.measurement = registry.measurement(by=self.evaluator)
        self.certificate = registry.issued(who, self.measurement)
        Interest.objects.create(
            person=self.people["certifier with an interest"].person,
            holder=self.certificate.system_version.system.holder,
            kind="consultant",
            declared_at=clock.now(),
        )
        self.at = clock.now()
        self.rows = self.all_rows()

    def walk(self, steps: int) -> None:
        """So many moves, the likely ones more often: nothing happens if only nonsense is tried."""
        moves = [
            (self.time_passes, 3),
            (self.someone_decides, 6),
            (self.another_is_issued_on_the_same_measurement, 1),
            (self.the_holder_appeals, 3),
            (self.an_appeal_goes_on, 6),
            (self.someone_complains, 2),
            (self.a_complaint_goes_on, 7),
            (self.the_sweep_passes, 2),
        ]
        for move in self.dice.choices([m for m, _ in moves], [w for _, w in moves], k=steps):
            move()

    # ── what is tried ────────────────────────────────────────────────────────

    @property
    def who(self) -> str:
        """Those who may are tried more often than those who may not."""
        likely = ["certifier", "second certifier", "officer", "certifier and officer"]
        return self.dice.choice([*likely * 3, *(name for name in self.people if name not in likely)])

    def time_passes(self) -> None:
        days = self.dice.choice([0, 1, 5, 11, 16, 32])
        self.told.append(f"{days} days")
        self.at += timedelta(days=days)

    def someone_decides(self) -> None:
        who, more = self.who, {}
        likely = _LIKELY_STEPS[self.word()]
        step = self.dice.choice(
            [*likely * 3, "suspend", "prolong", "reinstate", "revoke", "terminate", "erratum"]
        )
        by = self.people[who]
        upheld = self.chosen(Report.objects.order_by("pk")) if self.dice.random() < 0.5 else None
        if step in ("suspend", "revoke"):
            more["reason"] = "report_upheld" if upheld else "misuse_of_certificate"
            more["report"] = upheld
        if step in ("suspend", "prolong"):
            more["review_on"] = (self.at + timedelta(days=self.dice.randint(15, 60))).date()
        if step == "suspend":
            more["conditions"] = registry.CONDITIONS
        if step == "terminate":
            more["request"] = self.tried(
                "second certifier: stores a request",
                lambda: holder_requests.store(
                    self.certificate,
                    by=self.people["second certifier"],
                    at=self.at,
                    kind="terminate",
                    text="Pedimos que termine.",
                    received_on=self.at.date(),
                ),
            )
        call = getattr(lifecycle, step)
        self.tried(
            f"{who}: {step}",
            lambda: call(self.certificate, by=by, at=self.at, statement=registry.STATEMENT, **more),
        )

    def another_is_issued_on_the_same_measurement(self) -> None:
        self.tried(
            "second certifier: issue again",
            lambda: lifecycle.issue(
                self.measurement,
                by=self.people["second certifier"],
                at=self.at,
                statement=registry.STATEMENT,
            ),
        )

    def the_holder_appeals(self) -> None:
        appealable = Notice.objects.filter(appeal_until__isnull=False, appeal=None).order_by("pk")
        notice = self.chosen(appealable)
        if notice is not None:
            self.tried(f"the holder appeals {notice.decision}", lambda: appealing.filed(notice, at=self.at))

    def an_appeal_goes_on(self) -> None:
        appeal = self.chosen(Appeal.objects.order_by("pk"))
        if appeal is None:
            return
        who = self.who
        by = self.people[who]
        step = self.dice.choice(["admit", "admit", "inadmissible", "dismiss", "uphold", "uphold", "withdraw"])
        steps: dict[str, Callable[[], object]] = {
            "admit": lambda: appeals.admit(appeal, by=by, at=self.at, summary=appealing.SUMMARY),
            "inadmissible": lambda: appeals.declare_inadmissible(
                appeal,
                by=by,
                at=self.at,
                reason="late" if appeal.late else "without_grounds",
                reasons=appealing.REASONS,
            ),
            "dismiss": lambda: appeals.decide(
                appeal, by=by, at=self.at, outcome="dismissed", reasons=appealing.REASONS
            ),
            "uphold": lambda: appeals.decide(
                appeal, by=by, at=self.at, outcome="upheld", reasons=appealing.REASONS
            ),
            "withdraw": lambda: appeals.withdraw(
                appealing.by_link(appealing.link_to_follow(appeal)), at=self.at
            ),
        }
        self.tried(f"{who}: {step}", steps[step])

    def someone_complains(self) -> None:
        if Report.objects.count() < 3:
            draft = reporting.sent(self.certificate, at=self.at)
            self.tried(
                "someone complains", lambda: reports.confirm(reporting.link_to_confirm(draft), at=self.at)
            )

    def a_complaint_goes_on(self) -> None:
        report = self.chosen(Report.objects.order_by("pk"))
        if report is None:
            return
        step = self.dice.choice(
            [
                *_LIKELY[report.events.last().step] * 4,
                *["take_up", "decline", "ask_holder", "reply", "uphold", "dismiss", "ask_review"],
            ]
        )
        who = self.who
        by = self.people[who]
        texts = {"reasons": reporting.REASONS}
        steps: dict[str, Callable[[], object]] = {
            "take_up": lambda: reports.take_up(report, by=by, at=self.at),
            "decline": lambda: reports.decline(report, by=by, at=self.at, reason="other", **texts),
            "ask_holder": lambda: reports.ask_holder(report, by=by, at=self.at, summary=reporting.SUMMARY),
            "reply": lambda: reports.reply(report, at=self.at, text=reporting.REPLY, published=True),
            "uphold": lambda: reports.decide(report, by=by, at=self.at, outcome="upheld", **texts),
            "dismiss": lambda: reports.decide(report, by=by, at=self.at, outcome="dismissed", **texts),
            "ask_review": lambda: reports.ask_review(
                reporting.link_to_follow(report), at=self.at, why="No se miró todo."
            ),
        }
        self.tried(f"{who}: {step}", steps[step])

    def the_sweep_passes(self) -> None:
        self.tried("the sweep", lambda: lifecycle.sweep(at=self.at))
        self.tried("the sweep", lambda: reports.sweep(at=self.at))
        self.tried("the sweep", lambda: appeals.sweep(at=self.at))

    # ── how it is tried ──────────────────────────────────────────────────────

    def tried(self, what: str, act: Callable[[], object]) -> object:
        """What it gave, or None where a rule refused it; then everything that must hold is looked at."""
        self.at += timedelta(seconds=1)
        before = self.word()
        try:
            with transaction.atomic():
                done = act()
            self.told.append(what)
        except Refusal as refusal:
            self.told.append(f"{what} ✗ {refusal.code}")
            done = None
        self.look(before)
        return done

    def look(self, before: str) -> None:
        rows = self.all_rows()
        for key, row in self.rows.items():
            assert rows.get(key) == row, f"a past row changed: {key}"
        new = rows.keys() - self.rows.keys()
        if any(table == "certificates_statusevent" for table, _key in new):
            self.look_at_events([key for table, key in new if table == "certificates_statusevent"], before)
        if any(table == "certificates_notice" for table, _key in new):
            self.look_at_deciders([key for table, key in new if table == "certificates_notice"])
        if any(table == "certificates_reportevent" for table, _key in new):
            self.look_at_workers([key for table, key in new if table == "certificates_reportevent"])
        self.rows = rows
        if new:
            self.look_at_the_whole()

    def look_at_events(self, keys: Iterable[int], before: str) -> None:
        for event in StatusEvent.objects.filter(pk__in=keys, certificate=self.certificate).order_by("pk"):
            assert event.step in MAY_FOLLOW[before] | _ALWAYS, f"{event.step} followed on {before}"
            if event.step == "finalise":
                for appeal in Appeal.objects.filter(notice=event.target.notice):
                    assert not appeal_rows.life_of(appeal).is_open, "final under appeal"
            before = self.word()

    def look_at_deciders(self, keys: Iterable[int]) -> None:
        for notice in Notice.objects.filter(pk__in=keys):
            person = notice.decided_by
            assert person != self.evaluator.person, f"the evaluator decided: {notice.decision}"
            assert person != self.people["certifier with an interest"].person, "with an interest"
            held = set(person.role_grants.values_list("role", flat=True))
            assert notice.role in held, "without the role"
            if notice.decision in _BY_CERTIFIERS:
                assert "certifier" in held
            if notice.decision in ("suspend", "revoke") and notice.reason == "report_upheld":
                looked = ReportEvent.objects.filter(
                    report__number=notice.reason_number, by=person, step__in=["take_up", "ask_holder"]
                )
                assert not looked.exists(), "who looked into it took the sanction"
            if notice.decision in ("overturn", "vary", "appeal"):
                earlier = Notice.objects.filter(
                    certificate=self.certificate, role="certifier", decided_by=person, pk__lt=notice.pk
                )
                assert not earlier.exclude(decision="report").exists(), "decided an appeal against oneself"

    def look_at_workers(self, keys: Iterable[int]) -> None:
        for event in ReportEvent.objects.filter(pk__in=keys).exclude(by=None):
            assert event.by not in (
                self.evaluator.person,
                self.people["certifier with an interest"].person,
                self.people["certifier"].person,  # who issued it
            )

    def look_at_the_whole(self) -> None:
        assert replay.replay().faults == ()
        assert CertificateState.objects.filter(measurement=self.measurement, live=True).count() <= 1
        for appeal in Appeal.objects.all():
            assert appeal.standing.state == appeal_rows.life_of(appeal).state
        for report in Report.objects.all():
            assert report.standing.state == report_rows.life_of(report).state
        page = page_facts.of_certificate(self.certificate, at=self.at).page
        assert page.verdict.status == self.word()
        assert page.verdict.in_force == (self.word() == "active")
        stored = CertificateState.objects.get(pk=self.certificate.pk)
        if page.verdict.status == "suspended":
            assert page.verdict.review_on is not None
            assert page.verdict.conditions
        if page.verdict.status != "expired":
            assert stored.word == page.verdict.status

    def word(self) -> str:
        events = projections.facts_of(projections.events_of(self.certificate))
        return status_of(events, max(self.at, events[-1].at)).word.value

    def all_rows(self) -> dict[tuple[str, object], tuple[object, ...]]:
        """Every written-once row of the application, whole."""
        return {
            (model._meta.db_table, values[0]): tuple(
                bytes(value) if isinstance(value, memoryview) else value for value in values
            )
            for model in written_once_models()
            if apps.is_installed(model._meta.app_config.name)
            for values in model.objects.values_list("pk", *(field.attname for field in model._meta.fields))
        }

    def chosen(self, rows):
        found = list(rows)
        return self.dice.choice(found) if found else None


@pytest.mark.django_db
@pytest.mark.parametrize("seed", SEEDS)
def test_whatever_people_try_the_registry_stays_within_its_rules(moving_clock, seed):
    registry_by_chance = RegistryByChance(seed)
    try:
        registry_by_chance.walk(STEPS)
    except Exception as error:
        error.add_note("\n".join(registry_by_chance.told))
        raise
    refused = sum("✗" in one for one in registry_by_chance.told)
    assert 0 < refused < len(registry_by_chance.told), "a walk both does things and is refused some"
