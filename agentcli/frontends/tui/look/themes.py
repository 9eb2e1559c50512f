"""Load the theme files, choose one, and turn it into what Textual wants."""

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, cast

from rich.color import ColorParseError
from textual.theme import BUILTIN_THEMES, Theme

import agentcli
from agentcli.base.text import one_line
from agentcli.frontends.tui.look.styles import Palette, make_look

DARK = Palette(
    name="dark", dark=True, ansi=False, background="#14161a", foreground="#d8dbe2",
    dim="#8f96a3", faint="#4d535e", accent="#8fb2ff", ok="#7cc08a", bad="#ef7d74",
    warn="#e3b65f", surface="#1c1f25", added="#16291d", removed="#33191b", selection="#2c3b5c",
)  # fmt: skip
"""The look when no theme file can be read."""

_COLORS = [field.name for field in fields(Palette)][3:]
_HEX = re.compile(r"#[0-9a-fA-F]{6}")


class ThemeError(Exception):
    """A theme file that cannot be used; the text says why."""


def theme_dir() -> Path:
    """Where the shipped themes are: inside the package (wheel) or beside it (checkout)."""
    package = Path(agentcli.__file__).parent
    inside = package / "themes"
    return inside if inside.is_dir() else package.parent / "themes"


def load_palettes(folder: Path) -> tuple[dict[str, Palette], list[str]]:
    """All themes of *folder* by name, and one line for each file that is broken. Never raises."""
    palettes: dict[str, Palette] = {}
    problems: list[str] = []
    try:
        files = sorted(folder.glob("*.toml"))
    except OSError:
        files = []
    for file in files:
        try:
            palette = read_palette(file)
        except ThemeError as error:
            problems.append(f"theme {file.name}: {error}; it is left out")
        else:
            palettes[palette.name] = palette
    palettes.setdefault("dark", DARK)
    return palettes, problems


def read_palette(file: Path) -> Palette:
    """One theme file. Raises ThemeError."""
    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ThemeError(one_line(str(error), 120)) from error
    raw = data.get("colors")
    colors = cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}
    missing = [name for name in _COLORS if not isinstance(colors.get(name), str)]
    if missing:
        raise ThemeError(f"[colors] lacks {', '.join(missing)}")
    ansi = bool(data.get("ansi", False))
    chosen = {name: str(colors[name]) for name in _COLORS}
    wrong = [name for name, value in chosen.items() if not ansi and not _HEX.fullmatch(value)]
    if wrong:
        raise ThemeError(f"{wrong[0]} must be a colour like #1c1f25")
    palette = Palette(
        name=str(data.get("name") or file.stem),
        dark=bool(data.get("dark", True)),
        ansi=ansi,
        **chosen,
    )
    try:
        make_look(palette)
    except ColorParseError as error:
        raise ThemeError(one_line(str(error), 120)) from error
    return palette


def choose_theme(
    wanted: str | None,
    palettes: Mapping[str, Palette],
    terminal_background: str | None,
    env: Mapping[str, str] = os.environ,
) -> Palette:
    """The theme that was asked for, else the one that fits the terminal. Pure.

    A theme of the same lightness as the terminal takes over its very background, so that the
    app sits in the window without a seam.
    """
    if wanted is not None and wanted in palettes:
        palette = palettes[wanted]
    elif env.get("NO_COLOR"):
        palette = palettes.get("ansi", DARK)
    else:
        palette = palettes.get(_fitting_name(terminal_background, env), palettes["dark"])
    return seamless(palette, terminal_background)


def seamless(palette: Palette, terminal_background: str | None) -> Palette:
    """*palette* on the terminal's own background where both are dark or both are light. Pure."""
    if palette.ansi or terminal_background is None:
        return palette
    if is_dark(terminal_background) != palette.dark:
        return palette
    return replace(palette, background=terminal_background)


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
