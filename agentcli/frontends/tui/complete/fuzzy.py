"""How well a few typed letters fit a path, and which letters of it they are."""

import re

_EXACT, _PREFIX, _NAME, _STEM = 10_000, 9_000, 8_600, 8_400
_NAME_PREFIX, _WORD, _IN_NAME, _SEGMENT, _IN_PATH = 8_000, 7_000, 6_000, 5_000, 4_000
_LONGEST = 400
_SEPARATORS = frozenset("/_-. ")


def subsequence(query: str) -> re.Pattern[str]:
    """Finds paths (in lower case) that hold all characters of *query* in their order. Pure."""
    return re.compile(".*?".join(re.escape(char) for char in query), re.DOTALL)


def score(query: str, path: str, base: int) -> int:
    """Rank of *path* for *query*, both in lower case; 0 if it does not fit. Pure.

    ``base`` is where the last segment begins. Whole names come first, then their beginnings, the
    beginnings of words, runs of letters, single letters; the shorter of two wins.
    """
    length = len(path)
    cost = min(length, _LONGEST)
    at = path.find(query, base)
    if at == base:
        if length == len(query):
            return _EXACT
        rest = path[at + len(query) :]
        if not rest:
            return _NAME - cost
        if base == 0:
            return _PREFIX - cost
        return (_STEM if rest[0] == "." and "." not in rest[1:] else _NAME_PREFIX) - cost
    if "/" in query:
        if path.startswith(query):
            return (_EXACT if length == len(query) else _PREFIX) - cost
        at = path.rfind("/" + query)
        if at >= 0:
            return _NAME_PREFIX - cost
    if at > 0:
        return (_WORD if path[at - 1] in _SEPARATORS else _IN_NAME) - cost
    at = path.rfind(query)
    if at >= 0:
        return (_SEGMENT if at == 0 or path[at - 1] == "/" else _IN_PATH) - cost
    spots = align(query, path, base) or align(query, path, 0)
    return 0 if spots is None else max(1, _quality(spots, path, base) - cost)


def marks(query: str, path: str) -> tuple[int, ...]:
    """Indexes of *path* to be marked for *query*, in any case. Pure."""
    lower = path.lower()
    query = query.lower()
    if not query or len(lower) != len(path):
        return ()
    base = path.rstrip("/").rfind("/") + 1
    at = lower.find(query, base)
    if at < 0:
        at = lower.rfind(query)
    if at >= 0:
        return tuple(range(at, at + len(query)))
    return tuple(align(query, lower, base) or align(query, lower, 0) or ())


def align(query: str, path: str, start: int) -> list[int] | None:
    """Where the characters of *query* are best seen in *path* from *start* on. Pure.

    A run goes on where it can, else the next beginning of a word is taken, else the next place.
    """
    latest: list[int] = []
    at = len(path)
    for char in reversed(query):
        at = path.rfind(char, start, at)
        if at < 0:
            return None
        latest.append(at)
    latest.reverse()
    spots: list[int] = []
    at = start
    for char, limit in zip(query, latest, strict=True):
        if not (spots and path[at : at + 1] == char):
            at = _next_spot(path, char, at, limit)
        spots.append(at)
        at += 1
    return spots


def _next_spot(path: str, char: str, at: int, limit: int) -> int:
    first = spot = path.find(char, at, limit + 1)
    while 0 <= spot <= limit:
        if spot == 0 or path[spot - 1] in _SEPARATORS:
            return spot
        spot = path.find(char, spot + 1, limit + 1)
    return first


def _quality(spots: list[int], path: str, base: int) -> int:
    """Runs and word starts count, gaps cost; within the last segment it is worth more."""
    value = 1_500 if spots[0] >= base else 800
    before = -2
    for spot in spots:
        if spot == before + 1:
            value += 60
        elif spot == 0 or path[spot - 1] in _SEPARATORS:
            value += 80
        else:
            value -= 20 + min(40, spot - before)
        before = spot
    return value
