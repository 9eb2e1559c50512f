"""Paths as the model writes them, and as it gets to see them."""

import difflib
import os
import unicodedata
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from agentcli.base.path_text import show_path, unescape_path
from agentcli.protocol.errors import ToolError

_MAX_SIBLINGS = 5_000


def resolve_path(text: str, cwd: Path) -> Path:
    """Absolute path for *text*: ``~`` expanded, relative ones from *cwd*; links not resolved.

    A path in the escaped form of ``show_path`` finds its file. Raises ``ToolError``.
    """
    if not text:
        raise ToolError("The path is empty.")
    if "\0" in text:
        raise ToolError("The path contains a null byte.")
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        raise ToolError("The path contains characters that no file name can have.") from None
    path = _absolute(text, cwd)
    if "\\" in text and not os.path.lexists(path):
        unescaped = _absolute(unescape_path(text), cwd)
        if os.path.lexists(unescaped):
            return unescaped
    return path


def inside(path: Path, roots: tuple[Path, ...]) -> bool:
    """True if *path* is one of *roots* or below; all are resolved first."""
    real = Path(os.path.realpath(path))
    return any(real.is_relative_to(os.path.realpath(root)) for root in roots)


def missing_text(path: Path) -> str:
    """What to tell the model about a path that does not exist, with similar names."""
    parent = path.parent
    if not parent.is_dir():
        return f"File does not exist: {show_path(path)} (there is no directory {show_path(parent)})"
    similar = similar_names(path)
    if not similar:
        return f"File does not exist: {show_path(path)}"
    hints = " or ".join(f"{show_path(parent / name)}{_odd_characters(name)}" for name in similar)
    return f"File does not exist: {show_path(path)}. Did you mean {hints}?"


def similar_names(path: Path) -> list[str]:
    """Up to three names beside *path* that are equal but for case, spaces or accents, or close."""
    wanted = _fold(path.name)
    names = list(islice(_names(path.parent), _MAX_SIBLINGS))
    equal = [name for name in names if _fold(name) == wanted]
    return (equal or difflib.get_close_matches(path.name, names, n=3, cutoff=0.7))[:3]


def os_error_text(error: OSError, path: Path) -> str:
    """One line for the model about a failed file operation. Pure."""
    return f"{show_path(path)}: {error.strerror or error}"


def _names(folder: Path) -> Iterator[str]:
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry.name
    except OSError:
        return


def _fold(name: str) -> str:
    spaced = "".join(" " if unicodedata.category(char) == "Zs" else char for char in name)
    return unicodedata.normalize("NFC", spaced).casefold()


def _odd_characters(name: str) -> str:
    """Names the characters that a reader cannot tell from ordinary ones."""
    odd = {
        f"U+{ord(char):04X} {unicodedata.name(char, '')}".strip()
        for char in name
        if (unicodedata.category(char) == "Zs" and char != " ") or unicodedata.combining(char)
    }
    return f" (its name contains {', '.join(sorted(odd))})" if odd else ""


def _absolute(text: str, cwd: Path) -> Path:
    path = cwd / os.path.expanduser(text)
    if ".." not in path.parts:
        return path
    # `link/..` is the parent of the link's target, so this cannot be done on the text alone.
    return Path(os.path.realpath(path.parent)) / path.name if path.name != ".." else path.resolve()
