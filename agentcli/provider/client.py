"""The port to the model: one method to implement, two transports that do."""

from collections.abc import AsyncGenerator
from typing import Protocol

from agentcli.protocol.payload import Payload, RawEvent


class ModelClient(Protocol):
    """Sends one request and yields its raw stream events, nothing folded, nothing retried."""

    def stream(self, payload: Payload) -> AsyncGenerator[RawEvent]:
        """Yield each decoded event up to and including ``message_stop``; ``ping`` is dropped.

        A first synthetic event ``{"type": "request_id", "request_id": str}`` is yielded when the
        server sent such a header. Raises a ``ProviderError`` subclass for every failure:
        before the first event for HTTP errors, later for ``error`` events and cut streams
        (a stream that ends without ``message_stop`` raises ``StreamCut``). Closing the iterator
        closes the connection; cancel-safe.
        """
        ...

    async def warm_up(self) -> None:
        """Open a connection ahead of the first request. Never raises; may do nothing."""
        ...

    async def aclose(self) -> None:
        """Close all connections. Idempotent."""
        ...
