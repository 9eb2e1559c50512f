"""The window: what stands where, the keys of the whole, and two workers (run, pump)."""

import asyncio
import os
from collections.abc import Callable, Sequence
from functools import cached_property
from inspect import isawaitable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from textual.app import ComposeResult
from textual.widgets import Static

from agentcli.base.version import __version__
from agentcli.frontends.tui.actions import BY_NAME, MAIN_CONTEXTS, default_keys
from agentcli.frontends.tui.composer.area import Composer
from agentcli.frontends.tui.composer.lines import QueueLines
from agentcli.frontends.tui.composer.mark import ComposerRow
from agentcli.frontends.tui.conversation import Conversation
from agentcli.frontends.tui.crash import CrashApp
from agentcli.frontends.tui.deck import Deck
from agentcli.frontends.tui.keymap.key_app import KeyApp
from agentcli.frontends.tui.keymap.keymap import Chord, Keymap, show_chord
from agentcli.frontends.tui.look.library import Themes
from agentcli.frontends.tui.look.styles import Palette, make_look
from agentcli.frontends.tui.look.themes import AUTO, textual_theme
from agentcli.frontends.tui.options import TuiOptions
from agentcli.frontends.tui.outside import Outside
from agentcli.frontends.tui.paths import short_path
from agentcli.frontends.tui.sending import Sending
from agentcli.frontends.tui.status.line import StatusLine
from agentcli.frontends.tui.stops import Stops
from agentcli.frontends.tui.transcript.entries import GreetingEntry, NoticeEntry
from agentcli.frontends.tui.transcript.view import Transcript

if TYPE_CHECKING:
    from agentcli.engine.asking import Asker
    from agentcli.frontends.tui.equipment import Equipment
    from agentcli.frontends.tui.event_view import EventView
    from agentcli.frontends.tui.host import Host
    from agentcli.frontends.tui.port import EnginePort
    from agentcli.frontends.tui.screens.sheet import Sheet
    from agentcli.frontends.tui.terminal.reports import BackgroundTold, SchemeChanged
    from agentcli.protocol.errors import SessionBusy
    from agentcli.protocol.events import HistoryChanged, Level

_AFTER_FRAME = 0.03
"""Seconds for the first frame to reach the terminal before the rest is loaded."""


class AgentApp(KeyApp, CrashApp):
    """The whole window. ``themes`` are those to choose from, ``palette`` is the first one."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { layers: base popup; }
    #rule { height: 1; border-top: solid $faint; }
    .-tall #composer { margin-bottom: 1; }
    """

    def __init__(
        self,
        make_engine: "Callable[[Asker], EnginePort]",
        options: TuiOptions,
        themes: Themes,
        palette: Palette,
        typed: str = "",
    ) -> None:
        # only in this mode does Textual drop colours instead of turning them into greys
        super().__init__(ansi_color=True if os.environ.get("NO_COLOR") else None)
        self.VERTICAL_BREAKPOINTS = [(0, "-short"), (16, "-tall")]
        self.options = options
        self.themes = themes
        self.theme_name = options.theme or AUTO
        self.palette = palette
        self.look = make_look(palette)
        self.transcript = Transcript(self.look)
        self.queue_lines = QueueLines(self.look)
        self.composer = Composer(typed)
        self.composer.follow(options.settings)
        self.composer.key_filter = self.press
        self.status = StatusLine(self.look, options.reduced_motion)
        self.deck = Deck(self)
        self.conversation = Conversation(make_engine)
        self.stops = Stops(self)
        self.outside = Outside(self)
        self.sending = Sending(self)
        self.equipment: Equipment | None = None
        self.keymap = Keymap(default_keys())
        self.register_theme(textual_theme(palette))
        self.theme = palette.name
        self.on_loop: Callable[[asyncio.AbstractEventLoop], None] = lambda _: None
        self.terminal_background: str | None = None
        self.user_home, self.start_folder = str(Path.home()), str(Path.cwd())

    @cached_property
    def host(self) -> "Host":
        """What the slash commands work on."""
        from agentcli.frontends.tui.host import Host

        return Host(self)

    def compose(self) -> ComposeResult:
        yield self.transcript
        yield self.queue_lines
        yield Static(id="rule")
        yield ComposerRow(self.composer, id="composer")
        yield self.status

    def on_mount(self) -> None:
        self.on_loop(asyncio.get_running_loop())
        self.greet()
        for notice in self.options.notices:
            self.say("warning", notice)
        self.composer.focus()
        cast("Any", self).app_resume_signal.subscribe(self, self.action_redraw)
        self.call_after_refresh(self.set_timer, _AFTER_FRAME, self._begin)

    def _begin(self) -> None:
        self.run_worker(self._open(), group="run", exit_on_error=True)

    def greet(self) -> None:
        """The two lines that a conversation begins with."""
        where = "demo" if self.options.demo else short_path(self.start_folder, self.user_home)
        tip = "/ commands   ? keys   shift+tab mode   esc interrupt"
        self.transcript.add(GreetingEntry("agentcli", f"{__version__}  {where}", tip))

    def _make_view(self) -> "EventView":
        # after the first frame, in a thread: a fifth of the start is spent on these imports
        from agentcli.frontends.tui.ask_view import AskView
        from agentcli.frontends.tui.event_view import EventView

        return EventView(self.transcript, self.status, AskView(self.deck.question), self)

    async def _in_use(self, error: "SessionBusy") -> "Callable[[Asker], EnginePort] | None":
        return await self.host.sessions.in_use(error)

    async def _open(self) -> None:
        if not await self.conversation.open(self._make_view, self._in_use):
            self.say("error", self.conversation.failure)
            return
        self.run_worker(self.conversation.pump(), group="pump")
        self.show_state()
        self.sending.show_restored()
        for item in self.conversation.take_early(self.options.initial_prompt):
            self.sending.send(item)
        from agentcli.frontends.tui.equipment import Equipment

        if self.conversation.engine is not None:
            self.equipment = Equipment(self, self.conversation.engine)
            await self.equipment.attach(self.options.resumed)

    def on_composer_submitted(self, event: Composer.Submitted) -> None:
        self.sending.submitted(event)

    def on_composer_escaped(self, event: Composer.Escaped) -> None:
        self.stops.escape(event.twice)

    def on_composer_hint(self, event: Composer.Hint) -> None:
        self.status.hint(event.text, event.seconds)

    def on_composer_take_back(self) -> None:
        self.sending.take_back()

    def on_text_area_changed(self) -> None:
        if self.equipment is not None:
            self.equipment.complete()

    on_text_area_selection_changed = on_text_area_changed

    def copy(self, text: str) -> None:
        """Copy *text*; how it went is said in the status line."""
        self.run_worker(self.outside.copy(text), group="copy")

    def on_text_selected(self) -> None:
        text = self.screen.get_selected_text()
        if text and self.options.settings.copy_on_select is not False:
            self.copy(text)

    def on_scheme_changed(self, event: "SchemeChanged") -> None:
        self.host.follow_scheme(event.dark)

    def on_background_told(self, event: "BackgroundTold") -> None:
        self.host.follow_terminal(event.color)

    def key_contexts(self) -> Sequence[str]:
        if len(self.screen_stack) > 1 or self.focused is not self.composer:
            return ()
        completing = self.equipment is not None and self.equipment.completer.is_open
        return ("Autocomplete", *MAIN_CONTEXTS) if completing else MAIN_CONTEXTS

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

    def action_redraw(self, _: object = None) -> None:
        self.refresh(repaint=True, layout=True)

    def action_page(self, direction: int) -> None:
        self.transcript.scroll_page(direction)

    def history_changed(self, event: "HistoryChanged") -> None:
        self.host.sessions.changed(event)

    def show_state(self) -> None:
        """Read the facts of the status line from the engine."""
        self.status.tell(**self.conversation.facts(self.user_home))
        if self.equipment is not None:
            self.equipment.show_title()

    def show_queue(self, prompts: tuple[str, ...]) -> None:
        """Draw the *prompts* and commands that wait."""
        prompts = (*prompts, *self.sending.commands)
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
        self.queue_lines.restyle(self.look)
        self.status.restyle(self.look)
        self.transcript.restyle(self.look)
        if self.equipment is not None:
            self.equipment.restyle()

    async def on_unmount(self) -> None:
        if self.equipment is not None:
            await self.equipment.close()
        await self.conversation.close()
