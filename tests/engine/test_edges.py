"""What gateways, bad moments and impatient people do to a run."""

import asyncio
import itertools
import json
from typing import Any

from agentcli.demo.reply import ModelRequest, Reply, http_error, text, thinking, tool_use
from agentcli.demo.stream import encode_event, stream_events
from agentcli.engine.engine import Engine
from agentcli.engine.settle import CUT_STREAM
from agentcli.protocol.asks import AskReply, AskRequest, Deny
from agentcli.protocol.blocks import Block
from agentcli.protocol.events import BlockDelta, Retrying, ToolFinished, ToolStarted
from tests.engine.conftest import Bench, settled
from tests.engine.test_run import results, results_of, steps, strip_marks
from tests.fakes.asker import ScriptedAsker


def gateway(*blocks: Block) -> Reply:
    """A response whose ids are always the same, or missing."""
    events = stream_events(Reply(), list(blocks), "msg_same", "m", {"input_tokens": "odd"})
    head = {"content-type": "text/event-stream"}
    return Reply(raw=b"".join(map(encode_event, events)), headers=head)


async def test_calls_keep_apart_where_a_gateway_gives_one_id_to_all(bench: Bench) -> None:
    calls = [tool_use("Bash", {"command": f"echo n{n}"}, "call_0") for n in range(2)]
    nameless = {"type": "tool_use", "name": "", "id": "", "input": {}}
    again = gateway(tool_use("Bash", {"command": "echo n2"}, "call_0"), nameless)
    server = await bench.serve(steps(gateway(*calls), again))
    engine = bench.engine(server)
    result = await engine.prompt("go")
    assert result is not None and result.outcome == "success"
    assert [e.error for e in server.requests] == [""] * 3
    first, second = (list(results(e.body).values()) for e in server.requests[1:])
    assert ["n0" in first[0][0], "n1" in first[1][0], "n2" in second[0][0]] == [True] * 3
    assert [m["role"] for m in server.requests[2].body["messages"]] == ["user", "assistant"] * 2 + [
        "user"
    ]


class InterruptingAsker(ScriptedAsker):
    """Stops the run from within the run's own task, and never waits."""

    engine: Engine

    async def ask(self, ask_id: str, request: AskRequest) -> AskReply:
        self.engine.interrupt()
        return Deny(stop_run=True)


async def test_an_interrupt_that_comes_as_the_run_ends_hits_nothing_else(bench: Bench) -> None:
    bench.asker = asker = InterruptingAsker()
    server = await bench.serve(steps(Reply([tool_use("Bash", {"command": "a; b"}, "b0")])))
    asker.engine = engine = bench.engine(server)
    result = await engine.prompt("go")
    assert result is not None and result.outcome == "interrupted"
    await asyncio.sleep(0)  # a cancel left over would be raised here
    again = await engine.prompt("and now")
    assert again is not None and again.outcome == "success"


async def test_calls_of_a_stream_that_is_cut_for_good_are_settled(bench: Bench) -> None:
    call = tool_use("Bash", {"command": "true"})
    server = await bench.serve(lambda _: Reply([call], omit_stop=True))
    engine = bench.engine(server)
    result = await engine.prompt("go")
    await settled(bench)
    assert result is not None and result.outcome == "error" and result.turns == 4
    assert [e.result.content for e in bench.of(ToolFinished)] == [CUT_STREAM] * 4
    log = bench.session_path(engine).read_text()
    assert log.count('"tool_result"') == log.count('"tool_use"') == 4


async def test_a_paused_turn_goes_on_and_the_thinking_after_it_stays_valid(bench: Bench) -> None:
    paused = Reply([text("so far")], stop_reason="pause_turn")
    more = Reply([thinking("hm"), tool_use("Glob", {"pattern": "*"})])

    def script(request: ModelRequest) -> Reply:
        return (paused, more, Reply([text("done")]))[min(request.turn, 2)]

    server = await bench.serve(script)
    result = await bench.engine(server).prompt("go")
    assert result is not None and result.outcome == "success", result
    bodies = [strip_marks(exchange.body)["messages"] for exchange in server.requests]
    for before, after in itertools.pairwise(bodies):
        assert after[: len(before)] == before


async def test_after_stop_no_other_question_of_the_group_is_put(bench: Bench) -> None:
    bench.asker = ScriptedAsker(Deny(stop_run=True))
    reads = [tool_use("Read", {"file_path": f"/somewhere/{n}"}, f"r{n}") for n in range(4)]
    server = await bench.serve(steps(Reply(reads)))
    engine = bench.engine(server)
    result = await engine.prompt("go")
    assert result is not None and result.outcome == "interrupted"
    assert len(bench.asker.asked) == 1
    await engine.prompt("and now")
    assert len(results_of(server.requests[-1].body)) == 4


async def test_clear_drops_what_is_typed_while_the_run_ends(bench: Bench) -> None:
    bash = Reply([tool_use("Bash", {"command": "trap '' TERM; sleep 30"}, "b0")])
    server = await bench.serve(steps(bash))
    engine = bench.engine(server, "bypassPermissions")
    run = asyncio.ensure_future(engine.prompt("go"))
    while not bench.of(ToolStarted):
        await asyncio.sleep(0.01)
    clearing = asyncio.ensure_future(engine.history.clear())
    await asyncio.sleep(0)
    assert await engine.prompt("too late") is None
    await clearing
    await run
    assert len(server.requests) == 1 and not engine.running


async def test_stopped_and_failed_runs_count_what_was_used(bench: Bench) -> None:
    glob = Reply([tool_use("Glob", {"pattern": "*"})])
    slow = Reply([text("word " * 500)], seconds_per_delta=0.02)
    server = await bench.serve(steps(glob, slow, http_error(400, "no")), pace=1)
    engine = bench.engine(server)
    run = asyncio.ensure_future(engine.prompt("go"))
    while not any(e.kind == "text" for e in bench.of(BlockDelta)):
        await asyncio.sleep(0.01)
    engine.interrupt()
    result = await run
    assert result is not None and (result.outcome, result.turns) == ("interrupted", 2)
    assert result.usage == engine.stats.usage and engine.stats.api_ms > 0
    sent = sum(n for kind, n in result.usage.items() if kind != "output_tokens")
    assert sent > 1.5 * engine.stats.context_tokens  # both requests, not only the finished one
    failed = await engine.prompt("more")
    assert failed is not None and (failed.outcome, failed.turns) == ("error", 1)


async def test_input_nested_to_the_parsers_limit_ends_in_a_result(bench: Bench) -> None:
    deep: dict[str, Any] = {"x": 1}
    for _ in range(700):
        deep = {"x": deep}
    events = list(stream_events(Reply(), [tool_use("Glob", {}, "t0")], "msg_1", "m", {}))
    delta = {"type": "input_json_delta", "partial_json": json.dumps(deep)}
    events.insert(3, {"type": "content_block_delta", "index": 0, "delta": delta})
    head = {"content-type": "text/event-stream"}
    raw = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)
    server = await bench.serve(steps(Reply(raw=raw, headers=head)), check=False)
    result = await bench.engine(server).prompt("go")
    assert result is not None and result.outcome == "success"
    assert results(server.requests[1].body)["t0"][1]


async def test_an_interrupt_ends_the_wait_before_a_retry(bench: Bench) -> None:
    server = await bench.serve(lambda _: http_error(529, retry_after="30"))
    engine = bench.engine(server)
    run = asyncio.ensure_future(engine.prompt("go"))
    while not bench.of(Retrying):
        await asyncio.sleep(0.01)
    engine.interrupt()
    result = await asyncio.wait_for(run, 5)
    assert result is not None and result.outcome == "interrupted"
