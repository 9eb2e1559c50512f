"""The window in a real terminal: modes are restored, signals end it, start-up stays light."""

import contextlib
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PROGRAM = """
import sys
from pathlib import Path
from agentcli.frontends.tui.run import TuiOptions, run_tui
from tests.frontends.tui.fake_engine import FakeEngine
from tests.frontends.tui.scenes import ask_bash

async def script(engine, text):
    if text == "crash":
        from agentcli.frontends.tui.transcript.view import Transcript
        Transcript.render_line = None
    if text == "ask":
        await ask_bash(engine, text)
    await engine.say("answer to " + text)

code = run_tui(lambda asker: FakeEngine(asker, script), TuiOptions(home=Path("/none")))
print("left with", code)
sys.exit(code)
"""


class Terminal:
    """A child process on a pty, with everything that it wrote."""

    def __init__(self, **env: str) -> None:
        self.lead, follow = pty.openpty()
        self.before = termios.tcgetattr(follow)
        base = {
            name: value for name, value in os.environ.items() if name not in {"TMUX", "NO_COLOR"}
        }
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            stdin=follow,
            stdout=follow,
            stderr=follow,
            cwd=ROOT,
            env={**base, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24", **env},
            start_new_session=True,
        )
        self.follow = follow
        self.written = b""

    def read(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            if not select.select([self.lead], [], [], min(left, 0.05))[0]:
                if self.process.poll() is not None:
                    return
                continue
            with contextlib.suppress(OSError):
                self.written += os.read(self.lead, 65536)

    def until(self, text: bytes, seconds: float = 10.0) -> None:
        deadline = time.monotonic() + seconds
        while text not in self.written:
            assert time.monotonic() < deadline, self.written[-2000:]
            self.read(0.1)

    def type(self, keys: bytes) -> None:
        os.write(self.lead, keys)

    def ended(self) -> int:
        self.read(10.0)
        code = self.process.wait(5)
        assert termios.tcgetattr(self.follow) == self.before
        tail = self.written[self.written.rindex(b"\x1b[?1049l") :]
        for mode in (b"\x1b[?1000l", b"\x1b[?2004l", b"\x1b[?25h"):
            assert mode in self.written
        assert b"\x1b[?1049h" not in tail
        return code

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.lead)
        os.close(self.follow)


def test_quitting_restores_the_terminal():
    terminal = Terminal()
    try:
        terminal.until(b"? help")
        terminal.type(b"hello\r")
        terminal.until(b"answer to hello")
        terminal.type(b"\x03")
        time.sleep(0.2)
        terminal.type(b"\x03")
        assert terminal.ended() == 0
        assert b"left with 0" in terminal.written
    finally:
        terminal.close()


@pytest.mark.slow
def test_alt_enter_is_a_newline_in_plain_terminals():
    terminal = Terminal()
    try:
        terminal.until(b"? help")
        terminal.type(b"one\x1b\rtwo")
        terminal.read(0.3)
        assert b"answer to" not in terminal.written
        terminal.type(b"\r")
        terminal.until(b"answer to one")
        terminal.until(b"two")
    finally:
        terminal.close()


@pytest.mark.slow
def test_a_paste_sends_nothing_and_odd_bytes_do_no_harm():
    terminal = Terminal()
    try:
        terminal.until(b"? help")
        terminal.type(b"\xff\xfe \x1b[200~one\x1b\r two\x1b[31m\r\x1b[201~")
        terminal.until(b"two")
        terminal.read(0.3)
        assert b"answer to" not in terminal.written
        terminal.type(b"\r")
        terminal.until(b"answer to")
    finally:
        terminal.close()


@pytest.mark.slow
def test_a_question_can_be_left_for_the_shell_and_stands_afterwards():
    terminal = Terminal()
    try:
        terminal.until(b"? help")
        terminal.type(b"ask\r")
        terminal.until(b"needs your approval")
        terminal.type(b"\x1a")
        _, status = os.waitpid(terminal.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        terminal.written = b""
        terminal.process.send_signal(signal.SIGCONT)
        terminal.until(b"needs your approval")
        assert b"answer to" not in terminal.written
    finally:
        terminal.close()


@pytest.mark.slow
def test_suspending_gives_the_terminal_back_and_redraws_afterwards():
    terminal = Terminal()
    try:
        terminal.until(b"? help")
        terminal.type(b"\x1a")
        _, status = os.waitpid(terminal.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        terminal.read(0.2)
        assert b"\x1b[?1049l" in terminal.written
        assert termios.tcgetattr(terminal.follow) == terminal.before
        terminal.written = b""
        terminal.process.send_signal(signal.SIGCONT)
        terminal.until(b"? help")
        terminal.until(b"\xe2\x80\xba")
    finally:
        terminal.close()


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)]
)
def test_signals_end_it_cleanly(number: signal.Signals, code: int):
    terminal = Terminal()
    try:
        terminal.until(b"? help")
        terminal.process.send_signal(number)
        assert terminal.ended() == code
    finally:
        terminal.close()


@pytest.mark.slow
def test_a_crash_restores_the_terminal():
    terminal = Terminal()
    try:
        terminal.until(b"? help")
        terminal.type(b"crash\r")
        assert terminal.ended() == 1
        # on the main screen, after everything that moves the cursor
        told = terminal.written[terminal.written.rindex(b"\x1b[0m") :]
        assert b"agentcli ended by an error of its own: TypeError" in told
        assert b"agentcli --continue" in told
        assert b"locals" not in terminal.written
    finally:
        terminal.close()


@pytest.mark.slow
def test_tmux_is_asked_for_its_keys_and_left_without():
    terminal = Terminal(TMUX="/tmp/none,1,0")
    try:
        terminal.until(b"\x1b[>4;2m")
        terminal.until(b"? help")
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.ended() == 143
        assert terminal.written.rindex(b"\x1b[>4m") > terminal.written.rindex(b"\x1b[>4;2m")
        assert b"\x1b]11;?" not in terminal.written
    finally:
        terminal.close()


@pytest.mark.slow
def test_without_colours_nothing_is_coloured():
    terminal = Terminal(NO_COLOR="1")
    try:
        terminal.until(b"? help")
        terminal.process.send_signal(signal.SIGTERM)
        terminal.ended()
        assert b"\x1b[38;" not in terminal.written
        assert b"\x1b[48;" not in terminal.written
    finally:
        terminal.close()


def test_the_first_frame_needs_no_heavy_module():
    code = (
        "import sys, agentcli.frontends.tui.app, agentcli.frontends.tui.run;"
        "heavy = {'markdown_it', 'pygments', 'httpx2', 'anthropic', 'msgspec', 'git', 'mcp',"
        " 'agentcli.engine.build', 'agentcli.frontends.tui.screens.approve', 'rich.markdown'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
