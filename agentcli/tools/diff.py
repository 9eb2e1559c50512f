"""Line diffs as hunks, in bounded time."""

import difflib
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from agentcli.protocol.asks import Hunk

CONTEXT = 3
_MAX_LINES = 20_000
_SECONDS = 1.0

_Change = tuple[int, int, int, int]
"""Lines ``a1:a2`` of the old text became lines ``b1:b2`` of the new one."""


@dataclass(frozen=True, slots=True)
class FileDiff:
    """Hunks with three lines of context, and how many lines came and went."""

    hunks: tuple[Hunk, ...]
    added: int
    removed: int

    def patch(self) -> list[dict[str, Any]]:
        """The hunks in the documented shape of ``structuredPatch``. Pure."""
        return [
            {
                "oldStart": hunk.old_start,
                "oldLines": hunk.old_lines,
                "newStart": hunk.new_start,
                "newLines": hunk.new_lines,
                "lines": list(hunk.lines),
            }
            for hunk in self.hunks
        ]


class _TooSlow(Exception):
    pass


class _Matcher(difflib.SequenceMatcher[str]):
    """Gives up at a deadline: the time of the algorithm is quadratic in the worst case."""

    deadline = 0.0

    def find_longest_match(self, *args: Any, **kwargs: Any) -> difflib.Match:
        if time.monotonic() > self.deadline:
            raise _TooSlow
        return super().find_longest_match(*args, **kwargs)


def diff_texts(old: str, new: str, seconds: float = _SECONDS) -> FileDiff:
    """Line diff of two texts. Pure but for the clock: too slow a diff falls back to one block.

    Lines are compared with their line ends, so that a changed line end is a change.
    """
    before, after = split_lines(old), split_lines(new)
    changes = _changes(before, after, seconds)
    hunks = tuple(_hunk(group, before, after) for group in _groups(changes))
    return FileDiff(
        hunks,
        added=sum(b2 - b1 for _, _, b1, b2 in changes),
        removed=sum(a2 - a1 for a1, a2, _, _ in changes),
    )


def split_lines(text: str) -> list[str]:
    """Lines with their ends; only ``\\n`` ends a line (not U+2028, form feed …). Pure."""
    lines = text.split("\n")
    last = lines.pop()
    return [line + "\n" for line in lines] + ([last] if last else [])


def _changes(before: list[str], after: list[str], seconds: float) -> list[_Change]:
    head = _common(before, after, min(len(before), len(after)), lambda i: i)
    room = min(len(before), len(after)) - head
    tail = _common(before, after, room, lambda i: -1 - i)
    a, b = before[head : len(before) - tail], after[head : len(after) - tail]
    whole = [(head, head + len(a), head, head + len(b))] if a or b else []
    if not a or not b or len(a) + len(b) > _MAX_LINES:
        return whole
    matcher = _Matcher(None, a, b)
    matcher.deadline = time.monotonic() + seconds
    try:
        codes = matcher.get_opcodes()
    except _TooSlow:
        return whole
    return [
        (head + a1, head + a2, head + b1, head + b2)
        for tag, a1, a2, b1, b2 in codes
        if tag != "equal"
    ]


def _common(before: list[str], after: list[str], limit: int, at: Callable[[int], int]) -> int:
    count = 0
    while count < limit and before[at(count)] == after[at(count)]:
        count += 1
    return count


def _groups(changes: list[_Change]) -> list[list[_Change]]:
    """Changes whose contexts touch share a hunk."""
    if not changes:
        return []
    groups = [[changes[0]]]
    for last, change in pairwise(changes):
        if change[0] - last[1] <= 2 * CONTEXT:
            groups[-1].append(change)
        else:
            groups.append([change])
    return groups


def _hunk(group: list[_Change], before: list[str], after: list[str]) -> Hunk:
    first = max(group[0][0] - CONTEXT, 0)
    new_first = group[0][2] - (group[0][0] - first)
    lines: list[str] = []
    position = first
    for a1, a2, b1, b2 in group:
        lines += [f" {line}" for line in before[position:a1]]
        lines += [f"-{line}" for line in before[a1:a2]]
        lines += [f"+{line}" for line in after[b1:b2]]
        position = a2
    end = min(position + CONTEXT, len(before))
    lines += [f" {line}" for line in before[position:end]]
    old_count = end - first
    new_count = old_count + sum((b2 - b1) - (a2 - a1) for a1, a2, b1, b2 in group)
    return Hunk(
        old_start=first + 1 if old_count else first,
        old_lines=old_count,
        new_start=new_first + 1 if new_count else new_first,
        new_lines=new_count,
        lines=tuple(line.removesuffix("\n").removesuffix("\r") for line in lines),
    )
