"""The client's subcommands under their English and Spanish names: arguments in, texts and an exit status out.

0 all is well, 1 what was handed in is refused, 2 called wrongly, 3 the second is worse, 130 interrupted.
"""

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from grading.harness import scheme_files, texts
from grading.harness.arguments import parser, translated
from grading.harness.progress import Progress
from grading.harness.refusals import Refused
from grading.harness.scheme_files import Scheme
from grading.harness.texts import said, word

OK, REFUSED, USAGE, WORSE, INTERRUPTED = 0, 1, 2, 3, 130
_SHOWN = 50


def main(arguments: Sequence[str], *, out: TextIO | None = None, err: TextIO | None = None) -> int:
    """Run one subcommand; what it found goes to `out`, messages and progress to `err`."""
    out, err = out or sys.stdout, err or sys.stderr
    try:
        options = parser().parse_args(translated(arguments))
    except SystemExit as end:
        return int(end.code or 0)
    session = Session(options, out, err)
    try:
        return getattr(session, options.subcommand.replace("-", "_"))()
    except Refused as refused:
        return session.refuse(refused)
    except KeyboardInterrupt:
        session.tell(said(texts.REFUSALS, "interrupted", options.language))
        return INTERRUPTED
    except BrokenPipeError:
        return OK


class Session:
    """One call of the client."""

    def __init__(self, options: argparse.Namespace, out: TextIO, err: TextIO) -> None:
        self.options = options
        self.language = options.language
        self._out = out
        self._err = err

    # -- what is said -----------------------------------------------------------------------------

    def answer(self, text: str) -> None:
        self._out.write(text if text.endswith("\n") else text + "\n")
        self._out.flush()

    def tell(self, text: str) -> None:
        self._err.write(text + "\n")
        self._err.flush()

    def refuse(self, refused: Refused) -> int:
        """Say why, and what to do; with --json as one object on standard output too."""
        data = dict(refused.data)
        if "code" in data:
            data["remedy"] = said(texts.REMEDIES, data["code"], self.language)
        for key in ("phase", "what"):
            if key in data:
                data[key] = texts.phase_name(data[key], self.language)
        meaning = said(texts.REFUSALS, refused.code, self.language, **data)
        faults = [self._told(fault) for fault in refused.faults]
        if getattr(self.options, "json", False):
            answer = {"refused": refused.code, "meaning": meaning, "faults": faults}
            self.answer(json.dumps(answer, ensure_ascii=False, indent=1))
            return REFUSED
        self.tell(meaning)
        for fault in faults[:_SHOWN]:
            self.tell(self._line(fault))
        if len(faults) > _SHOWN:
            self.tell("  … " + word("more_faults", self.language, n=len(faults) - _SHOWN))
        return REFUSED

    def _told(self, fault: dict[str, Any]) -> dict[str, Any]:
        if "mend" in fault:
            return fault
        expected = fault.get("expected")
        if self.language == "es":
            expected = texts.PLAIN.get(expected, expected)
        return {**fault, "expected": expected, "mend": said(texts.FAULTS, fault["code"], self.language)}

    def _line(self, fault: dict[str, Any]) -> str:
        place = " · ".join(str(part) for part in (fault.get("member"), fault.get("key")) if part)
        seen = [
            f"{word(key, self.language)}: {fault[key]}"
            for key in ("expected", "found")
            if fault.get(key) is not None
        ]
        first = f"  {fault['code']}  {place}" + (f"  ({'; '.join(seen)})" if seen else "")
        return f"{first}\n      → {fault['mend']}"

    # -- subcommands ------------------------------------------------------------------------------

    def validate(self) -> int:
        from grading.harness import question_sets

        scheme = self._scheme()
        try:
            questions, problems = question_sets.load(
                self.options.set,
                scheme=scheme,
                catalogue=self.options.catalogue,
                evaluated_family=self.options.family,
            )
        except OSError as error:
            raise _unreadable(self.options.set, error) from error
        if questions is None:
            raise Refused("set_faults", faults=[problem.as_json() for problem in problems])
        summary = {
            "sound": True,
            "set_sha256": questions.sha256,
            "items": len(questions),
            "catalogue": None if questions.catalogue is None else len(set(questions.catalogue)),
            "by_category": dict(questions.by_category),
            "by_group": dict(questions.by_group),
        }
        if self.options.json:
            self.answer(json.dumps(summary, ensure_ascii=False, indent=1))
            return OK
        names = {category.code: category.names[self.language] for category in scheme.categories}
        counts = [f"{names[code]} {count}" for code, count in questions.by_category.items()]
        groups = [f"{group} {count}" for group, count in questions.by_group.items()]
        catalogue = word("none", self.language)
        if summary["catalogue"] is not None:
            catalogue = f"{summary['catalogue']} {word('articles', self.language)}"
        self.answer(
            f"{word('set_sound', self.language)}: {len(questions)} {word('questions', self.language)}\n"
            f"{word('set_hash', self.language)}: {questions.sha256}\n"
            f"{word('by_category', self.language)}: {', '.join(counts)}\n"
            f"{word('by_group', self.language)}: {', '.join(groups)}\n"
            f"{word('catalogue', self.language)}: {catalogue}"
        )
        return OK

    def run(self) -> int:
        package = self.options.output or self.options.into / "package.zip"
        self._run(self.options.configuration, self.options.into, package, again=self.options.again)
        return OK

    def report(self) -> int:
        from grading.harness import measuring, review_sheets

        if self.options.json or self.options.format == "json":
            self.options.json, self.options.format = True, "json"
        package = self._package(self.options.package)
        measured = measuring.measure(package.evaluation, package.scheme)
        if self.options.sheet:
            averaged = package.scheme.averaged and measured.counts["judges"] > 1
            chosen = review_sheets.sample(
                measured, verdicts_sha256=package.verdicts_sha256, averaged=averaged
            )
            self._write(self.options.sheet, review_sheets.sheet(chosen))
            self.tell(f"{word('sheet_written', self.language)}: {self.options.sheet} ({len(chosen)})")
            if not self.options.output:
                return OK
        self._put(_rendered(package, measured, self.options.format, self.language))
        return OK

    def compare(self) -> int:
        from grading.harness import comparing, comparison_report, measuring, rendering

        first, second = self._package(self.options.first), self._package(self.options.second)
        measured = tuple(measuring.measure(side.evaluation, side.scheme) for side in (first, second))
        try:
            compared = comparing.compare(first, second, measured=measured)
        except comparing.NotComparable as refused:
            raise Refused(
                "not_comparable", faults=[_differing(one) for one in refused.differences]
            ) from refused
        if self.options.json:
            self._put(json.dumps(compared, ensure_ascii=False, indent=1))
        else:
            blocks = comparison_report.blocks(compared, first, second, language=self.language)
            self._put(rendering.plain(blocks))
        if not self.options.fail_if_worse:
            return OK
        if not compared["second_is_worse"] and not compared["could_have_been_told"]:
            self.tell(word("too_small", self.language))
        return WORSE if compared["second_is_worse"] else OK

    def kappa(self) -> int:
        from grading import reviews
        from grading.harness import agreement_report, rendering, review_sheets

        raters: list[tuple[str, dict[str, str]]] = []
        notes: list[dict[str, Any]] = []
        people: list[tuple[str, dict[str, str]]] = []
        for path in self.options.sources:
            if _is_zip(path):
                raters.append((path.name, self._judged(path)))
                continue
            try:
                sheet = review_sheets.read(path, language=self.language)
            except OSError as error:
                raise _unreadable(path, error) from error
            for reviewer, verdicts in review_sheets.by_reviewer(sheet).items():
                name = f"{path.name} · {reviewer}" if reviewer else path.name
                raters.append((name, dict(verdicts)))
                people.append((reviewer, dict(verdicts)))
            notes.append({"source": path.name, **review_sheets.left_out(sheet)})
        if len(raters) < 2:
            raise Refused("no_common_answers")
        pairs = [
            {"first": one[0], "second": other[0], **reviews.between(one[1], other[1])}
            for place, one in enumerate(raters)
            for other in raters[place + 1 :]
        ]
        if not any(pair["verdicts"]["n"] for pair in pairs):
            raise Refused("no_common_answers")
        fleiss = reviews.among([rater for _, rater in raters]) if len(raters) > 2 else None
        if self.options.write:
            self._write_reviews(people)
        if self.options.json:
            answer = {"agreement": pairs, "fleiss": fleiss, "sources": notes}
            self._put(json.dumps(answer, ensure_ascii=False, indent=1))
            return OK
        blocks: list[Any] = [rendering.Title(word("kappa_title", self.language), 1)]
        for pair in pairs:
            blocks += agreement_report.of_two(pair, self.language)
        if fleiss is not None:
            blocks.append(rendering.Paragraph(agreement_report.fleiss_sentence(fleiss, self.language)))
        for note in notes:
            blocks.append(rendering.Listing(tuple(self._notes(note))))
        self._put(rendering.plain(blocks))
        return OK

    def new_set(self) -> int:
        from grading.harness import new_sets

        try:
            new_sets.make(self.options.folder)
        except OSError as error:
            raise _unwritable(self.options.folder, error) from error
        self.tell(f"{word('set_made', self.language)}: {self.options.folder}")
        self.tell(word("next_validate", self.language, path=self.options.folder))
        return OK

    def seal(self) -> int:
        from grading.harness import question_sets, sealing_sets

        options, scheme = self.options, self._scheme()
        for path in (options.salt, options.output, options.canonical):
            if path is not None and path.exists():
                raise Refused("exists", path=str(path))
        try:
            questions, problems = question_sets.load(options.set, scheme=scheme, catalogue=options.catalogue)
            examples = sealing_sets.read_items(options.examples, ids=True) if options.examples else None
        except OSError as error:
            raise _unreadable(options.set, error) from error
        if questions is None:
            raise Refused("set_faults", faults=[problem.as_json() for problem in problems])
        told = sealing_sets.named(options.set)
        name, custodian = (getattr(options, key) or told.get(key) for key in ("name", "custodian"))
        if not name or not custodian:
            raise Refused("set_unnamed")
        made, salt = sealing_sets.seal(
            questions, name=name, custodian=custodian, scheme=scheme, examples=examples
        )
        secret = [(options.salt, salt)]
        if options.canonical:
            secret.append((options.canonical, sealing_sets.canonical(questions.items)))
        for path, content in secret:
            try:
                sealing_sets.keep(path, content)
            except OSError as error:
                raise _unwritable(path, error) from error
        self._write(options.output, made.as_file())
        if options.json:
            self.answer(made.as_file().decode())
        else:
            self.answer(self._sealed(made))
        self.tell(word("salt_kept", self.language, path=options.salt))
        self.tell(word("register_this", self.language, path=options.output))
        return OK

    def _sealed(self, made: Any) -> str:
        counts = {
            key: ", ".join(f"{label} {count}" for label, count in table.items())
            for key, table in (("by_category", made.by_category), ("by_language", made.by_language))
        }
        return (
            f"{word('set_hash', self.language)}: {made.set_sha256}\n"
            f"{word('commitment', self.language)}: {made.commitment}\n"
            f"{word('questions', self.language).capitalize()}: {made.items}\n"
            f"{word('by_category', self.language)}: {counts['by_category']}\n"
            f"{word('by_language', self.language)}: {counts['by_language']}"
        )

    def check_seal(self) -> int:
        from grading import sealing
        from grading.harness import question_sets, sealing_sets

        options = self.options
        try:
            items = sealing_sets.read_items(options.set)
            salt = sealing_sets.read_salt(options.salt)
        except OSError as error:
            raise _unreadable(options.set, error) from error
        found = sealing.commitment(sealing_sets.canonical(items), salt=salt)
        same = found == options.commitment.strip().lower()
        if options.json:
            answer = {"matches": same, "commitment": found, "set_sha256": question_sets.set_sha256(items)}
            self.answer(json.dumps(answer, indent=1))
        else:
            told = word("seal_matches" if same else "seal_differs", self.language)
            self.answer(
                f"{told}\n{word('commitment', self.language)}: {found}\n"
                f"{word('set_hash', self.language)}: {question_sets.set_sha256(items)}"
            )
        return OK if same else REFUSED

    def export(self) -> int:
        from grading.harness import exporting

        try:
            size = exporting.export(self.options.file)
        except OSError as error:
            raise _unwritable(self.options.file, error) from error
        self.tell(f"{word('exported', self.language)}: {self.options.file} ({size} bytes)")
        return OK

    def simulate(self) -> int:
        """Serve the simulated engine and judge, and measure them; or only serve them."""
        from grading.harness import new_sets, simulated_system, simulating

        options = self.options
        system = simulated_system.System(
            holder="Innova SpA",
            name="Asistente simulado",
            version=options.system_version,
            model_family="motor-simulado",
            incorrect=dict.fromkeys(("es", "en", "pt"), options.incorrect),
            ill_founded=options.ill_founded,
            incomplete=options.incomplete,
            abstains=options.abstains,
            fabricates=options.fabricates,
        )
        behaviour = simulating.Behaviour(
            system,
            judge_errs=options.judge_errs,
            judge_obeys=options.judge_obeys,
            delay=options.delay,
        )
        folder = options.into
        server = simulating.Server(behaviour, port=options.port).start()
        try:
            new_sets.write_set(folder / "set", list(simulated_system.items()))
            configuration = folder / f"simulated-{system.version}.toml"
            configuration.write_text(simulating.configuration(server), encoding="utf-8")
            if options.serve:
                self.tell(word("serving", self.language, url=server.url, config=configuration))
                while True:
                    time.sleep(3600)
            package = folder / f"package-{system.version}.zip"
            # Every simulation is asked anew: the server's address is another each time.
            self._run(
                configuration,
                folder / f"run-{system.version}-{server.server_address[1]}",
                package,
                again=False,
            )
            self._simulated_report(package, folder / f"report-{system.version}.md")
        except OSError as error:
            raise _unwritable(folder, error) from error
        except KeyboardInterrupt:
            if options.serve:
                return OK
            raise
        finally:
            server.close()
        return OK

    # -- parts ------------------------------------------------------------------------------------

    def _run(self, path: Path, folder: Path, package: Path, *, again: bool) -> None:
        try:
            from grading.harness import configuration, question_sets, running, writing
        except ModuleNotFoundError as error:
            raise Refused("module_missing", name=error.name) from error
        try:
            settings = configuration.read(path)
            questions, problems = question_sets.load(
                settings.set_path,
                scheme=settings.scheme,
                catalogue=settings.catalogue,
                evaluated_family=settings.system["model_family"],
            )
        except OSError as error:
            raise _unreadable(path, error) from error
        if questions is None:
            raise Refused("set_faults", faults=[problem.as_json() for problem in problems])
        progress = Progress(self._err, self.language)
        run = running.Run(settings, questions, folder, progress=progress)
        try:
            run.go(again=again)
            progress.end()
            _, measured = writing.write(run, package)
            self._summary(run, package, measured, writing.DOUBTFUL)
        except OSError as error:
            raise _unwritable(package, error) from error
        finally:
            progress.end()
            run.close()

    def _summary(self, run: Any, package: Path, measured: Any, doubtful_name: str) -> None:
        from grading.harness import provenance

        digest = _sha256(package)
        doubtful = len(run.doubtful())
        files = provenance.files_of(run.configuration, run.lists)
        canaries = provenance.canary_summary(run.state, run.configuration.judges, files)
        if getattr(self.options, "json", False):
            answer = {
                "package": str(package),
                "sha256": digest,
                "set_sha256": measured.set_sha256,
                "counts": measured.counts,
                "doubtful_abstentions": doubtful,
                "unanswered": len(run.state.unanswered),
                "canaries": [
                    {key: entry[key] for key in ("judge", "planted", "obeyed")}
                    for entry in canaries["judges"]
                ],
                "limitations": list(measured.limitations),
            }
            self.answer(json.dumps(answer, ensure_ascii=False, indent=1))
            return
        self.answer(f"{word('package_written', self.language)}: {package}\nSHA-256: {digest}")
        self.answer(f"{word('set_hash', self.language)}: {measured.set_sha256}")
        for entry in canaries["judges"]:
            if entry["planted"]:
                self.tell(
                    word(
                        "judge_obeyed",
                        self.language,
                        judge=entry["judge"],
                        k=entry["obeyed"],
                        n=entry["planted"],
                    )
                )
        if run.state.unanswered:
            self.tell(word("got_no_answer", self.language, n=len(run.state.unanswered)))
        if run.state.left_out:
            self.tell(word("values_left_out", self.language, n=run.state.left_out))
        unjudged = measured.counts["unjudged"]["no_verdict"]
        if unjudged and run.configuration.judges:
            self.tell(word("unjudged_answers", self.language, n=unjudged))
        if doubtful:
            path = run.folder / doubtful_name
            self.tell(word("look_at_doubtful", self.language, n=doubtful, path=path))
        for limitation in measured.limitations:
            if limitation["code"] == "judge_independence_not_checked":
                self.tell(
                    word(
                        "independence", self.language, judge=limitation["judge"], family=limitation["family"]
                    )
                )

    def _simulated_report(self, path: Path, report: Path) -> None:
        from grading.harness import measuring

        package = self._package(path)
        measured = measuring.measure(package.evaluation, package.scheme)
        self._write(report, _rendered(package, measured, "markdown", self.language).encode())
        self.tell(f"{word('report_written', self.language)}: {report}")
        self.tell(word("simulated", self.language))
        options = self.options
        self.tell(
            f"  incorrect {options.incorrect / 10:g} % · ill_founded {options.ill_founded / 10:g} % · "
            f"incomplete {options.incomplete / 10:g} % · abstention {options.abstains / 10:g} % · "
            f"hostile_fabrication {options.fabricates / 10:g} %"
        )

    def _package(self, path: Path) -> Any:
        from grading.harness import packages

        try:
            return packages.read(path, language=self.language, scheme=self._given_scheme())
        except packages.UnusablePackage as unusable:
            faults = [dict(packages.worded(fault, language=self.language)) for fault in unusable.faults]
            raise Refused("package_faults", path=str(path), faults=faults) from unusable
        except OSError as error:
            raise _unreadable(path, error) from error

    def _judged(self, path: Path) -> dict[str, str]:
        from grading.harness import calibrating, measuring

        package = self._package(path)
        return calibrating.verdicts_of(measuring.measure(package.evaluation, package.scheme))

    def _write_reviews(self, people: list[tuple[str, dict[str, str]]]) -> None:
        from evidence import packing

        rows = []
        for reviewer, verdicts in people:
            name = reviewer or self.options.reviewer
            if not name:
                raise Refused("reviewer_missing")
            rows += [(item, name, verdict) for item, verdict in verdicts.items()]
        self._write(self.options.write, packing.csv_table(["item", "reviewer", "verdict"], rows))
        self.tell(f"{word('reviews_written', self.language)}: {self.options.write} ({len(rows)})")

    def _notes(self, note: dict[str, Any]):
        yield f"{note['source']}: {note['empty']} {word('empty_verdicts', self.language)}"
        if note["normalised"]:
            changed = ", ".join(f"{label} ×{count}" for label, count in note["normalised"].items())
            yield f"{note['source']}: {word('normalised', self.language)}: {changed}"
        if note["extra_columns"]:
            yield f"{note['source']}: {word('extra_columns', self.language)}: {', '.join(note['extra_columns'])}"

    def _scheme(self) -> Scheme:
        return self._given_scheme() or scheme_files.shipped()["HALU", "1"]

    def _given_scheme(self) -> Scheme | None:
        path = getattr(self.options, "scheme", None)
        if path is None:
            return None
        try:
            return scheme_files.load(path.read_bytes())
        except OSError as error:
            raise _unreadable(path, error) from error
        except ValueError as error:
            raise Refused("scheme_unusable", path=str(path), error=str(error)) from error

    def _put(self, text: str) -> None:
        if self.options.output:
            self._write(self.options.output, text.encode())
            self.tell(f"{word('report_written', self.language)}: {self.options.output}")
        else:
            self.answer(text)

    def _write(self, path: Path, content: bytes) -> None:
        try:
            path.write_bytes(content)
        except OSError as error:
            raise _unwritable(path, error) from error


def _rendered(package: Any, measured: Any, format_: str, language: str) -> str:
    from grading.harness import rendering, reports

    if format_ == "json":
        return json.dumps(reports.as_json(package, measured, language=language), ensure_ascii=False, indent=1)
    blocks = reports.blocks(package, measured, language=language)
    return rendering.markdown(blocks) if format_ == "markdown" else rendering.page(blocks, language=language)


def _differing(of: dict[str, Any]) -> dict[str, Any]:
    """A field that keeps two measurements apart, as a fault is told."""
    one, other = (
        ", ".join(value) if isinstance(value, list) else str(value) for value in (of["first"], of["second"])
    )
    return {
        "code": "NOT_COMPARABLE",
        "member": None,
        "key": of["field"],
        "expected": one,
        "found": other,
        "mend": f"{one} ≠ {other}",
    }


def _is_zip(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PK\x03\x04"
    except OSError as error:
        raise _unreadable(path, error) from error


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _unreadable(path: Path, error: OSError) -> Refused:
    return Refused("unreadable_file", path=str(error.filename or path), error=error.strerror or str(error))


def _unwritable(path: Path, error: OSError) -> Refused:
    return Refused("cannot_write", path=str(error.filename or path), error=error.strerror or str(error))
