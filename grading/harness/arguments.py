"""What the client can be asked: its subcommands under their English and Spanish names, and their options."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from grading.harness.texts import LANGUAGES

# English name: (Spanish name, what it does, in Spanish and English).
SUBCOMMANDS = {
    "validate": ("validar", "comprueba un conjunto de preguntas", "checks a question set"),
    "run": ("correr", "pregunta, juzga y escribe el paquete", "asks, judges and writes the package"),
    "report": ("informe", "informe o planilla de un paquete", "report or review sheet of a package"),
    "compare": ("comparar", "compara dos paquetes, par a par", "compares two packages, pair by pair"),
    "kappa": ("kappa", "mide el acuerdo entre juez y personas", "measures agreement of judge and people"),
    "seal": ("sellar", "sella un conjunto de preguntas", "seals a question set"),
    "check-seal": ("comprobar-sello", "comprueba un sello", "checks a seal"),
    "new-set": ("conjunto-nuevo", "escribe un conjunto de ejemplo", "writes an example set"),
    "export": ("exportar", "escribe el cliente en un solo archivo", "writes the client as one file"),
    "simulate": (
        "simular",
        "mide un motor ficticio, de punta a punta",
        "measures a fictitious engine, end to end",
    ),
}


def translated(arguments: Sequence[str]) -> list[str]:
    """The Spanish name of a subcommand as the English one."""
    english = {spanish: name for name, (spanish, *_) in SUBCOMMANDS.items()}
    given = list(arguments)
    for place, argument in enumerate(given):
        if not argument.startswith("-"):
            given[place] = english.get(argument, argument)
            break
    return given


def parser() -> argparse.ArgumentParser:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--language", choices=LANGUAGES, default="es", help="idioma / language (default: es)")
    whole = argparse.ArgumentParser(
        prog="benchmark", description="Mide alucinaciones / measures hallucinations"
    )
    # A later subcommand's own default would win over one given here, so it is asked for after the subcommand.
    commands = whole.add_subparsers(dest="subcommand", required=True, metavar="SUBCOMMAND")

    def add(name: str) -> argparse.ArgumentParser:
        spanish, *does = SUBCOMMANDS[name]
        text = f"{spanish}: {' / '.join(does)}" if spanish != name else " / ".join(does)
        return commands.add_parser(name, parents=[shared], help=text, description=" / ".join(does))

    def json_option(command: argparse.ArgumentParser) -> None:
        command.add_argument(
            "--json", action="store_true", help="JSON en la salida estándar / on standard output"
        )

    def scheme_option(command: argparse.ArgumentParser) -> None:
        command.add_argument("--scheme", type=Path, metavar="FILE", help="esquema / scheme (default: HALU 1)")

    command = add("validate")
    command.add_argument("set", type=Path, help="carpeta o items.jsonl / folder or items.jsonl")
    command.add_argument("--catalogue", type=Path, metavar="CSV", help="source,article")
    command.add_argument("--family", help="familia del sistema evaluado / family of the evaluated system")
    scheme_option(command)
    json_option(command)

    command = add("run")
    command.add_argument("configuration", type=Path, help="TOML")
    command.add_argument(
        "--into", type=Path, required=True, metavar="FOLDER", help="diario y paquete / journal and package"
    )
    command.add_argument("--output", type=Path, metavar="ZIP", help="(default: FOLDER/package.zip)")
    command.add_argument(
        "--again", action="store_true", help="repite lo sin respuesta / asks the unanswered again"
    )
    json_option(command)

    command = add("report")
    command.add_argument("package", type=Path, help="ZIP")
    command.add_argument("--format", choices=("markdown", "html", "json"), default="markdown")
    command.add_argument("--output", type=Path, metavar="FILE")
    command.add_argument(
        "--sheet", type=Path, metavar="CSV", help="planilla de revisión a ciegas / blind review sheet"
    )
    scheme_option(command)
    json_option(command)

    command = add("compare")
    command.add_argument("first", type=Path, help="ZIP")
    command.add_argument("second", type=Path, help="ZIP")
    command.add_argument(
        "--fail-if-worse", action="store_true", help="3 si la segunda es peor / if it is worse"
    )
    command.add_argument("--output", type=Path, metavar="FILE")
    scheme_option(command)
    json_option(command)

    command = add("kappa")
    command.add_argument("sources", type=Path, nargs="+", help="CSV (item, verdict) o paquete / or package")
    command.add_argument(
        "--write", type=Path, metavar="CSV", help="reviews.csv para el paquete / for the package"
    )
    command.add_argument("--reviewer", help="quién revisó / who reviewed")
    command.add_argument("--output", type=Path, metavar="FILE")
    scheme_option(command)
    json_option(command)

    command = add("seal")
    command.add_argument("set", type=Path, help="carpeta o items.jsonl / folder or items.jsonl")
    command.add_argument(
        "--salt",
        type=Path,
        metavar="FILE",
        default=Path("set.salt"),
        help="la sal, solo del custodio / the custodian's own salt (default: set.salt, 0600)",
    )
    command.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        default=Path("set-commitment.json"),
        help="lo que se registra / what is registered (default: set-commitment.json)",
    )
    command.add_argument(
        "--canonical",
        type=Path,
        metavar="FILE",
        help="los bytes sellados, con las preguntas / the sealed bytes, with the questions",
    )
    command.add_argument("--name", help="(default: benchmark.toml)")
    command.add_argument("--custodian", help="(default: benchmark.toml)")
    command.add_argument(
        "--examples", type=Path, metavar="JSONL", help="ejemplos sintéticos propios / own synthetic examples"
    )
    command.add_argument("--catalogue", type=Path, metavar="CSV", help="source,article")
    scheme_option(command)
    json_option(command)

    command = add("check-seal")
    command.add_argument(
        "set", type=Path, help="carpeta, items.jsonl o bytes sellados / folder, items.jsonl or sealed bytes"
    )
    command.add_argument("--salt", type=Path, metavar="FILE", required=True)
    command.add_argument("--commitment", metavar="HEX", required=True)
    json_option(command)

    command = add("new-set")
    command.add_argument("folder", type=Path)

    command = add("export")
    command.add_argument("file", type=Path, help="benchmark.pyz")

    command = add("simulate")
    command.add_argument("--into", type=Path, default=Path("simulated"), metavar="FOLDER")
    command.add_argument(
        "--serve", action="store_true", help="solo servir, hasta Ctrl-C / only serve, until Ctrl-C"
    )
    command.add_argument("--port", type=int, default=0)
    command.add_argument("--system-version", default="1.0")
    for name, default in (
        ("incorrect", 50),
        ("ill-founded", 20),
        ("incomplete", 60),
        ("abstains", 50),
        ("fabricates", 30),
        ("judge-errs", 0),
        ("judge-obeys", 0),
    ):
        command.add_argument(f"--{name}", type=int, default=default, metavar="PER_MILLE")
    command.add_argument("--delay", type=float, default=0.0, metavar="SECONDS")
    json_option(command)
    return whole
