"""From a palette of a dozen colours to the text styles of everything that is drawn as lines."""

from typing import NamedTuple

from rich.color import Color as RichColor
from rich.style import Style


class Palette(NamedTuple):
    """The colours of a theme: ``#rrggbb``, or names of terminal colours where ``ansi`` is set."""

    name: str
    dark: bool
    ansi: bool
    background: str
    foreground: str
    dim: str
    faint: str
    accent: str
    ok: str
    bad: str
    warn: str
    surface: str
    added: str
    removed: str
    selection: str


class Look(NamedTuple):
    """Ready styles, background included, so that drawing a line composes nothing."""

    palette: Palette
    text: Style
    strong: Style
    dim: Style
    faint: Style
    accent: Style
    accent_strong: Style
    ok: Style
    bad: Style
    warn: Style
    inline_code: Style
    code: Style
    code_dim: Style
    keyword: Style
    literal: Style
    named: Style
    added: Style
    added_mark: Style
    removed: Style
    removed_mark: Style
    picked: Style
    menu: Style
    menu_dim: Style
    menu_picked: Style


def make_look(palette: Palette) -> Look:
    """Styles for *palette*. Pure; raises ``ColorParseError`` for an unknown colour."""
    base = palette.background

    def style(color: str, on: str = base, bold: bool = False, italic: bool = False) -> Style:
        return Style(color=color, bgcolor=on, bold=bold or None, italic=italic or None)

    tint = palette.foreground if palette.ansi else blend(palette.foreground, palette.accent, 0.55)
    surface = palette.surface
    return Look(
        palette=palette,
        text=style(palette.foreground),
        strong=style(palette.foreground, bold=True),
        dim=style(palette.dim),
        faint=style(palette.faint),
        accent=style(palette.accent),
        accent_strong=style(palette.accent, bold=True),
        ok=style(palette.ok),
        bad=style(palette.bad),
        warn=style(palette.warn),
        inline_code=style(palette.accent if palette.ansi else tint),
        code=style(palette.foreground, surface),
        code_dim=style(palette.dim, surface, italic=True),
        keyword=style(palette.accent, surface),
        literal=style(tint, surface),
        named=style(palette.foreground, surface, bold=True),
        added=style(palette.ok if palette.ansi else palette.foreground, palette.added),
        added_mark=style(palette.ok, palette.added),
        removed=style(palette.bad if palette.ansi else palette.foreground, palette.removed),
        removed_mark=style(palette.bad, palette.removed),
        # seen with any colours of the terminal, and with none (NO_COLOR)
        picked=Style(reverse=True)
        if palette.ansi
        else style(palette.foreground, palette.selection),
        menu=style(palette.foreground, surface),
        menu_dim=style(palette.dim, surface),
        menu_picked=style(palette.accent, surface, bold=True),
    )


def blend(first: str, second: str, share: float) -> str:
    """*first* mixed with *share* of *second*, both ``#rrggbb``. Pure."""
    one, two = RichColor.parse(first).triplet, RichColor.parse(second).triplet
    if one is None or two is None:
        return first
    mixed = (round(a + (b - a) * share) for a, b in zip(one, two, strict=True))
    return "#" + "".join(f"{value:02x}" for value in mixed)
