"""Big pasted texts of the prompt history, one file each, named after what is in it."""

import contextlib
import hashlib
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from agentcli.base.files import read_limited
from agentcli.base.text import clean_surrogates

MAX_TEXT = 4 << 20
"""Longer pastes are not kept."""
_KEY = re.compile(r"[0-9a-f]{16}")
_YOUNG = 86_400.0


def store(home: Path, text: str) -> str | None:
    """Keep *text*; gives its key, or None where it is too long or cannot be kept. Never raises."""
    data = clean_surrogates(text).encode()
    if len(data) > MAX_TEXT:
        return None
    key = hashlib.sha256(data).hexdigest()[:16]
    folder = _folder(home)
    temp = folder / f".{key}.{os.getpid()}.tmp"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
        with os.fdopen(fd, "wb") as file:
            file.write(data)
        os.replace(temp, folder / f"{key}.txt")
    except OSError:
        with contextlib.suppress(OSError):
            temp.unlink()
        return None
    return key


def load(home: Path, key: str) -> str | None:
    """The text of *key*, None if it is gone or no longer what it was. Never raises."""
    if not _KEY.fullmatch(key):
        return None
    try:
        data = read_limited(_folder(home) / f"{key}.txt", MAX_TEXT)
        text = data.decode()
    except (OSError, UnicodeDecodeError):
        return None
    return text if hashlib.sha256(data).hexdigest().startswith(key) else None


def sweep(home: Path, lines: Sequence[bytes]) -> None:
    """Delete texts that none of the history *lines* name, unless they are new. Never raises."""
    named = {key for line in lines for key in re.findall(rb"[0-9a-f]{16}", line)}
    with contextlib.suppress(OSError):
        for file in _folder(home).glob("*.txt"):
            old = time.time() - file.stat().st_mtime > _YOUNG
            if old and file.stem.encode() not in named:
                file.unlink(missing_ok=True)


class Pasted(Mapping[int, "str | None"]):
    """``pastedContents`` of a history line, of any shape; big texts are read when asked for."""

    def __init__(self, home: Path, raw: object) -> None:
        self._home = home
        self._raw: dict[int, dict[str, Any]] = {}
        if isinstance(raw, dict):
            for key, value in cast("dict[str, Any]", raw).items():
                if key.isdecimal() and len(key) < 10 and isinstance(value, dict):
                    self._raw[int(key)] = cast("dict[str, Any]", value)

    def __getitem__(self, number: int) -> str | None:
        entry = self._raw[number]
        content, key = entry.get("content"), entry.get("contentHash")
        if isinstance(content, str):
            return content
        return load(self._home, key) if isinstance(key, str) else None

    def __iter__(self) -> Iterator[int]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)


def _folder(home: Path) -> Path:
    return home / "paste-cache"
