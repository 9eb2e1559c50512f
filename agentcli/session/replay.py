"""Entries → the events that would have drawn them: one drawing path for live and resumed. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any, cast

from agentcli.base.values import as_dict, as_list
from agentcli.protocol.blocks import Block
from agentcli.protocol.calls import Outcome, ToolCall, ToolResult
from agentcli.protocol.events import BlockFinished, Event, Notice, PromptAdded, ToolFinished
from agentcli.session.compact_entries import compacted, is_boundary, is_summary
from agentcli.session.entries import (
    INTERRUPT_TEXT,
    INTERRUPT_TOOL_TEXT,
    MENTION_KINDS,
    Entry,
)
from agentcli.session.shell_entries import OUTPUT_LOST, shell_call, shell_result

_LOST = ToolResult(OUTPUT_LOST, is_error=True)

_OUTCOMES: dict[str, Outcome] = {"denied": "denied", "skipped": "skipped"}


def replay(path: Sequence[Entry]) -> Iterator[Event]:
    """Events for a conversation: prompts, finished blocks, tool results, notes. Never raises.

    A compaction comes as the event that told of it, not as a prompt."""
    calls: dict[str, ToolCall] = {}
    attached: list[str] = []
    command: ToolCall | None = None
    boundary: Entry | None = None
    for entry in path:
        if command is not None and entry.type in ("user", "assistant"):
            yield ToolFinished(command, shell_result(entry) or _LOST, entry.uuid)
            command = None
            if shell_result(entry) is not None:
                continue
        if is_summary(entry):
            yield compacted(entry, boundary)
        elif entry.type == "assistant":
            yield from _assistant(entry, calls)
        elif entry.type == "attachment":
            attached += _attached(entry)
        elif entry.type == "user" and not entry.is_meta:
            command = shell_call(entry)
            if command is None:
                yield from _user(entry, calls, tuple(attached))
            attached.clear()
        boundary = entry if is_boundary(entry) else None
    if command is not None:
        yield ToolFinished(command, _LOST, command.id)


def _assistant(entry: Entry, calls: dict[str, ToolCall]) -> Iterator[Event]:
    if entry.data.get("isApiErrorMessage"):
        text = "".join(str(block.get("text", "")) for block in entry.blocks)
        yield Notice("error", text)
        return
    for index, block in enumerate(entry.blocks):
        if block.get("type") == "tool_use":
            call = _call(block)
            calls[call.id] = call
        message_id = str(entry.message.get("id", entry.uuid))
        yield BlockFinished(f"{message_id}/{entry.uuid}", index, block, entry.uuid)


def _user(entry: Entry, calls: dict[str, ToolCall], attached: tuple[str, ...]) -> Iterator[Event]:
    prompt: list[Block] = []
    for block in entry.blocks:
        if block.get("type") != "tool_result":
            prompt.append(block)
            continue
        call = calls.get(str(block.get("tool_use_id")))
        if call is not None:
            yield ToolFinished(call, _result(entry, block), entry.uuid)
    text = "".join(str(block.get("text", "")) for block in prompt)
    if text in (INTERRUPT_TEXT, INTERRUPT_TOOL_TEXT):
        yield Notice("warning", "interrupted")
    elif prompt:
        content: Any = entry.message.get("content")
        typed = content if isinstance(content, str) else prompt
        yield PromptAdded(entry.uuid, typed, attached)


def _attached(entry: Entry) -> list[str]:
    attachment = as_dict(entry.data.get("attachment"))
    if attachment.get("type") not in MENTION_KINDS or not as_list(attachment.get("content")):
        return []
    return [str(attachment.get("displayPath") or attachment.get("filename") or "")]


def _call(block: Block) -> ToolCall:
    given: Any = block.get("input")
    values = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    return ToolCall(str(block.get("id")), str(block.get("name")), values)


def _result(entry: Entry, block: Block) -> ToolResult:
    content: Any = block.get("content")
    details: Any = entry.data.get("toolUseResult")
    return ToolResult(
        cast("list[Block]", content) if isinstance(content, list) else str(content or ""),
        bool(block.get("is_error")),
        cast("dict[str, Any]", details) if isinstance(details, dict) else {},
        _OUTCOMES.get(str(entry.data.get("callOutcome")), "ran"),
    )
