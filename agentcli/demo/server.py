"""The scripted model server: the public Messages API over real HTTP on loopback.

As a process: ``python -m agentcli.demo.server --script NAME`` prints its base URL first.
"""

import asyncio
import hashlib
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import msgspec

from agentcli.demo.checks import check_headers, check_key, check_request, decode_body
from agentcli.demo.conversation import merge_messages
from agentcli.demo.conversation import read_request as read_model_request
from agentcli.demo.fingerprint import fingerprint
from agentcli.demo.http_io import HttpRefusal, HttpRequest, ResponseWriter, read_request
from agentcli.demo.models import KNOWN_MODELS, model_info
from agentcli.demo.reply import ERROR_TYPES, ApiRefusal, Reply, Script
from agentcli.demo.signatures import complete_blocks
from agentcli.demo.stream import encode_event, error_body, stream_events, whole_message
from agentcli.demo.usage import PromptCache, output_usage
from agentcli.protocol.blocks import Block

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
_JSON = {"content-type": "application/json"}


@dataclass(slots=True)
class Exchange:
    """One request as it came, and how its answer ended.

    ``outcome``: ``open``, ``complete``, ``refused`` (an HTTP error), ``cut`` (by the script),
    ``client_gone``.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    status: int = 0
    outcome: str = "open"
    error: str = ""


class ScriptedServer:
    """Answers with *script*; refuses what the API would refuse unless ``check`` is off.

    ``pace`` scales all scripted times: 1 as scripted, 0 at once. ``api_key`` refuses other keys.
    Used as ``async with ScriptedServer(script) as server: server.base_url``.
    """

    def __init__(
        self,
        script: Script,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        pace: float = 1.0,
        keep_requests: bool = True,
        api_key: str | None = None,
        check: bool = True,
    ) -> None:
        if host not in _LOOPBACK:
            raise ValueError(f"the scripted server serves loopback only, not {host}")
        self.exchanges: list[Exchange] = []
        self._script = script
        self._host, self._port = host, port
        self._pace = pace
        self._keep = keep_requests
        self._api_key = api_key
        self._check = check
        self._attempts: Counter[bytes] = Counter()
        self._cache = PromptCache()
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.stop()

    async def start(self) -> None:
        """Listen. Raises ``OSError`` where the port is taken."""
        self._server = await asyncio.start_server(self._serve, self._host, self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Close all connections, also those in the middle of an answer. Idempotent."""
        if self._server is None:
            return
        self._server.close()
        for task in tuple(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()
        self._server = None

    @property
    def base_url(self) -> str:
        """Where it listens, e.g. ``http://127.0.0.1:41234``."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self._port}"

    @property
    def requests(self) -> list[Exchange]:
        """The requests for a message, in order, refused ones too."""
        return [exchange for exchange in self.exchanges if exchange.path == "/v1/messages"]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while await self._serve_one(reader, writer):
                pass
        except (ConnectionError, asyncio.CancelledError):
            # The client has gone, or stop() cancelled this task: both end it here.
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _serve_one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        request_id = f"req_{os.urandom(12).hex()}"
        try:
            request = await read_request(reader, writer)
        except HttpRefusal as refusal:
            response = ResponseWriter(writer, head_only=False, keep_alive=False)
            await _send_error(response, refusal, request_id)
            return False
        if request is None:
            return False
        response = ResponseWriter(
            writer, head_only=request.method == "HEAD", keep_alive=request.keep_alive
        )
        exchange = Exchange(request.method, request.path, request.headers, {})
        if self._keep:
            self.exchanges.append(exchange)
        try:
            await self._answer(request, response, exchange, request_id)
        except ApiRefusal as refusal:
            exchange.status, exchange.outcome = refusal.status, "refused"
            exchange.error = refusal.message
            await _send_error(response, refusal, request_id)
        except ConnectionError:
            exchange.outcome = "cut" if exchange.outcome == "cut" else "client_gone"
            return False
        if exchange.outcome == "open":
            exchange.status, exchange.outcome = exchange.status or 200, "complete"
        return request.keep_alive and exchange.outcome != "cut"

    async def _answer(
        self, request: HttpRequest, response: ResponseWriter, exchange: Exchange, request_id: str
    ) -> None:
        match request.method, request.path:
            case "POST", "/v1/messages":
                check_headers(request.headers, self._api_key)
                exchange.body = decode_body(request.body)
                await self._message(request, response, exchange, request_id)
            case "POST", "/v1/messages/count_tokens":
                check_headers(request.headers, self._api_key)
                exchange.body = decode_body(request.body)
                tokens = check_request(exchange.body, request.headers, counting=True).tokens
                await _send_json(response, {"input_tokens": tokens}, request_id)
            case "GET", path if path == "/v1/models" or path.startswith("/v1/models/"):
                check_key(request.headers, self._api_key)
                await _send_json(response, _models(path), request_id)
            case (("GET" | "HEAD"), "/"):
                await _send_json(response, {"status": "ok"}, request_id)
            case _, ("/v1/messages" | "/v1/messages/count_tokens" | "/v1/models" | "/"):
                raise ApiRefusal("Method Not Allowed", status=405)
            case _:
                raise ApiRefusal("Not found", status=404)

    async def _message(
        self, request: HttpRequest, response: ResponseWriter, exchange: Exchange, request_id: str
    ) -> None:
        body = exchange.body
        if self._check:
            print_ = check_request(body, request.headers)
        else:
            print_ = fingerprint(body, merge_messages(body.get("messages", [])))
        key = hashlib.blake2b(request.body, digest_size=16).digest()
        self._attempts[key] += 1
        try:
            reply = self._script(read_model_request(body, request.headers, self._attempts[key]))
        except Exception as error:
            raise ApiRefusal(f"the script failed: {error!r}", status=500) from error
        if reply.delay:
            await asyncio.sleep(reply.delay * self._pace)
        headers = {"request-id": request_id, **reply.headers}
        if reply.status != 200 and reply.raw is None:
            kind = reply.error_type or ERROR_TYPES.get(reply.status, "api_error")
            exchange.status, exchange.outcome = reply.status, "refused"
            await response.send(
                reply.status,
                {**_JSON, **headers},
                msgspec.json.encode(error_body(kind, reply.error_message, request_id)),
            )
            return
        exchange.status = reply.status
        blocks = complete_blocks(reply.content, body, print_.before[-1])
        usage = {
            **self._cache.account(print_),
            **output_usage(blocks),
            "service_tier": "standard",
            **reply.usage,
        }
        message_id = f"msg_01{os.urandom(11).hex()}"
        model = str(body.get("model", ""))
        if body.get("stream") or reply.raw is not None:
            headers = {"content-type": "text/event-stream; charset=utf-8", **headers}
            await response.begin(reply.status, {"cache-control": "no-cache", **headers})
            events = stream_events(reply, blocks, message_id, model, usage)
            await self._stream(reply, events, response, exchange)
        else:
            message = whole_message(reply, blocks, message_id, model, usage)
            await response.send(200, {**_JSON, **headers}, msgspec.json.encode(message))

    async def _stream(
        self,
        reply: Reply,
        events: Iterable[dict[str, Any]],
        response: ResponseWriter,
        exchange: Exchange,
    ) -> None:
        if reply.raw is not None:
            await response.write(reply.raw, reply.split)
            await response.end()
            return
        clock = asyncio.get_running_loop().time
        start, deltas = clock(), 0
        for count, event in enumerate(events):
            if count == reply.fail_after:
                if reply.error_event is None:
                    await response.write(encode_event(event)[: reply.fail_bytes], reply.split)
                    exchange.outcome = "cut"
                    await response.cut()
                    return
                failed = error_body(reply.error_event, reply.error_message)
                await response.write(encode_event(failed), reply.split)
                break
            if event["type"] == "content_block_delta":
                # Against the clock: late deltas catch up, so the whole takes its scripted time.
                deltas += 1
                due = start + deltas * reply.seconds_per_delta * self._pace
                if due > clock():
                    await asyncio.sleep(due - clock())
            await response.write(encode_event(event), reply.split)
        await response.end()


def _models(path: str) -> dict[str, Any]:
    model = path.removeprefix("/v1/models").removeprefix("/")
    if not model:
        data: list[Block] = [model_info(known) for known in KNOWN_MODELS]
        ends = {"first_id": KNOWN_MODELS[0], "last_id": KNOWN_MODELS[-1]}
        return {"data": data, "has_more": False, **ends}
    if model not in KNOWN_MODELS:
        raise ApiRefusal(f"model: {model}", status=404)
    return model_info(model)


async def _send_json(response: ResponseWriter, body: dict[str, Any], request_id: str) -> None:
    await response.send(200, {**_JSON, "request-id": request_id}, msgspec.json.encode(body))


async def _send_error(response: ResponseWriter, refusal: ApiRefusal, request_id: str) -> None:
    body = error_body(refusal.kind, refusal.message, request_id)
    headers = {**_JSON, "request-id": request_id}
    await response.send(refusal.status, headers, msgspec.json.encode(body))


if __name__ == "__main__":
    from agentcli.demo.process import main

    raise SystemExit(main())
