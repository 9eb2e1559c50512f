"""A small window with a composer, a menu and something above it, for the tests of completion."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import TextArea

from agentcli.frontends.tui.complete.candidate import Edit
from agentcli.frontends.tui.complete.commands import CommandInfo
from agentcli.frontends.tui.complete.completer import Completer, Sources
from agentcli.frontends.tui.complete.menu import CompletionMenu
from agentcli.frontends.tui.look.styles import make_look
from agentcli.frontends.tui.look.themes import DARK

COMMANDS = (
    CommandInfo("help", "keys and commands"),
    CommandInfo("theme", "choose the colours", "[name]", choices=lambda: THEMES),
    CommandInfo("add-dir", "work in one more folder", "<path>", paths="folders"),
    CommandInfo("rename", "name the session", "<name>"),
)
THEMES = [("dark", "for dark terminals"), ("light", "for light terminals")]


class Above(Widget):
    """What must not be laid out again."""

    DEFAULT_CSS = "Above { height: 1fr; }"
    resized = 0

    def on_resize(self) -> None:
        self.resized += 1

    def render_line(self, y: int) -> Strip:
        return Strip([], 0)


class Box(TextArea):
    """As little of a composer as completion needs."""

    DEFAULT_CSS = "Box { height: 3; border: none; padding: 0; }"

    def __init__(self, desk: "DeskApp") -> None:
        super().__init__("", compact=True)
        self.desk = desk

    @property
    def cursor(self) -> int:
        row, column = self.cursor_location
        return sum(len(line) + 1 for line in self.text.split("\n")[:row]) + column

    async def on_key(self, event: events.Key) -> None:
        completer = self.desk.completer
        used = {
            "enter": lambda: completer.enter(self.text),
            "tab": lambda: completer.tab(self.text, self.cursor),
            "escape": completer.escape,
            "up": lambda: completer.move(-1),
            "down": lambda: completer.move(1),
        }
        if event.key in used:
            event.prevent_default()
            event.stop()
            if not used[event.key]() and event.key == "enter":
                self.desk.sent.append(self.text)

    def place(self, index: int) -> tuple[int, int]:
        before = self.text[:index]
        return before.count("\n"), index - before.rfind("\n") - 1

    def apply(self, edit: Edit) -> None:
        self.replace(edit.insert, self.place(edit.start), self.place(edit.end))
        self.move_cursor(self.place(edit.cursor))
        if edit.submit:
            self.desk.sent.append(self.text)


class DeskApp(App[None]):
    CSS = "Screen { layers: base popup; }"

    def __init__(self, root: Path, home: Path) -> None:
        super().__init__()
        self.sent: list[str] = []
        self.shell_lines: list[str] = []
        self.above = Above()
        self.menu = CompletionMenu(make_look(DARK))
        self.box = Box(self)
        sources = Sources(
            lambda: root,
            home,
            lambda: (self.size.width, 3),
            lambda: COMMANDS,
            lambda: self.shell_lines,
        )
        self.completer = Completer(self.menu, sources, self.box.apply)

    def compose(self) -> ComposeResult:
        yield self.above
        yield self.box
        yield self.menu

    def on_mount(self) -> None:
        self.box.focus()

    def on_text_area_changed(self) -> None:
        self.completer.update(self.box.text, self.box.cursor)

    def on_text_area_selection_changed(self) -> None:
        self.completer.update(self.box.text, self.box.cursor)

    async def on_unmount(self) -> None:
        await self.completer.aclose()


@dataclass
class Desk:
    app: DeskApp
    pilot: Pilot[None]

    @property
    def text(self) -> str:
        return self.app.box.text

    @property
    def labels(self) -> list[str]:
        return [option.label for option in self.app.menu.options]

    def rows(self) -> list[str]:
        """The menu as it is drawn."""
        menu = self.app.menu
        return [menu.render_line(y).text.rstrip() for y in range(menu.size.height)]

    async def until(self, holds: Callable[[], object], seconds: float = 5.0) -> None:
        deadline = monotonic() + seconds
        while monotonic() < deadline:
            if holds():
                await self.pilot.pause()
                return
            await asyncio.sleep(0.005)
        raise AssertionError(f"did not happen: {self.text!r} {self.labels}")

    async def type(self, text: str) -> None:
        for char in text:
            self.app.box.insert(char)
            await self.pilot.pause()

    async def offers(self, *labels: str) -> None:
        """Wait until exactly *labels* are offered for the text as it is."""
        await self.until(
            lambda: self.labels == list(labels) and (not labels or self.app.menu.offers(self.text))
        )


@asynccontextmanager
async def desk(root: Path, size: tuple[int, int] = (80, 24)) -> AsyncGenerator[Desk]:
    app = DeskApp(root, root.parent)
    async with app.run_test(size=size) as pilot:
        yield Desk(app, pilot)
