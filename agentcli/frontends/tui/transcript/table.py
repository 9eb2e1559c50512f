"""Tables without boxes that always fit: columns shrink and wrap, or become records."""

from collections.abc import Sequence

from rich.cells import cell_len

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.rows import Run, cut_runs, wrap_spans

MAX_ROWS = 200
"""Rows of a table that are drawn; the source has them all."""
_BETWEEN = 2
_NARROWEST = 6
_ROOMY = 40

Cell = list[Run]


def table_room(width: int, indent: int) -> int:
    """Columns for a table that stands *indent* cells from the left; a margin at the right only
    where there is room for it. Pure."""
    return max(1, width - indent - (2 if width >= _ROOMY else 0))


class Table:
    """A table that may grow row by row: what stands is drawn again only if a column changes."""

    def __init__(
        self,
        header: Sequence[Cell],
        aligns: Sequence[str],
        room: int,
        look: Look,
        limit: int | None = MAX_ROWS,
    ) -> None:
        self._aligns, self._room, self._look, self._limit = aligns, room, look, limit
        self._rows = [list(header)]
        self._hidden = 0
        self._natural = [max(1, _cells(cell)) for cell in header]
        self._widths = _fit_columns(self._natural, self._columns_room)
        self._lines: list[list[Run]] = []
        self._drawn = 0
        self._draw()

    @property
    def _columns_room(self) -> int:
        return self._room - _BETWEEN * (len(self._rows[0]) - 1)

    @property
    def lines(self) -> list[list[Run]]:
        """Styled lines, at most as wide as the room; the last one tells of rows left out."""
        if not self._lines:
            return [line for cell in self._rows[0] for line in _wrap(cell, self._room)]
        if not self._hidden:
            return self._lines
        text = f"… {self._hidden:,} more row{'' if self._hidden == 1 else 's'}"
        return [*self._lines, *_wrap([(text, self._look.dim)], self._room)]

    def add(self, rows: Sequence[Sequence[Cell]]) -> None:
        """Draw *rows* below what stands, as far as the limit allows."""
        free = len(rows) if self._limit is None else max(0, self._limit + 1 - len(self._rows))
        self._hidden += len(rows[free:])
        columns = len(self._rows[0])
        for row in rows[:free]:
            whole = [*row[:columns], *([[]] * (columns - len(row)))]
            self._rows.append(whole)
            self._natural = [
                max(known, _cells(cell)) for known, cell in zip(self._natural, whole, strict=True)
            ]
        widths = _fit_columns(self._natural, self._columns_room)
        if widths != self._widths:
            self._lines, self._widths, self._drawn = [], widths, 0
        self._draw()

    def _draw(self) -> None:
        for row in self._rows[self._drawn :]:
            header = self._drawn == 0
            self._drawn += 1
            if self._widths is not None:
                self._lines += _row_lines(row, self._widths, self._aligns, self._look)
                if header:
                    rule = (" " * _BETWEEN).join("─" * width for width in self._widths)
                    self._lines.append([(rule, self._look.faint)])
            elif not header:
                gap: list[list[Run]] = [[]] if self._lines else []
                self._lines += gap + _record(self._rows[0], row, self._room, self._look)


def _fit_columns(natural: Sequence[int], room: int) -> list[int] | None:
    """Column widths within *room*, the widest giving way first; None where nothing fits."""
    widths = list(natural)
    excess = sum(widths) - room
    while excess > 0:
        widest = max(widths)
        if widest <= _NARROWEST:
            return None
        top = [i for i, width in enumerate(widths) if width == widest]
        below = max([width for width in widths if width < widest], default=0)
        step = min(widest - max(below, _NARROWEST), -(-excess // len(top)))
        for i in top:
            cut = min(max(step, 1), excess)
            widths[i] -= cut
            excess -= cut
            if excess <= 0:
                break
    return widths


def _row_lines(
    row: Sequence[Cell], widths: Sequence[int], aligns: Sequence[str], look: Look
) -> list[list[Run]]:
    wrapped = [_wrap(cell, width) for cell, width in zip(row, widths, strict=True)]
    lines: list[list[Run]] = []
    for level in range(max(len(pieces) for pieces in wrapped)):
        line: list[Run] = []
        for i, pieces in enumerate(wrapped):
            piece = pieces[level] if level < len(pieces) else []
            left, right = _margins(aligns[i], widths[i] - _cells(piece))
            line += [(" " * left, look.text), *piece, (" " * right, look.text)]
            if i < len(wrapped) - 1:
                line.append((" " * _BETWEEN, look.text))
        lines.append(line)
    return lines


def _margins(align: str, free: int) -> tuple[int, int]:
    left = {"right": free, "center": free // 2}.get(align, 0)
    return left, free - left


def _record(header: Sequence[Cell], row: Sequence[Cell], room: int, look: Look) -> list[list[Run]]:
    """One ``header: value`` line per cell, for screens too narrow for columns."""
    lines: list[list[Run]] = []
    for name, cell in zip(header, row, strict=True):
        lines += _wrap([*name, (": ", look.dim), *cell], room)
    return lines


def _wrap(cell: Cell, width: int) -> list[Cell]:
    flat: Cell = [(piece.replace("\n", " "), style) for piece, style in cell]
    spans = wrap_spans("".join(piece for piece, _ in flat), width)
    return cut_runs(flat, spans)


def _cells(cell: Cell) -> int:
    return sum(cell_len(piece) for piece, _ in cell)
