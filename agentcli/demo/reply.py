"""The words of a script: what it is asked, what it answers, how a request is refused."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from agentcli.protocol.blocks import Block, content_text

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    405: "invalid_request_error",
    413: "request_too_large",
    429: "rate_limit_error",
    431: "invalid_request_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}


class ApiRefusal(Exception):
    """The request is answered with this status and the API's error JSON."""

    def __init__(self, message: str, *, status: int = 400, kind: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.kind = kind or ERROR_TYPES.get(status, "api_error")


class DoneCall(NamedTuple):
    """A ``tool_use`` and the ``tool_result`` that answered it."""

    id: str
    name: str
    input: dict[str, Any]
    output: str
    is_error: bool


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to the scripted model, with what a script needs to find its place.

    ``prompt`` is the last text of the person (reminders left out), ``calls`` the calls made
    since then, ``results`` the results in the last message by ``tool_use`` id. ``turn`` counts
    the assistant messages so far, ``attempt`` how often this very body has come (1 = first).
    """

    body: dict[str, Any]
    headers: dict[str, str]
    prompt: str = ""
    calls: tuple[DoneCall, ...] = ()
    results: dict[str, Block] = field(default_factory=dict[str, Block])
    turn: int = 0
    attempt: int = 1
    tools: frozenset[str] = frozenset()

    def result_text(self, tool_use_id: str) -> str:
        """Text of one result of the last message. Raises ``KeyError`` where there is none."""
        return content_text(self.results[tool_use_id].get("content", ""))


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of the scripted model, or one of the ways in which a server fails.

    ``content`` blocks may lack ``id`` and ``signature``: the server makes them. Times are in
    seconds and are scaled by the server's ``pace``.
    """

    content: list[Block] = field(default_factory=list[Block])
    stop_reason: str | None = None
    """None: ``tool_use`` where a call is in the content, else ``end_turn``."""
    usage: dict[str, Any] = field(default_factory=dict[str, Any])
    """Overrides single figures of the computed usage."""
    chunk: int = 4
    """Characters of one delta."""
    seconds_per_delta: float = 0.0
    status: int = 200
    error_type: str | None = None
    error_message: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    fail_after: int | None = None
    """Cut the connection after so many events (and ``fail_bytes`` of the next one)."""
    fail_bytes: int = 0
    omit_stop: bool = False
    """End the body properly, but without ``message_delta`` and ``message_stop``."""
    error_event: str | None = None
    """An ``error`` event of this type: after ``fail_after`` events, else in place of the stop."""
    raw: bytes | None = None
    """The body, sent as it is under ``status`` and ``headers``."""
    split: int | None = None
    """Bytes of one HTTP chunk (1 = every byte alone); None: one event per chunk."""
    delay: float = 0.0
    """Wait before the response head."""
    pings: int = 1
    """``ping`` events after the start of the first block."""
    stop_details: dict[str, Any] | None = None


Script = Callable[[ModelRequest], Reply]


def text(value: str) -> Block:
    """A ``text`` block. Pure."""
    return {"type": "text", "text": value}


def thinking(value: str) -> Block:
    """A ``thinking`` block; the server signs it. Pure."""
    return {"type": "thinking", "thinking": value}


def tool_use(name: str, tool_input: dict[str, Any], tool_use_id: str | None = None) -> Block:
    """A ``tool_use`` block; without an id the server makes one. Pure."""
    block: Block = {"type": "tool_use", "name": name, "input": tool_input}
    if tool_use_id is not None:
        block["id"] = tool_use_id
    return block


def http_error(
    status: int, message: str = "", *, kind: str | None = None, retry_after: str | None = None
) -> Reply:
    """An HTTP error in the API's form. Pure."""
    headers = {} if retry_after is None else {"retry-after": retry_after}
    return Reply(status=status, error_type=kind, error_message=message, headers=headers)
