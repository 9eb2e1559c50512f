"""The server over real HTTP: event order, splitting, errors, broken streams, figures."""

from typing import Any

import httpx2
import pytest

from agentcli.demo.reply import ModelRequest, Reply, http_error, text, thinking, tool_use
from agentcli.demo.server import ScriptedServer
from tests.demo.wire import (
    HEADERS,
    TOOLS,
    ask,
    assistant,
    call,
    fold,
    parse_sse,
    post,
    request_body,
    result,
    user,
    words,
)

FULL = [
    thinking("I think so."),
    text("Grüße, 世界 👍"),
    tool_use("Read", {"file_path": "/a b", "deep": {"list": [1, "é"]}}),
    tool_use("Bash", {}, "toolu_given"),
]


def always(*content: dict[str, Any], **fields: Any) -> Any:
    return lambda request: Reply(list(content), **fields)


def stream_body(messages: Any = "hi", **fields: Any) -> dict[str, Any]:
    return request_body(messages, stream=True, **fields)


async def test_stream_has_the_order_of_the_public_api() -> None:
    async with ScriptedServer(always(*FULL, chunk=1000)) as server:
        response = await post(server, stream_body())
    assert response.headers["content-type"].startswith("text/event-stream")
    assert response.headers["request-id"].startswith("req_")
    events = parse_sse(response.text)
    kinds = [
        event.get("delta", {}).get("type", event["type"])
        if event["type"] == "content_block_delta"
        else event["type"]
        for event in events
    ]
    start, stop = "content_block_start", "content_block_stop"
    assert kinds == [
        *("message_start", start, "ping", "thinking_delta", "signature_delta", stop),
        *(start, "text_delta", stop),
        *(start, "input_json_delta", "input_json_delta", stop),
        *(start, "input_json_delta", stop),
        *("message_delta", "message_stop"),
    ]
    first = events[0]["message"]
    assert (first["content"], first["stop_reason"], first["usage"]["output_tokens"]) == (
        [],
        None,
        1,
    )
    assert events[1]["content_block"] == {"type": "thinking", "thinking": "", "signature": ""}
    assert events[9]["content_block"] == {
        "type": "tool_use",
        "id": events[9]["content_block"]["id"],
        "name": "Read",
        "input": {},
    }
    # An empty input has one delta, and that is empty.
    assert events[14]["delta"] == {"type": "input_json_delta", "partial_json": ""}


@pytest.mark.parametrize("fields", [{}, {"split": 1}, {"split": 7}, {"chunk": 1}])
async def test_the_message_survives_every_cut(fields: dict[str, Any]) -> None:
    async with ScriptedServer(always(*FULL, **fields)) as server:
        message = await ask(server, "hi")
        whole = (await post(server, request_body("hi"))).json()
    kinds = [block["type"] for block in message["content"]]
    assert kinds == ["thinking", "text", "tool_use", "tool_use"]
    assert message["content"][0] == whole["content"][0]
    assert message["content"][0]["signature"]
    assert message["content"][1]["text"] == "Grüße, 世界 👍"
    assert message["content"][2]["input"] == FULL[2]["input"] == whole["content"][2]["input"]
    assert message["content"][2]["id"].startswith("toolu_")
    assert message["content"][3] == {**FULL[3], "id": "toolu_given"}
    assert message["stop_reason"] == whole["stop_reason"] == "tool_use"
    assert message["usage"]["output_tokens"] == whole["usage"]["output_tokens"] > 1


async def test_split_really_cuts_the_bytes() -> None:
    async with (
        ScriptedServer(always(text("hello"), split=1)) as server,
        httpx2.AsyncClient(base_url=server.base_url, trust_env=False) as client,
        client.stream("POST", "/v1/messages", json=stream_body(), headers=HEADERS) as response,
    ):
        sizes = {len(piece) async for piece in response.aiter_raw()}
    assert sizes == {1}


async def test_what_the_script_and_the_test_see() -> None:
    seen: list[ModelRequest] = []

    def script(request: ModelRequest) -> Reply:
        seen.append(request)
        return Reply([text("ok")])

    messages = [
        user("first"),
        assistant("yes"),
        user(words("second"), words("<system-reminder>x</system-reminder>")),
        assistant(call("toolu_a", file_path="f")),
        user(result("toolu_a", [words("con"), words("tent")], is_error=True)),
    ]
    async with ScriptedServer(script) as server:
        await post(server, request_body(messages, tools=TOOLS))
        await post(server, request_body(messages, tools=TOOLS))
        assert [exchange.body for exchange in server.requests] == [seen[0].body] * 2
        assert server.requests[0].headers["x-api-key"] == "test"
        assert (server.requests[0].status, server.requests[0].outcome) == (200, "complete")
    request = seen[0]
    assert request.prompt == "second"
    assert request.calls == (("toolu_a", "Read", {"file_path": "f"}, "content", True),)
    assert request.result_text("toolu_a") == "content"
    assert request.turn == 2
    assert "Read" in request.tools
    assert [request.attempt for request in seen] == [1, 2]


async def test_requests_are_not_kept_on_demand() -> None:
    async with ScriptedServer(always(text("a")), keep_requests=False) as server:
        await ask(server, "hi")
        assert server.requests == []


async def test_refusals_have_the_error_json() -> None:
    async with ScriptedServer(always(text("a")), api_key="k") as server:
        response = await post(server, request_body(), headers={**HEADERS, "x-api-key": "no"})
        assert response.status_code == 401
        body = response.json()
        assert body["error"] == {"type": "authentication_error", "message": "invalid x-api-key"}
        assert (body["type"], body["request_id"]) == ("error", response.headers["request-id"])
        good = {"anthropic-version": "2026-10-21", "authorization": "Bearer k"}
        assert (await post(server, request_body(), headers=good)).status_code == 200
        response = await post(server, request_body([]), headers=good)
        assert response.status_code == 400
        assert response.json()["error"]["message"] == "messages: at least one message is required"
        assert [exchange.outcome for exchange in server.requests] == [
            "refused",
            "complete",
            "refused",
        ]
        assert (await post(server, b"\xff\x00", headers=good)).status_code == 400


async def test_checks_can_be_turned_off() -> None:
    async with ScriptedServer(always(text("a")), check=False) as server:
        assert (await post(server, request_body([assistant("x")]))).status_code == 200


async def test_scripted_http_errors() -> None:
    replies = iter([http_error(529, retry_after="1"), http_error(429, "slow down", kind="x_error")])
    async with ScriptedServer(lambda request: next(replies)) as server:
        first = await post(server, stream_body())
        second = await post(server, stream_body())
        third = await post(server, stream_body())
    assert (first.status_code, first.headers["retry-after"]) == (529, "1")
    assert first.json()["error"] == {"type": "overloaded_error", "message": "Overloaded"}
    assert second.json()["error"] == {"type": "x_error", "message": "slow down"}
    # A script that raises is a server error, and the connection goes on.
    assert third.status_code == 500
    assert "StopIteration" in third.json()["error"]["message"]


async def read_until_cut(server: ScriptedServer) -> tuple[str, bool]:
    raw, cut = b"", False
    async with httpx2.AsyncClient(base_url=server.base_url, trust_env=False) as client:
        try:
            async with client.stream(
                "POST", "/v1/messages", json=stream_body(), headers=HEADERS
            ) as response:
                async for piece in response.aiter_raw():
                    raw += piece
        except httpx2.RemoteProtocolError:
            cut = True
    return raw.decode(), cut


async def test_the_connection_is_cut_after_some_events() -> None:
    async with ScriptedServer(always(text("abcdefgh"), fail_after=4)) as server:
        raw, cut = await read_until_cut(server)
        assert server.requests[0].outcome == "cut"
    assert cut
    assert [event["type"] for event in parse_sse(raw)] == [
        "message_start",
        "content_block_start",
        "ping",
        "content_block_delta",
    ]


async def test_the_connection_is_cut_inside_an_event() -> None:
    async with ScriptedServer(always(text("abcdefgh"), fail_after=4, fail_bytes=30)) as server:
        raw, cut = await read_until_cut(server)
    assert cut
    assert raw.endswith("\n\nevent: content_block_delta\ndat")


async def test_a_stream_without_its_stop() -> None:
    async with ScriptedServer(always(text("abc"), omit_stop=True)) as server:
        raw, cut = await read_until_cut(server)
    assert not cut
    assert parse_sse(raw)[-1]["type"] == "content_block_stop"


async def test_error_events() -> None:
    late = always(text("abc"), error_event="overloaded_error")
    early = always(text("abc"), error_event="api_error", error_message="broken", fail_after=2)
    async with ScriptedServer(late) as server:
        events = parse_sse((await post(server, stream_body())).text)
        assert events[-1] == {
            "type": "error",
            "error": {"type": "overloaded_error", "message": "Overloaded"},
        }
        assert events[-2]["type"] == "content_block_stop"
    async with ScriptedServer(early) as server:
        events = parse_sse((await post(server, stream_body())).text)
        assert [event["type"] for event in events] == [
            "message_start",
            "content_block_start",
            "error",
        ]
        assert events[-1]["error"]["message"] == "broken"


async def test_raw_bodies() -> None:
    raw = b"<html>not the API</html>"
    reply = always(raw=raw, status=502, headers={"content-type": "text/html"}, split=5)
    async with ScriptedServer(reply) as server:
        response = await post(server, stream_body())
    assert (response.status_code, response.content) == (502, raw)
    assert response.headers["content-type"] == "text/html"


async def test_pings_usage_stop_reason_and_other_blocks_as_scripted() -> None:
    odd = {"type": "redacted_thinking", "data": "abc"}
    reply = always(
        odd,
        text("no"),
        pings=3,
        usage={"input_tokens": 7},
        stop_reason="refusal",
        stop_details={"type": "refusal", "category": "cyber"},
    )
    async with ScriptedServer(reply) as server:
        events = parse_sse((await post(server, stream_body())).text)
        message = (await post(server, request_body())).json()
    assert [event["type"] for event in events].count("ping") == 3
    assert fold(events)["content"] == [odd, text("no")]
    assert events[-2]["usage"]["input_tokens"] == 7
    assert events[-2]["delta"]["stop_reason"] == message["stop_reason"] == "refusal"
    assert events[-2]["delta"]["stop_details"] == message["stop_details"]
