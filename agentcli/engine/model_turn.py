"""One request: payload → stream → logged blocks and events, with retries before anything counts."""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from agentcli.base.clock import elapsed_ms
from agentcli.engine.bus import EventBus
from agentcli.engine.response import LoggedCall, Response
from agentcli.protocol.errors import ProviderError, StreamCut
from agentcli.protocol.events import ModelRaw, RequestStarted, Retrying
from agentcli.protocol.payload import MessageStop, Payload, RawEvent, Usage
from agentcli.provider.accumulate import Accumulator
from agentcli.provider.client import ModelClient
from agentcli.provider.retry import retry_delay
from agentcli.session.log import SessionLog


@dataclass(frozen=True, slots=True)
class ModelTurnDeps:
    """What a request needs. ``client`` gives the transport (made on first use); ``count`` is told
    the model, usage and milliseconds of every response, also of one that was cut or stopped."""

    log: SessionLog
    bus: EventBus
    client: Callable[[], Awaitable[ModelClient]]
    max_retries: int
    count: Callable[[str, Usage, int], None]


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """What came back. ``stop`` is None when the stream was cut after a finished block: the
    blocks are kept, their calls must not run."""

    stop: MessageStop | None
    calls: list[LoggedCall]
    text: str
    has_blocks: bool
    cut: ProviderError | None = None


async def run_model_turn(deps: ModelTurnDeps, payload: Payload) -> ModelTurn:
    """Send *payload* until a response arrived; raises ProviderError when there is no use in going
    on, and CancelledError after what was received is in the log."""
    attempt = 0
    client = await deps.client()
    while True:
        attempt += 1
        response = Response(deps.log, deps.bus, payload.model)
        deps.bus.emit(RequestStarted(payload.model))
        try:
            await _receive(deps, client.stream(payload), response)
        except asyncio.CancelledError:
            response.keep_partial()
            raise
        except ProviderError as error:
            if response.has_blocks:
                response.keep_partial()
                return _turn(response, error)
            response.drop()
            delay = retry_delay(
                error, attempt, max_attempts=deps.max_retries, jitter=random.uniform(0.75, 1)
            )
            if delay is None:
                raise
            deps.bus.emit(Retrying(attempt, deps.max_retries, delay, error.message, error.status))
            await asyncio.sleep(delay)
        else:
            return _turn(response, None)


async def _receive(
    deps: ModelTurnDeps, stream: AsyncGenerator[RawEvent], response: Response
) -> None:
    accumulator = Accumulator()
    began = time.monotonic()
    try:
        # Closed at once, so that a cancelled run gives its connection back before it goes on.
        async with aclosing(stream) as events:
            async for raw in events:
                if deps.bus.wants_raw and raw.get("type") != "request_id":
                    deps.bus.emit(ModelRaw(raw))
                for event in accumulator.feed(raw):
                    response.take(event)
    finally:
        deps.count(response.model, response.usage, elapsed_ms(began))
    if response.stop is None:
        raise StreamCut("The connection ended before the answer was complete.")


def _turn(response: Response, cut: ProviderError | None) -> ModelTurn:
    text = "".join(response.texts)
    return ModelTurn(response.stop, response.calls, text, response.logged > 0, cut)
