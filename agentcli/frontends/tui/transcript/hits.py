"""The matches of a search: found in the text of entries, counted and walked through in order."""

import re
from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import NamedTuple

from agentcli.frontends.tui.transcript.entries import Entry
from agentcli.frontends.tui.transcript.logical import Cells, logical_lines, matches_in
from agentcli.frontends.tui.transcript.rows import Row

ENOUGH = 10_000
"""So many matches are counted, not more."""
_MOST_AT_ONCE = 2_000


class Hits(NamedTuple):
    """Where the text of *entry* matches, as offsets into its *length* characters; the first *head*
    of them show while it is folded too."""

    entry: Entry
    offsets: list[int]
    length: int
    head: int


class Current(NamedTuple):
    """One match: the *nth* of the entry with this number."""

    number: int
    nth: int


class HitList:
    """Hits by the number of their entry, in the order of the transcript."""

    def __init__(self) -> None:
        self.total = 0
        self._found: dict[int, Hits] = {}
        self._order: list[int] = []

    def __getitem__(self, number: int) -> Hits:
        return self._found[number]

    def put(self, number: int, hits: Hits) -> None:
        """Add the *hits* of an entry that has none here."""
        self._found[number] = hits
        insort(self._order, number)
        self.total += len(hits.offsets)

    def take(self, number: int) -> None:
        """Forget the hits of an entry, if there are any."""
        hits = self._found.pop(number, None)
        if hits is not None:
            self.total -= len(hits.offsets)
            del self._order[bisect_left(self._order, number)]

    def position(self, current: Current) -> int:
        """Which match *current* is, counted from 1."""
        before = self._order[: bisect_left(self._order, current.number)]
        return sum(len(self._found[number].offsets) for number in before) + current.nth + 1

    def first_from(self, number: int) -> Current:
        """The first match in or after the entry with *number*, else the last entry's. There must
        be one."""
        at = min(bisect_left(self._order, number), len(self._order) - 1)
        return Current(self._order[at], 0)

    def beside(self, current: Current, direction: int) -> Current:
        """The match after (1) or before (-1) *current*, around the ends. There must be one."""
        number, nth = current.number, current.nth + direction
        if 0 <= nth < len(self._found[number].offsets):
            return Current(number, nth)
        number = self._order[(bisect_left(self._order, number) + direction) % len(self._order)]
        return Current(number, 0 if direction > 0 else len(self._found[number].offsets) - 1)


def query_pattern(query: str) -> re.Pattern[str] | None:
    """What *query* looks for: case counts only if it has an upper-case letter, a space stands for
    any white space. None for nothing. Pure."""
    words = query.split()
    if not words:
        return None
    text = r"\s+".join(re.escape(word) for word in words)
    if query != query.lstrip():
        text = r"\s" + text
    return re.compile(text, 0 if any(char.isupper() for char in query) else re.IGNORECASE)


def find_offsets(text: str, pattern: re.Pattern[str], query: str) -> list[int]:
    """Where *pattern*, made of *query*, stands in *text*; not more than a few thousand. Pure."""
    # by far the most texts do not match, and a plain search says so ten times faster
    word = max(query.split(), key=len)
    there = word in text if not pattern.flags & re.IGNORECASE else word in text.lower()
    if not there:
        return []
    offsets: list[int] = []
    for match in pattern.finditer(text):
        offsets.append(match.start())
        if len(offsets) >= _MOST_AT_ONCE:
            break
    return offsets


def locate(rows: Sequence[Row], pattern: re.Pattern[str], hits: Hits, nth: int) -> list[Cells]:
    """The cells of the *nth* match in the *rows* of its entry; empty if nothing there matches, as
    with the target of a link. Pure."""
    found = [
        (line.first, cells)
        for line in logical_lines(rows)
        if pattern.search(line.text)
        for cells in matches_in(rows, line, pattern)
    ]
    if not found:
        return []
    if len(found) == len(hits.offsets) or (hits.entry.foldable and hits.entry.folded):
        return found[min(nth, len(found) - 1)][1]
    # the screen shows more or less than the source has: the nearest by its place
    share = hits.offsets[nth] / max(1, hits.length)
    return min(found, key=lambda item: abs(item[0] / len(rows) - share))[1]
