"""Every way out of the window leaves the terminal as it was: modes, keys, title, progress."""

import os
import signal

import pytest

from tests.frontends.tui.terminal_child import Terminal

SMALL = """
import os, sys
from textual.app import App
from agentcli.frontends.tui.terminal.driver import TerminalDriver
from agentcli.frontends.tui.terminal.keyboard import mend_keyboard
from agentcli.frontends.tui.terminal.link import TerminalLink
from agentcli.frontends.tui.terminal.modes import Modes, end_on_signals, kept_terminal
from agentcli.frontends.tui.terminal.title import wants_title
import asyncio

class Small(App):
    BINDINGS = [("ctrl+z", "suspend_process", "")]
    def on_mount(self):
        end_on_signals(asyncio.get_running_loop(), self.exit)
        self.link = TerminalLink(self, os.environ)
        self.link.attach()
        self.link.name("fix it", "~/shop")
    def on_key(self, event):
        match event.key:
            case "b": self.link.show("busy")
            case "i": self.link.show("idle")
            case "q": self.exit(0)
            case "x": raise ValueError("gone wrong")
    def on_scheme_changed(self, event):
        self.link.ask_color()
    def on_background_told(self, event):
        self.exit(5 if event.color == "#102030" else 6)

mend_keyboard()
TerminalDriver.modes = Modes(os.environ, wants_title(os.environ))
app = Small()
app.driver_class = TerminalDriver
with kept_terminal(TerminalDriver.modes):
    code = app.run()
sys.exit(app.return_code if code is None else code)
"""
TITLE = "\x1b]0;fix it — ~/shop\x07".encode()
BUSY = "\x1b]0;◐ fix it — ~/shop\x07\x1b]9;4;3\x07".encode()


def started(leads: bool = False, **env: str) -> Terminal:
    terminal = Terminal(SMALL, leads, **env)
    terminal.until(TITLE)
    return terminal


@pytest.mark.parametrize(
    ("way", "code"),
    [
        ("q", 0),
        ("x", 1),
        pytest.param(signal.SIGTERM, 143, marks=pytest.mark.slow),
        (signal.SIGHUP, 129),
        pytest.param(signal.SIGINT, 130, marks=pytest.mark.slow),
    ],
)
def test_every_way_out_undoes_everything(way: str | signal.Signals, code: int):
    terminal = started(WT_SESSION="w")
    try:
        for mode in (b"\x1b[22;0t", b"\x1b[?2031h", b"\x1b[?1004h"):
            assert mode in terminal.written
        terminal.type(b"b")
        terminal.until(BUSY)
        if isinstance(way, str):
            terminal.type(way.encode())
        else:
            terminal.process.send_signal(way)
        assert terminal.ended() == code
        tail = terminal.written[terminal.written.rindex(BUSY) :]
        off, scheme, title, screen = (
            tail.index(mode)
            for mode in (b"\x1b]9;4;0\x07", b"\x1b[?2031l", b"\x1b[23;0t", b"\x1b[?1049l")
        )
        assert off < scheme < title < screen
        assert tail.count(b"\x1b[<u") == 1  # the shell's own keys are not popped
    finally:
        terminal.close()


def test_suspended_and_back_everything_stands_again():
    terminal = started(WT_SESSION="w")
    try:
        terminal.type(b"b")
        terminal.until(BUSY)
        terminal.type(b"\x1a")
        _, status = os.waitpid(terminal.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        terminal.read(0.2)
        for mode in (b"\x1b]9;4;0\x07", b"\x1b[?2031l", b"\x1b[23;0t", b"\x1b[?1004l"):
            assert mode in terminal.written
        terminal.written = b""
        terminal.process.send_signal(signal.SIGCONT)
        terminal.until(b"\x1b[22;0t\x1b[?2031h" + BUSY)
        terminal.until(b"\x1b[?1004h")
        terminal.type(b"q")
        assert terminal.ended() == 0
    finally:
        terminal.close()


def test_a_change_of_the_colours_is_followed():
    terminal = started()
    try:
        terminal.type(b"\x1b[?997;1n")
        terminal.until(b"\x1b]11;?\x1b\\")
        terminal.type(b"\x1b]11;rgb:1010/2020/3030\x1b\\")
        assert terminal.ended() == 5
    finally:
        terminal.close()


@pytest.mark.slow
def test_without_title_and_in_tmux():
    terminal = Terminal(SMALL, TMUX="/tmp/none,1,0", CLAUDE_CODE_DISABLE_TERMINAL_TITLE="1")
    try:
        terminal.until(b"\x1b[?2031h\x1b[>4;2m")
        terminal.type(b"bq")
        assert terminal.ended() == 0
        assert b"\x1b]0;" not in terminal.written
        assert b"\x1b]9;" not in terminal.written
        assert b"\x1b[22;0t" not in terminal.written
    finally:
        terminal.close()


@pytest.mark.parametrize("leads", [True, False])
def test_a_terminal_that_is_closed_ends_it(leads: bool):
    """Who leads the terminal's session gets a signal; others only the end of the input."""
    terminal = started(leads=leads)
    try:
        terminal.type(b"b")
        terminal.read(0.2)
        terminal.hang_up()
        assert terminal.process.wait(5) in {1, 129}
    finally:
        terminal.close()


@pytest.mark.slow
def test_stopped_from_outside_and_back_it_is_drawn_anew():
    terminal = started()
    try:
        terminal.process.send_signal(signal.SIGSTOP)
        os.waitpid(terminal.process.pid, os.WUNTRACED)
        at = len(terminal.written)
        terminal.process.send_signal(signal.SIGCONT)
        terminal.until(TITLE, start=at)
        assert terminal.written[at:].count(b"\x1b[?1049h") == 1
        terminal.type(b"q")
        assert terminal.ended() == 0
    finally:
        terminal.close()
