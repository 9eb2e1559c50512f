"""Files as bytes: bounded reads and honest decoding."""

import codecs
import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path

from agentcli.base.no_links import open_folder

_PROBE = 65_536
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


Identity = tuple[int, int]
"""Device and inode of a file."""

ANY: Identity = (0, 0)
REPLACED = "another file stands in its place by now"


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


def open_regular(path: Path, *, resolved: bool = False, identity: Identity = ANY) -> int:
    """A read descriptor of a regular file. Raises ``OSError``; never blocks on a FIFO.

    *resolved*: *path* holds no link; where it does by now, that is an error. *identity*: device
    and inode that it must have.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY
    if resolved:
        with open_folder(path.parent) as folder:
            fd = os.open(path.name, flags | os.O_NOFOLLOW, dir_fd=folder)
    else:
        fd = os.open(path, flags)
    info = os.fstat(fd)
    if stat.S_ISREG(info.st_mode) and is_same(info, identity):
        return fd
    os.close(fd)
    if stat.S_ISREG(info.st_mode):
        raise OSError(errno.ESTALE, REPLACED, str(path))
    if stat.S_ISDIR(info.st_mode):
        raise IsADirectoryError(errno.EISDIR, "Is a directory", str(path))
    raise NotRegularFile(errno.EINVAL, "not a regular file", str(path))


def is_same(info: os.stat_result, identity: Identity) -> bool:
    """True if *info* is of the file *identity*, or any will do. Pure."""
    return identity in (ANY, (info.st_dev, info.st_ino))


def read_limited(
    path: Path, limit: int, *, resolved: bool = False, identity: Identity = ANY
) -> bytes:
    """All bytes of a regular file. Raises ``FileTooLarge`` over *limit*, else ``OSError``.

    *resolved*, *identity*: as ``open_regular``.
    """
    with os.fdopen(open_regular(path, resolved=resolved, identity=identity), "rb") as file:
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
