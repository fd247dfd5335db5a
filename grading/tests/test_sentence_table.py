"""Every edge in full sentences, both languages: `sentence_table.txt` has what is said of the cases named here."""

import re
from pathlib import Path

import pytest

from grading import sentences
from grading.clauses import Direction, Scope
from grading.figures import rate
from grading.tests.sentence_cases import agreement, clause, criteria, entries, name, total

TABLE = Path(__file__).parent / "sentence_table.txt"
LANGUAGES = ("es", "en")

# (k, n) by group, and how they are compared.
GROUPS = {
    "no case of 120": ({"es": (0, 120), "en": (0, 120)}, {}),
    "120 of 120": ({"es": (120, 120), "en": (120, 120)}, {}),
    "five answers in a group": ({"es": (1, 100), "en": (0, 5)}, {}),
    "no answer in a group": ({"es": (1, 100), "en": (0, 0)}, {}),
    "two gaps, a tie, one left out": (
        {"es": (15, 150), "en": (45, 150), "pt": (40, 150), "fr": (2, 20)},
        {},
    ),
    "one of two gaps stands": ({"es": (15, 150), "en": (45, 150), "pt": (20, 150)}, {}),
    "not shown to differ": ({"es": (15, 150), "en": (18, 150)}, {}),
    "few in the reference group": ({"es": (2, 20), "en": (45, 150), "pt": (5, 150)}, {}),
    "reference group not measured": ({"pt": (2, 200), "en": (45, 150)}, {}),
    "no reference group": ({"es": (15, 150), "en": (45, 150)}, {"reference": None}),
    "more is better": ({"es": (135, 150), "en": (105, 150)}, {"metric": "accuracy"}),
    "tables drawn with a seed": ({"es": (1, 60), "en": (8, 60)}, {}),
}
AT_LEAST = clause("0.70", metric="accuracy", denominator="all", direction=Direction.AT_LEAST)
CLAUSES = {
    "the bound is below": ({None: (2, 100)}, [clause()]),
    "no case of 120": ({None: (0, 120)}, [clause()]),
    "120 of 120": ({None: (120, 120)}, [clause()]),
    "the fewest that conform": ({None: (0, 35)}, [clause()]),
    "one fewer": ({None: (0, 34)}, [clause()]),
    "a bound that rounds to the threshold": ({None: (8, 173)}, [clause("0.0887")]),
    "the rate is the threshold": ({None: (10, 100)}, [clause()]),
    "the bound is beyond": ({None: (30, 100)}, [clause()]),
    "the threshold is inside": ({None: (8, 100)}, [clause()]),
    "fewer than required": ({None: (0, 60)}, [clause(minimum_n=100)]),
    "unjudged answers could overturn it": ({None: rate(2, 100, 12)}, [clause()]),
    "unjudged answers could not": ({None: rate(0, 100, 1)}, [clause()]),
    "five answers": ({None: (0, 5)}, [clause()]),
    "twenty answers": ({None: (0, 20)}, [clause()]),
    "no answer": ({None: (0, 0)}, [clause()]),
    "not measured": ({("accuracy", "all", None): (1, 100)}, [clause()]),
    "silence is capped": (
        {None: (1, 100), ("abstention", "all", None): (30, 100)},
        [clause(), clause("0.20", metric="abstention", denominator="all")],
    ),
    "at least, reached": ({("accuracy", "all", None): (90, 100)}, [AT_LEAST]),
    "at least, not reached": ({("accuracy", "all", None): (40, 100)}, [AT_LEAST]),
    "at least, inside": ({("accuracy", "all", None): (72, 100)}, [AT_LEAST]),
    "each group": (
        {None: (34, 260), "es": (1, 100), "en": (30, 100), "pt": (2, 40), "fr": (1, 20)},
        [clause(scope=Scope.EACH_GROUP, required_groups=("es", "fr", "it"))],
    ),
    "no group": ({None: (1, 25), "es": (1, 15), "en": (0, 10)}, [clause(scope=Scope.EACH_GROUP)]),
}
REQUIREMENTS = {
    "all met": {},
    "nothing there": {
        "judges": 0,
        "judged": 0,
        "custodian": None,
        "hostile_missing": ("trampa", "adversarial"),
    },
    "unknown families, and the holder had access": {
        "unknown_families": ("uno", "otro"),
        "holder_had_access": "yes",
    },
    "access not declared": {"holder_had_access": "unknown"},
}
AGREED = {
    ("exact", "exact"): 20,
    ("exact", "incorrect"): 5,
    ("incorrect", "exact"): 10,
    ("incorrect", "incorrect"): 15,
}
THREE = ("ana", "luis", "eva")
AGREEMENTS = {
    "one reviewer": (AGREED, {}),
    "none": ({}, {}),
    "one category": ({("exact", "exact"): 40}, {}),
    "eight answers": ({("exact", "exact"): 5, ("incorrect", "incorrect"): 3}, {}),
    "twenty answers": (
        {("exact", "exact"): 10, ("incorrect", "incorrect"): 8, ("exact", "incorrect"): 2},
        {},
    ),
    "120 of 120": ({("exact", "exact"): 60, ("incorrect", "incorrect"): 60}, {}),
    "none of 120": ({("exact", "incorrect"): 60, ("incorrect", "exact"): 60}, {}),
    "a matrix that would tell": (AGREED, {"figures": [total(25, 54), total(1, 4, "eu")]}),
    "three people apart": (AGREED, {"people": THREE, "differently": 10}),
    "three people alike, two judges": (AGREED, {"people": THREE, "judges": ("j1", "j2")}),
}


def of_groups(case: str, language: str) -> list[str]:
    counts, options = GROUPS[case]
    entry = entries(counts, **options)
    told = sentences.groups.tell(language, name=name, **entry)
    gaps = [f"{gap.group}: {gap.sentence}" for gap in told.gaps]
    return [
        told.gate,
        told.test,
        told.gap_note,
        *gaps,
        told.macro,
        told.left_out,
        told.lowest,
        told.observed_range,
    ]


def of_clauses(case: str, language: str) -> list[str]:
    counts, clauses = CLAUSES[case]
    lines = []
    for told in sentences.criteria.tell(criteria(counts, *clauses), language, name=name).clauses:
        lines += [f"{told.title} → {told.word}. {told.demands}", *told.notes]
        lines += [f"{one.group or '·'} {one.rate}: {one.sentence} {one.further}" for one in told.rates]
    return lines


def of_requirements(case: str, language: str) -> list[str]:
    decided = criteria({None: (1, 100)}, clause(), circumstances=REQUIREMENTS[case])
    told = sentences.criteria.tell(decided, language, name=name)
    return [told.sentence, *(f"{'✓' if met else '✕'} {sentence}" for met, sentence in told.requirements)]


def of_agreements(case: str, language: str) -> list[str]:
    pairs, options = AGREEMENTS[case]
    told = sentences.agreement.tell(agreement(pairs, **options), language)
    lines = [told.summary, told.counts]
    for kappa in told.kappas:
        lines += [f"{kappa.title}: {kappa.verdicts}", kappa.hallucinates]
    return lines


SUBJECTS = {
    "groups": (GROUPS, of_groups),
    "clauses": (CLAUSES, of_clauses),
    "requirements": (REQUIREMENTS, of_requirements),
    "agreements": (AGREEMENTS, of_agreements),
}
CASES = [(subject, case) for subject, (cases, _) in SUBJECTS.items() for case in cases]


def told(subject: str, case: str, language: str) -> str:
    """What is said, a line a sentence, with plain spaces."""
    lines = [line for line in SUBJECTS[subject][1](case, language) if line]
    return "\n".join(re.sub(r"[\u00a0\u202f]", " ", line).strip() for line in lines)


def table() -> dict[tuple[str, str, str], str]:
    """The file: «# subject: case», then the lines of each language under «es» and «en»."""
    found = {}
    for part in TABLE.read_text(encoding="utf-8").split("\n# ")[1:]:
        head, _, body = part.partition("\n")
        subject, _, case = head.partition(": ")
        for language, lines in re.findall(
            r"^(es|en)\n(.*?)(?=^(?:es|en)$|\Z)", body, re.DOTALL | re.MULTILINE
        ):
            found[subject, case, language] = lines.strip()
    return found


def whole() -> str:
    """The file anew, to be read line by line before it is kept."""
    parts = ["What is said of each case of test_sentence_table.py; spaces are plain here.\n"]
    for subject, case in CASES:
        parts.append(f"# {subject}: {case}")
        parts += [f"{language}\n{told(subject, case, language)}" for language in LANGUAGES]
    return "\n".join(parts) + "\n"


@pytest.mark.parametrize(("subject", "case"), CASES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_case_reads_as_the_table_says(subject, case, language):
    assert told(subject, case, language) == table()[subject, case, language]


def test_the_table_has_these_cases_and_no_others():
    assert set(table()) == {(*of, language) for of in CASES for language in LANGUAGES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_nought_alone(language):
    for subject, case in CASES:
        said = told(subject, case, language)
        assert not re.search(r"(?<![\d,.–\[] )(?<![\d,.])\b(?:0|0[.,]0|100|100[.,]0) ?%", said), (
            subject,
            case,
        )


class TestWhatDecidesIsNotWhatIsPrinted:
    def gate(self, p, outcome):
        differ = outcome == "differ"
        return {"outcome": outcome, "p": p, "differ": differ}

    @pytest.mark.parametrize(
        ("p", "outcome", "printed"),
        [
            ("0.0499999", "differ", "p < 0,05"),
            ("0.0499", "differ", "p < 0,05"),
            ("0.0494", "differ", "p = 0,049"),
            # Six digits of a p that is a little less than 0.05.
            ("0.05", "differ", "p < 0,05"),
            ("0.05", "no_difference_shown", "p = 0,050"),
            ("0.0500001", "no_difference_shown", "p = 0,050"),
            ("0.000004", "differ", "p < 0,001"),
            ("1", "no_difference_shown", "p = 1,000"),
        ],
    )
    def test_p_beside_its_sentence(self, p, outcome, printed):
        said = sentences.groups.of_gate(self.gate(p, outcome), "es")
        assert f"({printed})" in said
        assert ("Los grupos lingüísticos difieren" in said) == (outcome == "differ")

    @pytest.mark.parametrize(
        ("test", "why"), [("mcnemar", "en tan pocas preguntas"), ("fisher", "Con tan pocas respuestas")]
    )
    def test_a_gap_that_no_outcome_could_show(self, test, why):
        gap = {"p_holm": "1", "significant": False, "cannot_be_significant": True, "test": test}
        assert why in sentences.groups.of_gap(gap, "español", "es")

    def test_the_same_of_a_gap_and_of_a_comparison(self):
        gap = {"p_holm": "0.0499999", "significant": True, "difference": "0.1", "low": "0.01", "high": "0.2"}
        assert "(p < 0,05, con" in sentences.groups.of_gap(gap, "español", "es")
        row = {"no_discordant_pairs": False, "p": "0.04", **gap}
        assert sentences.of_comparison(row, "en").endswith("(p < 0.05).")

    def test_a_bound_beside_its_threshold_never_looks_the_same_unless_it_is(self):
        from grading.sentences import telling

        assert telling.beside("0.100040", "0.100000", "es") == "10,004\u00a0%"
        assert telling.beside("0.099960", "0.100000", "es") == "9,996\u00a0%"
        assert telling.beside("0.100000", "0.100000", "es") == "10,0\u00a0%"
        assert telling.signed_points("0.000040", "es") == "+<0,1"
        assert telling.signed_points("-0.000040", "en") == "\u2212<0.1"
        assert sentences.criteria.of_margin({"margin": "0.000000"}, "es").startswith("Sin margen")
        assert telling.threshold("0.025000", "es") == "2,5\u00a0%"
        assert telling.threshold("0.200000", "en") == "20%"
