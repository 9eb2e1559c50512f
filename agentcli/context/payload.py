"""The request, rebuilt from the conversation: pure, so the same log gives the same bytes.

The rules of the API for the messages are in ``turn_list``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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


def finish_payload(messages: list[dict[str, Any]], frame: PromptFrame) -> Payload:
    """The request with *messages*, which get the ends that the API wants, and cache marks."""
    if not messages or messages[-1]["role"] == "assistant":
        messages.append({"role": "user", "content": [text_block("Please go on.")]})
    if messages[0]["role"] == "assistant":
        lost = text_block("(The beginning of this conversation is lost.)")
        messages.insert(0, {"role": "user", "content": [lost]})
    system: list[Block] = [text_block(frame.system)] if frame.system.strip() else []
    if frame.cache:
        _mark_cache(system, messages)
    return Payload(frame.model, system, messages, frame.tools, frame.params)


def _mark_cache(system: list[Block], messages: list[dict[str, Any]]) -> None:
    """One mark after the system prompt, one after the newest message; logged blocks are copied."""
    if system:
        system[-1] = {**system[-1], "cache_control": _CACHE_MARK}
    last = messages[-1]
    content: list[Block] = [*last["content"]]
    content[-1] = {**content[-1], "cache_control": _CACHE_MARK}
    messages[-1] = {**last, "content": content}
