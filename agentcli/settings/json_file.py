"""Changing one JSON file of ours: locked against a second writer, nothing else in it is lost."""

import codecs
import contextlib
import fcntl
import json
import os
import re
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

from agentcli.base.writing import atomic_write
from agentcli.protocol.errors import SettingsError
from agentcli.settings.read import MAX_BYTES, parse_object, read_bytes

_LOCK_SECONDS = 5.0
_INDENT = re.compile(r"\n([ \t]+)\S")


def change_json(path: Path, change: Callable[[dict[str, Any]], bool], *, private: bool) -> bool:
    """Apply *change* to the object in *path* (made if missing) and write it if it returns True.

    Keys, their order, indentation, line ends and BOM are kept. *private*: the folder gets mode
    0700 and a new file 0600. Raises ``SettingsError`` and leaves the file as it was if the file is
    broken, locked for over five seconds, or cannot be written.
    """
    try:
        path.parent.mkdir(mode=0o700 if private else 0o777, parents=True, exist_ok=True)
        with _locked(path.parent):
            old = read_bytes(path)
            content = {} if old is None or not old.strip() else parse_object(old, str(path))
            if not change(content):
                return False
            data = _encode(content, old or b"")
            if len(data) > MAX_BYTES:
                raise SettingsError(f"{path}: would become larger than {MAX_BYTES // 2**20} MiB")
            atomic_write(path, data, 0o600 if private and old is None else None)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be written: {error.strerror}") from None
    return True


@contextlib.contextmanager
def _locked(folder: Path) -> Generator[None]:
    """The folder itself carries the lock, so no lock file is left lying about in projects."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        deadline = time.monotonic() + _LOCK_SECONDS
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise SettingsError(f"{folder}: another process is writing here") from None
                time.sleep(0.02)
        yield
    finally:
        os.close(fd)


def _encode(content: dict[str, Any], old: bytes) -> bytes:
    bom = codecs.BOM_UTF8 if old.startswith(codecs.BOM_UTF8) else b""
    before = old.decode("utf-8", "replace")
    found = _INDENT.search(before)
    indent = found.group(1) if found else "  "
    text = json.dumps(content, indent=indent, ensure_ascii=False)
    if not old or before.endswith("\n"):
        text += "\n"
    if "\r\n" in before:
        text = text.replace("\n", "\r\n")
    return bom + text.encode()
