"""The client as one file: its modules, their data, and the pure Python packages it needs, in a zip that Python runs."""

import ast
import importlib.util
import io
import sys
import zipfile
import zipimport
from collections.abc import Iterator
from importlib import metadata, resources
from pathlib import Path

from grading.harness.refusals import Refused

_START = "grading.harness.__main__"
_OURS = ("evidence", "grading", "registry_site")
# Whole packages of others, pure Python with licences that allow it; they go in with their licence.
_PACKED = ("jmespath", "rfc8785")
# Speed only: where it is missing zlib does the same work.
_DONE_WITHOUT = ("isal", "Cryptodome")
# The frame's package starts its worker app when it is imported: the client has an empty one in its place.
_FRAME = "registry_site"
_DATE = (1980, 1, 1, 0, 0, 0)
_MAIN = '''"""Runs the measuring client."""
import sys

if sys.version_info < (3, 11):
    sys.exit("Python 3.11 o posterior / Python 3.11 or newer")

from grading.harness.commands import main

sys.exit(main(sys.argv[1:]))
'''


def export(path: Path) -> int:
    """Write the client to a file that can be run, and return its size."""
    whole = content()
    part = path.with_name(path.name + ".part")
    part.write_bytes(whole)
    part.chmod(0o755)
    part.replace(path)
    return len(whole)


def content() -> bytes:
    """The client in one file. The same sources make the same bytes; the one file is its own copy."""
    if isinstance(__spec__.loader, zipimport.zipimporter):
        return Path(__spec__.loader.archive).read_bytes()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, source in sorted(dict(_members()).items()):
            entry = zipfile.ZipInfo(name, date_time=_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, source)
    return b"#!/usr/bin/env python3\n" + packed.getvalue()


def modules() -> dict[str, bytes]:
    """Every module of ours that the client imports, directly or through others, by dotted name."""
    found: dict[str, bytes] = {}
    waiting = [_START]
    while waiting:
        name = waiting.pop()
        if name in found or name.partition(".")[0] not in _OURS:
            continue
        source = _source(name)
        if source is None:
            continue
        found[name] = source
        if "." in name:
            waiting.append(name.rpartition(".")[0])
        if name != _FRAME:
            waiting += _imports(name, source)
    return found


def foreign_imports() -> set[str]:
    """What the client imports that is neither ours nor of the standard library."""
    found = set()
    for name, source in modules().items():
        for target in _imports(name, source) if name != _FRAME else ():
            top = target.partition(".")[0]
            if top not in _OURS and top not in sys.stdlib_module_names:
                found.add(top)
    return found - set(_DONE_WITHOUT)


def _members() -> Iterator[tuple[str, bytes]]:
    yield "__main__.py", _MAIN.encode()
    for name, source in modules().items():
        path = name.replace(".", "/")
        if name == _FRAME:
            source = b'"""The frame; here only how numbers are written."""\n'
        yield (f"{path}/__init__.py" if _is_package(name) else f"{path}.py"), source
    for package in ("grading.data", "evidence.data"):
        yield from _data(
            resources.files(package.partition(".")[0]).joinpath("data"), package.replace(".", "/")
        )
    for package in _PACKED:
        yield from _foreign(package)


def _data(folder, at: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _data(entry, f"{at}/{entry.name}")
        elif entry.name.endswith(".json"):
            yield f"{at}/{entry.name}", entry.read_bytes()


def _foreign(package: str) -> Iterator[tuple[str, bytes]]:
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise Refused("module_missing", name=package)
    root = resources.files(package)
    yield from _python(root, package)
    for file in metadata.files(package) or ():
        if "licen" in file.name.lower():
            yield f"{package}/{file.name}", Path(file.locate()).read_bytes()


def _python(folder, at: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir() and entry.name != "__pycache__":
            yield from _python(entry, f"{at}/{entry.name}")
        elif entry.name.endswith(".py"):
            yield f"{at}/{entry.name}", entry.read_bytes()


def _imports(name: str, source: bytes) -> Iterator[str]:
    """Names that a module imports, also inside functions; of `from a import b` both «a» and «a.b»."""
    package = name.split(".") if _is_package(name) else name.split(".")[:-1]
    tree = ast.parse(source)
    hidden = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in hidden:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            yield origin
            for alias in node.names:
                yield f"{origin}.{alias.name}"


def _file(name: str):
    top, *rest = name.split(".")
    folder = resources.files(top)
    for part in rest[:-1]:
        folder = folder.joinpath(part)
    if not rest:
        return folder.joinpath("__init__.py")
    plain = folder.joinpath(f"{rest[-1]}.py")
    return plain if plain.is_file() else folder.joinpath(rest[-1]).joinpath("__init__.py")


def _is_package(name: str) -> bool:
    return str(_file(name)).endswith("__init__.py")


def _source(name: str) -> bytes | None:
    """The source of a module, or None for a name that is no module (a class, a function)."""
    file = _file(name)
    return file.read_bytes() if file.is_file() else None
