"""The fold: strict about order and tool input, tolerant where nothing is lost."""

import time
from typing import Any

import pytest

from agentcli.protocol.errors import BadResponse, Overloaded, StreamCut
from agentcli.protocol.payload import (
    BlockDone,
    BlockStart,
    BlockText,
    MessageStart,
    MessageStop,
    ModelEvent,
)
from agentcli.provider.accumulate import Accumulator
from tests.provider.raw_server import block, end, json_delta, plain, start, text_delta

TOOL = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}


def fold(events: list[dict[str, Any]]) -> list[ModelEvent]:
    accumulator = Accumulator()
    folded = [out for event in events for out in accumulator.feed(event)]
    accumulator.finish()
    return folded


def done(content: dict[str, Any], *deltas: dict[str, Any]) -> BlockDone:
    folded = fold([start(), *block(0, content, *deltas), *end()])
    return next(event for event in folded if isinstance(event, BlockDone))


def test_plain_answer_in_full() -> None:
    events = [{"type": "request_id", "request_id": "req_1"}, *plain("abcd")]
    usage = {"input_tokens": 10, "cache_read_input_tokens": 4, "output_tokens": 1}
    assert fold(events) == [
        MessageStart("msg_1", "m", usage, "req_1"),
        BlockStart(0, "text"),
        BlockText(0, "text", "ab"),
        BlockText(0, "text", "cd"),
        BlockDone(0, {"type": "text", "text": "abcd"}),
        MessageStop("end_turn", {**usage, "output_tokens": 7}),
    ]


def test_thinking_keeps_the_last_signature() -> None:
    result = done(
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": "hm "},
        {"type": "signature_delta", "signature": "first"},
        {"type": "thinking_delta", "thinking": "so"},
        {"type": "signature_delta", "signature": "last"},
    )
    assert result.block == {"type": "thinking", "thinking": "hm so", "signature": "last"}


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (['{"a"', ': "ü', '"}'], {"a": "ü"}),
        ([], {}),
        (["", " \n"], {}),
        (['{"n": 1e2, "deep": {"x": [null]}}'], {"n": 100.0, "deep": {"x": [None]}}),
    ],
)
def test_tool_input(pieces: list[str], expected: dict[str, Any]) -> None:
    result = done(TOOL, *map(json_delta, pieces))
    assert (result.block, result.input_error) == ({**TOOL, "input": expected}, None)


@pytest.mark.parametrize(
    "text", ['{"command": "rm -rf build', '{"a": 1,}', "[1]", '"x"', "{} {}", "[" * 9999]
)
def test_unusable_tool_input_is_not_repaired(text: str) -> None:
    result = done(TOOL, json_delta(text))
    assert result.block == {**TOOL, "input": {}}
    assert result.input_error is not None
    assert "not" in result.input_error


@pytest.mark.parametrize(
    ("given", "expected", "has_error"),
    [({"a": 1}, {"a": 1}, False), (None, {}, False), ("a", {}, True), ([], {}, True)],
)
def test_tool_input_given_at_the_start(given: object, expected: object, has_error: bool) -> None:
    result = done({**TOOL, "input": given})
    assert result.block["input"] == expected
    assert (result.input_error is not None) is has_error


def test_parallel_tool_calls_may_interleave() -> None:
    first, second = {**TOOL, "id": "a"}, {**TOOL, "id": "b", "name": "Read"}
    a, b = block(0, first, json_delta('{"x":1}')), block(1, second, json_delta('{"y":2}'))
    folded = fold([start(), a[0], b[0], b[1], a[1], a[2], b[2], *end("tool_use")])
    assert [e for e in folded if isinstance(e, BlockDone | BlockStart)] == [
        BlockStart(0, "tool_use", "Bash"),
        BlockStart(1, "tool_use", "Read"),
        BlockDone(0, {**first, "input": {"x": 1}}),
        BlockDone(1, {**second, "input": {"y": 2}}),
    ]


@pytest.mark.parametrize(
    "content",
    [
        {"type": "later_kind", "payload": {"x": [1]}, "input": "not ours"},
        {"type": "redacted_thinking", "data": "opaque"},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"type": "r"}]},
        {"type": "fallback"},
    ],
)
def test_unknown_blocks_survive_as_received(content: dict[str, Any]) -> None:
    result = done(content, {"type": "later_delta", "x": 1}, text_delta("not for this block"))
    assert result.block == content
    assert result.input_error is None


def test_known_deltas_reach_unknown_blocks_that_have_the_field() -> None:
    assert done({"type": "later", "text": "a"}, text_delta("b")).block["text"] == "ab"


def test_citations_are_appended() -> None:
    cite = [{"type": "citations_delta", "citation": {"n": n}} for n in (1, 2)]
    content: dict[str, Any] = {"type": "text", "text": "", "citations": None}
    assert done(content, *cite).block["citations"] == [{"n": 1}, {"n": 2}]
    assert content["citations"] is None


def test_raw_events_are_not_changed() -> None:
    events = [start(), *block(0, TOOL, json_delta("{}")), *end()]
    before = repr(events)
    fold(events)
    assert repr(events) == before


def test_usage_is_overwritten_and_null_means_unchanged() -> None:
    later: dict[str, Any] = {
        "input_tokens": None,
        "cache_read_input_tokens": 0,
        "server_tool_use": {"n": 1},
    }
    stop = fold([start(), *end("end_turn", **later)])[-1]
    assert isinstance(stop, MessageStop)
    assert stop.usage == {
        "input_tokens": 10,
        "cache_read_input_tokens": 0,
        "output_tokens": 7,
        "server_tool_use": {"n": 1},
    }


def test_refusal_details() -> None:
    delta = {"stop_reason": "refusal", "stop_details": {"category": "cyber"}}
    events = [start(), {"type": "message_delta", "delta": delta}, {"type": "message_stop"}]
    assert fold(events)[-1] == MessageStop(
        "refusal", start()["message"]["usage"], None, {"category": "cyber"}
    )


def test_gateways_that_leave_things_out() -> None:
    events = [{"type": "message_start"}, {"type": "later"}, {"type": "ping"}, *end()]
    assert fold(events) == [
        MessageStart("", "", {}),
        MessageStop("end_turn", {"output_tokens": 7}),
    ]


_TEXT = block(0, {"type": "text", "text": ""}, text_delta("x"))


@pytest.mark.parametrize(
    "events",
    [
        [_TEXT[0]],
        [start(), start()],
        [start(), _TEXT[1]],
        [start(), _TEXT[2]],
        [start(), _TEXT[0], _TEXT[0]],
        [start(), *_TEXT, _TEXT[1]],
        [start(), _TEXT[0], *end()],
        [start(), *end(), _TEXT[0]],
        [start(), *end(), {"type": "message_stop"}],
        [{"type": "message_stop"}],
        [{"type": "message_delta", "delta": {}}],
        [start(), {"type": "content_block_start", "index": 0}],
        [start(), {"type": "content_block_start", "content_block": {"type": "text"}}],
    ],
)
def test_wrong_order_is_refused(events: list[dict[str, Any]]) -> None:
    with pytest.raises(BadResponse):
        fold(events)


def test_message_stop_is_required() -> None:
    accumulator = Accumulator()
    for event in [start(), *_TEXT[:2]]:
        accumulator.feed(event)
    assert accumulator.open_blocks() == [(0, {"type": "text", "text": "x"})]
    with pytest.raises(StreamCut):
        accumulator.finish()


def test_error_event_raises_its_type() -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}
    with pytest.raises(Overloaded, match="Busy"):
        fold([start(), error])


def test_a_large_input_is_folded_in_linear_time() -> None:
    text = '{"content": "' + "x" * 4_000_000 + '"}'
    deltas = [json_delta(text[i : i + 20]) for i in range(0, len(text), 20)]
    before = time.process_time()
    assert len(done(TOOL, *deltas).block["input"]["content"]) == 4_000_000
    assert time.process_time() - before < 5
