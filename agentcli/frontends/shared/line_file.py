"""A file of lines that several processes append to, read from its end."""

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path

_CHUNK = 65_536
_LONGEST = 4 << 20
"""A line that is longer than this is none of ours: it is passed over."""
_PATIENCE = 0.3


def append_line(path: Path, line: bytes) -> None:
    """Add *line* (with its line end) to *path* in one write; nothing of it stays if that fails.

    A new file is private. Waits a moment for others that write; without a lock too, one write in
    append mode is whole. Raises ``OSError``.
    """
    with _locked(path) as (fd, alone):
        size = os.fstat(fd).st_size
        # what a crash left half written must not swallow this line
        torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
        data = b"\n" + line if torn else line
        written = -1
        try:
            written = os.write(fd, data)
        finally:
            if written != len(data) and alone:
                os.ftruncate(fd, size)
        if written != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))


def trim_lines(path: Path, limit: int, keep: int) -> list[bytes] | None:
    """Cut *path* to about its last *keep* bytes if it is larger than *limit*; gives the lines that
    stayed, or None if nothing was to be done. Whole or not at all. Raises ``OSError``."""
    try:
        if path.stat().st_size <= limit:
            return None
    except FileNotFoundError:
        return None
    with _locked(path) as (fd, alone):
        size = os.fstat(fd).st_size
        if size <= limit or not alone:
            return None
        # from one byte before, so that a line that begins just there is kept
        tail = _read_at(fd, size - keep - 1, size)
        kept = tail[tail.find(b"\n") + 1 :]
        fresh = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        with contextlib.suppress(FileNotFoundError):
            fresh.unlink()
        out = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(out, "wb") as file:
                file.write(kept)
                file.flush()
                os.fsync(out)
            os.replace(fresh, path)
        except BaseException:
            with contextlib.suppress(OSError):
                fresh.unlink()
            raise
        return kept.splitlines()


def lines_backwards(path: Path, stop: Callable[[], bool] = lambda: False) -> Iterator[bytes]:
    """The lines of *path*, last first, without their ends; read as they are asked for.

    What is added meanwhile is not seen. No file: no lines. Raises ``OSError``.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return
    try:
        at = os.fstat(fd).st_size
        pieces: list[bytes] = []  # of the line whose beginning is not read yet, last first
        held = 0
        while at > 0 and not stop():
            start = max(0, at - _CHUNK)
            first, *rest = _read_at(fd, start, at).split(b"\n")
            at = start
            if rest:
                yield from _whole(rest[-1], pieces, held)
                yield from (line for line in reversed(rest[:-1]) if line)
                pieces, held = [], 0
            held += len(first)
            # bytes are joined before they are decoded: no character is ever cut
            pieces.append(first if held <= _LONGEST else b"")
        if at == 0:
            yield from _whole(b"", pieces, held)
    finally:
        os.close(fd)


def _whole(beginning: bytes, pieces: list[bytes], held: int) -> Iterator[bytes]:
    line = beginning + b"".join(reversed(pieces)) if held <= _LONGEST else b""
    if line:
        yield line


def _read_at(fd: int, start: int, end: int) -> bytes:
    found = bytearray()
    while start + len(found) < end:
        data = os.pread(fd, end - start - len(found), start + len(found))
        if not data:
            break
        found += data
    return bytes(found)


@contextlib.contextmanager
def _locked(path: Path) -> Generator[tuple[int, bool]]:
    """A descriptor of the file that *path* names, and whether it is ours alone: others may not
    let go of it in time, or the file system knows no locks."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    end = time.monotonic() + _PATIENCE
    while True:
        fd = os.open(path, flags, 0o600)
        try:
            alone = _wait_for_lock(fd, end)
            if _is_still(fd, path) or time.monotonic() > end:
                yield fd, alone
                return
        finally:
            os.close(fd)


def _wait_for_lock(fd: int, end: float) -> bool:
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() > end:
                return False
            time.sleep(0.002)
        else:
            return True


def _is_still(fd: int, path: Path) -> bool:
    """False where the file was replaced by a shorter one while we waited."""
    try:
        named = path.stat()
    except FileNotFoundError:
        return False
    opened = os.fstat(fd)
    return (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)
