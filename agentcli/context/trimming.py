"""Making a request smaller when it does not fit: outputs first, media next, then the oldest turns.

Works on the messages of a request; what was logged stays as it is. Pure.
"""

from collections.abc import Callable, Sequence
from typing import Any

from agentcli.base.values import as_dict, as_list
from agentcli.context.shapes import THINKING
from agentcli.context.sizes import estimate_tokens
from agentcli.protocol.blocks import Block, text_block

Message = dict[str, Any]

LEFT_OUT = "(left out here to save room)"
BEGINNING_LEFT_OUT = "(The beginning of this conversation is left out here to save room.)"
_SHORT = 400
"""Characters of an output or input that stay: too little to be worth a cut."""
_MEDIA = ("image", "document")
_QUOTING = ("<mentioned-file", "<mentioned-folder", "<bash-stdout>")
"""Beginnings of text that the person did not type."""


def shrink(messages: Sequence[Message], target: int, *, media_first: bool = False) -> list[Message]:
    """*messages* of about *target* tokens or less: as little as possible is left out, the oldest
    first. May stay larger where nothing more can go. Pure.

    Thinking goes at once: it is bound to what stands before it.
    """
    smaller = without_thinking(messages)
    cuts = [_cut_outputs, _cut_media, _cut_turns]
    if media_first:
        cuts = [_cut_media, _cut_outputs, _cut_turns]
    for cut in cuts:
        excess = estimate_tokens(smaller) - target
        if excess > 0 or (media_first and cut is _cut_media):
            smaller = cut(smaller, excess)
    return smaller


def without_thinking(messages: Sequence[Message]) -> list[Message]:
    """*messages* without thinking, and without those that held nothing else. Pure."""
    kept: list[Message] = []
    for message in messages:
        content = [block for block in message["content"] if block.get("type") not in THINKING]
        if not content:
            continue
        if kept and kept[-1]["role"] == message["role"]:
            content = [*kept.pop()["content"], *content]
        kept.append({**message, "content": content})
    return kept


def _cut_outputs(messages: list[Message], excess: int) -> list[Message]:
    """Outputs of tools, what was quoted, and long inputs of calls."""
    return _cut_blocks(messages, excess, _without_output)


def _cut_media(messages: list[Message], excess: int) -> list[Message]:
    """All of it: one image that is too large is not found by counting tokens."""
    return _cut_blocks(messages, None, _without_media)


def _cut_blocks(
    messages: list[Message], excess: int | None, cut: Callable[[Block], Block]
) -> list[Message]:
    shorter: list[Message] = []
    for message in messages:
        content: list[Block] = []
        for block in message["content"]:
            less = block if excess is not None and excess <= 0 else cut(block)
            if excess is not None and less is not block:
                excess -= estimate_tokens(block) - estimate_tokens(less)
            content.append(less)
        shorter.append({**message, "content": content})
    return shorter


def _without_output(block: Block) -> Block:
    match block.get("type"):
        case "tool_result" if _length(block.get("content")) > _SHORT:
            return {**block, "content": LEFT_OUT}
        case "tool_use":
            given = as_dict(block.get("input"))
            if _length(list(given.values())) <= _SHORT:
                return block
            return {**block, "input": {name: _clip(value) for name, value in given.items()}}
        case "text" if str(block.get("text", "")).startswith(_QUOTING):
            text = str(block["text"])
            return text_block(f"{text[:_SHORT]}\n{LEFT_OUT}") if len(text) > 2 * _SHORT else block
        case _:
            return block


def _without_media(block: Block) -> Block:
    if block.get("type") in _MEDIA:
        return text_block(f"[{block['type']}] {LEFT_OUT}")
    content = as_list(block.get("content"))
    if block.get("type") == "tool_result" and content:
        parts = [_without_media(as_dict(part)) for part in content]
        return block if parts == content else {**block, "content": parts}
    return block


def _cut_turns(messages: list[Message], excess: int) -> list[Message]:
    """Whole turns from the beginning; of the last one its oldest calls with their results."""
    begin = 0
    while excess > 0 and (start := _next_prompt(messages, begin)) is not None:
        excess -= estimate_tokens(messages[begin:start])
        begin = start
    kept = messages[begin:]
    rounds = 0
    while excess > 0 and 2 * rounds + 3 < len(kept):
        excess -= estimate_tokens(kept[2 * rounds + 1 : 2 * rounds + 3])
        rounds += 1
    if rounds:
        kept = [kept[0], *kept[2 * rounds + 1 :]]
    if begin or rounds:
        note = text_block(BEGINNING_LEFT_OUT)
        kept[0] = {**kept[0], "content": [note, *kept[0]["content"]]}
    return kept


def _next_prompt(messages: Sequence[Message], begin: int) -> int | None:
    """Where the next turn of the person begins that is not the last message."""
    for index in range(begin + 1, len(messages) - 1):
        message = messages[index]
        kinds = {block.get("type") for block in message["content"]}
        if message["role"] == "user" and "tool_result" not in kinds:
            return index
    return None


def _length(value: object) -> int:
    return 4 * estimate_tokens(value)


def _clip(value: object) -> object:
    if isinstance(value, str):
        return value if len(value) <= _SHORT else f"{value[:_SHORT]}… {LEFT_OUT}"
    return value if _length(value) <= _SHORT else LEFT_OUT
