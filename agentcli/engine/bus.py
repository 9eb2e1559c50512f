"""One typed event stream to any number of listeners; telling them never waits for them."""

import asyncio
import contextlib
from collections import deque
from types import TracebackType

from agentcli.protocol.events import Event


class EventStream:
    """A listener's own queue: an async iterator that ends when it or the bus is closed."""

    def __init__(self, bus: "EventBus", wants_raw: bool) -> None:
        self.wants_raw = wants_raw
        self._bus = bus
        self._queue: deque[Event] = deque()
        self._arrived = asyncio.Event()
        self._closed = False

    def push(self, event: Event) -> None:
        """Take one event. Called by the bus."""
        self._queue.append(event)
        self._arrived.set()

    def close(self) -> None:
        """No more events; the iterator ends after the queued ones. Idempotent."""
        self._closed = True
        self._bus.drop(self)
        self._arrived.set()

    def take_queued(self) -> list[Event]:
        """All events that wait now, so that a slow reader can merge them before drawing."""
        taken = list(self._queue)
        self._queue.clear()
        return taken

    def __aiter__(self) -> "EventStream":
        return self

    async def __anext__(self) -> Event:
        while not self._queue:
            if self._closed:
                raise StopAsyncIteration
            self._arrived.clear()
            await self._arrived.wait()
        return self._queue.popleft()

    def __enter__(self) -> "EventStream":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class EventBus:
    """Fans events out. Used from the loop's own thread only, but for ``emit_anywhere``."""

    def __init__(self) -> None:
        self._streams: list[EventStream] = []
        self._loop: asyncio.AbstractEventLoop | None = None

    def subscribe(self, *, wants_raw: bool = False) -> EventStream:
        """A new listener; it sees what is emitted from now on."""
        self._loop = _running_loop()
        stream = EventStream(self, wants_raw)
        self._streams.append(stream)
        return stream

    def emit(self, event: Event) -> None:
        """Hand *event* to all listeners. Never waits, never raises."""
        for stream in self._streams:
            stream.push(event)

    def emit_anywhere(self, event: Event) -> None:
        """As ``emit``, from any thread."""
        loop = self._loop
        if loop is None or loop is _running_loop():
            self.emit(event)
            return
        with contextlib.suppress(RuntimeError):  # the loop has ended, nobody listens
            loop.call_soon_threadsafe(self.emit, event)

    @property
    def wants_raw(self) -> bool:
        """True if a listener asked for the raw stream events."""
        return any(stream.wants_raw for stream in self._streams)

    def drop(self, stream: EventStream) -> None:
        """Forget a listener. Idempotent."""
        if stream in self._streams:
            self._streams.remove(stream)

    def close(self) -> None:
        """End all listeners."""
        for stream in list(self._streams):
            stream.close()


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
