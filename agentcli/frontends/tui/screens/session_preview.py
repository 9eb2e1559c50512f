"""The end of a session as it looked: its last events as rows, to be shown beside a list."""

from collections.abc import Sequence

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.answer import AnswerEntry
from agentcli.frontends.tui.transcript.compact_entry import CompactEntry
from agentcli.frontends.tui.transcript.entries import Entry
from agentcli.frontends.tui.transcript.rows import Row, blank_row
from agentcli.frontends.tui.transcript.spacing import gap_above
from agentcli.frontends.tui.transcript.speech import PromptEntry
from agentcli.frontends.tui.transcript.tool_entry import ToolEntry
from agentcli.protocol.calls import ToolCall
from agentcli.protocol.events import BlockFinished, Compacted, Event, PromptAdded, ToolFinished

_MOST_ROWS = 600
_LONGEST_ANSWER = 6_000


def preview_rows(events: Sequence[Event], width: int, look: Look, cwd: str = "") -> list[Row]:
    """The last rows of *events* at this *width*: what was said, and the calls in a line each. May
    be slow: for a thread. Bounded whatever the events hold."""
    rows: list[Row] = []
    entries = _entries(events, cwd)
    before: list[Entry | None] = [None, *entries[:-1]]
    for entry, above in zip(reversed(entries), reversed(before), strict=True):
        rows[:0] = [*([blank_row()] * gap_above(above, entry)), *entry.rows(width, look)]
        if len(rows) >= _MOST_ROWS:
            break
    return rows[-_MOST_ROWS:]


def _entries(events: Sequence[Event], cwd: str) -> list[Entry]:
    entries: list[Entry] = []
    calls: dict[str, ToolEntry] = {}
    for event in events:
        match event:
            case PromptAdded():
                entries.append(PromptEntry(event.content, event.attached))
            case Compacted():
                entries.append(CompactEntry(event))
            case ToolFinished():
                entry = calls.get(event.call.id)
                if entry is None:
                    entry = calls[event.call.id] = ToolEntry(event.call.name, event.call, cwd)
                    entries.append(entry)
                entry.finish(event.result, event.duration_ms)
                entry.folded = True
            case BlockFinished() if event.block.get("type") == "text":
                text = str(event.block.get("text", ""))
                if text.strip():
                    entries.append(AnswerEntry(_shorten(text)))
            case BlockFinished() if event.block.get("type") == "tool_use":
                call = _call(event)
                calls[call.id] = ToolEntry(call.name, call, cwd)
                entries.append(calls[call.id])
            case _:
                pass
    return entries


def _shorten(text: str) -> str:
    if len(text) <= _LONGEST_ANSWER:
        return text
    return "…" + text[-_LONGEST_ANSWER:]


def _call(event: BlockFinished) -> ToolCall:
    from agentcli.base.values import as_dict

    block = event.block
    return ToolCall(
        str(block.get("id", "")), str(block.get("name", "")), as_dict(block.get("input"))
    )
