"""The terminal outside of the window: what it is, and that it is left as it was found."""

import asyncio
import atexit
import os
import re
import select
import signal
import sys
import termios
import tty
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from time import monotonic

from agentcli.frontends.tui.terminal.colors import ASK_COLOR, read_color

_QUERY = f"{ASK_COLOR}\x1b[c".encode()
"""Ask for the background colour, then for the device: every terminal answers the second."""
_DEVICE = re.compile(rb"\x1b\[\?[0-9;]*c")
_ANSWER = re.compile(rb"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b\[[0-?]*[@-~]|[\x00-\x1f\x7f]")
_PATIENCE = 0.1

RESET = (
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1016l\x1b[?1004l\x1b[?2004l"
    "\x1b[?2031l\x1b[?2048l\x1b[?2026l\x1b[<u\x1b[>4m\x1b[?7h\x1b[?1049l\x1b[?25h\x1b[0m"
)
"""Mouse, focus, paste, colour and key reports off, main screen, cursor shown."""


class Modes:
    """What the window switches on beyond Textual, for as long as it is on the screen.

    The texts are to be written to the terminal. Entering and leaving twice is harmless, so that
    every way out may leave: the end, a suspension, an editor, a signal, a crash.
    """

    def __init__(self, env: Mapping[str, str], titled: bool) -> None:
        self._titled = titled
        # tmux takes no kitty request; this makes it send Shift+Enter as a key of its own
        self._keys = bool(env.get("TMUX"))
        self._follows = bool(env.get("TMUX")) or can_ask_colors(env)
        self.on = False
        self.shown = ""
        """What the terminal shows outside of the screen (title, progress), written again when the
        window comes back."""
        self.undo = ""
        """What takes that away."""

    def enter(self) -> str:
        """Keep the terminal's title, report a change of its colours, send all keys."""
        if self.on:
            return ""
        self.on = True
        return (
            ("\x1b[22;0t" if self._titled else "")
            + ("\x1b[?2031h" if self._follows else "")
            + ("\x1b[>4;2m" if self._keys else "")
            + self.shown
        )

    def leave(self) -> str:
        """What undoes that."""
        if not self.on:
            return ""
        self.on = False
        return (
            self.undo
            + ("\x1b[>4m" if self._keys else "")
            + ("\x1b[?2031l" if self._follows else "")
            + ("\x1b[23;0t" if self._titled else "")
        )


def can_ask_colors(env: Mapping[str, str]) -> bool:
    """False where the answer would be somebody else's (tmux, screen) or none would come. Pure."""
    term = env.get("TERM", "")
    return not (env.get("TMUX") or term in {"", "dumb", "linux"} or term.startswith("screen"))


def ask_background(env: Mapping[str, str]) -> tuple[str | None, str]:
    """The terminal's background as ``#rrggbb`` (None: not told), and what was typed meanwhile.

    Waits at most 100 ms. Never raises. Not asked where nothing useful would come.
    """
    if not can_ask_colors(env):
        return None, ""
    source, target = sys.stdin.fileno(), sys.stderr.fileno()
    if not (os.isatty(source) and os.isatty(target)):
        return None, ""
    try:
        return parse_answer(_exchange(source, target))
    except (OSError, termios.error):
        return None, ""


def parse_answer(data: bytes) -> tuple[str | None, str]:
    """Background and typed text out of what the terminal sent. Pure."""
    return read_color(data), _ANSWER.sub(b"", data).decode("utf-8", "ignore")


def _exchange(source: int, target: int) -> bytes:
    before = termios.tcgetattr(source)
    data = b""
    try:
        tty.setcbreak(source, termios.TCSANOW)
        os.write(target, _QUERY)
        deadline = monotonic() + _PATIENCE
        while (left := deadline - monotonic()) > 0 and not _DEVICE.search(data):
            if not select.select([source], [], [], left)[0]:
                break
            piece = os.read(source, 1024)
            if not piece:
                break
            data += piece
    finally:
        termios.tcsetattr(source, termios.TCSANOW, before)
    return data


def end_on_signals(loop: asyncio.AbstractEventLoop, stop: Callable[[int], None]) -> None:
    """SIGTERM, SIGHUP and SIGINT (as a signal; Ctrl+C is a key) call *stop* with their exit code.
    Being the loop's own handlers they also make it wake up for every other signal, such as the
    one after a suspension."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        loop.add_signal_handler(number, stop, 128 + number)


@contextmanager
def kept_terminal(modes: Modes) -> Generator[None]:
    """Afterwards, and at the end of the process whatever happens, the terminal is as before."""
    source = sys.stdin.fileno() if sys.stdin is not None else -1
    before = termios.tcgetattr(source) if source >= 0 and os.isatty(source) else None
    done = False

    def restore() -> None:
        nonlocal done
        if done:
            return
        done = True
        try:
            if before is not None:
                termios.tcsetattr(source, termios.TCSANOW, before)
            # left in order, the keys of the main screen are its owner's again: not to be popped
            _tell(modes.leave() + RESET if modes.on else RESET.replace("\x1b[<u", ""))
        except (OSError, termios.error):
            pass  # the terminal is gone: nothing to restore

    atexit.register(restore)
    try:
        yield
    finally:
        restore()
        atexit.unregister(restore)


def _tell(text: str) -> None:
    if sys.stderr is not None and os.isatty(sys.stderr.fileno()):
        os.write(sys.stderr.fileno(), text.encode())
