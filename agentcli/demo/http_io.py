"""Just enough of HTTP/1.1 for the scripted server: read one request, write one response."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from agentcli.demo.reply import ApiRefusal

MAX_BODY = 32 * 1024 * 1024
_MAX_DRAIN = 4 * MAX_BODY
_PIECE = 256 * 1024
_REASONS = {
    **{200: "OK", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found"},
    **{405: "Method Not Allowed", 413: "Content Too Large", 429: "Too Many Requests"},
    **{431: "Request Header Fields Too Large", 500: "Internal Server Error", 529: "Overloaded"},
}


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """Header names are lower case; ``path`` is without the query."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    keep_alive: bool


class HttpRefusal(ApiRefusal):
    """As ``ApiRefusal``, and the connection cannot be used again."""


async def read_request(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> HttpRequest | None:
    """The next request, None at the end of the connection. Raises ``HttpRefusal``."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    except asyncio.LimitOverrunError as error:
        raise HttpRefusal("Request header fields too large", status=431) from error
    first, *lines = head[:-4].decode("latin-1").split("\r\n")
    parts = first.split(" ")
    if len(parts) != 3 or not parts[2].startswith("HTTP/1."):
        raise HttpRefusal("Malformed request line")
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or name != name.strip():
            raise HttpRefusal("Malformed header line")
        headers[name.lower()] = value.strip()
    if headers.get("expect", "").lower() == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    body = await _read_body(reader, headers)
    wanted = headers.get("connection", "").lower()
    keep_alive = wanted != "close" and (parts[2] != "HTTP/1.0" or wanted == "keep-alive")
    return HttpRequest(parts[0], parts[1].partition("?")[0], headers, body, keep_alive)


class ResponseWriter:
    """Writes one response; ``split`` cuts a streamed body into HTTP chunks of so many bytes."""

    def __init__(self, writer: asyncio.StreamWriter, *, head_only: bool, keep_alive: bool) -> None:
        self._writer = writer
        self._head_only = head_only
        self._keep_alive = keep_alive
        self.started = False

    async def send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """A whole response. Raises ``ConnectionError`` where the client has gone."""
        self._start(status, {**headers, "content-length": str(len(body))})
        if not self._head_only:
            self._writer.write(body)
        await self._writer.drain()

    async def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """The head of a streamed response, which is on the wire before the first event is."""
        self._start(status, {**headers, "transfer-encoding": "chunked"})
        await self._writer.drain()

    async def write(self, data: bytes, split: int | None = None) -> None:
        """More of a streamed body. Raises ``ConnectionError`` where the client has gone."""
        size = split or max(1, len(data))
        for i in range(0, len(data), size):
            piece = data[i : i + size]
            self._writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            await self._writer.drain()

    async def end(self) -> None:
        """The proper end of a streamed body."""
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()

    async def cut(self) -> None:
        """Close the connection amid the body, after what was written has been sent."""
        self._writer.close()
        await self._writer.wait_closed()

    def _start(self, status: int, headers: Mapping[str, str]) -> None:
        self.started = True
        lines = [f"HTTP/1.1 {status} {_REASONS.get(status, 'Error')}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        lines.append(f"connection: {'keep-alive' if self._keep_alive else 'close'}")
        self._writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))


async def _read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    if "chunked" in headers.get("transfer-encoding", "").lower():
        return await _read_chunked(reader)
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        raise HttpRefusal("Malformed content-length")
    size = int(length)
    if size > MAX_BODY:
        # A client that still sends would not read the answer: take the body in, up to a limit.
        await _drop(reader, min(size, _MAX_DRAIN))
        raise HttpRefusal("Request exceeds the maximum size", status=413)
    try:
        return await reader.readexactly(size)
    except asyncio.IncompleteReadError as error:
        raise HttpRefusal("The request body ended early") from error


async def _read_chunked(reader: asyncio.StreamReader) -> bytes:
    body = bytearray()
    total = 0
    try:
        while True:
            line = (await reader.readuntil(b"\r\n")).partition(b";")[0].strip()
            size = int(line, 16)
            total += size
            if size == 0:
                while await reader.readuntil(b"\r\n") != b"\r\n":
                    pass
                break
            if total > _MAX_DRAIN:
                raise HttpRefusal("Request exceeds the maximum size", status=413)
            piece = await reader.readexactly(size + 2)
            if total <= MAX_BODY:
                body += piece[:-2]
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError) as error:
        raise HttpRefusal("Malformed chunked body") from error
    if total > MAX_BODY:
        raise HttpRefusal("Request exceeds the maximum size", status=413)
    return bytes(body)


async def _drop(reader: asyncio.StreamReader, size: int) -> None:
    while size > 0:
        piece = await reader.read(min(size, _PIECE))
        if not piece:
            return
        size -= len(piece)
