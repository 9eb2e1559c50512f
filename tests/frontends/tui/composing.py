"""A window with nothing but a composer, on the real table of keys."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from inspect import isawaitable
from time import monotonic
from typing import Any, cast

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.pilot import Pilot
from textual.widgets import Static

from agentcli.frontends.tui.actions import BY_NAME, default_keys
from agentcli.frontends.tui.complete.menu import CompletionMenu
from agentcli.frontends.tui.composer.area import Composer
from agentcli.frontends.tui.composer.mark import Mark
from agentcli.frontends.tui.keymap.key_app import KeyApp
from agentcli.frontends.tui.keymap.keymap import Keymap
from agentcli.frontends.tui.look.library import read_palette, theme_dir
from agentcli.frontends.tui.look.styles import make_look
from agentcli.frontends.tui.look.themes import textual_theme

PALETTE = read_palette(theme_dir() / "dark.toml")


class ComposerApp(KeyApp):
    """The composer at the bottom, as in the window."""

    CSS = "#above { height: 1fr; } #line { height: auto; }"

    def __init__(self, typed: str = "") -> None:
        super().__init__()
        self.register_theme(textual_theme(PALETTE))
        self.theme = PALETTE.name
        self.keymap = Keymap(default_keys())
        self.menu = CompletionMenu(make_look(PALETTE))
        self.composer = Composer(typed)
        self.composer.key_filter = self.press
        self.sent: list[Composer.Submitted] = []
        self.escapes: list[bool] = []
        self.hints: list[str] = []

    def compose(self) -> ComposeResult:
        yield Static(id="above")
        with Horizontal(id="line"):
            yield Mark(self.composer)
            yield self.composer
        yield self.menu

    def on_mount(self) -> None:
        self.composer.focus()

    def key_contexts(self) -> Sequence[str]:
        return ("Chat", "Global")

    async def perform(self, action: str) -> bool:
        known, window = BY_NAME[action], cast("Any", self)
        if not known.when(window):
            return False
        result = known.run(window)
        if isawaitable(result):
            await result
        return True

    def on_composer_submitted(self, event: Composer.Submitted) -> None:
        self.sent.append(event)

    def on_composer_escaped(self, event: Composer.Escaped) -> None:
        self.escapes.append(event.twice)

    def on_composer_hint(self, event: Composer.Hint) -> None:
        self.hints.append(event.text)


@dataclass
class Desk:
    """The app and what drives it."""

    app: ComposerApp
    pilot: Pilot[int]

    @property
    def composer(self) -> Composer:
        return self.app.composer

    @property
    def text(self) -> str:
        return self.composer.text

    @property
    def rows(self) -> list[str]:
        """The rows of the composer as they are drawn."""
        height = self.composer.size.height
        return [self.composer.render_line(y).text.rstrip() for y in range(height)]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for something that becomes true."""
        deadline = monotonic() + 5
        while not holds():
            assert monotonic() < deadline, (self.rows, self.app.cursor_position)
            await self.pilot.pause(0.01)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        """Type *text* key by key, without waiting for each."""
        for char in text:
            self.app.post_message(events.Key("space" if char == " " else char, char))
        await self.pilot.pause()

    async def paste(self, text: str) -> None:
        self.composer.post_message(events.Paste(text))
        await self.pilot.pause()
        await self.pilot.pause()


@asynccontextmanager
async def composing(typed: str = "", size: tuple[int, int] = (80, 24)) -> AsyncGenerator[Desk]:
    app = ComposerApp(typed)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield Desk(app, pilot)
