"""The first step of the rewind sheet: the prompts that fit a query, and a cursor."""

import time
from collections.abc import Sequence

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.screens.field import Field
from agentcli.frontends.tui.screens.marked import beside
from agentcli.frontends.tui.screens.rewind_rows import (
    preview_rows,
    stop_row,
    words_of,
)
from agentcli.frontends.tui.screens.rewind_wish import Stop
from agentcli.frontends.tui.transcript.rows import Row, make_row
from agentcli.protocol.history import PromptPoint

_PREVIEW_FROM = 100
_PREVIEW_ROWS = 7
_TALLEST = 14


class StopList:
    """State and drawing, no widget. Begins at the newest prompt, not at the rows above it."""

    def __init__(self, stops: Sequence[Stop], cwd: str, home: str) -> None:
        self._stops = list(stops)
        self._words = [words_of(stop) for stop in stops]
        self._cwd, self._home = cwd, home
        self._now = time.time()
        self._top = 0
        self.query = Field()
        self.matches = self._stops
        self.index = self._newest()

    @property
    def chosen(self) -> Stop | None:
        """The row under the cursor."""
        return self.matches[self.index] if self.matches else None

    @property
    def count(self) -> str:
        """``12``, or ``2 of 12`` where something is searched."""
        total = f"{_prompts(self._stops):,}"
        return f"{_prompts(self.matches):,} of {total}" if self.query.text else total

    def height(self, width: int, screen_height: int) -> int:
        """Rows of the list: the same whatever is found, so that nothing jumps while typing."""
        least = _PREVIEW_ROWS if width >= _PREVIEW_FROM else 1
        most = max(1, min(_TALLEST, screen_height - 9))
        return min(most, max(least, len(self._stops)))

    def draw(self, width: int, rows: int, look: Look) -> list[Row]:
        """*rows* rows around the cursor, the whole prompt beside them where there is room."""
        self._top = max(min(self._top, self.index), self.index - rows + 1)
        self._top = max(0, min(self._top, len(self.matches) - rows))
        wide = width >= _PREVIEW_FROM
        left = width * 11 // 20 if wide else width
        shown = self.matches[self._top : self._top + rows]
        query = self.query.text
        drawn = [
            stop_row(stop, at == self.index, query, left, self._now, look)
            for at, stop in enumerate(shown, self._top)
        ]
        if not drawn:
            drawn = [make_row([("  nothing matches", look.dim)])]
        drawn += [make_row([])] * (rows - len(drawn))
        if not wide:
            return drawn
        place = (self._cwd, self._home)
        preview = preview_rows(self.chosen, query, place, width - left - 3, rows, look)
        return beside(drawn, preview, left, look)

    def move(self, step: str, page: int) -> None:
        """Move the cursor: ``next``, ``previous``, ``first`` …; a *page* has so many rows."""
        self.index = stepped(step, self.index, len(self.matches), page)

    def search(self, query: Field) -> None:
        """Keep what holds every word of *query*."""
        changed = query.text != self.query.text
        self.query = query
        if not changed:
            return
        words = query.text.lower().split()
        self.matches = [
            stop
            for stop, text in zip(self._stops, self._words, strict=True)
            if all(word in text for word in words)
        ]
        self.index, self._top = self._newest(), 0

    def _newest(self) -> int:
        prompts = (at for at, stop in enumerate(self.matches) if isinstance(stop, PromptPoint))
        return next(prompts, 0)


def stepped(step: str, index: int, count: int, page: int) -> int:
    """The index after *step* in a list of *count* rows. Pure."""
    steps = {"previous": -1, "next": 1, "pageUp": -page, "pageDown": page}
    target = {"first": 0, "last": count - 1}.get(step, index + steps.get(step, 0))
    return max(0, min(target, count - 1))


def _prompts(stops: Sequence[Stop]) -> int:
    return sum(isinstance(stop, PromptPoint) for stop in stops)
