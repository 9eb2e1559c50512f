"""Server-sent events to dicts: incremental, indifferent to how the bytes were split."""

import re
from typing import Any, cast

import msgspec

from agentcli.protocol.errors import BadResponse
from agentcli.protocol.payload import RawEvent

MAX_EVENT_BYTES = 64 * 1024 * 1024

_LINE_END = re.compile(rb"\r\n|\n|\r")
_BOM = b"\xef\xbb\xbf"
# Some gateways close the stream with this line of another API.
_FOREIGN_END = b"[DONE]"
_DECODER = msgspec.json.Decoder()


class SseDecoder:
    """Feed bytes as they come, get the events that they completed. No IO."""

    def __init__(self) -> None:
        self._line = bytearray()
        self._after_cr = False
        self._at_start = True
        self._event_name = b""
        self._data: list[bytes] = []
        self._size = 0
        self._broken: BadResponse | None = None

    def feed(self, data: bytes) -> list[RawEvent]:
        """Events completed by *data*. Raises BadResponse for JSON that is broken.

        Events before the broken one are still returned; the next call raises.
        """
        if self._broken is not None:
            raise self._broken
        if self._after_cr and data.startswith(b"\n"):
            data = data[1:]
            self._after_cr = False
        if not data:
            return []
        self._after_cr = data.endswith(b"\r")
        first, *rest = _LINE_END.split(data)
        self._line += first
        events: list[RawEvent] = []
        try:
            self._check_size(len(self._line))
            for piece in rest:
                self._end_line(bytes(self._line), events)
                self._line = bytearray(piece)
        except BadResponse as exc:
            self._broken = exc
            if not events:
                raise
        return events

    def finish(self) -> list[RawEvent]:
        """The last event when its closing blank line is missing; nothing if it is cut.

        Raises the BadResponse that ``feed`` still holds.
        """
        if self._broken is not None:
            raise self._broken
        events: list[RawEvent] = []
        try:
            if self._line:
                self._end_line(bytes(self._line), events)
                self._line = bytearray()
            self._end_line(b"", events)
        except BadResponse:
            # Half an event at the end is a cut stream, which the reader notices by itself.
            return []
        return events

    def _end_line(self, line: bytes, events: list[RawEvent]) -> None:
        if self._at_start:
            line = line.removeprefix(_BOM)
            self._at_start = False
        if not line:
            event = self._take_event()
            if event is not None:
                events.append(event)
            return
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
            self._size += len(value)
            self._check_size(self._size)
        elif name == b"event":
            self._event_name = value

    def _take_event(self) -> RawEvent | None:
        data = b"\n".join(self._data)
        name = self._event_name.decode("utf-8", "replace")
        self._data = []
        self._size = 0
        self._event_name = b""
        if not data.strip() or data == _FOREIGN_END:
            return None
        return _decode_event(name, data)

    def _check_size(self, size: int) -> None:
        if size > MAX_EVENT_BYTES:
            raise BadResponse(
                "The server sent one event of more than 64 MB; the answer was dropped."
            )


def _decode_event(name: str, data: bytes) -> RawEvent:
    try:
        value: Any = _DECODER.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        if name == "error":
            # Proxies put plain words into an error event; they are worth more than "broken JSON".
            text = data.decode("utf-8", "replace")
            return {"type": "error", "error": {"type": "api_error", "message": text}}
        raise BadResponse(f"The server sent an event that is not valid JSON ({exc}).") from exc
    if not isinstance(value, dict):
        raise BadResponse("The server sent an event that is not a JSON object.")
    event = cast(RawEvent, value)
    if not isinstance(event.get("type"), str):
        # The name on the event line says the same; a few gateways leave it out of the data.
        event["type"] = name
    return event
