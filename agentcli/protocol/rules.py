"""Permission rules as they are saved, and where to."""

from dataclasses import dataclass
from typing import Literal

from agentcli.protocol.modes import PermissionMode

Behavior = Literal["allow", "deny", "ask"]
Destination = Literal["session", "localSettings", "projectSettings", "userSettings"]


@dataclass(frozen=True, slots=True)
class Rule:
    """``tool(content)``, or the bare tool name where ``content`` is None."""

    tool: str
    content: str | None = None

    def __str__(self) -> str:
        return self.tool if self.content is None else f"{self.tool}({self.content})"


@dataclass(frozen=True, slots=True)
class RuleUpdate:
    """What an "always" would save: rules to add, or a mode to set for the session."""

    rules: tuple[Rule, ...] = ()
    behavior: Behavior = "allow"
    destination: Destination = "session"
    mode: PermissionMode | None = None
