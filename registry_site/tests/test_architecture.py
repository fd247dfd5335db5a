"""The house's rules: who may import whom, which modules are pure, and that doors do not write.

Each rule is also tried on a small tree with a planted fault, so that none of them can stay silent.
"""

from pathlib import Path

import pytest

from registry_site.tests import architecture

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def tree():
    return architecture.modules(ROOT)


def test_imports_go_downwards(tree):
    assert architecture.upward_imports(tree) == []


def test_pure_modules_compute_from_their_arguments(tree):
    assert architecture.impure(tree) == []


def test_doors_do_not_write(tree):
    assert architecture.writing_doors(tree) == []


def test_whoever_locks_a_row_read_with_its_parents_says_which(tree):
    assert architecture.locks_on_parents(tree) == []


def test_every_pure_module_named_here_exists(tree):
    missing = architecture.PURE - {module.name for module in tree}
    assert missing == set(), "a pure module was moved or removed: mend architecture.PURE"


def test_every_module_says_what_it_knows(tree):
    import ast

    silent = [
        module.name
        for module in tree
        if not module.is_test and module.tree.body and not ast.get_docstring(module.tree)
    ]
    assert silent == [], "a module opens with one sentence on what it knows"


def test_the_frame_of_steps_is_used_by_the_life_cycle_alone(tree):
    frame = "certificates.steps"
    users = {
        module.name
        for module in tree
        for target, _line in architecture.imports(module)
        if target == frame or target.startswith(f"{frame}.")
    }
    assert users == {"certificates.lifecycle"}, (
        "events have one writer: call a function of certificates.lifecycle"
    )


def planted(tmp_path: Path, files: dict[str, str]) -> list[architecture.Module]:
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return architecture.modules(tmp_path)


@pytest.mark.parametrize(
    "files",
    [
        {"evidence/intake.py": "from grading import schemes"},
        {"grading/recomputation.py": "import certificates.lifecycle"},
        {"registry_site/roles.py": "from evidence.models import Holder"},
        {"evidence/intake.py": "def receive():\n    from certificates.pipeline import advance"},
        {
            "certificates/models/event.py": "from certificates import lifecycle",
            "certificates/lifecycle.py": "import certificates.models.event",
        },
        {"certificates/lifecycle.py": "from .views import public", "certificates/views/public.py": ""},
    ],
)
def test_a_planted_upward_import_is_found(tmp_path, files):
    assert len(architecture.upward_imports(planted(tmp_path, files))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "from django.conf import settings",
        "from evidence.models import Holder",
        "from datetime import datetime\n\ndef f():\n    return datetime.now()",
    ],
)
def test_a_planted_impurity_is_found(tmp_path, text):
    files = {"certificates/states.py": text, "evidence/models/__init__.py": ""}
    assert len(architecture.impure(planted(tmp_path, files))) == 1


@pytest.mark.parametrize("text", ["import scipy.stats", "import msgspec", "from grading import schemes"])
def test_a_planted_library_in_statistics_is_found(tmp_path, text):
    files = {"grading/statistics.py": text, "grading/schemes.py": ""}
    assert len(architecture.impure(planted(tmp_path, files))) == 1


def test_statistics_may_import_its_neighbours(tmp_path):
    files = {
        "grading/statistics.py": "from grading.paired import mcnemar_exact",
        "grading/paired.py": "import math",
    }
    assert architecture.impure(planted(tmp_path, files)) == []


def test_every_module_of_the_standard_library_alone_exists(tree):
    missing = architecture.STANDARD_LIBRARY_ONLY - {module.name for module in tree}
    assert missing == set(), (
        "a module of formulas was moved or removed: mend architecture.STANDARD_LIBRARY_ONLY"
    )


@pytest.mark.parametrize(
    "text",
    [
        "def suspend(request, certificate):\n    certificate.save()",
        "def suspend(request):\n    Certificate.objects.filter(pk=1).update(status='suspended')",
        "def issue(request):\n    Certificate.objects.create(number='x')",
        "def erase(request):\n    StatusEvent.objects.all().delete()",
    ],
)
def test_a_planted_writing_door_is_found(tmp_path, text):
    assert len(architecture.writing_doors(planted(tmp_path, {"certificates/views/staff.py": text}))) == 1


def test_a_dictionary_may_be_updated_in_a_door(tmp_path):
    files = {"certificates/views/staff.py": "def page(context):\n    context.update(title='x')"}
    assert architecture.writing_doors(planted(tmp_path, files)) == []


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("Draft.objects.select_for_update().select_related('case').get(pk=1)", 1),
        ("Draft.objects.select_related('case').filter(pk=1).select_for_update(skip_locked=True).first()", 1),
        ("Draft.objects.select_for_update(of=('self',)).select_related('case').get(pk=1)", 0),
        ("Draft.objects.select_related('case').select_for_update(of=('self',)).get(pk=1)", 0),
        ("Draft.objects.select_for_update().get(pk=1)", 0),
    ],
)
def test_a_planted_lock_on_a_parent_is_found(tmp_path, text, faults):
    assert len(architecture.locks_on_parents(planted(tmp_path, {"grading/series.py": text}))) == faults
