"""The window: what stands where, the keys of the whole, and two workers (run, pump)."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from inspect import isawaitable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Static

from agentcli.base.version import __version__
from agentcli.frontends.tui import commands
from agentcli.frontends.tui.actions import BY_NAME, default_keys
from agentcli.frontends.tui.composer.area import Composer
from agentcli.frontends.tui.composer.lines import CompletionMenu, QueueLines
from agentcli.frontends.tui.conversation import Conversation
from agentcli.frontends.tui.crash import CrashApp
from agentcli.frontends.tui.deck import Deck
from agentcli.frontends.tui.keymap.key_app import KeyApp
from agentcli.frontends.tui.keymap.keymap import Chord, Keymap, show_chord
from agentcli.frontends.tui.look.styles import Palette, make_look
from agentcli.frontends.tui.look.themes import textual_theme
from agentcli.frontends.tui.paths import short_path
from agentcli.frontends.tui.port import EnginePort, TuiOptions
from agentcli.frontends.tui.slash import is_command, matching_commands
from agentcli.frontends.tui.status.line import StatusLine
from agentcli.frontends.tui.stops import Stops
from agentcli.frontends.tui.transcript.entries import GreetingEntry, NoticeEntry
from agentcli.frontends.tui.transcript.view import Transcript

if TYPE_CHECKING:
    from agentcli.engine.asking import Asker
    from agentcli.frontends.tui.event_view import EventView
    from agentcli.frontends.tui.screens.sheet import Sheet
    from agentcli.protocol.events import Level


class AgentApp(KeyApp, CrashApp):
    """The whole window. ``palettes`` are the themes to choose from, ``palette`` the first one."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { layers: base popup; }
    #rule { height: 1; border-top: solid $faint; }
    #composer { height: auto; }
    .-tall #composer { margin-bottom: 1; }
    #mark { width: 2; height: 1; color: $accent; text-style: bold; }
    """

    def __init__(
        self,
        make_engine: "Callable[[Asker], EnginePort]",
        options: TuiOptions,
        palettes: Mapping[str, Palette],
        palette: Palette,
        typed: str = "",
    ) -> None:
        # only in this mode does Textual drop colours instead of turning them into greys
        super().__init__(ansi_color=True if os.environ.get("NO_COLOR") else None)
        self.VERTICAL_BREAKPOINTS = [(0, "-short"), (16, "-tall")]
        self.options = options
        self.palettes = dict(palettes)
        self.palette = palette
        self.look = make_look(palette)
        self.transcript = Transcript(self.look)
        self.queue_lines = QueueLines(self.look)
        self.menu = CompletionMenu(self.look)
        self.composer = Composer(self.menu, typed)
        self.status = StatusLine(self.look, options.reduced_motion)
        self.deck = Deck(self)
        self.conversation = Conversation(make_engine)
        self.stops = Stops(self)
        self.host = commands.Host(self)
        self.keymap = Keymap(default_keys())
        self.register_theme(textual_theme(palette))
        self.theme = palette.name
        self.on_loop: Callable[[asyncio.AbstractEventLoop], None] = lambda _: None
        self.terminal_background: str | None = None
        self.user_home, self.start_folder = str(Path.home()), str(Path.cwd())

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield self.queue_lines
        yield Static(id="rule")
        with Horizontal(id="composer"):
            yield Static("›", id="mark")
            yield self.composer
        yield self.status
        yield self.menu

    def on_mount(self) -> None:
        self.on_loop(asyncio.get_running_loop())
        self.use_palette(self.palette)
        self._greet()
        for notice in self.options.notices:
            self.say("warning", notice)
        self.composer.focus()
        cast("Any", self).app_resume_signal.subscribe(self, self.action_redraw)
        self.call_after_refresh(self.run_worker, self._open(), group="run", exit_on_error=True)

    def _greet(self) -> None:
        where = "demo" if self.options.demo else short_path(self.start_folder, self.user_home)
        tip = "/ commands   ? keys   shift+tab mode   esc interrupt"
        self.transcript.add(GreetingEntry("agentcli", f"{__version__}  {where}", tip))

    def _make_view(self) -> "EventView":
        # after the first frame, in a thread: a fifth of the start is spent on these imports
        from agentcli.frontends.tui.ask_view import AskView
        from agentcli.frontends.tui.event_view import EventView

        return EventView(self.transcript, self.status, AskView(self.deck.question), self)

    async def _open(self) -> None:
        if not await self.conversation.open(self._make_view):
            self.say("error", self.conversation.failure)
            return
        self.run_worker(self.conversation.pump(), group="pump")
        self.show_state()
        self.composer.history_prompts[:0] = self.conversation.earlier_prompts()
        self.show_queue(())
        for prompt in self.conversation.take_early(self.options.initial_prompt):
            self.send(prompt)

    def on_composer_submitted(self, event: Composer.Submitted) -> None:
        self.menu.close()
        if is_command(event.text):
            self.run_worker(commands.run(self.host, event.text), group="command")
        else:
            self.send(event.text)

    def send(self, prompt: str) -> None:
        """Run *prompt*, or queue it behind the running turn."""
        if self.conversation.failure:
            self.say("error", self.conversation.failure)
            self.composer.put(prompt)
            return
        self.run_worker(self.conversation.send(prompt), group="run")
        if self.conversation.engine is None:
            self.show_queue((*self.conversation.early, prompt))

    def on_composer_escaped(self, event: Composer.Escaped) -> None:
        self.stops.escape(event.twice)

    def on_composer_take_back(self) -> None:
        if (prompt := self.conversation.take_back()) is not None:
            self.composer.put(prompt)
            if self.conversation.engine is None:
                self.show_queue(tuple(self.conversation.early))

    def on_text_area_changed(self) -> None:
        options = matching_commands(self.composer.text)
        above = self.size.height - self.query_one("#rule").region.y
        self.menu.show(options, self.size.width, above, self.composer.text)

    # keys

    def key_contexts(self) -> Sequence[str]:
        if len(self.screen_stack) > 1:
            return ()
        menu = ("Autocomplete",) if self.menu.is_open else ()
        return (*menu, "Chat", "Scroll", "Global")

    async def perform(self, action: str) -> bool:
        known = BY_NAME[action]
        if not known.when(self):
            return False
        result = known.run(self)
        if isawaitable(result):
            await result
        return True

    def show_chord(self, pending: Chord) -> None:
        self.status.hint(f"{show_chord(pending)} …" if pending else "", 1.5)

    def cycle_mode(self) -> None:
        """The next permission mode."""
        if self.conversation.engine is not None:
            self.status.tell(mode=self.conversation.engine.cycle_mode())

    def action_redraw(self, _: object = None) -> None:
        self.refresh(repaint=True, layout=True)

    def action_page(self, direction: int) -> None:
        self.transcript.scroll_page(direction)

    def history_changed(self) -> None:
        """The conversation is another one: draw it anew."""
        self.transcript.clear()
        self._greet()
        self.conversation.draw_history()
        self.show_state()

    def show_state(self) -> None:
        """Read the facts of the status line from the engine."""
        self.status.tell(**self.conversation.facts(self.user_home))

    def show_queue(self, prompts: tuple[str, ...]) -> None:
        """Draw the prompts that wait."""
        self.composer.has_queue = bool(prompts)
        self.queue_lines.show(prompts, self.size.width)

    def say(self, level: "Level", text: str) -> None:
        """One line from the window itself."""
        self.transcript.add(NoticeEntry(level, text))

    def on_sheet_resized(self, event: "Sheet.Resized") -> None:
        self.deck.make_room(event.height)

    def use_palette(self, palette: Palette) -> None:
        """Change the colours of everything."""
        self.palette, self.look = palette, make_look(palette)
        self.register_theme(textual_theme(palette))
        self.theme = palette.name
        for widget in (self.queue_lines, self.menu, self.status):
            widget.look = self.look
            widget.refresh()
        self.transcript.restyle(self.look)

    async def on_unmount(self) -> None:
        await self.conversation.close()
