"""What the window tells about the composer, and with what the history search begins."""

import os
import re
from pathlib import Path

import pytest

from tests.frontends.tui.harness import window


async def test_the_word_of_quitting_goes_when_one_types_on():
    async with window() as shown:
        await shown.pilot.press(*"draft", "ctrl+c")
        await shown.shows("ctrl+c again quits")
        await shown.pilot.press("x")
        await shown.until(lambda: "ctrl+c again quits" not in shown.screen())
        await shown.pilot.press("ctrl+c")
        await shown.shows("ctrl+c again quits")
        assert shown.app.return_value is None


async def test_ctrl_c_leaves_an_empty_shell_mode_first():
    async with window() as shown:
        await shown.pilot.press("!", "ctrl+c")
        assert not shown.app.composer.shell_mode
        assert "ctrl+c again quits" not in shown.screen()
        await shown.pilot.press("ctrl+c")
        await shown.shows("ctrl+c again quits")


@pytest.mark.parametrize("text", ["a\nb", "[Pasted text #1 +29 lines]"])
async def test_history_search_does_not_begin_with_what_nobody_searches(text: str):
    async with window() as shown:
        shown.app.composer.paste("row\n" * 30)
        shown.app.composer.put(text)
        await shown.until(lambda: shown.app.equipment and shown.app.equipment.attached)
        await shown.pilot.press("ctrl+r")
        await shown.shows("type to search")


async def test_history_search_after_walking_begins_empty_and_after_typing_with_the_words():
    async with window() as shown:
        await shown.until(lambda: shown.app.equipment and shown.app.equipment.attached)
        await shown.send("earlier words")
        await shown.idle()
        await shown.pilot.press("up", "ctrl+r")
        await shown.shows("type to search")
        await shown.pilot.press("escape", "ctrl+u", *"ear", "ctrl+r")
        await shown.shows("› ear▏")


@pytest.mark.parametrize(
    ("typed", "told", "back"),
    [
        (("a", "b"), "last draft is back", ""),
        (("a", "b", "ctrl+s"), "ctrl+s brings the stash back", "ab"),
    ],
)
async def test_what_came_back_from_last_time_is_told(typed: tuple[str, ...], told: str, back: str):
    async with window() as shown:
        await shown.until(lambda: shown.app.equipment and shown.app.equipment.attached)
        await shown.pilot.press(*typed)
    for path in (Path(os.environ["AGENTCLI_HOME"]) / "drafts").iterdir():
        # as if the process had ended: no process has this number
        path.write_text(re.sub(r'"pid": \d+', '"pid": 99999999', path.read_text()))
        path.rename(path.with_name("gone.json"))
    async with window() as shown:
        await shown.shows(told)
        await shown.pilot.press("ctrl+s")
        assert shown.app.composer.text == back
