"""What was queued while a run was on, as the session file keeps it: nothing typed is lost. Pure."""

from collections.abc import Sequence
from typing import Any, cast

from agentcli.base.clock import timestamp
from agentcli.protocol.prompts import Prompt, Queued
from agentcli.session.entries import Entry

_KIND = "queue-operation"


def enqueued(item: Queued) -> dict[str, Any]:
    """The note that *item* waits now."""
    data: dict[str, Any] = {
        "type": _KIND,
        "operation": "enqueue",
        "timestamp": timestamp(),
        "content": item.content,
    }
    return data | {"isShell": True} if item.shell else data


def dequeued(index: int) -> dict[str, Any]:
    """The note that the item at *index* (0 is the oldest) waits no more."""
    operation = "remove" if index else "dequeue"
    where = {"index": index} if index else {}
    return {"type": _KIND, "operation": operation, "timestamp": timestamp(), **where}


def pending(notes: Sequence[Entry]) -> list[Queued]:
    """What still waits after all *notes*, oldest first; odd ones count for nothing."""
    waiting: list[Queued] = []
    for note in notes:
        content, operation = note.data.get("content"), note.data.get("operation")
        if operation == "enqueue" and isinstance(content, str | list) and content:
            waiting.append(Queued(cast("Prompt", content), note.data.get("isShell") is True))
        elif operation == "popAll":
            waiting.clear()
        elif operation in ("dequeue", "remove") and waiting:
            index = note.data.get("index", 0)
            del waiting[index if isinstance(index, int) and 0 <= index < len(waiting) else 0]
    return waiting
