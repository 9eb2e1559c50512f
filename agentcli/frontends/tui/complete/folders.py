"""Names in one folder of the file system, for paths that are typed out."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from agentcli.frontends.tui.complete.files import parent_and_name
from agentcli.frontends.tui.complete.fuzzy import score
from agentcli.frontends.tui.complete.typeable import is_typeable

_MOST = 5_000


@dataclass(frozen=True, slots=True)
class Name:
    """``path`` as it would be typed; that of a folder ends with ``/``."""

    path: str
    is_folder: bool


@dataclass(frozen=True, slots=True)
class Listing:
    """What fits ``typed``, best first; ``exact``: that very path exists (as a file)."""

    names: list[Name]
    exact: bool


def list_names(typed: str, root: Path, home: Path, only_folders: bool = False) -> Listing:
    """Names that begin like the last part of *typed*, or if none does those that are like it, seen
    from *root*.

    Reads one folder; never raises. Blocks as long as the file system does: call it in a thread.
    """
    head, tail = parent_and_name(typed)
    if tail == ".." or typed == "~":
        return Listing([Name(typed + "/", True)], False)
    folder = root / os.path.join(_expanded(head, home), "")
    found = _ranked(_entries(folder), tail)
    begin = [entry for entry in found if entry[0].lower().startswith(tail.lower())]
    found = begin or found
    names = [
        Name(head + name + ("/" if is_folder else ""), is_folder)
        for name, is_folder in found
        if (is_folder or not only_folders) and not (name == ".git" and tail != ".git")
    ]
    exact = bool(tail) and any(name == tail and not is_folder for name, is_folder in found)
    return Listing(names, exact)


def is_folder(typed: str, root: Path, home: Path) -> bool:
    """Is *typed* a folder that exists, seen from *root*? Never raises; may block."""
    try:
        return (root / _expanded(typed, home)).is_dir()
    except (OSError, ValueError):
        return False


def _expanded(head: str, home: Path) -> str:
    return str(home) + head[1:] if head == "~" or head.startswith("~/") else head


def _entries(folder: Path) -> list[tuple[str, bool]]:
    try:
        with os.scandir(folder) as entries:
            return [(entry.name, _leads_on(entry)) for entry in islice(entries, _MOST)]
    except (OSError, ValueError):
        return []


def _leads_on(entry: "os.DirEntry[str]") -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _ranked(entries: Iterable[tuple[str, bool]], tail: str) -> list[tuple[str, bool]]:
    """Folders before files, hidden names last unless a dot was typed; with a *tail* by its fit."""
    query = tail.lower()
    ranked: list[tuple[tuple[int, bool, bool, str], tuple[str, bool]]] = []
    for name, folder in entries:
        value = score(query, name.lower(), 0) if query else 1
        if not value or not is_typeable(name):
            continue
        hidden = name.startswith(".") and not query.startswith(".")
        order = (-value, not query and hidden, not query and not folder, name.lower())
        ranked.append((order, (name, folder)))
    return [entry for _, entry in sorted(ranked)]
