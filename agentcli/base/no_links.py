"""Folders opened step by step without following a link, so that no swap leads elsewhere.

A path that was resolved and judged is later opened again; in between somebody may put a link in the
place of one of its folders (CVE-2026-88968, CVE-2026-34452). Opened this way, that is an error.
"""

import contextlib
import os
from collections.abc import Generator
from pathlib import Path

_FLAGS = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Linux opens a folder that may be passed through but not listed; elsewhere it must be readable.
_STEP = _FLAGS | getattr(os, "O_PATH", os.O_RDONLY)


@contextlib.contextmanager
def open_folder(path: Path, *, create: bool = False) -> Generator[int]:
    """A descriptor of the folder *path*, absolute and resolved; for ``dir_fd`` only.

    *create*: missing folders are made. Raises ``OSError``: ``ENOTDIR`` or ``ELOOP`` where a link
    stands on the way.
    """
    fd = os.open("/", _STEP)
    try:
        for name in path.parts[1:]:
            below = _step(name, fd, create=create)
            os.close(fd)
            fd = below
        yield fd
    finally:
        os.close(fd)


def sync_folder(fd: int) -> None:
    """Write the folder's names to the disk, as far as the system can. Never raises."""
    with contextlib.suppress(OSError):
        readable = os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=fd)
        try:
            os.fsync(readable)
        finally:
            os.close(readable)


def _step(name: str, fd: int, *, create: bool) -> int:
    try:
        return os.open(name, _STEP, dir_fd=fd)
    except FileNotFoundError:
        if not create:
            raise
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, dir_fd=fd)
    return os.open(name, _STEP, dir_fd=fd)
