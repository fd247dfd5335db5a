"""Checks offline that a revealed rubric is the one that was committed to, and that it reads as a rubric."""

import hashlib
import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from evidence.management.offline import OfflineCommand
from grading import rubric_language, sealing
from grading.rubric_language import UnusableRubric

_TEXTS = {
    "is_it": ("es la que se comprometió", "is the one that was committed to"),
    "is_not": ("NO es la que se comprometió", "is NOT the one that was committed to"),
    "expected": ("Compromiso publicado", "Published commitment"),
    "found": ("SHA-256 de sal y rúbrica", "SHA-256 of salt and rubric"),
    "no_salt": (
        "no es una sal: 32 bytes, o 64 cifras hexadecimales",
        "is no salt: 32 bytes, or 64 hex digits",
    ),
    "no_rubric": ("no se lee como rúbrica", "does not read as a rubric"),
    "no_hex": ("el compromiso tiene 64 cifras hexadecimales", "a commitment has 64 hexadecimal digits"),
    "unreadable": ("no se puede leer el archivo", "the file cannot be read"),
    "points": ("Puntos", "Points"),
    "controls": ("Controles", "Controls"),
    "case": ("Caso", "Case"),
    "version": ("versión", "version"),
}


class Command(OfflineCommand):
    help = __doc__

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        for action in parser._actions:
            if action.dest == "file":
                action.help = "the rubric, byte for byte as it was revealed (rubric.json)"
        parser.add_argument("--salt", type=Path, required=True, help="the salt (rubric.salt)")
        parser.add_argument("--commitment", required=True, help="what was published before the first run")

    def handle(self, *args: Any, **options: Any) -> None:
        language, commitment = options["language"], options["commitment"].strip().lower()
        if len(commitment) != 64 or not set(commitment) <= set("0123456789abcdef"):
            raise CommandError(_text("no_hex", language), returncode=2)
        document, salt_file = (_read(options[name], language) for name in ("file", "salt"))
        salt = sealing.salt_in(salt_file)
        answer: dict[str, Any] = {
            "matches": salt is not None and sealing.matches(document, salt=salt, commitment=commitment),
            "commitment": commitment,
            "found": hashlib.sha256((salt or b"") + document).hexdigest() if salt else None,
        }
        try:
            rubric = rubric_language.load(document)
        except UnusableRubric as error:
            answer["faults"] = [{"code": fault.code, "at": fault.key} for fault in error.faults]
        else:
            answer |= {
                "case": rubric.case,
                "version": rubric.version,
                "points": len(rubric.points),
                "controls": sum(len(point.controls) for point in rubric.points),
            }
        if options["json"]:
            self.stdout.write(json.dumps(answer, ensure_ascii=False, indent=1))
        else:
            for line in _lines(answer, options["file"], options["salt"], language):
                self.stdout.write(line)
        if not answer["matches"] or "faults" in answer:
            raise SystemExit(1)


def _lines(answer: dict[str, Any], file: Path, salt: Path, language: str) -> list[str]:
    lines = [f"{file.name}: {_text('is_it' if answer['matches'] else 'is_not', language)}"]
    if answer["found"] is None:
        lines.append(f"  {salt.name}: {_text('no_salt', language)}")
    else:
        lines.append(f"  {_text('expected', language)}: {answer['commitment']}")
        lines.append(f"  {_text('found', language)}: {answer['found']}")
    if "faults" in answer:
        lines.append(f"  {_text('no_rubric', language)}")
        lines += [f"    {fault['code']} {fault['at'] or ''}".rstrip() for fault in answer["faults"]]
    else:
        counted = (f"{_text(name, language)}: {answer[name]}" for name in ("points", "controls"))
        told = f"{_text('case', language)} {answer['case']}, {_text('version', language)} {answer['version']}"
        lines.append("  " + " · ".join((told, *counted)))
    return lines


def _read(path: Path, language: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CommandError(
            f"{path}: {_text('unreadable', language)} ({error.strerror or error})", returncode=2
        ) from error


def _text(key: str, language: str) -> str:
    return _TEXTS[key][language == "en"]
