"""Draws one line of the window: the finished row, and over it whatever is marked."""

from textual.strip import Strip

from agentcli.frontends.tui.transcript.entries import Entry
from agentcli.frontends.tui.transcript.layout import Layout, Spot
from agentcli.frontends.tui.transcript.logical import logical_line, matches_in
from agentcli.frontends.tui.transcript.paint import (
    cursor_style,
    lay_over,
    mark_cells,
    match_style,
    new_lines_badge,
)
from agentcli.frontends.tui.transcript.rows import GUTTER, Row
from agentcli.frontends.tui.transcript.search import Search
from agentcli.frontends.tui.transcript.selecting import Selecting
from agentcli.frontends.tui.transcript.viewport import Viewport

_KEPT = 1000


class Painter:
    """Lines as they are shown; those with nothing over them are kept ready."""

    def __init__(self, lines: Layout, port: Viewport, selecting: Selecting, search: Search) -> None:
        self._lines, self._port = lines, port
        self._selecting, self._search = selecting, search
        self._ready: dict[int, tuple[Row, Strip]] = {}
        self.cursor: Spot | None = None
        """The line cursor of the reading mode."""

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
        if self._search.pattern is not None:
            strip = self._with_matches(strip, entry, rows, number)
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

    def _with_matches(self, strip: Strip, entry: Entry, rows: list[Row], number: int) -> Strip:
        search, look = self._search, self._lines.look
        if search.pattern is None:
            return strip
        current = search.current_cells() if search.entry is entry else []
        found = matches_in(rows, logical_line(rows, number), search.pattern)
        for match in found:
            style = match_style(look, match == current)
            for cells in match:
                if cells.row == number:
                    strip = lay_over(strip, cells.left, cells.right, style)
        return strip
