"""A session file → entries: all of it, or just the end that the conversation needs.

A compaction starts the conversation anew, so that of a file of 100 MB mostly the last few count.
The file is read backwards until the way from its end to a root is complete; where it is not
(a damaged chain), the whole file is read, as the rules for damage look at all of it.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agentcli.protocol.errors import SessionCorrupt, SessionNotFound
from agentcli.session.codec import decode_line, decode_lines, share, without_doubles
from agentcli.session.entries import Entry
from agentcli.session.tree import is_main

_WHOLE_BYTES = 1 << 22
"""Up to this size a file is read whole: every damage in it is found then."""
_FIRST_PIECE = 1 << 18
_LARGEST_PIECE = 1 << 24


@dataclass(frozen=True, slots=True)
class Window:
    """Entries in file order, and how many lines among them are damaged. ``partial``: there may
    be more before them in the file."""

    entries: list[Entry]
    bad_lines: int
    partial: bool = False


def read_session(path: Path) -> Window:
    """All entries of a file, open or not. Raises SessionNotFound or SessionCorrupt."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise SessionNotFound(f"No session file at {path}.") from None
    except OSError as error:
        raise SessionCorrupt(f"Cannot open {path}: {error.strerror}.") from None
    try:
        return read_all(fd)
    except OSError as error:
        raise SessionCorrupt(f"Cannot read {path}: {error.strerror}.") from None
    finally:
        os.close(fd)


def read_all(fd: int) -> Window:
    """All entries. Raises OSError."""
    entries, bad = decode_lines(_lines_forward(fd))
    return Window(entries, bad)


def read_window(fd: int, whole_bytes: int = _WHOLE_BYTES) -> Window:
    """The entries from the root of the current conversation to the end of the file, or all of
    them where it is small; the same conversation comes of them as of all. Raises OSError."""
    if os.fstat(fd).st_size <= whole_bytes:
        return read_all(fd)
    way = _Way()
    backward: list[Entry] = []
    seen: dict[str, str] = {}
    bad = 0
    for line in _lines_backward(fd):
        decoded = decode_line(line)
        bad += decoded.bad
        for data in reversed(decoded.objects):
            # shared at once: strings that are let go later leave holes
            entry = Entry(share(data, seen))
            backward.append(entry)
            way.go(entry)
        if way.complete:
            break
    return Window(without_doubles(reversed(backward)), bad, way.complete)


class _Way:
    """The way from the end of the conversation to its root, found while reading backwards."""

    def __init__(self) -> None:
        self.complete = False
        self._parents: dict[str, str | None] = {}
        self._wanted: str | None = None
        self._marked = False

    def go(self, entry: Entry) -> None:
        """Take the entry before those that were taken already."""
        if entry.type == "last-prompt" and "leafUuid" in entry.data:
            self._take_marker(entry)
        if not entry.is_tree or entry.is_sidechain:
            return
        self._parents.setdefault(entry.uuid, entry.parent_uuid)
        if self._wanted is None and is_main(entry):
            self._wanted = entry.uuid
        while self._wanted in self._parents and not self.complete:
            # taken out, so that a cycle ends here: then nothing is complete
            self._wanted = self._parents.pop(self._wanted)
            self.complete = self._wanted is None

    def _take_marker(self, entry: Entry) -> None:
        """Only the newest marker counts, and only where nothing of the conversation follows."""
        if self._marked or self._wanted is not None:
            return
        self._marked = True
        target = entry.data["leafUuid"]
        if isinstance(target, str):
            self._wanted = target
        self.complete = target is None and entry.data.get("explicit") is True


def _lines_forward(fd: int) -> Iterator[bytes]:
    """Lines without their LF, in order; one piece of the file is in memory at a time."""
    offset, rest = 0, b""
    while piece := os.pread(fd, _LARGEST_PIECE, offset):
        offset += len(piece)
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
    if rest:
        yield rest


def _lines_backward(fd: int) -> Iterator[bytes]:
    """Lines without their LF, the last first; the pieces that are read grow."""
    end, size = os.fstat(fd).st_size, _FIRST_PIECE
    rest = b""
    while end > 0:
        start = max(0, end - size)
        lines = (os.pread(fd, end - start, start) + rest).split(b"\n")
        rest = lines[0] if start else b""
        yield from reversed(lines[1:] if start else lines)
        end, size = start, min(size * 2, _LARGEST_PIECE)
