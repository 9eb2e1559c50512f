"""What stays in the shell after the window is gone: the last answer, and how to go on with it."""

from collections.abc import Sequence

from agentcli.base.text import one_line, strip_controls
from agentcli.protocol.events import BlockFinished, Event, PromptAdded

_LINES = 20
_HEAD = 14


def tell_farewell(events: Sequence[Event], session_id: str, kept: bool, width: int) -> str:
    """The last lines for a conversation as *events* replay it; "" if nothing was said. Pure.

    *kept*: the session can be resumed.
    """
    if not any(isinstance(event, PromptAdded) for event in events):
        return ""
    lines = _shorten(_last_answer(events), max(20, width))
    if kept:
        lines += [*([""] if lines else []), f"Resume this session: agentcli --resume {session_id}"]
    return "".join(f"{line}\n" for line in lines)


def _last_answer(events: Sequence[Event]) -> str:
    """The text after the last prompt and the last tool call."""
    parts: list[str] = []
    for event in reversed(events):
        if isinstance(event, PromptAdded):
            break
        if event.scope is not None or not isinstance(event, BlockFinished):
            continue
        kind = event.block.get("type")
        if kind == "text":
            parts.append(str(event.block.get("text", "")))
        elif kind == "tool_use" and parts:
            break
    return "\n\n".join(reversed(parts))


def _shorten(text: str, width: int) -> list[str]:
    """At most twenty rows of the screen: the begin and the end, "…" for what is between."""
    lines = [line.rstrip() for line in strip_controls(text).strip().expandtabs(4).split("\n")]
    if lines == [""]:
        return []
    rows = [1 + max(0, len(line) - 1) // width for line in lines]
    if sum(rows) <= _LINES:
        return lines
    head = _take(lines, rows, _HEAD, width)
    tail = _take(lines[::-1], rows[::-1], _LINES - _HEAD - 1, width)[::-1]
    return [*head, "…", *tail]


def _take(lines: Sequence[str], rows: Sequence[int], room: int, width: int) -> list[str]:
    taken: list[str] = []
    for line, height in zip(lines, rows, strict=True):
        if height > room:
            return taken or [one_line(line, max(10, room * width - 2))]
        taken.append(line)
        room -= height
    return taken
