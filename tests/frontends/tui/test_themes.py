"""Theme files, which one is chosen, and what the terminal tells about itself."""

import os
from pathlib import Path

import pytest

from agentcli.frontends.tui.look.library import (
    DARK,
    ThemeError,
    Themes,
    read_palette,
    theme_dir,
)
from agentcli.frontends.tui.look.styles import make_look
from agentcli.frontends.tui.look.themes import choose_theme, textual_theme
from agentcli.frontends.tui.run import prepare_environment
from agentcli.frontends.tui.terminal.modes import RESET, parse_answer
from agentcli.frontends.tui.transcript.paint import mark_cells
from agentcli.frontends.tui.transcript.rows import make_row

PALETTES = Themes(theme_dir())
COLOURED = [name for name in PALETTES if not PALETTES[name].ansi]


def contrast(first: str, second: str) -> float:
    def light(color: str) -> float:
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    one, two = sorted((light(first), light(second)), reverse=True)
    return (one + 0.05) / (two + 0.05)


def test_the_shipped_themes_load():
    assert list(PALETTES) == [
        "dark", "dark-ansi", "dark-contrast", "dark-daltonized",
        "light", "light-ansi", "light-contrast", "light-daltonized",
    ]  # fmt: skip
    assert PALETTES.problems == []
    assert PALETTES["dark"] == DARK
    for name in PALETTES:
        assert PALETTES[name].dark == name.startswith("dark")


@pytest.mark.parametrize("name", COLOURED)
def test_text_can_be_read(name: str):
    palette = PALETTES[name]
    least = 7 if "contrast" in name else 4.5
    words = "foreground", "dim", "accent", "ok", "bad", "warn"
    for word in words:
        assert contrast(getattr(palette, word), palette.background) >= least, word
    for ground in (palette.surface, palette.added, palette.removed, palette.selection):
        assert contrast(palette.foreground, ground) >= 7, ground
    for word in ("dim", "accent"):
        assert contrast(getattr(palette, word), palette.surface) >= 4.5, word
    assert contrast(palette.ok, palette.added) >= 4.5
    assert contrast(palette.bad, palette.removed) >= 4.5


PROTAN = ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052))
DEUTAN = ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969))
Matrix = tuple[tuple[float, float, float], ...]


def seen(color: str, eye: Matrix) -> tuple[float, ...]:
    """What someone without red (protan) or green (deutan) cones sees: Machado et al. 2009."""
    linear = [(int(color[i : i + 2], 16) / 255) ** 2.2 for i in (1, 3, 5)]
    mixed = [sum(f * c for f, c in zip(row, linear, strict=True)) for row in eye]
    return tuple(max(0.0, min(1.0, value)) ** (1 / 2.2) for value in mixed)


def apart(first: str, second: str, eye: Matrix) -> float:
    return sum(abs(a - b) for a, b in zip(seen(first, eye), seen(second, eye), strict=True))


@pytest.mark.parametrize("name", ["dark-daltonized", "light-daltonized"])
@pytest.mark.parametrize("eye", [PROTAN, DEUTAN])
def test_outcomes_differ_without_red_or_green(name: str, eye: Matrix):
    palette, usual = PALETTES[name], PALETTES[name.partition("-")[0]]
    assert apart(palette.ok, palette.bad, eye) > 0.6
    assert apart(palette.ok, palette.bad, eye) > apart(usual.ok, usual.bad, eye)
    assert apart(palette.added, palette.removed, eye) > apart(usual.added, usual.removed, eye)
    assert apart(palette.warn, palette.bad, eye) > 0.2


@pytest.mark.parametrize(
    ("wanted", "background", "env", "name"),
    [
        ("light", "#000000", {}, "light"),
        (None, "#101010", {}, "dark"),
        (None, "#fdf6e3", {}, "light"),
        (None, None, {"COLORFGBG": "0;15"}, "light"),
        (None, None, {"COLORFGBG": "15;0"}, "dark"),
        (None, None, {}, "dark"),
        (None, "#ffffff", {"NO_COLOR": "1"}, "dark-ansi"),
        ("nonsense", "#ffffff", {}, "light"),
        ("auto", "#ffffff", {}, "light"),
    ],
)
def test_choice(wanted: str | None, background: str | None, env: dict[str, str], name: str):
    assert choose_theme(wanted, PALETTES, background, env).name == name


def test_the_terminals_own_background_is_taken_over_where_it_fits():
    assert choose_theme(None, PALETTES, "#002b36", {}).background == "#002b36"
    assert choose_theme("light", PALETTES, "#002b36", {}).background == PALETTES["light"].background


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name = ", "Invalid value"),
        ('name = "x"', "lacks background"),
        (
            "[colors]\n" + "\n".join(f'{n} = "red"' for n in ("background", "foreground")),
            "lacks dim",
        ),
    ],
)
def test_broken_files_are_left_out_and_told(tmp_path: Path, text: str, problem: str):
    file = tmp_path / "bad.toml"
    file.write_text(text)
    with pytest.raises(ThemeError, match=problem):
        read_palette(file)
    themes = Themes(tmp_path)
    assert dict(themes) == {"dark": DARK}
    assert len(themes.problems) == 1 and themes.problems[0].startswith("theme bad.toml: ")


def test_a_wrong_colour_is_named(tmp_path: Path):
    file = tmp_path / "bad.toml"
    file.write_text((theme_dir() / "dark.toml").read_text().replace('"#8fb2ff"', '"bluish"'))
    with pytest.raises(ThemeError, match="accent must be a colour"):
        read_palette(file)
    ansi = (theme_dir() / "dark-ansi.toml").read_text()
    file.write_text(ansi.replace('"bright_blue"', '"bluish"'))
    with pytest.raises(ThemeError):
        read_palette(file)


def test_no_folder_no_harm(tmp_path: Path):
    themes = Themes(tmp_path / "none")
    assert (dict(themes), themes.problems) == ({"dark": DARK}, [])


def test_own_themes_stand_beside_the_shipped_ones_and_need_only_what_differs(tmp_path: Path):
    (tmp_path / "mine.toml").write_text('base = "light"\n[colors]\naccent = "#aa0000"\n')
    (tmp_path / "dark.toml").write_text('base = "dark"\n[colors]\nbackground = "#000000"\n')
    themes = Themes(theme_dir(), tmp_path)
    assert themes["mine"].accent == "#aa0000"
    assert themes["mine"].background == PALETTES["light"].background
    assert not themes["mine"].dark
    assert themes["dark"].background == "#000000"
    assert themes.problems == []


def test_a_theme_is_read_when_it_is_wanted(tmp_path: Path):
    (tmp_path / "broken.toml").write_text("name = ")
    themes = Themes(theme_dir(), tmp_path)
    assert themes["light"] == PALETTES["light"]
    assert themes.problems == []
    assert "broken" not in themes
    assert len(themes.problems) == 1


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('base = "../secret"', "base must be"),
        ("base = 3", "base must be"),
        ('base = "dark"\n[colors]\nacent = "#000000"', r"has no acent"),
        ("x" * 100_001, "more than 100,000 bytes"),
    ],
)
def test_odd_own_themes(tmp_path: Path, text: str, problem: str):
    file = tmp_path / "odd.toml"
    file.write_text(text)
    with pytest.raises(ThemeError, match=problem):
        read_palette(file, theme_dir())
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(ThemeError, match="not a regular file"):
        read_palette(file, theme_dir())


def test_the_textual_theme_knows_our_colours():
    theme = textual_theme(PALETTES["light"])
    assert theme.variables["dim"] == PALETTES["light"].dim
    assert not theme.dark
    assert textual_theme(PALETTES["dark-ansi"]).ansi


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        (b"\x1b]11;rgb:1414/1616/1a1a\x1b\\\x1b[?62;22c", ("#14161a", "")),
        (b"hel\x1b]11;rgb:ff/ff/ff\x07lo\x1b[?1c", ("#ffffff", "hello")),
        (b"\x1b[?62c", (None, "")),
        (b"typed", (None, "typed")),
        (b"\x1b]11;rgba:0000/0000/0000/ffff\x07", ("#000000", "")),
        (b"", (None, "")),
    ],
)
def test_what_the_terminal_answers(data: bytes, answer: tuple[str | None, str]):
    assert parse_answer(data) == answer


def test_the_reset_turns_everything_off():
    for mode in ("?1000l", "?1003l", "?1006l", "?2004l", "?1049l", "?25h", "<u", ">4m"):
        assert f"\x1b[{mode}" in RESET


def test_environment_before_textual():
    env = {"TERM_PROGRAM": "iTerm.app"}
    prepare_environment(env)
    assert env["TEXTUAL_DISABLE_KITTY_KEY"] == "1"
    assert int(env["ESCDELAY"]) <= 50
    kept = {"ESCDELAY": "200", "TERM_PROGRAM": "iTerm.app", "TMUX": "x"}
    prepare_environment(kept)
    assert kept["ESCDELAY"] == "200"
    assert "TEXTUAL_DISABLE_KITTY_KEY" not in kept


def test_a_selection_is_seen_without_colours():
    look = make_look(PALETTES["dark-ansi"])
    strip = make_row([("one two", look.dim)]).strip
    styles = {segment.text: segment.style for segment in mark_cells(strip, 4, 7, look.picked)}
    marked = styles["two"]
    assert marked is not None and marked.reverse
    assert styles["one "] == look.dim
