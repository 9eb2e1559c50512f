"""Closing what a response left open: every call in the log gets its result in the log."""

from agentcli.context.shapes import is_call
from agentcli.engine.bus import EventBus
from agentcli.protocol.calls import ToolCall, ToolResult
from agentcli.protocol.events import ToolFinished
from agentcli.session.entries import result_draft
from agentcli.session.log import SessionLog

LOST = "Not finished: the program ended while this call was open. Its effects are unknown."
INTERRUPTED = "Not run: the user interrupted the turn."
STOPPED = "Not run: the user stopped the turn at another call."
CUT_STREAM = "Not run: the connection was lost before the response was complete."
UNFINISHED = "Not run: the response ended before this call could be taken as meant."
CUT_OUTPUT = (
    "Not run: the response was cut by the output limit inside or after this call. "
    "Do it again in smaller pieces."
)


def open_calls(log: SessionLog) -> list[tuple[ToolCall, str]]:
    """Calls of the newest response that have no result yet, with their entry ids. Pure."""
    answered: set[str] = set()
    found: list[tuple[ToolCall, str]] = []
    for entry in reversed(log.path()):
        result = entry.tool_result
        if result is not None:
            answered.add(str(result.get("tool_use_id")))
        elif entry.type == "assistant":
            for block in reversed(entry.blocks):
                if is_call(block) and block["id"] not in answered:
                    call = ToolCall(block["id"], block["name"], dict(block["input"]))
                    found.append((call, entry.uuid))
        elif entry.type == "user" and not entry.is_meta:
            break
    found.reverse()
    return found


def settle_open_calls(log: SessionLog, bus: EventBus, reason: str) -> int:
    """Log an error result with *reason* for each open call, then tell; returns how many."""
    calls = open_calls(log)
    for call, entry_id in calls:
        result = ToolResult(reason, is_error=True, outcome="skipped")
        entry = log.append(result_draft(call.id, entry_id, result))
        bus.emit(ToolFinished(call, result, entry.uuid))
    return len(calls)
