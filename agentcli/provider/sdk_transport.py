"""The second transport: the official SDK, for its credential profiles and workload identity.

The SDK only sends the request; the stream is read here, since its own reader drops unnamed
events, passes over a missing ``message_stop`` and raises foreign errors for a cut connection.
"""

import asyncio
import contextlib
import warnings
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from agentcli.base.text import one_line
from agentcli.protocol.errors import AuthError, NetworkError, ProviderError
from agentcli.protocol.payload import Payload, RawEvent
from agentcli.provider.credentials import AUTH_NAMES, Endpoint, NoCredentials
from agentcli.provider.errors import error_from_response
from agentcli.provider.request import encodable_body
from agentcli.provider.timeouts import Timeouts

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

_NAMED = ("model", "max_tokens", "messages", "stream")
_ADVICE = r"The model '.*' is deprecated|Using Claude with "


class SdkTransport:
    """Implements ``ModelClient``; without a key the SDK looks for its own credentials."""

    def __init__(self, endpoint: Endpoint, *, timeouts: Timeouts | None = None) -> None:
        self._endpoint = endpoint
        self._timeouts = timeouts or Timeouts()
        self._client: AsyncAnthropic | None = None
        self._opening = asyncio.Lock()

    async def stream(self, payload: Payload) -> AsyncGenerator[RawEvent]:
        """See ``ModelClient.stream``. Cancel-safe: the connection is closed on the way out."""
        client = await self._open()
        from agentcli.provider.http_stream import read_events

        async with contextlib.AsyncExitStack() as stack:
            try:
                response = await stack.enter_async_context(_request(client, payload))
            except Exception as exc:
                raise _typed_error(exc, self._endpoint, payload.model) from exc
            events = read_events(
                response.http_response, self._endpoint, payload.model, self._timeouts
            )
            async for event in await stack.enter_async_context(contextlib.aclosing(events)):
                yield event

    async def warm_up(self) -> None:
        """Import the SDK in a thread, which takes seconds. Never raises."""
        with contextlib.suppress(Exception):
            await self._open()

    async def aclose(self) -> None:
        """Close all connections. Idempotent."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _open(self) -> "AsyncAnthropic":
        async with self._opening:
            if self._client is None:
                self._client = await asyncio.to_thread(_build, self._endpoint, self._timeouts)
            return self._client


def _build(endpoint: Endpoint, timeouts: Timeouts) -> "AsyncAnthropic":
    import anthropic

    from agentcli.provider.http_stream import http_timeout

    # Python prints warnings to stderr, which would land in the middle of a full-screen window.
    warnings.filterwarnings("ignore", _ADVICE)
    headers: dict[str, Any] = dict(endpoint.custom_headers)
    names = {name.lower() for name in headers}
    token = None
    if endpoint.secret and endpoint.auth_header == "x-api-key":
        headers |= {"X-Api-Key": endpoint.secret, "Authorization": anthropic.omit}
    elif not endpoint.secret and (names & AUTH_NAMES or not _has_own_credentials(endpoint)):
        # Given, but not sent: it keeps the SDK from looking for credentials of its own.
        token = "none"
        if "authorization" not in names:
            headers["Authorization"] = anthropic.omit
    client = anthropic.AsyncAnthropic(
        api_key=endpoint.secret,
        auth_token=token,
        base_url=endpoint.base_url,
        max_retries=0,
        timeout=http_timeout(timeouts),
        default_headers=headers,
        http_client=anthropic.DefaultAsyncHttpxClient(
            timeout=http_timeout(timeouts), follow_redirects=False
        ),
    )
    # Loads the types of this resource, which would otherwise block the event loop.
    _ = client.messages
    return client


def _has_own_credentials(endpoint: Endpoint) -> bool:
    """Whether the SDK finds a profile or identity; a local server may do without."""
    import anthropic

    try:
        probe = anthropic.AsyncAnthropic(base_url=endpoint.base_url)
    except anthropic.AnthropicError as exc:
        if endpoint.is_local:
            return False
        raise AuthError(f"The credentials cannot be used: {one_line(str(exc))}") from exc
    found = bool(probe.credentials or probe.api_key or probe.auth_token)
    if not found and not endpoint.is_local:
        raise NoCredentials(
            f"Neither ANTHROPIC_API_KEY nor a credential profile for {endpoint.host} was found."
        )
    return found


def _request(client: "AsyncAnthropic", payload: Payload) -> Any:
    body = encodable_body(payload)
    headers = {"Accept": "text/event-stream"}
    if payload.betas:
        headers["anthropic-beta"] = ",".join(payload.betas)
    rest = {name: value for name, value in body.items() if name not in _NAMED}
    create: Any = client.messages.with_streaming_response.create
    return create(
        model=payload.model,
        max_tokens=body["max_tokens"],
        messages=body["messages"],
        stream=True,
        extra_body=rest,
        extra_headers=headers,
    )


def _typed_error(exc: Exception, endpoint: Endpoint, model: str) -> ProviderError:
    import anthropic
    import httpx2

    from agentcli.provider.http_stream import network_error

    if isinstance(exc, anthropic.APIStatusError):
        answer = exc.response
        return error_from_response(
            answer.status_code, answer.headers, answer.content, endpoint, model
        )
    if isinstance(exc, anthropic.APIConnectionError):
        return network_error(exc.__cause__ or exc, endpoint)
    if isinstance(exc, httpx2.HTTPError):
        return network_error(exc, endpoint)
    if isinstance(exc, anthropic.AnthropicError):
        return AuthError(f"The credentials cannot be used: {one_line(endpoint.redact(str(exc)))}")
    return NetworkError(
        f"The SDK could not send the request ({one_line(endpoint.redact(str(exc)))}).",
        should_retry=False,
    )
