"""The person's /compact: a summary in the conversation's place, or everything as it was."""

import asyncio
import json
from typing import Any

import pytest

from agentcli.context.compact_rules import CompactRules
from agentcli.demo.reply import ModelRequest, Reply, Script, http_error, text, thinking, tool_use
from agentcli.engine.engine import Engine
from agentcli.protocol.errors import UsageError
from agentcli.protocol.events import (
    Compacted,
    Compacting,
    Retrying,
    RunFinished,
    RunStarted,
    StateChanged,
)
from agentcli.session.replay import replay
from tests.engine.conftest import Bench, settled
from tests.engine.test_run import results, strip_marks

SUMMARY = Reply([thinking("so"), text("<summary>\nThey greeted.\n</summary>")])
NOTICE = "You have reached your usage limit. It resets at 17:00."


def asks_summary(request: ModelRequest) -> bool:
    return "<summary>" in request.prompt


def script(*summaries: Reply) -> Script:
    """Echoes prompts; the requests for a summary get *summaries* in turn, the last for ever."""
    asked = iter(summaries)
    last = summaries[-1]

    def reply(request: ModelRequest) -> Reply:
        nonlocal last
        if asks_summary(request):
            last = next(asked, last)
            return last
        return Reply([thinking("hm"), text(f"echo {request.prompt}")])

    return reply


def lines_of(bench: Bench, engine: Engine) -> list[dict[str, Any]]:
    return [json.loads(line) for line in bench.session_path(engine).read_text().splitlines()]


def texts_of(body: dict[str, Any]) -> str:
    return json.dumps(body["messages"])


async def greeted(bench: Bench, *summaries: Reply, **changes: Any) -> tuple[Engine, Any]:
    server = await bench.serve(script(*(summaries or (SUMMARY,))))
    engine = bench.engine(server, **changes)
    await engine.prompt("hello one")
    await engine.prompt("hello two")
    await settled(bench)
    bench.events.clear()
    return engine, server


async def test_the_next_request_holds_the_summary_and_nothing_before_it(bench: Bench) -> None:
    engine, server = await greeted(bench)
    old_leaf = engine.history.entries()[-1].uuid
    result = await engine.history.compact("")
    await settled(bench)
    assert result.outcome == "success" and result.text.startswith("Compacted: ")
    assert result.usage["output_tokens"] > 0 and "\n" not in result.text
    await engine.prompt("go on")
    body = server.requests[-1].body
    assert server.requests[-1].error == "" and len(body["messages"]) == 1
    sent = texts_of(body)
    assert "They greeted." in sent and "go on" in sent and "hello" not in sent
    assert "<system-reminder>" in sent  # the facts are told anew, once
    assert sent.count("Working directory") == 1
    lines = lines_of(bench, engine)
    at = next(i for i, line in enumerate(lines) if line.get("subtype") == "compact_boundary")
    boundary, summary = lines[at : at + 2]
    assert boundary["parentUuid"] is None and boundary["logicalParentUuid"] == old_leaf
    assert boundary["type"] == "system" and boundary["level"] == "info" and boundary["content"]
    metadata = boundary["compactMetadata"]
    assert metadata["trigger"] == "manual" and metadata["durationMs"] >= 0
    assert metadata["preTokens"] > metadata["postTokens"] > 0
    assert summary["parentUuid"] == boundary["uuid"] and summary["type"] == "user"
    assert summary["isCompactSummary"] is summary["isVisibleInTranscriptOnly"] is True


async def test_only_the_compaction_is_told_not_the_answer(bench: Bench) -> None:
    engine, _ = await greeted(bench)
    await engine.history.compact("")
    await settled(bench)
    kinds = [type(event) for event in bench.events]
    assert kinds == [RunStarted, Compacting, Compacted, StateChanged, RunFinished]
    done = bench.of(Compacted)[0]
    assert (done.trigger, done.summary, done.side) == ("manual", "They greeted.", "all")
    assert bench.of(StateChanged)[0].value == done.post_tokens == engine.stats.context_tokens
    assert list(replay(engine.history.entries())) == [done]


async def test_the_request_is_the_conversation_and_the_wish_behind_it(bench: Bench) -> None:
    engine, server = await greeted(bench)
    await engine.history.compact("the  greeting words ")
    before, asked = strip_marks(server.requests[1].body), strip_marks(server.requests[2].body)
    assert {**asked, "messages": 0, "max_tokens": 0} == {**before, "messages": 0, "max_tokens": 0}
    known = before["messages"]
    assert asked["messages"][: len(known)] == known
    answer, ask = asked["messages"][len(known) :]
    assert answer["role"] == "assistant" and answer["content"][0]["type"] == "thinking"
    assert [block["type"] for block in ask["content"]] == ["text"]
    assert ask["content"][0]["text"].endswith("the  greeting words")


async def test_files_must_be_read_again(bench: Bench) -> None:
    file = bench.project / "a.txt"
    file.write_text("alpha\n")
    edit = {"file_path": str(file), "old_string": "alpha", "new_string": "beta"}

    def reply(request: ModelRequest) -> Reply:
        if asks_summary(request):
            return SUMMARY
        if request.calls:
            return Reply([text("done")])
        name, values = (
            ("Edit", edit) if "edit" in request.prompt else ("Read", {"file_path": str(file)})
        )
        return Reply([tool_use(name, values)])

    server = await bench.serve(reply)
    engine = bench.engine(server, "bypassPermissions", bypass_enabled=True)
    await engine.prompt("read")
    await engine.history.compact()
    await engine.prompt("edit")
    (answer,) = results(server.requests[-1].body).values()
    assert answer[1] and file.read_text() == "alpha\n"


async def test_too_little_to_compact_is_one_line_and_no_run(bench: Bench) -> None:
    server = await bench.serve(script(SUMMARY))
    engine = bench.engine(server)
    with pytest.raises(UsageError, match="too little"):
        await engine.history.compact()
    await engine.prompt("hi")
    await engine.history.compact()
    await settled(bench)
    bench.events.clear()
    with pytest.raises(UsageError, match="too little"):
        await engine.history.compact()
    assert not bench.events and not engine.running and len(server.requests) == 2
    off = bench.engine(server, compact=CompactRules(auto=False, manual=False))
    await off.prompt("hi")
    with pytest.raises(UsageError, match="DISABLE_COMPACT"):
        await off.history.compact()


async def test_it_waits_for_nothing_that_runs(bench: Bench) -> None:
    server = await bench.serve(lambda _: Reply([text("x" * 400)], seconds_per_delta=5), pace=1)
    engine = bench.engine(server)
    run = asyncio.ensure_future(engine.prompt("hi"))
    await asyncio.sleep(0)
    with pytest.raises(UsageError, match="a turn is on"):
        await engine.history.compact()
    engine.interrupt()
    await run


async def unchanged(bench: Bench, engine: Engine, server: Any, before: bytes) -> None:
    """The file is as it was, and so is what the model sees."""
    assert bench.session_path(engine).read_bytes() == before
    known = len(server.requests)
    await engine.prompt("and now")
    sent = texts_of(server.requests[known].body)
    assert "hello one" in sent and "hello two" in sent and "conversation-summary" not in sent
    assert server.requests[known].error == ""


async def test_an_interrupt_leaves_everything_as_it_was(bench: Bench) -> None:
    slow = Reply([text("<summary>" + "x" * 400)], seconds_per_delta=30)
    server = await bench.serve(script(slow), pace=1)
    engine = bench.engine(server)
    await engine.prompt("hello one")
    await engine.prompt("hello two")
    before = bench.session_path(engine).read_bytes()
    tokens = engine.stats.context_tokens
    run = asyncio.ensure_future(engine.history.compact())
    while len(server.requests) < 3 or server.requests[-1].status != 200:
        await asyncio.sleep(0.01)
    assert engine.interrupt()
    result = await run
    await settled(bench)
    assert result.outcome == "interrupted" and not bench.of(Compacted)
    assert engine.stats.context_tokens == tokens and not engine.running
    await unchanged(bench, engine, server, before)


@pytest.mark.parametrize(
    "failure",
    [
        http_error(400, "credit balance is too low"),
        http_error(429, "limit", retry_after="600"),
        Reply([text(NOTICE)]),
        Reply([text("I will not.")], stop_reason="refusal"),
    ],
)
async def test_what_is_no_summary_changes_nothing(bench: Bench, failure: Reply) -> None:
    engine, server = await greeted(bench, failure)
    before = bench.session_path(engine).read_bytes()
    result = await engine.history.compact()
    await settled(bench)
    assert result.outcome == "error" and result.error
    assert bench.of(RunFinished)[-1].error == result.error and not bench.of(Compacted)
    bodies = [json.dumps(exchange.body) for exchange in server.requests]
    assert len(set(bodies)) == len(bodies)
    await unchanged(bench, engine, server, before)


async def test_a_busy_server_is_asked_again(bench: Bench) -> None:
    cut = Reply([text("<summary>half of it")], fail_after=5)
    engine, _ = await greeted(bench, http_error(529, "busy", retry_after="0"), cut, SUMMARY)
    result = await engine.history.compact()
    await settled(bench)
    assert result.outcome == "success" and len(bench.of(Retrying)) == 2
    assert bench.of(Compacted)[0].summary == "They greeted."


async def test_calls_in_place_of_a_summary_are_not_run(bench: Bench) -> None:
    calls = Reply([text("First I look. " * 20), tool_use("Bash", {"command": "touch made"})])
    engine, server = await greeted(bench, calls, SUMMARY)
    result = await engine.history.compact()
    assert result.outcome == "success" and len(server.requests) == 4
    assert "no tool" in server.requests[-1].body["messages"][-1]["content"][-1]["text"]
    assert not (bench.project / "made").exists()
    assert "made" not in bench.session_path(engine).read_text()


async def test_a_model_that_only_calls_tools_gets_a_summary_made_without_it(bench: Bench) -> None:
    engine, server = await greeted(bench, Reply([tool_use("Bash", {"command": "ls"})]))
    result = await engine.history.compact()
    await settled(bench)
    summary = bench.of(Compacted)[0].summary
    assert result.outcome == "success" and len(server.requests) == 4
    assert "hello one" in summary and "hello two" in summary and "echo" in summary


async def test_a_compacted_session_is_resumed_compacted(bench: Bench) -> None:
    engine, server = await greeted(bench)
    await engine.history.compact()
    await engine.aclose()
    again = bench.engine(server, resume=bench.session_path(engine))
    await settled(bench)
    events = again.replay()
    assert [type(event) for event in events] == [Compacted]
    assert again.stats.context_tokens == getattr(events[0], "post_tokens", None)
    await again.prompt("go on")
    assert "hello" not in texts_of(server.requests[-1].body)
    assert "They greeted." in texts_of(server.requests[-1].body)


async def test_three_compactions_show_the_newest(bench: Bench) -> None:
    replies = [Reply([text(f"<summary>summary {n}</summary>")]) for n in range(3)]
    engine, server = await greeted(bench, *replies)
    for n in range(3):
        await engine.history.compact()
        await engine.prompt(f"after {n}")
    await engine.aclose()
    again = bench.engine(server, resume=bench.session_path(engine))
    await again.prompt("and")
    sent = texts_of(server.requests[-1].body)
    assert "summary 2" in sent and "after 2" in sent
    assert "summary 1" not in sent and "after 1" not in sent
