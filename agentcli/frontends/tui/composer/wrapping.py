"""Where long lines of the draft are broken into rows: never inside a character or a chip."""

from bisect import bisect_right
from collections.abc import Callable, Sequence

from textual.document._document import DocumentBase, Location
from textual.document._wrapped_document import WrappedDocument
from textual.geometry import Offset

from agentcli.frontends.tui.composer.atoms import Edges, Line
from agentcli.frontends.tui.composer.graphemes import cells


def wrap_line(text: str, width: int, tab_size: int, chips: Edges = ()) -> list[int]:
    """The columns at which rows of *width* cells begin, the first one left out. Pure.

    One space at the end of a row may stand outside, where the caret would be.
    """
    if width <= 0:
        return []
    if text.isascii() and "\t" not in text and not chips:
        return _wrap_ascii(text, width)
    # a chip that is wider than a row is broken like text
    return _wrap_atoms(
        Line(text, [(a, b) for a, b in chips if cells(text[a:b], 1) <= width]), width, tab_size
    )


def _wrap_ascii(text: str, width: int) -> list[int]:
    breaks: list[int] = []
    row, length = 0, len(text)
    while length - row > width:
        full = row + width
        if text[full] == " " and full + 1 < length:
            row = full + 1
        else:
            row = text.rfind(" ", row, full) + 1 or full
        breaks.append(row)
    return breaks


def _wrap_atoms(line: Line, width: int, tab_size: int) -> list[int]:
    text, breaks = line.text, list[int]()
    row = x = chance = 0
    for start, end in line.atoms():
        atom = text[start:end]
        if atom == " " and x == width and end < len(text):
            row = chance = end
            breaks.append(row)
            x = 0
            continue
        wide = _cells_at(atom, x, tab_size)
        if wide > 1 and atom != "\t":
            chance = start
        for edge in (chance, start):
            if x + wide > width and edge > row:
                row = edge
                breaks.append(row)
                x = cells(text[row:start], tab_size)
                wide = _cells_at(atom, x, tab_size)
        x += wide
        if wide > 1 or atom in " \t":
            chance = end
    return breaks


def _cells_at(atom: str, x: int, tab_size: int) -> int:
    return tab_size - x % tab_size if atom == "\t" else cells(atom, tab_size)


class AtomWrapping(WrappedDocument):
    """The rows of a document. Only lines that changed are wrapped again."""

    def __init__(
        self, document: DocumentBase, chips: Callable[[str], Edges], tab_width: int = 4
    ) -> None:
        self._chips = chips
        self._wrapped: list[str] = []
        super().__init__(document, tab_width=tab_width)

    @property
    def height(self) -> int:
        return len(self._offset_to_line_info)

    def line(self, index: int) -> Line:
        """A line of the document with its chips."""
        text = self.document.get_line(index)
        return Line(text, self._chips(text))

    def row(self, y: int) -> tuple[int, int, int] | None:
        """Index of the line, first and last column of the row *y*; None below the text."""
        if y >= len(self._offset_to_line_info):
            return None
        index, section = self._offset_to_line_info[y]
        edges = self._edges(index)
        return index, edges[section], edges[section + 1]

    def wrap(self, width: int, tab_width: int | None = None) -> None:
        self._width = width
        self._tab_width = tab_width or self._tab_width
        self._wrapped = []
        self._wrap_offsets = []
        self._update()

    def wrap_range(self, start: Location, old_end: Location, new_end: Location) -> None:
        # comparing is cheap and, other than the range, right for several edits at once
        self._update()

    def location_to_offset(self, location: Location) -> Offset:
        index, column = location
        index = max(0, min(index, len(self._wrap_offsets) - 1))
        section = bisect_right(self._wrap_offsets[index], column)
        start = self._edges(index)[section]
        text = self.document.get_line(index)[start : max(start, column)]
        return Offset(cells(text, self._tab_width), self._line_index_to_offsets[index][section])

    def get_target_document_column(self, line_index: int, x_offset: int, y_offset: int) -> int:
        edges = self._edges(line_index)
        section = y_offset % (len(edges) - 1)
        start, end = edges[section], edges[section + 1]
        line = self.line(line_index)
        column = line.column_at(start, end, x_offset, self._tab_width)
        last = section == len(edges) - 2
        return column if last or column < end else max(start, line.before(end))

    def _edges(self, index: int) -> Sequence[int]:
        return (0, *self._wrap_offsets[index], len(self.document.get_line(index)))

    def _update(self) -> None:
        old, new = self._wrapped, list(self.document.lines)
        shorter = min(len(old), len(new))
        head = 0
        while head < shorter and old[head] == new[head]:
            head += 1
        tail = 0
        while tail < shorter - head and old[-1 - tail] == new[-1 - tail]:
            tail += 1
        changed = new[head : len(new) - tail]
        wraps = [
            wrap_line(text, self._width, self._tab_width, self._chips(text)) for text in changed
        ]
        stop = len(old) - tail
        same = [len(wrap) for wrap in wraps] == [len(w) for w in self._wrap_offsets[head:stop]]
        self._wrap_offsets[head:stop] = wraps
        self._wrapped = new
        if not (same and len(old) == len(new)):
            self._number_rows()

    def _number_rows(self) -> None:
        rows: list[tuple[int, int]] = []
        offsets: list[list[int]] = []
        for index, breaks in enumerate(self._wrap_offsets):
            offsets.append(list(range(len(rows), len(rows) + len(breaks) + 1)))
            rows.extend((index, section) for section in range(len(breaks) + 1))
        self._offset_to_line_info = rows
        self._line_index_to_offsets = offsets
