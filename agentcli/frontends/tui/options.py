"""What the window is told by whoever starts it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from agentcli.settings.model import Settings


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
