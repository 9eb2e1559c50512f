"""Both transports against one raw server: same events, same message, same errors."""

import json
import socket
from collections.abc import AsyncIterator
from typing import Any

import pytest

from agentcli.protocol.errors import (
    AuthError,
    BadResponse,
    NetworkError,
    Overloaded,
    ProviderError,
    RateLimited,
    RequestRefused,
    StreamCut,
)
from agentcli.protocol.payload import ModelEvent, Payload
from agentcli.provider.accumulate import Accumulator
from agentcli.provider.client import ModelClient
from agentcli.provider.credentials import Endpoint, load_endpoint
from agentcli.provider.http_transport import HttpTransport
from agentcli.provider.sdk_transport import SdkTransport
from agentcli.provider.timeouts import Timeouts
from tests.provider.raw_server import (
    RawServer,
    Reply,
    block,
    end,
    json_delta,
    plain,
    raw_server,
    sse,
    start,
    text_delta,
)

KEY = "test-key-123456"
PAYLOAD = Payload(
    model="claude-sonnet-5-5",
    system=[{"type": "text", "text": "Be brief."}],
    messages=[{"role": "user", "content": "hi"}],
    tools=[{"name": "Bash", "input_schema": {"type": "object"}}],
    params={"max_tokens": 99, "thinking": {"type": "adaptive"}, "later_param": {"x": 1}},
    betas=("beta-a", "beta-b"),
)
TRANSPORTS = ["http", "sdk"]
# Long enough for a busy machine; only the test of silence waits for it to pass.
IDLE, SHORT_IDLE = 30.0, 0.3


@pytest.fixture(params=TRANSPORTS)
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def make_client(kind: str, endpoint: Endpoint, idle: float = IDLE) -> ModelClient:
    make = HttpTransport if kind == "http" else SdkTransport
    return make(endpoint, timeouts=Timeouts(connect=5, first_byte=30, idle=idle))


async def ask(kind: str, url: str, **env: str) -> list[dict[str, Any]]:
    endpoint = load_endpoint({"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url, **env})
    client = make_client(kind, endpoint)
    try:
        return [event async for event in client.stream(PAYLOAD)]
    finally:
        await client.aclose()


async def ask_until_error(
    kind: str, url: str, idle: float = IDLE
) -> tuple[list[dict[str, Any]], ProviderError]:
    client = make_client(kind, Endpoint(url, "ANTHROPIC_API_KEY", "bearer", KEY), idle)
    events: list[dict[str, Any]] = []
    try:
        async for event in client.stream(PAYLOAD):
            events.append(event)
    except ProviderError as error:
        assert KEY not in error.message
        return events, error
    finally:
        await client.aclose()
    raise AssertionError(f"no error after {events}")


def fold(events: list[dict[str, Any]]) -> list[ModelEvent]:
    accumulator = Accumulator()
    folded = [out for event in events for out in accumulator.feed(event)]
    accumulator.finish()
    return folded


def single_bytes(data: bytes) -> list[bytes]:
    return [data[i : i + 1] for i in range(len(data))]


THINKING = block(
    0,
    {"type": "thinking", "thinking": "", "signature": ""},
    {"type": "thinking_delta", "thinking": "hm"},
    {"type": "signature_delta", "signature": "c2ln"},
)
TWO_TOOLS = [
    *block(0, {"type": "tool_use", "id": "a", "name": "Bash", "input": {}}, json_delta('{"a":1}')),
    *block(1, {"type": "tool_use", "id": "b", "name": "Read", "input": {}}, json_delta("{")),
]
UNKNOWN = block(0, {"type": "later_kind", "x": {"y": [1]}}, {"type": "later_delta", "z": 1})
STREAMS: dict[str, list[dict[str, Any]]] = {
    "text": plain(),
    "thinking": [start(), *THINKING, *block(1, {"type": "text", "text": ""}, text_delta("x")),
                 *end()],
    "parallel tools": [start(), *TWO_TOOLS, *end("tool_use")],
    "unknown block": [start(extra={"a": None}), *UNKNOWN, *end()],
    "unknown event": [start(), {"type": "later_event", "n": 1}, *end()],
    "odd numbers": [start(usage={"input_tokens": 10**20, "x": 1.5, "deep": [[]]}), *end()],
}  # fmt: skip


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("form", ["whole", "bytes", "gzip", "crlf", "no name lines"])
async def test_raw_events_pass_unchanged(transport: str, name: str, form: str) -> None:
    events = STREAMS[name]
    body = sse(*events)
    if form == "crlf":
        body = body.replace(b"\n", b"\r\n")
    if form == "no name lines":
        body = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)
    pieces = single_bytes(body) if form == "bytes" else [body]
    reply = Reply(pieces=pieces, zipped=form == "gzip", headers={"request-id": "req_7"})
    async with raw_server(reply) as server:
        got = await ask(transport, server.url)
    assert got == [{"type": "request_id", "request_id": "req_7"}, *events]
    assert fold(got) == fold([got[0], *events])


async def test_pings_and_comments_are_dropped(transport: str) -> None:
    first, *rest = plain()
    ping = sse({"type": "ping"})
    body = ping + sse(first) + b": keep-alive\n\n" + ping + sse(*rest) + sse({"type": "late"})
    async with raw_server(Reply(body=body)) as server:
        assert await ask(transport, server.url) == plain()


async def test_missing_last_blank_line(transport: str) -> None:
    async with raw_server(Reply(body=sse(*plain()).rstrip(b"\n"))) as server:
        assert await ask(transport, server.url) == plain()


OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Busy"}}
PAGE = b"<html><body>Please log in</body></html>"
TEXT_OPEN = [start(), *block(0, {"type": "text", "text": ""}, text_delta("half"))[:2]]


def api_error(kind: str) -> bytes:
    return json.dumps({"type": "error", "error": {"type": kind, "message": "no"}}).encode()


JSON = "application/json"
FAILURES: dict[str, tuple[Reply, type[ProviderError], int]] = {
    "no message_stop": (Reply(body=sse(*plain()[:-1])), StreamCut, 6),
    "cut between events": (Reply(body=sse(*TEXT_OPEN), cut=True), StreamCut, 3),
    "cut in an event": (Reply(body=sse(*TEXT_OPEN)[:-20], cut=True), StreamCut, 2),
    "ended in an event": (Reply(body=sse(*TEXT_OPEN)[:-20]), StreamCut, 2),
    "silence": (Reply(body=sse(*TEXT_OPEN), hang=True), StreamCut, 3),
    "error event": (Reply(body=sse(*TEXT_OPEN, OVERLOADED)), Overloaded, 3),
    "broken JSON": (Reply(body=sse(*TEXT_OPEN) + b"event: x\ndata: {nope\n\n"), BadResponse, 3),
    "empty body": (Reply(body=b""), StreamCut, 0),
    "empty untyped body": (Reply(body=b"", content_type=None), StreamCut, 0),
    "page with 200": (Reply(body=PAGE, content_type="text/html"), BadResponse, 0),
    "page without type": (Reply(body=PAGE, content_type=None), BadResponse, 0),
    "page as stream": (Reply(body=PAGE), BadResponse, 0),
    "JSON with 200": (Reply(body=b'{"id":"x"}', content_type=JSON), BadResponse, 0),
    "bad gzip": (Reply(body=b"nope", headers={"content-encoding": "gzip"}), BadResponse, 0),
    "401": (Reply(401, body=api_error("authentication_error"), content_type=JSON), AuthError, 0),
    "404": (Reply(404, body=api_error("not_found_error"), content_type=JSON), RequestRefused, 0),
    "404 page": (Reply(404, body=PAGE, content_type="text/html"), BadResponse, 0),
    "409": (Reply(409, body=b"{}", content_type=JSON), RequestRefused, 0),
    "429": (Reply(429, {"retry-after": "3"}, api_error("rate_limit_error")), RateLimited, 0),
    "500": (Reply(500, body=b"", content_type=None), Overloaded, 0),
    "529": (Reply(529, body=api_error("overloaded_error"), content_type=JSON), Overloaded, 0),
    "redirect": (Reply(307, {"location": "http://127.0.0.2:9/x"}, b""), BadResponse, 0),
}  # fmt: skip


@pytest.mark.parametrize("name", FAILURES)
async def test_failures_have_one_type(transport: str, name: str) -> None:
    reply, error_class, count = FAILURES[name]
    idle = SHORT_IDLE if name == "silence" else IDLE
    async with raw_server(reply) as server:
        events, error = await ask_until_error(transport, server.url, idle)
    assert type(error) is error_class, error.message
    assert len(events) == count
    assert len(server.requests) == 1, "the engine retries, not the transport"
    if name == "429":
        assert error.retry_after == 3.0
    if name == "silence":
        assert "0.3 s" in error.message


async def test_cut_before_any_answer(transport: str) -> None:
    async with raw_server(Reply()) as server:
        server.replies[0].status = 0  # not a status line: the connection breaks here
        _, error = await ask_until_error(transport, server.url)
    assert type(error) is NetworkError
    assert error.should_retry is None


async def test_connection_refused_names_the_host(transport: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    _, error = await ask_until_error(transport, f"http://127.0.0.1:{port}")
    assert type(error) is NetworkError
    assert f"Cannot connect to 127.0.0.1:{port}" in error.message
    assert error.should_retry is None


@pytest.fixture
async def server() -> AsyncIterator[RawServer]:
    async with raw_server(Reply(body=sse(*plain()))) as running:
        yield running


async def test_the_same_request_goes_out(server: RawServer) -> None:
    for kind in TRANSPORTS:
        await ask(kind, server.url, ANTHROPIC_CUSTOM_HEADERS="X-Team: a\nX-More: b")
    http, sdk = server.requests
    assert http.line == sdk.line == "POST /v1/messages HTTP/1.1"
    assert http.json() == sdk.json() == PAYLOAD.body()
    for name in ("authorization", "anthropic-version", "anthropic-beta", "content-type", "accept",
                 "x-team", "x-more"):  # fmt: skip
        assert http.headers[name] == sdk.headers[name]
    assert http.headers["authorization"] == f"Bearer {KEY}"
    assert http.headers["anthropic-beta"] == "beta-a,beta-b"
    assert http.headers["user-agent"].startswith("agentcli/")
    assert "x-api-key" not in http.headers
    assert "x-api-key" not in sdk.headers


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        ({"AGENTCLI_AUTH_HEADER": "x-api-key"}, (None, KEY)),
        ({"ANTHROPIC_API_KEY": "", "ANTHROPIC_AUTH_TOKEN": "tok"}, ("Bearer tok", None)),
        ({"ANTHROPIC_API_KEY": ""}, (None, None)),
        ({"ANTHROPIC_CUSTOM_HEADERS": "authorization: Own x"}, ("Own x", None)),
    ],
)
async def test_other_credentials(
    transport: str, server: RawServer, env: dict[str, str], expected: tuple[str | None, str | None]
) -> None:
    await ask(transport, server.url + "/v1/", **env)
    headers = server.requests[0].headers
    assert (headers.get("authorization"), headers.get("x-api-key")) == expected
    assert server.requests[0].line.startswith("POST /v1/messages ")


async def test_lone_surrogates_are_sent_as_replacement(transport: str, server: RawServer) -> None:
    payload = Payload("claude-sonnet-5-5", [], [{"role": "user", "content": "a\ud83d b"}], [],
                      {"max_tokens": 5})  # fmt: skip
    client = make_client(transport, Endpoint(server.url, None))
    async for _ in client.stream(payload):
        pass
    await client.aclose()
    assert server.requests[0].json()["messages"][0]["content"] == "a\ufffd b"


async def test_the_connection_is_used_again(transport: str, server: RawServer) -> None:
    client = make_client(transport, Endpoint(server.url, "ANTHROPIC_API_KEY", "bearer", KEY))
    for _ in range(3):
        async for _event in client.stream(PAYLOAD):
            pass
    await client.aclose()
    assert server.connections == 1


async def test_leaving_early_closes_the_connection(transport: str) -> None:
    async with raw_server(Reply(body=sse(*TEXT_OPEN), hang=True)) as server:
        client = make_client(transport, Endpoint(server.url, None))
        stream = client.stream(PAYLOAD)
        assert await anext(stream) == start()
        await stream.aclose()  # pyright: ignore[reportAttributeAccessIssue]  # a generator in fact
        server.replies = [Reply(body=sse(*plain()))]
        assert [event async for event in client.stream(PAYLOAD)] == plain()
        await client.aclose()
        assert server.connections == 2


async def test_warm_up_never_raises_and_closing_twice_is_fine(transport: str) -> None:
    for url in ("http://127.0.0.1:1", "https://127.0.0.1:1"):
        client = make_client(transport, Endpoint(url, None))
        await client.warm_up()
        await client.aclose()
        await client.aclose()
