"""What the terminal sends: pastes come whole whatever is in them, in any pieces."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from agentcli.frontends.tui.terminal.keyboard import PasteParser

_START, _END = "\x1b[200~", "\x1b[201~"
_HOSTILE = "a\x1b[31mb\x1by\x1b\r\x03\x1b[200~c\r\n\x1b[<0;1;1Md"


def read(*chunks: str) -> list[str]:
    """What the parser tells: keys by name, pastes with their text."""
    parser = PasteParser()
    told: list[str] = []
    for chunk in chunks:
        for message in parser.feed(chunk):
            if isinstance(message, events.Paste):
                told.append(f"paste {message.text!r}")
            elif isinstance(message, events.Key):
                told.append(message.key)
    return told


def test_escapes_in_a_paste_are_no_keys():
    assert read("x" + _START + _HOSTILE + _END + "y") == ["x", f"paste {_HOSTILE!r}", "y"]


@given(st.lists(st.integers(0, 60), max_size=6))
def test_a_paste_may_come_in_any_pieces(cuts: list[int]):
    data = "x" + _START + _HOSTILE + _END + "y" + _START + "two" + _END
    edges = sorted({0, len(data), *(min(cut, len(data)) for cut in cuts)})
    pieces = [data[a:b] for a, b in pairwise(edges)]
    assert read(*pieces) == ["x", f"paste {_HOSTILE!r}", "y", "paste 'two'"]


@pytest.mark.parametrize(
    ("data", "keys"), [("ab", ["a", "b"]), ("\x1b[A", ["up"]), ("\r", ["enter"])]
)
def test_keys_are_read_as_before(data: str, keys: list[str]):
    assert read(data) == keys


def test_an_empty_paste_is_none():
    assert read(_START + _END + "k") == ["k"]
