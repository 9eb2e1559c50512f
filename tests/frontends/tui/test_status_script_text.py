"""What is drawn of the output of a status script: colours and text, nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentcli.frontends.tui.look.library import DARK
from agentcli.frontends.tui.look.styles import make_look
from agentcli.frontends.tui.status.script_text import keep_colours, script_strips

LOOK = make_look(DARK)


def test_colours_stay_and_everything_else_goes():
    hostile = (
        "\x1b]0;evil\x07\x1b[2J\x1b[31mred\x1b[0m\x1b[5;5H\x1b]52;c;eA==\x07\x9b1m\rx\x1b[?1049l"
    )
    assert keep_colours(hostile) == "\x1b[31mred\x1b[0m1mx"


@given(st.text(max_size=200), st.integers(0, 100), st.integers(0, 5))
def test_nothing_but_text_reaches_the_screen(output: str, width: int, padding: int):
    for strip in script_strips(output, padding, width, LOOK):
        assert strip.cell_length == width
        assert not set(strip.text) & {chr(code) for code in (*range(32), *range(127, 160))}


@pytest.mark.parametrize("code", ["\x1b[38;5;999m", "\x1b[38;2m", "\x1b[;;;m", "\x1b[48;2;1m"])
def test_odd_colours_do_no_harm(code: str):
    assert script_strips(f"{code}x", 0, 5, LOOK)[0].text == " x   "


def test_lines_colours_and_padding():
    first, second = script_strips("\x1b[1;31mone\ntwo\x1b[0m three\n\n", 1, 12, LOOK)
    assert (first.text, second.text) == ("  one       ", "  two three ")
    assert [segment.style.bold for segment in second if segment.style] == [
        None,
        True,
        None,
        None,
    ]
    assert all(segment.style and segment.style.bgcolor for segment in first)


def test_a_wide_character_at_the_edge():
    assert script_strips("漢漢漢", 0, 6, LOOK)[0].text == " 漢漢 "
