"""What every step asks of the conversation, kept up with each entry: no step walks all of it."""

from collections.abc import Iterable
from typing import Any

from agentcli.base.values import as_dict
from agentcli.session.entries import Entry


class PathFacts:
    """``used_ids``: ids of responses and calls, also of branches left; ``notes``: the newest
    attachment of each kind in the conversation as it is."""

    def __init__(self) -> None:
        self.used_ids: set[str] = set()
        self.notes: dict[str, dict[str, Any]] = {}

    def begin(self, path: Iterable[Entry]) -> None:
        """The conversation is *path* from now on."""
        self.notes.clear()
        for entry in path:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """The conversation has grown by *entry*."""
        if entry.type == "attachment":
            attachment = as_dict(entry.data.get("attachment"))
            self.notes[str(attachment.get("type", ""))] = attachment
        else:
            self.know(entry)

    def know(self, entry: Entry) -> None:
        """The ids of *entry*, of whatever branch, are used."""
        if entry.type == "assistant":
            self.used_ids.add(str(entry.message.get("id")))
            calls = (block for block in entry.blocks if block.get("type") == "tool_use")
            self.used_ids.update(str(block.get("id")) for block in calls)
