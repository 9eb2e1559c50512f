"""Cache of finished rows, so that scrolling and streaming redraw nothing that stands."""

from collections import OrderedDict

from agentcli.base.text import one_line
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.entries import Entry
from agentcli.frontends.tui.transcript.rows import Row, blank_row, make_row

_KEPT = 400
_KEPT_ROWS = 4_000
_KEPT_AT_LEAST = 150
"""Entries that are kept however long they are: more than the tallest window shows."""


class RowCache:
    """Rows (gap included) of the entries used last, for one width and one look at a time."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.width = 0
        self._rows: OrderedDict[int, tuple[Entry, int, list[Row]]] = OrderedDict()
        self._count = 0
        """Rows kept, as many as there were when they were drawn."""

    def reset(self, width: int, look: Look) -> None:
        """Forget everything: the window or the theme changed."""
        self.width, self.look = width, look
        self._rows.clear()
        self._count = 0

    def drop(self, entry: Entry) -> None:
        """Forget *entry*."""
        known = self._rows.pop(id(entry), None)
        if known is not None:
            self._count -= len(known[2])

    def knows(self, entry: Entry) -> bool:
        """Are the rows of *entry* as it is now at hand?"""
        known = self._rows.get(id(entry))
        return known is not None and known[1] == entry.version

    def get(self, entry: Entry) -> list[Row]:
        """The rows of *entry*, drawn now unless they are known."""
        known = self._rows.get(id(entry))
        if known is not None and known[1] == entry.version:
            self._rows.move_to_end(id(entry))
            return known[2]
        self.drop(entry)
        body = self._draw(entry)
        # a copy, for the entry may go on with its own list while this one is counted and kept
        rows = [*(blank_row() for _ in range(entry.gap)), *body]
        self._rows[id(entry)] = (entry, entry.version, rows)
        self._count += len(rows)
        while len(self._rows) > _KEPT or (
            self._count > _KEPT_ROWS and len(self._rows) > _KEPT_AT_LEAST
        ):
            _, (_, _, oldest) = self._rows.popitem(last=False)
            self._count -= len(oldest)
        return rows

    def _draw(self, entry: Entry) -> list[Row]:
        try:
            return entry.rows(self.width, self.look)
        except Exception as error:
            # one entry that cannot be drawn must not take the conversation off the screen
            told = f"✗ this entry cannot be drawn ({type(error).__name__}: {one_line(str(error))})"
            return [make_row([(told, self.look.bad)])]
