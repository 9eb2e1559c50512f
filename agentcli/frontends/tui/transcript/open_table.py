"""A table that still grows: each row is parsed once, and drawn when it is complete."""

import re

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.markdown import table_cells
from agentcli.frontends.tui.transcript.rows import GUTTER, Row, Run, clip_rows, make_row
from agentcli.frontends.tui.transcript.table import Table, table_room

_DELIMITER = re.compile(r" {0,3}\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")


def is_table(lines: list[str]) -> bool:
    """Do the complete *lines* of a block begin a table? Pure."""
    return len(lines) > 1 and "|" in lines[0] and _DELIMITER.match(lines[1]) is not None


class OpenTable:
    """Rows of one table, its unfinished last row left out. ``parsed`` counts characters."""

    def __init__(self, width: int, look: Look) -> None:
        self.parsed = 0
        self._width, self._look = width, look
        self._table: Table | None = None
        self._taken = 2
        self._lines: list[list[Run]] = []
        self._rows: list[Row] = []

    def update(self, lines: list[str], partial: str) -> list[Row] | None:
        """The rows now; None when this is no table (any more)."""
        fresh = lines[self._taken :]
        if self._table is not None and not fresh:
            return self._rows
        source = "".join([*lines[:2], *fresh])
        self.parsed += len(source)
        read = table_cells(source, self._look)
        if read is None or len(read[2]) != len(fresh):
            return None
        header, aligns, rows = read
        if self._table is None:
            self._table = Table(header, aligns, table_room(self._width, GUTTER), self._look)
        self._table.add(rows)
        self._taken = len(lines)
        self._draw(self._table.lines)
        return self._rows

    def _draw(self, lines: list[list[Run]]) -> None:
        """Make rows of what is new in *lines*; what stands is the same object as before."""
        known = 0
        for old, new in zip(self._lines, lines, strict=False):
            if old is not new:
                break
            known += 1
        margin: list[Run] = [(" " * GUTTER, self._look.text)]
        fresh = [make_row([*margin, *runs]) for runs in lines[known:]]
        self._rows = self._rows[:known] + clip_rows(fresh, self._width)
        self._lines = list(lines)
