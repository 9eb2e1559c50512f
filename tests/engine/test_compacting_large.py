"""Compacting what does not fit: made smaller step by step, at last without the model."""

import json
from base64 import b64encode
from pathlib import Path

import pytest

from agentcli.context.compact_rules import CompactRules
from agentcli.demo.fingerprint import estimate_tokens
from agentcli.demo.reply import ModelRequest, Reply, Script, http_error, text, thinking, tool_use
from agentcli.engine.engine import Engine
from agentcli.protocol.events import Compacted
from tests.engine.conftest import Bench, settled
from tests.engine.pictures import png
from tests.engine.test_compacting import SUMMARY, asks_summary, script, texts_of
from tests.engine.test_images import image


def refusing(limit: int, kind: str = "tokens") -> Script:
    """Like ``script``, but refuses what is over *limit* as the API does."""
    usual = script(SUMMARY)

    def reply(request: ModelRequest) -> Reply:
        tokens = estimate_tokens(json.dumps(request.body).encode())
        if tokens > limit and kind == "tokens":
            return http_error(400, f"prompt is too long: {tokens} tokens > {limit} maximum")
        if tokens > limit:
            return http_error(413, "Request exceeds the maximum size")
        return usual(request)

    return reply


async def filled(bench: Bench, turns: int = 6) -> Engine:
    """A session with big outputs, made where they still fit."""
    (bench.project / "big.txt").write_text("".join(f"line {n} of it\n" for n in range(1500)))

    def reply(request: ModelRequest) -> Reply:
        if request.calls:
            return Reply([thinking("hm"), text("read it")])
        return Reply(
            [thinking("so"), tool_use("Read", {"file_path": str(bench.project / "big.txt")})]
        )

    engine = bench.engine(await bench.serve(reply))
    for turn in range(turns):
        await engine.prompt(f"read number {turn}")
    await engine.aclose()
    return engine


@pytest.mark.parametrize("kind", ["tokens", "bytes"])
async def test_a_conversation_over_the_limit_is_made_smaller(bench: Bench, kind: str) -> None:
    old = await filled(bench)
    server = await bench.serve(refusing(15_000, kind))
    engine = bench.engine(server, resume=bench.session_path(old))
    result = await engine.history.compact()
    await settled(bench)
    assert result.outcome == "success", result.error
    sizes = [len(json.dumps(exchange.body)) for exchange in server.requests]
    assert sizes == sorted(set(sizes), reverse=True) and 2 <= len(sizes) <= 6
    assert bench.of(Compacted)[0].summary == "They greeted."
    last = await engine.prompt("go on")
    assert last is not None and last.outcome == "success"


async def test_where_nothing_fits_the_summary_is_made_without_the_model(bench: Bench) -> None:
    old = await filled(bench)
    server = await bench.serve(lambda _: http_error(400, "prompt is too long"))
    engine = bench.engine(server, resume=bench.session_path(old))
    result = await engine.history.compact()
    await settled(bench)
    assert result.outcome == "success"
    bodies = [json.dumps(exchange.body) for exchange in server.requests]
    assert len(set(bodies)) == len(bodies) <= 12
    summary = bench.of(Compacted)[0].summary
    assert "read number 5" in summary and "big.txt" in summary
    assert bench.of(Compacted)[0].post_tokens < bench.of(Compacted)[0].pre_tokens


async def test_a_session_twice_the_window_is_cut_before_it_is_sent(bench: Bench) -> None:
    usage = {"input_tokens": 400_000}
    server = await bench.serve(
        lambda request: SUMMARY if asks_summary(request) else Reply([text("y" * 900)], usage=usage)
    )
    engine = bench.engine(server, model="local-x", compact=CompactRules(auto=False))
    for turn in range(5):
        await engine.prompt(f"prompt {turn} " + "z" * 900)
    await engine.history.compact()
    sent = [len(texts_of(exchange.body)) for exchange in server.requests]
    assert sent[-1] < sent[-2] and "left out" in texts_of(server.requests[-1].body)


async def test_of_turns_that_are_left_out_a_few_notes_go_along(bench: Bench) -> None:
    server = await bench.serve(script(SUMMARY))
    engine = bench.engine(server)
    for turn in range(20):
        await engine.prompt(f"wish {turn} " + "z" * 2_000)
    server = await bench.serve(refusing(15_000))
    again = bench.engine(server, resume=(await closed(bench, engine)))
    result = await again.history.compact()
    assert result.outcome == "success"
    last = server.requests[-1].body["messages"]
    assert "beginning of this conversation is left out" in last[0]["content"][0]["text"]
    assert "wish 0" in last[-1]["content"][-1]["text"] and "wish 0" not in json.dumps(last[:-1])


async def closed(bench: Bench, engine: Engine) -> Path:
    await engine.aclose()
    return bench.session_path(engine)


async def test_a_body_that_is_too_large_goes_without_its_images(bench: Bench) -> None:
    (bench.project / "big.txt").write_text("".join(f"line {n} of it\n" for n in range(1500)))

    def reply(request: ModelRequest) -> Reply:
        if asks_summary(request):
            large = "image/png" in texts_of(request.body)
            return http_error(413, "Request exceeds the maximum size") if large else SUMMARY
        if request.calls:
            return Reply([text("read")])
        return Reply([tool_use("Read", {"file_path": str(bench.project / "big.txt")})])

    server = await bench.serve(reply)
    engine = bench.engine(server)
    await engine.prompt([text("what is this"), image("image/png", b64encode(png(8, 8)).decode())])
    await engine.history.compact()
    assert len(server.requests) == 4 and "[image]" in texts_of(server.requests[-1].body)
