"""Where a blank line stands between two entries."""

from agentcli.frontends.tui.transcript.entries import Entry


def gap_above(before: Entry | None, entry: Entry) -> int:
    """Blank rows between *before* and *entry*: work is grouped, speech is set apart. Pure."""
    if before is None:
        return 0
    return 0 if entry.is_work and (before.is_work or before.ends_in_prose) else 1
