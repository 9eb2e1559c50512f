"""An existing text file as Edit and Write see it: bytes, text, and whether the model knows it."""

import errno
import os
from dataclasses import dataclass
from pathlib import Path

from agentcli.base.files import (
    ANY,
    Decoded,
    FileTooLarge,
    Identity,
    NotRegularFile,
    decode_text,
    read_limited,
)
from agentcli.base.writing import atomic_write
from agentcli.protocol.errors import ToolError
from agentcli.tools.base import ToolContext
from agentcli.tools.paths import os_error_text, show_path

MAX_EDIT_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Loaded:
    """``path`` is the real path (links resolved); ``data`` what the disk holds now."""

    path: Path
    data: bytes
    decoded: Decoded


def real_path(path: Path) -> Path:
    """The file that *path* leads to; it need not exist. Never raises."""
    return Path(os.path.realpath(path))


def check_target(target: Path, ctx: ToolContext) -> None:
    """Raise ``ToolError`` if resolved *target* is not the file that the call was approved for."""
    if ctx.target is not None and _plain(target) != _plain(ctx.target):
        raise ToolError(
            f"{show_path(target)} is not the file that was approved: a link on its path changed "
            "meanwhile. Call again."
        )


def load_text(path: Path, identity: Identity = ANY) -> Loaded | None:
    """The text file at *path* (which must be that of *identity*), None if nothing is there.

    Raises ``ToolError`` for all else.
    """
    target = real_path(path)
    try:
        data = read_limited(target, MAX_EDIT_BYTES, resolved=True, identity=identity)
    except FileNotFoundError:
        return None
    except FileTooLarge as error:
        raise ToolError(
            f"{show_path(path)} has {error.size} bytes; more than {MAX_EDIT_BYTES >> 20} MB "
            "cannot be edited with this tool. Use Bash (sed, a script) instead."
        ) from None
    except IsADirectoryError:
        raise ToolError(f"{show_path(path)} is a directory, not a file.") from None
    except NotRegularFile:
        raise ToolError(f"{show_path(path)} is a FIFO, socket or device, not a file.") from None
    except OSError as error:
        raise ToolError(os_error_text(error, path)) from None
    decoded = decode_text(data)
    if decoded is None:
        raise ToolError(f"{show_path(path)} is a binary file ({len(data)} bytes), not text.")
    return Loaded(target, data, decoded)


def save_bytes(path: Path, data: bytes, identity: Identity = ANY) -> None:
    """Write *data* to the real file *path*, which must be that of *identity*; parent folders are
    made. Raises ``ToolError``."""
    try:
        atomic_write(path, data, resolved=True, identity=identity)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENOTDIR):
            raise ToolError(
                f"{show_path(path)}: a link or file stands on its path by now; nothing was written."
            ) from None
        raise ToolError(f"Could not write {os_error_text(error, path)}") from None


def _plain(path: Path) -> str:
    return "/" + str(path).lstrip("/")
