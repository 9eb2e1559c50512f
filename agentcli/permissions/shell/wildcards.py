"""What bash would put in the place of a word with wildcards: never fewer names than bash."""

import posixpath
import re

from agentcli.permissions import globs
from agentcli.permissions.paths import PathProbe

_MAX_MATCHES = 500
_CLASS = re.compile(r"\[[^]/]*\]")
_WILD = re.compile(r"(?<!\\)(?:\\\\)*[*?\[]")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def expand(pattern: str, base: str, probe: PathProbe) -> tuple[str, ...] | None:
    """The paths that *pattern* (quoted wildcards escaped) may stand for in folder *base*.

    Without a match bash passes the word as it is. None: too many, or a bracket expression that
    is not understood. Pure but for *probe*.
    """
    if "[:" in pattern or "[." in pattern or "[=" in pattern:
        return None
    # Ranges depend on the language of the system, so a bracket counts as any character.
    found = [""] if not pattern.startswith("/") else ["/"]
    for part in _CLASS.sub("?", pattern).strip("/").split("/"):
        found = _step(found, part, base, probe)
        if found is None:
            return None
    return tuple(found) or (_ESCAPE.sub(r"\1", pattern),)


def _step(found: list[str], part: str, base: str, probe: PathProbe) -> list[str] | None:
    if not _WILD.search(part):
        return [posixpath.join(start, _ESCAPE.sub(r"\1", part)) for start in found]
    matches: list[str] = []
    for start in found:
        names = probe.names(posixpath.join(base, start))
        if names is None:
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
    return matches
