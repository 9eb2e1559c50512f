"""Which lines stand in the window, and why: the end that is followed, or the place of a reader.

The place is an entry and a row of it, so nothing that grows, folds or goes away elsewhere moves it.
"""

from typing import NamedTuple

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.entries import Entry
from agentcli.frontends.tui.transcript.layout import Layout, Spot
from agentcli.frontends.tui.transcript.rows import Row

_TRIES = 6
"""How often heights are measured again when measuring moved the window."""


class _TextPlace(NamedTuple):
    """A row of an entry by its text: so many letters stand above it, in rows at any width."""

    letters: int
    blank: bool
    """The row itself has none."""
    row: int


Place = tuple[bool, Spot | None]
"""Whether the end was followed, and what stood at the top."""


class Viewport:
    """The window over a `Layout`. Knows no widget; whoever moves it draws it."""

    def __init__(self, lines: Layout) -> None:
        self._lines = lines
        self.height = 0
        self.line = 0
        """The line at the top of the window."""
        self.follow = True
        """The end is kept in view."""
        self._anchor: Spot | None = None
        self._seen: Spot | None = None
        """The last row that the reader has had on screen."""
        self._resized: tuple[Spot, _TextPlace, Spot | None] | None = None
        """What the reader had at the top before the width changed, and what stands there now."""

    @property
    def end(self) -> int:
        """The top line of the window at the end of the transcript."""
        return max(0, self._lines.total - self.height)

    @property
    def unseen(self) -> int:
        """Lines at the end that the reader has not seen yet."""
        if self.follow or self._seen is None:
            return 0
        return max(0, self._lines.total - self._lines.line_of(self._seen) - 1)

    def settle(self) -> None:
        """Draw what is in the window, so that its heights are true, and keep the place."""
        for _ in range(_TRIES):
            if not self._lines.measure(self._line(), self.height):
                break
        self.move_to(self._line())

    def _line(self) -> int:
        if self.follow or self._anchor is None:
            return self.end
        return min(self.end, self._lines.line_of(self._anchor))

    def move_to(self, line: int) -> None:
        """Put *line*, clamped, at the top; what is seen now has been seen."""
        lines = self._lines
        self.line = max(0, min(line, self.end))
        self._anchor = lines.spot(self.line)
        last = lines.total if self.follow else min(lines.total, self.line + self.height)
        if self._seen is None or last > lines.line_of(self._seen):
            self._seen = lines.spot(last - 1)

    def scroll(self, count: int) -> None:
        """Move by *count* lines (negative: up); at the end, following begins again."""
        lines = self._lines
        self.follow = False
        target = self.line + count
        for _ in range(_TRIES):
            anchor = lines.spot(self.line)
            if anchor is None or not lines.measure(max(0, target), self.height):
                break
            # what is above the window turned out longer or shorter: keep the distance
            self.move_to(lines.line_of(anchor))
            target = self.line + count
        self.move_to(target)
        self._follow_if(self.end == 0 or (count > 0 and self.line >= self.end))

    def go_home(self) -> None:
        """To the first line."""
        self.follow = False
        self._lines.measure(0, self.height)
        self.move_to(0)
        self._follow_if(self.end == 0)

    def go_end(self) -> None:
        """To the last line, following it from now on."""
        self._follow_if(True)
        self.settle()

    def reveal(self, spot: Spot, above: int) -> None:
        """Put *spot* so many lines below the top of the window. Raises ValueError if its entry is
        not in the transcript. Following ends."""
        self.follow = False
        for _ in range(_TRIES):
            target = self._lines.line_of(spot) - above
            if not self._lines.measure(max(0, min(target, self.end)), self.height):
                break
        self.move_to(self._lines.line_of(spot) - above)

    def shows(self, spot: Spot) -> bool:
        """Is *spot* in the window, and not at its very edge unless there is nothing beyond?"""
        line = self._lines.line_of(spot)
        first = self.line + (1 if self.line else 0)
        last = self.line + self.height - (1 if self.line < self.end else 0)
        return first <= line < last

    def follow_at_end(self) -> None:
        """Follow from now on if the end is in view anyway."""
        self._follow_if(self.line >= self.end)

    def _follow_if(self, follow: bool) -> None:
        self.follow = follow
        if follow:
            self._seen = self._lines.spot(self._lines.total - 1)

    def save(self) -> Place:
        """Where the reader is, for `restore`."""
        return self.follow, self._anchor

    def restore(self, place: Place) -> None:
        """Back to where the reader was; to the end if that is gone."""
        known = place[1] is not None and place[1][0] in self._lines
        self.follow = place[0] or not known
        self._anchor = place[1] if known else None
        self.settle()

    def keep_unseen(self, count: int) -> None:
        """So many lines at the end are news: what was unfolded by hand is not."""
        self._seen = self._lines.spot(self._lines.total - count - 1)

    def forget(self, entry: Entry) -> None:
        """*entry* goes away now: take it out of the layout and keep the place beside it.
        Raises ValueError if it is not there."""
        index = self._lines.remove(entry)
        entries = self._lines.entries
        if self._anchor is not None and self._anchor[0] is entry:
            self._anchor = (entries[index], 0) if index < len(entries) else None
            if self._anchor is None and entries:
                self._anchor = (entries[-1], len(self._lines.rows(entries[-1])) - 1)
        if self._seen is not None and self._seen[0] is entry:
            above = entries[index - 1] if 0 < index <= len(entries) else None
            self._seen = None if above is None else (above, len(self._lines.rows(above)) - 1)

    def clear(self) -> None:
        """An empty transcript that follows its end."""
        self.follow, self.line = True, 0
        self._anchor = self._seen = self._resized = None

    def resize(self, width: int, height: int, look: Look) -> None:
        """Another size: the text at the top stays at the top, however it is wrapped now."""
        lines, self.height = self._lines, height
        if width == lines.width:
            self.settle()
            return
        if self.follow or self._anchor is None:
            lines.reset(width, look)
            self.settle()
            return
        known = self._resized
        # of many sizes in a row only the first place is the reader's own
        if known is None or known[2] != self._anchor or known[0][0] not in lines:
            entry, row = self._anchor
            known = (self._anchor, _text_place(lines.rows(entry), row), None)
        lines.reset(width, look)
        entry = known[0][0]
        self._anchor = (entry, _row_at(lines.rows(entry), known[1]))
        self.settle()
        self._resized = (known[0], known[1], self._anchor)


def _text_place(rows: list[Row], row: int) -> _TextPlace:
    blank = row < len(rows) and not _letters(rows[row])
    return _TextPlace(sum(_letters(above) for above in rows[:row]), blank, row)


def _row_at(rows: list[Row], place: _TextPlace) -> int:
    """Where *place* is in *rows*, however they are wrapped."""
    if not place.letters:
        return place.row
    left = place.letters
    for number, row in enumerate(rows):
        left -= _letters(row)
        if left < 0:
            return number - (place.blank and not _letters(rows[number - 1]))
    return len(rows) - 1


def _letters(row: Row) -> int:
    return len(row.strip.text[row.skip :].replace(" ", ""))
