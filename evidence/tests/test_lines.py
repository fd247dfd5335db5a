"""Lines and rows come out whole, wherever the chunks are cut, and never more than one limit of text is held."""

import csv
import io
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evidence import lines
from evidence.lines import Lines, Rows


def cut(data, sizes):
    """The data in chunks of these sizes, over and over."""
    position, turn = 0, 0
    while position < len(data):
        size = sizes[turn % len(sizes)]
        yield data[position : position + size]
        position += size
        turn += 1


def lines_of(chunks):
    found, too_long = [], []

    def block(data, first, count):
        split = data.split(b"\n")
        if split[-1] == b"":
            split.pop()
        assert len(split) == count
        found.extend((first + offset, line) for offset, line in enumerate(split))

    reader = Lines(block, too_long.append)
    for chunk in chunks:
        reader.feed(chunk)
    reader.finish()
    return found, too_long


@given(st.lists(st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")), max_size=20), st.data())
def test_lines_are_the_same_however_they_are_cut(content, data):
    whole = b"\n".join(content)
    sizes = data.draw(st.lists(st.integers(1, 7), min_size=1, max_size=5))
    expected = whole.split(b"\n")
    if expected[-1] == b"":
        expected.pop()
    assert lines_of(cut(whole, sizes)) == (list(enumerate(expected, 1)), [])


@pytest.mark.parametrize("chunk", [1000, 1 << 20, 1 << 25])
def test_a_line_of_50_megabytes_is_named_and_not_kept(chunk):
    def chunks():
        yield b"first\n"
        for _ in range(50_000_000 // chunk + 1):
            yield b"x" * min(chunk, 50_000_000)
        yield b"\nlast\n"

    tracemalloc.start()
    try:
        found, too_long = lines_of(chunks())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == [(1, b"first"), (3, b"last")]
    assert too_long == [2]
    # The test's own chunk, and one limit of text with its chunks.
    assert peak < 2 * chunk + 1.5 * lines.MAX_LINE


def test_a_long_line_at_the_end_is_named_once():
    found, too_long = lines_of([b"x" * (lines.MAX_LINE + 1), b"x"])
    assert (found, too_long) == ([], [1])


def rows_of(data, sizes=(1 << 16,)):
    rows, faults = [], []
    reader = Rows(
        lambda cells, line: rows.append((line, cells)),
        lambda code, line, expected: faults.append((code, line)),
    )
    for chunk in cut(data, sizes):
        reader.feed(chunk)
    reader.finish()
    return rows, faults


cells = st.text(st.sampled_from('a"é,;\n'), max_size=4)


@given(
    st.lists(st.lists(cells, min_size=2, max_size=3), max_size=8), st.sampled_from(["\n", "\r\n"]), st.data()
)
def test_rows_are_those_of_the_csv_module_however_they_are_cut(table, ending, data):
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=ending).writerows(table)
    sizes = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    rows, faults = rows_of(text.getvalue().encode(), sizes)
    assert [cells for _, cells in rows] == table
    assert faults == []


def test_rows_know_their_lines_also_after_a_cell_with_a_line_feed():
    rows, _ = rows_of(b'a,b\n"x\ny",2\n3,4\n', (3,))
    assert rows == [(1, ["a", "b"]), (2, ["x\ny", "2"]), (4, ["3", "4"])]


def test_a_byte_order_mark_is_allowed():
    assert rows_of("\ufeffa,b\n".encode())[0] == [(1, ["a", "b"])]


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        (b'a,b\n"x"y,2\n', ("WRONG_TYPE", 2)),
        (b'a,b\nx,"2\n', ("WRONG_TYPE", 2)),
        (b"a,b\rx,2\r", ("WRONG_TYPE", 1)),
        (b"a,b\nx,\xff\n", ("INVALID_UTF8", 1)),
        (b"a,b\n" + b"x" * 200_000 + b",2\n", ("LINE_TOO_LONG", 2)),
    ],
    ids=["text_after_quote", "open_quote", "lone_cr", "not_utf8", "huge_cell"],
)
def test_what_is_no_csv_is_named(data, fault):
    assert rows_of(data)[1] == [fault]


def test_many_line_feeds_inside_one_quoted_cell_take_no_time():
    data = b'a,b\n"' + b"\n" * 100_000 + b'",2\n'
    assert len(rows_of(data)[0]) == 2
