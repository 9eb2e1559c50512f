"""How a one-shot run is written: ``text``, ``json`` or ``stream-json`` on stdout."""

from typing import BinaryIO, Literal, Protocol

import msgspec

from agentcli.base.text import clean_surrogates, one_line, strip_controls
from agentcli.engine.engine import Engine
from agentcli.frontends.shared.stream_json import Message, StreamJson
from agentcli.protocol.events import Event, RunResult
from agentcli.session.codec import cleaned

OutputFormat = Literal["text", "json", "stream-json"]
OUTPUT_FORMATS: tuple[OutputFormat, ...] = ("text", "json", "stream-json")


class Writer(Protocol):
    """One output format. Every method raises OSError when stdout does not take the bytes."""

    def begin(self) -> None:
        """Before the first event."""
        ...

    def event(self, event: Event) -> None:
        """For each event as it comes."""
        ...

    def end(self, result: RunResult) -> None:
        """The result, last."""
        ...


class TextWriter:
    """Only the answer; nothing at all when there is none."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out

    def begin(self) -> None:
        """Nothing to say yet."""

    def event(self, event: Event) -> None:
        """The answer is written whole at the end."""

    def end(self, result: RunResult) -> None:
        """The last answer of the model with one line end."""
        text = clean_surrogates(strip_controls(result.text)).rstrip("\n")
        if text:
            self._out.write(text.encode() + b"\n")
            self._out.flush()


class JsonWriter:
    """One result object, or with *every* also each message as its own line while it happens."""

    def __init__(self, out: BinaryIO, engine: Engine, *, every: bool) -> None:
        self._out = out
        self._messages = StreamJson(engine)
        self._every = every

    def begin(self) -> None:
        """``system/init`` first."""
        if self._every:
            self._line(self._messages.init())

    def event(self, event: Event) -> None:
        """The message of the event, where the protocol has one."""
        if self._every:
            message = self._messages.message(event)
            if message is not None:
                self._line(message)

    def end(self, result: RunResult) -> None:
        """The result object."""
        self._line(self._messages.result(result))

    def _line(self, message: Message) -> None:
        try:
            data = msgspec.json.encode(message)
        except UnicodeEncodeError:
            data = msgspec.json.encode(cleaned(message))
        self._out.write(data + b"\n")
        self._out.flush()


def make_writer(output_format: OutputFormat, out: BinaryIO, engine: Engine) -> Writer:
    """The writer for a format."""
    if output_format == "text":
        return TextWriter(out)
    return JsonWriter(out, engine, every=output_format == "stream-json")


def failure_object(message: str) -> bytes:
    """A result object for a run that could not even begin (no session, no engine). Pure."""
    result = {
        "type": "result",
        "subtype": "error_during_execution",
        "is_error": True,
        "duration_ms": 0,
        "duration_api_ms": 0,
        "num_turns": 0,
        "session_id": "",
        "total_cost_usd": 0.0,
        "errors": [one_line(message, 2000)],
    }
    return msgspec.json.encode(result) + b"\n"
