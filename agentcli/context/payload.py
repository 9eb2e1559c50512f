"""The request, rebuilt from the conversation: pure, so the same log gives the same bytes.

The rules of the API for the messages are in ``turn_list``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, overload

from agentcli.context.marks import read_marks
from agentcli.context.turn_list import (
    answer_open_calls,
    api_message,
    heal_ids,
    join_turns,
    read_turns,
)
from agentcli.protocol.blocks import Block, text_block
from agentcli.protocol.payload import Payload
from agentcli.session.entries import Entry

_CACHE_MARK = {"type": "ephemeral"}


@dataclass(frozen=True, slots=True)
class PromptFrame:
    """All of a request but the messages. ``system`` is text, stable for the life of a branch."""

    model: str
    system: str
    tools: list[dict[str, Any]]
    params: dict[str, Any]
    cache: bool = True


def build_payload(path: Sequence[Entry], frame: PromptFrame) -> Payload:
    """The request for the conversation *path* (root first). Pure; never raises.

    The last message is always the user's: a conversation that ends with the model's words gets a
    short note to go on, since prefilled answers are refused.
    """
    turns = read_turns(path, frame.model, 0, read_marks(path))
    heal_ids(turns)
    answer_open_calls(turns)
    return finish_payload([api_message(turn) for turn in join_turns(turns)], frame)


def finish_payload(
    end: list[dict[str, Any]], frame: PromptFrame, before: Sequence[dict[str, Any]] = ()
) -> Payload:
    """The request with the messages *before* and *end*; the latter get the ends that the API
    wants, and cache marks. What is handed in as *before* may grow, but not change."""
    if not end or end[-1]["role"] == "assistant":
        end.append({"role": "user", "content": [text_block("Please go on.")]})
    if (before or end)[0]["role"] == "assistant":
        lost = text_block("(The beginning of this conversation is lost.)")
        before = [{"role": "user", "content": [lost]}, *before]
    system: list[Block] = [text_block(frame.system)] if frame.system.strip() else []
    if frame.cache:
        _mark_cache(system, end)
    messages = Joined(before, end) if len(before) > 1 else [*before, *end]
    return Payload(frame.model, system, messages, frame.tools, frame.params)


class Joined(Sequence[dict[str, Any]]):
    """Two lists as one, as they are now: copying a long one for each request would be the dearest
    part of it."""

    def __init__(self, first: Sequence[dict[str, Any]], second: Sequence[dict[str, Any]]) -> None:
        self._first, self._second = first, second
        self._parted = len(first)

    def __len__(self) -> int:
        return self._parted + len(self._second)

    @overload
    def __getitem__(self, index: int) -> dict[str, Any]: ...

    @overload
    def __getitem__(self, index: slice) -> list[dict[str, Any]]: ...

    def __getitem__(self, index: int | slice) -> dict[str, Any] | list[dict[str, Any]]:
        if isinstance(index, slice):
            return list(self)[index]
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(index)
        return self._first[at] if at < self._parted else self._second[at - self._parted]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        yield from islice(self._first, self._parted)
        yield from self._second


def _mark_cache(system: list[Block], messages: list[dict[str, Any]]) -> None:
    """One mark after the system prompt, one after the newest message; logged blocks are copied."""
    if system:
        system[-1] = {**system[-1], "cache_control": _CACHE_MARK}
    last = messages[-1]
    content: list[Block] = [*last["content"]]
    content[-1] = {**content[-1], "cache_control": _CACHE_MARK}
    messages[-1] = {**last, "content": content}
