"""A hand-written client for the tests: bodies, server-sent events, folding into a message."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import httpx2

from agentcli.demo.server import ScriptedServer

HEADERS = {"anthropic-version": "2026-10-21", "x-api-key": "test"}
MODEL = "claude-sonnet-5-5"


def tool(name: str) -> dict[str, Any]:
    return {"name": name, "input_schema": {"type": "object"}}


TOOLS = [tool(name) for name in ("Read", "Grep", "Edit", "Write", "Bash")]


def request_body(messages: Any = "hi", **fields: Any) -> dict[str, Any]:
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    return {"model": MODEL, "max_tokens": 1000, "messages": messages, **fields}


def user(*content: Any) -> dict[str, Any]:
    if len(content) == 1 and isinstance(content[0], str):
        return {"role": "user", "content": content[0]}
    return {"role": "user", "content": list(content)}


def assistant(*content: Any) -> dict[str, Any]:
    return {**user(*content), "role": "assistant"}


def call(call_id: str, name: str = "Read", **fields: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": name, "input": fields}


def result(call_id: str, content: Any = "ok", **fields: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **fields}


def words(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


async def post(
    server: ScriptedServer,
    body: Any,
    *,
    path: str = "/v1/messages",
    headers: dict[str, str] | None = None,
) -> httpx2.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    async with httpx2.AsyncClient(base_url=server.base_url, timeout=20, trust_env=False) as client:
        return await client.post(path, content=content, headers=headers or HEADERS)


def parse_sse(raw: str) -> list[dict[str, Any]]:
    events = []
    for part in raw.split("\n\n"):
        if not part:
            continue
        name, data = part.split("\n")
        event = json.loads(data.removeprefix("data: "))
        assert name == f"event: {event['type']}"
        events.append(event)
    return events


def fold(events: list[dict[str, Any]]) -> dict[str, Any]:
    """The message that the events describe; follows the public rules of accumulation."""
    message: dict[str, Any] = {}
    partial: dict[int, str] = {}
    for event in events:
        match event["type"]:
            case "message_start":
                message = dict(event["message"], content=[])
            case "content_block_start":
                assert event["index"] == len(message["content"])
                message["content"].append(dict(event["content_block"]))
                partial[event["index"]] = ""
            case "content_block_delta":
                block, delta = message["content"][event["index"]], event["delta"]
                match delta["type"]:
                    case "text_delta":
                        block["text"] += delta["text"]
                    case "thinking_delta":
                        block["thinking"] += delta["thinking"]
                    case "signature_delta":
                        block["signature"] = delta["signature"]
                    case "input_json_delta":
                        partial[event["index"]] += delta["partial_json"]
                    case _:
                        raise AssertionError(delta)
            case "content_block_stop":
                block = message["content"][event["index"]]
                if block["type"] == "tool_use":
                    block["input"] = json.loads(partial[event["index"]] or "{}")
            case "message_delta":
                message["stop_reason"] = event["delta"]["stop_reason"]
                message["usage"] = {**message["usage"], **event["usage"]}
            case _:
                pass
    return message


async def until(condition: Callable[[], bool]) -> None:
    """Wait up to three seconds for *condition*."""
    for _ in range(300):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it did not happen")


async def ask(server: ScriptedServer, messages: Any, **fields: Any) -> dict[str, Any]:
    """One streamed request; the folded message."""
    response = await post(server, request_body(messages, stream=True, **fields))
    assert response.status_code == 200, response.text
    events = parse_sse(response.text)
    assert events[-1]["type"] == "message_stop"
    return fold(events)
