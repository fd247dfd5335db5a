"""Makes an evidence package of a run that was recorded elsewhere: a HAR 1.2, a description of the run, its answer."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.utils.module_loading import import_string

from evidence import checking, har, packing, submitted_run
from evidence.findings import LANGUAGES, Finding, Layer
from evidence.management.offline import OfflineCommand
from evidence.plain_json import Fault

_TEXTS = {
    "unreadable": ("no se puede leer", "cannot be read"),
    "unwritable": ("no se puede escribir", "cannot be written"),
    "refused": ("No se hizo ningún paquete:", "No package was made:"),
    "expected": ("se esperaba", "expected"),
    "found": ("se encontró", "found"),
    "package": ("Paquete", "Package"),
    "requests": ("peticiones al sitio", "requests to the site"),
    "elsewhere": ("a otros sitios, dejadas fuera", "to other sites, left out"),
    "cached": ("respondidas por una caché, dejadas fuera", "answered by a cache, left out"),
    "without_body": ("respuestas cuyo cuerpo no está en el HAR", "responses whose body is not in the HAR"),
    "removed": ("campos y secretos retirados", "fields and secrets removed"),
    "submitter": (
        "Consta como registrada por quien la entregó: no se certifica como registrada por el servidor.",
        "It says recorded by the submitter: it is not certified as recorded by the server.",
    ),
}
_COUNTS = ("requests", "elsewhere", "cached", "without_body", "removed")


class Command(OfflineCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="trace (HAR 1.2)")
        parser.add_argument("--run", type=Path, required=True, help="description of the run (JSON)")
        parser.add_argument("--answer", type=Path, required=True, help="final answer, as delivered (UTF-8)")
        parser.add_argument("--into", type=Path, required=True, help="evidence package to write (ZIP)")
        parser.add_argument("--json", action="store_true", help="print the outcome as JSON, alone")
        parser.add_argument("--language", choices=LANGUAGES, default="es", help="of the texts (default: es)")

    def handle(self, *args: Any, **options: Any) -> None:
        language, into = options["language"], options["into"]
        texts = {name: _content(options[name], language) for name in ("run", "answer", "file")}
        findings, counts, members = _made(texts, {name: options[name].name for name in texts})
        answer: dict[str, Any] = {"findings": [_told(finding, language) for finding in findings]}
        if not findings:
            _write(members, into, language)
            report = _checked(into)
            answer = {"package": str(into), "sha256": report.sha256, "recorded_by": "submitter", **counts}
            answer["findings"] = [_told(finding, language) for finding in report.findings]
        if options["json"]:
            self.stdout.write(json.dumps(answer, ensure_ascii=False, indent=1))
        else:
            for line in _lines(answer, language):
                self.stdout.write(line)
        if answer["findings"]:
            into.unlink(missing_ok=True)
            raise SystemExit(1)


def _made(
    texts: dict[str, bytes], names: dict[str, str]
) -> tuple[list[Finding], dict[str, int], dict[str, bytes]]:
    """What is wrong with the three files, what was taken from the HAR, and the members of the package."""
    description, faults = submitted_run.read(texts["run"])
    findings = _findings(names["run"], faults)
    try:
        answer = texts["answer"].decode()
    except UnicodeDecodeError as error:
        fault = Fault("INVALID_UTF8", expected="UTF-8", found=f"byte {error.start + 1}")
        findings += _findings(names["answer"], [fault])
    if description is None or findings:
        return findings, {}, {}
    try:
        imported = har.read(
            texts["file"],
            start_domain=description.start_domain,
            limits=description.limits,
            hosts=frozenset(description.hosts),
        )
    except har.UnusableHar as unusable:
        return _findings(names["file"], unusable.faults), {}, {}
    counts = {"requests": len(imported.exchanges)} | {name: getattr(imported, name) for name in _COUNTS[1:]}
    return [], counts, submitted_run.members(description, imported, answer)


def _findings(member: str, faults: list[Fault]) -> list[Finding]:
    return [Finding(fault.code, member, fault.key, fault.expected, fault.found) for fault in faults]


def _content(path: Path, language: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        told = f"{path}: {_text('unreadable', language)} ({error.strerror or error})"
        raise CommandError(told, returncode=2) from error


def _write(members: dict[str, bytes], into: Path, language: str) -> None:
    try:
        with into.open("wb") as file:
            packing.pack(members, into=file)
    except OSError as error:
        told = f"{into}: {_text('unwritable', language)} ({error.strerror or error})"
        raise CommandError(told, returncode=2) from error


def _checked(path: Path) -> checking.Report:
    """What the registry will say of it: nothing is left over that only the upload would find."""
    reader = import_string(settings.EVIDENCE_OFFLINE_READER)()
    with path.open("rb") as source:
        return checking.check(source, layer=Layer.PACKAGE, reader=reader)


def _told(finding: Finding, language: str) -> dict[str, Any]:
    told = finding.as_json(language)
    del told["mend"]  # it speaks of packages, and here it is the HAR or the description that has to be mended
    return told


def _lines(answer: dict[str, Any], language: str) -> list[str]:
    if answer["findings"]:
        lines = [_text("refused", language)]
        for finding in answer["findings"]:
            place = " · ".join(filter(None, (finding["member"], finding["key"])))
            seen = [
                f"{_text(key, language)}: {finding[key]}" for key in ("expected", "found") if finding[key]
            ]
            lines += ["", f"  {finding['code']}  {place}", f"    {finding['meaning']}"]
            lines += [f"    ({'; '.join(seen)})"] if seen else []
        return lines
    lines = [f"{_text('package', language)}: {answer['package']}", f"SHA-256: {answer['sha256']}"]
    lines += [f"{answer[name]} {_text(name, language)}" for name in _COUNTS]
    return [*lines, "", _text("submitter", language)]


def _text(code: str, language: str) -> str:
    return _TEXTS[code][LANGUAGES.index(language)]
