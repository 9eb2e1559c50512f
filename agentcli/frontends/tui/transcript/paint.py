"""What is laid over a finished line: the selection and the badge of unseen lines."""

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from agentcli.frontends.tui.look.styles import Look


def mark_cells(strip: Strip, start: int, end: int, style: Style) -> Strip:
    """*strip* with the cells *start* to before *end* on the background of *style*, or reversed if
    *style* is. Pure."""
    if start >= end:
        return strip
    before, middle, after = strip.crop(0, start), strip.crop(start, end), strip.crop(end)
    over = Style(bgcolor=style.bgcolor, reverse=style.reverse)
    marked = [Segment(text, (base or style) + over) for text, base, _ in middle]
    return Strip.join([before, Strip(marked, middle.cell_length), after])


def new_lines_badge(strip: Strip, count: int, width: int, look: Look) -> Strip:
    """*strip* with ``↓ 42 new lines`` over its right end. Pure."""
    text = f" ↓ {count:,} new line{'' if count == 1 else 's'} "[: max(0, width - 1)]
    badge = Strip([Segment(text, look.accent), Segment(" ", look.text)], len(text) + 1)
    return Strip.join([strip.crop(0, width - len(text) - 1), badge])
