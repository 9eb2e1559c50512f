"""The request to the model, and what comes back after the raw stream was folded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agentcli.protocol.blocks import Block

Usage = dict[str, Any]
RawEvent = dict[str, Any]
"""One decoded server-sent event of the Messages API: a dict with ``type``."""


@dataclass(frozen=True, slots=True)
class Payload:
    """One request body of ``POST /v1/messages``, in parts.

    ``params`` holds the rest of the body: ``max_tokens``, ``thinking``, ``output_config`` …;
    ``betas`` become the ``anthropic-beta`` header.
    """

    model: str
    system: list[Block]
    messages: Sequence[dict[str, Any]]
    tools: list[dict[str, Any]]
    params: dict[str, Any]
    betas: tuple[str, ...] = ()

    def body(self) -> dict[str, Any]:
        """The JSON body, ``stream`` on; empty parts are left out. Pure."""
        body: dict[str, Any] = {"model": self.model, **self.params}
        if self.system:
            body["system"] = self.system
        body["messages"] = list(self.messages)
        if self.tools:
            body["tools"] = self.tools
        body["stream"] = True
        return body


@dataclass(frozen=True, slots=True)
class MessageStart:
    """The response began: id, model, first usage figures; ``request_id`` from the HTTP header."""

    message_id: str
    model: str
    usage: Usage
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class BlockStart:
    """A content block began; ``name`` is set for ``tool_use``."""

    index: int
    kind: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class BlockText:
    """A piece of a block: answer text, thinking text or partial input JSON."""

    index: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class BlockDone:
    """A whole block. ``input_error`` says why a ``tool_use`` input is not a JSON object."""

    index: int
    block: Block
    input_error: str | None = None


@dataclass(frozen=True, slots=True)
class MessageStop:
    """``message_stop`` was received. ``usage`` is final; ``stop_details`` is set for refusals."""

    stop_reason: str | None
    usage: Usage
    stop_sequence: str | None = None
    stop_details: Mapping[str, Any] = field(default_factory=dict[str, Any])


ModelEvent = MessageStart | BlockStart | BlockText | BlockDone | MessageStop
