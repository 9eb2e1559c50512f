"""Where a path really leads: all its spellings, found with an injected probe; containment."""

import errno
import os
import posixpath
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, NamedTuple, Protocol

_MAX_LINKS = 40
_MAX_LENGTH = 4096
_PLAIN_NAME = re.compile(r"[^/~.\0][^/\0]*")
_MAX_NAMES = 5_000
_Kind = Literal["missing", "link", "dir", "file", "other", "unknown"]
_KINDS: dict[int, _Kind] = {stat.S_IFLNK: "link", stat.S_IFDIR: "dir", stat.S_IFREG: "file"}


class Node(NamedTuple):
    """What stands at one path, links not followed. ``unknown``: it could not be looked at.

    ``shared``: a file that has other names too, in places that nobody can tell.
    """

    kind: _Kind
    device: int = 0
    inode: int = 0
    shared: bool = False


_ROOT = Node("dir")


class PathProbe(Protocol):
    """The only window of this layer to the disk."""

    def lstat(self, path: str) -> Node:
        """What stands at *path*. Never raises."""
        ...

    def readlink(self, path: str) -> str | None:
        """Target text of a link, None where it cannot be read. Never raises."""
        ...

    def names(self, folder: str) -> tuple[str, ...] | None:
        """Names in *folder*, for wildcards; none if it is no folder, None if they are too many or
        cannot be read. Never raises."""
        ...


class DiskProbe:
    """The real file system."""

    def lstat(self, path: str) -> Node:
        """``os.lstat`` as a ``Node``. Never raises."""
        try:
            info = os.lstat(path)
        except OSError as error:
            gone = error.errno in (errno.ENOENT, errno.ENOTDIR)
            return Node("missing" if gone else "unknown")
        except ValueError:
            return Node("unknown")
        kind = _KINDS.get(stat.S_IFMT(info.st_mode), "other")
        return Node(kind, info.st_dev, info.st_ino, kind == "file" and info.st_nlink > 1)

    def readlink(self, path: str) -> str | None:
        """``os.readlink``. Never raises."""
        try:
            return os.readlink(path)
        except (OSError, ValueError):
            return None

    def names(self, folder: str) -> tuple[str, ...] | None:
        """``os.scandir``, as far as ``_MAX_NAMES``. Never raises."""
        try:
            with os.scandir(folder) as entries:
                names = tuple(entry.name for entry in islice(entries, _MAX_NAMES + 1))
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except (OSError, ValueError):
            return None
        return names if len(names) <= _MAX_NAMES else None


@dataclass(slots=True)
class MemoProbe:
    """Remembers the answers of *inner*: for one decision, or for all results of one search."""

    inner: PathProbe
    nodes: dict[str, Node] = field(default_factory=dict[str, Node])
    plain: dict[str, bool] = field(default_factory=dict[str, bool])

    def is_plain(self, folder: str) -> bool:
        """True if *folder* is written as it is: absolute, normal, and without a link on its way."""
        if folder not in self.plain:
            walk = _Walk(self, certain=True)
            self.plain[folder] = walk.follow(folder) == folder and not walk.hops and walk.certain
        return self.plain[folder]

    def lstat(self, path: str) -> Node:
        """As *inner*, asked once. Never raises."""
        if path not in self.nodes:
            self.nodes[path] = self.inner.lstat(path)
        return self.nodes[path]

    def readlink(self, path: str) -> str | None:
        """As *inner*. Never raises."""
        return self.inner.readlink(path)

    def names(self, folder: str) -> tuple[str, ...] | None:
        """As *inner*. Never raises."""
        return self.inner.names(folder)


@dataclass(frozen=True, slots=True)
class Spelled:
    """All names of one path: ``names`` holds the lexical one, one per link hop, and ``real``.

    ``certain`` is false where the walk could not be finished; such a path is never auto-allowed.
    """

    names: tuple[str, ...]
    real: str
    certain: bool
    node: Node


def spell(text: str, cwd: str, home: str, probe: PathProbe) -> Spelled:
    """Follow *text* from *cwd* as the kernel would, missing tails too. Pure but for *probe*."""
    if isinstance(probe, MemoProbe) and _PLAIN_NAME.fullmatch(text) and probe.is_plain(cwd):
        # Long lists of names in one folder: only the name itself is left to look at.
        here = f"{cwd.rstrip('/')}/{text}"
        node = probe.lstat(here)
        if node.kind not in ("link", "unknown") and len(here) <= _MAX_LENGTH:
            return Spelled((here,), here, True, node)
    expanded, certain = _expand_home(text, home)
    full = posixpath.join(cwd, expanded)
    lexical = normal(full)
    if len(full) > _MAX_LENGTH or "\0" in full:
        return Spelled((lexical,), lexical, False, Node("unknown"))
    walk = _Walk(probe, certain=certain)
    real = walk.follow(full)
    names = dict.fromkeys((lexical, *walk.hops, real))
    return Spelled(tuple(names), real, walk.certain, walk.node)


def normal(path: str) -> str:
    """Absolute path without ``.``, ``..`` and doubled slashes. Pure."""
    return posixpath.normpath("/" + path.lstrip("/"))


def is_inside(path: str, root: str) -> bool:
    """True if normal *path* is *root* or below it, compared by component. Pure."""
    return path == root or path.startswith(root.rstrip("/") + "/")


def all_inside(path: Spelled, roots: Iterable[str]) -> bool:
    """True if every spelling lies inside one of *roots* and nothing is uncertain. Pure."""
    wanted = tuple(roots)
    return path.certain and all(
        any(is_inside(name, root) for root in wanted) for name in path.names
    )


def spell_roots(roots: Iterable[str], probe: PathProbe) -> tuple[str, ...]:
    """Each root as written and as resolved: both name the same place. Pure but for *probe*."""
    names: dict[str, None] = {}
    for root in roots:
        spelled = spell(root, "/", "/", probe)
        names |= dict.fromkeys((normal(root), spelled.real))
    return tuple(names)


def _expand_home(text: str, home: str) -> tuple[str, bool]:
    if text == "~" or text.startswith("~/"):
        return home + text[1:], True
    # ``~name`` is another user's home for a shell and a plain name for others.
    return text, not text.startswith("~")


@dataclass(slots=True)
class _Walk:
    probe: PathProbe
    certain: bool
    hops: list[str] = field(default_factory=list[str])
    node: Node = _ROOT

    def follow(self, path: str) -> str:
        pending = path.split("/")[::-1]
        done = ""
        while pending:
            part = pending.pop()
            if part in ("", "."):
                continue
            if part == "..":
                done = done.rpartition("/")[0]
                self.node = _ROOT
                continue
            here = f"{done}/{part}"
            self.node = self.probe.lstat(here)
            if self.node.kind != "link":
                self.certain = self.certain and self.node.kind != "unknown"
                done = here
                continue
            target = self.probe.readlink(here)
            if target is None or len(self.hops) >= _MAX_LINKS:
                self.certain = False
                return normal("/".join([here, *reversed(pending)]))
            pending.extend(target.split("/")[::-1])
            done = "" if target.startswith("/") else done
            self.hops.append(normal("/".join([done, *reversed(pending)])))
        return done or "/"
