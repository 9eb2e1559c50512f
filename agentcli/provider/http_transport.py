"""The default transport: one streaming POST through httpx2, nothing else in between."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator

import httpx2

from agentcli.base.text import one_line
from agentcli.protocol.errors import NetworkError
from agentcli.protocol.payload import Payload, RawEvent
from agentcli.provider.credentials import Endpoint
from agentcli.provider.http_stream import http_timeout, network_error, read_events
from agentcli.provider.request import encode_body, request_headers
from agentcli.provider.timeouts import Timeouts

_WARM_UP_SECONDS = 10.0


class HttpTransport:
    """Implements ``ModelClient``. Proxies and CA bundles come from the usual variables."""

    def __init__(self, endpoint: Endpoint, *, timeouts: Timeouts | None = None) -> None:
        self._endpoint = endpoint
        self._timeouts = timeouts or Timeouts()
        self._client: httpx2.AsyncClient | None = None
        self._opening = asyncio.Lock()

    async def stream(self, payload: Payload) -> AsyncGenerator[RawEvent]:
        """See ``ModelClient.stream``. Cancel-safe: the connection is closed on the way out."""
        client = await self._open()
        try:
            request = client.build_request(
                "POST",
                self._endpoint.messages_url,
                headers=request_headers(self._endpoint, payload),
                content=encode_body(payload),
            )
            response = await client.send(request, stream=True)
        except (httpx2.HTTPError, httpx2.InvalidURL) as exc:
            raise network_error(exc, self._endpoint) from exc
        try:
            events = read_events(response, self._endpoint, payload.model, self._timeouts)
            async with contextlib.aclosing(events):
                async for event in events:
                    yield event
        finally:
            await response.aclose()

    async def warm_up(self) -> None:
        """Do the TLS handshake ahead of the first request; sends no credentials. Never raises."""
        with contextlib.suppress(Exception):
            client = await self._open()
            if self._endpoint.base_url.startswith("https:"):
                await client.head(self._endpoint.base_url, timeout=_WARM_UP_SECONDS)

    async def aclose(self) -> None:
        """Close all connections. Idempotent."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _open(self) -> httpx2.AsyncClient:
        async with self._opening:
            if self._client is None:
                # In a thread: reading the CA bundle takes up to 50 ms of CPU.
                self._client = await asyncio.to_thread(_build_client, self._timeouts)
            return self._client


def _build_client(timeouts: Timeouts) -> httpx2.AsyncClient:
    try:
        return httpx2.AsyncClient(timeout=http_timeout(timeouts), follow_redirects=False)
    except (ValueError, OSError, ImportError, httpx2.InvalidURL) as exc:
        raise NetworkError(
            f"The proxy or certificate settings cannot be used ({one_line(str(exc))}): check "
            "HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, SSL_CERT_FILE and SSL_CERT_DIR.",
            should_retry=False,
        ) from exc
