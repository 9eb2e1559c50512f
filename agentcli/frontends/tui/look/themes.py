"""Which theme fits the terminal, and what Textual wants of it."""

import os
from collections.abc import Mapping

from textual.theme import BUILTIN_THEMES, Theme

from agentcli.frontends.tui.look.library import DARK
from agentcli.frontends.tui.look.styles import Palette

AUTO = "auto"
"""The theme that follows the terminal."""


def choose_theme(
    wanted: str | None,
    palettes: Mapping[str, Palette],
    terminal_background: str | None,
    env: Mapping[str, str] = os.environ,
) -> Palette:
    """The theme that was asked for; for "auto", None or an unknown one what fits the terminal.

    A theme of the same lightness as the terminal takes over its very background, so that the
    app sits in the window without a seam.
    """
    if wanted is not None and wanted in palettes:
        palette = palettes[wanted]
    elif env.get("NO_COLOR"):
        palette = palettes.get("dark-ansi", DARK)
    else:
        palette = palettes.get(_fitting_name(terminal_background, env), palettes["dark"])
    return seamless(palette, terminal_background)


def seamless(palette: Palette, terminal_background: str | None) -> Palette:
    """*palette* on the terminal's own background where both are dark or both are light. Pure."""
    if palette.ansi or terminal_background is None:
        return palette
    if is_dark(terminal_background) != palette.dark:
        return palette
    return palette._replace(background=terminal_background)


def is_dark(color: str) -> bool:
    """Is ``#rrggbb`` nearer to black? Pure."""
    red, green, blue = (int(color[index : index + 2], 16) for index in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue < 128


def textual_theme(palette: Palette) -> Theme:
    """The Textual theme of *palette*; our own colours are CSS variables ($dim, $faint …). Pure."""

    def css(color: str) -> str:
        return f"ansi_{color}" if palette.ansi else color

    accent, surface = css(palette.accent), css(palette.surface)
    return Theme(
        name=palette.name,
        primary=accent,
        secondary=accent,
        accent=accent,
        warning=css(palette.warn),
        error=css(palette.bad),
        success=css(palette.ok),
        foreground=css(palette.foreground),
        background=css(palette.background),
        surface=surface,
        panel=surface,
        boost=surface,
        dark=palette.dark,
        ansi=palette.ansi,
        variables={
            **(BUILTIN_THEMES["ansi-dark"].variables if palette.ansi else {}),
            "dim": css(palette.dim),
            "faint": css(palette.faint),
            "picked": css(palette.selection),
            "input-cursor-background": css(palette.foreground),
            "input-cursor-foreground": css(palette.background),
            "input-selection-background": css(palette.selection),
            "screen-selection-background": css(palette.selection),
            "screen-selection-foreground": css(palette.foreground),
        },
    )


def _fitting_name(terminal_background: str | None, env: Mapping[str, str]) -> str:
    if terminal_background is not None:
        return "dark" if is_dark(terminal_background) else "light"
    # rxvt, Konsole and others: "foreground;background", 7 and 15 being white
    last = env.get("COLORFGBG", "").rpartition(";")[2]
    return "light" if last in {"7", "15"} else "dark"
