"""One session's file as a place for lines: locked, private, not damaged by a disk that refuses.

Writing is synchronous and unbuffered: when ``write`` returns, the line is with the operating
system. Lines that the disk refuses wait in memory, in order, and go out before the next one.
"""

import contextlib
import errno
import fcntl
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from agentcli.protocol.errors import SessionBusy, SessionCorrupt, SessionNotFound

_OPEN = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_COPY_BYTES = 1 << 20


class Lines(Protocol):
    """Where a log puts its lines."""

    @property
    def waiting(self) -> int:
        """How many lines the disk has not taken yet."""
        ...

    @property
    def size(self) -> int:
        """Bytes of the file now."""
        ...

    def write(self, line: bytes) -> None: ...

    def read_tail(self, size: int) -> bytes: ...

    def sync(self) -> None: ...

    def close(self) -> None: ...


class NoLines:
    """For a session that is not to be kept: nothing touches the disk."""

    waiting = 0
    size = 0

    def write(self, line: bytes) -> None:
        """Forget *line*."""

    def read_tail(self, size: int) -> bytes:
        """Nothing was written."""
        return b""

    def sync(self) -> None:
        """Nothing to sync."""

    def close(self) -> None:
        """Nothing to close."""


class LineWriter:
    """The one writer of *path*. The file of a new session is made with its first line.

    ``on_problem`` is told in one line when the disk refuses, or when the file has gone.
    Thread-safe.
    """

    def __init__(self, path: Path, on_problem: Callable[[str], None]) -> None:
        self._path = path
        self._on_problem = on_problem
        self._fd: int | None = None
        self._waiting: list[bytes] = []
        self._torn = False
        self._troubled = False
        self._closed = False
        self._lock = threading.Lock()

    def open_existing(self) -> int:
        """Take an existing file and its lock; the descriptor, which stays this writer's.

        Raises SessionNotFound, SessionBusy or SessionCorrupt.
        """
        try:
            fd = os.open(self._path, _OPEN)
        except FileNotFoundError:
            raise SessionNotFound(f"No session file at {self._path}.") from None
        except OSError as error:
            raise SessionCorrupt(f"Cannot open {self._path}: {error.strerror}.") from None
        self._fd = self._take(fd)
        return fd

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def write(self, line: bytes) -> None:
        """Write a whole line, or several that belong together, in one go.

        Raises SessionBusy when the file of a new session is already locked, else nothing.
        """
        with self._lock:
            self._waiting.append(line)
            try:
                self._flush()
            finally:
                if self._closed:  # a thread was still at work
                    self._release()

    @property
    def size(self) -> int:
        """Bytes of the file as it is on the disk now; 0 where there is none."""
        try:
            return os.fstat(self._fd).st_size if self._fd is not None else 0
        except OSError:
            return 0

    def read_tail(self, size: int) -> bytes:
        """The last *size* bytes as they are on the disk now; empty where they cannot be read."""
        if self._fd is None:
            return b""
        try:
            end = os.fstat(self._fd).st_size
            return os.pread(self._fd, size, max(0, end - size))
        except OSError:
            return b""

    def sync(self) -> None:
        """Ask the disk to keep what was written. Blocking: call it in a thread. Never raises."""
        fd = self._fd  # the other thread may close the log meanwhile
        if fd is None:
            return
        try:
            duplicate = os.dup(fd)
        except OSError:
            return
        try:
            os.fsync(duplicate)
        except OSError:
            pass  # the write itself was reported; a pipe or a full disk cannot be synced
        finally:
            os.close(duplicate)

    def close(self) -> None:
        """Give the file and its lock back. Idempotent; what waits is tried once more."""
        with self._lock:
            self._closed = True
            if self._waiting:
                self._flush()
            self._release()

    def _release(self) -> None:
        if self._fd is not None:
            # Said aloud, since a copy of the descriptor (``sync``, a child that is being
            # started) would hold the lock for as long as it lives.
            with contextlib.suppress(OSError):
                fcntl.flock(self._fd, fcntl.LOCK_UN)
            os.close(self._fd)
            self._fd = None

    def _flush(self) -> None:
        try:
            if self._fd is None:
                self._fd = self._create()
            elif os.fstat(self._fd).st_nlink == 0:
                self._fd = self._come_back(self._fd)
            while self._waiting:
                self._write_line(self._fd, self._waiting[0])
                self._waiting.pop(0)
        except (OSError, SessionCorrupt) as error:
            if not self._troubled:
                self._troubled = True
                reason = error.strerror if isinstance(error, OSError) else error.message
                self._on_problem(
                    f"The session cannot be saved to {self._path} ({reason}); the "
                    "conversation goes on in memory and is written as soon as the disk takes it."
                )
        else:
            self._troubled = False

    def _write_line(self, fd: int, line: bytes) -> None:
        """Write a whole line; a part of one that got through is closed off by an LF next time."""
        if self._torn:
            os.write(fd, b"\n")
            self._torn = False
        written = os.write(fd, line)
        while written < len(line):
            self._torn = True
            written += os.write(fd, line[written:])
        self._torn = False

    def _create(self) -> int:
        for folder in reversed(self._path.parents[:3]):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return self._take(os.open(self._path, _OPEN | os.O_CREAT, 0o600))

    def _take(self, fd: int) -> int:
        """Look at what was opened and lock it; *fd* itself, which is closed where it is refused."""
        try:
            _check_kind(fd, self._path)
            _lock(fd, self._path)
            self._torn = _is_torn(fd)
        except BaseException:
            os.close(fd)
            raise
        return fd

    def _come_back(self, old: int) -> int:
        """The file was removed under us: its content still hangs on *old* and is written anew."""
        try:
            fd = self._create()
        except SessionBusy:
            raise OSError(errno.EBUSY, "open in another agentcli") from None
        offset = 0
        try:
            # Somebody may have put another file there, such as a copy: that one is gone on with.
            empty = os.fstat(fd).st_size == 0
            while empty and (piece := os.pread(old, _COPY_BYTES, offset)):
                offset += len(piece)
                while piece:
                    piece = piece[os.write(fd, piece) :]
            self._torn = _is_torn(fd)
        except BaseException:
            if offset:
                with contextlib.suppress(OSError):
                    os.ftruncate(fd, 0)  # half of it would be taken for all of it next time
            os.close(fd)
            raise
        os.close(old)
        said = "written anew" if empty else "replaced by another one, which is gone on with"
        self._on_problem(f"The session file {self._path} was removed; it is {said}.")
        return fd


def is_locked(path: Path) -> bool:
    """True while some process writes the session *path*. Never raises."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(fd)
    return False


def _check_kind(fd: int, path: Path) -> None:
    facts = os.fstat(fd)
    if not stat.S_ISREG(facts.st_mode):
        raise SessionCorrupt(f"{path} is not a regular file.")
    if facts.st_uid not in (os.geteuid(), 0):
        raise SessionCorrupt(
            f"{path} belongs to another user (uid {facts.st_uid}); copy it to go on with it."
        )


def _is_torn(fd: int) -> bool:
    size = os.fstat(fd).st_size
    return size > 0 and os.pread(fd, 1, size - 1) != b"\n"


def _lock(fd: int, path: Path) -> None:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = _lock_owner(fd)
        who = f"another agentcli (process {owner})" if owner else "another agentcli"
        raise SessionBusy(
            f"Session {path.stem} is open in {who}; close it there, or go on in a copy "
            "with --fork-session."
        ) from None
    except OSError:
        pass  # a file system without locks: one writer cannot be enforced there


def _lock_owner(fd: int) -> int | None:
    """The process that holds the lock, where the system tells (Linux)."""
    inode = str(os.fstat(fd).st_ino)
    try:
        for line in Path("/proc/locks").read_text().splitlines():
            fields = line.split()
            if "FLOCK" in fields and fields[5].rpartition(":")[2] == inode:
                return int(fields[4])
    except (OSError, ValueError, IndexError):
        pass
    return None
