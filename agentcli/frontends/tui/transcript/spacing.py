"""Where a blank line stands between two entries."""

from agentcli.frontends.tui.transcript.answer import AnswerEntry
from agentcli.frontends.tui.transcript.entries import Entry, ThinkingEntry
from agentcli.frontends.tui.transcript.tool_entry import ToolEntry


def gap_above(before: Entry | None, entry: Entry) -> int:
    """Blank rows between *before* and *entry*: work is grouped, speech is set apart. Pure."""
    if before is None:
        return 0
    working = (ToolEntry, ThinkingEntry)
    if isinstance(entry, working):
        if isinstance(before, working):
            return 0
        if isinstance(before, AnswerEntry) and before.ends_in_prose:
            return 0
    return 1
