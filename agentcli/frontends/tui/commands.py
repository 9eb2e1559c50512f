"""What the slash commands do to the window; the sheets are imported when they are opened."""

from typing import TYPE_CHECKING

from agentcli.frontends.tui.actions import help_sections
from agentcli.frontends.tui.look.themes import seamless
from agentcli.frontends.tui.port import EnginePort
from agentcli.frontends.tui.slash import COMMANDS, find_command
from agentcli.protocol.errors import UsageError

if TYPE_CHECKING:
    from agentcli.frontends.tui.app import AgentApp


async def run(host: "Host", text: str) -> None:
    """Run the command *text*; an unknown one is told in one line and stays in the composer."""
    command, argument, error = find_command(text)
    if command is None:
        host.give_back(text, error)
    else:
        await command.run(host, argument)


class Host:
    """The `CommandHost` of the window."""

    def __init__(self, app: "AgentApp") -> None:
        self._app = app

    def give_back(self, text: str, error: str) -> None:
        """*text* cannot be run for the reason *error*."""
        self._app.say("error", error)
        self._app.composer.put(text)

    async def show_help(self) -> None:
        """Keys and commands."""
        from agentcli.frontends.tui.screens.help import HelpScreen

        pairs = [(command.usage, command.about) for command in COMMANDS]
        self._app.deck.open(HelpScreen(self._app.look, help_sections(self._app.keymap), pairs))

    async def clear_conversation(self) -> None:
        """A new session; the engine tells when the history changed."""
        if (engine := self._engine()) is not None:
            await engine.clear()

    async def choose_model(self, name: str) -> None:
        """Set the model *name*, or choose one from a list."""
        from agentcli.frontends.tui.screens.picker import Choice, PickerScreen
        from agentcli.provider.models import known_models

        if (engine := self._engine()) is None:
            return
        if name:
            self._set_model(name)
            return
        choices = [Choice(info.id, info.name, info.id) for info in known_models()]
        sheet = PickerScreen("model", choices, self._app.look, engine.model)
        self._app.deck.open(sheet, lambda chosen: self._set_model(chosen) if chosen else None)

    def _set_model(self, name: str) -> None:
        if (engine := self._engine()) is None:
            return
        try:
            engine.set_model(name)
        except UsageError as error:
            self._app.say("error", error.message)
        self._app.show_state()

    async def choose_theme(self, name: str) -> None:
        """Set the theme *name*, or choose one while looking at it."""
        from agentcli.frontends.tui.screens.picker import Choice, PickerScreen

        app = self._app
        if name:
            if name not in app.palettes:
                app.say("error", f"Unknown theme {name}; there are {', '.join(app.palettes)}")
                return
            self._take_theme(name)
            return
        before = app.palette

        def preview(theme: str) -> None:
            self._look_at(theme)
            sheet.restyle(app.look)

        def close(chosen: str | None) -> None:
            if chosen:
                self._take_theme(chosen)
            else:
                app.use_palette(before)

        choices = [
            Choice(palette.name, palette.name, _about(palette.ansi, palette.dark))
            for palette in app.palettes.values()
        ]
        sheet = PickerScreen("theme", choices, app.look, before.name, preview)
        app.deck.open(sheet, close)

    def _look_at(self, name: str) -> None:
        app = self._app
        app.use_palette(seamless(app.palettes[name], app.terminal_background))

    def _take_theme(self, name: str) -> None:
        self._look_at(name)
        if self._app.options.save_theme is not None:
            self._app.options.save_theme(name)

    def _engine(self) -> EnginePort | None:
        """The engine; None, and one line that says so, while there is none."""
        conversation = self._app.conversation
        if conversation.engine is None:
            self._app.say("error", conversation.failure or "not ready yet; try again in a moment")
        return conversation.engine

    async def leave(self) -> None:
        """End the window."""
        self._app.exit(0)


def _about(ansi: bool, dark: bool) -> str:
    if ansi:
        return "the terminal's own colours"
    return "for dark terminals" if dark else "for light terminals"
