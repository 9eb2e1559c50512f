"""Sessions that the tests find in the catalog of the scripted engine."""

from dataclasses import replace
from pathlib import Path
from time import time

from agentcli.protocol.calls import ToolResult
from agentcli.protocol.events import BlockFinished, Compacted, Compacting, Event, PromptAdded
from agentcli.protocol.history import SessionInfo
from tests.frontends.tui.fake_engine import FakeEngine
from tests.frontends.tui.scenes import whole_turn


def info(number: int, title: str, hours: float = 1.0, **more: object) -> SessionInfo:
    """A session of the shop, changed *hours* ago."""
    session_id = f"{number:08x}-0000-4000-8000-000000000000"
    known = SessionInfo(
        id=session_id,
        file=Path(f"/code/.home/{session_id}.jsonl"),
        title=title,
        named=False,
        first_prompt=title,
        last_prompt="",
        cwd="/code/shop",
        branch="main",
        size=1_240_000,
        modified=time() - hours * 3_600 - 1_200,  # never near a change of what is told
    )
    return replace(known, **more)


SESSIONS = [
    info(1, "the total is wrong when a line has a discount, fix it", 1, size=84_000),
    info(2, "cart refactoring", 3, named=True, first_prompt="split cart.py", branch="cart-split"),
    info(3, "add a changelog entry", 30, last_prompt="and mention Decimal", size=12_400),
    info(4, "日本語のタイトル 🛒 with emoji", 80, branch="", size=640),
    info(5, "why does the build need node", 24 * 40, size=18_300_000),
]
ELSEWHERE = [
    info(8, "deploy the site", 5, cwd="/code/site", branch="release"),
    info(9, "read the logs of last night", 200, cwd="/srv/very/long/path/to/some/service"),
]
ANSWER = """The discount is applied **after** rounding.

```python
def total(lines):
    return round(sum(line.price for line in lines), 2)
```
"""

SUMMARY = """The person wants `total()` to round once.

- src/cart.py: rounding moved behind the discount
- still open: the changelog"""


def past_of(text: str) -> list[Event]:
    """What a session looks like whose prompt is *text*."""
    call = {"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "npm test"}}
    return [
        PromptAdded("p1", text),
        BlockFinished("m1", 0, call, "a1"),
        BlockFinished("m2", 0, {"type": "text", "text": ANSWER}, "a2"),
    ]


def stock(engine: FakeEngine) -> None:
    """Fill the catalog."""
    engine.catalog.sessions = list(SESSIONS)
    engine.catalog.elsewhere = list(ELSEWHERE)
    engine.catalog.previews = {one.id: past_of(one.title) for one in SESSIONS[:2]}


async def other_sessions(engine: FakeEngine, text: str) -> None:
    """A turn in a project with earlier sessions, the oldest of them in use."""
    stock(engine)
    engine.history.busy = {SESSIONS[-1].file}
    await whole_turn(engine, text)


async def compacted_turn(engine: FakeEngine, text: str) -> None:
    """A turn in whose middle the conversation became too long."""
    await engine.say("The discount is applied after rounding. I'll round once, at the end.")
    engine.emit(Compacting("auto"))
    engine.emit(Compacted("auto", 167_189, 6_020, SUMMARY))
    await engine.call("Bash", {"command": "npm test"}, ToolResult("ok", details={"exitCode": 0}))
    await engine.say("All 12 tests pass.")
