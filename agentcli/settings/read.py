"""Reading one JSON file that anybody may have written: bounded, strict, with the error's place."""

import codecs
import json
import os
import re
import stat
from pathlib import Path
from typing import Any, cast

import msgspec

from agentcli.base.files import FileTooLarge, NotRegularFile, is_special, read_limited
from agentcli.protocol.errors import SettingsError

MAX_BYTES = 2 * 1024 * 1024
_OFFSET = re.compile(r" \(byte (\d+)\)$")


def read_object(path: Path) -> dict[str, Any] | None:
    """The JSON object in *path*, None where no file is. Raises ``SettingsError`` for all else.

    Never blocks on a FIFO or device, never reads more than 2 MiB.
    """
    data = read_bytes(path)
    return None if data is None else parse_object(data, str(path))


def read_bytes(path: Path) -> bytes | None:
    """The bytes of a regular file up to 2 MiB, None where none is. Raises ``SettingsError``."""
    try:
        if is_special(path):
            raise SettingsError(f"{path}: not a regular file")
        return read_limited(path, MAX_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except FileTooLarge:
        raise SettingsError(f"{path}: larger than {MAX_BYTES // 2**20} MiB") from None
    except IsADirectoryError:
        raise SettingsError(f"{path}: is a folder") from None
    except NotRegularFile:
        raise SettingsError(f"{path}: not a regular file") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise SettingsError(f"{path}: cannot be read: {reason}") from None


def parse_object(data: bytes, name: str) -> dict[str, Any]:
    """Strict JSON (BOM accepted, no comments) whose top is an object. Pure.

    Raises ``SettingsError`` that says ``name:line:column``.
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SettingsError(f"{_place(name, data, error.start)}: not valid UTF-8") from None
    if not text.strip():
        raise SettingsError(f"{name}: is empty (write {{}} at least)")
    try:
        value: object = msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise SettingsError(_broken(name, text, str(error))) from None
    except RecursionError:
        raise SettingsError(f"{name}: nested too deeply") from None
    if not isinstance(value, dict):
        raise SettingsError(f"{name}: must be a JSON object")
    return cast("dict[str, Any]", value)


def owner_problem(path: Path) -> str | None:
    """Why a file that only this person or root should control cannot be trusted, else None."""
    try:
        info = path.stat()
    except OSError:
        return None
    if info.st_uid not in (0, os.geteuid()):
        return f"{path}: ignored, it belongs to another user"
    if info.st_mode & stat.S_IWOTH:
        return f"{path}: ignored, everybody may write it (chmod o-w)"
    return None


def _broken(name: str, text: str, message: str) -> str:
    """The place by the standard library, which is exact; by msgspec where only that is strict."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"{name}:{error.lineno}:{error.colno}: {error.msg}"
    except (RecursionError, ValueError):
        return f"{name}: nested too deeply or a number is too long"
    data = text.encode()
    found = _OFFSET.search(message)
    offset = int(found.group(1)) if found else len(data)
    return f"{_place(name, data, offset)}: {_OFFSET.sub('', message)}"


def _place(name: str, data: bytes, offset: int) -> str:
    before = data[:offset].decode("utf-8", "replace")
    line = before.count("\n") + 1
    column = len(before) - (before.rfind("\n") + 1) + 1
    return f"{name}:{line}:{column}"
