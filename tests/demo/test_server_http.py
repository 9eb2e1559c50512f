"""The server as a server: times, stopping, other endpoints, keep-alive, limits, broken HTTP."""

import asyncio
import http.client
import json
import time
from typing import Any

import httpx2
import pytest

from agentcli.demo.reply import Reply, text
from agentcli.demo.server import ScriptedServer
from tests.demo.wire import (
    HEADERS,
    ask,
    fold,
    parse_sse,
    post,
    request_body,
    until,
    words,
)


def always(*content: dict[str, Any], **fields: Any) -> Any:
    return lambda request: Reply(list(content), **fields)


def stream_body(messages: Any = "hi", **fields: Any) -> dict[str, Any]:
    return request_body(messages, stream=True, **fields)


async def test_times_are_kept_by_the_clock_and_scaled_by_pace() -> None:
    reply = always(text("x" * 400), chunk=1, seconds_per_delta=0.001, delay=0.1)
    async with ScriptedServer(reply) as server:
        begun = time.monotonic()
        await ask(server, "hi")
        assert 0.5 <= time.monotonic() - begun < 1.5
    async with ScriptedServer(always(text("x"), seconds_per_delta=9, delay=9), pace=0) as server:
        begun = time.monotonic()
        await ask(server, "hi")
        assert time.monotonic() - begun < 2


async def test_head_comes_before_the_first_slow_event_and_a_gone_client_is_noticed() -> None:
    async with ScriptedServer(always(text("x" * 4000), seconds_per_delta=0.01)) as server:
        async with (
            httpx2.AsyncClient(base_url=server.base_url, trust_env=False) as client,
            client.stream("POST", "/v1/messages", json=stream_body(), headers=HEADERS) as response,
        ):
            assert response.status_code == 200
            async for _ in response.aiter_raw():
                break
        await until(lambda: server.requests[0].outcome == "client_gone")


async def test_stop_ends_answers_in_flight_at_once() -> None:
    server = ScriptedServer(always(text("x"), delay=60))
    await server.start()
    pending = asyncio.create_task(post(server, stream_body()))
    await until(lambda: bool(server.requests))
    begun = time.monotonic()
    await server.stop()
    await server.stop()
    assert time.monotonic() - begun < 2
    with pytest.raises(httpx2.TransportError):
        await pending


async def test_count_tokens_models_and_warm_up() -> None:
    async with ScriptedServer(always(text("a"))) as server:
        body = request_body("x" * 400)
        del body["max_tokens"]
        counted = await post(server, body, path="/v1/messages/count_tokens")
        assert 100 <= counted.json()["input_tokens"] < 120
        refused = await post(server, {**body, "messages": []}, path="/v1/messages/count_tokens")
        assert refused.status_code == 400
        async with httpx2.AsyncClient(base_url=server.base_url, trust_env=False) as client:
            models = (await client.get("/v1/models?limit=5")).json()
            ids = [model["id"] for model in models["data"]]
            assert "claude-sonnet-5-5" in ids
            haiku = (await client.get("/v1/models/claude-haiku-4-5-20251001")).json()
            assert (haiku["max_input_tokens"], haiku["max_tokens"]) == (200_000, 64_000)
            assert haiku["capabilities"]["thinking"]["types"]["adaptive"] == {"supported": False}
            assert (await client.get("/v1/models/none")).status_code == 404
            assert (await client.head("/")).status_code == 200
            assert (await client.get("/")).status_code == 200
            assert (await client.get("/v1/other")).status_code == 404
            assert (await client.get("/v1/messages")).status_code == 405
        assert server.requests[0].method == "GET"


async def test_cache_figures_follow_marks_and_repeat() -> None:
    system = [{**words("s" * 8000), "cache_control": {"type": "ephemeral"}}]
    async with ScriptedServer(always(text("a"))) as server:
        first = (await ask(server, "hi", system=system))["usage"]
        again = (await ask(server, "hi, other", system=system))["usage"]
        changed = (await ask(server, "hi", system=[{**system[0], "text": "t" * 8000}]))["usage"]
        unmarked = (await ask(server, "hi", system=[words("s" * 8000)]))["usage"]
        short = (await ask(server, "hi", system=[{**system[0], "text": "s"}]))["usage"]
    created, read = "cache_creation_input_tokens", "cache_read_input_tokens"
    assert first[created] > 2000 and first[read] == 0 and 0 < first["input_tokens"] < 50
    assert again[read] == first[created] and again[created] == 0
    assert changed[read] == 0 and changed[created] > 2000
    assert unmarked[read] == unmarked[created] == 0 and unmarked["input_tokens"] > 2000
    assert short[created] == 0


def test_only_loopback() -> None:
    with pytest.raises(ValueError, match="loopback"):
        ScriptedServer(always(text("a")), host="0.0.0.0")


class RawClient:
    """One connection of the standard library, driven from a thread."""

    def __init__(self, server: ScriptedServer) -> None:
        host, port = server.base_url.removeprefix("http://").split(":")
        self.connection = http.client.HTTPConnection(host, int(port), timeout=20)

    async def post(self, body: Any, headers: dict[str, str], **options: Any) -> tuple[int, bytes]:
        def send() -> tuple[int, bytes]:
            self.connection.request("POST", "/v1/messages", body, headers, **options)
            response = self.connection.getresponse()
            return response.status, response.read()

        return await asyncio.to_thread(send)


async def test_keep_alive_and_chunked_requests() -> None:
    body = json.dumps(stream_body()).encode()
    async with ScriptedServer(always(text("abc"))) as server:
        client = RawClient(server)
        for sent in (body, iter([body[:10], body[10:]])):
            chunked = not isinstance(sent, bytes)
            status, raw = await client.post(sent, HEADERS, encode_chunked=chunked)
            assert status == 200
            assert fold(parse_sse(raw.decode()))["content"] == [text("abc")]
            socket = client.connection.sock
            assert socket is not None
        # A refusal keeps the connection as well.
        assert (await client.post(b"{", HEADERS))[0] == 400
        assert client.connection.sock is socket
        client.connection.close()


async def test_32_mb_and_not_a_byte_more() -> None:
    head = json.dumps(request_body())[:-1].encode() + b', "pad": "'
    room = 32 * 1024 * 1024 - len(head) - 2
    async with ScriptedServer(always(text("abc")), keep_requests=False) as server:
        client = RawClient(server)
        status, raw = await client.post(head + b"x" * room + b'"}', HEADERS)
        assert (status, b"Extra inputs" in raw) == (400, True)
        for options in ({}, {"encode_chunked": True}):
            sent = head + b"x" * (room + 1) + b'"}'
            body = iter([sent[i : i + 2**20] for i in range(0, len(sent), 2**20)])
            status, raw = await client.post(body if options else sent, HEADERS, **options)
            assert (status, json.loads(raw)["error"]["type"]) == (413, "request_too_large")
            client.connection.close()


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"NONSENSE\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nx: " + b"y" * 100_000 + b"\r\n\r\n", b"431"),
    ],
)
async def test_broken_http_is_answered_and_closed(sent: bytes, status: bytes) -> None:
    async with ScriptedServer(always(text("a"))) as server:
        host, port = server.base_url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(sent)
        answer = await asyncio.wait_for(reader.read(), 5)
        writer.close()
    assert answer.split(b" ")[1] == status
