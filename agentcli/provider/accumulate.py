"""Raw stream events to model events: a strict fold that never repairs what the model sent."""

from collections.abc import Mapping
from typing import Any, cast

import msgspec

from agentcli.protocol.blocks import Block
from agentcli.protocol.errors import BadResponse, StreamCut
from agentcli.protocol.payload import (
    BlockDone,
    BlockStart,
    BlockText,
    MessageStart,
    MessageStop,
    ModelEvent,
    RawEvent,
    Usage,
)
from agentcli.provider.errors import error_from_event

# Delta kind → the field of the block that it makes longer.
_APPENDED = {"text_delta": "text", "thinking_delta": "thinking"}
# Delta kind → the fields of the block that it replaces.
_REPLACED = {
    "signature_delta": ("signature",),
    "compaction_delta": ("content", "encrypted_content"),
}
_INPUT_KINDS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
_NOT_AN_OBJECT = "the input is not a JSON object"
_DECODER = msgspec.json.Decoder()


class _OpenBlock:
    """A block between its start and its stop; pieces are joined once, so the fold is O(n)."""

    def __init__(self, block: Block) -> None:
        self.block = dict(block)
        self.kind = _text(block.get("type"))
        self.pieces: dict[str, list[str]] = {}
        self.citations: list[Any] = []
        self.input_json: list[str] = []

    @property
    def takes_input(self) -> bool:
        return self.kind in _INPUT_KINDS or "input" in self.block

    def has(self, name: str) -> bool:
        """True when text for field *name* belongs here; unknown kinds show their own fields."""
        return self.kind == name or name in self.block

    def snapshot(self) -> Block:
        """The block as far as it came, without its tool input."""
        block = dict(self.block)
        for name, pieces in self.pieces.items():
            block[name] = _text(block.get(name)) + "".join(pieces)
        if self.citations:
            start = block.get("citations")
            known: list[Any] = cast("list[Any]", start) if isinstance(start, list) else []
            block["citations"] = [*known, *self.citations]
        return block

    def finished(self) -> tuple[Block, str | None]:
        """The whole block, and why its tool input is unusable if it is."""
        block = self.snapshot()
        problem = None
        text = "".join(self.input_json)
        if text.strip():
            block["input"], problem = _parse_input(text)
        elif self.kind in _INPUT_KINDS and not isinstance(block.get("input"), dict):
            # Gateways write null for "no arguments"; anything else was never an object.
            problem = None if block.get("input") is None else _NOT_AN_OBJECT
            block["input"] = {}
        return block, problem


class Accumulator:
    """Folds one response. No IO; feed it in order, then call :meth:`finish`."""

    def __init__(self) -> None:
        self._request_id: str | None = None
        self._started = False
        self._stopped = False
        self._open: dict[int, _OpenBlock] = {}
        self._usage: Usage = {}
        self._stop_reason: str | None = None
        self._stop_sequence: str | None = None
        self._stop_details: Mapping[str, Any] = {}

    def feed(self, event: RawEvent) -> list[ModelEvent]:
        """Model events made by one raw event.

        Raises BadResponse for events out of order and the typed error of an ``error`` event.
        """
        match event.get("type"):
            case "request_id":
                self._request_id = str(event.get("request_id") or "") or None
            case "error":
                raise error_from_event(event, request_id=self._request_id)
            case "message_start":
                return [self._start_message(event)]
            case "content_block_start":
                return self._start_block(event)
            case "content_block_delta":
                return self._add_delta(event)
            case "content_block_stop":
                return self._stop_block(event)
            case "message_delta":
                self._update_message(event)
            case "message_stop":
                return [self._stop_message()]
            case _:
                pass  # ping, and whatever the API adds later
        return []

    def finish(self) -> None:
        """Raise StreamCut unless ``message_stop`` was seen."""
        if not self._stopped:
            raise StreamCut("The answer ended before it was complete.", request_id=self._request_id)

    def open_blocks(self) -> list[tuple[int, Block]]:
        """The blocks begun but not finished, as far as they came (tool input left out)."""
        return [(index, block.snapshot()) for index, block in self._open.items()]

    def _start_message(self, event: RawEvent) -> MessageStart:
        if self._started:
            raise self._disorder("a second message_start")
        self._started = True
        message = _mapping(event.get("message"))
        self._usage = dict(_mapping(message.get("usage")))
        return MessageStart(
            message_id=_text(message.get("id")),
            model=_text(message.get("model")),
            usage=dict(self._usage),
            request_id=self._request_id,
        )

    def _start_block(self, event: RawEvent) -> list[ModelEvent]:
        self._need_running("content_block_start")
        index = self._index(event)
        content = event.get("content_block")
        if not isinstance(content, dict):
            raise self._disorder("content_block_start without a block")
        if index in self._open:
            raise self._disorder(f"a second content_block_start for block {index}")
        block = self._open[index] = _OpenBlock(cast(Block, content))
        name = block.block.get("name") if block.kind in _INPUT_KINDS else None
        return [BlockStart(index, block.kind, name if isinstance(name, str) else None)]

    def _add_delta(self, event: RawEvent) -> list[ModelEvent]:
        block, index = self._block_of(event, "content_block_delta")
        delta = _mapping(event.get("delta"))
        kind = delta.get("type")
        if kind in _APPENDED:
            name = _APPENDED[kind]
            return self._append(index, block, name, _text(delta.get(name)))
        if kind == "input_json_delta" and block.takes_input:
            text = _text(delta.get("partial_json"))
            block.input_json.append(text)
            return [BlockText(index, block.kind, text)] if text else []
        if kind == "citations_delta" and "citation" in delta:
            block.citations.append(delta["citation"])
        elif kind in _REPLACED:
            block.block |= {name: delta[name] for name in _REPLACED[kind] if name in delta}
        return []

    def _append(self, index: int, block: _OpenBlock, name: str, text: str) -> list[ModelEvent]:
        if not text or not block.has(name):
            return []
        block.pieces.setdefault(name, []).append(text)
        return [BlockText(index, block.kind, text)]

    def _stop_block(self, event: RawEvent) -> list[ModelEvent]:
        block, index = self._block_of(event, "content_block_stop")
        del self._open[index]
        whole, problem = block.finished()
        return [BlockDone(index, whole, problem)]

    def _update_message(self, event: RawEvent) -> None:
        self._need_running("message_delta")
        delta = _mapping(event.get("delta"))
        if "stop_reason" in delta:
            self._stop_reason = _text(delta["stop_reason"]) or None
        if "stop_sequence" in delta:
            self._stop_sequence = _text(delta["stop_sequence"]) or None
        if "stop_details" in delta:
            self._stop_details = _mapping(delta["stop_details"])
        # The figures are totals so far, not increments; null means "see message_start".
        for name, value in _mapping(event.get("usage")).items():
            if value is not None:
                self._usage[name] = value

    def _stop_message(self) -> MessageStop:
        self._need_running("message_stop")
        if self._open:
            raise self._disorder(f"message_stop while block {min(self._open)} is open")
        self._stopped = True
        return MessageStop(
            self._stop_reason, dict(self._usage), self._stop_sequence, self._stop_details
        )

    def _need_running(self, what: str) -> None:
        if not self._started:
            raise self._disorder(f"{what} before message_start")
        if self._stopped:
            raise self._disorder(f"{what} after message_stop")

    def _block_of(self, event: RawEvent, what: str) -> tuple[_OpenBlock, int]:
        self._need_running(what)
        index = self._index(event)
        if index not in self._open:
            raise self._disorder(f"{what} for block {index}, which is not open")
        return self._open[index], index

    def _index(self, event: RawEvent) -> int:
        index = event.get("index")
        if not isinstance(index, int) or isinstance(index, bool):
            raise self._disorder(f"{event.get('type')} without an index")
        return index

    def _disorder(self, what: str) -> BadResponse:
        return BadResponse(
            f"The server broke the order of the stream: {what}.", request_id=self._request_id
        )


def _parse_input(text: str) -> tuple[Block, str | None]:
    try:
        value: Any = _DECODER.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as exc:
        return {}, f"the input is not valid JSON ({exc})"
    if not isinstance(value, dict):
        return {}, _NOT_AN_OBJECT
    return cast(Block, value), None


def _mapping(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
