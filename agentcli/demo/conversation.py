"""Reading a request body: merged messages, the person's last prompt, calls made since. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from agentcli.demo.reply import DoneCall, ModelRequest
from agentcli.protocol.blocks import Block, content_text

_REMINDER = re.compile(r"\s*<(system-reminder|command-|local-command-|conversation-summary)")


@dataclass(slots=True)
class Merged:
    """Consecutive messages of one role as one; ``places`` tells where each block stood."""

    role: str
    blocks: list[Block] = field(default_factory=list[Block])
    places: list[str] = field(default_factory=list[str])
    index: int = 0


def blocks_of(content: Any) -> list[Block]:
    """Message content as a list of blocks; a string becomes one text block. Pure."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    items = cast("list[Any]", content) if isinstance(content, list) else []
    return [cast("Block", item) for item in items if isinstance(item, dict)]


def merge_messages(messages: Sequence[Mapping[str, Any]]) -> list[Merged]:
    """Consecutive messages of the same role become one, as the API takes them. Pure."""
    merged: list[Merged] = []
    for index, message in enumerate(messages):
        role = str(message.get("role", ""))
        if not merged or merged[-1].role != role:
            merged.append(Merged(role, index=index))
        for position, block in enumerate(blocks_of(message.get("content"))):
            merged[-1].blocks.append(block)
            merged[-1].places.append(f"messages.{index}.content.{position}")
    return merged


def is_reminder(text: str) -> bool:
    """True for text that the program added, not the person. Pure."""
    return _REMINDER.match(text) is not None


def prompt_of(message: Merged) -> str:
    """The person's words in a user message; empty where it holds only results or notes. Pure."""
    if message.role != "user":
        return ""
    texts = [str(block.get("text", "")) for block in message.blocks if block.get("type") == "text"]
    return "\n".join(text for text in texts if not is_reminder(text)).strip()


def last_prompt_at(merged: Sequence[Merged]) -> int:
    """Index of the message with the person's last prompt, -1 where there is none. Pure."""
    for index in range(len(merged) - 1, -1, -1):
        if prompt_of(merged[index]):
            return index
    return -1


def read_request(body: dict[str, Any], headers: dict[str, str], attempt: int) -> ModelRequest:
    """The request as a script sees it. Pure; expects a body that passed the checks."""
    merged = merge_messages(body.get("messages", []))
    at = last_prompt_at(merged)
    last = merged[-1] if merged else Merged("user")
    results = {
        str(block["tool_use_id"]): block
        for block in last.blocks
        if block.get("type") == "tool_result"
    }
    return ModelRequest(
        body=body,
        headers=headers,
        prompt=prompt_of(merged[at]) if at >= 0 else "",
        calls=_calls_since(merged[at + 1 :]),
        results=results,
        turn=sum(message.role == "assistant" for message in merged),
        attempt=attempt,
        tools=frozenset(str(tool.get("name", "")) for tool in blocks_of(body.get("tools"))),
    )


def request_texts(body: Mapping[str, Any]) -> list[str]:
    """All text of ``system`` and of the user messages, results left out. Pure."""
    system = [str(block.get("text", "")) for block in blocks_of(body.get("system", []))]
    texts = [
        str(block.get("text", ""))
        for message in body.get("messages", [])
        if message.get("role") != "assistant"
        for block in blocks_of(message.get("content"))
        if block.get("type") == "text"
    ]
    return system + texts


def find_line(body: Mapping[str, Any], label: str) -> str | None:
    """The value of the last line ``<label>: value`` in the request's texts, if any. Pure."""
    pattern = re.compile(rf"^[ \t*-]*{re.escape(label)}:[ \t]*(\S.*?)[ \t]*$", re.MULTILINE)
    found = [hit for text in request_texts(body) for hit in pattern.findall(text)]
    return found[-1] if found else None


def _calls_since(merged: Sequence[Merged]) -> tuple[DoneCall, ...]:
    answers = {
        str(block.get("tool_use_id")): block
        for message in merged
        for block in message.blocks
        if block.get("type") == "tool_result"
    }
    return tuple(
        DoneCall(
            str(block["id"]),
            str(block["name"]),
            block["input"],
            content_text(answers[str(block["id"])].get("content", "")),
            bool(answers[str(block["id"])].get("is_error", False)),
        )
        for message in merged
        for block in message.blocks
        if block.get("type") == "tool_use" and str(block.get("id")) in answers
    )
