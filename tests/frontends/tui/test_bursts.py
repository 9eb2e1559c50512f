"""Keys that come in one burst, as over a slow line: none is lost, and none answers twice."""

import asyncio

import pytest
from textual import events

from agentcli.frontends.tui.screens import approve
from agentcli.protocol.asks import Allow, Deny
from tests.frontends.tui.harness import Window, window
from tests.frontends.tui.scenes import ask_bash


def burst(shown: Window, *keys: str) -> None:
    """All *keys* before any of them is handled."""
    for key in keys:
        character = key if len(key) == 1 else None
        shown.app.post_message(events.Key(key, character))


@pytest.mark.parametrize(
    ("keys", "reply"),
    [
        (("y", "n"), Allow()),
        (("n", "y"), Deny(stop_run=True)),
        (("escape", "escape", "escape"), Deny(stop_run=True)),
        (("y", "c", "x"), Allow()),
    ],
)
async def test_a_question_is_answered_once(keys: tuple[str, ...], reply: object):
    async with window(ask_bash) as shown:
        await shown.send("publish")
        await shown.shows("needs your approval")
        burst(shown, *keys)
        await shown.idle()
        assert shown.engine.replies == [reply]
        assert len(shown.app.screen_stack) == 1


async def test_a_comment_is_sent_once():
    async with window(ask_bash) as shown:
        await shown.send("publish")
        await shown.shows("needs your approval")
        await shown.pilot.press("c", "x")
        burst(shown, "enter", "enter")
        await shown.idle()
        assert shown.engine.replies == [Deny(message="x")]


@pytest.mark.parametrize("key", ["escape", "enter", "ctrl+c"])
@pytest.mark.parametrize("opens", ["ctrl+p", "ctrl+r", "question_mark"])
async def test_a_list_closes_once(opens: str, key: str):
    async with window() as shown:
        await shown.pilot.press(opens)
        await shown.until(lambda: len(shown.app.screen_stack) == 2)
        burst(shown, key, key)
        await shown.pilot.pause()
        await shown.pilot.press("escape", "escape")
        await shown.until(lambda: len(shown.app.screen_stack) == 1)


async def test_what_is_typed_while_a_question_comes_up_is_kept(monkeypatch: pytest.MonkeyPatch):
    async with window(ask_bash) as shown:
        monkeypatch.setattr(approve, "GRACE", 0.2)
        await shown.send("publish")
        await shown.shows("needs your approval")
        burst(shown, *"yes, nöxt", "backspace", "enter", "escape")
        shown.app.post_message(events.Paste(" 日本"))
        await shown.until(lambda: shown.app.composer.text == "yes, nöx 日本")
        assert shown.engine.replies == []
        await asyncio.sleep(0.25)
        await shown.pilot.press("n")
        await shown.idle()
        assert shown.engine.replies == [Deny(stop_run=True)]
        assert shown.app.composer.text == "yes, nöx 日本"


@pytest.mark.parametrize("opens", ["ctrl+p", "ctrl+r", "ctrl+f"])
async def test_what_follows_a_key_that_opens_something_goes_there(opens: str):
    async with window() as shown:
        await shown.until(lambda: shown.app.equipment and shown.app.equipment.attached)
        burst(shown, opens, *"hxl")
        await shown.until(lambda: "hxl" in shown.screen())
        assert shown.app.composer.text == ""


async def test_a_comment_typed_at_once_is_whole():
    async with window(ask_bash) as shown:
        await shown.send("publish")
        await shown.shows("needs your approval")
        burst(shown, *"cuse pack")
        await shown.shows("› use pack")
        await shown.pilot.press(*" now", "enter")
        await shown.idle()
        assert shown.engine.replies == [Deny(message="use pack now")]
