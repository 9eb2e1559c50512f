"""Text of unknown origin: nothing hidden, nothing that moves a cursor, nothing unwritable."""

import pytest

from agentcli.base.text import clean_surrogates, one_line, reveal, strip_controls


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("rm \x1b[8m-rf\x1b[0m x", "rm \\x1b[8m-rf\\x1b[0m x"),
        ("a\u202eb\u200bc\ufeffd", "a\\u202eb\\u200bc\\ufeffd"),
        ("tag \U000e0041", "tag \\U000e0041"),
        ("back\x08space\r", "back\\x08space\\x0d"),
        ("tab\tand\nline, 한 👩‍👧", "tab\tand\nline, 한 👩‍👧"),
    ],
)
def test_reveal_shows_what_would_be_hidden(given: str, shown: str) -> None:
    assert reveal(given) == shown


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]52;c;aGk=\x1b\\text", "text"),
        ("\x1bP1$r\x1b\\x\x9b5n", "x5n"),
        ("a\r\nb\x00c", "a\nbc"),
        ("👩‍👧 stays", "👩‍👧 stays"),
    ],
)
def test_strip_controls_leaves_text_only(given: str, left: str) -> None:
    assert strip_controls(given) == left


def test_one_line_is_one_line_and_says_that_there_is_more() -> None:
    assert one_line("first\nsecond") == "first …"
    assert one_line("x" * 300, 10) == "x" * 10 + " …"
    assert one_line("  short\t1 ") == "short 1"


def test_surrogates_are_replaced() -> None:
    assert clean_surrogates("a\ud83d\ude00b") == "a\ufffd\ufffdb"
