"""Finds files by glob pattern: one walk, pruned by the pattern, blind to directory loops."""

import fnmatch
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

_MAX_BRACES = 256
_MAGIC = re.compile(r"[*?\[]")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


@dataclass(frozen=True, slots=True)
class GlobPattern:
    """``segments`` below ``base``: ``None`` is ``**``, the others match one name each."""

    base: Path
    segments: tuple[re.Pattern[str] | None, ...]


def compile_glob(pattern: str, folder: Path) -> list[GlobPattern]:
    """Patterns for *pattern* seen from *folder*, braces expanded. Raises ``ValueError``. Pure.

    A pattern without a slash matches at any depth.
    """
    if "\0" in pattern:
        raise ValueError("the pattern contains a null byte")
    if not pattern.strip():
        raise ValueError("the pattern is empty")
    return [_compile_one(one, folder) for one in expand_braces(pattern)]


def expand_braces(pattern: str) -> list[str]:
    """``a{b,c}`` as ``ab`` and ``ac``. Raises ``ValueError`` when there are too many. Pure."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        text = waiting.pop()
        match = _BRACES.search(text)
        if match is None:
            done.append(text)
        else:
            head, tail = text[: match.start()], text[match.end() :]
            waiting += [head + choice + tail for choice in reversed(match.group(1).split(","))]
        if len(done) + len(waiting) > _MAX_BRACES:
            raise ValueError(f"the braces stand for more than {_MAX_BRACES} patterns")
    # Nested braces give the same text more than once.
    return list(dict.fromkeys(done))


def find_files(
    patterns: list[GlobPattern], stopped: Callable[[], bool]
) -> Iterator[os.DirEntry[str]]:
    """Regular files (links to files too) that match, each once; ends early once *stopped* says so.

    ``.git`` is never entered, and links to folders are not followed. Unreadable folders are
    passed over.
    """
    roots: dict[Path, list[tuple[re.Pattern[str] | None, ...]]] = {}
    for pattern in patterns:
        roots.setdefault(pattern.base, []).append(pattern.segments)
    seen: set[str] = set()
    for base, segments in roots.items():
        many = len(roots) > 1
        for entry in _walk(str(base), segments, stopped):
            if many and entry.path in seen:
                continue
            if many:
                seen.add(entry.path)
            yield entry


def _compile_one(pattern: str, folder: Path) -> GlobPattern:
    pattern = os.path.expanduser(pattern)
    if pattern.endswith("/"):
        pattern += "**"
    parts = [part for part in pattern.split("/") if part not in ("", ".")]
    base = Path("/") if pattern.startswith("/") else folder
    while len(parts) > 1 and not _MAGIC.search(parts[0]):
        base /= parts.pop(0)
    if ".." in parts:
        raise ValueError("`..` may only stand at the beginning of the pattern")
    segments: list[re.Pattern[str] | None] = []
    if "/" not in pattern:
        segments.append(None)
    for part in parts:
        if part != "**":
            segments.append(re.compile(fnmatch.translate(re.sub(r"\[\^", "[!", part))))
        elif not segments or segments[-1] is not None:
            segments.append(None)
    return GlobPattern(base, tuple(segments))


def _walk(
    base: str, patterns: list[tuple[re.Pattern[str] | None, ...]], stopped: Callable[[], bool]
) -> Iterator[os.DirEntry[str]]:
    """Depth first. A state is a pattern and how many of its segments are used up."""
    start = [_closure(pattern, 0) for pattern in patterns]
    waiting = [(base, [(p, n) for p, states in enumerate(start) for n in states])]
    while waiting and not stopped():
        folder, states = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                listing = list(entries)
        except OSError:
            continue
        for entry in listing:
            hit, below = _step(entry.name, states, patterns)
            try:
                if below and entry.is_dir(follow_symlinks=False):
                    if entry.name != ".git":
                        waiting.append((entry.path, below))
                elif hit and entry.is_file():
                    yield entry
            except OSError:
                continue


def _step(
    name: str,
    states: list[tuple[int, int]],
    patterns: list[tuple[re.Pattern[str] | None, ...]],
) -> tuple[bool, list[tuple[int, int]]]:
    """Whether *name* as a file is a match, and the states inside it if it is a folder."""
    hit = False
    below: dict[tuple[int, int], None] = {}
    for number, used in states:
        pattern = patterns[number]
        segment = pattern[used]
        last = used == len(pattern) - 1
        if segment is None:
            hit = hit or last
            below.update(dict.fromkeys((number, n) for n in _closure(pattern, used)))
        elif segment.match(name):
            hit = hit or last
            if not last:
                below.update(dict.fromkeys((number, n) for n in _closure(pattern, used + 1)))
    return hit, list(below)


def _closure(pattern: tuple[re.Pattern[str] | None, ...], used: int) -> list[int]:
    """*used*, and the next state too where ``**`` may stand for no folder at all."""
    if pattern[used] is None and used + 1 < len(pattern):
        return [used, used + 1]
    return [used]
