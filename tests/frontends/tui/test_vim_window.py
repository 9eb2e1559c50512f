"""Vim keys in the window: they come before all others, but an open menu has Esc for itself."""

from agentcli.settings.model import Settings
from tests.frontends.tui.harness import window

VIM = Settings(editor_mode="vim")


async def test_escape_goes_to_normal_and_the_mode_is_told():
    async with window(settings=VIM) as shown:
        await shown.shows("-- INSERT --")
        await shown.pilot.press(*"one two", "escape", "0", "d", "w")
        assert shown.app.composer.text == "two"
        await shown.shows("-- NORMAL --")


async def test_escape_closes_the_menu_first():
    async with window(settings=VIM) as shown:
        await shown.shows("-- INSERT --")
        await shown.pilot.press("/")
        await shown.shows("/clear")
        await shown.pilot.press("escape")
        await shown.until(lambda: "/clear" not in shown.screen())
        await shown.shows("-- INSERT --")
        await shown.pilot.press("escape")
        await shown.shows("-- NORMAL --")
