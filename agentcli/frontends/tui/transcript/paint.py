"""What is laid over a finished line: selection, matches, the line cursor, the unseen lines."""

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from agentcli.frontends.tui.look.styles import Look


def mark_cells(strip: Strip, start: int, end: int, style: Style) -> Strip:
    """*strip* with the cells *start* to before *end* on the background of *style*, or reversed if
    *style* is. Pure."""
    return lay_over(strip, start, end, Style(bgcolor=style.bgcolor, reverse=style.reverse))


def lay_over(strip: Strip, start: int, end: int, style: Style) -> Strip:
    """*strip* with *style* laid over the cells *start* to before *end*. Pure."""
    end = min(end, strip.cell_length)
    if start >= end:
        return strip
    before, middle, after = strip.crop(0, start), strip.crop(start, end), strip.crop(end)
    marked = [Segment(text, (base or Style.null()) + style) for text, base, _ in middle]
    return Strip.join([before, Strip(marked, middle.cell_length), after])


def match_style(look: Look, current: bool) -> Style:
    """How a match is marked: told apart without colours too (underlined, the current one
    reversed). Pure."""
    palette = look.palette
    if current:
        colors = (
            Style() if palette.ansi else Style(color=palette.accent, bgcolor=palette.background)
        )
        return colors + Style(reverse=True, bold=True)
    return Style(underline=True) + (Style() if palette.ansi else Style(bgcolor=palette.selection))


def cursor_style(look: Look) -> Style:
    """How the gutter of the line under the cursor is marked. Pure."""
    return Style(color=look.accent.color, bgcolor=look.accent.bgcolor, reverse=True)


def new_lines_badge(strip: Strip, count: int, width: int, look: Look) -> Strip:
    """*strip* with ``↓ 42 new lines`` over its right end. Pure."""
    text = f" ↓ {count:,} new line{'' if count == 1 else 's'} "[: max(0, width - 1)]
    badge = Strip([Segment(text, look.accent), Segment(" ", look.text)], len(text) + 1)
    return Strip.join([strip.crop(0, width - len(text) - 1), badge])
