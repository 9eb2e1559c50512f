"""Asking the model for a summary: nothing of the answer goes into the log, and no request that was
refused as too long is sent again as it was."""

import asyncio
import random
import re
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from agentcli.base.clock import elapsed_ms
from agentcli.base.text import one_line
from agentcli.context.compaction import (
    ask_again,
    instruction,
    read_summary,
    request_tokens,
    smaller_request,
    summary_request,
    with_gist,
)
from agentcli.context.local_summary import local_summary
from agentcli.context.payload import PromptFrame
from agentcli.context.sizes import estimate_tokens
from agentcli.context.trimming import BEGINNING_LEFT_OUT, Message, shrink
from agentcli.engine.model_turn import ModelTurnDeps
from agentcli.protocol.errors import BadResponse, PromptTooLong, ProviderError, StreamCut
from agentcli.protocol.events import Retrying
from agentcli.protocol.payload import BlockDone, MessageStart, MessageStop, Payload, RawEvent, Usage
from agentcli.provider.accumulate import Accumulator
from agentcli.provider.retry import retry_delay
from agentcli.session.entries import Entry

_COMPLETE = ("end_turn", "stop_sequence", "max_tokens")
_FULL = "model_context_window_exceeded"
_SHRINK = 0.6
_SAFE = 0.9
_GIST_CHARS = 6_000
_FIGURES = re.compile(r"([\d,]+)(?: \+ [\d,]+)? tokens? > ([\d,]+)")


@dataclass(slots=True)
class _Answer:
    text: str = ""
    stop: MessageStop | None = None
    model: str = ""
    usage: Usage = field(default_factory=dict[str, int])


async def make_summary(
    deps: ModelTurnDeps,
    path: Sequence[Entry],
    frame: PromptFrame,
    *,
    focus: str,
    whole: bool,
    room: float,
) -> str:
    """The summary of *path*; where the conversation does not fit however much is left out, or the
    model only calls tools, one that is made without it.

    *room* is the part of the request that fits (above 1: all of it). Raises ProviderError where
    the model cannot be reached, refuses, or answers with something else; CancelledError.
    """
    ask = instruction(focus, part=not whole)
    payload = await asyncio.to_thread(summary_request, path, frame, ask, whole=whole)
    if room < 1:
        smaller = await asyncio.to_thread(_smaller, payload, room * _SAFE, path)
        payload = smaller or payload
    asked_again = False
    while True:
        answer = await _ask(deps, payload)
        if isinstance(answer, PromptTooLong):
            share = _share(answer.message)
            is_large = answer.status == 413
            smaller = await asyncio.to_thread(_smaller, payload, share, path, media_first=is_large)
            if smaller is None:
                return local_summary(path)
            payload = smaller
            continue
        summary = _read(answer)
        if summary:
            return summary
        if asked_again:
            return _without_summary(answer, path)
        asked_again = True
        payload = ask_again(payload)


def _read(answer: _Answer) -> str:
    reason = answer.stop.stop_reason if answer.stop is not None else None
    if reason == "refusal":
        raise ProviderError("The model declined to summarise; the conversation is as it was.")
    return read_summary(answer.text) if reason in _COMPLETE else ""


def _without_summary(answer: _Answer, path: Sequence[Entry]) -> str:
    said = answer.text.strip()
    if said and answer.stop is not None and answer.stop.stop_reason in _COMPLETE:
        # It may be the notice of a gateway, which must not take the conversation's place.
        raise BadResponse(
            f"The model gave no summary but: {one_line(said)} The conversation is as it was."
        )
    return local_summary(path)


def _smaller(
    payload: Payload, share: float, path: Sequence[Entry], *, media_first: bool = False
) -> Payload | None:
    """*payload* cut down to *share* of it, with notes on what is gone; None where it cannot be."""
    size = request_tokens(payload)
    target = int(size * share) - (size - estimate_tokens(payload.messages))
    messages = shrink(payload.messages, target, media_first=media_first)
    if _lost_turns(messages) and not _lost_turns(payload.messages):
        gist = local_summary(path, _GIST_CHARS)
        room = target - estimate_tokens(gist)
        told = with_gist(shrink(payload.messages, room, media_first=media_first), gist)
        messages = told if estimate_tokens(told) <= target else messages
    smaller = smaller_request(payload, messages)
    return smaller if request_tokens(smaller) < size else None


def _lost_turns(messages: Sequence[Message]) -> bool:
    return any(block.get("text") == BEGINNING_LEFT_OUT for block in messages[0]["content"][:1])


def _share(message: str) -> float:
    """Which part of a request fits, by the figures in the refusal where it names them."""
    figures = _FIGURES.search(message)
    if figures is None:
        return _SHRINK
    given, most = (int(figure.replace(",", "") or 0) for figure in figures.groups())
    return most / given * _SAFE if 0 < most < given else _SHRINK


async def _ask(deps: ModelTurnDeps, payload: Payload) -> _Answer | PromptTooLong:
    """The whole answer, or the refusal of a request that is too long."""
    client = await deps.client()
    attempt = 0
    while True:
        attempt += 1
        try:
            answer = await _receive(deps, client.stream(payload), payload.model)
        except PromptTooLong as error:
            return error
        except ProviderError as error:
            jitter = random.uniform(0.75, 1)
            delay = retry_delay(error, attempt, max_attempts=deps.max_retries, jitter=jitter)
            if delay is None:
                raise
            deps.bus.emit(Retrying(attempt, deps.max_retries, delay, error.message, error.status))
            await asyncio.sleep(delay)
            continue
        if answer.stop is not None and answer.stop.stop_reason == _FULL:
            return PromptTooLong("The summary does not fit behind the conversation.")
        return answer


async def _receive(deps: ModelTurnDeps, stream: AsyncGenerator[RawEvent], model: str) -> _Answer:
    accumulator = Accumulator()
    answer = _Answer(model=model)
    began = time.monotonic()
    try:
        # Closed at once, so that a cancelled run gives its connection back before it goes on.
        async with aclosing(stream) as events:
            async for raw in events:
                for event in accumulator.feed(raw):
                    _take(answer, event)
    finally:
        deps.count(answer.model, answer.usage, elapsed_ms(began))
    if answer.stop is None:
        raise StreamCut("The connection ended before the summary was complete.")
    return answer


def _take(answer: _Answer, event: object) -> None:
    match event:
        case MessageStart():
            answer.usage = dict(event.usage)
        case BlockDone(block={"type": "text", "text": str(text)}):
            answer.text += text
        case MessageStop():
            answer.usage = dict(event.usage)
            answer.stop = event
        case _:
            pass
