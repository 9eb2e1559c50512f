"""Lines of the text as it was before it was wrapped: for words and matches that cross a wrap."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len

from agentcli.frontends.tui.transcript.rows import Row


class Cells(NamedTuple):
    """The cells *left* to before *right* of a row."""

    row: int
    left: int
    right: int


class LogicalLine(NamedTuple):
    """Rows *first* to before *after*, their text without gutter and wraps, and where in it each
    row begins."""

    first: int
    after: int
    text: str
    starts: tuple[int, ...]


def logical_line(rows: Sequence[Row], row: int) -> LogicalLine:
    """The line that *row* is a part of. Pure."""
    first, after = row, row + 1
    while first > 0 and rows[first].glue is not None:
        first -= 1
    while after < len(rows) and rows[after].glue is not None:
        after += 1
    text, starts = "", [0]
    for number in range(first, after):
        if number > first:
            text += rows[number].glue or ""
            starts.append(len(text))
        text += _text(rows[number])
    return LogicalLine(first, after, text, tuple(starts))


def logical_lines(rows: Sequence[Row]) -> Iterator[LogicalLine]:
    """All lines of *rows*, from the top. Pure."""
    row = 0
    while row < len(rows):
        line = logical_line(rows, row)
        yield line
        row = line.after


def cells_of(rows: Sequence[Row], line: LogicalLine, start: int, end: int) -> list[Cells]:
    """Where the characters *start* to before *end* of *line* stand. Pure."""
    found: list[Cells] = []
    for number, begins in enumerate(line.starts):
        row = rows[line.first + number]
        text = _text(row)
        left, right = max(0, start - begins), min(len(text), end - begins)
        if left < right:
            before = row.skip + cell_len(text[:left])
            found.append(Cells(line.first + number, before, before + cell_len(text[left:right])))
    return found


def matches_in(
    rows: Sequence[Row], line: LogicalLine, wanted: re.Pattern[str]
) -> list[list[Cells]]:
    """Where *wanted* stands in *line*; each match as the cells of its rows. Pure."""
    spans = [match.span() for match in wanted.finditer(line.text)]
    return [cells for span in spans if (cells := cells_of(rows, line, *span))]


def character_at(rows: Sequence[Row], line: LogicalLine, row: int, column: int) -> int:
    """The character of *line* that stands at cell *column* of *row*. Pure."""
    text, cell = _text(rows[row]), rows[row].skip
    begins = line.starts[row - line.first]
    for number, char in enumerate(text):
        cell += cell_len(char)
        if cell > column:
            return begins + number
    return begins + len(text)


def _text(row: Row) -> str:
    # the cells of a gutter are one character each
    return row.strip.text[row.skip :].rstrip()
