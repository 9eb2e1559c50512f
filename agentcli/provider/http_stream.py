"""What comes back over httpx2: raw events of an open response, and typed errors for the rest.

Both transports read through here, so they cannot differ in what they yield or raise.
"""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from time import monotonic
from typing import cast

import httpx2

from agentcli.base.text import one_line
from agentcli.protocol.errors import BadResponse, NetworkError, ProviderError, StreamCut
from agentcli.protocol.payload import RawEvent
from agentcli.provider.credentials import Endpoint
from agentcli.provider.errors import error_from_event, error_from_response, request_id_of
from agentcli.provider.sse import SseDecoder
from agentcli.provider.timeouts import Timeouts

_DRAIN_SECONDS = 0.25
_AT_HAND = 0.001
"""Seconds within which a piece comes that had arrived already."""
_GATHER = 0.02
"""Seconds given to a slow stream for its next pieces to arrive."""
_HEAD_BYTES = 32
_ERROR_BODY_BYTES = 64 * 1024
_STREAM_STARTS = (b"event:", b"data:", b"id:", b"retry:", b":")
# TLS errors of a connection that broke or timed out; any other is a wrong address or setting.
_PASSING_TLS_ERRORS = (
    ssl.SSLEOFError,
    ssl.SSLZeroReturnError,
    ssl.SSLSyscallError,
    ssl.SSLWantReadError,
    ssl.SSLWantWriteError,
)


async def read_events(
    response: httpx2.Response, endpoint: Endpoint, model: str, timeouts: Timeouts
) -> AsyncGenerator[RawEvent]:
    """Raw events of an open response, ``message_stop`` being the last; it is not closed here.

    Raises the typed error of an answer that is no stream, of an ``error`` event and of a cut.
    """
    request_id = request_id_of(response.headers)
    if not _is_stream(response):
        body = await _read_error_body(response)
        raise error_from_response(response.status_code, response.headers, body, endpoint, model)
    if request_id:
        yield {"type": "request_id", "request_id": request_id}
    head = bytearray()
    chunks = _timed_chunks(response, endpoint, timeouts)
    async with contextlib.aclosing(chunks), contextlib.aclosing(_decode(chunks, head)) as events:
        async for event in events:
            kind = event["type"]
            if kind == "error":
                raise error_from_event(event, request_id=request_id, endpoint=endpoint)
            if kind != "ping":
                yield event
            if kind == "message_stop":
                await _drain(chunks)
                return
    if _is_foreign(bytes(head)):
        raise BadResponse(
            f"{endpoint.base_url} did not answer with an event stream: check ANTHROPIC_BASE_URL.",
            status=response.status_code,
            request_id=request_id,
        )
    raise StreamCut(
        f"The connection to {endpoint.host} ended before the answer was complete.",
        request_id=request_id,
    )


def network_error(
    exc: BaseException, endpoint: Endpoint, *, should_retry: bool | None = None
) -> NetworkError:
    """The typed error for a request that got no answer. Pure."""
    causes = list(_causes(exc))
    tls = next((cause for cause in causes if isinstance(cause, ssl.SSLError)), None)
    if isinstance(tls, ssl.SSLCertVerificationError):
        return NetworkError(
            f"The certificate of {endpoint.host} is not trusted ({one_line(tls.verify_message)}). "
            "This is not tried again: check the address, or set SSL_CERT_FILE to the right CA.",
            should_retry=False,
        )
    if tls is not None and not isinstance(tls, _PASSING_TLS_ERRORS):
        text = f"No secure connection to {endpoint.host} ({one_line(str(tls))}): check the address."
        return NetworkError(text, should_retry=False)
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        text = f"The host {endpoint.host} was not found: check the network and ANTHROPIC_BASE_URL."
    elif isinstance(exc, httpx2.ProxyError):
        text = f"The proxy refused the connection to {endpoint.host}: check HTTPS_PROXY."
    elif isinstance(exc, httpx2.ConnectError | httpx2.ConnectTimeout):
        text = (
            f"Cannot connect to {endpoint.host}: check the network, "
            "HTTPS_PROXY and ANTHROPIC_BASE_URL."
        )
    elif isinstance(exc, httpx2.TimeoutException):
        text = f"{endpoint.host} did not answer in time (API_TIMEOUT_MS sets how long to wait)."
    elif isinstance(exc, httpx2.InvalidURL | httpx2.UnsupportedProtocol):
        text = f"{endpoint.base_url} is not a usable address: check ANTHROPIC_BASE_URL."
        should_retry = False
    else:
        reason = one_line(endpoint.redact(str(exc))) or type(exc).__name__
        text = f"The connection to {endpoint.host} failed ({reason})."
    return NetworkError(text, should_retry=should_retry)


def http_timeout(timeouts: Timeouts) -> httpx2.Timeout:
    """The limits in httpx2's form. Pure."""
    return httpx2.Timeout(timeouts.first_byte, connect=timeouts.connect)


def _is_stream(response: httpx2.Response) -> bool:
    media = response.headers.get("content-type", "").lower()
    return response.is_success and "html" not in media and "json" not in media


async def _read_error_body(response: httpx2.Response) -> bytes:
    body = b""
    with contextlib.suppress(httpx2.HTTPError, httpx2.StreamError):
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) >= _ERROR_BODY_BYTES:
                break
    return body


async def _decode(chunks: AsyncIterator[bytes], head: bytearray) -> AsyncGenerator[RawEvent]:
    """Events of the body; its first bytes are left in *head*."""
    decoder = SseDecoder()
    async for chunk in chunks:
        if len(head) < _HEAD_BYTES:
            head += chunk[:_HEAD_BYTES]
        for event in decoder.feed(chunk):
            yield event
    for event in decoder.finish():
        yield event


def _is_foreign(head: bytes) -> bool:
    """True when a body that had no event does not even begin like a stream."""
    text = head.lstrip(b"\xef\xbb\xbf \r\n\t")
    return not any(text.startswith(name) or name.startswith(text) for name in _STREAM_STARTS)


async def _timed_chunks(
    response: httpx2.Response, endpoint: Endpoint, timeouts: Timeouts
) -> AsyncGenerator[bytes]:
    """The body's bytes; a silence longer than ``idle`` after the first of them ends the stream."""
    chunks = response.aiter_bytes()
    # The client's own read timeout watches over the wait for the first piece.
    idle: float | None = None
    while True:
        asked = monotonic()
        try:
            async with asyncio.timeout(idle):
                chunk = await anext(chunks, None)
        except (TimeoutError, httpx2.HTTPError, httpx2.StreamError) as exc:
            silence = timeouts.first_byte if idle is None else idle
            raise _broken_stream(exc, request_id_of(response.headers), endpoint, silence) from exc
        if chunk is None:
            return
        waited = monotonic() - asked > _AT_HAND
        yield chunk
        if waited and idle is not None:
            # a model sends a few letters at a time: taken together they cost half of it
            await asyncio.sleep(_GATHER)
        idle = timeouts.idle


def _broken_stream(
    exc: Exception, request_id: str | None, endpoint: Endpoint, silence: float
) -> ProviderError:
    if isinstance(exc, httpx2.DecodingError):
        text = f"The answer of {endpoint.host} could not be decompressed."
        return BadResponse(text, request_id=request_id)
    if isinstance(exc, TimeoutError | httpx2.TimeoutException):
        text = f"{endpoint.host} fell silent for {silence:g} s in the middle of the answer."
    else:
        text = f"The connection to {endpoint.host} was lost in the middle of the answer."
    return StreamCut(text, request_id=request_id)


async def _drain(chunks: AsyncIterator[bytes]) -> None:
    """Read the end of the body, so that the connection can be used again."""
    with contextlib.suppress(TimeoutError, ProviderError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            async for _ in chunks:
                pass


def _causes(exc: BaseException | None) -> Iterator[BaseException]:
    """The exception and what it came from, groups included."""
    seen: set[int] = set()
    waiting = [exc]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, BaseExceptionGroup):
            group = cast("BaseExceptionGroup[BaseException]", one)
            waiting.extend(group.exceptions)
        waiting.extend((one.__cause__, one.__context__))
