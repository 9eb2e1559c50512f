"""An app with a keymap that the focused widget asks before it handles a key itself."""

from collections.abc import Callable, Sequence
from time import monotonic

from textual import events
from textual.app import App

from agentcli.frontends.tui.keymap.keymap import Chord, Keymap


class KeyApp(App[int], inherit_bindings=False):
    """``keymap`` decides; what it does not know means what it means to the widget."""

    keymap: Keymap
    key_first: Callable[[events.Key], bool] | None = None
    """Asked before the keymap, unless a chord is being typed; True: it took the key."""

    def key_contexts(self) -> Sequence[str]:
        """Where the person is, the nearest context first; none under a sheet, which asks the keymap
        itself so that no other binding can answer it."""
        raise NotImplementedError

    async def perform(self, action: str) -> bool:
        """Run *action*; False where it does not apply now, so that the key goes on."""
        raise NotImplementedError

    def show_chord(self, pending: Chord) -> None:
        """The begin of a chord was typed; () when it led nowhere."""

    async def press(self, event: events.Key) -> bool:
        """To be asked by the focused widget, first and for each key; True: the key is used up.

        The widget asks, not the app: keys that it has not handled yet must come first.
        """
        if self.key_first is not None and not self.keymap.pending and self.key_first(event):
            return True
        contexts = self.key_contexts()
        if not contexts:
            return False
        pressed = self.keymap.press(contexts, event.key, monotonic())
        if pressed is None:
            return False
        if pressed.action:
            return await self.perform(pressed.action)
        self.show_chord(pressed.pending)
        return True
