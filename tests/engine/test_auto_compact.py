"""Compacting by itself: in time, or when a request did not fit; and never in circles."""

import asyncio
import json
from typing import Any

import pytest

from agentcli.context.compact_rules import CompactRules
from agentcli.demo.reply import ModelRequest, Reply, http_error, text, thinking, tool_use
from agentcli.protocol.blocks import Block
from agentcli.protocol.events import (
    Compacted,
    Compacting,
    Notice,
    PromptAdded,
    RunFinished,
    ToolFinished,
)
from agentcli.session.compact_entries import is_boundary
from tests.engine.conftest import Bench, settled
from tests.engine.test_compacting import SUMMARY, asks_summary, texts_of
from tests.engine.test_compacting_large import filled, refusing

LOCAL = "local-x"
"""An unknown model: its window is taken to be 200,000 tokens, so 167,000 is the moment."""
LOOK: Block = tool_use("Bash", {"command": "echo looked"})
FULL = {"input_tokens": 167_000}


def summaries(server: Any) -> int:
    return sum("<summary>" in texts_of(exchange.body) for exchange in server.requests)


async def test_it_comes_before_the_request_that_would_be_too_large(bench: Bench) -> None:
    def reply(request: ModelRequest) -> Reply:
        if asks_summary(request):
            return SUMMARY
        return Reply([text("ok")], usage=FULL if "fill" in request.prompt else {})

    server = await bench.serve(reply)
    engine = bench.engine(server, model=LOCAL)
    await engine.prompt("first")
    await engine.prompt("fill it")
    assert summaries(server) == 0
    result = await engine.prompt("what next")
    await settled(bench)
    assert result is not None and (result.outcome, result.text, result.turns) == (
        "success",
        "ok",
        1,
    )
    asked, sent = (texts_of(exchange.body) for exchange in server.requests[-2:])
    assert "fill it" in asked and "what next" not in asked
    assert "They greeted." in sent and "what next" in sent and "fill it" not in sent
    assert sent.index("They greeted.") < sent.index("Working directory") < sent.index("what next")
    assert [event.content for event in bench.of(PromptAdded)] == ["first", "fill it", "what next"]
    done = bench.of(Compacted)[0]
    assert done.trigger == "auto" and done.pre_tokens >= 167_000 > done.post_tokens * 50
    # F174: the old figure does not count any more, and the file says it too
    await engine.prompt("and then")
    assert summaries(server) == 1
    path = engine.history.entries()
    assert is_boundary(path[0]) and path[0].data["compactMetadata"]["trigger"] == "auto"
    assert [point.text for point in engine.history.prompts()] == ["what next", "and then"]


async def test_what_came_since_the_last_figure_counts(bench: Bench) -> None:
    (bench.project / "big.txt").write_text("x" * 79 + "\n" + ("y" * 79 + "\n") * 1000)
    read = tool_use("Read", {"file_path": str(bench.project / "big.txt")})

    def reply(request: ModelRequest) -> Reply:
        if asks_summary(request):
            return SUMMARY
        if not request.calls and "conversation-summary" not in texts_of(request.body):
            return Reply([read], usage={"input_tokens": 155_000})
        return Reply([text("ok")])

    server = await bench.serve(reply)
    engine = bench.engine(server, model=LOCAL)
    await engine.prompt("read the big file")
    assert summaries(server) == 1


async def test_the_prompt_that_stays_is_one_that_can_be_gone_back_to(bench: Bench) -> None:
    write = tool_use("Write", {"file_path": str(bench.project / "new.txt"), "content": "x"})

    def reply(request: ModelRequest) -> Reply:
        if asks_summary(request):
            return SUMMARY
        if "make" in request.prompt and not request.calls:
            return Reply([write])
        return Reply([text("ok")], usage=FULL if "first" in request.prompt else {})

    server = await bench.serve(reply)
    engine = bench.engine(server, "bypassPermissions", bypass_enabled=True, model=LOCAL)
    await engine.prompt("first")
    await engine.prompt("make it")
    (point,) = engine.history.prompts()
    plan = await engine.history.plan_restore(point.entry_id)
    assert summaries(server) == 1 and [change.action for change in plan.changes] == ["delete"]


async def test_work_in_progress_goes_on_behind_the_summary(bench: Bench) -> None:
    def reply(request: ModelRequest) -> Reply:
        if asks_summary(request):
            return SUMMARY
        if "conversation-summary" in texts_of(request.body):
            return Reply([text("finished")])
        return Reply([thinking("hm"), LOOK], usage=FULL)

    server = await bench.serve(reply)
    engine = bench.engine(server, model=LOCAL)
    result = await engine.prompt("count the apples, all of them")
    await settled(bench)
    assert result is not None and (result.outcome, result.text) == ("success", "finished")
    assert [exchange.error for exchange in server.requests] == ["", "", ""]
    sent = texts_of(server.requests[-1].body)
    assert "count the apples, all of them" in sent and "word for word" in sent
    assert len(server.requests[-1].body["messages"]) == 1
    await engine.prompt("thanks")
    assert texts_of(server.requests[-1].body).count("Working directory") == 1


async def test_a_prompt_that_was_too_long_is_sent_again_shorter(bench: Bench) -> None:
    def reply(request: ModelRequest) -> Reply:
        if asks_summary(request):
            return SUMMARY
        if "third" in request.prompt and request.turn:
            return http_error(400, "prompt is too long: 9 tokens > 8 maximum")
        return Reply([text(f"echo {request.prompt}")])

    server = await bench.serve(reply)
    engine = bench.engine(server)
    await engine.prompt("first")
    await engine.prompt("second")
    result = await engine.prompt("third")
    assert result is not None and (result.outcome, result.text) == ("success", "echo third")
    kinds = ["<summary>" in texts_of(exchange.body) for exchange in server.requests]
    assert kinds == [False, False, False, True, False]


async def test_it_is_tried_once_then_the_refusal_is_told(bench: Bench) -> None:
    def reply(request: ModelRequest) -> Reply:
        if asks_summary(request):
            return SUMMARY
        if "huge" in request.prompt:
            return http_error(413, "Request exceeds the maximum size")
        return Reply([text("ok")])

    server = await bench.serve(reply)
    engine = bench.engine(server)
    refused = await engine.prompt("huge")  # nothing there that a summary could stand for
    assert refused is not None and refused.outcome == "error" and len(server.requests) == 1
    engine = bench.engine(server)
    await engine.prompt("first")
    before = len(server.requests)
    refused = await engine.prompt("huge")
    assert refused is not None and refused.outcome == "error" and "too long" in str(refused.error)
    assert len(server.requests) == before + 3
    engine = bench.engine(server, compact=CompactRules(auto=False))
    await engine.prompt("first")
    before = len(server.requests)
    refused = await engine.prompt("huge")
    assert refused is not None and refused.error and len(server.requests) == before + 1


async def test_a_window_that_filled_up_in_the_answer(bench: Bench) -> None:
    def reply(request: ModelRequest) -> Reply:
        if asks_summary(request):
            return SUMMARY
        if "conversation-summary" in texts_of(request.body):
            return Reply([text("finished")])
        return Reply([text("so far"), LOOK], stop_reason="model_context_window_exceeded")

    server = await bench.serve(reply)
    engine = bench.engine(server)
    result = await engine.prompt("tell me all")
    assert result is not None and (result.outcome, result.text) == ("success", "finished")
    assert summaries(server) == 1 and [exchange.error for exchange in server.requests] == [""] * 3
    await settled(bench)
    assert [event.result.outcome for event in bench.of(ToolFinished)] == ["skipped"]

    server = await bench.serve(
        lambda request: (
            SUMMARY
            if asks_summary(request)
            else Reply([text("so far")], stop_reason="model_context_window_exceeded")
        )
    )
    engine = bench.engine(server)
    result = await engine.prompt("tell me all")
    assert result is not None and result.outcome == "error" and "window" in str(result.error)
    assert len(server.requests) == 3


async def test_a_session_over_the_limit_is_resumed_by_compacting_first(bench: Bench) -> None:
    old = await filled(bench)
    server = await bench.serve(refusing(15_000))
    engine = bench.engine(server, resume=bench.session_path(old))
    result = await engine.prompt("go on")
    assert result is not None and (result.outcome, result.text) == ("success", "echo go on")
    bodies = [json.dumps(exchange.body) for exchange in server.requests]
    assert len(set(bodies)) == len(bodies) and "They greeted." in bodies[-1]


async def test_a_failure_is_told_and_the_work_goes_on(bench: Bench) -> None:
    asked = 0

    def reply(request: ModelRequest) -> Reply:
        nonlocal asked
        if asks_summary(request):
            return http_error(400, "no")
        asked += 1
        if asked == 6:
            return Reply([text("finished")])
        usage = {"input_tokens": 167_000 if asked < 4 else 180_000}
        return Reply([LOOK], usage=usage)

    server = await bench.serve(reply)
    engine = bench.engine(server, model=LOCAL)
    result = await engine.prompt("go")
    await settled(bench)
    assert result is not None and (result.outcome, result.text) == ("success", "finished")
    told = [event for event in bench.of(Notice) if event.text.startswith("Not compacted")]
    # F173: it is tried again, but only when there is more to win
    assert len(told) == len(bench.of(Compacting)) == summaries(server) == 2
    assert engine.stats.context_tokens < 167_000  # that of the last answer, not of a summary


async def test_an_interrupt_in_it_ends_the_run_and_keeps_the_conversation(bench: Bench) -> None:
    slow = Reply([text("<summary>" + "x" * 400)], seconds_per_delta=30)

    def reply(request: ModelRequest) -> Reply:
        return slow if asks_summary(request) else Reply([text("ok")], usage=FULL)

    server = await bench.serve(reply, pace=1)
    engine = bench.engine(server, model=LOCAL)
    await engine.prompt("first")
    told = engine.subscribe()

    async def stop() -> None:
        async for event in told:
            if isinstance(event, Compacting):
                engine.interrupt()
                return

    stopping = asyncio.ensure_future(stop())
    result = await engine.prompt("second")
    await stopping
    await settled(bench)
    assert result is not None and result.outcome == "interrupted"
    path = engine.history.entries()
    assert not any(map(is_boundary, path))
    assert [point.text for point in engine.history.prompts()] == ["first", "second"]
    assert bench.of(RunFinished)[-1].outcome == "interrupted"


@pytest.mark.parametrize(
    ("rules", "times"),
    [
        (CompactRules(auto=False), 0),
        (CompactRules(window=100_000), 1),
        (CompactRules(percent=50), 1),
        (CompactRules(), 0),
    ],
)
async def test_the_moment_is_a_matter_of_the_settings(
    bench: Bench, rules: CompactRules, times: int
) -> None:
    server = await bench.serve(
        lambda request: (
            SUMMARY
            if asks_summary(request)
            else Reply([text("ok")], usage={"input_tokens": 100_000})
        )
    )
    engine = bench.engine(server, model=LOCAL, compact=rules)
    await engine.prompt("first")
    await engine.prompt("second")
    assert summaries(server) == times


async def test_thinking_of_a_strict_model_survives_it_all(bench: Bench) -> None:
    """Every request is checked: blocks bound to what stands before them included."""

    def reply(request: ModelRequest) -> Reply:
        if asks_summary(request):
            return SUMMARY
        if len(request.calls) < 2:
            usage = FULL | {"input_tokens": 970_000} if len(request.calls) == 1 else {}
            return Reply([thinking("one"), LOOK, LOOK], usage=usage)
        return Reply([thinking("two"), text("done")])

    server = await bench.serve(reply)
    engine = bench.engine(server, model="claude-fable-5-1")
    for prompt in ("a", "b", "c"):
        await engine.prompt(prompt)
    assert [exchange.error for exchange in server.requests if exchange.error] == []
    assert json.dumps(server.requests[-1].body).count('"role": "assistant"') >= 1
