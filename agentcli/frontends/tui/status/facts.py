"""What the status line may tell, and the words for figures. No drawing."""

from typing import Literal, NamedTuple

from agentcli.protocol.modes import PermissionMode

PhaseKind = Literal["model", "tool", "ask"]


class StatusFacts(NamedTuple):
    """Everything that the line may tell."""

    mode: PermissionMode = "default"
    model: str = ""
    effort: str = ""
    directory: str = ""
    branch: str = ""
    changes: str = ""
    """Lines added and removed, such as ``+3 −1``."""
    context_share: float | None = None
    cost_usd: float | None = None
    phase: str = ""
    """What the running turn does now; "" while idle."""
    phase_kind: PhaseKind = "model"
    """Whether the model works, a tool runs, or the person is asked."""
    since: float = 0.0
    """`monotonic` time at which the run began."""
    phase_since: float = 0.0
    """`monotonic` time at which the phase began."""
    tokens: int = 0
    retry_at: float = 0.0
    """`monotonic` time of the next try; 0 while nothing is retried."""
    attempt: int = 0
    """The number of that try."""
    hint: str = ""
    """Said for a moment in place of the left part."""
    keys: str = "? help"
    """What can be done while idle."""
    stop_keys: str = "esc interrupt"
    """What can be done while a turn runs."""
    vim_mode: str = ""
    """``INSERT``, ``NORMAL`` …; "" without vim keys."""
    vim_hidden: bool = False
    """The person's script tells the mode of the vim keys."""
    scripted: bool = False
    """A script of the person's own tells the facts: the line keeps the mode and what to press."""


def tell_count(number: int) -> str:
    """``950``, ``1.8k``, ``24k``, ``1.2M``. Pure."""
    if number < 1000:
        return str(number)
    if number < 999_500:
        return f"{number / 1000:.1f}k" if number < 9_950 else f"{round(number / 1000)}k"
    return f"{number / 1_000_000:.1f}M"
