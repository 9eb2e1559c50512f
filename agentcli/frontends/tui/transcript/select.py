"""What a selection in the transcript copies: the source text, not the picture of it."""

from collections.abc import Sequence

from rich.cells import cell_len

from agentcli.frontends.tui.transcript.rows import Row

Unit = tuple[int, int, str]


def selected_text(
    rows: Sequence[Row], units: Sequence[Unit], start: tuple[int, int], end: tuple[int, int]
) -> str:
    """Text of *rows* from cell *start* to cell *end*, both (row, column), the end left out.

    A unit whose rows are selected whole gives its source (Markdown); elsewhere the shown text is
    taken without the gutter, wrapped lines joined again. Pure.
    """
    parts: list[str] = []
    row = start[0]
    last = min(end[0], len(rows) - 1)
    whole = {unit[0]: unit for unit in units}
    while row <= last:
        unit = whole.get(row)
        if unit is not None and _covers(rows, unit, start, end):
            parts.append(("\n" if parts else "") + unit[2])
            row = unit[1]
            continue
        left = start[1] if row == start[0] else 0
        right = end[1] if row == end[0] else None
        text = _cut(rows[row], left, right)
        glue = rows[row].glue if parts else ""
        parts.append(("\n" if glue is None else glue) + text)
        row += 1
    return "".join(parts)


def _covers(rows: Sequence[Row], unit: Unit, start: tuple[int, int], end: tuple[int, int]) -> bool:
    first, after, _ = unit
    if after > len(rows) or (first == start[0] and start[1] > rows[first].skip):
        return False
    if after - 1 < end[0]:
        return True
    return after - 1 == end[0] and end[1] >= cell_len(rows[after - 1].strip.text.rstrip())


def _cut(row: Row, left: int, right: int | None) -> str:
    strip = row.strip.crop(max(left, row.skip), right) if row.strip.cell_length else row.strip
    return strip.text.rstrip()
