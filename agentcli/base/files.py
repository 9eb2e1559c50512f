"""Files as bytes: bounded reads, honest decoding, and writes that never leave half a file."""

import codecs
import contextlib
import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

_PROBE = 65_536
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class NotRegularFile(OSError):
    """A FIFO, device or socket: reading it could block for ever or never end."""


class FileTooLarge(OSError):
    """More bytes than the caller wanted to take; ``size`` is what the file system says."""

    def __init__(self, path: Path, size: int, limit: int) -> None:
        super().__init__(errno.EFBIG, f"larger than {limit} bytes", str(path))
        self.size = size


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text of a file. ``bom`` + ``text`` in ``encoding`` gives back exactly the same bytes.

    ``guessed`` is true where the bytes are no valid Unicode and ``encoding`` is only a view that
    keeps every byte.
    """

    text: str
    encoding: str
    bom: bytes = b""
    guessed: bool = False

    def encode(self, text: str) -> bytes:
        """*text* in the file's encoding, BOM included. Raises ``UnicodeEncodeError``. Pure."""
        return self.bom + text.encode(self.encoding)


def is_special(path: Path) -> bool:
    """True for an existing FIFO, device or socket (links followed). Never opens it."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def open_regular(path: Path) -> int:
    """A read descriptor of a regular file. Raises ``OSError``; never blocks on a FIFO."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    mode = os.fstat(fd).st_mode
    if stat.S_ISREG(mode):
        return fd
    os.close(fd)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "Is a directory", str(path))
    raise NotRegularFile(errno.EINVAL, "not a regular file", str(path))


def read_limited(path: Path, limit: int) -> bytes:
    """All bytes of a regular file. Raises ``FileTooLarge`` over *limit*, else ``OSError``."""
    with os.fdopen(open_regular(path), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            raise FileTooLarge(path, size, limit)
        # Files of /proc say size 0, and any file may grow meanwhile.
        data = file.read(limit + 1)
        if len(data) > limit:
            raise FileTooLarge(path, max(size, len(data)), limit)
        return data


def decode_text(data: bytes) -> Decoded | None:
    """Text of *data*, or None for binary data. Pure; the result keeps every byte."""
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            try:
                text = data[len(bom) :].decode(encoding)
            except UnicodeDecodeError:
                continue
            return None if "\0" in text else Decoded(text, encoding, bom)
    if b"\0" in data:
        return None
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        pass
    if _looks_binary(data[:_PROBE]):
        return None
    try:
        return Decoded(data.decode("cp1252"), "cp1252", guessed=True)
    except UnicodeDecodeError:
        return Decoded(data.decode("latin-1"), "latin-1", guessed=True)


def encoding_name(decoded: Decoded) -> str:
    """Name of the encoding for people. Pure."""
    if decoded.guessed:
        return "not UTF-8, taken as " + {"cp1252": "windows-1252"}.get(
            decoded.encoding, decoded.encoding
        )
    name = decoded.encoding.upper().replace("-LE", "LE").replace("-BE", "BE")
    return f"{name} with BOM" if decoded.bom else name


def _looks_binary(probe: bytes) -> bool:
    """Many C0 controls (but tab, line ends, form feed, backspace, escape) in non-UTF-8 bytes."""
    controls = len(probe) - len(
        probe.translate(None, bytes(set(range(32)) - set(b"\t\n\r\f\b\x1b")))
    )
    return controls * 50 > len(probe)


def atomic_write(path: Path, data: bytes, mode: int | None = None) -> Path:
    """Replace the content of *path* wholly or not at all; gives the real path that was written.

    Links are followed and stay links; an existing file keeps its mode (unless *mode* is given),
    and its inode where other names point to it. Raises ``OSError`` and then the old content is
    intact and no temporary file is left.
    """
    target = Path(os.path.realpath(path))
    try:
        old = target.lstat()
    except FileNotFoundError:
        old = None
    if old is not None:
        if stat.S_ISLNK(old.st_mode):
            raise OSError(errno.ELOOP, "too many levels of symbolic links", str(path))
        if stat.S_ISDIR(old.st_mode):
            raise IsADirectoryError(errno.EISDIR, "Is a directory", str(path))
        if not stat.S_ISREG(old.st_mode):
            raise NotRegularFile(errno.EINVAL, "not a regular file", str(path))
        if not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, "file is read-only", str(path))
        if old.st_nlink > 1:
            _write_in_place(target, data, mode)
            return target
    if not _write_by_rename(target, data, mode, old):
        _write_in_place(target, data, mode)
    return target


def _write_by_rename(
    target: Path, data: bytes, mode: int | None, old: os.stat_result | None
) -> bool:
    """False: a new inode could not stand in for the old file, so nothing was done."""
    temp = target.with_name(f".{target.name[:40]}.{os.urandom(6).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        # The kernel applies the umask to 0666; a private file is never readable, not even briefly.
        fd = os.open(temp, flags, 0o666 if mode is None and old is None else 0o600)
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
                temp.unlink()
                return False
            if old is not None:
                _copy_attributes(target, fd)
            if wanted is not None:
                os.fchmod(fd, wanted)
            os.fsync(fd)
            if os.fstat(fd).st_size != len(data):
                raise OSError(errno.EIO, "short write", str(target))
        os.replace(temp, target)
    except BaseException:
        with contextlib.suppress(OSError):
            temp.unlink()
        raise
    _sync_folder(target.parent)
    return True


def _same_owner(fd: int, old: os.stat_result) -> bool:
    new = os.fstat(fd)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        try:
            os.fchown(fd, old.st_uid, old.st_gid)
        except OSError:
            return False
    return True


def _copy_attributes(source: Path, fd: int) -> None:
    """Extended attributes (access lists, labels), as far as the system lets us."""
    with contextlib.suppress(AttributeError, OSError):
        for name in os.listxattr(source):
            with contextlib.suppress(OSError):
                os.setxattr(fd, name, os.getxattr(source, name))


def _write_in_place(target: Path, data: bytes, mode: int | None) -> None:
    """For files with several names. The space is taken first, so a full disk changes nothing."""
    fd = os.open(target, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
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


def _sync_folder(folder: Path) -> None:
    with contextlib.suppress(OSError):
        fd = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
