"""Method `agent_run`: from the records of one run to its facts and the marks of its points, in counts alone."""

import hashlib
from collections.abc import Container, Iterator, Sequence
from typing import Any

from evidence import descriptor as descriptors
from evidence.descriptor import Descriptor
from evidence.findings import Code, Finding
from evidence.run_files import BODIES, MARKS, RUBRIC, TRACE, RunRecords
from evidence.run_records import Exchange, MarkRecord, RunRecord, Trace
from evidence.typed_json import shown
from grading import declared, language_groups, rubric_language, run_facts
from grading.figures import Figure, Limitation, Result, figure, rate
from grading.rubric_language import PointDecision, Rubric, UnusableRubric
from grading.run_facts import Facts
from grading.schemes import Scheme

# What a point can come to; a figure each.
MARK_METRICS = ("met", "not_met", "not_observable")


class Grader:
    """Watches the records of one run pass (an `evidence.run_files.Observer`) and then grades them.

    A run without a rubric gives its facts; with one, what code decides; with marks too, each of them, which must agree
    with what code decides.
    """

    def __init__(self, scheme: Scheme) -> None:
        self.scheme = scheme
        self.descriptor: Descriptor | None = None
        self.result: Result | None = None
        self._files: frozenset[str] = frozenset()
        self._run: RunRecord | None = None
        self._rubric: Rubric | None = None
        self._rubric_sha256: str | None = None
        self._commitment: str | None = None
        self._exchanges: list[Exchange] = []
        self._answer: str | None = None
        self._marks: dict[str, tuple[int, MarkRecord]] = {}
        self._wanted: frozenset[str] | None = None
        self._bodies: dict[str, bytes] = {}
        self._facts: Facts | None = None

    # -- records, as they pass --------------------------------------------------------------------

    def begin(self, descriptor: Descriptor, *, files: frozenset[str]) -> None:
        self.descriptor = descriptor
        self._files = files

    def run(self, run: RunRecord) -> None:
        self._run = run

    def rubric(self, text: bytes, salt: bytes | None) -> Iterator[Finding]:
        try:
            rubric = rubric_language.load(text)
        except UnusableRubric as unusable:
            for fault in unusable.faults:
                yield Finding(Code(fault.code), RUBRIC, fault.key, fault.expected, fault.found)
            return
        if self._run is not None and rubric.case != self._run.test_case:
            yield Finding(Code.UNKNOWN_REFERENCE, RUBRIC, "case", self._run.test_case, shown(rubric.case))
        self._rubric = rubric
        self._rubric_sha256 = hashlib.sha256(text).hexdigest()
        if salt is not None:
            self._commitment = hashlib.sha256(salt + text).hexdigest()

    def exchanges(self, exchanges: Sequence[Exchange]) -> None:
        self._exchanges += exchanges

    def answer(self, text: str) -> None:
        self._answer = text

    def marks(self, marks: Sequence[MarkRecord], first_line: int) -> None:
        for line, mark in enumerate(marks, first_line):
            self._marks[mark.point] = line, mark

    def wanted_bodies(self) -> Container[str]:
        if self._wanted is None:
            # No rubric, nobody to read them.
            readable = (
                []
                if self._rubric is None
                else run_facts.readable_bodies(self._exchanges, cut=self._known().cut)
            )
            self._wanted = frozenset(readable)
        return self._wanted

    def body(self, sha256: str, content: bytes) -> None:
        self._bodies[sha256] = content

    # -- marks and figures, when all have passed --------------------------------------------------

    def finish(self, records: RunRecords) -> tuple[list[Finding], list[Finding]]:
        """Grade. Findings where marks are not those that the rubric gives to the trace."""
        if self._run is None or self._answer is None or len(self._exchanges) != records.requests:
            return [], []
        decisions: dict[str, PointDecision] = {}
        if self._rubric is not None:
            decisions = rubric_language.evaluate(self._rubric, self._trace(), self._known(), self._bodies.get)
        findings = list(self._disagreements(decisions)) if MARKS in self._files else []
        if not findings:
            self.result = self._measure(decisions)
        return findings, []

    def answers(self) -> None:
        """Runs are never compared one with one (`grading.run_aggregates`)."""

    def _trace(self) -> Trace:
        return Trace(run=self._run, exchanges=self._exchanges, answer=self._answer or "")

    def _known(self) -> Facts:
        if self._facts is None:
            catalogue = () if self._rubric is None else self._rubric.catalogue
            self._facts = run_facts.facts(self._trace(), catalogue=catalogue)
        return self._facts

    def _disagreements(self, decisions: dict[str, PointDecision]) -> Iterator[Finding]:
        for code, (line, mark) in self._marks.items():
            at = f"{MARKS}:{line}"
            decided = decisions.get(code)
            if decided is None:
                yield Finding(Code.UNKNOWN_REFERENCE, at, "point", RUBRIC, shown(code))
                continue
            yield from self._unsupported(mark, at)
            if mark.by == "evaluator":
                # Code has the first word: who changes it says why.
                if decided.mark is not None and not mark.note:
                    yield Finding(Code.MISSING_KEY, at, "note", "note")
                continue
            if mark.mark != decided.mark:
                yield Finding(Code.MARK_DIFFERS, at, "mark", decided.mark or "evaluator", mark.mark)
            elif tuple(mark.requests) != decided.requests:
                expected, found = shown(list(decided.requests)), shown(mark.requests)
                yield Finding(Code.MARK_DIFFERS, at, "requests", expected, found)
        for code in decisions:
            if code not in self._marks:
                yield Finding(Code.MISSING_KEY, MARKS, shown(code), shown(code))

    def _unsupported(self, mark: MarkRecord, at: str) -> Iterator[Finding]:
        facts = self._known()
        # The request that found the catalogue may show that something was done, never that it was well done.
        last = facts.cut if mark.mark == "not_met" and facts.cut == facts.catalogue_at else facts.cut - 1
        late = [request for request in mark.requests if request > last]
        if late and late[-1] > len(self._exchanges):
            yield Finding(Code.UNKNOWN_REFERENCE, at, "requests", TRACE, str(late[-1]))
        elif late:
            yield Finding(Code.MARK_DIFFERS, at, "requests", f"<= {last}", str(late[0]))
        if mark.mark == "met" and not mark.requests:
            yield Finding(Code.MARK_DIFFERS, at, "requests", ">= 1", "0")

    def _measure(self, decisions: dict[str, PointDecision]) -> Result:
        run, facts = self._run, self._known()
        points = [self._point(code, decided) for code, decided in decisions.items()]
        grouping = language_groups.shipped()[self.scheme.grouping]
        return Result(
            # The same words to the same start domain: what runs of one case variant have in common.
            set_sha256=run.assignment_sha256,
            method="agent_run",
            scheme={
                "code": self.scheme.code,
                "version": self.scheme.version,
                "sha256": self.scheme.sha256,
            },
            figures=tuple(self._figures(points)),
            declared=declared.compare(self.descriptor.declared_figures or (), {}),
            limitations=tuple(self._limitations(points)),
            counts={
                "requests": facts.counted,
                "beyond_limit": facts.beyond_limit,
                "interrupted": facts.interrupted,
            },
            files={"scheme": self.scheme.sha256, "grouping": grouping.sha256},
            grouping_sha256=grouping.sha256,
            run={
                "number": run.run,
                "test_case": run.test_case,
                "case_version": run.case_version,
                "start_domain": run.start_domain,
                "assignment_sha256": run.assignment_sha256,
                "language": run.language,
                "group": grouping.group(run.language),
                "tools": sorted(run.tools),
                "token_sha256": run.token_sha256,
                "ended": run.ended,
                "outcome": run.outcome,
                "recorded_by": run.recorded_by,
                "interventions": [intervention.kind for intervention in run.interventions],
                "facts": facts.as_json(),
                "rubric": None
                if self._rubric is None
                else {
                    "case": self._rubric.case,
                    "version": self._rubric.version,
                    "sha256": self._rubric_sha256,
                    "commitment": self._commitment,
                },
                "points": points,
            },
        )

    def _point(self, code: str, decided: PointDecision) -> dict[str, Any]:
        """A point as it was marked: by its mark if there is one, else by what code decides."""
        _, mark = self._marks.get(code, (0, None))
        if mark is not None:
            marked = {"mark": mark.mark, "by": mark.by, "requests": list(mark.requests), "note": mark.note}
        else:
            by = None if decided.mark is None else "code"
            marked = {"mark": decided.mark, "by": by, "requests": list(decided.requests), "note": None}
        title = next(point.title for point in self._rubric.points if point.code == code)
        return {
            "code": code,
            "title": title,
            **marked,
            "changed": mark is not None and mark.by == "evaluator" and decided.mark is not None,
            "controls": None if self._rubric_is_sealed else [_control(of) for of in decided.controls],
        }

    @property
    def _rubric_is_sealed(self) -> bool:
        return RUBRIC in descriptors.sealed_members(self.descriptor)

    def _figures(self, points: Sequence[dict[str, Any]]) -> Iterator[Figure]:
        """Of each mark how many points have it, in all and of each point: counts, no rate of one run."""
        decided = [point for point in points if point["mark"] is not None]
        reason = None if points else "not_graded"
        for metric in MARK_METRICS:
            k = sum(point["mark"] == metric for point in decided)
            yield self._count(metric, k, len(decided), unjudged=len(points) - len(decided), reason=reason)
        for point in points:
            n = int(point["mark"] is not None)
            for metric in MARK_METRICS:
                k = int(point["mark"] == metric)
                yield self._count(metric, k, n, unjudged=1 - n, category=point["code"])

    def _count(
        self,
        metric: str,
        k: int,
        n: int,
        *,
        unjudged: int,
        category: str | None = None,
        reason: str | None = None,
    ) -> Figure:
        return figure(
            rate(k, n, unjudged),
            metric,
            "points",
            suppression=self.scheme.suppression,
            category=category,
            reason=reason,
            counts_only=True,
        )

    def _limitations(self, points: Sequence[dict[str, Any]]) -> Iterator[Limitation]:
        run, facts, descriptor = self._run, self._known(), self.descriptor
        if (descriptor.scheme.code, descriptor.scheme.version) != (self.scheme.code, self.scheme.version):
            yield Limitation(
                code="other_scheme_declared",
                data={"declared": f"{descriptor.scheme.code} {descriptor.scheme.version}"},
            )
        if not points:
            yield Limitation(code="run_not_graded")
        elif pending := sum(point["mark"] is None for point in points):
            yield Limitation(code="run_points_not_marked", data={"points": pending})
        if run.outcome == "technical":
            yield Limitation(code="run_technical")
        elif run.outcome == "invalidated":
            yield Limitation(code="run_invalidated")
        elif run.outcome == "assisted":
            yield Limitation(code="run_assisted")
        if facts.is_contaminated:
            yield Limitation(code="run_contaminated", data={"request": facts.catalogue_at})
        if facts.beyond_limit:
            yield Limitation(code="run_beyond_limit", data={"requests": facts.beyond_limit})
        if facts.interrupted:
            yield Limitation(code="run_requests_interrupted", data={"requests": facts.interrupted})
        if run.ended == "abandoned":
            yield Limitation(code="run_abandoned")
        if not run.clean_session:
            yield Limitation(code="run_session_not_clean")
        if run.recorded_by == "submitter":
            yield Limitation(code="run_recorded_by_submitter")
        if run.interrupted_by_registry:
            yield Limitation(code="run_interrupted_by_registry")
        if any(e.response is not None and e.response.size for e in self._exchanges) and not any(
            path.startswith(BODIES) for path in self._files
        ):
            yield Limitation(code="run_without_bodies")
        if changed := sum(point["changed"] for point in points):
            yield Limitation(code="run_marks_changed", data={"points": changed})


def _control(decided: Any) -> dict[str, Any]:
    return {
        "id": decided.id,
        "mark": decided.mark,
        "requests": list(decided.requests),
        "because": str(decided.because),
    }
