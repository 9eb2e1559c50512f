"""Output of a command on its way to the model: cleaned, bounded, long ones saved to a file."""

import codecs
import os
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

from agentcli.base.text import strip_controls
from agentcli.tools.limits import INLINE_LIMIT

_MAX_FILE = 64 << 20
_MAX_PENDING = 65_536
_MAX_FRAMES = 4_096
_PROGRESS_SECONDS = 0.2
_PROGRESS_CHARS = 4_000
# Sequences that take the cursor back to the line's start work like a carriage return.
_LINE_START = re.compile(r"\x1b\[[01]?G")
_BACKSPACE = re.compile(r"[^\n\x08]\x08")


class ShellOutput:
    """Takes raw bytes (``feed``, in the reader's thread) and holds the clean text.

    The first and the last ``INLINE_LIMIT`` characters stay in memory. Once there is more,
    ``open_file`` is asked for a descriptor and all text goes there, up to 64 MiB.
    """

    def __init__(
        self, open_file: Callable[[], tuple[int, Path]], progress: Callable[[str], None]
    ) -> None:
        self._open_file = open_file
        self._progress = progress
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pending = ""
        self._head = ""
        self._tail = ""
        self._fresh = ""
        self._last_progress = 0.0
        self._fd = -1
        self._file_size = 0
        self._lock = threading.Lock()
        self.total = 0
        self.path: Path | None = None
        self.file_error = ""

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes. Called from one thread only; sends progress at most 5 times a s."""
        text = self._pending + self._decoder.decode(chunk)
        cut = text.rfind("\n") + 1
        self._pending = self._shorten(text[cut:])
        if cut:
            self._accept(_clean(text[:cut]))
        if len(self._pending) > _MAX_PENDING:
            self._accept(_clean(self._pending))
            self._pending = ""
        now = time.monotonic()
        if now - self._last_progress >= _PROGRESS_SECONDS:
            self._last_progress = now
            self._send_progress()

    def finish(self) -> None:
        """Take what is left, send the last progress and close the file."""
        rest = self._pending + self._decoder.decode(b"", final=True)
        self._pending = ""
        if rest:
            self._accept(_clean(rest))
        self._send_progress()
        with self._lock:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1

    def whole(self) -> str | None:
        """All text, or None if it was too long to keep in memory."""
        return self._head if self.total == len(self._head) else None

    def head(self, limit: int) -> str:
        """The first *limit* characters at most."""
        return self._head[:limit]

    def excerpt(self, limit: int) -> str:
        """All text if it is short enough, else its first third and its last two thirds."""
        whole = self.whole()
        if whole is not None and len(whole) <= limit:
            return whole
        head, tail = limit // 3, limit - limit // 3
        end = whole if whole is not None else self._tail
        note = f"\n… [{self.total - limit} characters left out] …\n"
        return self._head[:head] + note + end[-tail:]

    def _shorten(self, line: str) -> str:
        """An unfinished line that is redrawn again and again: only the last frames matter."""
        if len(line) <= _MAX_FRAMES or "\r" not in line:
            return line
        last = line.rfind("\r", 0, len(line) - 1)
        return line[last:] if last > 0 else line

    def _accept(self, text: str) -> None:
        if not text:
            return
        if len(self._head) < INLINE_LIMIT and self.total == len(self._head):
            room = INLINE_LIMIT - len(self._head)
            self._head += text[:room]
        self.total += len(text)
        self._tail = (self._tail + text)[-INLINE_LIMIT:]
        self._fresh = (self._fresh + text)[-_PROGRESS_CHARS:]
        if self.total > len(self._head):
            self._save(text)

    def _save(self, text: str) -> None:
        with self._lock:
            if self.path is None and not self.file_error:
                try:
                    self._fd, self.path = self._open_file()
                except OSError as error:
                    self.file_error = error.strerror or str(error)
                text = self._head + text[len(text) - (self.total - len(self._head)) :]
            if self._fd < 0:
                return
            data = text.encode("utf-8", "replace")[: _MAX_FILE - self._file_size]
            try:
                while data:
                    written = os.write(self._fd, data)
                    self._file_size += written
                    data = data[written:]
            except OSError as error:
                self.file_error = error.strerror or str(error)
                os.close(self._fd)
                self._fd = -1

    def _send_progress(self) -> None:
        fresh, self._fresh = self._fresh, ""
        if fresh:
            self._progress(fresh)


def _clean(text: str) -> str:
    """Progress frames collapsed to the last one, escapes and controls removed. Pure."""
    text = text.replace("\r\n", "\n")
    if "\x1b" in text:
        text = _LINE_START.sub("\r", text)
        # By line, so that an unfinished escape cannot swallow what follows.
        text = "\n".join(strip_controls(_last_frame(line)) for line in text.split("\n"))
    elif "\r" in text:
        text = "\n".join(map(_last_frame, text.split("\n")))
    if "\x08" in text:
        text = _BACKSPACE.sub("", text)
    return strip_controls(text)


def _last_frame(line: str) -> str:
    if "\r" not in line:
        return line
    frames = [frame for frame in line.split("\r") if frame]
    return frames[-1] if frames else ""
