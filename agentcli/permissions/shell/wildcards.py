"""What bash would put in the place of a word with wildcards: never fewer names than bash."""

import posixpath
import re
from collections.abc import Sequence

from agentcli.permissions import globs
from agentcli.permissions.paths import PathProbe
from agentcli.permissions.shell.words import Word

_MAX_MATCHES = 500
_MAX_LOOKED = 10_000
_MAX_WORDS = 10
_CLASS = re.compile(r"(\\.)|\[[!^]?[\w .,@%+~-]+\]", re.DOTALL)
_WILD = re.compile(r"(?<!\\)(?:\\\\)*[*?\[]")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def expand_words(words: Sequence[Word], base: str, probe: PathProbe) -> tuple[str, ...] | None:
    """The texts of *words* with every wildcard replaced by what it may stand for; None as
    ``expand``, and for more wildcards than are looked at. Pure but for *probe*."""
    if sum(word.pattern is not None for word in words) > _MAX_WORDS:
        return None
    texts: list[str] = []
    for word in words:
        found = (word.text,) if word.pattern is None else expand(word.pattern, base, probe)
        if found is None:
            return None
        texts += found
    return tuple(texts)


def expand(pattern: str, base: str, probe: PathProbe) -> tuple[str, ...] | None:
    """The paths that *pattern* (quoted wildcards escaped) may stand for in folder *base*.

    Without a match bash passes the word as it is. None: too many, or a bracket expression that
    is not understood. Pure but for *probe*.
    """
    if "[" in _CLASS.sub("", pattern):
        return None
    # Ranges depend on the language of the system, so a bracket counts as any character.
    found = [""] if not pattern.startswith("/") else ["/"]
    left = _MAX_LOOKED
    for part in _CLASS.sub(_any_character, pattern).strip("/").split("/"):
        step = _step(found, part, base, probe, left)
        if step is None:
            return None
        found, left = step
    # A bracket that fits here may fit nothing for bash, which then passes the word as it is.
    return tuple(dict.fromkeys((*found, _ESCAPE.sub(r"\1", pattern))))


def _any_character(found: re.Match[str]) -> str:
    return found.group(1) or "?"


def _step(
    found: list[str], part: str, base: str, probe: PathProbe, left: int
) -> tuple[list[str], int] | None:
    if not _WILD.search(part):
        return [posixpath.join(start, _ESCAPE.sub(r"\1", part)) for start in found], left
    matches: list[str] = []
    for start in found:
        names = probe.names(posixpath.join(base, start))
        left -= len(names or ()) + 1
        if names is None or left < 0:
            return None
        if part.startswith("."):
            names = (*names, ".", "..")
        for name in names:
            if (part.startswith(".") or not name.startswith(".")) and globs.segment_matches(
                part, name
            ):
                matches.append(posixpath.join(start, name))
        if len(matches) > _MAX_MATCHES:
            return None
    return matches, left
