"""Which row of which entry stands at which line. Knows no widget and no window position."""

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.entries import Entry
from agentcli.frontends.tui.transcript.heights import HeightIndex
from agentcli.frontends.tui.transcript.rows import Row
from agentcli.frontends.tui.transcript.select import selected_text
from agentcli.frontends.tui.transcript.spacing import gap_above
from agentcli.frontends.tui.transcript.strips import RowCache

Anchor = tuple[Entry, int]
"""An entry and how many of its rows stand above the window."""


class Layout:
    """Entries with their heights (estimated until drawn) and their cached rows."""

    def __init__(self, look: Look) -> None:
        self.entries: list[Entry] = []
        self.heights = HeightIndex()
        self._cache = RowCache(look)

    @property
    def look(self) -> Look:
        return self._cache.look

    @property
    def total(self) -> int:
        """Lines of the whole transcript, as far as known."""
        return self.heights.total

    def add(self, entry: Entry) -> None:
        """Put *entry* at the end, its height estimated."""
        entry.gap = gap_above(self.entries[-1] if self.entries else None, entry)
        self.entries.append(entry)
        self.heights.append(self._estimate(entry))

    def remove(self, entry: Entry) -> None:
        """Take *entry* away. Raises ValueError if it is not there."""
        index = self.index(entry)
        del self.entries[index]
        self.heights.pop(index)
        self._cache.drop(entry)

    def clear(self) -> None:
        """No entries."""
        self.entries.clear()
        self.heights.clear()
        self._cache.reset(self._cache.width, self.look)

    def reset(self, width: int, look: Look) -> None:
        """Another width or look: all rows are forgotten, heights are estimates again."""
        changed = width != self._cache.width
        self._cache.reset(width, look)
        if changed:
            for index, entry in enumerate(self.entries):
                self.heights.set(index, self._estimate(entry))

    @property
    def width(self) -> int:
        return self._cache.width

    def index(self, entry: Entry) -> int:
        """Position of *entry*, searched from the end. Raises ValueError if it is not there."""
        for index in range(len(self.entries) - 1, -1, -1):
            if self.entries[index] is entry:
                return index
        raise ValueError("not in the transcript")

    def top(self, entry: Entry) -> int:
        """First line of *entry*, gap included."""
        return self.heights.top(self.index(entry))

    def rows(self, entry: Entry) -> list[Row]:
        """Rows of *entry*, gap included."""
        return self._cache.get(entry)

    def update(self, changed: list[Entry], first: int, last: int) -> int:
        """Set the heights of *changed* entries, true ones where they touch the lines *first* to
        *last*; the first line that looks different now."""
        where = (
            {id(entry): index for index, entry in enumerate(self.entries)}
            if len(changed) > 4
            else {id(entry): self.index(entry) for entry in changed}
        )
        line = self.total
        for entry in changed:
            index = where[id(entry)]
            top = self.heights.top(index)
            line = min(line, top)
            if top <= last and top + self.heights.get(index) >= first:
                self.heights.set(index, len(self._cache.get(entry)))
            else:
                self.heights.set(index, self._estimate(entry))
        return line

    def measure(self, line: int, count: int) -> bool:
        """Give true heights to the entries in *count* lines from *line*; True if one differed."""
        if not self.entries:
            return False
        differs = False
        index = self.heights.find(line)
        while index < len(self.entries) and self.heights.top(index) < line + count:
            height = len(self._cache.get(self.entries[index]))
            if height != self.heights.get(index):
                self.heights.set(index, height)
                differs = True
            index += 1
        return differs

    def anchor(self, line: int) -> Anchor | None:
        """What stands at *line*; None in an empty transcript."""
        if not self.entries:
            return None
        index = self.heights.find(line)
        return self.entries[index], line - self.heights.top(index)

    def entry_at(self, line: int) -> tuple[Entry, int] | None:
        """The entry at *line* and which of its rows, gap included; None outside."""
        return self.anchor(line) if 0 <= line < self.total else None

    def row_at(self, line: int) -> Row | None:
        """The row at *line*; None outside and where an estimate was too high."""
        found = self.entry_at(line)
        if found is None:
            return None
        rows = self._cache.get(found[0])
        return rows[found[1]] if found[1] < len(rows) else None

    def text_between(self, start: tuple[int, int], end: tuple[int, int]) -> str:
        """Source text from (line, column) to (line, column)."""
        if not 0 <= start[0] < self.total:
            return ""
        parts: list[str] = []
        for index in range(self.heights.find(start[0]), self.heights.find(end[0]) + 1):
            entry = self.entries[index]
            rows = self._cache.get(entry)[entry.gap :]
            top = self.heights.top(index) + entry.gap
            begin = (start[0] - top, start[1]) if start[0] >= top else (0, 0)
            inside = end[0] - top < len(rows)
            stop = (end[0] - top, end[1]) if inside else (len(rows) - 1, 1_000_000)
            if stop[0] >= 0:
                parts.append(selected_text(rows, entry.units(), begin, stop))
        return "\n\n".join(part for part in parts if part)

    def _estimate(self, entry: Entry) -> int:
        return entry.gap + entry.estimate(self._cache.width or 80)
