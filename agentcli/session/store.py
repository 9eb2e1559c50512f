"""Where session files live."""

import os
import unicodedata
from pathlib import Path

SLUG_LIMIT = 200


def project_slug(cwd: str) -> str:
    """Folder name of a project: every character outside ``[a-zA-Z0-9]`` is one ``-``.

    Longer names than 200 characters are cut and get a hash of the whole path (32-bit, ``h*31+c``,
    base 36), as the public readers of this format compute it. Pure.
    """
    text = unicodedata.normalize("NFC", cwd)
    slug = "".join(c if c.isascii() and c.isalnum() else "-" for c in text)
    if len(slug) <= SLUG_LIMIT:
        return slug
    return f"{slug[:SLUG_LIMIT]}-{_base36(_hash(text))}"


def project_folder(home: Path, cwd: Path) -> Path:
    """``<home>/projects/<slug>`` of the real path of *cwd*."""
    return home / "projects" / project_slug(os.path.realpath(cwd))


def project_folders(home: Path, cwd: Path) -> list[Path]:
    """``project_folder``, then those where other programs may keep sessions of the same *cwd*:
    they hash a long path otherwise, and see two characters where one is beyond U+FFFF."""
    own, path = project_folder(home, cwd), unicodedata.normalize("NFC", os.path.realpath(cwd))
    wide = "".join("--" if ord(c) > 0xFFFF else c for c in path)
    found = [own, *(home / "projects" / project_slug(text) for text in (wide,) if text != path)]
    if len(own.name) > SLUG_LIMIT:
        found += sorted((home / "projects").glob(f"{own.name[:SLUG_LIMIT]}-*"))
    return list(dict.fromkeys(found))


def session_file(home: Path, cwd: Path, session_id: str) -> Path:
    """The file of a session; it need not exist."""
    return project_folder(home, cwd) / f"{session_id}.jsonl"


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
