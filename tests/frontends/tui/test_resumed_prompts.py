"""The prompts of a conversation that is gone on with: what was pasted into them is a chip again."""

import os
from pathlib import Path

from agentcli.frontends.shared.prompt_history import PromptHistory
from agentcli.protocol.events import Event, PromptAdded
from tests.frontends.tui.harness import window

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
