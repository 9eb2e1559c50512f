"""A reply as the Messages API sends it: server-sent events in order, or one message. Pure."""

from collections.abc import Iterator
from typing import Any

import msgspec

from agentcli.demo.reply import Reply
from agentcli.protocol.blocks import Block

_DELTAS = {"text": "text_delta", "thinking": "thinking_delta"}
_HELD = {"text": "text", "thinking": "thinking"}


def stop_reason_of(reply: Reply, blocks: list[Block]) -> str:
    """The scripted stop reason, else ``tool_use`` where a call is in it. Pure."""
    calls = any(block.get("type") == "tool_use" for block in blocks)
    return reply.stop_reason or ("tool_use" if calls else "end_turn")


def whole_message(
    reply: Reply, blocks: list[Block], message_id: str, model: str, usage: dict[str, Any]
) -> dict[str, Any]:
    """The body of a response that is not streamed. Pure."""
    message = _empty_message(message_id, model, usage)
    message.update(content=blocks, stop_reason=stop_reason_of(reply, blocks))
    if reply.stop_details is not None:
        message["stop_details"] = reply.stop_details
    return message


def stream_events(
    reply: Reply, blocks: list[Block], message_id: str, model: str, usage: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """The events in the API's order; ``message_delta`` carries the final usage. Pure."""
    first = {**usage, "output_tokens": 1}
    first.pop("output_tokens_details", None)
    yield {"type": "message_start", "message": _empty_message(message_id, model, first)}
    for index, block in enumerate(blocks):
        yield {"type": "content_block_start", "index": index, "content_block": _opened(block)}
        if index == 0:
            yield from ({"type": "ping"} for _ in range(reply.pings))
        for delta in _deltas(block, max(1, reply.chunk)):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    if reply.omit_stop:
        return
    if reply.error_event is not None and reply.fail_after is None:
        yield error_body(reply.error_event, reply.error_message)
        return
    delta: dict[str, Any] = {"stop_reason": stop_reason_of(reply, blocks), "stop_sequence": None}
    if reply.stop_details is not None:
        delta["stop_details"] = reply.stop_details
    yield {"type": "message_delta", "delta": delta, "usage": usage}
    yield {"type": "message_stop"}


def encode_event(event: dict[str, Any]) -> bytes:
    """One event in the wire form of server-sent events. Pure."""
    return b"event: " + event["type"].encode() + b"\ndata: " + msgspec.json.encode(event) + b"\n\n"


def error_body(kind: str, message: str, request_id: str | None = None) -> dict[str, Any]:
    """The API's error JSON, which is also the ``error`` event. Pure."""
    body: dict[str, Any] = {
        "type": "error",
        "error": {"type": kind, "message": message or kind.removesuffix("_error").capitalize()},
    }
    if request_id is not None:
        body["request_id"] = request_id
    return body


def _empty_message(message_id: str, model: str, usage: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }


def _opened(block: Block) -> Block:
    match block.get("type"):
        case "text":
            return {**block, "text": ""}
        case "thinking":
            return {"type": "thinking", "thinking": "", "signature": ""}
        case "tool_use":
            return {**block, "input": {}}
        case _:
            return block


def _deltas(block: Block, chunk: int) -> Iterator[dict[str, Any]]:
    kind = str(block.get("type"))
    if kind == "tool_use":
        # As seen on the wire: a first empty delta, and nothing more where the input is empty.
        yield {"type": "input_json_delta", "partial_json": ""}
        encoded = msgspec.json.encode(block["input"]).decode() if block["input"] else ""
        for piece in _pieces(encoded, chunk):
            yield {"type": "input_json_delta", "partial_json": piece}
    elif kind in _DELTAS:
        for piece in _pieces(str(block[_HELD[kind]]), chunk):
            yield {"type": _DELTAS[kind], _HELD[kind]: piece}
        if kind == "thinking":
            yield {"type": "signature_delta", "signature": block["signature"]}


def _pieces(value: str, chunk: int) -> Iterator[str]:
    return (value[i : i + chunk] for i in range(0, len(value), chunk))
