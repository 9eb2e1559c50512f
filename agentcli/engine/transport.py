"""The way to the model, made when it is first needed and off the UI loop."""

import asyncio

from agentcli.engine.spec import TransportKind
from agentcli.provider.client import ModelClient
from agentcli.provider.credentials import Endpoint
from agentcli.provider.timeouts import Timeouts


class Transport:
    """Makes one ``ModelClient`` for the life of an engine. *client* short-cuts that in tests."""

    def __init__(
        self,
        endpoint: Endpoint,
        kind: TransportKind,
        timeouts: Timeouts,
        client: ModelClient | None = None,
    ) -> None:
        self.endpoint = endpoint
        self._timeouts = timeouts
        self._kind: TransportKind = kind
        self._client = client
        self._making = asyncio.Lock()

    async def client(self) -> ModelClient:
        """The client. Its library is imported in a thread: 0.15 to 2 CPU-seconds of import would
        freeze a window. Raises ProviderError when it cannot be made."""
        async with self._making:
            if self._client is None:
                self._client = await asyncio.to_thread(
                    _make, self.endpoint, self._kind, self._timeouts
                )
            return self._client

    async def warm_up(self) -> None:
        """Import the library and open the connection ahead of the first request. Never raises
        for network trouble."""
        client = await self.client()
        await client.warm_up()

    async def aclose(self) -> None:
        """Close what was opened. Idempotent."""
        if self._client is not None:
            await self._client.aclose()


def _make(endpoint: Endpoint, kind: TransportKind, timeouts: Timeouts) -> ModelClient:
    if kind == "sdk":
        from agentcli.provider.sdk_transport import SdkTransport

        return SdkTransport(endpoint, timeouts=timeouts)
    from agentcli.provider.http_transport import HttpTransport

    return HttpTransport(endpoint, timeouts=timeouts)
