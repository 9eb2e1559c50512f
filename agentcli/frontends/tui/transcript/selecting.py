"""What is selected in the transcript, as places in its text: it stays there whatever moves."""

import re
from typing import NamedTuple

from agentcli.frontends.tui.transcript.entries import Entry
from agentcli.frontends.tui.transcript.layout import Layout
from agentcli.frontends.tui.transcript.logical import Cells, cells_of, character_at, logical_line

_WORD = re.compile(r"[^\s\"'`()\[\]{}<>|,;│]+")
_CLOSING = ".:!?"
LINE_END = 1_000_000
"""A column after the last one of any line."""

Position = tuple[int, int]
"""Line of the transcript and column."""


class Point(NamedTuple):
    """A cell of a row of an entry, the gap counted among the rows."""

    entry: Entry
    row: int
    column: int


class Selecting:
    """At most one selected piece of the transcript."""

    def __init__(self, lines: Layout) -> None:
        self._lines = lines
        self._ends: tuple[Point, Point] | None = None

    def __bool__(self) -> bool:
        return self._ends is not None

    def select(self, start: Point, end: Point) -> None:
        """Select from *start* to before *end*, in any order."""
        self._ends = (start, end)

    def clear(self) -> None:
        """Nothing is selected."""
        self._ends = None

    @property
    def span(self) -> tuple[Position, Position] | None:
        """First position and the one after the last, as things stand now; None without."""
        if self._ends is None:
            return None
        if any(end.entry not in self._lines for end in self._ends):
            self._ends = None
            return None
        start, end = sorted(self._position(point) for point in self._ends)
        return start, end

    def _position(self, point: Point) -> Position:
        return self._lines.line_of((point.entry, point.row)), point.column

    def cells(self, line: int) -> tuple[int, int] | None:
        """Selected columns of *line*; None without."""
        span = self.span
        if span is None or not span[0][0] <= line <= span[1][0]:
            return None
        left = span[0][1] if line == span[0][0] else 0
        return left, span[1][1] if line == span[1][0] else LINE_END

    def point_at(self, line: int, column: int) -> Point | None:
        """The place at *line*, clamped to the text; None in an empty transcript."""
        total = self._lines.total
        spot = self._lines.spot(max(0, min(line, total - 1)))
        if spot is None:
            return None
        return Point(*spot, LINE_END if line >= total else 0 if line < 0 else max(0, column))


def word_at(lines: Layout, point: Point) -> tuple[Point, Point] | None:
    """The word, path or address at *point*, over wraps too; None where there is none."""
    rows = lines.rows(point.entry)
    if point.row >= len(rows):
        return None
    line = logical_line(rows, point.row)
    at = character_at(rows, line, point.row, point.column)
    for match in _WORD.finditer(line.text):
        if match.start() <= at < match.end():
            end = max(
                match.start() + 1, match.start() + len(match.group().rstrip(_CLOSING)), at + 1
            )
            return _points(point.entry, cells_of(rows, line, match.start(), end))
    return None


def line_at(lines: Layout, point: Point) -> tuple[Point, Point] | None:
    """The whole line at *point*, as it was before wrapping; None where it is blank."""
    rows = lines.rows(point.entry)
    if point.row >= len(rows):
        return None
    line = logical_line(rows, point.row)
    return _points(point.entry, cells_of(rows, line, 0, len(line.text)))


def whole_entry(lines: Layout, entry: Entry) -> tuple[Point, Point]:
    """All of *entry*."""
    return Point(entry, entry.gap, 0), Point(entry, len(lines.rows(entry)) - 1, LINE_END)


def _points(entry: Entry, cells: list[Cells]) -> tuple[Point, Point] | None:
    if not cells:
        return None
    first, last = cells[0], cells[-1]
    return Point(entry, first.row, first.left), Point(entry, last.row, last.right)
