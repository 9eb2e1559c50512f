"""A program in a pty, its screen read by a terminal emulator of another project (pyte)."""

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyte


class Terminal:
    """Starts a command in a pty of *size* (columns, rows) and keeps its screen.

    ``raw`` holds every byte that the program wrote; ``drawn_at`` is the monotonic time of the
    newest one.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        size: tuple[int, int] = (100, 30),
    ) -> None:
        self.screen = pyte.Screen(*size)
        self.raw = bytearray()
        self._unread = bytearray()
        self.drawn_at = 0.0
        self.exit_code: int | None = None
        self._stream = pyte.ByteStream(self.screen)
        environment = {**env, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            _set_size(0, *size)
            os.chdir(cwd)
            os.execvpe(command[0], list(command), environment)

    def resize(self, columns: int, rows: int) -> None:
        """Change the window size, as a user's drag does."""
        _set_size(self.fd, columns, rows)
        self.screen.resize(rows, columns)

    def send(self, keys: str | bytes) -> None:
        """Type."""
        os.write(self.fd, keys.encode() if isinstance(keys, str) else keys)

    def send_all(self, data: bytes) -> None:
        """Type much: the program is read meanwhile, so that neither waits for the other."""
        os.set_blocking(self.fd, False)
        try:
            while data:
                try:
                    data = data[os.write(self.fd, data[:4096]) :]
                except BlockingIOError:
                    self._read(0.05)
        finally:
            os.set_blocking(self.fd, True)

    def pump(self, seconds: float) -> None:
        """Read for *seconds* what the program writes."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and self._read(left):
            pass

    def pump_once(self, seconds: float) -> None:
        """Wait at most *seconds* for the program to write something, and read it."""
        self._read(seconds)

    def pump_raw(self, seconds: float) -> None:
        """As `pump_once`, but the screen comes later: making it takes longer than some programs
        need for theirs."""
        if select.select([self.fd], [], [], seconds)[0]:
            with contextlib.suppress(OSError):
                data = os.read(self.fd, 65536)
                self.raw += data
                self._unread += data

    def wait_for(self, text: str, seconds: float = 30.0) -> str:
        """Read until *text* is on the screen; the whole screen. Fails with the screen else."""
        end = time.monotonic() + seconds
        while text not in self.text():
            left = end - time.monotonic()
            if left <= 0 or not self._read(min(left, 0.2)):
                if text in self.text():
                    break
                raise AssertionError(f"{text!r} did not come:\n{self.text()}")
        return self.text()

    def wait_raw(self, data: bytes, start: int = 0, seconds: float = 30.0) -> None:
        """Read until the program has written *data* behind byte *start*."""
        end = time.monotonic() + seconds
        while data not in self.raw[start:]:
            assert time.monotonic() < end and self._read(0.2), f"{data!r} was not written"

    def text(self) -> str:
        """The screen as lines of text."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    def wait_exit(self, seconds: float = 30.0) -> int:
        """Read until the program ends; its exit code (negative: killed by that signal)."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not self._read(0.1):
                break
        if self.exit_code is None:
            while time.monotonic() < end:
                done, status = os.waitpid(self.pid, os.WNOHANG)
                if done:
                    self.exit_code = os.waitstatus_to_exitcode(status)
                    break
                time.sleep(0.02)
        assert self.exit_code is not None, f"it does not end:\n{self.text()}"
        return self.exit_code

    def close(self) -> None:
        """Kill what still runs."""
        if self.exit_code is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.fd)

    def _read(self, seconds: float) -> bool:
        """Read once; False at the program's end."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        if not data:
            return False
        self.raw += data
        self.drawn_at = time.monotonic()
        self._stream.feed(bytes(self._unread) + data)
        self._unread.clear()
        return True


def _set_size(fd: int, columns: int, rows: int) -> None:
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
