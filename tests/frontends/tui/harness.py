"""Runs the window with a scripted engine, and looks at what is on the screen."""

import asyncio
import io
import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any

from rich.console import Console
from textual.pilot import Pilot

from agentcli.engine.asking import Asker
from agentcli.frontends.tui.app import AgentApp
from agentcli.frontends.tui.event_view import EventView
from agentcli.frontends.tui.look.library import Themes, theme_dir
from agentcli.frontends.tui.options import TuiOptions
from agentcli.frontends.tui.screens import approve
from agentcli.protocol.events import Event
from tests.frontends.tui.fake_engine import FakeEngine

Script = Callable[[FakeEngine, str], Awaitable[None]]


async def no_answer(engine: FakeEngine, text: str) -> None:
    """A turn that says nothing."""


@dataclass
class Window:
    app: AgentApp
    pilot: Pilot[int]
    engines: list[FakeEngine] = field(default_factory=list[FakeEngine])

    @property
    def engine(self) -> FakeEngine:
        return self.engines[0]

    @property
    def view(self) -> EventView:
        view = self.app.conversation._view
        assert view is not None
        return view

    async def until(self, holds: Callable[[], object], seconds: float = 5.0) -> None:
        """Wait for something to become true; fails with the screen when it does not."""
        deadline = monotonic() + seconds
        while monotonic() < deadline:
            if holds():
                await self.pilot.pause()
                return
            await asyncio.sleep(0.005)
        raise AssertionError("did not happen; on screen:\n" + "\n".join(self.lines()))

    async def shows(self, text: str) -> None:
        """Wait until *text* is on the screen."""
        await self.until(lambda: text in self.screen())

    async def send(self, text: str) -> None:
        self.app.composer.put(text)
        await self.pilot.press("enter")

    async def idle(self) -> None:
        """Wait until the engine and the drawing are done."""
        await self.until(
            lambda: (
                bool(self.engines) and not self.engine.running and not self.app.status.facts.phase
            )
        )
        self.app.transcript.flush()
        await self.pilot.pause()

    def lines(self) -> list[str]:
        """The rows of the whole screen as text, sheets included."""
        return screen_text(self.app).split("\n")

    def screen(self) -> str:
        return "\n".join(self.lines())


def screen_text(app: AgentApp) -> str:
    """What is on the screen of *app*, sheets included."""
    width, height = app.size
    console = Console(
        width=width, height=height, file=io.StringIO(), record=True, legacy_windows=False
    )
    update = app.screen._compositor.render_update(full=True, screen_stack=app._background_screens)
    console.print(update)
    return "\n".join(line.rstrip() for line in console.export_text().splitlines())


def make_app(
    script: Script = no_answer,
    engines: list[FakeEngine] | None = None,
    history: list[Event] | None = None,
    theme: str = "dark",
    **options: Any,
) -> AgentApp:
    """An app whose engine plays *script*."""
    themes = Themes(theme_dir())
    made = engines if engines is not None else []

    def make_engine(asker: Asker) -> FakeEngine:
        engine = FakeEngine(asker, script, past=list(history or []))
        made.append(engine)
        return engine

    options.setdefault("home", Path(os.environ["AGENTCLI_HOME"]))
    settings = TuiOptions(**options)
    app = AgentApp(make_engine, settings, themes, themes[theme])
    app.user_home, app.start_folder = "/code", "/code/shop"
    app.animation_level = "none"
    return app


@asynccontextmanager
async def window(
    script: Script = no_answer,
    size: tuple[int, int] = (80, 24),
    history: list[Event] | None = None,
    **options: Any,
) -> AsyncGenerator[Window]:
    """The window on a screen of *size*, its engine made."""
    grace, approve.GRACE = approve.GRACE, 0.0
    engines: list[FakeEngine] = []
    app = make_app(script, engines, history, **options)
    try:
        async with app.run_test(size=size) as pilot:
            shown = Window(app, pilot, engines)
            await shown.until(lambda: app.conversation.engine is not None)
            yield shown
    finally:
        approve.GRACE = grace


async def emit(shown: Window, *events: Event) -> None:
    """Let the engine say *events*, and draw them."""
    for event in events:
        shown.engine.emit(event)
    await shown.pilot.pause(0.05)
    shown.app.transcript.flush()
    await shown.pilot.pause()
