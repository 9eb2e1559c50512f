"""Runs from prompt to answer, over real HTTP, with real tools on a real folder."""

import asyncio
import itertools
import json
from dataclasses import replace
from typing import Any

import pytest

from agentcli.demo.reply import ModelRequest, Reply, text, thinking, tool_use
from agentcli.engine.settle import CUT_OUTPUT, CUT_STREAM, INTERRUPTED
from agentcli.permissions.rules import SourcedRule
from agentcli.protocol.asks import Allow, Deny
from agentcli.protocol.blocks import content_text
from agentcli.protocol.calls import ToolCall
from agentcli.protocol.errors import UsageError
from agentcli.protocol.events import (
    Answered,
    Asked,
    BlockDelta,
    BlockDropped,
    BlockFinished,
    HistoryChanged,
    MessageFinished,
    Notice,
    PromptAdded,
    Retrying,
    RunFinished,
    RunStarted,
    StateChanged,
    ToolFinished,
    ToolStarted,
)
from agentcli.protocol.prompts import Queued
from agentcli.protocol.rules import Rule, RuleUpdate
from tests.engine.conftest import Bench, settled
from tests.fakes.asker import ScriptedAsker


def steps(*replies: Reply) -> Any:
    """A script that gives the replies in order of the model's turns, then says "done"."""

    def script(request: ModelRequest) -> Reply:
        return replies[request.turn] if request.turn < len(replies) else Reply([text("done")])

    return script


def results(body: dict[str, Any]) -> dict[str, tuple[str, bool]]:
    blocks = body["messages"][-1]["content"]
    return {
        block["tool_use_id"]: (content_text(block["content"]), bool(block.get("is_error")))
        for block in blocks
        if block["type"] == "tool_result"
    }


async def test_one_prompt_gives_the_events_in_order(bench: Bench) -> None:
    server = await bench.serve(steps(Reply([thinking("hm"), text("hello there")])))
    engine = bench.engine(server)
    result = await engine.prompt("hi")
    await settled(bench)
    assert result is not None and (result.outcome, result.text) == ("success", "hello there")
    assert result.turns == 1 and result.usage["output_tokens"] > 0 and result.cost_usd > 0
    kinds = [type(event) for event in bench.events]
    assert kinds[0] is RunStarted and kinds[1] is PromptAdded and kinds[-1] is RunFinished
    deltas = "".join(e.text for e in bench.of(BlockDelta) if e.kind == "text")
    assert deltas == "hello there"
    assert [e.block["type"] for e in bench.of(BlockFinished)] == ["thinking", "text"]
    assert bench.of(MessageFinished)[0].stop_reason == "end_turn"


async def test_a_tool_round_is_logged_one_line_per_block(bench: Bench) -> None:
    (bench.project / "a.txt").write_text("alpha\n")
    read = tool_use("Read", {"file_path": str(bench.project / "a.txt")}, "t1")
    server = await bench.serve(steps(Reply([text("look"), read])))
    engine = bench.engine(server)
    await engine.prompt("read it")
    lines = [json.loads(x) for x in bench.session_path(engine).read_text().splitlines()]
    kinds = [
        (x["type"], x["message"]["content"][0]["type"])
        for x in lines
        if isinstance(x.get("message", {}).get("content"), list)
    ]
    assert kinds == [
        ("assistant", "text"),
        ("assistant", "tool_use"),
        ("user", "tool_result"),
        ("assistant", "text"),
    ]
    by_uuid = {x["uuid"]: x for x in lines if "uuid" in x}
    assert all(x.get("parentUuid") is None or x["parentUuid"] in by_uuid for x in lines)
    call = next(x for x in lines if x["type"] == "assistant" and x["message"]["stop_reason"])
    assert call["message"]["stop_reason"] == "tool_use"
    assert call["message"]["usage"]["output_tokens"] > 1
    reply = results(server.requests[1].body)["t1"]
    assert "alpha" in reply[0] and not reply[1]


async def test_reads_run_together_and_other_calls_one_by_one(bench: Bench) -> None:
    calls = [tool_use("Glob", {"pattern": f"*{n}"}, f"g{n}") for n in range(3)]
    calls += [tool_use("Bash", {"command": f"echo {n}; sleep 0.05"}, f"b{n}") for n in range(2)]
    server = await bench.serve(steps(Reply(calls)))
    engine = bench.engine(server)
    await engine.prompt("go")
    await settled(bench)
    spans = [
        (type(e).__name__, e.call.id)
        for e in bench.events
        if isinstance(e, ToolStarted | ToolFinished)
    ]
    assert [name for name, _ in spans[:3]] == ["ToolStarted"] * 3
    assert spans[-4:] == [
        ("ToolStarted", "b0"),
        ("ToolFinished", "b0"),
        ("ToolStarted", "b1"),
        ("ToolFinished", "b1"),
    ]
    assert set(results(server.requests[1].body)) == {"g0", "g1", "g2", "b0", "b1"}


async def test_questions_stand_one_at_a_time_and_always_settles_the_next(bench: Bench) -> None:
    edits = [
        tool_use("Write", {"file_path": str(bench.project / f"{n}.txt"), "content": "x"}, f"w{n}")
        for n in range(3)
    ]
    remember = (RuleUpdate(mode="acceptEdits"),)
    bench.asker = ScriptedAsker(Allow(remember=remember))
    server = await bench.serve(steps(Reply(edits)))
    engine = bench.engine(server)
    await engine.prompt("write")
    await settled(bench)
    assert len(bench.asker.asked) == 1 and engine.mode == "acceptEdits"
    assert sorted(path.name for path in bench.project.iterdir()) == ["0.txt", "1.txt", "2.txt"]
    assert len(bench.of(Asked)) == len(bench.of(Answered)) == 1


async def test_a_rule_given_with_always_counts_in_the_same_message(bench: Bench) -> None:
    rule = RuleUpdate(rules=(Rule("Bash", "touch *"),))
    bench.asker = ScriptedAsker(Allow(remember=(rule,)))
    calls = [tool_use("Bash", {"command": f"touch f{n}"}, f"b{n}") for n in range(2)]
    server = await bench.serve(steps(Reply(calls)))
    engine = bench.engine(server)
    await engine.prompt("touch")
    assert len(bench.asker.asked) == 1
    assert (bench.project / "f1").exists()


async def test_no_with_a_comment_goes_on_and_without_one_stops(bench: Bench) -> None:
    bash = [tool_use("Bash", {"command": "touch x; true"}, f"b{n}") for n in range(2)]
    bench.asker = ScriptedAsker(Deny("use python instead"), Deny(stop_run=True))
    server = await bench.serve(steps(Reply(bash)))
    engine = bench.engine(server)
    result = await engine.prompt("go")
    assert result is not None and result.outcome == "interrupted"
    assert len(server.requests) == 1 and not (bench.project / "x").exists()
    assert [denial.call.id for denial in result.denials] == ["b0", "b1"]
    await engine.prompt("and now")
    answered = server.requests[-1].body["messages"][2]["content"]
    assert "use python instead" in answered[0]["content"] and answered[1]["is_error"]


async def test_an_interrupt_in_the_stream_keeps_the_text_and_the_next_request_is_valid(
    bench: Bench,
) -> None:
    slow = Reply([thinking("think"), text("partial " * 500)], seconds_per_delta=0.02)
    server = await bench.serve(steps(slow, Reply([text("fine")])), pace=1)
    engine = bench.engine(server)
    run = asyncio.ensure_future(engine.prompt("go"))
    while not any(e.kind == "text" for e in bench.of(BlockDelta)):
        await asyncio.sleep(0.01)
    assert engine.interrupt() and engine.interrupt()
    result = await run
    assert result is not None and result.outcome == "interrupted"
    await settled(bench)
    kept = [e for e in bench.of(BlockFinished) if e.partial]
    assert len(kept) == 1 and kept[0].block["text"].startswith("part")
    again = await engine.prompt("go on")
    assert again is not None and again.outcome == "success"
    roles = [m["role"] for m in server.requests[-1].body["messages"]]
    assert roles == ["user", "assistant", "user"]


async def test_an_interrupt_in_a_tool_keeps_its_output(bench: Bench) -> None:
    command = {"command": "echo begun; sleep 30"}
    server = await bench.serve(
        steps(Reply([tool_use("Bash", command, "b0"), tool_use("Bash", command, "b1")]))
    )
    engine = bench.engine(server)
    run = asyncio.ensure_future(engine.prompt("go"))
    while not (bench.of(ToolStarted)):
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.4)
    engine.interrupt()
    result = await run
    assert result is not None and result.outcome == "interrupted"
    await settled(bench)
    first, second = (content_text(e.result.content) for e in bench.of(ToolFinished))
    assert "begun" in first and "Interrupted by the user" in first and second == INTERRUPTED
    assert (await engine.prompt("next")) is not None
    assert len(results_of(server.requests[-1].body)) == 2


def results_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    return [b for m in body["messages"] for b in m["content"] if b["type"] == "tool_result"]


async def test_an_interrupt_withdraws_the_question(bench: Bench) -> None:
    bench.asker = ScriptedAsker(hang=True)
    server = await bench.serve(steps(Reply([tool_use("Bash", {"command": "a; b"}, "b0")])))
    engine = bench.engine(server)
    run = asyncio.ensure_future(engine.prompt("go"))
    while not bench.asker.asked:
        await asyncio.sleep(0.01)
    engine.interrupt()
    result = await run
    await settled(bench)
    assert result is not None and result.outcome == "interrupted" and bench.asker.withdrawn == 1
    assert bench.of(Answered)[0].reply is None


async def test_an_outside_cancel_goes_on_and_leaves_a_whole_log(bench: Bench) -> None:
    bench.asker = ScriptedAsker(hang=True)
    server = await bench.serve(steps(Reply([tool_use("Bash", {"command": "a; b"}, "b0")])))
    engine = bench.engine(server)
    run = asyncio.ensure_future(engine.prompt("go"))
    while not bench.asker.asked:
        await asyncio.sleep(0.01)
    engine.interrupt()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    assert '"tool_result"' in bench.session_path(engine).read_text()
    assert not engine.running


async def test_prompts_typed_meanwhile_are_delivered_after_the_tools(bench: Bench) -> None:
    server = await bench.serve(steps(Reply([tool_use("Bash", {"command": "sleep 0.3"}, "b0")])))
    engine = bench.engine(server, "bypassPermissions")
    run = asyncio.ensure_future(engine.prompt("go"))
    while not bench.of(ToolStarted):
        await asyncio.sleep(0.01)
    assert await engine.prompt("one more thing") is None
    assert await engine.prompt("never mind") is None
    assert engine.take_back() == Queued("never mind")
    await run
    await settled(bench)
    assert len(server.requests) == 2
    content = server.requests[1].body["messages"][-1]["content"]
    assert [b["type"] for b in content] == ["tool_result", "text"]
    assert content[1]["text"] == "one more thing"
    queue = [e.value for e in bench.of(StateChanged) if e.what == "queue"]
    assert queue[-1] == ()


async def test_a_failed_call_never_breaks_the_loop(bench: Bench) -> None:
    calls = [
        tool_use("Nope", {}, "t0"),
        tool_use("Read", {"wrong": 1}, "t1"),
        tool_use("Read", {"file_path": str(bench.project / "missing")}, "t2"),
        tool_use("Bash", {"command": "exit 3"}, "t3"),
    ]
    server = await bench.serve(steps(Reply(calls)))
    engine = bench.engine(server, "bypassPermissions")
    result = await engine.prompt("go")
    assert result is not None and result.outcome == "success"
    given = results(server.requests[1].body)
    assert all(is_error for _, is_error in given.values()) and len(given) == 4
    assert "Tools: Bash" in given["t0"][0] and "file_path" in given["t1"][0]


async def test_retries_before_the_first_byte_are_told(bench: Bench) -> None:
    def script(request: ModelRequest) -> Reply:
        if request.attempt < 3:
            return Reply(status=529, headers={"retry-after-ms": "20"})
        return Reply([text("at last")])

    server = await bench.serve(script)
    engine = bench.engine(server)
    result = await engine.prompt("go")
    await settled(bench)
    assert result is not None and result.text == "at last"
    assert [(e.attempt, e.status) for e in bench.of(Retrying)] == [(1, 529), (2, 529)]


async def test_a_hopeless_error_ends_the_run_and_the_session_goes_on(bench: Bench) -> None:
    def script(request: ModelRequest) -> Reply:
        if request.prompt == "first":
            return Reply(status=401, error_message="invalid x-api-key")
        return Reply([text("ok")])

    server = await bench.serve(script)
    engine = bench.engine(server)
    result = await engine.prompt("first")
    assert result is not None and result.outcome == "error" and result.error_status == 401
    assert "ANTHROPIC_API_KEY" in (result.error or "")
    again = await engine.prompt("second")
    assert again is not None and again.text == "ok"


async def test_a_stream_cut_after_a_finished_block_goes_on_from_it(bench: Bench) -> None:
    call = tool_use("Bash", {"command": "touch never"}, "t1")

    def script(request: ModelRequest) -> Reply:
        if request.turn == 0:
            return Reply([text("first part"), call, text("x" * 40)], fail_after=20)
        return Reply([text("rest")])

    server = await bench.serve(script)
    engine = bench.engine(server, "bypassPermissions")
    result = await engine.prompt("go")
    await settled(bench)
    assert result is not None and result.outcome == "success" and result.text == "rest"
    assert not (bench.project / "never").exists()
    body = server.requests[1].body
    assert body["messages"][1]["content"][0] == text("first part")
    assert results(body).get("t1", (CUT_STREAM, True)) == (CUT_STREAM, True)
    assert any("lost" in e.text for e in bench.of(Notice))


async def test_a_stream_cut_before_a_finished_block_is_asked_again(bench: Bench) -> None:
    def script(request: ModelRequest) -> Reply:
        return Reply([text("whole answer")], fail_after=4 if request.attempt == 1 else None)

    server = await bench.serve(script)
    engine = bench.engine(server)
    result = await engine.prompt("go")
    await settled(bench)
    assert result is not None and result.text == "whole answer"
    assert len(bench.of(BlockDropped)) == 1 and len(bench.of(BlockFinished)) == 1
    assert "whole answer" not in json.dumps(server.requests[1].body)


async def test_calls_cut_by_the_output_limit_are_not_run(bench: Bench) -> None:
    call = tool_use("Bash", {"command": "touch never"}, "t1")
    server = await bench.serve(steps(Reply([call], stop_reason="max_tokens")))
    engine = bench.engine(server, "bypassPermissions")
    await engine.prompt("go")
    assert not (bench.project / "never").exists()
    assert results(server.requests[1].body)["t1"] == (CUT_OUTPUT, True)


async def test_calls_cut_at_the_limit_again_and_again_end_the_run(bench: Bench) -> None:
    call = Reply([tool_use("Bash", {"command": "touch never"})], stop_reason="max_tokens")
    server = await bench.serve(steps(*[call] * 9))
    engine = bench.engine(server, "bypassPermissions")
    result = await engine.prompt("go")
    assert result is not None and result.outcome == "error" and len(server.requests) == 4
    assert "smaller pieces" in (result.error or "")
    again = await engine.prompt("/again")
    assert again is not None and len(server.requests) > 4


@pytest.mark.parametrize("reason", ["refusal", "something_new"])
async def test_calls_of_a_response_that_did_not_mean_them_are_not_run(
    bench: Bench, reason: str
) -> None:
    call = tool_use("Bash", {"command": "touch never"}, "t1")
    server = await bench.serve(steps(Reply([call], stop_reason=reason)))
    engine = bench.engine(server, "bypassPermissions")
    result = await engine.prompt("go")
    assert not (bench.project / "never").exists() and len(server.requests) == 1
    assert result is not None and (result.outcome == "refused") == (reason == "refusal")


async def test_an_empty_answer_is_asked_for_once_more(bench: Bench) -> None:
    server = await bench.serve(steps(Reply([]), Reply([])))
    engine = bench.engine(server)
    result = await engine.prompt("go")
    await settled(bench)
    assert result is not None and result.turns == 2
    assert any("without an answer" in e.text for e in bench.of(Notice))


async def test_the_turn_limit(bench: Bench) -> None:
    loop = Reply([tool_use("Glob", {"pattern": "*"})])
    server = await bench.serve(steps(*[loop] * 9))
    engine = bench.engine(server, max_turns=2)
    result = await engine.prompt("go")
    assert result is not None and result.outcome == "max_turns" and result.turns == 2
    assert len(server.requests) == 2


async def test_clear_starts_a_new_session_and_keeps_the_old_one(bench: Bench) -> None:
    server = await bench.serve(steps())
    engine = bench.engine(server)
    await engine.prompt("the first words")
    old = engine.session_id
    path = bench.session_path(engine)
    size = path.stat().st_size
    await engine.history.clear()
    assert engine.session_id != old and engine.replay() == []
    await engine.prompt("two")
    await settled(bench)
    assert path.stat().st_size == size
    assert bench.of(HistoryChanged)[0].reason == "clear"
    assert "the first words" not in json.dumps(server.requests[1].body["messages"])


async def test_every_request_extends_the_one_before(bench: Bench) -> None:
    reads = [Reply([thinking("t"), tool_use("Glob", {"pattern": "*"})]) for _ in range(3)]
    server = await bench.serve(steps(*reads))
    engine = bench.engine(server)
    await engine.prompt("go")
    await engine.prompt("again")
    bodies = [strip_marks(exchange.body) for exchange in server.requests]
    assert len(bodies) == 5
    for before, after in itertools.pairwise(bodies):
        assert after["messages"][: len(before["messages"])] == before["messages"]
        assert (after["system"], after["tools"]) == (before["system"], before["tools"])


def strip_marks(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: strip_marks(v) for k, v in value.items() if k != "cache_control"}
    return [strip_marks(item) for item in value] if isinstance(value, list) else value


async def test_plan_mode_is_told_to_the_model_and_again_when_it_ends(bench: Bench) -> None:
    server = await bench.serve(steps())
    engine = bench.engine(server, "plan")
    await engine.prompt("look")
    engine.set_mode("default")
    await engine.prompt("now do it")
    first, second = (json.dumps(exchange.body["messages"]) for exchange in server.requests)
    assert "Plan mode is on" in first and "Plan mode is off" not in first
    assert "Plan mode is off" in second


async def test_the_model_can_be_changed_between_prompts(bench: Bench) -> None:
    server = await bench.serve(steps(Reply([thinking("old"), text("a")])))
    engine = bench.engine(server)
    await engine.prompt("one")
    engine.set_model("opus")
    await engine.prompt("two")
    assert server.requests[1].body["model"] == "claude-opus-5-5"
    assert "old" not in json.dumps(server.requests[1].body["messages"])
    with pytest.raises(UsageError):
        engine.set_model("sonett")


async def test_an_edit_that_would_fail_is_not_asked_about(bench: Bench) -> None:
    (bench.project / "a.txt").write_text("alpha\n")
    outside = bench.project.parent / "elsewhere.txt"
    outside.write_text("beta\n")
    edits = [
        tool_use("Edit", {"file_path": str(path), "old_string": "x", "new_string": "y"}, call_id)
        for path, call_id in ((bench.project / "a.txt", "t0"), (outside, "t1"))
    ]
    bench.asker = ScriptedAsker(Deny("no"))
    server = await bench.serve(steps(Reply(edits)))
    engine = bench.engine(server)
    await engine.prompt("go")
    given = results(server.requests[1].body)
    assert given["t0"][1] and "not allowed" not in given["t0"][0]
    # Outside the project even the reason of a failure is told only after a question.
    assert [request.call.id for request in bench.asker.asked] == ["t1"]


async def test_long_output_can_be_read_where_the_result_says(bench: Bench) -> None:
    def script(request: ModelRequest) -> Reply:
        if request.turn == 0:
            return Reply([tool_use("Bash", {"command": "seq 1 20000"}, "b0")])
        if request.turn == 1:
            (spilled,) = bench.home.glob("projects/*/*/tool-results/*")
            return Reply([tool_use("Read", {"file_path": str(spilled), "limit": 5}, "r0")])
        return Reply([text("done")])

    server = await bench.serve(script)
    rules = (SourcedRule(Rule("Bash", "seq *"), "flag", str(bench.project)),)
    policy = replace(bench.spec(server).policy, allow=rules)
    engine = bench.engine(server, policy=policy)
    await engine.prompt("go")
    reply = results(server.requests[2].body)["r0"]
    assert bench.asker.asked == [] and not reply[1] and "\n1\t1\n2\t2\n" in reply[0]
    other = bench.session_path(engine)
    assert engine._parts.gate.decide(ToolCall("x", "Read", {"file_path": str(other)})).behavior == (
        "ask"
    )
