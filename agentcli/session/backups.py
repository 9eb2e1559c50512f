"""The folder of a session's file backups: before-images under ``<hash of the path>@v<N>``.

Private (folder 0700, files 0600 from their first byte), and a file in it is whole or not there.
"""

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from agentcli.base.files import read_limited
from agentcli.base.writing import atomic_write

MAX_BACKUP = 10_000_000
"""Larger files are not kept."""


class Backups:
    """Files in *folder*, which is made with the first one. Not thread-safe."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._versions: dict[str, int] | None = None

    def next_name(self, path: str, used: int) -> tuple[str, int]:
        """A name and version for the next backup of *path*, which no older one has.

        *used* is the highest version that the log knows: its file may be gone by now, or be one
        that was written since the folder was looked through. Never raises.
        """
        if self._versions is None:
            self._versions = self._scan()
        stem = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
        version = max(self._versions.get(stem, 0), used) + 1
        return f"{stem}@v{version}", version

    def write(self, name: str, data: bytes) -> None:
        """Keep *data* under *name*. Raises OSError, and then nothing of it is there."""
        for folder in reversed((self._folder, *self._folder.parents[:2])):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        atomic_write(self._folder / name, data, 0o600)

    def read(self, name: str) -> bytes:
        """What is kept under *name*. Raises OSError; never follows a link."""
        path = self._folder / name
        if not stat.S_ISREG(path.lstat().st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return read_limited(path, MAX_BACKUP)

    def remove(self, names: Iterable[str]) -> None:
        """Delete the backups *names*. Never raises; what cannot be deleted stays."""
        for name in names:
            with contextlib.suppress(OSError):
                (self._folder / name).unlink()

    def _scan(self) -> dict[str, int]:
        versions: dict[str, int] = {}
        try:
            names = os.listdir(self._folder)
        except OSError:
            return versions
        for name in names:
            stem, _, number = name.partition("@v")
            if number.isascii() and number.isdigit():
                versions[stem] = max(versions.get(stem, 0), int(number))
        return versions


def digest_of(data: bytes) -> str:
    """Content hash by which a change is noticed. Pure."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()
