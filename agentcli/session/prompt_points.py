"""The prompts of a conversation that can be gone back to, with what their turns did. Pure."""

from collections.abc import Sequence
from itertools import pairwise

from agentcli.base.values import as_dict
from agentcli.protocol.history import PromptPoint
from agentcli.session.entries import Entry
from agentcli.session.prompts import is_prompt, prompt_label, seconds_of
from agentcli.session.shell_entries import shell_call


def prompt_points(path: Sequence[Entry]) -> list[PromptPoint]:
    """The prompts of a conversation, oldest first, with what their turns changed."""
    starts = [index for index, entry in enumerate(path) if is_prompt(entry)]
    return [
        _point(path[start], path[start + 1 : end]) for start, end in pairwise([*starts, len(path)])
    ]


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
