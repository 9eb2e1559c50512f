"""What Esc, Ctrl+C and Ctrl+D stop, clear or end, as things stand."""

from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agentcli.frontends.tui.app import AgentApp

_TWICE = 2.0
_REWIND_TWICE = 1.0


class Stops:
    """The three keys of one window; the second press within two seconds means more."""

    def __init__(self, app: "AgentApp") -> None:
        self._app = app
        self._stop_asked = self._end_asked = self._rewind_asked = -_TWICE

    def escape(self, twice: bool) -> None:
        """Interrupt, else drop the selection, else (*twice*) the draft; with nothing there, the
        second one goes back in the conversation."""
        app = self._app
        if app.conversation.interrupt():
            return
        if app.screen.selections:
            app.screen.clear_selection()
        elif app.composer.text and twice:
            app.composer.clear_to_history()
            app.composer.hint("cleared; ↑ brings it back", 1.5)
        elif app.composer.text:
            app.composer.hint("esc again clears the draft", 1.0)
        elif app.conversation.engine is not None:
            self._ask_rewind()

    def _ask_rewind(self) -> None:
        # not by the key that has just interrupted, however often it is pressed in a hurry
        if monotonic() - self._rewind_asked > _REWIND_TWICE:
            self._rewind_asked = monotonic()
            self._app.composer.hint("esc again to rewind", _REWIND_TWICE)
            return
        from agentcli.frontends.tui.screens.rewind import open_rewind

        self._rewind_asked = -_TWICE
        self._app.composer.hint("", 0.0)
        open_rewind(self._app)

    def interrupt(self) -> None:
        """Ctrl+C: copy, else interrupt, else clear, else quit at the second time."""
        app = self._app
        if text := app.screen.get_selected_text() or app.composer.selected_text:
            app.copy(text)
            app.screen.clear_selection()
        elif app.conversation.interrupt() or app.composer.leave_shell():
            return
        elif app.composer.text or monotonic() - self._stop_asked > _TWICE:
            self._stop_asked = monotonic()
            if app.composer.text:
                app.composer.clear_to_history()
            app.composer.hint("ctrl+c again quits", _TWICE)
        else:
            app.exit(0)

    def end_of_input(self) -> None:
        """Ctrl+D on an empty line."""
        if monotonic() - self._end_asked < _TWICE:
            self._app.exit(0)
        self._end_asked = monotonic()
        self._app.composer.hint("ctrl+d again quits", _TWICE)
