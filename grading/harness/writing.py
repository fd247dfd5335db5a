"""From a run to its evidence package: descriptor, records, and as attachments all that was sent back."""

import gzip
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from evidence import checking, packing
from grading import data
from grading.figures import Figure
from grading.harness import decided, judging, measuring, provenance, question_sets
from grading.harness.configuration import Configuration
from grading.harness.measuring import Evaluation, Measured
from grading.harness.refusals import Refused
from grading.harness.running import Run

DOUBTFUL = "doubtful.csv"
_QUOTED = frozenset({"data/items.jsonl", "data/responses.jsonl", "data/verdicts.jsonl"})
_LARGE = 8 << 20


def write(run: Run, package: Path) -> tuple[Evaluation, Measured]:
    """Write the package of a finished run, and `doubtful.csv` beside its journal. The figures are in the descriptor.

    A filled `abstention-review.csv` and a `reviews.csv` (see `kappa --write`) in the folder go into it.
    """
    evaluation = evaluation_of(run)
    measured = measuring.measure(evaluation, run.configuration.scheme)
    descriptor = {**evaluation.descriptor, "declared_figures": list(_declared(measured.figures))}
    raw_folder = run.folder / "raw"
    raw_folder.mkdir(exist_ok=True)
    files = provenance.files_of(run.configuration, run.lists)
    payload: dict[str, bytes | Path] = {
        "evaluation.json": packing.json_document(descriptor),
        "items.jsonl": packing.json_lines(evaluation.items),
        "responses.jsonl": packing.json_lines(evaluation.responses),
        "verdicts.jsonl": packing.json_lines(evaluation.verdicts),
    }
    if evaluation.catalogue is not None:
        payload["catalogue.csv"] = packing.csv_table(["source", "article"], evaluation.catalogue)
    if evaluation.abstention_review:
        payload[decided.ABSTENTIONS] = packing.csv_table(
            ["item", "abstained", "reviewer"], evaluation.abstention_review
        )
    if evaluation.reviews:
        payload[decided.REVIEWS] = packing.csv_table(["item", "reviewer", "verdict"], evaluation.reviews)
    payload["attachments/run.json"] = provenance.run_document(
        run.state, run.configuration, doubtful=len(run.doubtful())
    )
    if run.configuration.judges:
        summary = provenance.canary_summary(run.state, run.configuration.judges, files)
        payload["attachments/canaries.json"] = packing.json_document(summary)
        for path in judging.files(eligibility=run.configuration.eligibility):
            payload[f"attachments/{path}"] = data.read(path)
    if run.lists.replaced is not None:
        payload["attachments/phrases/abstention.json"] = run.lists.replaced
    raw_files = dict(_raw_files(run, raw_folder))
    payload |= {f"attachments/{name}": path for name, path in raw_files.items()}
    if _QUOTED.intersection(descriptor.get("sealed", ())):
        # What came back quotes questions, answers and verdicts: it is sealed with them.
        descriptor["sealed"] = [*descriptor["sealed"], *(f"data/attachments/{name}" for name in raw_files)]
    payload["evaluation.json"] = packing.json_document(descriptor)
    _pack(payload, package)
    _write_doubtful(run)
    return replace(evaluation, descriptor=descriptor), measured


def _pack(payload: Mapping[str, bytes | Path], package: Path) -> None:
    """Write the package, look at it as the registry will, and only then give it its name."""
    part = package.with_name(package.name + ".part")
    with part.open("wb") as into:
        packing.pack(payload, into=into, bag_info={"Bagging-Software": "fehaciente benchmark"})
        into.flush()
        os.fsync(into.fileno())
    with part.open("rb") as source:
        report = checking.check(source, layer="bag")
    if report.integrity != "verified":
        raise Refused("package_faults", path=str(part), faults=[fault.as_json() for fault in report.findings])
    part.replace(package)


def evaluation_of(run: Run) -> Evaluation:
    """The records of a run as they stand in its package."""
    judges = [judge.id for judge in run.configuration.judges]
    ids = {item["id"] for item in run.questions.items}
    verdicts = []
    for (item, number), _ in run.records():
        for judge in judges:
            said = run.state.verdicts.get((item, number, judge))
            if said is None:
                continue
            record = {
                "item": item,
                "run": number if number > 1 else None,
                "judge": judge,
                "verdict": said["verdict"],
            }
            if run.configuration.eligibility:
                record["eligible"] = said["eligible"] is not False
            record["reason"] = said["reason"] or said["why"] or None
            verdicts.append({key: value for key, value in record.items() if value is not None})
    return Evaluation(
        descriptor=_descriptor(run.configuration, run),
        items=run.questions.items,
        responses=[
            {**record, "run": number} if number > 1 else record for (_, number), record in run.records()
        ],
        verdicts=verdicts,
        catalogue=run.questions.catalogue,
        abstention_review=decided.abstentions(run.folder, ids),
        reviews=decided.reviews(run.folder, ids),
    )


def _descriptor(configuration: Configuration, run: Run) -> dict[str, Any]:
    raw, known = configuration.raw, configuration.raw["set"]
    question_set = {"name": known["name"], "sha256": run.questions.sha256}
    question_set |= {
        key: known[key] for key in ("custodian", "holder_had_access", "times_used_before") if key in known
    }
    descriptor: dict[str, Any] = {
        "format": "evaluation-package/1",
        "method": "hallucination",
        "scheme": {"code": configuration.scheme.code, "version": configuration.scheme.version},
        "system": dict(configuration.system),
        "measured_at": run.measured_at,
        "question_set": question_set,
    }
    corpus = dict(raw.get("corpus", {}))
    if "articles" not in corpus and run.questions.catalogue is not None:
        corpus["articles"] = len(set(run.questions.catalogue))
    if corpus:
        descriptor["corpus"] = corpus
    if configuration.judges:
        descriptor["judges"] = [
            {
                "id": judge.id,
                "family": judge.family,
                "version": judge.version,
                "temperature": 0,
                **({} if judge.related_to_holder is None else {"related_to_holder": judge.related_to_holder}),
            }
            for judge in configuration.judges
        ]
    if "kind" in configuration.endpoint:
        descriptor["endpoint_kind"] = configuration.endpoint["kind"]
    for key in ("access", "sealed"):
        if key in raw:
            descriptor[key] = raw[key]
    return descriptor


def _declared(figures: tuple[Figure, ...]) -> Iterator[dict[str, str]]:
    """The client's own figures of the total: the registry recomputes them and says whether they coincide."""
    for figure in figures:
        if (
            figure.group is None
            and figure.category is None
            and figure.judge is None
            and figure.estimate is not None
        ):
            yield {
                "metric": figure.metric,
                "denominator": figure.denominator,
                "value": figure.estimate,
                "low": figure.low,
                "high": figure.high,
            }


def _raw_files(run: Run, folder: Path) -> Iterator[tuple[str, Path]]:
    """What came back, as JSON Lines taken out of the journal one event at a time."""
    responses = "raw-responses.jsonl"
    names = {"response": responses, "unanswered": responses, "judgement": "raw-verdicts.jsonl"}
    keys = ("item", "run", "judge", "stage", "fault")
    open_: dict[str, Any] = {}
    try:
        for event in run.journal:
            name = names.get(event["kind"])
            if name is None or "raw" not in event:
                continue
            if name not in open_:
                open_[name] = (folder / name).open("w", encoding="utf-8")
            where = {key: event[key] for key in keys if event.get(key) is not None}
            line = json.dumps({**where, **event["raw"]}, ensure_ascii=False, separators=(",", ":"))
            open_[name].write(line + "\n")
    finally:
        for file in open_.values():
            file.close()
    for name in open_:
        yield _small(folder / name)


def _small(path: Path) -> tuple[str, Path]:
    """A file as it goes into the package: a large one gzipped, for replies that repeat themselves are packed so small
    that the archive would look like one made to burst."""
    if path.stat().st_size <= _LARGE:
        return path.name, path
    zipped = path.with_name(path.name + ".gz")
    with (
        path.open("rb") as source,
        zipped.open("wb") as into,
        # No name and no date in it: the same replies make the same bytes.
        gzip.GzipFile(filename="", mode="wb", fileobj=into, mtime=0) as stream,
    ):
        shutil.copyfileobj(source, stream, 1 << 20)
    path.unlink()
    return zipped.name, zipped


def _write_doubtful(run: Run) -> None:
    rows = run.doubtful()
    (run.folder / DOUBTFUL).write_bytes(
        question_sets.table(
            ["item", "run", "why", "abstained", "reviewer", "answer"],
            ((item, number, why, "", "", answer) for item, number, why, answer in rows),
        )
    )
