"""What the window needs of an engine, and of whoever starts it."""

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from agentcli.protocol.blocks import Block
from agentcli.protocol.events import Event, RunResult
from agentcli.protocol.modes import PermissionMode


class EventStream(Protocol):
    """Events in their order, until closed."""

    def __aiter__(self) -> AsyncIterator[Event]: ...

    def close(self) -> None: ...


class EngineStats(Protocol):
    """Figures for the status line."""

    @property
    def cost_usd(self) -> float: ...

    @property
    def context_tokens(self) -> int: ...

    @property
    def context_window(self) -> int: ...


class EnginePort(Protocol):
    """The methods of ``engine.Engine`` that the window calls."""

    @property
    def cwd(self) -> Path: ...

    @property
    def session_id(self) -> str: ...

    @property
    def mode(self) -> PermissionMode: ...

    @property
    def model(self) -> str: ...

    @property
    def stats(self) -> EngineStats: ...

    @property
    def running(self) -> bool: ...

    async def prompt(self, content: str | list[Block]) -> RunResult | None: ...

    def subscribe(self) -> EventStream: ...

    def interrupt(self) -> bool: ...

    def take_back(self) -> str | None: ...

    def cycle_mode(self) -> PermissionMode: ...

    def set_model(self, name: str) -> None: ...

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
    reduced_motion: bool = False
