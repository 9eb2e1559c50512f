"""The menu above the composer: a few rows, the chosen one marked, the matched letters too."""

from collections.abc import Callable, Sequence

from rich.cells import cell_len
from rich.style import Style
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from agentcli.frontends.tui.complete.candidate import Candidate
from agentcli.frontends.tui.complete.shorten import shorten_middle
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.rows import Row, Run, fit, make_row, pad_row

_ROWS = 8
_WIDEST = 0.6
"""Share of the width that the labels may take where there is something about them."""
_NARROW = 40
"""Columns below which a whole label is worth more than words about it."""


class CompletionMenu(Widget, can_focus=False):
    """What the word at the cursor may become: name and one line about it."""

    DEFAULT_CSS = """
    CompletionMenu { layer: popup; dock: bottom; height: auto; display: none; }
    """

    def __init__(self, look: Look, id: str | None = None) -> None:
        super().__init__(id=id)
        self.look = look
        self.on_take: Callable[[], None] = lambda: None
        """Called when a row was clicked; it is the chosen one then."""
        self.options: list[Candidate] = []
        self.found_for = ""
        """The text that the options were found for."""
        self.index = 0
        self._total = 0
        self._first = 0
        self._below = 0
        self._drawn: list[Row] = []

    @property
    def is_open(self) -> bool:
        """Are there options on screen?"""
        return bool(self.options)

    def offers(self, text: str) -> bool:
        """Does a choice belong to *text*? Typed fast, the options lag behind the text."""
        return self.is_open and self.found_for == text

    @property
    def candidate(self) -> Candidate:
        """The option under the cursor; the menu must be open."""
        return self.options[self.index]

    @property
    def chosen(self) -> str:
        """The text of the option under the cursor; the menu must be open."""
        return self.candidate.value

    def show(
        self, options: Sequence[tuple[str, str]], width: int, above: int = 0, query: str = ""
    ) -> None:
        """Offer plain *options* (value, description) for the whole text *query*, *above* so many
        rows; none closes the menu."""
        rows = [Candidate(value, value, about, end=len(query)) for value, about in options]
        self.offer(rows, width, above, query)

    def offer(
        self,
        options: Sequence[Candidate],
        width: int,
        below: int = 0,
        text: str = "",
        total: int = 0,
        settled: bool = True,
    ) -> None:
        """Draw *options* for *text* with *below* rows under the menu; none closes it. *total* says
        how many there are in all. The chosen one stays chosen while the text is the same. If more
        may come in a moment (not *settled*) the menu does not shrink."""
        kept = self.candidate.label if self.offers(text) else None
        if options:
            self.styles.margin = (0, 0, below, 0)
        if self.options != options:
            labels = [option.label for option in options]
            self.index = labels.index(kept) if kept in labels and self.index else 0
        self.options = list(options)
        self.found_for = text
        self._total = max(total, len(options))
        self._below = below
        self._redraw(width, 0 if settled else len(self._drawn))

    def close(self) -> None:
        """Take the menu away."""
        self.offer([], self.size.width)

    def move(self, step: int) -> None:
        """Cursor up or down, around the ends; the menu must be open."""
        self.index = (self.index + step) % len(self.options)
        self._redraw(self.size.width)

    # drawing

    def render_line(self, y: int) -> Strip:
        strip = self._drawn[y].strip if y < len(self._drawn) else Strip([], 0)
        return strip.adjust_cell_length(self.size.width, self.look.menu)

    def _redraw(self, width: int, least: int = 0) -> None:
        shown, first = self._window()
        self._first = first
        options = self.options[first : first + shown]
        abouts = any(option.about for option in options)
        limit = max(8, int(width * _WIDEST) if abouts and width >= _NARROW else width - 2)
        labels = [shorten_middle(option.label, option.marks, limit) for option in options]
        column = max((cell_len(label) for label, _ in labels), default=0)
        rows: list[Row] = []
        for number, (option, (label, marks)) in enumerate(zip(options, labels, strict=True), first):
            runs = self._row(option, label, marks, number == self.index)
            space = column - cell_len(label) + 2
            room = width - column - 4
            if option.about and room > 3:
                about = " " * space + fit(option.about, room)
                runs.append((about, self.look.menu_dim))
            rows.append(pad_row(make_row(runs), width, self.look.menu))
        if (rest := self._total - len(options)) > 0 and options:
            text = fit(f"  {rest:,} more", width)
            rows.append(pad_row(make_row([(text, self.look.menu_dim)]), width, self.look.menu))
        rows += [pad_row(make_row([]), width, self.look.menu)] * (least - len(rows))
        self._draw(rows)

    def _draw(self, rows: list[Row]) -> None:
        if len(rows) != len(self._drawn):
            # the only case that lays anything out, and it leaves the conversation as it is
            self.display = bool(rows)
            self.styles.height = max(1, len(rows))
        self._drawn = rows
        self.refresh()

    def _window(self) -> tuple[int, int]:
        """How many options are shown, and the first of them."""
        room = _ROWS
        if self.is_attached:
            room = max(1, min(_ROWS, self.screen.size.height - self._below))
        shown = room - 1 if self._total > room > 1 else room
        last_first = max(0, len(self.options) - shown)
        first = min(self._first, self.index)
        return shown, max(0, min(max(first, self.index - shown + 1), last_first))

    def _row(self, option: Candidate, label: str, marks: frozenset[int], picked: bool) -> list[Run]:
        look = self.look
        plain = look.menu_dim if option.kind == "ignored" else look.menu
        base = look.menu_picked if picked else plain
        # an accent on the accent of the chosen row would not be seen
        marked = base + (Style(underline=True) if picked else Style(color=look.accent.color))
        runs: list[Run] = [("› " if picked else "  ", base)]
        for at, char in enumerate(label):
            style = marked if at in marks else base
            if len(runs) > 1 and runs[-1][1] == style:
                runs[-1] = (runs[-1][0] + char, style)
            else:
                runs.append((char, style))
        return runs

    # mouse

    def on_click(self, event: events.Click) -> None:
        event.stop()
        at = self._first + event.y
        if self.is_open and event.y < self._shown_rows() and at < len(self.options):
            self.index = at
            self._redraw(self.size.width)
            self.on_take()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        if self.is_open and self.index < len(self.options) - 1:
            self.move(1)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        if self.is_open and self.index:
            self.move(-1)

    def _shown_rows(self) -> int:
        return self._window()[0]
