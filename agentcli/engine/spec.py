"""All that is decided before a session begins; light to import, so that a window opens fast."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from agentcli.context.compact_rules import CompactRules
from agentcli.permissions.policy import Policy
from agentcli.protocol.modes import PermissionMode
from agentcli.protocol.rules import RuleUpdate
from agentcli.provider.credentials import Endpoint
from agentcli.provider.timeouts import Timeouts

TransportKind = Literal["http", "sdk"]


def _save_nowhere(update: RuleUpdate) -> None:
    """For callers without settings files: the rule counts for the session."""


def _allow_any_mode(mode: PermissionMode) -> None:
    """For callers that have checked the mode themselves."""


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """All that is decided before a session begins.

    ``resume`` is the session file to go on with; ``restore_mode`` takes the mode back from it
    (no flag said otherwise); ``env`` is what the tools' children get, before scrubbing;
    ``answers_shell``: the model replies to the output of the person's own shell commands.
    ``session_id`` and ``title`` are those of the new session, or of the copy where ``fork`` goes
    on in one; ``persist`` off writes nothing to the disk, ``checkpoints`` off keeps no files for
    a rewind; with ``takes_up_queue`` what was queued when the session ended waits again.
    """

    home: Path
    cwd: Path
    policy: Policy
    endpoint: Endpoint
    model: str | None = None
    effort: str | None = None
    append_system_prompt: str | None = None
    max_turns: int | None = None
    resume: Path | None = None
    fork: bool = False
    session_id: str | None = None
    title: str | None = None
    persist: bool = True
    checkpoints: bool = True
    takes_up_queue: bool = True
    restore_mode: bool = False
    bypass_enabled: bool = False
    transport: TransportKind = "http"
    max_retries: int = 10
    timeouts: Timeouts = field(default_factory=Timeouts)
    entrypoint: str = "cli"
    answers_shell: bool = True
    compact: CompactRules = field(default_factory=CompactRules)
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    save_rules: Callable[[RuleUpdate], None] = _save_nowhere
    check_mode: Callable[[PermissionMode], None] = _allow_any_mode
