"""One response on its way from the stream into the log: a block is logged, then told."""

from dataclasses import dataclass, field

from agentcli.engine.bus import EventBus
from agentcli.protocol.blocks import text_block
from agentcli.protocol.calls import ToolCall
from agentcli.protocol.events import (
    BlockDelta,
    BlockDropped,
    BlockFinished,
    BlockStarted,
    MessageFinished,
    MessageStarted,
)
from agentcli.protocol.ids import new_uuid
from agentcli.protocol.payload import (
    BlockDone,
    BlockStart,
    BlockText,
    MessageStart,
    MessageStop,
    ModelEvent,
    Usage,
)
from agentcli.session.entries import assistant_draft
from agentcli.session.log import SessionLog


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """A ``tool_use`` that is in the log. ``input_error`` says why its input is unusable."""

    call: ToolCall
    entry_id: str
    input_error: str | None = None


@dataclass(slots=True)
class Response:
    """Takes the folded events of one response.

    A finished block is held until the next event and the last one until ``message_stop``, so
    that the last line carries the final usage and stop reason.
    """

    log: SessionLog
    bus: EventBus
    model: str
    message_id: str = ""
    request_id: str | None = None
    usage: Usage = field(default_factory=dict[str, int])
    stop: MessageStop | None = None
    calls: list[LoggedCall] = field(default_factory=list[LoggedCall])
    texts: list[str] = field(default_factory=list[str])
    logged: int = 0
    _held: BlockDone | None = None
    _used_ids: set[str] = field(default_factory=set[str])
    _open: dict[int, tuple[str, list[str]]] = field(
        default_factory=dict[int, tuple[str, list[str]]]
    )

    def take(self, event: ModelEvent) -> None:
        """Fold one event into log and stream of events."""
        match event:
            case MessageStart():
                self.message_id = self._unused(event.message_id, "msg")
                self.request_id = event.request_id
                self.usage = dict(event.usage)
                self.bus.emit(MessageStarted(self.message_id, event.model or self.model))
            case BlockStart():
                self._flush(None)
                self._open[event.index] = (event.kind, [])
                self.bus.emit(BlockStarted(self.message_id, event.index, event.kind, event.name))
            case BlockText():
                if event.index in self._open:
                    self._open[event.index][1].append(event.text)
                self.bus.emit(BlockDelta(self.message_id, event.index, event.kind, event.text))
            case BlockDone():
                self._flush(None)
                self._open.pop(event.index, None)
                self._held = event
            case MessageStop():
                self.usage = dict(event.usage)
                self.stop = event
                self._flush(event.stop_reason)
                self.bus.emit(MessageFinished(self.message_id, event.stop_reason, self.usage))

    @property
    def has_blocks(self) -> bool:
        """True if a block is whole, logged or about to be."""
        return self.logged > 0 or self._held is not None

    def keep_partial(self) -> None:
        """The stream ends here for good: log what is whole and the text that was begun.

        Unfinished thinking has no signature and unfinished input is no call: both are dropped.
        """
        self._flush(None)
        for index, (kind, pieces) in self._open.items():
            text = "".join(pieces)
            if kind == "text" and text.strip():
                self._log(BlockDone(index, text_block(text)), None, partial=True)
            else:
                self.bus.emit(BlockDropped(self.message_id, index))
        self._open.clear()

    def drop(self) -> None:
        """Nothing of it counts: it will be asked for again."""
        for index in self._open:
            self.bus.emit(BlockDropped(self.message_id, index))
        self._open.clear()

    def _unused(self, given: object, prefix: str) -> str:
        """*given*, or a new id where it is none or was used before: some gateways count anew in
        each response, and then neither the API nor a resume could tell the two apart."""
        unused = given if isinstance(given, str) else ""
        if not unused or unused in self._used_ids or unused in self.log.facts.used_ids:
            unused = f"{prefix}_{new_uuid()}"
        self._used_ids.add(unused)
        return unused

    def _flush(self, stop_reason: str | None) -> None:
        if self._held is not None:
            held, self._held = self._held, None
            self._log(held, stop_reason)

    def _log(self, done: BlockDone, stop_reason: str | None, *, partial: bool = False) -> None:
        block = done.block
        if block.get("type") == "tool_use":
            name = block.get("name") or "unnamed"
            block = {**block, "id": self._unused(block.get("id"), "toolu"), "name": name}
        entry = self.log.append(
            assistant_draft(
                message_id=self.message_id,
                model=self.model,
                block=block,
                stop_reason=stop_reason,
                usage=self.usage,
                request_id=self.request_id,
            )
        )
        self.logged += 1
        block = entry.blocks[0]
        if block.get("type") == "tool_use":
            call = ToolCall(str(block["id"]), str(block["name"]), dict(block["input"]))
            self.calls.append(LoggedCall(call, entry.uuid, done.input_error))
        elif block.get("type") == "text":
            self.texts.append(str(block.get("text", "")))
        self.bus.emit(
            BlockFinished(self.message_id, done.index, block, entry.uuid, partial=partial)
        )
