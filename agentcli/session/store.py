"""Where session files live, and how one is found again."""

import os
import unicodedata
from pathlib import Path
from typing import Any, cast

import msgspec

from agentcli.protocol.errors import SessionNotFound
from agentcli.protocol.ids import is_uuid

_SLUG_LIMIT = 200
_HEAD_BYTES = 65536


def project_slug(cwd: str) -> str:
    """Folder name of a project: every character outside ``[a-zA-Z0-9]`` is one ``-``.

    Longer names than 200 characters are cut and get a hash of the whole path (32-bit, ``h*31+c``,
    base 36), as the public readers of this format compute it. Pure.
    """
    text = unicodedata.normalize("NFC", cwd)
    slug = "".join(c if c.isascii() and c.isalnum() else "-" for c in text)
    if len(slug) <= _SLUG_LIMIT:
        return slug
    return f"{slug[:_SLUG_LIMIT]}-{_base36(_hash(text))}"


def project_folder(home: Path, cwd: Path) -> Path:
    """``<home>/projects/<slug>`` of the real path of *cwd*."""
    return home / "projects" / project_slug(os.path.realpath(cwd))


def session_file(home: Path, cwd: Path, session_id: str) -> Path:
    """The file of a session; it need not exist."""
    return project_folder(home, cwd) / f"{session_id}.jsonl"


def find_session(home: Path, cwd: Path, session_id: str) -> Path:
    """The file of *session_id*: in this project first, then in any other.

    Raises SessionNotFound with what to do.
    """
    if not is_uuid(session_id):
        raise SessionNotFound(
            f"'{session_id[:80]}' is no session id; --continue takes the newest session here."
        )
    name = f"{session_id.lower()}.jsonl"
    candidates = [project_folder(home, cwd) / name]
    candidates += sorted((home / "projects").glob(f"*/{name}"))
    for path in candidates:
        if _size(path) > 0:
            return path
    raise SessionNotFound(
        f"No session {session_id} under {home / 'projects'}; --continue takes the newest one here."
    )


def latest_session(home: Path, cwd: Path) -> Path:
    """The newest session of exactly this folder. Raises SessionNotFound."""
    folder = project_folder(home, cwd)
    real_cwd = os.path.realpath(cwd)
    found = [path for path in folder.glob("*.jsonl") if is_uuid(path.stem) and _size(path) > 0]
    for path in sorted(found, key=lambda item: item.stat().st_mtime_ns, reverse=True):
        head = read_head(path)
        # Two paths can share a slug (a_b and a-b): the folder that the session notes decides.
        if not head.get("isSidechain") and head.get("cwd", real_cwd) == real_cwd:
            return path
    raise SessionNotFound(f"No session in {real_cwd} yet; start one without --continue.")


def read_head(path: Path) -> dict[str, Any]:
    """``cwd`` and ``isSidechain`` from the first lines that have them. Never raises."""
    head: dict[str, Any] = {}
    try:
        with path.open("rb") as file:
            lines = file.read(_HEAD_BYTES).split(b"\n")
    except OSError:
        return head
    for line in lines:
        try:
            data: Any = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        if isinstance(data, dict):
            for key in ("cwd", "isSidechain"):
                value: Any = cast("dict[str, Any]", data).get(key)
                if value is not None:
                    head.setdefault(key, value)
        if len(head) == 2:
            break
    return head


def _size(path: Path) -> int:
    try:
        return path.stat().st_size if path.is_file() else 0
    except OSError:
        return 0


def _hash(text: str) -> int:
    value = 0
    for char in text:
        value = (value * 31 + ord(char)) & 0xFFFFFFFF
    return abs(value - (1 << 32) if value >= 1 << 31 else value)


def _base36(number: int) -> str:
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    text = ""
    while number:
        number, rest = divmod(number, 36)
        text = digits[rest] + text
    return text or "0"
