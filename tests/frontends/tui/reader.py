"""A small window with a transcript, a place to type and the reader's bar, and what is on screen."""

import asyncio
import io
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic

from rich.console import Console
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widgets import Input, Static

from agentcli.frontends.tui.look.library import Themes, theme_dir
from agentcli.frontends.tui.look.styles import make_look
from agentcli.frontends.tui.look.themes import textual_theme
from agentcli.frontends.tui.transcript.answer import AnswerEntry
from agentcli.frontends.tui.transcript.entries import Entry, NoticeEntry
from agentcli.frontends.tui.transcript.reader_bar import ReaderBar
from agentcli.frontends.tui.transcript.speech import PromptEntry
from agentcli.frontends.tui.transcript.tool_entry import ToolEntry
from agentcli.frontends.tui.transcript.view import Transcript
from agentcli.protocol.calls import ToolCall, ToolResult


class ReaderApp(App[int]):
    """Transcript above, two lines of composer and status below."""

    ENABLE_COMMAND_PALETTE = False
    CSS = "Screen { layers: base popup; } Input, Input:focus { height: 1; border: none; }"

    def __init__(self, theme: str = "dark") -> None:
        super().__init__()
        palettes = Themes(theme_dir())
        self.register_theme(textual_theme(palettes[theme]))
        self.theme = theme
        look = make_look(palettes[theme])
        self.copied: list[str] = []
        self.noted = 0
        self.transcript = Transcript(look)
        self.composer = Input(select_on_focus=False)
        self.bar = ReaderBar(self.transcript, look, self.copied.append)
        self.animation_level = "none"

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield self.composer
        yield Static("the status line")
        yield self.bar

    def on_mount(self) -> None:
        self.composer.focus()

    def action_note(self) -> None:
        """A key that belongs to the app."""
        self.noted += 1


@dataclass
class Reader:
    """A running `ReaderApp`."""

    app: ReaderApp
    pilot: Pilot[int]

    @property
    def view(self) -> Transcript:
        return self.app.transcript

    @property
    def bar(self) -> ReaderBar:
        return self.app.bar

    async def add(self, *entries: Entry) -> None:
        """Put *entries* at the end, and draw them."""
        for entry in entries:
            self.view.add(entry)
        self.view.flush()
        await self.pilot.pause()

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait for something to become true; fails with the screen when it does not."""
        deadline = monotonic() + 5
        while monotonic() < deadline:
            if holds():
                await self.pilot.pause()
                return
            await asyncio.sleep(0.003)
        raise AssertionError("did not happen; on screen:\n" + "\n".join(self.lines()))

    async def shows(self, text: str) -> None:
        """Wait until *text* is on the screen."""
        await self.until(lambda: text in self.screen())

    async def found(self) -> str:
        """Wait until the search has looked at everything; what it tells."""
        await self.until(lambda: not self.view.finder.busy)
        return self.view.finder.told

    def lines(self) -> list[str]:
        """The rows of the whole screen as text."""
        width, height = self.app.size
        console = Console(
            width=width, height=height, file=io.StringIO(), record=True, legacy_windows=False
        )
        console.print(self.app.screen._compositor.render_update(full=True))
        return [line.rstrip() for line in console.export_text().splitlines()]

    def screen(self) -> str:
        return "\n".join(self.lines())

    def row_of(self, text: str) -> int:
        """The row of the screen that shows *text*."""
        return next(row for row, line in enumerate(self.lines()) if text in line)

    def strips(self) -> list[Strip]:
        """The rows of the transcript as they are drawn."""
        return [self.view.render_line(y) for y in range(self.view.size.height)]

    def top(self) -> str:
        """The first line of the window that is not blank."""
        return next(line for line in self.lines() if line.strip())

    def selected(self) -> str | None:
        """What a copy would take."""
        return self.app.screen.get_selected_text()


@asynccontextmanager
async def reader(
    size: tuple[int, int] = (80, 24), theme: str = "dark", turns: int = 0
) -> AsyncGenerator[Reader]:
    """The small window, with *turns* turns in it (see `conversation`)."""
    app = ReaderApp(theme)
    async with app.run_test(size=size) as pilot:
        shown = Reader(app, pilot)
        await shown.add(*conversation(turns))
        yield shown


def conversation(turns: int) -> list[Entry]:
    """*turns* prompts, folded calls and answers; each tenth answer speaks of a needle."""
    entries: list[Entry] = []
    for turn in range(turns):
        needle = " with a needle in it" if turn % 10 == 0 else ""
        entries += [
            PromptEntry(f"question {turn}"),
            command(f"run {turn}", "\n".join(f"output {turn}.{number}" for number in range(5))),
            AnswerEntry(f"answer {turn}{needle}\n\nsecond paragraph of {turn}\n"),
        ]
    return entries


def command(text: str, output: str) -> ToolEntry:
    """A finished call with *output*, folded."""
    entry = ToolEntry("Bash", ToolCall(text, "Bash", {"command": text}))
    entry.state, entry.result = "done", ToolResult(output)
    return entry


def notices(count: int) -> list[Entry]:
    """*count* lines told apart by their number."""
    return [NoticeEntry("info", f"notice {number}") for number in range(count)]
