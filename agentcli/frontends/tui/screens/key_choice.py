"""A small sheet with a few ways to go on, one key each."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.screens.sheet import Sheet, SheetParts, key_rows, title_rule
from agentcli.frontends.tui.transcript.rows import wrap_runs


class KeyChoice(Sheet[str | None]):
    """Answers with the key of the way that was chosen, or None: then nothing changes.

    ``keys`` are pairs of a letter and what it does. Enter chooses nothing: it is typed by habit.
    """

    takes_typed: ClassVar[bool] = False

    def __init__(
        self, look: Look, title: str, text: str, keys: Sequence[tuple[str, str]], back: str = "back"
    ) -> None:
        super().__init__(look)
        self._title, self._text = title, text
        self._keys = list(keys)
        self._back = back

    def draw(self, width: int) -> SheetParts:
        look = self.look
        margin = [("  ", look.text)]
        body = wrap_runs([(self._text, look.text)], max(1, width - 4), margin, margin)
        keys = [*self._keys, ("esc", self._back)]
        head = [title_rule(self._title, width, look, urgent=True)]
        return SheetParts(head, body, key_rows(keys, width, look))

    def on_key(self, event: events.Key) -> None:
        event.stop()
        if event.key in {"escape", "ctrl+c"}:
            self.dismiss(None)
        elif event.key in {key for key, _ in self._keys}:
            self.dismiss(event.key)
