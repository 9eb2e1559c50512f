"""Tables without boxes that always fit: columns shrink and wrap, or become records."""

from collections.abc import Sequence

from rich.cells import cell_len

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.rows import Run, slice_runs, wrap_spans

_BETWEEN = 2
_NARROWEST = 6

Cell = list[Run]


def table_rows(
    cells: Sequence[Sequence[Cell]], aligns: Sequence[str], room: int, look: Look
) -> list[list[Run]]:
    """Styled lines of a table whose first row is the header, at most *room* cells wide. Pure."""
    if not cells or not cells[0]:
        return []
    columns = len(cells[0])
    rows = [[*row[:columns], *([[]] * (columns - len(row)))] for row in cells]
    natural = [max(1, *(_cells(row[i]) for row in rows)) for i in range(columns)]
    widths = _fit_columns(natural, room - _BETWEEN * (columns - 1))
    if widths is None:
        return _records(rows, room, look)
    lines: list[list[Run]] = []
    for index, row in enumerate(rows):
        lines += _row_lines(row, widths, aligns, look)
        if index == 0:
            rule = (" " * _BETWEEN).join("─" * width for width in widths)
            lines.append([(rule, look.faint)])
    return lines


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
    wrapped: list[list[Cell]] = []
    for cell, width in zip(row, widths, strict=True):
        text = "".join(piece for piece, _ in cell).replace("\n", " ")
        flat: Cell = [(piece.replace("\n", " "), style) for piece, style in cell]
        wrapped.append([slice_runs(flat, s.start, s.end) for s in wrap_spans(text, width)])
    lines: list[list[Run]] = []
    for level in range(max(len(pieces) for pieces in wrapped)):
        line: list[Run] = []
        for i, pieces in enumerate(wrapped):
            piece = pieces[level] if level < len(pieces) else []
            pad = (" " * (widths[i] - _cells(piece)), look.text)
            right = i < len(aligns) and aligns[i] == "right"
            line += [pad, *piece] if right else [*piece, pad]
            if i < len(wrapped) - 1:
                line.append((" " * _BETWEEN, look.text))
        lines.append(line)
    return lines


def _records(rows: Sequence[Sequence[Cell]], room: int, look: Look) -> list[list[Run]]:
    """One ``header: value`` line per cell, for screens too narrow for columns."""
    lines: list[list[Run]] = []
    for row in rows[1:]:
        if lines:
            lines.append([])
        for header, cell in zip(rows[0], row, strict=True):
            runs: Cell = [*header, (": ", look.dim), *cell]
            text = "".join(piece for piece, _ in runs)
            lines += [slice_runs(runs, s.start, s.end) for s in wrap_spans(text, room)]
    return lines


def _cells(cell: Cell) -> int:
    return sum(cell_len(piece) for piece, _ in cell)
