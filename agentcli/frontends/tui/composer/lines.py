"""Small widgets that draw a few rows above the composer: the queued prompts."""

from collections.abc import Sequence

from textual.strip import Strip
from textual.widget import Widget

from agentcli.base.text import one_line
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.rows import Row, Run, fit, make_row

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

    def restyle(self, look: Look) -> None:
        """Draw in another theme."""
        self.look = look
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
            rows.append(make_row([(f"⋯ {hidden} more waiting", look.dim)]))
        for prompt in prompts[-_QUEUE_ROWS:]:
            runs: list[Run] = [
                ("⋯ ", look.dim),
                (fit(one_line(prompt, 300), max(1, width - 14)), look.dim),
            ]
            rows.append(make_row(runs))
        if rows:
            last = [(segment.text, segment.style or look.dim) for segment in rows[-1].strip]
            rows[-1] = make_row([*last, ("   (↑ edit)", look.dim)])
        self.draw(rows)
