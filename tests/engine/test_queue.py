"""What was typed while a run is on: order, editing, and where the conversation shows it."""

import asyncio

from agentcli.demo.reply import Reply, text, tool_use
from agentcli.engine.bus import EventBus
from agentcli.engine.inbox import Inbox
from agentcli.protocol.events import (
    BlockFinished,
    PromptAdded,
    RunFinished,
    StateChanged,
    ToolFinished,
    ToolStarted,
)
from agentcli.protocol.prompts import Queued
from agentcli.session.entries import Entry
from agentcli.session.queue import pending
from tests.engine.conftest import Bench, settled
from tests.engine.test_run import steps


async def test_prompts_stand_after_the_results_of_the_whole_batch(bench: Bench) -> None:
    calls = [tool_use("Bash", {"command": f"echo {n}; sleep 0.15"}, f"b{n}") for n in range(2)]
    server = await bench.serve(steps(Reply([text("working"), *calls]), Reply([text("ok")])))
    engine = bench.engine(server, "bypassPermissions")
    run = asyncio.ensure_future(engine.prompt("go"))
    while not bench.of(ToolStarted):
        await asyncio.sleep(0.01)
    await engine.prompt("now @a.txt too")
    await engine.prompt("and that")
    (bench.project / "a.txt").write_text("alpha\n")
    result = await run
    await settled(bench)
    assert result is not None and result.text == "ok" and len(server.requests) == 2
    content = server.requests[1].body["messages"][-1]["content"]
    assert [block["type"] for block in content] == [*["tool_result"] * 2, *["text"] * 3]
    assert content[2]["text"].startswith("<mentioned-file")
    assert [block["text"] for block in content[3:]] == ["now @a.txt too", "and that"]
    order = [
        event
        for event in bench.events
        if isinstance(event, ToolFinished | PromptAdded | BlockFinished)
    ]
    kinds = [type(event) for event in order[-5:]]
    assert kinds == [ToolFinished, ToolFinished, PromptAdded, PromptAdded, BlockFinished]
    replayed = [type(event) for event in engine.replay()]
    assert replayed[-5:] == kinds
    assert len(bench.of(RunFinished)) == 1


async def test_a_queued_prompt_can_be_removed_by_its_place(bench: Bench) -> None:
    server = await bench.serve(steps(), pace=1)
    engine = bench.engine(server)
    run = asyncio.ensure_future(engine.prompt("go"))
    await asyncio.sleep(0)
    for words in ("one", "two", "three"):
        await engine.prompt(words)
    assert engine.remove(1) == Queued("two")
    assert engine.remove(2) is None and engine.remove(-1) is None
    assert engine.queued() == (Queued("one"), Queued("three"))
    assert engine.take_back() == Queued("three")
    await run
    await settled(bench)
    queue = [e.value for e in bench.of(StateChanged) if e.what == "queue"]
    assert ("one", "three") in queue and queue[-1] == ()
    prompts = [event.content for event in bench.of(PromptAdded)]
    assert prompts == ["go", "one"]
    assert engine.take_back() is None


async def test_an_interrupt_keeps_the_work_and_sends_what_waits(bench: Bench) -> None:
    call = tool_use("Bash", {"command": "echo begun; sleep 30"}, "b0")
    server = await bench.serve(steps(Reply([call])))
    engine = bench.engine(server, "bypassPermissions")
    run = asyncio.ensure_future(engine.prompt("go"))
    while not bench.of(ToolStarted):
        await asyncio.sleep(0.01)
    await engine.prompt("stop that, do this")
    assert engine.interrupt()
    result = await asyncio.wait_for(run, 10)
    await settled(bench)
    assert result is not None and result.outcome == "success"
    assert [event.outcome for event in bench.of(RunFinished)] == ["interrupted", "success"]
    content = server.requests[1].body["messages"][-1]["content"]
    assert content[0]["type"] == "tool_result" and content[-1]["text"] == "stop that, do this"


async def test_clear_drops_what_waits(bench: Bench) -> None:
    server = await bench.serve(steps(), pace=1)
    engine = bench.engine(server)
    run = asyncio.ensure_future(engine.prompt("go"))
    await asyncio.sleep(0)
    await engine.prompt("never")
    await engine.history.clear()
    await run
    assert engine.queued() == () and len(server.requests) <= 1


def test_what_is_taken_waits_in_the_file_until_it_is_logged() -> None:
    notes: list[Entry] = []
    inbox = Inbox(EventBus(), lambda data: notes.append(Entry(data)))
    for words in ("one", "two", "three"):
        inbox.add(Queued(words))
    assert inbox.take() == Queued("one")
    assert [item.text for item in pending(notes)] == ["one", "two", "three"]
    inbox.remove(0)
    assert [item.text for item in pending(notes)] == ["one", "three"]
    inbox.logged()
    assert [item.text for item in pending(notes)] == ["three"]
    assert inbox.items() == (Queued("three"),)
