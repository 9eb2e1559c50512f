"""Blocks and calls of the conversation → entries of the transcript."""

from time import monotonic
from typing import Any, TypeVar, cast

from agentcli.frontends.tui.transcript.answer import AnswerEntry
from agentcli.frontends.tui.transcript.entries import Entry
from agentcli.frontends.tui.transcript.speech import ThinkingEntry
from agentcli.frontends.tui.transcript.tool_entry import ToolEntry
from agentcli.frontends.tui.transcript.view import Transcript
from agentcli.protocol.blocks import Block
from agentcli.protocol.calls import ToolCall
from agentcli.protocol.events import (
    BlockDelta,
    BlockDropped,
    BlockFinished,
    BlockStarted,
    ToolFinished,
    ToolProgress,
    ToolStarted,
)

EntryT = TypeVar("EntryT", bound=Entry)
Key = tuple[str, int]
"""Message id and index of a block."""


class BlockView:
    """Keeps which entry belongs to which open block and to which call."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._open: dict[Key, Entry] = {}
        self._started: dict[Key, float] = {}
        self._calls: dict[str, ToolEntry] = {}
        self.running: dict[str, str] = {}
        """Titles of the calls that run, by call id."""
        self.cwd = ""

    def reset(self) -> None:
        """Forget all entries: the transcript was cleared."""
        self._open.clear()
        self._started.clear()
        self._calls.clear()
        self.running.clear()

    def tool(self, call: ToolCall) -> ToolEntry:
        """The entry of *call*, made now if its block was not seen."""
        known = self._calls.get(call.id)
        if known is not None:
            return known
        entry = self._calls[call.id] = ToolEntry(call.name, call, self.cwd)
        self._transcript.add(entry)
        return entry

    def end_run(self) -> None:
        """Nothing runs any more: calls that were never finished writing go away."""
        self.running.clear()
        for key, entry in list(self._open.items()):
            if isinstance(entry, ToolEntry):
                del self._open[key]
                self._transcript.take_away(entry)

    # blocks

    def start(self, event: BlockStarted) -> None:
        """Text and thinking are shown with their first delta, a call at once."""
        key = (event.message_id, event.index)
        self._started[key] = monotonic()
        if event.kind == "tool_use":
            self._put(key, ToolEntry(event.name or "", cwd=self.cwd))

    def grow(self, event: BlockDelta) -> None:
        """More text of a block."""
        key = (event.message_id, event.index)
        entry = self._open.get(key)
        if event.kind == "text":
            if not isinstance(entry, AnswerEntry):
                entry = self._put(key, AnswerEntry())
            entry.feed(event.text)
        elif event.kind == "thinking":
            if not isinstance(entry, ThinkingEntry):
                entry = self._put(key, ThinkingEntry())
            entry.feed(event.text)
        else:
            return
        self._transcript.changed(entry)

    def drop(self, event: BlockDropped) -> None:
        """The block will not come."""
        entry = self._open.pop((event.message_id, event.index), None)
        if entry is not None:
            self._transcript.take_away(entry)

    def finish(self, event: BlockFinished, timed: bool) -> None:
        """The block is whole; *timed*: it was watched, so its duration is known."""
        key = (event.message_id, event.index)
        entry = self._open.pop(key, None)
        started = self._started.pop(key, None)
        seconds = monotonic() - started if timed and started is not None else None
        match event.block.get("type"):
            case "text":
                self._finish_text(entry, str(event.block.get("text", "")))
            case "thinking" | "redacted_thinking":
                self._finish_thinking(entry, event.block, seconds)
            case "tool_use":
                self._finish_call(entry, event.block)
            case _:
                pass

    def _finish_text(self, entry: Entry | None, text: str) -> None:
        if isinstance(entry, AnswerEntry):
            entry.finish(text)
            self._transcript.changed(entry)
        elif text.strip():
            self._transcript.add(AnswerEntry(text))

    def _finish_thinking(self, entry: Entry | None, block: Block, seconds: float | None) -> None:
        text = str(block.get("thinking", ""))
        if not isinstance(entry, ThinkingEntry):
            if not text.strip() and (seconds is None or seconds < 1):
                return
            entry = ThinkingEntry()
            self._transcript.add(entry)
        entry.text, entry.seconds, entry.live = text or entry.text, seconds, False
        self._transcript.changed(entry)

    def _finish_call(self, entry: Entry | None, block: Block) -> None:
        given = block.get("input")
        values = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
        call = ToolCall(str(block.get("id", "")), str(block.get("name", "")), values)
        if not isinstance(entry, ToolEntry):
            entry = ToolEntry(call.name, call, self.cwd)
            self._transcript.add(entry)
        entry.call, entry.state = call, "waiting"
        self._calls[call.id] = entry
        self._transcript.changed(entry)

    # calls

    def run(self, event: ToolStarted) -> None:
        """The call runs."""
        entry = self.tool(event.call)
        entry.state, entry.call = "running", event.call
        title = entry.title
        self.running[event.call.id] = f"{title.verb} {title.object}".strip()
        self._transcript.changed(entry)

    def progress(self, event: ToolProgress) -> None:
        """The next piece of output: kept, drawn only where the entry is unfolded."""
        entry = self._calls.get(event.call_id)
        if entry is not None:
            entry.take_progress(event.text)
            if not entry.folded:
                self._transcript.changed(entry)

    def end(self, event: ToolFinished) -> None:
        """The call has its result."""
        entry = self.tool(event.call)
        entry.finish(event.result, event.duration_ms)
        self.running.pop(event.call.id, None)
        self._transcript.changed(entry)

    def _put(self, key: Key, entry: EntryT) -> EntryT:
        self._open[key] = entry
        self._transcript.add(entry)
        return entry
