"""A sheet that asks for one line, such as a name."""

from textual import events

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.screens.field import field_of
from agentcli.frontends.tui.screens.sheet import Sheet, SheetParts, key_rows, title_rule
from agentcli.frontends.tui.transcript.rows import make_row


class LineScreen(Sheet[str | None]):
    """Answers with what was typed (it may be empty), or None: then nothing changes.

    ``hint`` stands where nothing is typed; *verb* says what Enter does.
    """

    def __init__(self, look: Look, title: str, text: str, verb: str, hint: str = "") -> None:
        super().__init__(look)
        self._title, self._verb, self._hint = title, verb, hint
        self._field = field_of(text)

    def draw(self, width: int) -> SheetParts:
        look = self.look
        line = make_row(
            [("› ", look.accent_strong), *self._field.runs(width - 3, look, self._hint)]
        )
        keys = [("enter", self._verb), ("ctrl+u", "empty"), ("esc", "back")]
        return SheetParts(
            [title_rule(self._title, width, look)], [line], key_rows(keys, width, look)
        )

    def on_key(self, event: events.Key) -> None:
        event.stop()
        match event.key:
            case "escape" | "ctrl+c":
                self.dismiss(None)
            case "enter":
                self.dismiss(self._field.text.strip())
            case _:
                if (field := self._field.press(event.key, event.character)) is not None:
                    self._field = field
                    self.redraw()

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self._field = self._field.insert(event.text)
        self.redraw()
