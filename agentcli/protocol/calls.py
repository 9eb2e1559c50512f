"""A tool call and its result, as the engine hands them around."""

from dataclasses import dataclass, field
from typing import Any, Literal

from agentcli.protocol.blocks import Block


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One ``tool_use`` block: ``input`` is the model's JSON object, not yet validated."""

    id: str
    name: str
    input: dict[str, Any]


Outcome = Literal["ran", "denied", "skipped"]
"""Whether the tool got to run: not if the person refused it, or the turn ended before."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What goes back to the model (``content``) and what only the person sees (``details``).

    ``details`` has the documented shape of the tool's structured result (``toolUseResult`` in
    the session file), e.g. for Edit ``filePath, oldString, newString, structuredPatch``.
    """

    content: str | list[Block]
    is_error: bool = False
    details: dict[str, Any] = field(default_factory=dict[str, Any])
    outcome: Outcome = "ran"
