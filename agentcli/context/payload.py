"""The request, rebuilt from the conversation: pure, so the same log gives the same bytes.

Rules of the Messages API that are kept here: all results of a response stand in one user message
directly after it, results before text; roles alternate; no empty text; thinking is sent back
byte for byte or left out whole, and left out where the prefix that it was made under has changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agentcli.base.values import as_dict
from agentcli.context.attachments import mention_blocks
from agentcli.context.notes import note_text
from agentcli.context.shapes import THINKING, sendable
from agentcli.protocol.blocks import Block, text_block, tool_result_block
from agentcli.protocol.payload import Payload
from agentcli.session.entries import Entry

PREFIX_KIND = "prompt_prefix"
NOT_RUN = "Not run: the session ended before this call was finished."
_CACHE_MARK = {"type": "ephemeral"}


@dataclass(frozen=True, slots=True)
class PromptFrame:
    """All of a request but the messages. ``system`` is text, stable for the life of a branch."""

    model: str
    system: str
    tools: list[dict[str, Any]]
    params: dict[str, Any]
    cache: bool = True


@dataclass(slots=True)
class _Message:
    role: str
    results: list[Block] = field(default_factory=list[Block])
    blocks: list[Block] = field(default_factory=list[Block])


def build_payload(path: Sequence[Entry], frame: PromptFrame) -> Payload:
    """The request for the conversation *path* (root first). Pure; never raises.

    The last message is always the user's: a conversation that ends with the model's words gets a
    short note to go on, since prefilled answers are refused.
    """
    turns = _joined(_turns(path, frame.model))
    _answer_open_calls(turns)
    messages = [_api_message(turn) for turn in _joined(turns)]
    if not messages or messages[-1]["role"] == "assistant":
        messages.append({"role": "user", "content": [text_block("Please go on.")]})
    if messages[0]["role"] == "assistant":
        lost = text_block("(The beginning of this conversation is lost.)")
        messages.insert(0, {"role": "user", "content": [lost]})
    system: list[Block] = [text_block(frame.system)] if frame.system.strip() else []
    if frame.cache:
        _mark_cache(system, messages)
    return Payload(frame.model, system, messages, frame.tools, frame.params)


def _turns(path: Sequence[Entry], model: str) -> list[_Message]:
    """Entries merged to alternating turns; what the API would refuse is left out."""
    prefix_at = max(
        (i for i, entry in enumerate(path) if note_kind(entry) == PREFIX_KIND), default=-1
    )
    turns: list[_Message] = []
    open_message = ""
    for index, entry in enumerate(path):
        if entry.type == "assistant":
            message_id = str(entry.message.get("id"))
            if entry.data.get("isApiErrorMessage"):
                continue
            drop = index < prefix_at or entry.message.get("model") != model
            left_out = ("tool_result", *(THINKING if drop else ()))
            blocks = [block for block in _blocks(entry) if block["type"] not in left_out]
            if blocks:
                _turn_for(turns, message_id, open_message).blocks.extend(blocks)
                open_message = message_id
        elif entry.type == "user":
            turn = _last(turns, "user")
            for block in _blocks(entry):
                if block["type"] == "tool_result":
                    turn.results.append(block)
                elif block["type"] not in ("tool_use", *THINKING):
                    turn.blocks.append(block)
        elif entry.type == "attachment":
            attachment = entry.data.get("attachment")
            text = note_text(attachment)
            added = [text_block(text)] if text else mention_blocks(attachment)
            if added:
                _last(turns, "user").blocks.extend(added)
    return turns


def note_kind(entry: Entry) -> str:
    """``attachment.type`` of an attachment entry, else an empty string. Pure."""
    return str(as_dict(entry.data.get("attachment")).get("type", ""))


def _turn_for(turns: list[_Message], message_id: str, open_message: str) -> _Message:
    """Blocks of one response belong together even if results were logged between them."""
    if message_id == open_message and len(turns) >= 2 and turns[-1].role == "user":
        if turns[-1].results and not turns[-1].blocks:
            return turns[-2]
    return _last(turns, "assistant")


def _last(turns: list[_Message], role: str) -> _Message:
    if not turns or turns[-1].role != role:
        turns.append(_Message(role))
    return turns[-1]


def _joined(turns: Sequence[_Message]) -> list[_Message]:
    """Turns without empty ones, neighbours of one role as one.

    Thinking at the end of a turn (cut before its answer, or followed by blank text) is left out:
    the API refuses an assistant message that ends with it."""
    joined: list[_Message] = []
    for turn in turns:
        while turn.role == "assistant" and turn.blocks and turn.blocks[-1]["type"] in THINKING:
            turn.blocks.pop()
        if turn.results or turn.blocks:
            into = _last(joined, turn.role)
            into.results.extend(turn.results)
            into.blocks.extend(turn.blocks)
    return joined


def _blocks(entry: Entry) -> list[Block]:
    return [block for block in map(sendable, entry.blocks) if block is not None]


def _answer_open_calls(turns: list[_Message]) -> None:
    """Pair calls and results: strays and doubles go, missing ones are answered as not run."""
    index = 0
    while index < len(turns):
        turn = turns[index]
        index += 1
        if turn.role == "user":
            before = turns[index - 2] if index >= 2 else None
            _keep_asked_results(turn, before)
            continue
        wanted = [str(b["id"]) for b in turn.blocks if b.get("type") == "tool_use"]
        if not wanted:
            continue
        if index == len(turns):
            turns.append(_Message("user"))
        answer = turns[index]
        given = {str(result["tool_use_id"]) for result in answer.results}
        missing = [call_id for call_id in wanted if call_id not in given]
        answer.results.extend(tool_result_block(call_id, NOT_RUN, True) for call_id in missing)


def _keep_asked_results(turn: _Message, before: _Message | None) -> None:
    calls = before.blocks if before is not None and before.role == "assistant" else []
    asked = {str(block["id"]) for block in calls if block.get("type") == "tool_use"}
    kept: list[Block] = []
    for result in turn.results:
        call_id = str(result.get("tool_use_id"))
        if call_id in asked:
            asked.discard(call_id)
            kept.append(result)
    turn.results = kept


def _api_message(turn: _Message) -> dict[str, Any]:
    return {"role": turn.role, "content": [*turn.results, *turn.blocks]}


def _mark_cache(system: list[Block], messages: list[dict[str, Any]]) -> None:
    """One mark after the system prompt, one after the newest message; logged blocks are copied."""
    if system:
        system[-1] = {**system[-1], "cache_control": _CACHE_MARK}
    content: list[Block] = messages[-1]["content"]
    content[-1] = {**content[-1], "cache_control": _CACHE_MARK}
