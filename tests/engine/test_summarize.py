"""A summary of a part: what comes from a prompt on, or what stands before it."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from agentcli.demo.reply import ModelRequest, Reply, http_error, text, thinking, tool_use
from agentcli.engine.compacting import summarize
from agentcli.engine.engine import Engine
from agentcli.engine.images import image_block
from agentcli.engine.parts import EngineParts
from agentcli.engine.runner import Runner
from agentcli.permissions.rules import parse_rules
from agentcli.protocol.errors import UsageError
from agentcli.protocol.events import BlockFinished, Compacted, PromptAdded, ToolFinished
from agentcli.session.codec import decode_lines
from agentcli.session.compact_entries import Side
from agentcli.session.replay import replay
from agentcli.session.tree import conversation
from tests.engine.conftest import Bench, settled
from tests.engine.pictures import png
from tests.engine.test_compacting import SUMMARY, asks_summary, texts_of

STRICT = "claude-fable-5-1"
"""Refuses thinking whose prefix has changed."""


def looking(request: ModelRequest) -> Reply:
    """Each prompt: three calls at once, then an answer."""
    if asks_summary(request):
        return SUMMARY
    if request.calls:
        return Reply([thinking("seen"), text(f"did {request.prompt.splitlines()[-1]}")])
    calls = [tool_use("Bash", {"command": f"echo n{n}"}) for n in range(3)]
    return Reply([thinking("look"), text("on it"), *calls])


def without_ids(block: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in block.items() if key not in ("id", "tool_use_id")}


def parts_of(engine: Engine) -> EngineParts:
    return engine._parts  # pyright: ignore[reportPrivateUsage] the facade's way is the lead's


async def three(bench: Bench) -> tuple[Engine, Any, list[str]]:
    server = await bench.serve(looking)
    engine = bench.engine(server, model=STRICT)
    for prompt in ("task one", "task two", "task three"):
        await engine.prompt(prompt)
    await settled(bench)
    bench.events.clear()
    return engine, server, [point.entry_id for point in engine.history.prompts()]


async def part(engine: Engine, entry_id: str, side: Side, focus: str = "") -> Any:
    return await Runner(parts_of(engine)).summarize(entry_id, side, focus)


async def test_from_here_on_leaves_the_beginning_as_it_is(bench: Bench) -> None:
    engine, server, prompts = await three(bench)
    before = list(engine.history.entries())
    at = next(i for i, entry in enumerate(before) if entry.uuid == prompts[1])
    result = await part(engine, prompts[1], "from", "apples")
    await settled(bench)
    assert result.outcome == "success" and result.text.startswith("End compacted")
    asked = texts_of(server.requests[-1].body)
    assert "task one" not in asked and "task two" in asked and "apples" in asked
    path = engine.history.entries()
    assert path[:at] == before[:at] and len(path) == at + 1
    assert path[-1].parent_uuid == before[at - 1].uuid
    done = bench.of(Compacted)[0]
    assert done.side == "from" and done.pre_tokens > done.post_tokens == engine.stats.context_tokens
    await engine.prompt("task four")
    assert [exchange.error for exchange in server.requests if exchange.error] == []
    sent = texts_of(server.requests[-1].body)
    assert "task one" in sent and "They greeted." in sent and "task two" not in sent
    assert '"type": "thinking"' in sent  # that of the beginning still fits
    await engine.aclose()
    again = bench.engine(server, resume=bench.session_path(engine))
    kinds = [type(event) for event in again.replay()]
    assert kinds.count(Compacted) == 1 and kinds.count(PromptAdded) == 2


async def test_up_to_here_keeps_the_rest_whole(bench: Bench) -> None:
    engine, server, prompts = await three(bench)
    before = list(engine.history.entries())
    at = next(i for i, entry in enumerate(before) if entry.uuid == prompts[1])
    result = await part(engine, prompts[1], "up_to")
    await settled(bench)
    assert result.outcome == "success" and result.text.startswith("Beginning compacted")
    asked = texts_of(server.requests[-1].body)
    assert "task one" in asked and "task two" not in asked
    path = engine.history.entries()
    kept = [
        block
        for entry in before[at:]
        for block in entry.blocks
        if block["type"] not in ("thinking", "redacted_thinking")
    ]
    again = [block for entry in path[2:] for block in entry.blocks]
    assert [without_ids(block) for block in again] == [without_ids(block) for block in kept]
    spoken = [str(entry.message["id"]) for entry in path if entry.type == "assistant"]
    # each response holds together, and none is mistaken for the one that it was before
    assert [spoken.count(name) for name in dict.fromkeys(spoken)] == [4, 1, 4, 1]
    assert not {str(e.message.get("id")) for e in before} & set(spoken)
    calls = {
        str(block["id"]): entry.uuid
        for entry in path
        for block in entry.blocks
        if block["type"] == "tool_use"
    }
    asked_for = [entry for entry in path if entry.tool_result is not None]
    assert len(asked_for) == 6
    for entry in asked_for:
        assert entry.parent_uuid == calls[str((entry.tool_result or {})["tool_use_id"])]
    assert bench.of(Compacted)[0].side == "up_to"
    assert engine.stats.context_tokens == bench.of(Compacted)[0].post_tokens > 0
    await engine.prompt("task four")
    assert [exchange.error for exchange in server.requests if exchange.error] == []
    sent = texts_of(server.requests[-1].body)
    assert "task one" not in sent and "task two" in sent and "task three" in sent
    assert [point.text for point in engine.history.prompts()] == [
        "task two",
        "task three",
        "task four",
    ]


async def test_a_resume_finds_the_same_conversation_and_counts_nothing_twice(
    bench: Bench,
) -> None:
    engine, server, prompts = await three(bench)
    await part(engine, prompts[2], "up_to")
    path = [entry.uuid for entry in engine.history.entries()]
    await engine.aclose()
    again = bench.engine(server, resume=bench.session_path(engine))
    assert [entry.uuid for entry in again.history.entries()] == path
    events = list(replay(again.history.entries()))
    assert isinstance(events[0], Compacted) and events[0].side == "up_to"
    assert sum(isinstance(event, ToolFinished) for event in events) == 3
    assert sum(isinstance(event, BlockFinished) for event in events) == 5
    assert again.stats.total_cost_usd == 0  # what was written again costs nothing
    assert again.stats.context_tokens == events[0].post_tokens


async def test_cut_behind_any_line_it_is_the_old_conversation_or_the_new(bench: Bench) -> None:
    engine, _, prompts = await three(bench)
    file = bench.session_path(engine)
    before, old = file.read_bytes(), [entry.uuid for entry in engine.history.entries()]
    await part(engine, prompts[1], "up_to")
    new = [entry.uuid for entry in engine.history.entries()]
    added = file.read_bytes()[len(before) :].splitlines(keepends=True)
    for count in range(len(added)):
        entries, _ = decode_lines(iter((before + b"".join(added[:count])).splitlines()))
        found = [entry.uuid for entry in conversation(entries)]
        if count < 2:
            assert found == old
        else:
            assert found[:2] == new[:2] and set(found) <= set(new)


@pytest.mark.parametrize(("side", "index"), [("up_to", 0), ("from", 3)])
async def test_nothing_to_summarise_is_one_line(bench: Bench, side: Side, index: int) -> None:
    engine, server, prompts = await three(bench)
    await engine.shell("echo hi")
    await settled(bench)
    bench.events.clear()
    points = [*prompts, "unknown"]
    size = len(server.requests)
    with pytest.raises(UsageError):
        await part(engine, points[index], side)
    await settled(bench)
    assert len(server.requests) == size and not bench.events


async def test_a_failure_or_an_interrupt_changes_nothing(bench: Bench) -> None:
    replies = [http_error(400, "no"), Reply([text("<summary>" + "x" * 400)], seconds_per_delta=30)]
    server = await bench.serve(
        lambda request: replies.pop(0) if asks_summary(request) else looking(request), pace=1
    )
    engine = bench.engine(server)
    await engine.prompt("task one")
    await engine.prompt("task two")
    before = bench.session_path(engine).read_bytes()
    last = engine.history.prompts()[-1].entry_id
    result = await part(engine, last, "up_to")
    assert result.outcome == "error" and bench.session_path(engine).read_bytes() == before
    runner = Runner(parts_of(engine))
    run = asyncio.ensure_future(runner.summarize(last, "from"))
    while len(server.requests) < 6 or server.requests[-1].status != 200:
        await asyncio.sleep(0.01)
    runner.interrupt()
    assert (await run).outcome == "interrupted"
    assert bench.session_path(engine).read_bytes() == before


async def test_everything_from_the_first_prompt_on(bench: Bench) -> None:
    engine, server, prompts = await three(bench)
    parts = parts_of(engine)
    done = await summarize(parts.run_deps(parts).compact, prompts[0], "from")
    assert done.summary == "They greeted."
    await engine.prompt("task four")
    sent = server.requests[-1]
    assert sent.error == "" and "task three" not in texts_of(sent.body)


@pytest.mark.parametrize("refused_at", ["see", "last"])
@pytest.mark.parametrize("prompt", [1, 2])
async def test_an_image_that_was_refused_stays_left_out(
    bench: Bench, refused_at: str, prompt: int
) -> None:
    refused = 0

    def reply(request: ModelRequest) -> Reply:
        nonlocal refused
        body = json.dumps(request.body["messages"])
        if refused_at in body and '"base64"' in body:
            refused += 1
            return http_error(400, "Could not process image")
        return SUMMARY if asks_summary(request) else Reply([text("seen")])

    server = await bench.serve(reply)
    engine = bench.engine(server)
    for words in ("first", [{"type": "text", "text": "see"}, image_block(png(3, 2))], "last"):
        await engine.prompt(words)
    assert refused == 1
    point = engine.history.prompts()[prompt]
    result = await part(engine, point.entry_id, "up_to")
    assert result.outcome == "success", result
    await engine.prompt("last but one")
    await engine.history.branch()
    result = await engine.prompt("and the last")
    assert result is not None and result.outcome == "success" and refused == 1


async def test_the_first_thing_after_a_change_of_the_tools_may_be_a_compaction(
    bench: Bench,
) -> None:
    engine, server, _ = await three(bench)
    file = bench.session_path(engine)
    await engine.aclose()
    policy = bench.spec(server).policy
    deny = tuple(parse_rules(["Grep"], "deny", "flag", str(bench.project)).rules)
    again = bench.engine(server, model=STRICT, resume=file, policy=replace(policy, deny=deny))
    result = await again.history.compact()
    assert result.outcome == "success", result
