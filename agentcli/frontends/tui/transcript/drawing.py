"""Draws one line of the window: the finished row, and over it whatever is marked."""

from collections.abc import Callable

from textual.strip import Strip

from agentcli.frontends.tui.transcript.entries import Entry
from agentcli.frontends.tui.transcript.layout import Layout, Spot
from agentcli.frontends.tui.transcript.paint import (
    cursor_style,
    lay_over,
    mark_cells,
    new_lines_badge,
)
from agentcli.frontends.tui.transcript.rows import GUTTER, Row
from agentcli.frontends.tui.transcript.selecting import Selecting
from agentcli.frontends.tui.transcript.viewport import Viewport

_KEPT = 1000
Overlay = Callable[[Strip, Spot, list[Row]], Strip]


class Painter:
    """Lines as they are shown; those with nothing over them are kept ready."""

    def __init__(self, lines: Layout, port: Viewport, selecting: Selecting) -> None:
        self._lines, self._port, self._selecting = lines, port, selecting
        self._ready: dict[int, tuple[Row, Strip]] = {}
        self.cursor: Spot | None = None
        """The line cursor of the reading mode."""
        self.overlay: Overlay | None = None
        """Lays over a line what a search found in it."""

    def forget(self) -> None:
        """The width or the look changed."""
        self._ready.clear()

    def strip(self, y: int, width: int) -> Strip:
        """Row *y* of the window, *width* cells wide."""
        line = self._port.line + y
        strip = self._marked(line, width)
        if y == self._port.height - 1 and self._port.unseen:
            return new_lines_badge(strip, self._port.unseen, width, self._lines.look)
        return strip

    def _marked(self, line: int, width: int) -> Strip:
        look, spot = self._lines.look, self._lines.spot_at(line)
        rows = self._lines.rows(spot[0]) if spot is not None else []
        if spot is None or spot[1] >= len(rows):
            return Strip.blank(width, look.text)
        entry, number = spot
        row = rows[number]
        strip = self._plain(line, row, width)
        if self.overlay is not None:
            strip = self.overlay(strip, spot, rows)
        if self._selecting and (cells := self._selecting.cells(line)) is not None:
            end = min(cells[1], row.strip.cell_length)
            strip = mark_cells(strip, max(cells[0], row.skip), end, look.picked)
        if self._has_cursor(entry, line):
            strip = lay_over(strip, 0, GUTTER, cursor_style(look))
        return strip

    def _has_cursor(self, entry: Entry, line: int) -> bool:
        cursor = self.cursor
        # its entry may have got fewer rows meanwhile
        return cursor is not None and cursor[0] is entry and self._lines.line_of(cursor) == line

    def _plain(self, line: int, row: Row, width: int) -> Strip:
        known = self._ready.get(line)
        if known is not None and known[0] is row:
            return known[1]
        strip = row.strip.crop(0, width).extend_cell_length(width, self._lines.look.text)
        if len(self._ready) > _KEPT:
            self._ready.clear()
        self._ready[line] = (row, strip)
        return strip
