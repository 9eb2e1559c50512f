"""A file as it stands on the disk now, looked at without following a link in its place."""

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from agentcli.base.files import FileTooLarge, read_limited
from agentcli.session.backups import MAX_BACKUP, digest_of


@dataclass(frozen=True, slots=True)
class Present:
    """``data`` is None where nothing is there, or where ``problem`` says in words why the file
    cannot be read; ``regular`` is true for a file, also for one that cannot be read."""

    data: bytes | None = None
    digest: str = ""
    mode: int = 0
    links: int = 1
    regular: bool = False
    problem: str = ""

    @property
    def missing(self) -> bool:
        return self.data is None and not self.problem


def look(path: str) -> Present:
    """What is at *path*. Never raises, never blocks on a FIFO."""
    file = Path(path)
    try:
        facts = file.lstat()
    except FileNotFoundError:
        return Present()
    except NotADirectoryError:
        return Present(problem="a folder above it is a file now")
    except (OSError, ValueError) as error:
        return Present(problem=_words(error))
    if stat.S_ISLNK(facts.st_mode):
        return Present(problem="a link is in its place")
    if stat.S_ISDIR(facts.st_mode):
        return Present(problem="a folder is in its place")
    if not stat.S_ISREG(facts.st_mode):
        return Present(problem="a FIFO, socket or device is in its place")
    mode = stat.S_IMODE(facts.st_mode)
    try:
        data = read_limited(file, MAX_BACKUP, resolved=True)
    except FileTooLarge:
        return Present(regular=True, problem=f"it is larger than {MAX_BACKUP // 1_000_000} MB")
    except FileNotFoundError:
        return Present()
    except OSError as error:
        return Present(regular=True, problem=moved_folder(path) or _words(error))
    return Present(data, digest_of(data), mode, facts.st_nlink, True)


def moved_folder(path: str) -> str:
    """Why a file made at *path* would land elsewhere: a link among its folders. "" if it would
    not. Never raises."""
    folder = os.path.dirname(path)
    if not os.path.isabs(path):
        return "its recorded path is not absolute"
    try:
        real = os.path.realpath(folder)
    except (OSError, ValueError) as error:
        return _words(error)
    return "" if real == folder else "a folder above it is a link now"


def _words(error: Exception) -> str:
    return (error.strerror or str(error)) if isinstance(error, OSError) else str(error)


def signature_of(path: str) -> tuple[int, int, int] | None:
    """What changes when a file changes: time, size, inode; None where there is none to be read."""
    try:
        facts = os.lstat(path)
    except (OSError, ValueError):
        return None
    return facts.st_mtime_ns, facts.st_size, facts.st_ino
