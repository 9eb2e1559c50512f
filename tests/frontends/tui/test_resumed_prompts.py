"""The prompts of a conversation that is gone on with: what was pasted into them is a chip again,
and what still waited is told."""

import os
from pathlib import Path

from agentcli.engine.asking import Asker
from agentcli.frontends.shared.prompt_history import PromptHistory
from agentcli.protocol.events import Event, PromptAdded
from agentcli.protocol.prompts import Queued
from tests.frontends.tui.fake_engine import FakeEngine
from tests.frontends.tui.harness import make_app, no_answer, screen_text, window

LONG = "row\n" * 400


async def test_a_pasted_text_is_a_chip_again_and_sent_in_full():
    home = Path(os.environ["AGENTCLI_HOME"])
    past = PromptHistory(home, "/code/shop", "s1")
    past.add("look at [Pasted text #1 +399 lines]", {1: LONG})
    past.add("and then")
    typed: list[Event] = [
        PromptAdded("p1", f"look at {LONG}"),
        PromptAdded("p2", "and then"),
        PromptAdded("p3", "typed elsewhere"),
    ]
    async with window(history=typed, resumed=True) as shown:
        composer = shown.app.composer
        await shown.until(lambda: shown.app.equipment and shown.app.equipment.attached)
        await shown.pilot.press("up", "up", "up")
        assert composer.text == "look at [Pasted text #1 +399 lines]"
        await shown.pilot.press("up")
        assert composer.text == "look at [Pasted text #1 +399 lines]"
        await shown.pilot.press("enter")
        await shown.idle()
        assert shown.engine.prompts == [f"look at {LONG}"]


def waiting(*texts: str) -> list[Queued]:
    return [Queued(text) for text in texts]


async def test_what_waited_when_the_program_was_killed_is_in_sight_at_the_start():
    def make(asker: Asker) -> FakeEngine:
        return FakeEngine(asker, no_answer, queue=waiting("run the tests", "then commit"))

    app = make_app(resumed=True)
    app.conversation._make_engine = make
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause(0.2)
        text = screen_text(app)
        assert "⋯ run the tests" in text
        assert "⋯ then commit   (↑ edit)" in text
        assert "2 prompts were still waiting; they follow your next one, ↑ takes back" in text
        await pilot.press("up")
        assert app.composer.text == "then commit"


async def test_what_waits_in_a_session_that_is_taken_up_is_told():
    async with window() as shown:
        await shown.until(lambda: shown.app.equipment and shown.app.equipment.attached)
        shown.engine._set_queue(waiting("run the tests"))
        shown.engine.history.change("resume", "s2", [PromptAdded("p1", "fix it")])
        await shown.shows("1 prompt was still waiting; it follows your next one, ↑ takes back")
        await shown.shows("⋯ run the tests")


async def test_nothing_is_told_where_nothing_waits():
    async with window(history=[PromptAdded("p1", "fix it")], resumed=True) as shown:
        await shown.until(lambda: shown.app.equipment and shown.app.equipment.attached)
        assert "still waiting" not in shown.screen()
