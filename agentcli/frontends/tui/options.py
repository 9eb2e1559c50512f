"""What the window is told by whoever starts it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from agentcli.settings.model import Settings

if TYPE_CHECKING:
    from agentcli.engine.asking import Asker
    from agentcli.frontends.tui.port import EnginePort


@dataclass(frozen=True, slots=True)
class TuiOptions:
    """How the window starts. ``save_theme`` is called with the name of a theme that was chosen."""

    home: Path
    initial_prompt: str | None = None
    theme: str | None = None
    demo: bool = False
    notices: list[str] = field(default_factory=list[str])
    save_theme: Callable[[str], None] | None = None
    resumed: bool = False
    reduced_motion: bool = False
    settings: Settings = field(default_factory=Settings)
    pick_session: bool = False
    """Begin with the list of sessions, searched for ``pick_query``."""
    pick_query: str = ""
    pick_fork: bool = False
    """Go on in a copy of the one that is chosen."""
    fork_engine: "Callable[[Asker], EnginePort] | None" = None
    """Makes the engine with a copy of the session that was asked for: when that one is in use."""
    new_engine: "Callable[[Asker], EnginePort] | None" = None
    """Makes it with a new session instead."""
