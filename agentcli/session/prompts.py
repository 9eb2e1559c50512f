"""Which entries are prompts of a person, and what their turns did. Pure."""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise

from agentcli.base.values import as_dict
from agentcli.protocol.history import PromptPoint
from agentcli.protocol.prompts import SHELL_CALL, Prompt, Queued
from agentcli.session.entries import INTERRUPT_TEXT, INTERRUPT_TOOL_TEXT, MENTION_KINDS, Entry
from agentcli.session.shell_entries import shell_call, shell_result

_MARKERS = (INTERRUPT_TEXT, INTERRUPT_TOOL_TEXT)


def is_prompt(entry: Entry) -> bool:
    """True for what a person sent: words, or a shell command; not for results, notes, markers and
    summaries."""
    if entry.type != "user" or entry.is_meta or entry.data.get("isCompactSummary"):
        return False
    if entry.tool_result is not None or shell_result(entry) is not None:
        return False
    texts = [block.get("text") for block in entry.blocks if block.get("type") == "text"]
    return bool(entry.blocks) and not (len(texts) == 1 and texts[0] in _MARKERS)


def prompt_of(entry: Entry) -> Prompt:
    """The prompt as it was typed; ``!`` stands before a shell command."""
    command = shell_call(entry)
    if command is not None:
        return f"{SHELL_CALL}{command.input['command']}"
    content = entry.message.get("content")
    return content if isinstance(content, str) else entry.blocks


def prompt_label(entry: Entry) -> str:
    """One text to show for a prompt, images named."""
    return Queued(prompt_of(entry)).label


def prompt_points(path: Sequence[Entry]) -> list[PromptPoint]:
    """The prompts of a conversation, oldest first, with what their turns changed."""
    starts = [index for index, entry in enumerate(path) if is_prompt(entry)]
    return [
        _point(path[start], path[start + 1 : end]) for start, end in pairwise([*starts, len(path)])
    ]


def turn_start(path: Sequence[Entry], index: int) -> int:
    """Where the prompt at *index* begins: what it mentions was logged right before it."""
    while index and _is_mention(path[index - 1]):
        index -= 1
    return index


def seconds_of(entry: Entry) -> float:
    """When an entry was written, as Unix seconds; 0.0 where that cannot be known."""
    try:
        return datetime.fromisoformat(str(entry.data.get("timestamp"))).timestamp()
    except ValueError:
        return 0.0


def count_commands(path: Sequence[Entry]) -> int:
    """How many shell commands ran: Bash calls of the model and those of the person."""
    calls = sum(
        block.get("type") == "tool_use" and block.get("name") == "Bash"
        for entry in path
        if entry.type == "assistant"
        for block in entry.blocks
    )
    return calls + sum(shell_call(entry) is not None for entry in path)


def _point(prompt: Entry, turn: Sequence[Entry]) -> PromptPoint:
    files: dict[str, None] = {}
    added = removed = 0
    for entry in turn:
        details = as_dict(entry.data.get("toolUseResult"))
        if "structuredPatch" not in details or not isinstance(details.get("filePath"), str):
            continue
        files[details["filePath"]] = None
        added += _count(details.get("added"))
        removed += _count(details.get("removed"))
    return PromptPoint(
        entry_id=prompt.uuid,
        text=prompt_label(prompt),
        at=seconds_of(prompt),
        files=tuple(files),
        added=added,
        removed=removed,
        commands=count_commands([prompt, *turn]),
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _is_mention(entry: Entry) -> bool:
    kind = as_dict(entry.data.get("attachment")).get("type")
    return entry.type == "attachment" and kind in MENTION_KINDS
