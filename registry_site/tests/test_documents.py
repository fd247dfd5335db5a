"""The documents say what is: links lead somewhere, variables, commands and files exist, decisions answer «why not»."""

import re
from pathlib import Path

import pytest
from django.core.management import get_commands

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "static").rglob("*.md")]
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
LINK = re.compile(r"\]\(([^)\s]+)\)")
# Variables of the system and of tools that the registry only passes on.
NOT_OURS = {"PATH", "DJANGO_SETTINGS_MODULE", "DJANGO_ALLOW_ASYNC_UNSAFE"}


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as they are made where the page is shown."""
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_links_lead_somewhere(document):
    text = document.read_text(encoding="utf-8")
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        page = (document.parent / path).resolve() if path else document
        assert page.exists(), f"{name(document)} links to {target}"
        if anchor:
            assert anchor in anchors(page.read_text(encoding="utf-8")), f"{name(document)} links to {target}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=name)
def test_commands_scripts_and_files_exist(document):
    text = document.read_text(encoding="utf-8")
    commands = set(re.findall(r"(?:script/manage|manage\.py) ([a-z_]+)", text))
    assert commands <= set(get_commands()), f"{name(document)} names commands that do not exist"
    named = set(re.findall(r"\b(script/[a-z]+)\b", text))
    # Paths with a folder; a name alone stands for a file of the package the text speaks of.
    named |= set(re.findall(r"[\w.-]+(?:/[\w.-]+)+\.(?:py|md|json|yml|html|css)\b", text))
    gone = {path for path in named if not (ROOT / path).exists() and not (document.parent / path).exists()}
    assert not {path for path in gone if path.split("/")[0] in FOLDERS}, f"{name(document)}: mend the path"


FOLDERS = {path.name for path in ROOT.iterdir() if path.is_dir()} - {"data"}


def read_variables() -> set[str]:
    """Every environment variable that code or a script reads."""
    found: set[str] = set()
    sources = [
        *(path for path in ROOT.rglob("*.py") if not {".venv", "data"} & set(path.parts[len(ROOT.parts) :])),
        ROOT / "script" / "_setup",
    ]
    for path in sources:
        text = path.read_text(encoding="utf-8")
        found |= set(re.findall(r"\benv\.\w+\(\s*\"([A-Z_]+)\"", text))
        found |= set(re.findall(r"\bos\.environ(?:\.get\(|\[)\"([A-Z_]+)\"", text))
        found |= set(re.findall(r"\$\{([A-Z_]+):-", text)) if path.suffix != ".py" else set()
    return found - NOT_OURS


def test_operations_names_each_environment_variable_and_no_other():
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    section = page.partition("## Environment variables")[2].partition("\n## ")[0]
    rows = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    told = set(re.findall(r"`([A-Z_]+)`", " ".join(rows)))

    assert told == read_variables(), "mend the table in docs/operations.md"


def test_what_production_sets_is_a_variable():
    told = set(re.findall(r"^([A-Z_]+)=", (ROOT / ".env.example").read_text(encoding="utf-8"), re.MULTILINE))
    compose = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    assert told == set(re.findall(r"(?<!\$)\$\{([A-Z_]+)", compose)), (
        ".env.example and docker-compose.yml differ"
    )


def test_decisions_are_numbered_without_a_gap():
    assert [path.name[:4] for path in DECISIONS] == [f"{n:04d}" for n in range(1, len(DECISIONS) + 1)]


@pytest.mark.parametrize("decision", DECISIONS, ids=name)
def test_a_decision_says_why_not_the_other_way(decision):
    text = decision.read_text(encoding="utf-8")
    assert text.startswith(f"# {int(decision.name[:4])}. ")
    for part in ("Context", "Decision", "Left out", "Consequences"):
        assert text.count(f"**{part}.**") == 1, f"{name(decision)} has no «**{part}.**»"
