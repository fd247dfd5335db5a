"""The catalogue of translations: what has to be said in Spanish, gathered from the sources and compiled for Django.

Message ids are the English sentences of the source; English needs no catalogue.
`locale/es/LC_MESSAGES/django.po` is kept in
the repository, the compiled `.mo` is made at set-up. Needs neither Django's settings nor GNU gettext.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "locale"
SPANISH = LOCALE / "es" / "LC_MESSAGES" / "django.po"
SOURCES = ("registry_site", "evidence", "grading", "certificates", "templates")
KEYWORDS: dict[str, Any] = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
    "npgettext_lazy": ((1, "c"), 2, 3),
}
CONTEXT_MARK = "\x04"  # as in a compiled catalogue: context, mark, message


def gather() -> Catalog:
    """Every translatable string of the sources."""
    catalogue = Catalog(fuzzy=False)
    for path in _source_files():
        source = path.read_text(encoding="utf-8")
        if path.suffix != ".py":
            # What Django makes of a template is Python enough, but for its indentation.
            source = "\n".join(line.lstrip() for line in templatize(source).splitlines())
        found = extract(
            "python", io.BytesIO(source.encode()), keywords=KEYWORDS, options={"encoding": "utf-8"}
        )
        for _line, message, comments, context in found:
            catalogue.add(
                message,
                locations=[(path.relative_to(ROOT).as_posix(), 1)],
                auto_comments=comments,
                context=context,
            )
    return catalogue


def merge() -> list[str]:
    """Bring the Spanish catalogue in step with the sources; what nobody says any more leaves it. Returns
    what lacks a translation.
    """
    with _locked():
        catalogue = _read()
        catalogue.update(gather(), no_fuzzy_matching=True)
        catalogue.obsolete.clear()
        _write(catalogue)
        return untranslated(catalogue)


def fill(translations: dict[str, Any]) -> list[str]:
    """Write translations into the catalogue: {message: Spanish}; with a context «context|message» is written
    context + U+0004 + message.

    A plural is {one-form message: [one, many]}. Returns the messages that the sources do not have.
    """
    with _locked():
        catalogue = _read()
        catalogue.update(gather(), no_fuzzy_matching=True)
        catalogue.obsolete.clear()
        unknown = []
        for key, spanish in translations.items():
            context, mark, text = key.rpartition(CONTEXT_MARK)
            message = catalogue.get(text, context if mark else None)
            if message is None:
                unknown.append(key)
                continue
            message.string = spanish if isinstance(spanish, str) else tuple(spanish)
        _write(catalogue)
        return unknown


def untranslated(catalogue: Catalog) -> list[str]:
    """Messages without Spanish words, or with an empty plural form."""
    return [
        _name(message)
        for message in catalogue
        if message.id and not (all(message.string) if isinstance(message.string, tuple) else message.string)
    ]


def differences() -> list[str]:
    """What keeps the catalogue from being in step with the sources, one line each; empty when nothing does."""
    kept, wanted = _read(), gather()
    wanted_keys = {_key(message) for message in wanted if message.id}
    kept_keys = {_key(message) for message in kept if message.id}
    return [
        *(f"not in the catalogue: {key!r}" for key in sorted(map(str, wanted_keys - kept_keys))),
        *(f"said nowhere any more: {key!r}" for key in sorted(map(str, kept_keys - wanted_keys))),
        *(f"not translated: {name!r}" for name in untranslated(kept)),
        *(
            f"the space before % and after N.º is unbroken (U+00A0; script/messages does it): {_name(message)!r}"
            for message in kept
            for form in (message.string if isinstance(message.string, tuple) else (message.string,))
            if message.id and _unbroken(form) != form
        ),
    ]


def compile_catalogues() -> list[Path]:
    """Make the `.mo` of every catalogue that is newer than it; returns those made."""
    made = []
    for source in sorted(LOCALE.glob("*/LC_MESSAGES/*.po")):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime_ns >= source.stat().st_mtime_ns:
            continue
        with source.open("rb") as file:
            catalogue = read_po(file)
        with _replacing(target) as file:
            write_mo(file, catalogue)
        made.append(target)
    return made


def _unbroken(text: str) -> str:
    """Neither «95 %» nor «N.º 7» is parted at a line's end."""
    return re.sub(r"(?<=[\d}]) (?=%)|(?<=N\.º) ", "\u00a0", text)


def _source_files() -> Iterator[Path]:
    for top in SOURCES:
        for path in sorted((ROOT / top).rglob("*")):
            wanted = path.suffix == ".py" or (top == "templates" and path.suffix in (".html", ".txt"))
            if wanted and not {"tests", "migrations"} & set(path.relative_to(ROOT).parts):
                yield path


def _read() -> Catalog:
    if not SPANISH.exists():
        return Catalog(project="Fehaciente", fuzzy=False)
    with SPANISH.open("rb") as file:
        return read_po(file)


def _write(catalogue: Catalog) -> None:
    for message in catalogue:
        # «95% of» is no format: the flag would make other programs refuse a good translation.
        message.flags.discard("python-format")
        if message.id and isinstance(message.id, tuple):
            # One and many: CLDR's third form, for millions, is not used here.
            given = message.string if isinstance(message.string, tuple) else ()
            message.string = (*given[:2], "", "")[:2]
        if message.id:
            forms = message.string
            message.string = (
                tuple(map(_unbroken, forms)) if isinstance(forms, tuple) else _unbroken(forms or "")
            )
    body = io.BytesIO()
    write_po(body, catalogue, width=120, sort_output=True, include_lineno=False, omit_header=True)
    header = (
        'msgid ""\nmsgstr ""\n"Project-Id-Version: Fehaciente\\n"\n"Language: es\\n"\n"MIME-Version: 1.0\\n"\n'
        '"Content-Type: text/plain; charset=utf-8\\n"\n"Content-Transfer-Encoding: 8bit\\n"\n'
        '"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n\n'
    )
    SPANISH.parent.mkdir(parents=True, exist_ok=True)
    with _replacing(SPANISH) as file:
        file.write(header.encode() + body.getvalue())


def _key(message: Any) -> tuple[str, Any]:
    return (message.context or "", message.id)


def _name(message: Any) -> str:
    text = message.id[0] if isinstance(message.id, tuple) else message.id
    return f"{message.context}{CONTEXT_MARK}{text}" if message.context else text


@contextlib.contextmanager
def _locked() -> Iterator[None]:
    """Several people may gather at once: one after the other."""
    SPANISH.parent.mkdir(parents=True, exist_ok=True)
    folder = os.open(SPANISH.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


@contextlib.contextmanager
def _replacing(target: Path) -> Iterator[Any]:
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
        os.chmod(name, 0o644)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


HELP = """merge: gather and list what lacks Spanish (default) · check: exit 1 when out of step · missing: print
what lacks Spanish as JSON · fill: read such JSON, {message: Spanish}, from standard input · compile: make the .mo"""


def main(arguments: list[str] | None = None) -> int:
    """`script/messages [merge | check | missing | fill | compile]`."""
    parser = argparse.ArgumentParser(prog="script/messages", description=__doc__)
    choices = ("merge", "check", "missing", "fill", "compile")
    parser.add_argument("action", nargs="?", default="merge", choices=choices, help=HELP)
    action = parser.parse_args(arguments).action
    if action == "compile":
        compile_catalogues()
        return 0
    if action == "check":
        faults = differences()
        sys.stderr.write(("\n".join(faults) or "The catalogue is in step.") + "\n")
        return 1 if faults else 0
    if action == "fill":
        unknown = fill(json.load(sys.stdin))
        for key in unknown:
            sys.stderr.write(f"not in the sources: {key!r}\n")
        compile_catalogues()
        return 1 if unknown else 0
    missing = merge()
    compile_catalogues()
    if action == "missing":
        plural = {_name(message) for message in _read() if isinstance(message.id, tuple)}
        wanted = {key: ["", ""] if key in plural else "" for key in missing}
        told = json.dumps(wanted, ensure_ascii=False, indent=1)
    else:
        told = "\n".join(f"lacks Spanish: {key!r}" for key in missing) or "Every message has its Spanish."
    sys.stdout.write(told + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
