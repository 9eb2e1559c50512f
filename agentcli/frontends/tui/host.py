"""What the slash commands do to the window; the sheets are imported when they are opened."""

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from agentcli.frontends.tui.actions import ACTIONS, MAIN_CONTEXTS, help_sections
from agentcli.frontends.tui.keymap.keymap import show_chord
from agentcli.frontends.tui.look.styles import Palette
from agentcli.frontends.tui.look.themes import AUTO, choose_theme, is_dark
from agentcli.frontends.tui.slash import COMMANDS, find_command
from agentcli.protocol.errors import UsageError

if TYPE_CHECKING:
    from agentcli.frontends.tui.app import AgentApp
    from agentcli.frontends.tui.port import EnginePort
    from agentcli.frontends.tui.screens.picker import Choice
    from agentcli.frontends.tui.session_commands import SessionCommands

_DEFAULT = "default"


class Host:
    """The `CommandHost` of the window."""

    def __init__(self, app: "AgentApp") -> None:
        self._app = app
        self._sessions: SessionCommands | None = None

    @property
    def sessions(self) -> "SessionCommands":
        """What the commands about sessions work on."""
        if self._sessions is None:
            from agentcli.frontends.tui.session_commands import SessionCommands

            self._sessions = SessionCommands(self._app)
        return self._sessions

    async def run(self, text: str) -> None:
        """Run the command *text*, or let it wait for the end of the turn; an unknown one is told in
        a line and stays in the composer."""
        command, argument, error = find_command(text)
        if command is None:
            self._app.say("error", error)
            self._app.composer.put(text)
        elif command.waits and self._app.conversation.running:
            self._app.sending.wait(text)
        else:
            await command.run(self, argument)

    # help

    async def show_help(self) -> None:
        """Keys and commands."""
        from agentcli.frontends.tui.screens.help import HelpScreen

        pairs = [(command.usage, command.about) for command in COMMANDS]
        sections = help_sections(self._app.keymap)
        self._app.deck.open(HelpScreen(self._app.look, sections, pairs))

    async def show_palette(self) -> None:
        """Everything that can be done, to be searched and run."""
        from agentcli.frontends.tui.screens.picker import Choice

        choices = [
            Choice(f"/{command.name}", f"/{command.name}", command.about) for command in COMMANDS
        ]
        for action in ACTIONS:
            if action.in_palette:
                keys = "  ".join(map(show_chord, self._app.keymap.keys_of(action.name)[:2]))
                choices.append(Choice(action.name, action.about, keys, action.name))
        self._pick("commands", choices, "", self._take_from_palette)

    def _take_from_palette(self, name: str) -> None:
        action = self.run(name) if name.startswith("/") else self._app.perform(name)
        self._app.run_worker(action, group="command")

    async def show_keys(self) -> None:
        """What the terminal sends for each key."""
        from agentcli.frontends.tui.screens.keys import KeysScreen

        keymap = self._app.keymap
        sheet = KeysScreen(
            self._app.look, lambda key: keymap.meaning(MAIN_CONTEXTS, key), os.environ
        )
        self._app.deck.open(sheet)

    # conversation

    async def choose_model(self, name: str) -> None:
        """Set the model *name*, or choose one from a list."""
        if (engine := self.engine()) is not None:
            self._choose("model", name, self.models(), engine.model, engine.set_model)

    async def choose_effort(self, level: str) -> None:
        """Set how much the model thinks, or choose it from a list."""
        if (engine := self.engine()) is None:
            return

        def take(chosen: str) -> None:
            engine.set_effort(None if chosen == _DEFAULT else chosen)

        self._choose("effort", level, self.efforts(), engine.effort or _DEFAULT, take)

    def _choose(
        self,
        title: str,
        given: str,
        values: Sequence[tuple[str, str]],
        current: str,
        take: Callable[[str], None],
    ) -> None:
        def settle(chosen: str) -> None:
            try:
                take(chosen)
            except UsageError as error:
                self._app.say("error", error.message)
            self._app.show_state()

        if given:
            settle(given)
            return
        from agentcli.frontends.tui.screens.picker import Choice

        choices = [Choice(value, value, about) for value, about in values]
        self._pick(title, choices, current, settle)

    def _pick(
        self, title: str, choices: "Sequence[Choice]", current: str, take: Callable[[str], None]
    ) -> None:
        from agentcli.frontends.tui.screens.picker import PickerScreen

        sheet = PickerScreen(title, choices, self._app.look, current)
        self._app.deck.open(sheet, lambda chosen: take(chosen) if chosen else None)

    def models(self) -> Sequence[tuple[str, str]]:
        """Ids and names of the models that are known."""
        from agentcli.provider.models import known_models

        return [(info.id, info.name) for info in known_models()]

    def efforts(self) -> Sequence[tuple[str, str]]:
        """Levels of effort, and what they are for."""
        from agentcli.provider.models import EFFORTS

        return [(_DEFAULT, "as the model has it"), *((level, "") for level in EFFORTS)]

    async def copy_answer(self, number: str) -> None:
        """Copy the last answer (*number* 2: the one before); where it has code, ask what of it."""
        app = self._app
        if number and not (number.isascii() and number.isdigit() and int(number)):
            app.say("error", f"/copy {number}: say how many answers back, such as /copy 2")
            return
        choices = app.transcript.copy_texts(int(number or 1))
        if not choices:
            app.say("error", "there is no such answer to copy")
        elif len(choices) == 1:
            app.copy(choices[0].text)
        else:
            from agentcli.frontends.tui.screens.picker import Choice

            rows = [Choice(str(at), choice.label) for at, choice in enumerate(choices)]
            self._pick("copy", rows, "0", lambda chosen: app.copy(choices[int(chosen)].text))

    # look and keys

    async def choose_theme(self, name: str) -> None:
        """Set the theme *name*, or choose one while looking at it."""
        app = self._app
        if name:
            if name != AUTO and name not in app.themes:
                known = ", ".join([AUTO, *app.themes])
                app.say("error", f"Unknown theme {name}; there are {known}")
                return
            self._take_theme(name)
            return
        from agentcli.frontends.tui.screens.picker import Choice, PickerScreen

        before = app.palette

        def preview(theme: str) -> None:
            self._look_at(theme)
            sheet.restyle(app.look)

        def close(chosen: str | None) -> None:
            if chosen:
                self._take_theme(chosen)
            else:
                app.use_palette(before)

        choices = [Choice(theme, theme, about) for theme, about in self.theme_names()]
        for problem in app.themes.problems:
            app.say("warning", problem)
        sheet = PickerScreen("theme", choices, app.look, app.theme_name, preview)
        app.deck.open(sheet, close)

    def theme_names(self) -> Sequence[tuple[str, str]]:
        """Names of the themes, and what they are for."""
        themes = self._app.themes
        return [
            (AUTO, "follows the terminal"),
            *((name, _about(palette)) for name, palette in themes.items()),
        ]

    def _look_at(self, name: str) -> None:
        self._app.use_palette(choose_theme(name, self._app.themes, self._app.terminal_background))

    def _take_theme(self, name: str) -> None:
        self._look_at(name)
        self._app.theme_name = name
        if self._app.options.save_theme is not None:
            self._app.options.save_theme(name)

    def follow_terminal(self, background: str) -> None:
        """The terminal has another background now."""
        self._app.terminal_background = background
        if self._app.theme_name == AUTO:
            self._look_at(AUTO)

    def follow_scheme(self, dark: bool) -> None:
        """The terminal went over to dark or light colours; which ones is asked."""
        background = self._app.terminal_background
        if background is None or is_dark(background) != dark:
            self.follow_terminal("#000000" if dark else "#ffffff")
        if self._app.equipment is not None:
            self._app.equipment.link.ask_color()

    async def edit_keybindings(self) -> None:
        """Open keybindings.json in the editor; it counts as soon as it is saved."""
        await self._app.outside.edit_keybindings()

    def engine(self) -> "EnginePort | None":
        """The engine; None, and one line that says so, while there is none."""
        conversation = self._app.conversation
        if conversation.engine is None:
            self._app.say("error", conversation.failure or "not ready yet; try again in a moment")
        return conversation.engine

    async def leave(self) -> None:
        """End the window."""
        self._app.exit(0)


def _about(palette: Palette) -> str:
    ground = "dark" if palette.dark else "light"
    return f"the terminal's own colours, {ground}" if palette.ansi else f"for {ground} terminals"
