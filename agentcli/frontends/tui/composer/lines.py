"""Small widgets that draw a few rows above the composer: queued prompts and completions."""

from collections.abc import Sequence

from rich.cells import cell_len
from textual.strip import Strip
from textual.widget import Widget

from agentcli.base.text import one_line
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.rows import Row, Run, fit, make_row, pad_row

_MENU_ROWS = 8
_QUEUE_ROWS = 4


class Lines(Widget, can_focus=False):
    """Rows that are drawn as they are; no rows, no widget."""

    DEFAULT_CSS = "Lines { height: auto; display: none; }"

    def __init__(self, look: Look, id: str | None = None) -> None:
        super().__init__(id=id)
        self.look = look
        self._drawn: list[Row] = []

    def draw(self, rows: list[Row]) -> None:
        """Show *rows*."""
        changed = len(rows) != len(self._drawn)
        self._drawn = rows
        self.display = bool(rows)
        if changed:
            self.styles.height = len(rows)
        self.refresh()

    def render_line(self, y: int) -> Strip:
        strip = self._drawn[y].strip if y < len(self._drawn) else Strip([], 0)
        return strip.adjust_cell_length(self.size.width, self.look.text)


class QueueLines(Lines):
    """Prompts that wait for the running turn, dim, with the key that takes the last one back."""

    def show(self, prompts: Sequence[str], width: int) -> None:
        """Draw *prompts*; the newest are always shown."""
        look = self.look
        rows: list[Row] = []
        hidden = len(prompts) - _QUEUE_ROWS
        if hidden > 0:
            rows.append(make_row([(f"⋯ {hidden} more waiting", look.faint)]))
        for prompt in prompts[-_QUEUE_ROWS:]:
            runs: list[Run] = [
                ("⋯ ", look.dim),
                (fit(one_line(prompt, 300), max(1, width - 14)), look.dim),
            ]
            rows.append(make_row(runs))
        if rows:
            last = [(segment.text, segment.style or look.dim) for segment in rows[-1].strip]
            rows[-1] = make_row([*last, ("   (↑ edit)", look.faint)])
        self.draw(rows)


class CompletionMenu(Lines):
    """What the word at the cursor may become: name and one line about it."""

    DEFAULT_CSS = "CompletionMenu { layer: popup; dock: bottom; }"

    def __init__(self, look: Look, id: str | None = None) -> None:
        super().__init__(look, id=id)
        self.options: list[tuple[str, str]] = []
        self.found_for = ""
        """The text that the options were found for."""
        self.index = 0

    @property
    def is_open(self) -> bool:
        """Are there options on screen?"""
        return bool(self.options)

    def offers(self, text: str) -> bool:
        """Does a choice belong to *text*? Typed fast, the options lag behind the text."""
        return self.is_open and self.found_for == text

    @property
    def chosen(self) -> str:
        """The option under the cursor; the menu must be open."""
        return self.options[self.index][0]

    def show(
        self, options: list[tuple[str, str]], width: int, above: int = 0, query: str = ""
    ) -> None:
        """Draw the *options* (value, description) for *query* *above* so many rows; none closes
        the menu."""
        self.found_for = query
        if options:
            self.styles.margin = (0, 0, above, 0)
        if options != self.options:
            self.options, self.index = options, 0
        self._redraw(width)

    def close(self) -> None:
        """Take the menu away."""
        self.show([], self.size.width)

    def move(self, step: int) -> None:
        """Cursor up or down, around the ends."""
        self.index = (self.index + step) % len(self.options)
        self._redraw(self.size.width)

    def _redraw(self, width: int) -> None:
        look = self.look
        first = max(0, min(self.index - _MENU_ROWS + 1, len(self.options) - _MENU_ROWS))
        shown = self.options[first : first + _MENU_ROWS]
        names = max((cell_len(name) for name, _ in self.options), default=0)
        rows: list[Row] = []
        for number, (name, about) in enumerate(shown, first):
            picked = number == self.index
            title = look.menu_picked if picked else look.menu
            runs: list[Run] = [("› " if picked else "  ", title), (name.ljust(names), title)]
            runs.append(("  " + fit(about, max(1, width - names - 4)), look.menu_dim))
            rows.append(pad_row(make_row(runs), width, look.menu))
        self.draw(rows)
