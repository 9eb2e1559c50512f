"""Writes that never leave half a file, and never land behind a link that nobody judged."""

import contextlib
import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from agentcli.base.files import ANY, REPLACED, Identity, NotRegularFile, is_same
from agentcli.base.no_links import open_folder, sync_folder


def atomic_write(
    path: Path,
    data: bytes,
    mode: int | None = None,
    *,
    resolved: bool = False,
    identity: Identity = ANY,
) -> Path:
    """Replace the content of *path* wholly or not at all; gives the real path that was written.

    Links are followed and stay links; an existing file keeps its mode (unless *mode* is given),
    and its inode where other names point to it. *resolved*: *path* was judged and holds no link;
    missing folders are made, and a link that stands there by now is an error, as is another file
    than that of *identity*. Raises ``OSError`` and then the old content is intact and no temporary
    file is left.
    """
    target = path if resolved else Path(os.path.realpath(path))
    with open_folder(target.parent, create=resolved) as folder:
        _write(_Place(target, folder), data, mode, identity)
    return target


@dataclass(frozen=True, slots=True)
class _Place:
    """A file by its name in an opened folder; ``path`` is for messages."""

    path: Path
    folder: int

    def open(self, flags: int, mode: int = 0o600, *, name: str = "") -> int:
        flags |= os.O_CLOEXEC | os.O_NOFOLLOW
        return os.open(name or self.path.name, flags, mode, dir_fd=self.folder)


def _write(place: _Place, data: bytes, mode: int | None, identity: Identity) -> None:
    path = str(place.path)
    try:
        old = os.stat(place.path.name, dir_fd=place.folder, follow_symlinks=False)
    except FileNotFoundError:
        old = None
    if old is not None:
        if stat.S_ISLNK(old.st_mode):
            raise OSError(errno.ELOOP, "too many levels of symbolic links", path)
        if stat.S_ISDIR(old.st_mode):
            raise IsADirectoryError(errno.EISDIR, "Is a directory", path)
        if not stat.S_ISREG(old.st_mode):
            raise NotRegularFile(errno.EINVAL, "not a regular file", path)
        if not is_same(old, identity):
            raise OSError(errno.ESTALE, REPLACED, path)
        if not os.access(place.path.name, os.W_OK, dir_fd=place.folder):
            raise PermissionError(errno.EACCES, "file is read-only", path)
        if old.st_nlink > 1:
            return _write_in_place(place, data, mode)
    if not _write_by_rename(place, data, mode, old):
        _write_in_place(place, data, mode)
    return None


def _write_by_rename(
    place: _Place, data: bytes, mode: int | None, old: os.stat_result | None
) -> bool:
    """False: a new inode could not stand in for the old file, so nothing was done."""
    name, folder = place.path.name, place.folder
    temp = f".{name[:40]}.{os.urandom(6).hex()}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    try:
        # The kernel applies the umask to 0666; a private file is never readable, not even briefly.
        fd = place.open(flags, 0o666 if mode is None and old is None else 0o600, name=temp)
    except PermissionError:
        if old is None:
            raise
        return False
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            file.flush()
            wanted = mode if mode is not None else (None if old is None else old.st_mode & 0o7777)
            if old is not None and not _same_owner(fd, old):
                os.unlink(temp, dir_fd=folder)
                return False
            if old is not None:
                _copy_attributes(place, fd)
            if wanted is not None:
                os.fchmod(fd, wanted)
            os.fsync(fd)
            if os.fstat(fd).st_size != len(data):
                raise OSError(errno.EIO, "short write", str(place.path))
        os.replace(temp, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temp, dir_fd=folder)
        raise
    sync_folder(folder)
    return True


def _same_owner(fd: int, old: os.stat_result) -> bool:
    new = os.fstat(fd)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.fchown(fd, old.st_uid, old.st_gid)
        except OSError:
            return False
    return True


def _copy_attributes(place: _Place, fd: int) -> None:
    """Extended attributes (access lists, labels), as far as the system lets us."""
    with contextlib.suppress(AttributeError, OSError):
        source = place.open(os.O_RDONLY | os.O_NONBLOCK)
        try:
            for name in os.listxattr(source):
                with contextlib.suppress(OSError):
                    os.setxattr(fd, name, os.getxattr(source, name))
        finally:
            os.close(source)


def _write_in_place(place: _Place, data: bytes, mode: int | None) -> None:
    """For files with several names. The space is taken first, so a full disk changes nothing."""
    fd = place.open(os.O_RDWR)
    with os.fdopen(fd, "r+b", buffering=0) as file:
        old = file.read()
        try:
            if len(data) > len(old):
                _reserve(fd, len(old), len(data))
            _write_all(fd, data)
            os.ftruncate(fd, len(data))
            if mode is not None:
                os.fchmod(fd, mode)
            os.fsync(fd)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(fd, len(old))
                _write_all(fd, old)
            raise


def _write_all(fd: int, data: bytes) -> None:
    done = 0
    view = memoryview(data)
    while done < len(data):
        done += os.pwrite(fd, view[done:], done)


def _reserve(fd: int, start: int, end: int) -> None:
    """Real bytes and no hole: a hole would still fail when it is filled."""
    try:
        os.posix_fallocate(fd, 0, end)
    except (AttributeError, OSError) as error:
        if isinstance(error, OSError) and error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
            raise
        done = start
        while done < end:
            done += os.pwrite(fd, bytes(min(end - done, 1 << 20)), done)
