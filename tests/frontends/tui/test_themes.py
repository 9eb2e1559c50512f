"""Theme files, which one is chosen, and what the terminal tells about itself."""

from pathlib import Path

import pytest

from agentcli.frontends.tui.look.styles import make_look
from agentcli.frontends.tui.run import prepare_environment
from agentcli.frontends.tui.terminal.modes import RESET, parse_answer
from agentcli.frontends.tui.look.themes import (
    DARK,
    ThemeError,
    choose_theme,
    load_palettes,
    read_palette,
    textual_theme,
    theme_dir,
)
from agentcli.frontends.tui.transcript.paint import mark_cells
from agentcli.frontends.tui.transcript.rows import make_row

PALETTES, PROBLEMS = load_palettes(theme_dir())


def contrast(first: str, second: str) -> float:
    def light(color: str) -> float:
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    one, two = sorted((light(first), light(second)), reverse=True)
    return (one + 0.05) / (two + 0.05)


def test_the_shipped_themes_load():
    assert PROBLEMS == []
    assert {"dark", "light", "ansi"} <= set(PALETTES)
    assert PALETTES["dark"] == DARK


@pytest.mark.parametrize("name", ["dark", "light"])
def test_text_can_be_read(name: str):
    palette = PALETTES[name]
    for color in (
        palette.foreground,
        palette.dim,
        palette.accent,
        palette.ok,
        palette.bad,
        palette.warn,
    ):
        assert contrast(color, palette.background) >= 4.5, color
    for ground in (palette.surface, palette.added, palette.removed, palette.selection):
        assert contrast(palette.foreground, ground) >= 7, ground


@pytest.mark.parametrize(
    ("wanted", "background", "env", "name"),
    [
        ("light", "#000000", {}, "light"),
        (None, "#101010", {}, "dark"),
        (None, "#fdf6e3", {}, "light"),
        (None, None, {"COLORFGBG": "0;15"}, "light"),
        (None, None, {"COLORFGBG": "15;0"}, "dark"),
        (None, None, {}, "dark"),
        (None, "#ffffff", {"NO_COLOR": "1"}, "ansi"),
        ("nonsense", "#ffffff", {}, "light"),
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
    palettes, problems = load_palettes(tmp_path)
    assert palettes == {"dark": DARK}
    assert len(problems) == 1 and problems[0].startswith("theme bad.toml: ")


def test_a_wrong_colour_is_named(tmp_path: Path):
    file = tmp_path / "bad.toml"
    file.write_text((theme_dir() / "dark.toml").read_text().replace('"#8fb2ff"', '"bluish"'))
    with pytest.raises(ThemeError, match="accent must be a colour"):
        read_palette(file)
    file.write_text((theme_dir() / "ansi.toml").read_text().replace('"blue"', '"bluish"'))
    with pytest.raises(ThemeError):
        read_palette(file)


def test_no_folder_no_harm(tmp_path: Path):
    assert load_palettes(tmp_path / "none") == ({"dark": DARK}, [])


def test_the_textual_theme_knows_our_colours():
    theme = textual_theme(PALETTES["light"])
    assert theme.variables["dim"] == PALETTES["light"].dim
    assert not theme.dark
    assert textual_theme(PALETTES["ansi"]).ansi


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
    look = make_look(PALETTES["ansi"])
    strip = make_row([("one two", look.dim)]).strip
    styles = {segment.text: segment.style for segment in mark_cells(strip, 4, 7, look.picked)}
    marked = styles["two"]
    assert marked is not None and marked.reverse
    assert styles["one "] == look.dim
