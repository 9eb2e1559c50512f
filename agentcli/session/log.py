"""One session's file: append an entry so that it survives a kill, load what is there.

Appending is synchronous and unbuffered: when ``append`` returns, the line is with the operating
system. A disk that refuses a line loses nothing: entries wait in memory, in order, and go out
before the next one.
"""

import contextlib
import fcntl
import io
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentcli.base.clock import timestamp
from agentcli.base.version import FORMAT_VERSION
from agentcli.protocol.errors import SessionBusy, SessionCorrupt, SessionNotFound
from agentcli.protocol.ids import new_uuid
from agentcli.session.codec import decode_line, decode_lines, encode_line
from agentcli.session.entries import Entry, EntryDraft
from agentcli.session.tree import conversation


@dataclass(frozen=True, slots=True)
class Place:
    """Where entries are written from; read anew for every entry."""

    cwd: str
    branch: str | None


class SessionLog:
    """The only memory of a conversation. One writer per file, held by a lock on it.

    ``on_problem`` is told once, in one line, when the disk refuses to take entries.
    """

    def __init__(
        self,
        path: Path,
        session_id: str,
        place: Callable[[], Place],
        on_problem: Callable[[str], None] = lambda _: None,
        entrypoint: str = "cli",
    ) -> None:
        self.file = path
        self.session_id = session_id
        self.bad_lines = 0
        self._place = place
        self._on_problem = on_problem
        self._entrypoint = entrypoint
        self._path: list[Entry] = []
        self._fd: int | None = None
        self._waiting: list[bytes] = []
        self._torn = False
        self._troubled = False

    @classmethod
    def open_existing(
        cls,
        path: Path,
        place: Callable[[], Place],
        on_problem: Callable[[str], None] = lambda _: None,
        entrypoint: str = "cli",
    ) -> "SessionLog":
        """Load *path* and take its lock. Raises SessionNotFound, SessionBusy or SessionCorrupt."""
        log = cls(path, path.stem, place, on_problem, entrypoint)
        try:
            fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            raise SessionNotFound(f"No session file at {path}.") from None
        except OSError as error:
            raise SessionCorrupt(f"Cannot open {path}: {error.strerror}.") from None
        try:
            log._lock(fd)
            entries, log.bad_lines, log._torn = _read_entries(fd, path)
        except BaseException:
            os.close(fd)
            raise
        log._fd = fd
        log._path = conversation(entries)
        return log

    @property
    def tool_results(self) -> Path:
        """Folder for output that is too long for the conversation; it need not exist."""
        return self.file.with_suffix("") / "tool-results"

    def path(self) -> Sequence[Entry]:
        """The conversation, root first. The same list grows with every ``append``."""
        return self._path

    def append(self, draft: EntryDraft) -> Entry:
        """Write one tree entry and return it; it is on the file before this returns.

        Never raises for a disk that refuses: see ``on_problem``. Raises SessionBusy when the
        file of a new session is already locked.
        """
        place = self._place()
        parent = draft.parent or (self._path[-1].uuid if self._path else None)
        data: dict[str, Any] = {
            "parentUuid": parent,
            "isSidechain": False,
            "type": draft.type,
            **draft.fields,
            "uuid": new_uuid(),
            "timestamp": timestamp(),
            "userType": "external",
            "entrypoint": self._entrypoint,
            "cwd": place.cwd,
            "sessionId": self.session_id,
            "version": FORMAT_VERSION,
        }
        if place.branch:
            data["gitBranch"] = place.branch
        line = encode_line(data)
        self._write(line)
        # Read back, so that memory holds exactly what a resume will find.
        entry = Entry(decode_line(line))
        self._path.append(entry)
        return entry

    def note(self, data: dict[str, Any]) -> None:
        """Write one entry outside the tree (a marker, a title, a mode)."""
        self._write(encode_line({**data, "sessionId": self.session_id}))

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
        if self._waiting:
            self._flush()
        if self._fd is not None:
            # Said aloud, since a copy of the descriptor (``sync``, a child that is being started)
            # would hold the lock for as long as it lives.
            with contextlib.suppress(OSError):
                fcntl.flock(self._fd, fcntl.LOCK_UN)
            os.close(self._fd)
            self._fd = None

    @property
    def unsaved(self) -> int:
        """Entries that the disk has not taken yet."""
        return len(self._waiting)

    def _write(self, line: bytes) -> None:
        self._waiting.append(line)
        self._flush()

    def _flush(self) -> None:
        try:
            if self._fd is None:
                self._fd = self._create()
            while self._waiting:
                self._write_line(self._fd, self._waiting[0])
                self._waiting.pop(0)
        except OSError as error:
            if not self._troubled:
                self._troubled = True
                self._on_problem(
                    f"The session cannot be saved to {self.file} ({error.strerror}); the "
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
        for folder in (self.file.parent.parent.parent, self.file.parent.parent, self.file.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        fd = os.open(self.file, flags, 0o600)
        try:
            self._lock(fd)
        except BaseException:
            os.close(fd)
            raise
        return fd

    def _lock(self, fd: int) -> None:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SessionBusy(
                f"Session {self.session_id} is open in another agentcli; close it there, "
                "or start a new session."
            ) from None
        except OSError:
            pass  # a file system without locks: one writer cannot be enforced there


def _read_entries(fd: int, path: Path) -> tuple[list[Entry], int, bool]:
    size = os.fstat(fd).st_size
    pieces: list[bytes] = []
    offset = 0
    while offset < size:
        piece = os.pread(fd, min(size - offset, 1 << 24), offset)
        if not piece:
            break
        pieces.append(piece)
        offset += len(piece)
    data = b"".join(pieces)
    if not data:
        raise SessionCorrupt(f"{path} is empty: there is nothing to resume.")
    entries, bad = decode_lines(io.BytesIO(data))  # one line at a time: half the memory
    return entries, bad, not data.endswith(b"\n")


def sync_later(log: SessionLog) -> threading.Thread:
    """Start ``log.sync`` in a thread of its own, so that no end of a run waits for the disk."""
    thread = threading.Thread(target=log.sync, name="session-sync", daemon=True)
    thread.start()
    return thread
