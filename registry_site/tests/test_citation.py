"""The software's own citation says one thing in every file that carries it."""

import json
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]


def test_citation_archive_and_project_agree():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    archive = json.loads((ROOT / ".zenodo.json").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert citation["version"] == project["version"]
    assert citation["license"] == archive["license"] == project["license"]["text"]
    assert citation["title"] == archive["title"]
    assert citation["keywords"] == archive["keywords"]
    assert [author["name"] for author in citation["authors"]] == [one["name"] for one in archive["creators"]]
