"""Rows, earlier prompts, mouse and shell mode of the composer."""

import pytest

from agentcli.frontends.tui.composer.mark import Mark
from tests.frontends.tui.composing import composing

FAMILY = "👨‍👩‍👧"


# rows


async def test_home_of_a_wrapped_line_is_the_logical_one():
    async with composing(size=(20, 24)) as desk:
        await desk.type("a long line that wraps")
        assert desk.rows == ["a long line that", "wraps"]
        await desk.press("home")
        assert desk.composer.cursor_location == (0, 0)


async def test_up_goes_over_wrapped_rows_before_history():
    async with composing(size=(20, 24)) as desk:
        desk.composer.recall.add("earlier")
        await desk.type("a long line that wraps")
        await desk.press("up")
        assert desk.text == "a long line that wraps"
        await desk.press("up")
        assert desk.text == "earlier"
        await desk.press("down")
        assert desk.text == "a long line that wraps"


async def test_walking_over_prompts_of_several_rows():
    async with composing() as desk:
        desk.composer.recall.add("old")
        desk.composer.recall.add("one\ntwo\nthree")
        await desk.press("up")
        assert desk.composer.cursor_location == (0, 3)
        await desk.press("up")
        assert desk.text == "old"
        await desk.press("down")
        assert desk.composer.cursor_location == (2, 5)
        await desk.press("up", "up")
        assert desk.text == "one\ntwo\nthree"
        await desk.press("down", "down", "down")
        assert desk.text == ""


@pytest.mark.parametrize("size", [(20, 10), (12, 6), (80, 24)])
async def test_it_stays_usable_in_a_small_window(size: tuple[int, int]):
    async with composing(size=size) as desk:
        await desk.type("the quick brown fox jumps over the lazy dog " * 3)
        await desk.paste("chip\n" * 9)
        await desk.pilot.pause()
        assert 1 <= desk.composer.size.height <= max(1, min(10, size[1] // 3))
        x, y = desk.app.cursor_position
        assert 2 <= x < size[0] and size[1] - desk.composer.size.height <= y < size[1]
        await desk.press("backspace")
        assert desk.text.endswith("dog ")


async def test_a_narrower_window_wraps_anew_at_once():
    async with composing(size=(40, 24)) as desk:
        await desk.type("words that fit into one row of these")
        assert desk.composer.size.height == 1
        await desk.pilot.resize_terminal(20, 24)
        await desk.until(lambda: desk.rows == ["words that fit", "into one row of", "these"])


# mouse


async def test_clicks_and_drags_know_wide_characters():
    async with composing() as desk:
        await desk.paste(f"あ{FAMILY}b word, more")
        y = 23
        for x, column in ((2, 0), (3, 0), (4, 1), (5, 1), (6, 6), (40, 18)):
            await desk.pilot.click(offset=(x, y))
            assert desk.composer.cursor_location == (0, column), x
            await desk.pilot.pause(0.55)
        await desk.pilot.mouse_down(offset=(4, y))
        await desk.pilot.hover(offset=(7, y))
        await desk.pilot.mouse_up(offset=(7, y))
        assert desk.composer.selected_text == f"{FAMILY}b"


async def test_a_double_click_takes_a_word_and_a_third_one_the_line():
    async with composing() as desk:
        desk.composer.put("first\nsome words, more")
        await desk.pilot.pause()
        await desk.pilot.click(offset=(8, 23), times=2)
        assert desk.composer.selected_text == "words"
        await desk.pilot.click(offset=(8, 23), times=3)
        assert desk.composer.selected_text == "some words, more"


# shell mode


async def test_an_exclamation_mark_on_the_empty_composer_is_shell_mode():
    async with composing() as desk:
        mark = desk.app.query_one(Mark)
        assert mark.render_line(0).text == "› "
        await desk.press("!")
        assert desk.composer.shell_mode and desk.text == ""
        assert mark.render_line(0).text == "! "
        await desk.press("!", "l", "s", "enter")
        assert desk.app.sent[0].shell and desk.app.sent[0].text == "!ls"
        assert not desk.composer.shell_mode
        await desk.press("up")
        assert desk.composer.shell_mode and desk.text == "!ls"


@pytest.mark.parametrize("key", ["backspace", "escape", "ctrl+u"])
async def test_shell_mode_is_left_when_there_is_nothing_to_delete(key: str):
    async with composing() as desk:
        await desk.press("!", "x", "backspace")
        assert desk.composer.shell_mode
        await desk.press(key)
        assert not desk.composer.shell_mode
        assert desk.app.escapes == []


async def test_an_exclamation_mark_elsewhere_is_one():
    async with composing() as desk:
        await desk.press("a", "!", "home", "!")
        assert desk.text == "!a!"
        assert not desk.composer.shell_mode
        # typed in front of a text it means the same
        await desk.press("enter")
        assert (desk.app.sent[0].text, desk.app.sent[0].shell) == ("a!", True)
