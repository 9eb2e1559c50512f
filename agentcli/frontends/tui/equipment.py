"""What is attached to the window once its first frame stands: completion, history, drafts, search,
vim keys, the person's own keys and status script, the terminal's title."""

import asyncio
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from agentcli.base.text import one_line
from agentcli.frontends.shared.prompt_history import PastPrompt, PromptHistory, project_of
from agentcli.frontends.tui.actions import all_actions, default_keys
from agentcli.frontends.tui.complete.commands import CommandInfo
from agentcli.frontends.tui.complete.completer import Completer, Sources
from agentcli.frontends.tui.complete.menu import CompletionMenu
from agentcli.frontends.tui.composer.drafts import Drafts
from agentcli.frontends.tui.keymap.keymap import Keymap, show_chord
from agentcli.frontends.tui.keymap.user_file import make_available
from agentcli.frontends.tui.keymap.watch import CHECK_SECONDS, KeyFile
from agentcli.frontends.tui.slash import COMMANDS
from agentcli.frontends.tui.status.collect import script_facts
from agentcli.frontends.tui.status.script import ScriptRunner, StatusScript, attach_script
from agentcli.frontends.tui.status.script_input import ScriptFacts
from agentcli.frontends.tui.terminal.link import TerminalLink
from agentcli.frontends.tui.transcript.reader_bar import ReaderBar
from agentcli.frontends.tui.vim.filter import VimKeys

if TYPE_CHECKING:
    from agentcli.frontends.tui.app import AgentApp
    from agentcli.frontends.tui.composer.area import Composer
    from agentcli.frontends.tui.port import EnginePort

_TOPIC = 60


class Equipment:
    """Belongs to one window and its engine. Everything here works without the rest."""

    def __init__(self, app: "AgentApp", engine: "EnginePort") -> None:
        self._app = app
        self._engine = engine
        options, self._project = app.options, project_of(engine.cwd)
        wishes = options.settings
        self.history = self._open_history()
        self.drafts = Drafts(options.home, self._project)
        self.menu = CompletionMenu(app.look)
        self.completer = Completer(self.menu, self._sources(), app.composer.apply)
        self.reader = ReaderBar(app.transcript, app.look, app.copy)
        self.link = TerminalLink(
            app,
            os.environ,
            wishes.preferred_notif_channel or "auto",
            progress=wishes.terminal_progress_bar_enabled is not False,
        )
        self.vim = self._vim_keys() if wishes.editor_mode == "vim" else None
        self.attached = False
        """Is everything connected?"""
        self._topic = ""
        """What was last sent."""
        self._script: ScriptRunner | None = None
        self._keys = KeyFile(
            options.home / "keybindings.json",
            default_keys(),
            make_available(*all_actions()),
            self._use_keymap,
            lambda problem: app.say("warning", problem),
        )

    def _open_history(self) -> PromptHistory:
        keep = not os.environ.get("CLAUDE_CODE_SKIP_PROMPT_HISTORY")
        home = self._app.options.home
        return PromptHistory(home, self._project, self._engine.session_id, keep)

    def _sources(self) -> Sources:
        return Sources(
            root=lambda: self._engine.cwd,
            home=Path(self._app.user_home),
            place=self._menu_place,
            commands=self._commands,
            shell_lines=lambda: self.history.shell_lines(),
        )

    def _menu_place(self) -> tuple[int, int]:
        """Width of the completion menu, and rows below it."""
        size = self._app.size
        return size.width, size.height - self._app.query_one("#rule").region.y

    def _use_keymap(self, keymap: Keymap) -> None:
        self._app.keymap = keymap

    def _commands(self) -> Sequence[CommandInfo]:
        host = self._app.host
        return [
            CommandInfo(
                command.name,
                command.about,
                command.argument,
                command.aliases,
                partial(command.choices, host) if command.choices else None,
                command.paths,
            )
            for command in COMMANDS
        ]

    def _vim_keys(self) -> VimKeys:
        composer = self._app.composer
        return VimKeys(
            composer,
            self.search_history,
            frozenset(self._app.options.settings.vim_insert_mode_remaps),
            parts=lambda text: [(span.start, span.end) for span in composer.chips.spans(text)],
            on_mode=lambda mode: self._app.status.tell(vim_mode=mode),
        )

    async def attach(self, resumed: bool) -> None:
        """Connect everything; *resumed*: the conversation has a past of its own."""
        app, composer = self._app, self._app.composer
        await app.mount(self.menu, self.reader)
        composer.completer = self.completer
        composer.recall.own[:0] = app.conversation.prompts
        composer.recall.source = lambda: self.history.walk()
        composer.keep_draft = self.drafts.save
        if self.vim is not None:
            app.key_first = self.vim.take
            app.status.tell(vim_mode=self.vim.mode_name)
        self._keys.check()
        app.set_interval(CHECK_SECONDS, self._keys.check)
        self._attach_script()
        app.status.on_activity = self.link.show
        self.link.attach()
        self.show_title()
        self.complete()
        await self._take_up(resumed)
        self.attached = True
        if app.options.pick_session:
            app.host.sessions.begin(app.options.pick_query, fork=app.options.pick_fork)
        problem = await asyncio.to_thread(self.history.tidy)
        if problem:
            app.say("warning", problem)

    def _attach_script(self) -> None:
        wished = self._app.options.settings.status_line
        if wished is not None:
            script = StatusScript(
                wished.command,
                wished.padding,
                wished.refresh_interval or 0.0,
                wished.hide_vim_mode_indicator,
            )
            self._script = attach_script(self._app.status, script, self._facts, os.environ)

    def _facts(self) -> ScriptFacts:
        from agentcli.provider.models import resolve_model

        mode = self.vim.mode if self.vim is not None else ""
        return script_facts(self._engine, resolve_model(self._engine.model).name, mode)

    async def _take_up(self, resumed: bool) -> None:
        """Bring the draft that was left behind, and the prompts of the session as they were."""
        self.drafts.watch(self._engine.session_id)
        draft = await asyncio.to_thread(self.drafts.load, resumed)
        if resumed:
            typed = await asyncio.to_thread(self.history.with_pastes)
            self._app.composer.fold_past(typed)
        if draft is not None and self._app.composer.take_up(draft):
            told = "last draft is back; esc esc clears it"
            if not draft.text.strip():
                keys = self._app.keymap.keys_of("chat:stash")
                told = f"{show_chord(keys[0])} brings the stash back" if keys else ""
            self._app.composer.hint(told, 6.0)

    # while the window runs

    def complete(self) -> None:
        """The text or the caret is another one."""
        composer = self._app.composer
        if composer.recall.walking:
            self.completer.hold(composer.text)
        else:
            self.completer.update(composer.text, composer.cursor_index, composer.shell_mode)

    def sent(self, event: "Composer.Submitted") -> None:
        """Remember what was sent."""
        self.completer.close()
        if self.vim is not None:
            self.vim.reset()
        shown = f"!{event.display}" if event.shell else event.display
        pasted = {number: text for number, text in event.pasted.items() if isinstance(text, str)}
        problem = self.history.add(shown, pasted)
        if problem:
            self._app.say("warning", problem)
        if not shown.startswith("/"):
            self._topic = one_line(shown, _TOPIC)
            self.show_title()

    def show_title(self) -> None:
        """Let the terminal's title say what the conversation is about."""
        named = one_line(self._engine.history.title, _TOPIC)
        self.link.name(named or self._topic, self._engine.cwd.name)

    def new_session(self, resumed: bool) -> None:
        """The engine works on another session now; *resumed*: one with prompts of its own."""
        self.history = self._open_history()
        self._topic = ""
        self.show_title()
        if not resumed:
            self.drafts.watch(self._engine.session_id)
            return
        recall, prompts = self._app.composer.recall, self._app.conversation.prompts
        # those of the session come first; what was typed before stays within reach behind them
        recall.own[:] = [*(text for text in recall.own if text not in prompts), *prompts]
        recall.reset()
        self._app.run_worker(self._take_up(resumed), group="drafts", exclusive=True)

    def search_history(self) -> None:
        """Choose an earlier prompt."""
        from agentcli.frontends.tui.screens.history import HistoryScreen

        composer = self._app.composer
        begun = composer.text
        if composer.shows_recalled or "\n" in begun or composer.chips.spans(begun):
            begun = ""  # nobody searches for this: it would have to be deleted first

        def take(past: PastPrompt | None) -> None:
            if past is not None:
                composer.take_past(past.display, past.pasted)

        sheet = HistoryScreen(self._app.look, self.history, begun)
        self._app.deck.open(sheet, take)

    def restyle(self) -> None:
        """The look of the window is another one."""
        for widget in (self.menu, self.reader):
            widget.look = self._app.look
            widget.refresh()

    async def close(self) -> None:
        """End what goes on. Blocks for the time of a write."""
        await self.completer.aclose()
        if self._script is not None:
            await self._script.close()
        await asyncio.to_thread(self.drafts.close)
