"""The pure parts of characters, words and rows."""

from itertools import pairwise
from time import process_time

from hypothesis import given
from hypothesis import strategies as st

from agentcli.frontends.tui.composer.atoms import Line
from agentcli.frontends.tui.composer.graphemes import (
    cells,
    cluster_end,
    cluster_start,
    clusters,
    is_boundary,
)
from agentcli.frontends.tui.composer.wrapping import wrap_line

FAMILY, FLAG, HEART = "👨‍👩‍👧", "🇩🇪", "❤️"
CLUSTERS = [
    *["a", " ", "あ", "漢", FAMILY, FLAG, HEART, "👍🏽", "e\u0301", "한", "ᄒ\u1161\u11ab"],
    *["क्ष", "नि", "1\ufe0f\u20e3", ".", "_", "〽️"],
]
texts = st.lists(st.sampled_from(CLUSTERS), max_size=40)


# characters


@given(texts)
def test_clusters_are_found_from_any_index(parts: list[str]):
    text = "".join(parts)
    edges = [0]
    for part in parts:
        edges.append(edges[-1] + len(part))
    for index in range(len(text)):
        start = max(edge for edge in edges if edge <= index)
        end = min(edge for edge in edges if edge > index)
        # flags side by side pair up from the left, which is how they were put together
        assert (cluster_start(text, index), cluster_end(text, index)) == (start, end)
        assert is_boundary(text, index) == (index in edges)
    assert [start for start, _ in clusters(text)] == edges[:-1]


@given(st.text(alphabet="aé\u0301\u200d👩🇩🇪한\u1100\u1161\u0915\u094d\u0937 ", max_size=60))
def test_nonsense_is_split_the_same_from_both_sides(text: str):
    whole = list(clusters(text))
    for start, end in whole:
        for index in range(start, end):
            assert (cluster_start(text, index), cluster_end(text, index)) == (start, end)


def test_a_search_in_a_long_line_stays_near():
    text = "漢" * 200_000
    began = process_time()
    for _ in range(50):
        assert cluster_start(text, 150_000) == 150_000
    assert process_time() - began < 0.5


def test_cells_count_tabs_from_the_row_on():
    assert cells("\t", 4) == 4
    assert cells("ab\tc", 4) == 5
    assert cells("あ\t\t", 4) == 8


def test_words():
    line = Line("foo.bar  👍🏽 [x] あい", [(12, 15)])
    assert line.word_right(0) == 3
    assert line.word_right(3) == 7
    assert line.word_right(7) == 11
    assert line.word_right(11) == 15
    assert line.word_left(len(line.text)) == 16
    assert line.word_left(15) == 12
    assert line.word_left(9) == 4
    assert line.word_left(9, by_space=True) == 0
    assert line.word_at(5) == (4, 7)
    assert line.word_at(3) == (3, 4)
    assert line.word_at(13) == (12, 15)


@given(texts, st.integers(0, 200), st.integers(0, 200))
def test_widening_never_cuts_a_cluster(parts: list[str], first: int, second: int):
    text = "".join(parts)
    start, end = sorted((min(first, len(text)), min(second, len(text))))
    left, right = Line(text).widen(start, end)
    assert left <= start <= end <= right
    assert is_boundary(text, left) and is_boundary(text, right)
    assert is_boundary(text, Line(text).snap(start))


def test_the_caret_snaps_to_the_nearer_end_of_a_chip():
    line = Line("a[Pasted]b", [(1, 9)])
    assert [line.snap(column) for column in (1, 2, 4, 5, 8, 9)] == [1, 1, 1, 9, 9, 9]
    assert line.before(9) == 1
    assert line.after(1) == 9


def test_a_click_on_the_second_cell_of_a_wide_character_is_in_front_of_it():
    line = Line(f"あ{FAMILY}b")
    ends = [line.column_at(0, len(line.text), cell, 4) for cell in range(6)]
    assert ends == [0, 0, 1, 1, 1 + len(FAMILY), len(line.text)]


# rows


@given(texts, st.integers(4, 30), st.booleans())
def test_rows_hold_whole_clusters_and_fit(parts: list[str], width: int, tabs: bool):
    text = "".join([*parts, "\t", *parts] if tabs else parts)
    edges = [0, *wrap_line(text, width, 4), len(text)]
    assert edges == sorted(set(edges)) or not text
    for start, end in pairwise(edges):
        assert is_boundary(text, start)
        row = text[start:end]
        # one space may stand where the caret would be, but never at the end of the line
        assert cells(row, 4) <= width or (
            row[-1] == " " and end < len(text) and cells(row, 4) <= width + 1
        )


@given(st.text(alphabet="ab c", max_size=80), st.integers(1, 20))
def test_the_quick_way_for_ascii_wraps_like_the_other(text: str, width: int):
    assert wrap_line(text, width, 4) == wrap_line(text, width, 4, [(len(text) + 9, len(text) + 10)])


def test_rows_break_between_words_and_around_chips():
    assert wrap_line("hello brave world", 11, 4) == [12]
    assert wrap_line("hello brave world", 7, 4) == [6, 12]
    assert wrap_line("x [Pasted text #1]!", 16, 4, [(2, 18)]) == [2, 18]
    # too wide for a row, so it is broken like text
    assert wrap_line("[Pasted text #1]", 8, 4, [(0, 16)]) == [8]
    assert wrap_line("漢字漢字", 4, 4) == [2]
