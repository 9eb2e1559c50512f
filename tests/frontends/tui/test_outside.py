"""Title, progress and calls: what is written to which terminal, and when."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual import events
from textual.app import App

from agentcli.frontends.tui.terminal.kind import terminal_name, through, version_of
from agentcli.frontends.tui.terminal.link import TerminalLink
from agentcli.frontends.tui.terminal.modes import Modes, can_ask_colors
from agentcli.frontends.tui.terminal.notify import (
    Channel,
    call_sequence,
    choose_channel,
    should_call,
)
from agentcli.frontends.tui.terminal.title import (
    clean_title,
    has_progress,
    title_sequence,
    wants_title,
)

KITTY = {"TERM": "xterm-kitty", "KITTY_WINDOW_ID": "1"}
ITERM = {"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app", "TERM_PROGRAM_VERSION": "3.6.2"}
GHOSTTY = {"TERM": "xterm-ghostty", "TERM_PROGRAM": "ghostty", "TERM_PROGRAM_VERSION": "1.2.0"}
WINDOWS = {"TERM": "xterm-256color", "WT_SESSION": "x"}
WEZTERM = {
    "TERM": "xterm-256color",
    "TERM_PROGRAM": "WezTerm",
    "TERM_PROGRAM_VERSION": "20240203-110809-5046fb22",
}
PLAIN = {"TERM": "xterm-256color"}
TMUX = {"TERM": "tmux-256color", "TMUX": "/tmp/t,1,0", "TERM_PROGRAM": "tmux"}
SCREEN = {"TERM": "screen.xterm-256color", "STY": "1.pts"}
DUMB = {"TERM": "dumb"}


@pytest.mark.parametrize(
    ("env", "name"),
    [
        (KITTY, "kitty"),
        (ITERM, "iterm2"),
        (GHOSTTY, "ghostty"),
        (WINDOWS, "windows"),
        (WEZTERM, "wezterm"),
        (PLAIN, ""),
        (TMUX, ""),
        ({**TMUX, "KITTY_WINDOW_ID": "1"}, "kitty"),
        ({**TMUX, "LC_TERMINAL": "iTerm2"}, "iterm2"),
        ({"TERM_PROGRAM": "vscode", "WT_SESSION": "x"}, "vscode"),
    ],
)
def test_names(env: dict[str, str], name: str):
    assert terminal_name(env) == name


def test_versions():
    assert version_of(ITERM) == (3, 6, 2)
    assert version_of(WEZTERM) == (20240203, 110809)
    assert version_of(PLAIN) == ()


@pytest.mark.parametrize(
    ("env", "shown"),
    [
        (WINDOWS, True),
        (GHOSTTY, True),
        ({**GHOSTTY, "TERM_PROGRAM_VERSION": "1.1.3"}, False),
        (ITERM, True),
        ({**ITERM, "TERM_PROGRAM_VERSION": "3.5.1"}, False),
        (WEZTERM, False),
        ({"ConEmuANSI": "ON"}, True),
        ({**WINDOWS, "TMUX": "x"}, False),
        (KITTY, False),
        (PLAIN, False),
        (DUMB, False),
    ],
)
def test_progress_is_for_those_who_know_it(env: dict[str, str], shown: bool):
    assert has_progress(env) is shown


def test_the_title_can_be_forbidden():
    assert wants_title(PLAIN)
    assert wants_title({**PLAIN, "CLAUDE_CODE_DISABLE_TERMINAL_TITLE": "0"})
    assert not wants_title({**PLAIN, "CLAUDE_CODE_DISABLE_TERMINAL_TITLE": "1"})
    assert not wants_title(DUMB)
    assert not wants_title({})


def test_titles():
    assert title_sequence("busy", "fix the cart", "~/shop") == "\x1b]0;◐ fix the cart — ~/shop\x07"
    assert title_sequence("asking", "", "~/shop") == "\x1b]0;? ~/shop\x07"
    assert title_sequence("idle", "", "") == "\x1b]0;agentcli\x07"


@given(st.text(max_size=200))
def test_a_title_is_one_short_line_without_controls(text: str):
    title = clean_title(text)
    assert cell_len(title) <= 60
    assert title.isprintable() or not any(
        ord(char) < 32 or 127 <= ord(char) < 160 for char in title
    )


def test_a_hostile_title_ends_nothing():
    evil = "a\x07\x1b]52;c;ZXZpbA==\x07\x1b\\b\n\u202ec" + "x" * 100
    written = title_sequence("idle", evil, "")
    assert written.count("\x07") == 1 and written.endswith("\x07")
    assert written.count("\x1b") == 1
    assert "\u202e" not in written


@pytest.mark.parametrize(
    ("focused", "seconds", "called"),
    [
        (True, 999, False),
        (False, 0.5, True),
        (None, 5, False),
        (None, 11, True),
    ],
)
def test_only_who_looks_elsewhere_is_called(focused: bool | None, seconds: float, called: bool):
    assert should_call(focused, seconds) is called


@pytest.mark.parametrize(
    ("env", "channel"),
    [
        (KITTY, "kitty"),
        (GHOSTTY, "ghostty"),
        (WEZTERM, "ghostty"),
        (ITERM, "iterm2"),
        (WINDOWS, "terminal_bell"),
        (PLAIN, "terminal_bell"),
    ],
)
def test_the_way_that_fits_the_terminal(env: dict[str, str], channel: Channel):
    assert choose_channel("auto", env) == channel
    assert choose_channel("iterm2", env) == "iterm2"


@pytest.mark.parametrize(
    ("setting", "env", "written"),
    [
        ("terminal_bell", PLAIN, "\x07"),
        ("auto", PLAIN, "\x07"),
        ("iterm2", PLAIN, "\x1b]9;agentcli: done\x07"),
        ("iterm2_with_bell", PLAIN, "\x1b]9;agentcli: done\x07\x07"),
        ("ghostty", PLAIN, "\x1b]777;notify;agentcli;done\x07"),
        (
            "kitty",
            PLAIN,
            "\x1b]99;i=agentcli:d=0;agentcli\x07\x1b]99;i=agentcli:p=body;done\x07",
        ),
        ("notifications_disabled", KITTY, ""),
        ("auto", DUMB, ""),
        ("iterm2", {**TMUX}, "\x1bPtmux;\x1b\x1b]9;agentcli: done\x07\x1b\\\x07"),
        ("auto", TMUX, "\x07"),
        ("iterm2", SCREEN, "\x1bP\x1b]9;agentcli: done\x07\x1b\\\x07"),
    ],
)
def test_what_is_written(setting: Channel, env: dict[str, str], written: str):
    assert call_sequence(setting, env, "agentcli", "done") == written


def test_a_hostile_text_ends_nothing():
    written = call_sequence("ghostty", PLAIN, "a;b", "x\x07\x1b]0;evil\x07;y\n" + "z" * 500)
    assert written.count("\x07") == 1 and written.count("\x1b") == 1
    assert written.startswith("\x1b]777;notify;a,b;x,y")
    assert len(written) < 120


def test_multiplexers():
    assert through(PLAIN, "\x1b]x\x07") == "\x1b]x\x07"
    assert through(TMUX, "\x1b]x\x07") == "\x1bPtmux;\x1b\x1b]x\x07\x1b\\"
    pieces = through(SCREEN, "\x1b]" + "x" * 2000 + "\x07").split("\x1b\\")
    assert all(piece.startswith("\x1bP") and len(piece) < 768 for piece in pieces[:-1])
    assert pieces[-1] == ""


# the modes of the terminal


def test_modes_are_entered_and_left_once():
    modes = Modes(PLAIN, titled=True)
    modes.shown, modes.undo = "<title>", "<off>"
    assert modes.leave() == ""
    assert modes.enter() == "\x1b[22;0t\x1b[?2031h<title>"
    assert modes.enter() == ""
    assert modes.leave() == "<off>\x1b[?2031l\x1b[23;0t"
    assert modes.leave() == ""
    assert modes.enter() == "\x1b[22;0t\x1b[?2031h<title>"


def test_modes_by_terminal():
    assert Modes(TMUX, titled=False).enter() == "\x1b[?2031h\x1b[>4;2m"
    assert Modes(SCREEN, titled=False).enter() == ""
    assert Modes({"TERM": "linux"}, titled=False).enter() == ""
    assert can_ask_colors(PLAIN) and not can_ask_colors(TMUX) and not can_ask_colors(SCREEN)


# the link


class Told:
    """A terminal that keeps what it is told."""

    def __init__(self) -> None:
        self.written: list[str] = []
        self.kept = ("", "")

    def take(self) -> str:
        written = "".join(self.written)
        self.written.clear()
        return written

    def tell(self, text: str) -> None:
        self.written.append(text)

    def keep(self, shown: str, undo: str) -> None:
        self.kept = (shown, undo)


async def test_a_turn_from_its_begin_to_its_end():
    app, told = App[None](), Told()
    async with app.run_test():
        link = TerminalLink(app, GHOSTTY, outside=told)
        link.attach()
        assert told.take() == "\x1b]0;agentcli\x07"
        link.name("fix it", "~/shop")
        assert told.take() == "\x1b]0;fix it — ~/shop\x07"
        link.show("busy")
        assert told.take() == "\x1b]0;◐ fix it — ~/shop\x07\x1b]9;4;3\x07"
        assert told.kept == ("\x1b]0;◐ fix it — ~/shop\x07\x1b]9;4;3\x07", "\x1b]9;4;0\x07")
        link.show("busy")
        assert told.take() == ""
        link.show("idle")
        assert told.take() == "\x1b]0;fix it — ~/shop\x07\x1b]9;4;0\x07"
        assert told.kept[0] == "\x1b]0;fix it — ~/shop\x07"


async def test_who_left_is_called_once_for_each_thing():
    app, told = App[None](), Told()
    async with app.run_test() as pilot:
        link = TerminalLink(app, ITERM, progress=False, titled=False, outside=told)
        link.attach()
        link.name("fix it", "~/shop")
        link.show("busy")
        link.show("asking")
        assert told.take() == ""  # short, and it may well be looked at
        app.post_message(events.AppBlur())
        await pilot.pause()
        assert link.focused is False
        link.show("busy")
        link.show("asking")
        assert told.take() == "\x1b]9;agentcli: needs your answer · fix it\x07"
        link.show("busy")
        link.show("idle")
        assert told.take() == "\x1b]9;agentcli: done · fix it\x07"
        app.post_message(events.AppFocus())
        await pilot.pause()
        link.show("busy")
        link.show("failed")
        assert told.take() == ""


async def test_a_failure_stands_until_it_is_seen():
    app, told = App[None](), Told()
    async with app.run_test() as pilot:
        link = TerminalLink(app, WINDOWS, titled=False, outside=told)
        link.attach()
        app.post_message(events.AppBlur())
        await pilot.pause()
        link.show("busy")
        told.take()
        link.show("failed")
        assert told.take() == "\x07\x1b]9;4;2;100\x07"
        app.post_message(events.AppFocus())
        await pilot.pause()
        assert told.take() == "\x1b]9;4;0\x07"
        link.show("busy")
        link.show("failed")
        assert told.take() == "\x1b]9;4;3\x07\x1b]9;4;0\x07"


async def test_colours_are_asked_for_where_an_answer_comes():
    app, told = App[None](), Told()
    async with app.run_test():
        TerminalLink(app, PLAIN, outside=told).ask_color()
        assert told.take() == "\x1b]11;?\x1b\\"
        TerminalLink(app, TMUX, outside=told).ask_color()
        assert told.take() == ""
