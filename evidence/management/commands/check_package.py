"""Checks an evidence package offline: the archive, the bag, the descriptor and the records."""

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.utils.module_loading import import_string

from evidence import checking
from evidence.findings import LANGUAGES, Layer
from evidence.management.offline import OfflineCommand

_TEXTS = {
    "verified": ("íntegro", "intact"),
    "failed": ("no íntegro", "not intact"),
    "file": ("Paquete", "Package"),
    "layer": ("Hasta la capa", "Down to layer"),
    "archive": ("archivo ZIP", "ZIP archive"),
    "bag": ("bolsa BagIt", "BagIt bag"),
    "package": ("descriptor y registros", "descriptor and records"),
    "members": ("miembros", "members"),
    "bytes": ("bytes sin comprimir", "bytes unpacked"),
    "complete": ("Completo", "Complete"),
    "digests": ("Sumas SHA-256 conformes", "SHA-256 digests agree"),
    "yes": ("sí", "yes"),
    "no": ("no", "no"),
    "findings": ("Problemas por corregir", "Problems to mend"),
    "warnings": ("Advertencias", "Warnings"),
    "expected": ("se esperaba", "expected"),
    "found": ("se encontró", "found"),
    "omitted": ("más, que no se muestran", "more, not shown"),
    "unreadable": ("no se puede leer el archivo", "the file cannot be read"),
}


class Command(OfflineCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--layer",
            choices=[layer.value for layer in Layer],
            default="package",
            help="how deep (default: package)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path, layer, language = options["file"], options["layer"], options["language"]
        progress = _Progress(self.stderr)
        try:
            with path.open("rb") as source:
                report = checking.check(source, layer=layer, reader=_reader(layer), progress=progress)
        except OSError as error:
            raise CommandError(
                f"{path}: {_text('unreadable', language)} ({error.strerror or error})", returncode=2
            ) from error
        finally:
            progress.end()
        answer = report.as_json(language, package=path.name)
        if options["json"]:
            self.stdout.write(json.dumps(answer, ensure_ascii=False, indent=1))
        else:
            for line in _lines(answer, path, language):
                self.stdout.write(line)
        if report.integrity == "failed":
            raise SystemExit(1)


class _Progress:
    """One line on standard error, written over at a terminal."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._terminal = stream.isatty()
        self._told = False

    def __call__(self, progress: checking.Progress) -> None:
        self._told = True
        line = f"{progress.done / 1e6:,.0f} / {progress.total / 1e6:,.0f} MB · {progress.member}".replace(
            ",", " "
        )
        self._stream.write(
            f"\r\x1b[K{line[:110]}" if self._terminal else line, ending="" if self._terminal else "\n"
        )

    def end(self) -> None:
        if self._told and self._terminal:
            self._stream.write("\r\x1b[K", ending="")


def _reader(layer: str) -> checking.Reader | None:
    """What reads the records: it knows the schemes, so that what passes here is not refused after the upload."""
    if layer != Layer.PACKAGE:
        return None
    return import_string(settings.EVIDENCE_OFFLINE_READER)()  # only here: the layers before need no decoders


def _lines(answer: dict[str, Any], path: Path, language: str) -> list[str]:
    def text(code: str) -> str:
        return _text(code, language)

    lines = [
        f"{text('file')}: {path}",
        f"SHA-256: {answer['sha256']}",
        f"{text('layer')}: {text(answer['layer'])}",
        f"{answer['members']} {text('members')}, {answer['bytes']} {text('bytes')}",
        f"{text('complete')}: {text('yes' if answer['complete'] else 'no')}",
        f"{text('digests')}: {text('yes' if answer['verified_digests'] else 'no')}",
    ]
    for title in ("findings", "warnings"):
        if answer[title]:
            lines += ["", f"{text(title)}:"]
        for finding in answer[title]:
            lines += _finding(finding, text)
    if answer["findings_omitted"]:
        lines += ["", f"… {answer['findings_omitted']} {text('omitted')}."]
    return [*lines, "", f"→ {text(answer['integrity'])}"]


def _finding(finding: dict[str, Any], text: Any) -> list[str]:
    place = " · ".join(filter(None, (finding["member"], finding["key"])))
    lines = ["", f"  {finding['code']}" + (f"  {place}" if place else ""), f"    {finding['meaning']}"]
    seen = [f"{text(key)}: {finding[key]}" for key in ("expected", "found") if finding[key] is not None]
    if seen:
        lines.append(f"    ({'; '.join(seen)})")
    return [*lines, f"    → {finding['mend']}"]


def _text(code: str, language: str) -> str:
    return _TEXTS[code][LANGUAGES.index(language)]
