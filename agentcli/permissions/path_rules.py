"""Path rules such as ``Read(./secrets/**)``: which paths one of them is about."""

import posixpath
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from agentcli.permissions import globs
from agentcli.permissions.paths import PathProbe, Spelled, is_inside, normal, spell_roots
from agentcli.permissions.rules import SourcedRule


class PathRules:
    """Matches path rules of one policy. Pure but for the probe that resolves their bases."""

    def __init__(self, roots: tuple[str, ...], home: str, probe: PathProbe) -> None:
        self._roots = roots
        self._home = home
        self._probe = probe
        self._spelled: dict[str, tuple[str, ...]] = {}

    def denies(self, rule: SourcedRule, path: Spelled) -> bool:
        """True if any spelling fits a deny or ask rule; a named folder covers what is in it.

        Upper and lower case count as the disk takes them.
        """
        base, pattern = _compile(rule.rule.content or "", False)
        names = {unicodedata.normalize("NFC", name) for name in path.names} | {*path.names}
        if self._any(names, rule, base, (*pattern, "**")):
            return True
        bases = {name.casefold() for name in self._base_names(rule, base)}
        folded = tuple(part.casefold() for part in (*pattern, "**"))
        fits = any(_fits(name.casefold(), where, folded) for name in names for where in bases)
        return fits and self._folds_case(path)

    def allows(self, rule: SourcedRule, name: str) -> bool:
        """True if this one spelling fits an allow rule, to the end of the path."""
        base, pattern = _compile(rule.rule.content or "", True)
        return self._any((name,), rule, base, pattern)

    def _any(
        self, names: Iterable[str], rule: SourcedRule, base: str, pattern: tuple[str, ...]
    ) -> bool:
        bases = self._base_names(rule, base)
        return any(_fits(name, where, pattern) for name in names for where in bases)

    def _folds_case(self, path: Spelled) -> bool:
        """True if the disk takes another case of the path's last part for the same file."""
        for name in (path.real, posixpath.dirname(path.real)):
            folder, last = posixpath.split(name)
            node, swapped = self._probe.lstat(name), last.swapcase()
            if node.inode and swapped != last:
                return self._probe.lstat(posixpath.join(folder, swapped)) == node
        return False

    def _base_names(self, rule: SourcedRule, base: str) -> tuple[str, ...]:
        places = {"/": "/", "~": self._home, "source": rule.anchor}
        place = places.get(base) or normal(posixpath.join(*self._roots[:1], base))
        if place not in self._spelled:
            self._spelled[place] = spell_roots((place,), self._probe)
        return self._spelled[place]


def file_rule(path: str) -> str:
    """Specifier for exactly the absolute *path*. Pure."""
    return "//" + "/".join(globs.escape(part) for part in path.strip("/").split("/"))


def folder_rule(path: str) -> str:
    """Specifier that covers everything below the absolute folder *path*. Pure."""
    return f"{file_rule(path)}/**"


def _fits(name: str, base: str, pattern: tuple[str, ...]) -> bool:
    if not is_inside(name, base):
        return False
    rest = name[len(base.rstrip("/")) :].strip("/")
    return globs.segments_match(pattern, rest.split("/") if rest else [])


@lru_cache(maxsize=1024)
def _compile(content: str, is_allow: bool) -> tuple[str, tuple[str, ...]]:
    """Base (``/``, ``~``, ``source`` or a path relative to the start folder) and pattern parts."""
    content = unicodedata.normalize("NFC", content) if not is_allow else content
    if content.startswith("//"):
        return "/", _parts(content)
    if content == "~" or content.startswith("~/"):
        return "~", _parts(content[1:])
    if content.startswith("/"):
        return "source", _parts(content)
    dotted = content.startswith(("./", "../"))
    base = "."
    while content.startswith(("./", "../")):
        first, _, content = content.partition("/")
        base = posixpath.join(base, first)
    parts = _parts(content)
    plain = [part for part in parts if part != "**"]
    if not dotted and len(plain) == 1:
        # A bare name is found at any depth. ``src/**`` is too, but only where that forbids.
        is_folder = parts[-1] == "**" and parts[0] != "**"
        if not (is_folder and is_allow):
            return base, ("**", *parts)
    return base, parts


def _parts(content: str) -> tuple[str, ...]:
    parts = [part for part in content.split("/") if part not in ("", ".")]
    if content.endswith("/") and parts:
        parts.append("**")
    kept: list[str] = []
    for part in parts:
        if part == ".." and kept and kept[-1] not in ("**", ".."):
            kept.pop()
        elif part != "**" or kept[-1:] != ["**"]:
            kept.append(part)
    return tuple(kept)
