"""What the terminal sends: every encoding of a key, whole pastes, and never a piece as text."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.drivers import linux_driver
from textual.message import Message

from agentcli.frontends.tui.terminal.encodings import clean_paste, normal_key
from agentcli.frontends.tui.terminal.keyboard import TerminalParser, mend_keyboard, recent
from agentcli.frontends.tui.terminal.reports import BackgroundTold, SchemeChanged
from agentcli.frontends.tui.terminal.sequences import Pasted, Sequence, Splitter, Text, Token

_START, _END = "\x1b[200~", "\x1b[201~"
_HOSTILE = "a\x1b[31mb\x1by\x1b\r\x03c\r\nd"


def name(message: Message) -> str:
    match message:
        case events.Paste():
            return f"paste {message.text!r}"
        case events.Key():
            return message.key
        case SchemeChanged():
            return f"scheme {'dark' if message.dark else 'light'}"
        case BackgroundTold():
            return message.color
        case _:
            return type(message).__name__


def read(*chunks: str) -> list[str]:
    """What the parser tells: keys by name, pastes with their text."""
    parser = TerminalParser()
    return [name(message) for chunk in chunks for message in parser.feed(chunk)]


def characters(data: str) -> list[str | None]:
    return [
        message.character
        for message in TerminalParser().feed(data)
        if isinstance(message, events.Key)
    ]


KEYS = [
    ("ab", ["a", "b"]),
    ("\x1b[A", ["up"]),
    ("\x1bOA", ["up"]),
    ("\x1b[1;5A", ["ctrl+up"]),
    ("\x1b[3~", ["delete"]),
    ("\x1b[Z", ["shift+tab"]),
    ("\r", ["enter"]),
    ("\n", ["ctrl+j"]),
    ("\x1b\r", ["alt+enter"]),
    ("\x1b\n", ["alt+enter"]),
    ("\x1b[13;2u", ["shift+enter"]),
    ("\x1b[27;2;13~", ["shift+enter"]),
    ("\x1b[13;3u", ["alt+enter"]),
    ("\x1b[27;3;13~", ["alt+enter"]),
    ("\x1b[13;5u", ["ctrl+enter"]),
    ("\x1b[13;2:1u", ["shift+enter"]),
    ("\x1b[13;130u", ["shift+enter"]),  # num lock
    ("\x1b[27;5;106~", ["ctrl+j"]),
    ("\x1b[99;5u", ["ctrl+c"]),
    ("\x1b[27;5;99~", ["ctrl+c"]),
    ("\x1b[67;5u", ["ctrl+c"]),
    ("\x1b[9;2u", ["shift+tab"]),
    ("\x1b[27u", ["escape"]),
    ("\x1b[27;1;27~", ["escape"]),
    ("\x1b[8u", ["backspace"]),
    ("\x1b[1;2:2A", ["shift+up"]),
    ("\x1bf", ["ctrl+right"]),
    ("\x1bx", ["alt+x"]),
    ("\x1bé", ["alt+é"]),
    ("\x1b\x1b[A", ["escape", "up"]),
    ("\x1b[I\x1b[O", ["AppFocus", "AppBlur"]),
    ("\x1b[<35;150;7M", ["MouseMove"]),
    ("\x1b[<0;1;1m", ["MouseUp"]),
    ("\x1b[?997;1n\x1b[?997;2n", ["scheme dark", "scheme light"]),
    ("\x1b]11;rgb:1e1e/1e1e/ffff\x1b\\", ["#1e1eff"]),
    ("\x1b]11;rgb:00/ff/00\x07", ["#00ff00"]),
]
NOTHING = [
    "\x1b[?62;22c",
    "\x1b[?1u",
    "\x1bP>|XTerm(370)\x1b\\",
    "\x1b]52;c;aGVsbG8=\x07",
    "\x1b_Gi=1;OK\x1b\\",
    "\x1b[97;1:3u",  # a key let go
    "\x1b[1;2:3A",
    "\x1b[99999999;2u",
    "\x1b[55296u",
    "\x1b[97;1;7u",  # a control character for the text of a key
    "\x1b[M !!",
    "\x1b[" + "1;" * 40 + "z",
]


@pytest.mark.parametrize(("data", "keys"), KEYS)
def test_every_encoding_in_every_split(data: str, keys: list[str]):
    assert read(data) == keys
    assert read("x" + data + "y") == ["x", *keys, "y"]
    for at in range(1, len(data)):
        assert read(data[:at], data[at:]) == keys, data[:at]
    assert read(*data) == keys


@pytest.mark.parametrize("data", NOTHING)
def test_what_is_no_key_is_nothing_in_every_split(data: str):
    for at in range(len(data)):
        told = read("x" + data[:at], data[at:] + "y")
        assert [one for one in told if not one.startswith("Mouse")] == ["x", "y"], data[:at]


@pytest.mark.parametrize(
    ("data", "typed"),
    [
        ("\x1b[228;2;196u", ["Ä"]),
        ("\x1b[228;2u", ["Ä"]),
        ("\x1b[228:196;2u", ["Ä"]),
        ("\x1b[228:196:39;2;196u", ["Ä"]),
        ("\x1b[27;2;228~", ["Ä"]),
        ("\x1b[49:33;2u", ["!"]),
        ("\x1b[223;2u", ["ß"]),
        ("\x1b[97u", ["a"]),
        ("\x1b[97;65u", ["A"]),  # caps lock
        ("\x1b[32;2;32u", [" "]),
        ("\x1b[0;;229:228u", ["å", "ä"]),
        ("\x1b[97;5u", [None]),
        ("\x1bx", [None]),
    ],
)
def test_what_a_key_types(data: str, typed: list[str | None]):
    assert characters(data) == typed


def test_keys_are_read_without_the_kitty_protocol_too(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("textual.constants.DISABLE_KITTY_KEY", True)
    assert read("\x1b[13;2u", "\x1b[27;2;13~", "\x1b[1;5A") == [
        "shift+enter",
        "shift+enter",
        "ctrl+up",
    ]


def test_escapes_in_a_paste_are_no_keys():
    assert read("x" + _START + _HOSTILE + _END + "y") == ["x", f"paste {_HOSTILE!r}", "y"]


@given(st.lists(st.integers(0, 60), max_size=6))
def test_a_paste_may_come_in_any_pieces(cuts: list[int]):
    data = "x" + _START + _HOSTILE + _END + "y" + _START + "two" + _END
    edges = sorted({0, len(data), *(min(cut, len(data)) for cut in cuts)})
    pieces = [data[a:b] for a, b in pairwise(edges)]
    assert read(*pieces) == ["x", f"paste {_HOSTILE!r}", "y", "paste 'two'"]


@given(st.text(st.sampled_from("a1;:<?[]OPM~u\x1b\r\x07\\é漢"), max_size=40), st.integers(0, 40))
def test_nothing_that_comes_breaks_the_parser(data: str, at: int):
    parser = TerminalParser()
    for piece in (data[:at], data[at:], _END):
        if piece:
            list(parser.feed(piece))
    list(parser.tick())
    parser._splitter.expire(1e9)
    assert [name(message) for message in parser.feed("\x1b[Ak")][-2:] == ["up", "k"]


def test_an_empty_paste_is_none():
    assert read(_START + _END + "k") == ["k"]


@pytest.mark.parametrize(
    ("given_text", "text"),
    [
        ("a\x1b[Ib\x1b[O\x1b[<35;150;7Mc", "abc"),
        ("one\x1b[106;5utwo", "one\ntwo"),
        ("one\x1b[27;5;106~two", "one\ntwo"),
        ("one\x1b[13utwo\x1b[9uthree", "one\ntwo\tthree"),
        ("a\0b", "ab"),
        ("plain\r\ntext", "plain\r\ntext"),
    ],
)
def test_reports_and_keys_inside_a_paste(given_text: str, text: str):
    assert clean_paste(given_text) == text


def test_only_keys_are_changed():
    assert normal_key("\x1b[A") is None
    assert normal_key("hello") is None
    assert normal_key("\x1b[27;2;13~") == "\x1b[13;2u"


# what time does


def take(splitter: Splitter, data: str, now: float) -> list[Token]:
    return splitter.feed(data, now)


def test_esc_alone_is_the_key_after_a_moment():
    splitter = Splitter(0.025)
    assert take(splitter, "\x1b", 0.0) == []
    assert splitter.expire(0.01) == []
    assert splitter.expire(0.03) == [Sequence("\x1b")]


def test_esc_and_then_a_letter_are_two_keys_if_there_is_time_between():
    splitter = Splitter(0.025)
    take(splitter, "\x1b", 0.0)
    assert take(splitter, "j", 0.06) == [Sequence("\x1b"), Text("j")]
    take(splitter, "\x1b", 1.0)
    assert take(splitter, "j", 1.01) == [Sequence("\x1bj")]


def test_a_paste_without_its_end_is_taken_as_it_is():
    splitter = Splitter()
    assert take(splitter, _START + "lost", 0.0) == []
    assert splitter.expire(1.0) == []
    assert splitter.expire(1.6) == [Pasted("lost")]
    assert take(splitter, "k", 1.7) == [Text("k")]


def test_more_of_a_paste_resets_its_clock_and_a_late_rest_is_no_typing():
    splitter = Splitter()
    take(splitter, _START + "one\r", 0.0)
    take(splitter, "two\r", 1.2)
    assert splitter.expire(2.0) == []
    assert splitter.expire(2.8) == [Pasted("one\rtwo\r")]
    assert take(splitter, "three\r" + _END + "k", 3.0) == [Pasted("three\r"), Text("k")]


@pytest.mark.parametrize("report", ["\x1b[<35;150;7M", "\x1b[<0;3;4m", "\x1b[1;5A", "\x1b[I"])
def test_half_a_report_never_becomes_text(report: str):
    for at in range(1, len(report)):
        splitter = Splitter()
        tokens = take(splitter, report[:at], 0.0)
        tokens += splitter.expire(0.6)
        tokens += take(splitter, report[at:], 0.7)
        tokens += splitter.expire(5.0)
        assert not [token for token in tokens if isinstance(token, Text)], report[:at]


def test_a_report_in_three_slow_pieces_never_becomes_text():
    splitter = Splitter()
    tokens: list[Token] = []
    for at, piece in enumerate(("\x1b", "[<35;1", "50;7M")):
        tokens += splitter.expire(at * 0.3)
        tokens += take(splitter, piece, at * 0.3)
    assert tokens == [Sequence("\x1b"), Sequence("\x1b[<35;150;7M")]


def test_a_string_that_does_not_end_is_dropped():
    splitter = Splitter()
    take(splitter, "\x1b]11;rgb:", 0.0)
    assert splitter.expire(3.0) == []
    assert take(splitter, "k", 5.0) == [Text("k")]


def test_a_string_that_does_not_end_does_not_swallow_the_keys_for_ever():
    splitter = Splitter()
    tokens = take(splitter, "\x1b]11;rgb:", 0.0)
    for at in range(1, 40):
        tokens += splitter.expire(at / 10)
        tokens += take(splitter, "k", at / 10)
    assert len([token for token in tokens if token == Text("k")]) >= 19


def test_the_last_keys_are_kept_with_what_was_sent():
    recent.clear()
    read("a", "\x1b[13;2u", "\x1b[?1u", "\x1b[<35;1;1M")
    assert list(recent) == [("a", "a"), ("\x1b[13;2u", "shift+enter"), ("\x1b[?1u", "")]


def test_textual_uses_it():
    driver: Any = linux_driver
    mend_keyboard()
    assert driver.XTermParser is TerminalParser
    decode = driver.getincrementaldecoder("utf-8")().decode
    assert decode(b"\xe6\xbc") + decode(b"\xa2\xff") == "漢\ufffd"
    assert decode(b"", final=True) == ""
    with pytest.raises(EOFError):
        decode(b"")
