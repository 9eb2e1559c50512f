"""One row of the draft as a strip: text, chips, selection and caret. Pure."""

from collections.abc import Sequence
from itertools import pairwise

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from agentcli.frontends.tui.composer.graphemes import cells

Mark = tuple[int, int, Style]
"""Columns from – to of the line, and the style on top of what lies below."""


def draw_row(
    text: str, start: int, end: int, marks: Sequence[Mark], base: Style, width: int, tab_size: int
) -> Strip:
    """The columns *start* to *end* of the line *text*, cut or filled to *width* cells. A mark
    behind the last character shows as one cell."""
    edges = {start, end}
    for left, right, _ in marks:
        edges.update(edge for edge in (left, right) if start < edge <= end)
    if any(left == end == len(text) for left, _, _ in marks):
        edges.add(end + 1)
    columns = sorted(edges)
    segments: list[Segment] = []
    x = 0
    for left, right in pairwise(columns):
        style = base
        for mark_left, mark_right, mark_style in marks:
            if mark_left <= left < mark_right:
                style += mark_style
        shown = _spaced(text[left:right] or " ", x, tab_size)
        segments.append(Segment(shown, style))
        x += cells(shown, tab_size)
    return Strip(segments, x).adjust_cell_length(width, base)


def _spaced(text: str, x: int, tab_size: int) -> str:
    """*text*, which begins at the cell *x*, with spaces for tabs."""
    if "\t" not in text:
        return text
    parts = text.split("\t")
    shown = parts[0]
    for part in parts[1:]:
        gap = tab_size - (x + cells(shown, tab_size)) % tab_size
        shown += " " * gap + part
    return shown
