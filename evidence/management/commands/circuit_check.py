"""Checks the circuit of agent runs: walks the known way through the recorder and compares what was recorded."""

import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from evidence.circuit import walking
from evidence.circuit.agreement import Line, Received
from evidence.circuit.way import Step
from evidence.findings import LANGUAGES
from evidence.management.offline import OfflineCommand

_TEXTS = {
    "run": ("Ejecución técnica", "Technical run"),
    "recorded": ("Lo registrado, petición por petición", "What was recorded, request by request"),
    "agrees": ("coincide", "agrees"),
    "differs": ("difiere", "differs"),
    "received": ("recibido", "received"),
    "in_record": ("registrado", "recorded"),
    "nothing": ("nada", "nothing"),
    "superfluous": ("Registradas sin haberse hecho", "Recorded without having been made"),
    "refused": ("Sin token", "Without a token"),
    "not_technical": ("La ejecución no consta como técnica.", "The run is not marked as technical."),
    "all": ("Todo coincide: {n} de {n} peticiones.", "Everything agrees: {n} of {n} requests."),
    "some": ("Coinciden {k} de {n} peticiones.", "{k} of {n} requests agree."),
    "limits": (
        "Es una comprobación técnica de un cliente que ya conoce el camino: no se evalúa ni se certifica.",
        "This is a technical check by a client that already knows the way: it is neither graded nor certified.",
    ),
    "address": ("no es una dirección http o https", "not an http or https address"),
    "unreachable": ("no responde", "does not answer"),
    "no_run": ("el registro no entregó una ejecución técnica", "the registry gave no technical run"),
    "unreadable": ("no se entiende la respuesta del registro", "the registry's answer cannot be read"),
}
_DIFFERENCES = {
    "answer": ("respuesta inesperada", "unexpected answer"),
    "missing": ("sin registro", "no record"),
    "method": ("método", "method"),
    "url": ("dirección", "address"),
    "path": ("ruta normalizada", "normalised path"),
    "status": ("código", "status"),
    "size": ("tamaño", "size"),
    "sha256": ("SHA-256", "SHA-256"),
}


class Command(OfflineCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("url", help="the registry's address, such as http://localhost:8000/")
        parser.add_argument("--json", action="store_true", help="print the outcome as JSON, alone")
        parser.add_argument("--language", choices=LANGUAGES, default="es", help="of the texts (default: es)")

    def handle(self, *args: Any, **options: Any) -> None:
        language = options["language"]
        try:
            outcome = walking.check(options["url"], progress=self._walked)
        except walking.NotWalked as error:
            told = _text("no_run" if error.code == "refused" else error.code, language)
            if options["json"]:
                self.stdout.write(json.dumps({"error": error.code, "detail": error.detail}))
            code = 2 if error.code == "address" else 1
            raise CommandError(f"{error.detail}: {told}", returncode=code) from error
        if options["json"]:
            self.stdout.write(json.dumps(outcome.as_json(), ensure_ascii=False, indent=1))
        else:
            for line in _lines(outcome, language):
                self.stdout.write(line)
        if not outcome.agrees:
            raise SystemExit(1)

    def _walked(self, step: Step, received: Received) -> None:
        self.stderr.write(f"{step.method} {step.target} → {received.status}", ending="\n")


def _lines(outcome: walking.Outcome, language: str) -> list[str]:
    lines = [f"{_text('run', language)}: {outcome.run}", f"{_text('recorded', language)}:", ""]
    for place, line in enumerate(outcome.lines, 1):
        lines += _line(place, line, language)
    lines += ["", f"{_text('refused', language)}: {outcome.refused}"]
    if outcome.superfluous:
        numbers = ", ".join(str(record.get("sequence")) for record in outcome.superfluous)
        lines.append(f"{_text('superfluous', language)}: {numbers}")
    if not outcome.technical:
        lines.append(_text("not_technical", language))
    agreed, count = sum(line.agrees for line in outcome.lines), len(outcome.lines)
    told = _text("all" if agreed == count else "some", language).format(k=agreed, n=count)
    return [*lines, "", told, _text("limits", language)]


def _line(place: int, line: Line, language: str) -> list[str]:
    record = line.recorded or {}
    verdict = _text("agrees" if line.agrees else "differs", language)
    shown = [
        f"{place:>3}",
        f"{record.get('method', '–'):<4}",
        f"{record.get('url', '–')}",
        f"{record.get('status', '–')}",
        f"{record.get('size', '–')} B",
        f"{str(record.get('sha256', '–'))[:16]}",
    ]
    lines = [f"{'  '.join(shown)}  {verdict}"]
    for difference in line.differs:
        told = _DIFFERENCES[difference][LANGUAGES.index(language)]
        lines.append(f"     {told}: {_seen(line, difference, language)}")
    return lines


def _seen(line: Line, difference: str, language: str) -> str:
    """The two values that differ."""
    received = {
        "answer": line.step.status,
        "method": line.step.method,
        "url": line.step.target,
        "path": line.step.normalised,
        "status": line.received.status,
        "size": line.received.size,
        "sha256": line.received.sha256,
        "missing": f"{line.step.method} {line.step.target}",
    }[difference]
    if difference == "answer":
        return f"{received} ≠ {line.received.status}"
    recorded = (line.recorded or {}).get(difference, _text("nothing", language))
    return f"{_text('received', language)} {received}, {_text('in_record', language)} {recorded}"


def _text(code: str, language: str) -> str:
    return _TEXTS[code][LANGUAGES.index(language)]
