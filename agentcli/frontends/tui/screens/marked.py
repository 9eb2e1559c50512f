"""Styled pieces that the searching sheets share: marked matches, rows beside rows. Pure."""

from collections.abc import Sequence

from rich.style import Style

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.rows import Row, Run, make_row, pad_row


def marked_runs(text: str, at: frozenset[int], base: Style, marked: Style) -> list[Run]:
    """*text* in *base*, the characters at the indexes *at* in *marked*."""
    runs: list[Run] = []
    start = 0
    for index in range(1, len(text) + 1):
        if index == len(text) or (index in at) != (start in at):
            runs.append((text[start:index], marked if start in at else base))
            start = index
    return runs


def row_runs(row: Row) -> list[Run]:
    """The styled text of a finished row."""
    return [(text, style or Style()) for text, style, _ in row.strip]


def beside(left: Sequence[Row], right: Sequence[Row], left_width: int, look: Look) -> list[Row]:
    """Two columns of equally many rows with a thin line between."""
    rows: list[Row] = []
    for one, other in zip(left, right, strict=True):
        padded = row_runs(pad_row(one, left_width, look.text))
        rows.append(make_row([*padded, (" │ ", look.faint), *row_runs(other)]))
    return rows
