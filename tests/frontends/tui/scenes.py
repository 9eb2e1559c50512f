"""Scripts that several tests play, and the pieces they are made of."""

import asyncio
from typing import Any

from agentcli.protocol.asks import Hunk, PermissionAsk, Preview
from agentcli.protocol.calls import ToolResult
from agentcli.protocol.events import BlockDelta, BlockFinished, BlockStarted, Event, PromptAdded
from agentcli.protocol.rules import Rule, RuleUpdate
from tests.frontends.tui.fake_engine import FakeEngine

HUNK = Hunk(
    39,
    4,
    39,
    4,
    (
        "     subtotal = 0",
        "     for line in lines:",
        "-        subtotal += round(line.price * line.qty, 2)",
        "-    return subtotal * (1 - discount)",
        "+        subtotal += line.price * line.qty",
        "+    return round(subtotal * (1 - discount), 2)",
    ),
)
PATCH: dict[str, Any] = {
    "structuredPatch": [
        {
            "oldStart": HUNK.old_start,
            "oldLines": HUNK.old_lines,
            "newStart": HUNK.new_start,
            "newLines": HUNK.new_lines,
            "lines": list(HUNK.lines),
        }
    ]
}
EDIT: dict[str, object] = {
    "file_path": "/code/shop/src/cart.py",
    "old_string": "round(",
    "new_string": "",
}
PUBLISH = "npm test && npm publish --tag next"


async def whole_turn(engine: FakeEngine, text: str) -> None:
    """Thinking, reads, an edit, a failing and a good command, and an answer."""
    await engine.think("The discount is applied after rounding.")
    found = ToolResult("", details={"mode": "content", "numFiles": 2, "numMatches": 4})
    await engine.call("Grep", {"pattern": "discount", "path": "src"}, found)
    file = {"file": {"numLines": 88, "startLine": 1, "totalLines": 512}}
    await engine.call("Read", {"file_path": "/code/shop/src/cart.py"}, ToolResult("", details=file))
    await engine.say("The discount is applied after rounding. I'll round once, at the end.")
    await engine.call("Edit", EDIT, ToolResult("done", details=PATCH))
    failed = ToolResult("Exit code 1\nFAILED tests/test_cart.py", True, {"exitCode": 1})
    await engine.call("Bash", {"command": "npm test"}, failed, ms=8200)
    passed = ToolResult("12 passed", details={"exitCode": 0, "stdout": "a\nb"})
    await engine.call("Bash", {"command": "python -m unittest"}, passed)
    await engine.say(
        "Fixed: `total()` rounded each line before the discount.\n\n"
        "- all **12** tests pass\n- I added one\n\n"
        "```python\ndef total(lines):\n    return 0  # soon\n```\n"
    )


def edit_ask(engine: FakeEngine) -> PermissionAsk:
    """May the cart be edited?"""
    preview = Preview("diff", "src/cart.py", (HUNK,), added=2, removed=2)
    accept = RuleUpdate(mode="acceptEdits")
    return PermissionAsk(engine.announce("Edit", EDIT), "edits need approval", (accept,), preview)


def bash_ask(engine: FakeEngine, command: str = PUBLISH) -> PermissionAsk:
    """May the package be published?"""
    rule = RuleUpdate(rules=(Rule("Bash", "npm publish *"),))
    call = engine.announce("Bash", {"command": command})
    return PermissionAsk(
        call, "asks because of: npm publish", (rule,), None, ("npm publish --tag next",)
    )


async def ask_bash(engine: FakeEngine, text: str) -> None:
    await engine.ask(bash_ask(engine))


async def ask_edit(engine: FakeEngine, text: str) -> None:
    await engine.ask(edit_ask(engine))


async def endless(engine: FakeEngine, text: str) -> None:
    """A turn that runs until it is interrupted."""
    await engine.say("working on it")
    await asyncio.sleep(60)


def paragraphs(count: int) -> str:
    """*count* paragraphs of one line each, told apart by their number."""
    return "".join(f"paragraph {number}\n\n" for number in range(count))


def long_history(turns: int) -> list[Event]:
    """*turns* prompts with short answers."""
    events: list[Event] = []
    for turn in range(turns):
        events.append(PromptAdded(f"p{turn}", f"question {turn}"))
        block = {"type": "text", "text": f"answer {turn}\n\nsecond paragraph of {turn}"}
        events.append(BlockFinished(f"m{turn}", 0, block, f"a{turn}"))
    return events


def delta(text: str, index: int = 0) -> list[Event]:
    """The beginning of a text block and one piece of it."""
    return [BlockStarted("live", index, "text"), BlockDelta("live", index, "text", text)]
