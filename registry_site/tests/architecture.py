"""Reads the tree's imports and calls, and says what breaks the rules of docs/decisions/0001."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

APPS = ("evidence", "grading", "certificates")  # lowest first: each may import those before it
FRAME = "registry_site"

# Computed from their arguments alone: no ORM, settings, clock or I/O of their own. Whatever one of these imports
# is held to the same rules, so only the heads of each core are named.
PURE = {
    "registry_site.csv_cells",
    "registry_site.leaves",
    "registry_site.role_names",
    "registry_site.wording",
    "registry_site.language_names",
    "registry_site.strict_json",
    "evidence.archive",
    "evidence.bag",
    "evidence.case_documents",
    "evidence.checking",
    "evidence.circuit.agreement",
    "evidence.circuit.way",
    "evidence.findings",
    "evidence.zip_format",
    "evidence.unpacking",
    "evidence.har",
    "evidence.names",
    "evidence.observed_site",
    "evidence.inflate",
    "evidence.finding_texts",
    "evidence.byte_source",
    "evidence.records",
    "evidence.submitted_run",
    "evidence.recorder.addresses",
    "evidence.recorder.headers",
    "evidence.recorder.limits",
    "evidence.recorder.presenting",
    "evidence.run_records",
    "evidence.run_members",
    "evidence.run_numbers",
    "evidence.routes",
    "grading.calibration",
    "grading.comparison",
    "grading.computing",
    "grading.differing",
    "grading.figures",
    "grading.language_groups",
    "grading.methods",
    "grading.rubric_drawing",
    "grading.run_aggregates",
    "grading.rubric_language",
    "grading.run_marks",
    "grading.schemes",
    "grading.sealing",
    "grading.sentences",
    "grading.set_commitments",
    "grading.statistics",
    "grading.suppression",
    "certificates.appeal_states",
    "certificates.application_states",
    "certificates.report_secrets",
    "certificates.report_states",
    "certificates.diagram",
    "certificates.forest",
    "certificates.history",
    "certificates.numbers",
    "certificates.pages",
    "certificates.states",
    "certificates.ways",
}
# The formulas: the standard library and each other, so that any program can take them along.
STANDARD_LIBRARY_ONLY = {
    "grading.agreement",
    "grading.binomial",
    "grading.calibration",
    "grading.data",
    "grading.homogeneity",
    "grading.independent",
    "grading.multiplicity",
    "grading.paired",
    "grading.proportions",
    "grading.sealing",
    "grading.several_rates",
    "grading.statistics",
}
FORBIDDEN_IN_PURE = (
    "django",
    "rest_framework",
    "celery",
    "psycopg",
    "redis",
    "httpx",
    "requests",
    "socket",
    "environ",
)
CLOCK_CALLS = {"now", "utcnow", "today"}

# What the three apps may use of the frame, and what may use everything (doors of the whole site).
FRAME_ROOTS = {
    "registry_site.urls",
    "registry_site.api_urls",
    "registry_site.celery",
    "registry_site.settings",
    "registry_site.fast_path",
}

DOOR_PARTS = {
    "views",
    "api",
    "admin",
    "forms",
    "tasks",
    "urls",
    "public_urls",
    "staff_urls",
    "holder_urls",
    "runs_urls",
    "management",
}
WRITES = {"save", "create", "bulk_create", "get_or_create", "update_or_create", "bulk_update"}
QUERYSET_WRITES = {"update", "delete"}


@dataclass(frozen=True)
class Module:
    """One source file: its dotted name, its path, and its syntax tree."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def app(self) -> str:
        return self.name.split(".")[0]

    @property
    def is_test(self) -> bool:
        return ".tests" in self.name or self.name.endswith(".conftest")

    @property
    def is_door(self) -> bool:
        return bool(DOOR_PARTS & set(self.name.split(".")[1:]))

    @property
    def is_model(self) -> bool:
        return "models" in self.name.split(".")

    def level(self, lowest: set[str]) -> int:
        """0 pure or importing nothing of ours, 1 models, 2 writers and readers, 3 doors: imports go downwards."""
        if self.name in lowest:
            return 0
        if self.is_model:
            return 1
        return 3 if self.is_door else 2


def modules(root: Path) -> list[Module]:
    """Every module of the frame and the three apps below `root`, migrations left out."""
    found = []
    for app in (FRAME, *APPS):
        for path in sorted((root / app).rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            if "migrations" in parts:
                continue
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found.append(Module(name, path, ast.parse(path.read_text(encoding="utf-8"), filename=str(path))))
    return found


def imports(module: Module) -> Iterator[tuple[str, int]]:
    """(dotted name imported, line), also inside functions; imports for type checkers are left out."""
    hidden = {
        id(inner)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for inner in ast.walk(node)
    }
    package = module.name.split(".") if module.path.name == "__init__.py" else module.name.split(".")[:-1]
    for node in ast.walk(module.tree):
        if id(node) in hidden:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node.lineno
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            origin = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield f"{origin}.{alias.name}", node.lineno


def _imported(found: dict[str, Module], module: Module) -> Iterator[tuple[Module, int]]:
    """(module of the project, line) for each import of one."""
    for target, line in imports(module):
        other = found.get(target) or found.get(target.rpartition(".")[0])
        if other is not None and other.name != module.name:
            yield other, line


def pure_names(found: list[Module]) -> set[str]:
    """The modules of PURE, and all that they import, models and doors left out (those are faults)."""
    by_name = {module.name: module for module in found}
    waiting = [m for m in found if any(m.name == head or m.name.startswith(head + ".") for head in PURE)]
    names: set[str] = set()
    while waiting:
        module = waiting.pop()
        if module.name in names or module.is_test or module.is_model or module.is_door:
            continue
        names.add(module.name)
        waiting += [other for other, _ in _imported(by_name, module)]
    return names - {FRAME, *APPS}


def upward_imports(found: list[Module]) -> list[str]:
    """Faults of direction: frame → apps, lower app → higher app, lower level → higher level in one app."""
    by_name = {module.name: module for module in found}
    leaves = {m.name for m in found if not any(_imported(by_name, m)) and not m.is_model and not m.is_door}
    lowest = pure_names(found) | leaves
    faults = []
    for module in found:
        if module.is_test:
            continue
        for target, line in imports(module):
            app = target.split(".")[0]
            where = f"{module.name}:{line} imports {target}"
            if module.app == FRAME and app in APPS and module.name not in FRAME_ROOTS:
                faults.append(
                    f"{where}: the frame knows none of the three apps; move this into the app that needs it"
                )
            elif module.app in APPS and app in APPS and APPS.index(app) > APPS.index(module.app):
                faults.append(
                    f"{where}: {module.app} is below {app}; return a value instead, and let {app} act on it"
                )
            elif app == module.app and app in APPS:
                other = by_name.get(target) or by_name.get(target.rpartition(".")[0])
                if other and not other.is_test and other.level(lowest) > module.level(lowest):
                    faults.append(
                        f"{where}: doors → writers and readers → models → pure modules, never upwards"
                    )
    return faults


def impure(found: list[Module]) -> list[str]:
    """Faults of PURE modules: forbidden imports, impure project modules, the clock, files opened by name."""
    by_name = {module.name: module for module in found}
    pure = pure_names(found)
    faults = []
    for module in found:
        if module.name not in pure:
            continue
        for other, line in _imported(by_name, module):
            if other.name not in pure and other.name not in {FRAME, *APPS}:
                faults.append(
                    f"{module.name}:{line} imports {other.name}: a pure module imports pure modules only"
                )
        for target, line in imports(module):
            top = target.split(".")[0]
            where = f"{module.name}:{line} imports {target}"
            if top in FORBIDDEN_IN_PURE:
                faults.append(f"{where}: a pure module computes from its arguments; pass the value in")
            if module.name in STANDARD_LIBRARY_ONLY and not (
                top in sys.stdlib_module_names or {target, target.rpartition(".")[0]} & STANDARD_LIBRARY_ONLY
            ):
                faults.append(f"{where}: {module.name} imports the standard library alone")
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = node.func.value
                if (
                    node.func.attr in CLOCK_CALLS
                    and isinstance(owner, ast.Name)
                    and owner.id in {"datetime", "date"}
                ):
                    faults.append(
                        f"{module.name}:{node.lineno} reads the clock: take `at` or `now` as an argument"
                    )
    return faults


def _chain(node: ast.AST) -> list[str]:
    names = []
    while isinstance(node, ast.Attribute | ast.Call):
        if isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        else:
            node = node.func
    if isinstance(node, ast.Name):
        names.append(node.id)
    return names


def writing_doors(found: list[Module]) -> list[str]:
    """Doors that write rows themselves instead of calling a writer."""
    faults = []
    for module in found:
        if not module.is_door or module.is_test:
            continue
        for node in ast.walk(module.tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            chain = _chain(node.func)
            verb, rest = chain[0], chain[1:]
            if "super" in rest:
                continue
            on_queryset = bool({"objects", "filter", "exclude", "all", "get"} & set(rest))
            if (verb in WRITES and rest and rest[-1] != "serializer") or (
                verb in QUERYSET_WRITES and on_queryset
            ):
                faults.append(
                    f"{module.name}:{node.lineno} calls .{verb}(): a door finds, asks a writer, and answers"
                )
    return faults


def locks_on_parents(found: list[Module]) -> list[str]:
    """Faults of locking: rows locked with all that was joined to them.

    The application may not lock what is written once, and PostgreSQL refuses it; tests run as the owner and do not
    see it. So whoever locks a row read with its parents says which of them are locked.
    """
    faults = []
    for module in found:
        if module.is_test:
            continue
        for node in ast.walk(module.tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            verbs = {"select_for_update", "select_related"}
            if node.func.attr not in verbs or not verbs <= set(_chain(node)):
                continue
            if _locks_everything(node):
                faults.append(
                    f'{module.name}:{node.lineno} locks what it joins: say select_for_update(of=("self",))'
                )
    return faults


def _locks_everything(node: ast.AST) -> bool:
    while isinstance(node, ast.Attribute | ast.Call):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr == "select_for_update":
                return not any(keyword.arg == "of" for keyword in node.keywords)
            node = node.func
        else:
            node = node.value
    return False
