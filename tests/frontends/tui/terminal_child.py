"""A program on a pty of its own: everything that it wrote, and what became of the terminal."""

import contextlib
import os
import pty
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

ROOT = Path(__file__).parents[3]
WINDOW = """
import sys
from pathlib import Path
from agentcli.frontends.tui.run import TuiOptions, run_tui
from agentcli.protocol.events import BlockFinished, PromptAdded
from tests.frontends.tui.fake_engine import FakeEngine
from tests.frontends.tui.scenes import ask_bash

evil = (
    "\\x1b]0;EVIL\\x07", "\\x1b[2J\\x1b[7;7HEVIL", "\\x9b31mEVIL", "\\x1b]52;c;RVZJTA==\\x07",
    "\\x1bPEVIL\\x1b\\\\", "\\x9d0;EVIL\\x9c", "\\x1b_EVIL\\x1b\\\\", "\\x1b[?1049l",
    "\\x1bc", "\\x07",
)

async def script(engine, text):
    if text == "crash":
        from agentcli.frontends.tui.transcript.view import Transcript
        Transcript.render_line = None
    if text == "ask":
        await ask_bash(engine, text)
    if text == "evil":
        text = "".join(evil) + " end of evil"
    await engine.say("answer to " + text)
    block = {"type": "text", "text": "answer to " + text}
    engine.past += [PromptAdded("e", text), BlockFinished("m", 0, block, "e")]

code = run_tui(lambda asker: FakeEngine(asker, script), TuiOptions(home=Path("/none")))
print("left with", code)
sys.exit(code)
"""


_TAKE_TERMINAL = "import fcntl, termios\nfcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
_PAIRS = (
    (b"\x1b[?2031h", b"\x1b[?2031l"),
    (b"\x1b[>4;2m", b"\x1b[>4m"),
    (b"\x1b[?1004h", b"\x1b[?1004l"),
    (b"\x1b[?1049h", b"\x1b[?1049l"),
)
_NOT_HERE = {"TMUX", "STY", "NO_COLOR", "TERM_PROGRAM", "WT_SESSION", "KITTY_WINDOW_ID"}


class Terminal:
    """A child process on a pty, with everything that it wrote."""

    def __init__(self, program: str = WINDOW, leads: bool = False, **env: str) -> None:
        self.lead, follow = pty.openpty()
        self.before = termios.tcgetattr(follow)
        base = {name: value for name, value in os.environ.items() if name not in _NOT_HERE}
        self.process = subprocess.Popen(
            [sys.executable, "-c", (_TAKE_TERMINAL if leads else "") + program],
            stdin=follow,
            stdout=follow,
            stderr=follow,
            cwd=ROOT,
            env={**base, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24", **env},
            start_new_session=True,
        )
        self.follow = follow
        self._open = True
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

    def hang_up(self) -> None:
        """Close the terminal under the program."""
        self._open = False
        os.close(self.follow)
        os.close(self.lead)

    def until(self, text: bytes, seconds: float = 10.0, start: int = 0) -> None:
        deadline = time.monotonic() + seconds
        while text not in self.written[start:]:
            assert time.monotonic() < deadline, self.written[-2000:]
            self.read(0.1)

    def type(self, keys: bytes) -> None:
        os.write(self.lead, keys)

    def ended(self) -> int:
        self.read(10.0)
        code = self.process.wait(5)
        assert termios.tcgetattr(self.follow) == self.before
        tail = self.written[self.written.rindex(b"\x1b[?1049l") :]
        for mode in (b"\x1b[?1000l", b"\x1b[?1003l", b"\x1b[?2004l", b"\x1b[?25h", b"\x1b[?1004l"):
            assert mode in self.written
        # what was switched on last was switched off after it
        for on, off in _PAIRS:
            assert self.written.rfind(off) >= self.written.rfind(on)
        assert self.written.count(b"\x1b[22;0t") == self.written.count(b"\x1b[23;0t")
        assert b"\x1b[?1049h" not in tail
        return code

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self._open:
            self.hang_up()
