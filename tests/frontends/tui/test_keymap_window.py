"""What the person bound, in the window: unbound keys, sheets, questions, and `/keys`."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from agentcli.frontends.tui import equipment
from agentcli.frontends.tui.screens import approve
from agentcli.frontends.tui.screens.keys import show_bytes
from agentcli.protocol.asks import Allow, Deny
from tests.frontends.tui.fake_engine import FakeEngine
from tests.frontends.tui.harness import Window, window
from tests.frontends.tui.scenes import ask_bash


def bind(home: Path, context: str, bindings: dict[str, Any]) -> None:
    """Write the file as an editor does: a new one in its place."""
    home.mkdir(parents=True, exist_ok=True)
    fresh = home / "fresh.json"
    content = {"bindings": [{"context": context, "bindings": bindings}]}
    fresh.write_text(json.dumps(content))
    fresh.replace(home / "keybindings.json")


@pytest.fixture
def home() -> Path:
    return Path(os.environ["AGENTCLI_HOME"])


async def ready(shown: Window) -> None:
    await shown.until(lambda: (made := shown.app.equipment) is not None and made.attached)


async def asked(shown: Window) -> None:
    await ready(shown)
    await shown.send("publish")
    await shown.shows("needs your approval")


async def test_an_unbound_key_does_nothing_in_the_composer(home: Path):
    bind(home, "Chat", {"ctrl+u": None, "ctrl+k": None, "?": None})
    async with window() as shown:
        await ready(shown)
        await shown.pilot.press("?", *"ab", "ctrl+u", "home", "ctrl+k")
        assert shown.app.composer.text == "?ab"


async def test_a_mistake_in_the_file_is_told_and_the_rest_counts(home: Path):
    bind(home, "Chat", {"f6": "chat:newline", "f7": "chat:newlin"})
    async with window() as shown:
        await shown.shows("Chat f7: unknown action chat:newlin")
        await ready(shown)
        await shown.pilot.press("a", "f6", "b", "f7")
        assert shown.app.composer.text == "a\nb"


async def test_a_change_of_the_file_counts_while_the_window_runs(
    home: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(equipment, "CHECK_SECONDS", 0.02)
    async with window() as shown:
        await ready(shown)
        first = shown.app.keymap
        bind(home, "Chat", {"f6": "chat:newline"})
        await shown.until(lambda: shown.app.keymap is not first)
        await shown.pilot.press("a", "f6", "b")
        assert shown.app.composer.text == "a\nb"


async def test_the_keys_of_a_question_can_be_others(home: Path):
    bind(home, "Confirmation", {"y": None, "1": None, "f2": "confirm:yes", "f4": "confirm:no"})
    async with window(ask_bash) as shown:
        await asked(shown)
        assert "f2 once" in shown.screen()
        await shown.pilot.press("y", "1")
        assert shown.engine.replies == []
        await shown.pilot.press("f2")
        await shown.idle()
        assert shown.engine.replies == [Allow()]


async def test_the_interrupt_says_no_whatever_is_bound(home: Path):
    bind(home, "Confirmation", {"n": None, "3": None, "escape": None})
    async with window(ask_bash) as shown:
        await asked(shown)
        assert "ctrl+c no" in shown.screen()
        await shown.pilot.press("n", "escape")
        assert shown.engine.replies == []
        await shown.pilot.press("ctrl+c")
        await shown.idle()
        assert shown.engine.replies == [Deny(stop_run=True)]


async def test_no_binding_of_the_window_answers_a_question(home: Path):
    bind(home, "Global", {"z": "chat:submit", "f2": "chat:cancel", "f3": "confirm:yes"})
    async with window(ask_bash) as shown:
        await asked(shown)
        await shown.pilot.press("z", "f2", "f3", "enter", "space")
        assert shown.engine.replies == []
        assert "needs your approval" in shown.screen()


async def test_a_chord_may_answer(home: Path):
    bind(home, "Confirmation", {"y": None, "1": None, "g y": "confirm:yes"})
    async with window(ask_bash) as shown:
        await asked(shown)
        await shown.pilot.press("g", "n")
        assert shown.engine.replies == [], "the n belongs to the chord"
        await shown.pilot.press("g", "y")
        await shown.idle()
        assert shown.engine.replies == [Allow()]


async def test_a_chord_that_began_too_early_answers_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
):
    bind(home, "Confirmation", {"y": None, "ctrl+x y": "confirm:yes"})
    async with window(ask_bash) as shown:
        await ready(shown)
        monkeypatch.setattr(approve, "GRACE", 0.4)
        await shown.send("publish")
        await shown.shows("needs your approval")
        await shown.pilot.press("ctrl+x")
        await asyncio.sleep(0.45)
        await shown.pilot.press("y")
        assert shown.engine.replies == []
        await shown.pilot.press("ctrl+x", "y")
        await shown.idle()
        assert shown.engine.replies == [Allow()]


async def test_a_chord_begun_in_the_composer_does_not_end_in_a_question():
    waits = asyncio.Event()

    async def script(engine: FakeEngine, text: str) -> None:
        await waits.wait()
        await ask_bash(engine, text)

    async with window(script) as shown:
        await ready(shown)
        await shown.send("publish")
        await shown.pilot.press("ctrl+x")
        assert shown.app.keymap.pending == ("ctrl+x",)
        waits.set()
        await shown.shows("needs your approval")
        await shown.pilot.press("y")
        assert shown.engine.replies == []


async def test_in_the_choice_of_a_rule_a_yes_is_none(home: Path):
    bind(home, "Confirmation", {"g 1": "confirm:yes"})
    async with window(ask_bash) as shown:
        await asked(shown)
        await shown.pilot.press("a")
        await shown.shows("what would be saved")
        await shown.pilot.press("y", "g", "1")
        assert shown.engine.replies == []
        await shown.pilot.press("1")
        await shown.idle()
        assert len(shown.engine.replies) == 1


async def test_what_is_typed_as_a_comment_is_text(home: Path):
    bind(home, "Confirmation", {"x": "confirm:yes", "g g": "confirm:yes"})
    async with window(ask_bash) as shown:
        await asked(shown)
        await shown.pilot.press("c", "x", "g", "g", "y", "enter")
        await shown.idle()
        assert shown.engine.replies == [Deny(message="xggy")]


async def test_the_keys_of_a_list_can_be_others(home: Path):
    keys = {"down": None, "enter": None, "f3": "select:next", "f4": "select:accept"}
    bind(home, "Select", keys)
    async with window() as shown:
        await ready(shown)
        await shown.send("/theme")
        await shown.shows("f4 take")
        before = shown.app.palette.name
        await shown.pilot.press("down")
        assert shown.app.palette.name == before
        await shown.pilot.press("f3", "f3")
        await shown.until(lambda: shown.app.palette.name != before)
        chosen = shown.app.palette.name
        await shown.pilot.press("f4")
        await shown.until(lambda: len(shown.app.screen_stack) == 1)
        assert shown.app.palette.name == chosen


async def test_keys_are_shown_and_run_nothing():
    async with window(size=(120, 24)) as shown:
        await ready(shown)
        await shown.send("/keys")
        await shown.shows("press any key")
        await shown.pilot.press("shift+enter", "ctrl+l", "question_mark", "ctrl+c")
        screen = shown.screen()
        assert "shift+enter arrives as shift+enter: yes" in screen
        assert "app:redraw" in screen and "chat:newline" in screen
        row = next(line for line in shown.lines() if "question_mark" in line)
        assert row.split()[:3] == ["question_mark", "?", "?"]
        await shown.pilot.press("escape")
        assert len(shown.app.screen_stack) == 2
        await shown.pilot.press("escape")
        await shown.until(lambda: len(shown.app.screen_stack) == 1)
        assert shown.app.composer.text == ""


async def test_an_interrupt_and_an_escape_are_not_twice_the_same():
    async with window() as shown:
        await ready(shown)
        await shown.send("/keys")
        await shown.shows("not yet seen")
        await shown.pilot.press("escape", "ctrl+c", "escape")
        assert len(shown.app.screen_stack) == 2


@pytest.mark.parametrize(
    ("sent", "shown"),
    [("\x1b[13;2u", "ESC [13;2u"), ("\r", "CR"), ("\x03", "^C"), ("a", "a"), ("\x7f", "DEL")],
)
def test_bytes_are_shown_without_running_them(sent: str, shown: str):
    assert show_bytes(sent) == shown
