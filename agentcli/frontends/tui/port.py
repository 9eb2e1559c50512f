"""What the window needs of an engine, and of whoever starts it."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from agentcli.protocol.events import Event, RunResult
from agentcli.protocol.modes import PermissionMode
from agentcli.protocol.payload import Usage
from agentcli.protocol.prompts import Prompt, Queued
from agentcli.settings.model import Settings


class EventStream(Protocol):
    """Events in their order, until closed."""

    def __aiter__(self) -> AsyncIterator[Event]: ...

    def close(self) -> None: ...


class EngineStats(Protocol):
    """Figures for the status line and its script: see ``engine.stats``."""

    @property
    def total_cost_usd(self) -> float: ...

    @property
    def context_tokens(self) -> int: ...

    @property
    def context_window(self) -> int: ...

    @property
    def exceeds_200k_tokens(self) -> bool: ...

    @property
    def current_usage(self) -> Usage | None: ...

    @property
    def usage(self) -> Usage: ...

    @property
    def duration_ms(self) -> int: ...

    @property
    def api_ms(self) -> int: ...

    @property
    def lines_added(self) -> int: ...

    @property
    def lines_removed(self) -> int: ...


class EnginePort(Protocol):
    """The methods of ``engine.Engine`` that the window calls."""

    @property
    def cwd(self) -> Path: ...

    @property
    def project_dir(self) -> Path: ...

    @property
    def added_dirs(self) -> tuple[Path, ...]: ...

    @property
    def session_id(self) -> str: ...

    @property
    def transcript_path(self) -> Path: ...

    @property
    def mode(self) -> PermissionMode: ...

    @property
    def model(self) -> str: ...

    @property
    def effort(self) -> str | None: ...

    @property
    def stats(self) -> EngineStats: ...

    @property
    def running(self) -> bool: ...

    async def prompt(self, content: Prompt) -> RunResult | None: ...

    async def shell(self, command: str) -> RunResult | None: ...

    def subscribe(self) -> EventStream: ...

    def interrupt(self) -> bool: ...

    def queued(self) -> tuple[Queued, ...]: ...

    def take_back(self) -> Queued | None: ...

    def remove(self, index: int) -> Queued | None: ...

    def set_mode(self, mode: PermissionMode) -> None: ...

    def cycle_mode(self) -> PermissionMode: ...

    def set_model(self, name: str) -> None: ...

    def set_effort(self, level: str | None) -> None: ...

    async def warm_up(self) -> None: ...

    async def clear(self) -> None: ...

    def replay(self) -> list[Event]: ...

    async def aclose(self) -> None: ...


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
