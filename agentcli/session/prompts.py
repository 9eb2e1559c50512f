"""Which entries are prompts of a person, and how they are shown. Pure."""

from collections.abc import Sequence
from datetime import datetime

from agentcli.base.values import as_dict
from agentcli.protocol.prompts import SHELL_CALL, Prompt, Queued
from agentcli.session.entries import INTERRUPT_TEXT, INTERRUPT_TOOL_TEXT, MENTION_KINDS, Entry
from agentcli.session.shell_entries import shell_call, shell_result

CHECKPOINT = "checkpointId"
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


def turn_start(path: Sequence[Entry], index: int) -> int:
    """Where the prompt at *index* begins: what it mentions was logged right before it."""
    while index and _is_mention(path[index - 1]):
        index -= 1
    return index


def checkpoint_of(prompt: Entry) -> str:
    """What its file checkpoint is called: by the prompt that it was before it was written again."""
    name = prompt.data.get(CHECKPOINT)
    return name if isinstance(name, str) else prompt.uuid


def seconds_of(entry: Entry) -> float:
    """When an entry was written, as Unix seconds; 0.0 where that cannot be known."""
    try:
        return datetime.fromisoformat(str(entry.data.get("timestamp"))).timestamp()
    except ValueError:
        return 0.0


def _is_mention(entry: Entry) -> bool:
    kind = as_dict(entry.data.get("attachment")).get("type")
    return entry.type == "attachment" and kind in MENTION_KINDS
