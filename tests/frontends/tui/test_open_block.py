"""A block that streams for long costs little per piece, and ends up as the whole text is drawn."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentcli.frontends.tui.look.styles import make_look
from agentcli.frontends.tui.look.themes import DARK
from agentcli.frontends.tui.transcript.answer import AnswerEntry
from agentcli.frontends.tui.transcript.rows import Row

LOOK = make_look(DARK)
WORDS = "some words and **bold things** with `code_x`, a [link](http://x.y/z), snake_case names. "
STEP = 250
LONG = {
    "a paragraph without a line break": WORDS * 180,
    "a list item without a line break": "- " + WORDS * 180,
    "a word": "x" * 15_000,
    "a paragraph of lines": (WORDS + "\n") * 180,
    "multiplications": "2 * 3 and a < b of the _ kind, " * 600,
    "nested items": "- top\n"
    + "".join(
        f"  - item {n} {WORDS}\n    more of it\n" if n % 3 else f"  - item {n}\n\n    - deep {n}\n"
        for n in range(180)
    ),
    "numbered items": "1. top\n" + "".join(f"   {n + 1}. item {WORDS}\n" for n in range(180)),
    "code": "```py\n" + "x = total(1, 'a')\n" * 1500,
    "code in a list": "- see:\n  ```py\n" + "  x = total(1, 'a')\n\n" * 500,
    "a table": "| name | text | n |\n|---|---|--:|\n"
    + "".join(f"| n{n} | {WORDS} | {n} |\n" for n in range(300)),
}
PIECES = st.sampled_from(
    [
        "word ", "**", "*", "`", "[", "](http://x.y) ", "\n", "\n\n", "# H\n", "- item\n",
        "  - in\n", "1. one\n", "```py\n", "```\n", "> q\n", "| a | b |\n", "|---|---|\n", "---\n",
        "漢字", "👩‍💻 ", "\t", "long words of prose " * 100, "\n".join(["- many"] * 3) + "\n",
        "  nested text\n" * 60, "> quoted\n" * 200, "| c | d |\n" * 30,
    ]
)  # fmt: skip


def texts(rows: list[Row]) -> list[str]:
    return [row.strip.text.rstrip() for row in rows]


def stream(source: str, step: int, width: int = 90) -> tuple[AnswerEntry, int]:
    """An answer that came in pieces, each drawn, and how many characters were parsed."""
    entry = AnswerEntry()
    for start in range(0, len(source), step):
        entry.feed(source[start : start + step])
        entry.rows(width, LOOK)
    return entry, entry.parsed


@pytest.mark.parametrize("source", LONG.values(), ids=LONG.keys())
def test_a_long_block_costs_the_same_for_each_piece_and_stands_as_it_ends(source: str):
    entry, parsed = stream(source, STEP)
    assert parsed / (len(source) / STEP) < 3_500 < len(source) / 3
    before = texts(entry.rows(90, LOOK))
    entry.finish(source)
    after = texts(entry.rows(90, LOOK))
    # an emphasis or a line that has just begun may still change its end
    assert after[: len(before) - 2] == before[: len(before) - 2]
    assert after == texts(AnswerEntry(source).rows(90, LOOK))


def test_other_long_blocks_are_drawn_whole_now_and_then():
    source = "".join(f"> {WORDS}\n" for _ in range(180))
    entry, parsed = stream(source, STEP)
    assert parsed < len(source) * 30
    before = texts(entry.rows(90, LOOK))
    entry.finish(source)
    assert texts(entry.rows(90, LOOK)) == before


def test_no_row_of_long_streaming_prose_moves_or_changes_before_the_last_ones():
    source = (WORDS * 100).replace("**bold things**", "bold things")
    entry = AnswerEntry()
    before: list[str] = []
    for start in range(0, len(source), 40):
        entry.feed(source[start : start + 40])
        rows = texts(entry.rows(80, LOOK))
        stable = max(0, len(before) - 2)
        assert rows[:stable] == before[:stable]
        before = rows


def test_rows_of_an_open_table_come_whole():
    entry = AnswerEntry()
    entry.feed("| a | b |\n")
    assert entry.rows(40, LOOK) == []
    entry.feed("|---|---|\n| 1 | 2 |\n| 3 ")
    assert texts(entry.rows(40, LOOK)) == ["  a  b", "  ─  ─", "  1  2"]
    entry.feed("| 4 |\n")
    assert texts(entry.rows(40, LOOK))[-1] == "  3  4"


@settings(max_examples=20, deadline=None)
@given(st.lists(PIECES, max_size=25).map("".join), st.integers(1, 90), st.integers(60, 900))
def test_any_stream_ends_as_the_whole_text(source: str, width: int, step: int):
    entry = AnswerEntry()
    for start in range(0, len(source), step):
        entry.feed(source[start : start + step])
        assert all(row.strip.cell_length <= width for row in entry.rows(width, LOOK))
    entry.finish(source)
    assert texts(entry.rows(width, LOOK)) == texts(AnswerEntry(source).rows(width, LOOK))


def test_a_long_code_block_is_not_highlighted_again_when_it_ends():
    source = LONG["code"] + "x = 1\n" * 500
    entry, parsed = stream(source, 400)
    entry.feed("```\n")
    rows = entry.rows(90, LOOK)
    assert entry.parsed - parsed < 1_000
    assert texts(rows) == ["  x = total(1, 'a')"] * 1500 + ["  x = 1"] * 500
