"""What the engine says happened: frozen, serialisable, one typed stream for every front end.

``scope`` is the tool_use id of the subagent that spoke, None for the main conversation.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

from agentcli.protocol.asks import AnswerSource, AskReply, AskRequest, Denial
from agentcli.protocol.blocks import Block
from agentcli.protocol.calls import ToolCall, ToolResult
from agentcli.protocol.modes import Outcome
from agentcli.protocol.payload import Usage

Level = Literal["info", "warning", "error"]
CompactTrigger = Literal["manual", "auto"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Base of all events."""

    scope: str | None = None


@dataclass(frozen=True, slots=True)
class RunStarted(Event):
    """A run began: one prompt until the model asks for no tool."""

    prompt_id: str


@dataclass(frozen=True, slots=True)
class RunFinished(Event):
    """A run ended. ``usage`` and ``cost_usd`` (USD) are of this run, ``duration_ms`` wall time."""

    outcome: Outcome
    text: str
    usage: Usage
    cost_usd: float
    turns: int
    duration_ms: int
    error: str | None = None
    denials: tuple[Denial, ...] = ()


@dataclass(frozen=True, slots=True)
class PromptAdded(Event):
    """A user prompt was logged (``content`` as typed: a string, or blocks).

    ``attached`` names the files and folders that it mentions and that went with it.
    """

    entry_id: str
    content: str | list[Block]
    attached: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestStarted(Event):
    """A request goes out."""

    model: str


@dataclass(frozen=True, slots=True)
class Retrying(Event):
    """The request failed and is sent again after ``delay`` seconds."""

    attempt: int
    max_attempts: int
    delay: float
    reason: str
    status: int | None = None


@dataclass(frozen=True, slots=True)
class MessageStarted(Event):
    """The response began to arrive."""

    message_id: str
    model: str


@dataclass(frozen=True, slots=True)
class BlockStarted(Event):
    """A block began; ``kind`` is the API block type, ``name`` the tool of a ``tool_use``."""

    message_id: str
    index: int
    kind: str
    name: str | None = None


@dataclass(frozen=True, slots=True)
class BlockDelta(Event):
    """More of a block: text, thinking, or partial JSON of a tool input."""

    message_id: str
    index: int
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class BlockFinished(Event):
    """A block is whole and logged under ``entry_id``.

    ``partial`` marks text that an interrupt or a cut stream left unfinished.
    """

    message_id: str
    index: int
    block: Block
    entry_id: str
    partial: bool = False


@dataclass(frozen=True, slots=True)
class BlockDropped(Event):
    """A block that was begun will not come: cut stream or retry. A front end takes it away."""

    message_id: str
    index: int


@dataclass(frozen=True, slots=True)
class MessageFinished(Event):
    """The response ended; ``usage`` is final."""

    message_id: str
    stop_reason: str | None
    usage: Usage


@dataclass(frozen=True, slots=True)
class ModelRaw(Event):
    """One raw stream event, emitted only for listeners that asked for partials."""

    event: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolStarted(Event):
    """A call begins to run: it is allowed. A call named ``!`` is the person's own command."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ToolProgress(Event):
    """Output so far of a running call: the newest lines, not a full copy."""

    call_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolFinished(Event):
    """A call has its result, logged under ``entry_id``. ``duration_ms`` is wall time."""

    call: ToolCall
    result: ToolResult
    entry_id: str
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class Asked(Event):
    """A question stands; it is answered through the Asker, not through events."""

    ask_id: str
    request: AskRequest


@dataclass(frozen=True, slots=True)
class Answered(Event):
    """The question was answered or withdrawn (``reply`` None)."""

    ask_id: str
    reply: AskReply | None
    source: AnswerSource


@dataclass(frozen=True, slots=True)
class Notice(Event):
    """Something the person should read, one line."""

    level: Level
    text: str


@dataclass(frozen=True, slots=True)
class StateChanged(Event):
    """One piece of engine state changed: ``mode``, ``model``, ``queue`` (labels), ``context`` …"""

    what: Literal["mode", "model", "effort", "queue", "context", "cwd", "title"]
    value: Any


@dataclass(frozen=True, slots=True)
class HistoryChanged(Event):
    """The conversation is another one now; a front end clears and draws the replay."""

    reason: Literal["clear", "resume", "rewind", "branch"]
    session_id: str
    leaf: str | None = None


@dataclass(frozen=True, slots=True)
class Compacting(Event):
    """A summary of the conversation is being made; it ends with ``Compacted`` or a Notice.

    ``trigger``: the person asked (``manual``) or the window is nearly full (``auto``).
    """

    trigger: CompactTrigger


@dataclass(frozen=True, slots=True)
class Compacted(Event):
    """From here on the model knows the conversation before by its ``summary`` only.

    Tokens are those of the context before and after; the second is an estimate. What was drawn
    before stays. ``side`` says which part the summary stands for: all of it, the begin
    (``up_to``) or the end (``from``) of the conversation.
    """

    trigger: CompactTrigger
    pre_tokens: int
    post_tokens: int
    summary: str
    side: Literal["all", "up_to", "from"] = "all"


@dataclass(frozen=True, slots=True)
class RunResult:
    """What ``Engine.prompt`` returns."""

    outcome: Outcome
    text: str
    usage: Usage = field(default_factory=dict[str, Any])
    cost_usd: float = 0.0
    turns: int = 0
    duration_ms: int = 0
    error: str | None = None
    error_status: int | None = None
    denials: tuple[Denial, ...] = ()
    stop_reason: str | None = None
