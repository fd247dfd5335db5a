"""Comparison pages made by hand, for looking at and for the tests of the templates: one for every state."""

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from certificates import pages
from grading import comparison, differing, schemes
from grading.comparison import (
    ABSTAINED,
    EXACT,
    HALLUCINATES,
    NEED_NOT_ABSTAIN,
    ORDINARY,
    SHOULD_ABSTAIN,
    Answers,
)

_CHILE = ZoneInfo("America/Santiago")
_HASH = "195aa4f662855507015b6a8b4acfb9d5a2654ebfbe85f88fcb2e3ab4163a7c3d"
# Of each language: right in both, only in the first, only in the second, in neither.
_CELLS = {
    "es": (96, 28, 6, 18),
    "en": (80, 9, 7, 14),
    "pt": (30, 0, 0, 9),
    "arn": (3, 1, 0, 2),
    "ay": (6, 1, 1, 1),
}


def _answers(system: str, *, second: bool, evidence_is_public: bool = False) -> Answers:
    bits, groups = [], []
    for group, (both, only_first, only_second, neither) in _CELLS.items():
        rights = [1] * both + [not second] * only_first + [second] * only_second + [0] * neither
        bits += [ORDINARY | NEED_NOT_ABSTAIN | (EXACT if right else HALLUCINATES) for right in rights]
        bits += [SHOULD_ABSTAIN | (ABSTAINED if place % (2 + second) else 0) for place in range(20)]
        groups += [group] * (len(rights) + 20)
    keys = tuple(_CELLS)
    return Answers(
        system=system,
        method="hallucination",
        scheme="HALU 1",
        scheme_sha256=_HASH,
        set_sha256=_HASH,
        judges=(("quillay", "quillay-2.0", "model"),),
        digests=[f"{place:032}".encode() for place in range(len(bits))],
        groups=keys,
        group_of=[keys.index(group) for group in groups],
        bits=bits,
        evidence_is_public=evidence_is_public,
    )


def _at(day: int) -> datetime:
    return datetime(2026, 11, day, 9, 30, tzinfo=_CHILE)


FIRST = pages.Compared(
    reference="M-117",
    system="Asistente de Normativa Municipal y Regional",
    version="2026.07.1",
    holder="Innova Servicios Jurídicos y Tecnológicos SpA",
    scheme="HALU-1",
    measured_at=_at(3),
    frozen_at=_at(4),
    set_name="Normativa de Chile, preguntas de 2026",
    set_sha256=_HASH,
    evidence_sha256=_HASH,
    items=411,
    certificates=("FEH-2026-000117-56",),
)
SECOND = replace(
    FIRST,
    reference="M-151",
    version="2026.11.0",
    measured_at=_at(20),
    frozen_at=_at(21),
    certificates=("FEH-2026-000151-51",),
)


def every_page(frame: pages.Frame) -> dict[str, tuple[str, pages.ComparisonPage]]:
    """Name → (template, page)."""
    result = comparison.compare(
        _answers("Uno", second=False), _answers("Otro", second=True), scheme=schemes.shipped()["HALU", "1"]
    )
    both = {
        "frame": frame,
        "action": "/es/compare/",
        "typed": ("M-117", "M-151"),
        "first": FIRST,
        "second": SECOND,
    }
    frozen = {"at": _at(21), "verifier": "1", "sha256": _HASH}
    differences = [
        {"field": "scheme", "first": "HALU 1", "second": "HALU 2"},
        {"field": "scheme_sha256", "first": _HASH, "second": _HASH[::-1]},
        {
            "field": "judges",
            "first": ["quillay · quillay-2.0 · model", "people · 2026-07 · human"],
            "second": ["maqui · maqui-1.1 · model"],
        },
        {"field": "files.premise_phrases", "first": _HASH, "second": None},
    ]
    told = tuple(
        pages.Difference(
            field=one["field"],
            **{
                name: pages.Text(**{language: say(one[key], language) for language in ("es", "en")})
                for name, say, key in (
                    ("name", differing.name, "field"),
                    ("first", differing.value, "first"),
                    ("second", differing.value, "second"),
                    ("mend", differing.mend, "field"),
                )
            },
        )
        for one in differences
    )
    states = {
        "done": pages.ComparisonPage(state="done", result=result, grouping="language-1", **frozen, **both),
        "differs": pages.ComparisonPage(state="not_comparable", differences=told, **both),
        "not-asked": pages.ComparisonPage(state="not_asked", **both),
        "waiting": pages.ComparisonPage(state="waiting", done=30_000_000, total=81_000_000, **both),
        "failed": pages.ComparisonPage(state="failed", **both),
        "withheld": pages.ComparisonPage(state="withheld", **both),
        "same": pages.ComparisonPage(state="same", **(both | {"second": None, "offered": (SECOND,)})),
        "unknown": pages.ComparisonPage(
            state="unknown",
            unknown=("M-999",),
            **(both | {"first": None, "second": None, "typed": ("M-999", "")}),
        ),
        "choose": pages.ComparisonPage(
            state="choose", **(both | {"second": None, "typed": ("M-117", ""), "offered": (SECOND, SECOND)})
        ),
    }
    return {f"compare-{name}": ("public/compare.html", page) for name, page in states.items()}
