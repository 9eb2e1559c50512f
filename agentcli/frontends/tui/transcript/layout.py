"""Which row of which entry stands at which line. Knows no widget and no window position."""

from bisect import bisect_left, bisect_right

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.entries import Entry
from agentcli.frontends.tui.transcript.heights import HeightIndex
from agentcli.frontends.tui.transcript.rows import Row
from agentcli.frontends.tui.transcript.select import selected_text
from agentcli.frontends.tui.transcript.spacing import gap_above
from agentcli.frontends.tui.transcript.strips import RowCache

Spot = tuple[Entry, int]
"""An entry and one of its rows, gap included: a place that survives what grows above it."""


class Layout:
    """Entries with their heights (estimated until drawn) and their cached rows."""

    def __init__(self, look: Look) -> None:
        self.entries: list[Entry] = []
        self.heights = HeightIndex()
        self._cache = RowCache(look)
        self._serials: list[int] = []
        """Numbers of the entries, rising: an entry is found by bisection."""
        self._numbers: dict[int, int] = {}
        self._prompts: list[int] = []
        self._next = 0
        self._outdated = 0
        """So many entries at the beginning have heights from another width."""

    @property
    def look(self) -> Look:
        return self._cache.look

    @property
    def width(self) -> int:
        return self._cache.width

    @property
    def total(self) -> int:
        """Lines of the whole transcript, as far as known."""
        return self.heights.total

    def __contains__(self, entry: Entry) -> bool:
        return id(entry) in self._numbers

    def add(self, entry: Entry) -> None:
        """Put *entry* at the end, its height estimated."""
        entry.gap = gap_above(self.entries[-1] if self.entries else None, entry)
        self.entries.append(entry)
        self.heights.append(self._estimate(entry))
        self._serials.append(self._next)
        self._numbers[id(entry)] = self._next
        if entry.is_prompt:
            self._prompts.append(self._next)
        self._next += 1

    def remove(self, entry: Entry) -> int:
        """Take *entry* away; where it stood. Raises ValueError if it is not there."""
        index = self.index(entry)
        serial = self._numbers.pop(id(entry))
        del self.entries[index], self._serials[index]
        self.heights.pop(index)
        self._cache.drop(entry)
        self._outdated -= index < self._outdated
        if entry.is_prompt:
            self._prompts.remove(serial)
        if index < len(self.entries):
            self._close_gap(index)
        return index

    def _close_gap(self, index: int) -> None:
        """The entry at *index* has another one above it now."""
        entry = self.entries[index]
        gap = gap_above(self.entries[index - 1] if index else None, entry)
        if gap != entry.gap:
            height = self.heights.get(index) + gap - entry.gap
            entry.gap = gap
            entry.version += 1
            self.heights.set(index, height)

    def clear(self) -> None:
        """No entries."""
        self.entries.clear()
        self.heights.clear()
        self._serials.clear()
        self._numbers.clear()
        self._prompts.clear()
        self._outdated = 0
        self._cache.reset(self.width, self.look)

    def reset(self, width: int, look: Look) -> None:
        """Another width or look: all rows are forgotten, heights count as estimates until `refine`
        has been through."""
        if width != self.width:
            self._outdated = len(self.entries)
        self._cache.reset(width, look)

    def refine(self, count: int) -> bool:
        """Estimate the heights of *count* entries anew, the newest first, after the width changed;
        True if more are left."""
        for _ in range(min(count, self._outdated)):
            self._outdated -= 1
            entry = self.entries[self._outdated]
            if not self._cache.knows(entry):
                self.heights.set(self._outdated, self._estimate(entry))
        return self._outdated > 0

    def number(self, entry: Entry) -> int:
        """A number that is *entry*'s own; those of later entries are higher. Raises ValueError if
        it is not there."""
        number = self._numbers.get(id(entry))
        if number is None:
            raise ValueError("not in the transcript")
        return number

    def index(self, entry: Entry) -> int:
        """Position of *entry*. Raises ValueError if it is not there."""
        return bisect_left(self._serials, self.number(entry))

    def top(self, entry: Entry) -> int:
        """First line of *entry*, gap included. Raises ValueError if it is not there."""
        return self.heights.top(self.index(entry))

    def line_of(self, spot: Spot) -> int:
        """The line of *spot*, clamped to its entry. Raises ValueError if that is not there."""
        index = self.index(spot[0])
        return self.heights.top(index) + max(0, min(spot[1], self.heights.get(index) - 1))

    def rows(self, entry: Entry) -> list[Row]:
        """Rows of *entry*, gap included."""
        return self._cache.get(entry)

    def prompt_beside(self, line: int, direction: int) -> Entry | None:
        """The nearest prompt whose text begins above (-1) or below (1) *line*; None without."""
        if not self._prompts:
            return None
        here = self._serials[self.heights.find(line)]
        at = (
            bisect_right(self._prompts, here) if direction > 0 else bisect_left(self._prompts, here)
        )
        # the entry at the line may itself be the one: it begins above or below its gap
        for number in range(at - 1, at + 1) if direction > 0 else range(at, at - 2, -1):
            if 0 <= number < len(self._prompts):
                entry = self.entries[bisect_left(self._serials, self._prompts[number])]
                first = self.top(entry) + entry.gap
                if entry.is_prompt and (first - line) * direction > 0:
                    return entry
        return None

    def update(self, changed: list[Entry], first: int, last: int) -> int:
        """Set the heights of *changed* entries, true ones where they touch the lines *first* to
        *last*; the first line that looks different now."""
        line = self.total
        for entry in changed:
            if entry not in self:
                continue
            index = self.index(entry)
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
        top = self.heights.top(index)
        while index < len(self.entries) and top < line + count:
            height = len(self._cache.get(self.entries[index]))
            if height != self.heights.get(index):
                self.heights.set(index, height)
                differs = True
            top += height
            index += 1
        return differs

    def spot(self, line: int) -> Spot | None:
        """What stands at *line*, clamped; None in an empty transcript."""
        if not self.entries:
            return None
        index = self.heights.find(line)
        return self.entries[index], line - self.heights.top(index)

    def spot_at(self, line: int) -> Spot | None:
        """What stands at *line*; None outside."""
        return self.spot(line) if 0 <= line < self.total else None

    def row_at(self, line: int) -> Row | None:
        """The row at *line*; None outside and where an estimate was too high."""
        found = self.spot_at(line)
        if found is None:
            return None
        rows = self._cache.get(found[0])
        return rows[found[1]] if found[1] < len(rows) else None

    def text_between(self, start: tuple[int, int], end: tuple[int, int]) -> str:
        """Source text from (line, column) to (line, column), the end left out."""
        if not 0 <= start[0] < self.total:
            return ""
        text = ""
        for index in range(self.heights.find(start[0]), self.heights.find(end[0]) + 1):
            entry = self.entries[index]
            rows = self._cache.get(entry)[entry.gap :]
            top = self.heights.top(index) + entry.gap
            begin = (start[0] - top, start[1]) if start[0] >= top else (0, 0)
            inside = end[0] - top < len(rows)
            stop = (end[0] - top, end[1]) if inside else (len(rows) - 1, 1_000_000)
            if stop[0] >= 0:
                part = selected_text(rows, entry.units(), begin, stop)
                glue = "\n" * (1 + (entry.gap > 0)) if text and part else ""
                text += glue + part
        return text

    def _estimate(self, entry: Entry) -> int:
        return entry.gap + entry.estimate(self._cache.width or 80)
