"""A raw HTTP/1.1 server on loopback: it answers with the bytes a test hands it, cut as it likes."""

import asyncio
import gzip
import json
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Reply:
    """``pieces`` are sent as one HTTP chunk each; ``cut`` closes without the last chunk."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    pieces: list[bytes] | None = None
    cut: bool = False
    content_type: str | None = "text/event-stream; charset=utf-8"
    zipped: bool = False
    hang: bool = False


@dataclass
class Request:
    line: str
    headers: dict[str, str]
    body: bytes
    connection: int

    def json(self) -> Any:
        return json.loads(self.body)


class RawServer:
    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.requests: list[Request] = []
        self.connections = 0
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        number = self.connections
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                while await self._answer(reader, writer, number):
                    pass
        finally:
            writer.close()

    async def _answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, number: int
    ) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, *rest = head.rstrip().split("\r\n")
        headers = {
            name.lower(): value.strip() for name, _, value in (h.partition(":") for h in rest)
        }
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        self.requests.append(Request(line, headers, body, number))
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        await self._write(reply, writer, line)
        return not reply.cut

    async def _write(self, reply: Reply, writer: asyncio.StreamWriter, line: str) -> None:
        headers = dict(reply.headers)
        pieces = reply.pieces if reply.pieces is not None else [reply.body]
        if reply.zipped:
            pieces = [gzip.compress(b"".join(pieces))]
            headers["content-encoding"] = "gzip"
        if reply.content_type is not None:
            headers["content-type"] = reply.content_type
        lines = [f"HTTP/1.1 {reply.status} Whatever", "transfer-encoding: chunked"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        if line.startswith("HEAD"):
            return
        for number, piece in enumerate(pieces):
            if piece:
                writer.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            if number % 16 == 0:
                await writer.drain()
                await asyncio.sleep(0)
        await writer.drain()
        if reply.hang:
            await asyncio.sleep(30)
        if not reply.cut:
            writer.write(b"0\r\n\r\n")
            await writer.drain()


@asynccontextmanager
async def raw_server(
    *replies: Reply, tls: ssl.SSLContext | None = None
) -> AsyncGenerator[RawServer]:
    """Answers in order; the last reply is given again and again."""
    server = RawServer()
    server.replies = list(replies)
    tasks: set[asyncio.Task[None]] = set()

    def on_connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(server.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    listener = await asyncio.start_server(on_connect, "127.0.0.1", 0, ssl=tls)
    server.port = listener.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listener.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def sse(*events: dict[str, Any]) -> bytes:
    """The events as the API writes them."""
    return b"".join(
        f"event: {event['type']}\ndata: {json.dumps(event, ensure_ascii=False)}\n\n".encode()
        for event in events
    )


def start(**message: Any) -> dict[str, Any]:
    base = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
    usage = {"input_tokens": 10, "cache_read_input_tokens": 4, "output_tokens": 1}
    return {"type": "message_start", "message": {**base, "usage": usage, **message}}


def block(index: int, content: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": content},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def end(reason: str = "end_turn", **usage: Any) -> list[dict[str, Any]]:
    delta = {"stop_reason": reason, "stop_sequence": None}
    return [
        {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 7, **usage}},
        {"type": "message_stop"},
    ]


def text_delta(text: str) -> dict[str, Any]:
    return {"type": "text_delta", "text": text}


def json_delta(text: str) -> dict[str, Any]:
    return {"type": "input_json_delta", "partial_json": text}


def plain(text: str = "Grüße 👋") -> list[dict[str, Any]]:
    half = len(text) // 2
    deltas = (text_delta(text[:half]), text_delta(text[half:]))
    return [start(), *block(0, {"type": "text", "text": ""}, *deltas), *end()]
