"""Questions that the engine puts to the person, and the answers."""

from dataclasses import dataclass, field
from typing import Any, Literal

from agentcli.protocol.calls import ToolCall
from agentcli.protocol.rules import RuleUpdate


@dataclass(frozen=True, slots=True)
class Hunk:
    """One piece of a diff; ``lines`` start with a space, ``-`` or ``+`` (unified diff)."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preview:
    """What the call would do, computed once: a ``diff`` (path, hunks) or plain ``text``."""

    kind: Literal["diff", "text"]
    path: str = ""
    hunks: tuple[Hunk, ...] = ()
    text: str = ""
    added: int = 0
    removed: int = 0


@dataclass(frozen=True, slots=True)
class PermissionAsk:
    """May this call run? ``parts`` are the pieces of the command that need the approval."""

    call: ToolCall
    reason: str
    suggestions: tuple[RuleUpdate, ...] = ()
    preview: Preview | None = None
    parts: tuple[str, ...] = ()


AskRequest = PermissionAsk


@dataclass(frozen=True, slots=True)
class Allow:
    """Run it, with ``updated_input`` in place of the model's where given; save ``remember``."""

    updated_input: dict[str, Any] | None = None
    remember: tuple[RuleUpdate, ...] = ()


@dataclass(frozen=True, slots=True)
class Deny:
    """Do not run it. ``message`` goes to the model; ``stop_run`` ends the turn."""

    message: str = ""
    stop_run: bool = False


AskReply = Allow | Deny
AnswerSource = Literal["user", "rule", "hook", "mode", "policy"]


@dataclass(frozen=True, slots=True)
class Denial:
    """A call that was not allowed to run, for the result of a run."""

    call: ToolCall
    reason: str = ""
    extra: dict[str, Any] = field(default_factory=dict[str, Any])
