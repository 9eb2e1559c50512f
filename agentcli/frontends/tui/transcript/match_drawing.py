"""Draws what a search found over the lines of the window."""

from textual.strip import Strip

from agentcli.frontends.tui.transcript.layout import Spot
from agentcli.frontends.tui.transcript.logical import logical_line, matches_in
from agentcli.frontends.tui.transcript.paint import lay_over, match_style
from agentcli.frontends.tui.transcript.rows import Row
from agentcli.frontends.tui.transcript.search import Search


def draw_matches(search: Search, strip: Strip, spot: Spot, rows: list[Row]) -> Strip:
    """*strip*, which is the row *spot* of *rows*, with all matches marked, the chosen one more."""
    entry, number = spot
    if search.pattern is None:
        return strip
    current = search.current_cells() if search.entry is entry else []
    for match in matches_in(rows, logical_line(rows, number), search.pattern):
        style = match_style(search.look, match == current)
        for cells in match:
            if cells.row == number:
                strip = lay_over(strip, cells.left, cells.right, style)
    return strip
