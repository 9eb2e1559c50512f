"""Keys and commands on one scrolling sheet."""

from collections.abc import Sequence

from rich.cells import cell_len
from textual import events

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.screens.sheet import Sheet, SheetParts, key_rows, title_rule
from agentcli.frontends.tui.transcript.rows import Row, Run, make_row, wrap_runs

_COLUMN = 26
_NARROWEST = 16
"""Columns that a meaning needs to stand beside its keys."""
HelpSection = tuple[str, Sequence[tuple[str, str]]]
"""A title, and pairs of keys and what they do."""


class HelpScreen(Sheet[None]):
    """Read only; any of Esc, q, Enter or ? closes it."""

    contexts = ("Help",)

    def __init__(
        self, look: Look, keys: Sequence[HelpSection], commands: Sequence[tuple[str, str]]
    ) -> None:
        super().__init__(look)
        self._sections = [*keys, ("Commands", tuple(commands))]

    def draw(self, width: int) -> SheetParts:
        look = self.look
        pairs = [pair for _, section in self._sections for pair in section]
        column = min(max(cell_len(key) for key, _ in pairs) + 3, _COLUMN, max(10, width // 2))
        body: list[Row] = []
        for title, section in self._sections:
            if body:
                body.append(make_row([]))
            body.append(make_row([("  " + title, look.strong)]))
            for key, meaning in section:
                body += self._pair(key, meaning, column, width)
        foot = key_rows(
            [("↑↓", "scroll"), (self.key_of("help:dismiss") or "ctrl+c", "back")], width, look
        )
        return SheetParts([title_rule("help", width, look)], body, foot)

    def _pair(self, key: str, meaning: str, column: int, width: int) -> list[Row]:
        look = self.look
        if width - column - 3 < _NARROWEST:
            # the meaning goes below
            column = 2
        space = column - cell_len(key)
        first: list[Run] = [("  ", look.text), (key, look.accent)]
        rest: list[Run] = [(" " * (column + 2), look.text)]
        rows: list[Row] = []
        if space < 2:
            rows.append(make_row(first))
            first = rest
        else:
            first = [*first, (" " * space, look.text)]
        return rows + wrap_runs([(meaning, look.dim)], width - column - 3, first, rest)

    def take_action(self, name: str) -> bool:
        if name == "help:dismiss":
            self.dismiss(None)
            return True
        return super().take_action(name)

    def take_key(self, event: events.Key) -> None:
        if event.key == "ctrl+c":
            self.dismiss(None)
