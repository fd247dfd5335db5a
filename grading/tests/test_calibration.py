"""The blind review: nobody chooses who is sampled, nothing tells the verdict, and what comes back is read or named."""

import csv
import hashlib
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grading import calibration
from grading.calibration import WARNINGS, Fault, Judged, Review, Row, read, reviews_csv, sample, sheet
from grading.tests.packages import item, measured, package, response, verdict

SET, VERDICTS = "ab" * 32, "cd" * 32
SEED = calibration.seed_of(SET, VERDICTS)


def judged(count, category="factual_direct", language="es"):
    return [Judged(f"{language}-{category}-{n}", category, language) for n in range(count)]


class TestSample:
    def test_the_seed_is_of_set_and_verdicts(self):
        assert f"{SEED:016x}" == hashlib.sha256((SET + VERDICTS).encode()).hexdigest()[:16]
        with pytest.raises(ValueError, match="no SHA-256"):
            calibration.seed_of(SET.upper(), VERDICTS)

    def test_thirty_or_all_of_each_category_in_each_language(self):
        answers = judged(200) + judged(12, "factual_applied") + judged(31, language="pt")
        chosen = sample(answers, seed=SEED)
        of = {answer.item: (answer.category, answer.language) for answer in answers}
        found = [of[one] for one in chosen]
        assert len(chosen) == len(set(chosen)) == 72
        assert found.count(("factual_direct", "es")) == found.count(("factual_direct", "pt")) == 30
        assert found.count(("factual_applied", "es")) == 12

    def test_it_does_not_depend_on_the_order_of_the_answers(self):
        answers = judged(100) + judged(50, language="pt")
        assert sample(answers, seed=SEED) == sample(answers[::-1], seed=SEED)
        assert sample(answers, seed=SEED) != sample(answers, seed=SEED + 1)

    def test_strata_are_shuffled_together(self):
        languages = [one[:2] for one in sample(judged(30) + judged(30, language="pt"), seed=SEED)]
        assert languages != sorted(languages)

    def test_every_answer_has_the_same_chance(self):
        often = {}
        for seed in range(2000):
            for one in sample(judged(6), seed=seed, per_stratum=2):
                often[one] = often.get(one, 0) + 1
        # 2000 × 2/6, give or take five standard deviations.
        assert all(abs(count - 2000 / 3) < 5 * (2000 * 2 / 9) ** 0.5 for count in often.values())

    def test_no_number_of_answers(self):
        with pytest.raises(ValueError, match="not a number"):
            sample(judged(3), seed=1, per_stratum=0)


def rows_of(file):
    return list(csv.reader(io.StringIO(file.decode("utf-8-sig"), newline="")))


class TestSheet:
    def test_it_shows_what_the_judge_saw_and_nothing_else(self):
        header, row = rows_of(sheet([Row("q1", "¿Plazo?", 'Diez días,\n"hábiles".', "Artículo 1")]))
        assert header == ["item", "question", "answer", "reference_text", "reviewer", "verdict"]
        assert row == ["q1", "¿Plazo?", 'Diez días,\n"hábiles".', "Artículo 1", "", ""]

    @pytest.mark.parametrize("answer", ['=HYPERLINK("http://x")', "+1", "-1", "@SUM(A1)", "\t=1"])
    def test_no_answer_is_computed(self, answer):
        assert rows_of(sheet([Row("q", "¿?", answer)]))[1][2] == f"'{answer}"

    def test_an_answer_longer_than_a_cell_is_cut_visibly(self):
        cell = rows_of(sheet([Row("q", "¿?", "a" * 10_000_000)]))[1][2]
        assert len(cell) == calibration.LONGEST_CELL
        assert cell.endswith(" […]")

    @example(["=a", "'=a", "''=a", "'a"])
    @given(st.lists(st.text(min_size=1, max_size=20).filter(str.strip), min_size=1, max_size=5, unique=True))
    def test_items_come_back_as_they_went(self, ids):
        ids = [id_.replace("\0", "0") for id_ in ids]
        ids = list(dict.fromkeys(ids))
        table = rows_of(sheet([Row(id_, "¿?", "a") for id_ in ids]))
        out = io.StringIO(newline="")
        csv.writer(out).writerows([table[0], *([*row[:4], "ana", "exact"] for row in table[1:])])
        said = read(out.getvalue().encode(), items=set(ids))
        assert (said.reviews, said.faults) == (tuple(Review(id_, "ana", "exact") for id_ in ids), ())


def codes(file, **options):
    if isinstance(file, str):
        file = file.encode()
    return [(fault.code, fault.line) for fault in read(file, **options).faults]


class TestWhatComesBack:
    def test_edited_by_a_spreadsheet(self):
        file = (
            "\ufeffITEM;Pregunta;Notas;Revisora;VEREDICTO\r\n"
            'q1;"¿Plazo;\r\nen días?";;Ana;Mal  fundada\r\n'
            "q2;¿Otro?;dudoso;Ana;EXACTA\r\n"
            "q3;¿Otro?;;;\r\n"
            ";;;;\r\n"
        )
        said = read(file.encode())
        assert said.reviews == (Review("q1", "Ana", "ill_founded"), Review("q2", "Ana", "exact"))
        assert [(review.line) for review in said.reviews] == [2, 4]
        assert [(fault.code, fault.line) for fault in said.faults] == [
            (Fault.COLUMN_IGNORED, 1), (Fault.COLUMN_IGNORED, 1), (Fault.NOT_REVIEWED, 5)
        ]  # fmt: skip
        assert said.errors == ()
        assert said.normalised == {"EXACTA → exact": 1, "Mal  fundada → ill_founded": 1}

    def test_utf_16_and_the_line_that_names_the_separator(self):
        file = "sep=;\r\nitem;revisor/a;veredicto\r\nq1;Ana;N/A\r\nq2;ANA ;Errónea\r\nq3;ana;muy buena\r\n"
        for encoded in (file.encode("utf-16"), file.encode("utf-8-sig")):
            said = read(encoded)
            assert said.reviews == (Review("q1", "Ana", "unjudged"), Review("q2", "Ana", "incorrect"))
            assert [(fault.code, fault.line) for fault in said.errors] == [(Fault.VERDICT_UNKNOWN, 5)]

    def test_one_person_may_not_review_an_answer_in_two_sheets(self):
        first = read(b"item,reviewer,verdict\nq1,Ana,exact\nq2,Luz,exact\n")
        second = read(b"item,reviewer,verdict\nq3,Ana,exact\nq1,ana,incorrect\nq2,Eva,exact\n")
        assert [(place, fault.code, fault.line) for place, fault in calibration.twice([first, second])] == [
            (1, Fault.REVIEWED_TWICE, 3)
        ]

    @pytest.mark.parametrize(
        ("file", "expected"),
        [
            ("item,reviewer\nq1,ana\n", [(Fault.COLUMN_MISSING, 1)]),
            ("item,id,reviewer,verdict\nq1,q1,ana,exact\n", [(Fault.COLUMN_TWICE, 1)]),
            ("item,reviewer,verdict\nq1,ana,muy buena\n", [(Fault.VERDICT_UNKNOWN, 2)]),
            ('item,answer,reviewer,verdict\nq1,"a\nb",ana,exact\nq2,,ana,sí\n', [(Fault.VERDICT_UNKNOWN, 4)]),
            ("item,reviewer,verdict\nq9,ana,exact\n", [(Fault.ITEM_UNKNOWN, 2)]),
            ("item,reviewer,verdict\n,ana,exact\n", [(Fault.ITEM_MISSING, 2)]),
            ("item,reviewer,verdict\nq1,,exact\n", [(Fault.REVIEWER_MISSING, 2)]),
            ("item,reviewer,verdict\nq1,ana,exact\nq1,ana,exact\n", [(Fault.REVIEWED_TWICE, 3)]),
            ("item,reviewer,verdict\nq1,ana,exact,ay\n", [(Fault.ROW_LENGTH, 2)]),
            ('item,reviewer,verdict\nq1,ana,exact\n"q2,ana,exact\n', [(Fault.BROKEN_QUOTES, 3)]),
            ("", [(Fault.EMPTY, 1)]),
            ("\n\n", [(Fault.EMPTY, 1)]),
            ("item,reviewer,verdict\nq1,ana,ex\xe1cta\n".encode("latin-1"), [(Fault.NOT_UTF8, 2)]),
        ],
    )
    def test_every_fault_has_its_line_and_its_remedy(self, file, expected):
        assert codes(file, items={"q1", "q2"}) == expected
        for fault in read(file if isinstance(file, bytes) else file.encode(), items={"q1"}).faults:
            for language in ("es", "en"):
                assert "{" not in fault.remedy(language)

    def test_who_filled_in_the_sheet_may_be_told_apart(self):
        said = read(b"item,verdict\nq1,incorrecta\n", reviewer="luz")
        assert (said.reviews, said.faults) == ((Review("q1", "luz", "incorrect"),), ())

    def test_a_fault_does_not_hide_the_next_one(self):
        file = "item,reviewer,verdict\nq1,ana,buena\nq2,ana,exact\nq3,ana,mala\n"
        assert [line for _, line in codes(file)] == [2, 4]

    def test_every_fault_has_words(self):
        assert set(calibration.REMEDIES) == set(Fault) > WARNINGS

    def test_the_package_takes_the_reviews_as_they_are_written(self):
        reviews = [Review("q, 1", "ana", "exact"), Review("q2", "ana", "incorrect")]
        ids = [review.item for review in reviews]
        files = package(
            [item(id_) for id_ in ids],
            [response(id_) for id_ in ids],
            [verdict(id_) for id_ in ids],
            reviews=reviews_csv(reviews),
        )
        assert measured(files).agreement["compared"] == 2


def test_from_sample_to_kappa():
    ids = [f"q{n}" for n in range(80)]
    files = package(
        [item(id_) for id_ in ids], [response(id_) for id_ in ids],
        [verdict(id_, "exact" if n % 4 else "incorrect") for n, id_ in enumerate(ids)],
    )  # fmt: skip
    set_sha256 = measured(files).set_sha256
    verdicts_sha256 = hashlib.sha256(files["data/verdicts.jsonl"]).hexdigest()
    chosen = sample(
        [Judged(id_, "factual_direct", "es") for id_ in ids],
        seed=calibration.seed_of(set_sha256, verdicts_sha256),
    )
    file = sheet([Row(id_, f"¿{id_}?", "El plazo es de treinta días.", "…") for id_ in chosen]).decode(
        "utf-8-sig"
    )
    head, *lines = file.splitlines()
    filled = [line[: -len(",,")] + ",ana,exacta" for line in lines]
    said = read("\r\n".join([head, *filled]).encode(), items=set(ids))
    assert (len(said.reviews), said.faults) == (30, ())
    (row,) = measured({**files, "data/reviews.csv": reviews_csv(said.reviews)}).agreement["judges"]
    assert row["verdicts"]["n"] == 30
