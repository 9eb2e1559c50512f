"""Entries → alternating turns as the Messages API wants them. Pure.

Rules that are kept here: all results of a response stand in one user message directly after it,
results before text; roles alternate; no empty text; thinking is sent back byte for byte or left
out whole, and left out where the prefix that it was made under has changed.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from agentcli.context.attachments import mention_blocks
from agentcli.context.marks import Marks
from agentcli.context.notes import note_text
from agentcli.context.shapes import THINKING, sendable, without_media
from agentcli.protocol.blocks import Block, text_block, tool_result_block
from agentcli.session.entries import Entry

NOT_RUN = "Not run: the session ended before this call was finished."


@dataclass(slots=True)
class Turn:
    """What one side says until the other does; ``start`` is the index of its first entry."""

    role: str
    start: int
    results: list[Block] = field(default_factory=list[Block])
    blocks: list[Block] = field(default_factory=list[Block])


def read_turns(path: Sequence[Entry], model: str, start: int, marks: Marks) -> list[Turn]:
    """The entries from *start* on, merged to alternating turns; what the API would refuse is left
    out, and thinking of another model or from before the prefix was noted. Pure."""
    turns: list[Turn] = []
    open_message = ""
    for index in range(start, len(path)):
        entry = path[index]
        if entry.type == "assistant":
            message_id = str(entry.message.get("id"))
            if entry.data.get("isApiErrorMessage"):
                continue
            drop = index < marks.prefix_at or entry.message.get("model") != model
            left_out = ("tool_result", *(THINKING if drop else ()))
            blocks = [block for block in _blocks(entry, marks) if block["type"] not in left_out]
            if blocks:
                _turn_for(turns, message_id, open_message, index).blocks.extend(blocks)
                open_message = message_id
        elif entry.type == "user":
            turn = _last(turns, "user", index)
            for block in _blocks(entry, marks):
                if block["type"] == "tool_result":
                    turn.results.append(block)
                elif block["type"] not in ("tool_use", *THINKING):
                    turn.blocks.append(block)
        elif added := _added(entry, marks):
            _last(turns, "user", index).blocks.extend(added)
    return turns


def _blocks(entry: Entry, marks: Marks) -> list[Block]:
    """What can be sent of a message."""
    blocks = [block for block in map(sendable, entry.blocks) if block is not None]
    return list(map(without_media, blocks)) if entry.uuid in marks.left_out else blocks


def _added(entry: Entry, marks: Marks) -> list[Block]:
    """What an attachment adds to the user's turn."""
    if entry.type != "attachment":
        return []
    attachment = entry.data.get("attachment")
    text = note_text(attachment)
    blocks = [text_block(text)] if text else mention_blocks(attachment)
    return list(map(without_media, blocks)) if entry.uuid in marks.left_out else blocks


def _turn_for(turns: list[Turn], message_id: str, open_message: str, index: int) -> Turn:
    """Blocks of one response belong together even if results were logged between them."""
    if message_id == open_message and len(turns) >= 2 and turns[-1].role == "user":
        if turns[-1].results and not turns[-1].blocks:
            return turns[-2]
    return _last(turns, "assistant", index)


def _last(turns: list[Turn], role: str, index: int) -> Turn:
    if not turns or turns[-1].role != role:
        turns.append(Turn(role, index))
    return turns[-1]


def join_turns(turns: Sequence[Turn]) -> list[Turn]:
    """Turns without empty ones, neighbours of one role as one. Changes *turns*.

    Thinking at the end of a turn (cut before its answer, or followed by blank text) is left out:
    the API refuses an assistant message that ends with it."""
    joined: list[Turn] = []
    for turn in turns:
        while turn.role == "assistant" and turn.blocks and turn.blocks[-1]["type"] in THINKING:
            turn.blocks.pop()
        if turn.results or turn.blocks:
            into = _last(joined, turn.role, turn.start)
            into.results.extend(turn.results)
            into.blocks.extend(turn.blocks)
    return joined


def heal_ids(turns: list[Turn], known: Set[str] = frozenset()) -> None:
    """Give calls whose id stands in *known* or before in *turns* another one, and their results
    with them: some gateways count anew in each response. Changes *turns*."""
    seen: set[str] = set()
    renamed: dict[str, list[str]] = {}
    for turn in turns:
        if turn.role == "assistant":
            renamed = {}
            for at, block in enumerate(turn.blocks):
                if block.get("type") != "tool_use":
                    continue
                old = str(block["id"])
                new = _unused(old, known, seen)
                seen.add(new)
                renamed.setdefault(old, []).append(new)
                if new != old:
                    turn.blocks[at] = {**block, "id": new}
        for at, result in enumerate(turn.results):
            old = str(result["tool_use_id"])
            names = renamed.get(old, [])
            if names and (new := names.pop(0)) != old:
                turn.results[at] = {**result, "tool_use_id": new}


def _unused(name: str, known: Set[str], seen: Set[str]) -> str:
    number, new = 1, name
    while new in known or new in seen:
        number += 1
        new = f"{name}_{number}"
    return new


def answer_open_calls(turns: list[Turn]) -> None:
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
            turns.append(Turn("user", turn.start))
        answer = turns[index]
        given = {str(result["tool_use_id"]) for result in answer.results}
        missing = [call_id for call_id in wanted if call_id not in given]
        answer.results.extend(tool_result_block(call_id, NOT_RUN, True) for call_id in missing)


def _keep_asked_results(turn: Turn, before: Turn | None) -> None:
    calls = before.blocks if before is not None and before.role == "assistant" else []
    asked = {str(block["id"]) for block in calls if block.get("type") == "tool_use"}
    kept: list[Block] = []
    for result in turn.results:
        call_id = str(result.get("tool_use_id"))
        if call_id in asked:
            asked.discard(call_id)
            kept.append(result)
    turn.results = kept


def api_message(turn: Turn) -> dict[str, Any]:
    return {"role": turn.role, "content": [*turn.results, *turn.blocks]}
