"""An app whose keys go through the keymap before any widget sees them."""

from collections.abc import Sequence
from time import monotonic

from textual import events
from textual.app import App

from agentcli.frontends.tui.keymap.keymap import Chord, Keymap


class KeyApp(App[int], inherit_bindings=False):
    """``keymap`` decides; a key that it does not know goes on to the focused widget."""

    keymap: Keymap

    def key_contexts(self) -> Sequence[str]:
        """Where the person is, the nearest context first."""
        raise NotImplementedError

    async def perform(self, action: str) -> bool:
        """Run *action*; False where it does not apply now, so that the key goes on."""
        raise NotImplementedError

    def show_chord(self, pending: Chord) -> None:
        """The begin of a chord was typed; () when it led nowhere."""

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Key) and not event.is_forwarded and await self._press(event):
            return
        await super().on_event(event)

    async def _press(self, event: events.Key) -> bool:
        pressed = self.keymap.press(self.key_contexts(), event.key, monotonic())
        if pressed is None:
            return False
        if pressed.action:
            return await self.perform(pressed.action)
        self.show_chord(pressed.pending)
        return True
