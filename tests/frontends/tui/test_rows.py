"""Wrapping, Markdown, tables, code and diffs as rows; what a selection copies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agentcli.frontends.tui.look.library import DARK
from agentcli.frontends.tui.look.styles import make_look
from agentcli.frontends.tui.transcript.answer import AnswerEntry
from agentcli.frontends.tui.transcript.code import code_rows, diff_rows
from agentcli.frontends.tui.transcript.heights import HeightIndex
from agentcli.frontends.tui.transcript.markdown import markdown_rows
from agentcli.frontends.tui.transcript.rows import Row, fit, hard_spans, make_row, wrap_spans
from agentcli.frontends.tui.transcript.select import selected_text
from agentcli.protocol.asks import Hunk

LOOK = make_look(DARK)
WORDS = st.text(st.sampled_from("ab  漢é\u0301👩‍💻-"), max_size=80)


def texts(rows: list[Row]) -> list[str]:
    return [row.strip.text.rstrip() for row in rows]


@given(WORDS, st.integers(2, 30))
def test_wrapped_pieces_fit_and_lose_only_spaces(text: str, width: int):
    spans = wrap_spans(text, width)
    pieces = [text[span.start : span.end] for span in spans]
    assert all(cell_len(piece.rstrip()) <= width for piece in pieces)
    assert "".join(pieces).replace(" ", "") == text.replace(" ", "")


@given(WORDS, st.integers(2, 30))
def test_hard_wrapping_keeps_every_character(text: str, width: int):
    spans = hard_spans(text, width)
    assert "".join(text[span.start : span.end] for span in spans) == text
    assert all(cell_len(text[span.start : span.end]) <= width for span in spans)


def test_wrapping_remembers_what_joined_the_lines():
    assert [span.glue for span in wrap_spans("one two", 4)] == [None, " "]
    assert [span.glue for span in wrap_spans("漢字漢字", 4)] == [None, ""]


@given(st.text(max_size=20), st.integers(0, 12))
def test_fit_never_exceeds(text: str, width: int):
    assert cell_len(fit(text, width)) <= width


@pytest.mark.parametrize(
    ("source", "rows"),
    [
        ("**a** *b* `c`", ["  a b c"]),
        ("# Title", ["  Title"]),
        ("a\nb", ["  a", "  b"]),
        ("- a\n- b\n  - c", ["  • a", "  • b", "    ◦ c"]),
        ("3. a\n4. b", ["  3. a", "  4. b"]),
        ("> a\n> b", ["  ▎ a", "  ▎ b"]),
        ("[x](http://y)", ["  x (http://y)"]),
        ("<http://y>", ["  http://y"]),
        ("```py\nx = 1\n```", ["  x = 1"]),
        ("[bold]not markup[/bold]", ["  [bold]not markup[/bold]"]),
        ("<b>&amp; x</b>", ["  <b>& x</b>"]),
        ("a\x1b[31mred\x07", ["  ared"]),
    ],
)
def test_markdown(source: str, rows: list[str]):
    assert texts(markdown_rows(source, 80, LOOK)) == rows


def test_tables_have_no_boxes_and_align():
    source = "| name | n |\n|---|---:|\n| one | 1 |\n| three | 22 |"
    assert texts(markdown_rows(source, 40, LOOK)) == [
        "  name    n",
        "  ─────  ──",
        "  one     1",
        "  three  22",
    ]


@pytest.mark.parametrize("width", [8, 12, 20, 40])
def test_tables_fit_every_width(width: int):
    source = "| alpha beta | gamma | delta |\n|---|---|---|\n| long text here | 漢字漢字漢字 | x |"
    rows = markdown_rows(source, width, LOOK)
    assert rows
    assert all(row.strip.cell_length <= width for row in rows)


@given(st.text(max_size=300), st.integers(1, 60))
def test_markdown_takes_any_text_at_any_width(text: str, width: int):
    for row in markdown_rows(text, width, LOOK):
        assert "\x1b" not in row.strip.text
        assert "\n" not in row.strip.text


def test_code_keeps_its_text_and_fills_the_width():
    rows = code_rows("def f():\n\treturn 1", "python", 30, LOOK)
    assert texts(rows) == ["  def f():", "      return 1"]
    assert all(row.strip.cell_length == 30 for row in rows)


def test_long_code_lines_wrap_and_copy_as_one():
    rows = code_rows("x" * 50, "", 20, LOOK)
    assert selected_text(rows, [], (0, 0), (9, 99)) == "x" * 50


def test_diffs_number_both_sides():
    hunk = Hunk(9, 2, 9, 2, (" a", "-b", "+c\td", " e"))
    assert texts(diff_rows([hunk], "x.py", 40, LOOK)) == [
        "   9   a",
        "  10 - b",
        "  10 + c   d",
        "  11   e",
    ]


def test_diffs_show_hidden_characters_and_never_clip():
    hunk = Hunk(1, 0, 1, 1, ("+" + "y" * 30 + "\u202e",))
    rows = diff_rows([hunk], "", 20, LOOK)
    assert selected_text(rows, [], (0, 0), (9, 99)) == "y" * 30 + "\\u202e"


def test_a_whole_block_copies_its_source_and_a_part_its_text():
    entry = AnswerEntry("**bold** text\n\n- one\n- two\n")
    rows = entry.rows(40, LOOK)
    assert texts(rows) == ["  bold text", "", "  • one", "  • two"]
    assert selected_text(rows, entry.units(), (0, 0), (3, 40)) == "**bold** text\n\n- one\n- two"
    assert selected_text(rows, entry.units(), (0, 7), (0, 11)) == "text"


def test_wrapped_prose_is_joined_when_copied():
    entry = AnswerEntry("one two three four five six")
    rows = entry.rows(20, LOOK)
    assert len(rows) > 1
    assert selected_text(rows, entry.units(), (0, 6), (len(rows), 40)) == "two three four five six"


def test_streaming_gives_the_rows_of_the_whole_text():
    source = (
        "# H\n\npara **b**\n- x\n- y\n\n```py\n" + "v = 1\n" * 50 + "```\n\n| a |\n|---|\n| 1 |\n"
    )
    live = AnswerEntry()
    for start in range(0, len(source), 7):
        live.feed(source[start : start + 7])
        live.rows(50, LOOK)
    streamed = texts(live.rows(50, LOOK))
    live.finish(source)
    assert texts(live.rows(50, LOOK)) == streamed == texts(AnswerEntry(source).rows(50, LOOK))
    assert live.source == source


def test_the_finished_text_wins_over_the_deltas():
    live = AnswerEntry()
    live.feed("wrong")
    live.rows(40, LOOK)
    live.finish("right")
    assert texts(live.rows(40, LOOK)) == ["  right"]


@given(st.lists(st.tuples(st.sampled_from("apc"), st.integers(0, 30)), max_size=40))
def test_height_index_agrees_with_plain_sums(steps: list[tuple[str, int]]):
    index, plain = HeightIndex(), list[int]()
    for kind, value in steps:
        if kind == "a":
            index.append(value)
            plain.append(value)
        elif plain and kind == "p":
            index.pop(value % len(plain))
            del plain[value % len(plain)]
        elif plain:
            index.set(value % len(plain), value)
            plain[value % len(plain)] = value
        assert index.total == sum(plain)
        for position in range(len(plain)):
            assert index.top(position) == sum(plain[:position])
        for line in range(sum(plain)):
            found = index.find(line)
            assert sum(plain[:found]) <= line < sum(plain[: found + 1])


def test_direction_controls_are_not_drawn_and_take_no_cell():
    row = make_row([("http://evil\u202emoc.org \u2067שלום\u2069", LOOK.text)])
    assert row.strip.text == "http://evilmoc.org שלום"
    assert row.strip.cell_length == cell_len("http://evilmoc.org שלום")
