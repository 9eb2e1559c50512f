"""Search in the transcript: in slices, the nearest above the reader first, folded text included."""

import re
from collections.abc import Callable
from time import thread_time
from typing import TYPE_CHECKING

from textual.timer import Timer

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.entries import Entry
from agentcli.frontends.tui.transcript.hits import (
    ENOUGH,
    Current,
    HitList,
    Hits,
    find_offsets,
    locate,
    query_pattern,
)
from agentcli.frontends.tui.transcript.logical import Cells

if TYPE_CHECKING:
    from agentcli.frontends.tui.transcript.canvas import Canvas
    from agentcli.frontends.tui.transcript.viewport import Place

_SLICE = 0.003
"""Seconds of CPU that a slice may take before keys and frames get their turn."""
_BETWEEN = 0.001
_TOUCHED = 0.1
"""What streams is searched again at most that often."""


class Search:
    """One search at a time. Matches are counted in the source, and found again among the rows."""

    def __init__(self, view: "Canvas") -> None:
        self._view = view
        self.query = ""
        self.pattern: re.Pattern[str] | None = None
        self.on_change: Callable[[], None] = lambda: None
        """Called when the count, the position or the end of the search changed."""
        self._todo: list[Entry] = []
        self._touched: dict[int, Entry] = {}
        self._hits = HitList()
        self._current: Current | None = None
        self._place: Place | None = None
        self._opened: Entry | None = None
        """Unfolded only to show a match."""
        self._timer: Timer | None = None
        self._cells: tuple[object, Current | None, list[Cells]] = (None, None, [])

    @property
    def look(self) -> Look:
        return self._view.lines.look

    @property
    def active(self) -> bool:
        """Is a search on?"""
        return self._place is not None

    @property
    def busy(self) -> bool:
        """Are there entries that were not looked at yet?"""
        return bool(self._todo)

    @property
    def told(self) -> str:
        """``3/17``, ``17…`` while counting, ``no match``, "" without a query."""
        if self.pattern is None:
            return ""
        total = self._hits.total
        if self.busy:
            return f"{total:,}…"
        if self._current is None:
            return f"{total:,}" if total else "no match"
        more = "+" if total >= ENOUGH else ""
        return f"{self._hits.position(self._current):,}/{total:,}{more}"

    # begin and end

    def begin(self, query: str) -> None:
        """Look for *query*; what was looked for before is dropped. The first call keeps the place
        that `end` may go back to."""
        view = self._view
        if self._place is None:
            self._place = view.port.save()
        if query == self.query and self.pattern is not None:
            return
        self._stop()
        self.query, self.pattern = query, query_pattern(query)
        self._forget_all()
        if self.pattern is None:
            self._back()
        else:
            entries, origin = view.entries, self._origin()
            # taken from the end: the reader's own entry and what is above it come first
            self._todo = [*entries[origin + 1 :], *entries[: origin + 1]]
            self._run()
        view.refresh()
        self.on_change()

    def end(self, keep: bool) -> None:
        """Leave the search, at the match if *keep*, else where it began."""
        if self._place is None:
            return
        self._stop()
        if not keep:
            self._back()
        self._opened = None
        self.query, self.pattern, self._place = "", None, None
        self._forget_all()
        if keep:
            self._view.port.follow_at_end()
        self._view.refresh()
        self.on_change()

    def _forget_all(self) -> None:
        self._hits, self._current, self._cells = HitList(), None, (None, None, [])
        self._touched, self._todo = {}, []

    def _back(self) -> None:
        """To where the search began, everything folded as it was."""
        self._fold_again()
        if self._place is not None:
            self._view.port.restore(self._place)
            self._view.sync()

    def _origin(self) -> int:
        """Index of the lowest entry that the reader saw when the search began."""
        lines, port = self._view.lines, self._view.port
        if not lines.entries:
            return -1
        follow, spot = self._place or (True, None)
        if follow or spot is None or spot[0] not in lines:
            return len(lines.entries) - 1
        return lines.heights.find(lines.line_of(spot) + port.height - 1)

    # slices

    def touch(self, entry: Entry) -> None:
        """*entry* is new or changed: look at it again, soon."""
        if self.pattern is not None:
            self._touched[id(entry)] = entry
            if self._timer is None:
                self._timer = self._view.set_timer(_TOUCHED, self._run)

    def forget(self, number: int) -> None:
        """The entry with this number is gone."""
        self._hits.take(number)
        if self._current is not None and self._current.number == number:
            self._current = None

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _run(self) -> None:
        """Look at entries for a slice of time, and come back if some are left."""
        self._stop()
        started, told = thread_time(), self.told
        lines = self._view.lines
        while self._todo or self._touched:
            if self._touched:
                entry = self._touched.pop(next(iter(self._touched)))
            else:
                entry = self._todo.pop()
            if self._hits.total >= ENOUGH:
                self._todo.clear()
            elif entry in lines:
                self._look_at(entry)
            if thread_time() - started > _SLICE:
                break
        if self._todo or self._touched:
            self._timer = self._view.set_timer(_BETWEEN, self._run)
        elif self._current is None and self.active:
            self._choose_any()
        if told != self.told:
            self.on_change()

    def _look_at(self, entry: Entry) -> None:
        assert self.pattern is not None
        number = self._view.lines.number(entry)
        self._hits.take(number)
        source = entry.source_text()
        offsets = find_offsets(source.text, self.pattern, self.query)
        if offsets:
            hits = Hits(entry, offsets, len(source.text), source.head)
            self._hits.put(number, hits)
            current = self._current
            if current is not None and current.number == number:
                self._current = current._replace(nth=min(current.nth, len(offsets) - 1))
            elif current is None and self._todo_is_above(entry):
                self._show(Current(number, self._nearest(hits)))
        elif self._current is not None and self._current.number == number:
            self._current = None

    def _todo_is_above(self, entry: Entry) -> bool:
        """Is *entry* one of those that the reader would look at first?"""
        return self._view.lines.index(entry) <= self._origin()

    def _nearest(self, hits: Hits) -> int:
        """The last match of an entry that was not below the window when the search began."""
        lines, port = self._view.lines, self._view.port
        index = lines.index(hits.entry)
        follow, spot = self._place or (True, None)
        if follow or spot is None or spot[0] not in lines:
            return len(hits.offsets) - 1
        bottom = lines.line_of(spot) + port.height - lines.heights.top(index)
        share = bottom / max(1, lines.heights.get(index))
        above = sum(offset < share * hits.length for offset in hits.offsets)
        return max(0, above - 1)

    def _choose_any(self) -> None:
        """Nothing above the reader matched: take the first below, or go back."""
        if self._hits.total:
            self._show(self._hits.first_from(self._origin_number()))
        else:
            self._back()
        self._view.refresh()

    def _origin_number(self) -> int:
        lines, origin = self._view.lines, self._origin()
        return lines.number(lines.entries[origin]) if origin >= 0 else 0

    # stepping

    def step(self, direction: int) -> None:
        """To the match after (1) or before (-1) the one that is shown, around the ends."""
        if not self._hits.total:
            return
        if self._current is None:
            self._choose_any()
        else:
            self._show(self._hits.beside(self._current, direction))
        self.on_change()

    def _show(self, current: Current) -> None:
        """Unfold the match where it is folded away, and bring it into view."""
        view, hits = self._view, self._hits[current.number]
        entry = hits.entry
        if self._opened is not entry:
            self._fold_again()
        self._current = current
        hidden = entry.foldable and entry.folded and hits.offsets[current.nth] >= hits.head
        if hidden:
            view.set_fold([entry], False)
            self._opened = entry
        port = view.port
        spot = self.spot
        if spot is not None:
            port.follow = False
            if not port.shows(spot):
                port.reveal(spot, port.height // 3)
        view.sync()
        view.refresh()

    def _fold_again(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None and opened in self._view.lines:
            self._view.set_fold([opened], True)

    # on the screen

    @property
    def spot(self) -> tuple[Entry, int] | None:
        """Entry and row of the match that is shown; None without one."""
        if self._current is None:
            return None
        hits, cells = self._hits[self._current.number], self.current_cells()
        return hits.entry, cells[0].row if cells else hits.entry.gap

    def current_cells(self) -> list[Cells]:
        """The cells of the match that is shown, in rows of its entry; empty if it has none there,
        as with the target of a link."""
        if self._current is None or self.pattern is None:
            return []
        hits = self._hits[self._current.number]
        rows = self._view.lines.rows(hits.entry)
        # drawn anew, an entry has another list of rows
        if self._cells[0] is not rows or self._cells[1] != self._current:
            cells = locate(rows, self.pattern, hits, self._current.nth)
            self._cells = (rows, self._current, cells)
        return self._cells[2]

    @property
    def entry(self) -> Entry | None:
        """The entry of the match that is shown."""
        return self._hits[self._current.number].entry if self._current is not None else None
