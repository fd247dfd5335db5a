"""The numbers that R computed, by the function they check."""

import json
from pathlib import Path

import pytest

TOLERANCE = 1e-9
_VECTORS = json.loads((Path(__file__).parent / "vectors/statistics.json").read_text())["vectors"]


def of(name):
    return [
        pytest.param(vector["input"], vector["expect"], id=vector["id"])
        for vector in _VECTORS
        if vector["fn"] == name
    ]


def near(expected):
    return pytest.approx(expected, abs=TOLERANCE, rel=0)
