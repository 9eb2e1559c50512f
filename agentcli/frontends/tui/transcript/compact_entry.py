"""A compaction in the transcript: a rule with its figures, folded below it the summary."""

from agentcli.base.text import strip_controls
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.status.facts import tell_count
from agentcli.frontends.tui.transcript.entries import Entry, Source
from agentcli.frontends.tui.transcript.rows import (
    GUTTER,
    Row,
    Run,
    clip_rows,
    fit,
    make_row,
    text_width,
    wrap_runs,
)
from agentcli.protocol.events import Compacted

_SIDES = {
    "all": "compacted",
    "up_to": "beginning compacted",
    "from": "end compacted",
}


class CompactEntry(Entry):
    """From here on the model knows what stands above by the summary only."""

    def __init__(self, event: Compacted) -> None:
        super().__init__()
        figures = f"{_figure(event.pre_tokens)} → {_figure(event.post_tokens)}"
        self.label = f"{_SIDES[event.side]} {figures}"
        self._automatic = event.trigger == "auto"
        self.summary = strip_controls(event.summary).strip("\n")

    @property
    def foldable(self) -> bool:
        return bool(self.summary.strip())

    def source_text(self) -> Source:
        return Source(f"{self.label}\n{self.summary}", len(self.label))

    def rows(self, width: int, look: Look) -> list[Row]:
        rows = [self._head(width, look)]
        if not self.folded and self.foldable:
            margin: list[Run] = [("  ", look.dim)]
            text = self.summary.expandtabs(4)
            rows += wrap_runs([(text, look.dim)], text_width(width), margin, margin)
        return clip_rows(rows, width)

    def _head(self, width: int, look: Look) -> Row:
        room = text_width(width)
        label = fit(self.label, room)
        runs: list[Run] = [("◇ ", look.accent), (label, look.dim)]
        left = room - len(label)
        if self._automatic and left >= len(" · automatic"):
            runs.append((" · automatic", look.dim))
            left -= len(" · automatic")
        if left > GUTTER:
            runs.append((" " + "─" * (left - 1), look.faint))
        return make_row(runs)

    def estimate(self, width: int) -> int:
        if self.folded:
            return 1
        return 2 + self.summary.count("\n") + len(self.summary) // text_width(width)

    def units(self) -> list[tuple[int, int, str]]:
        return [(0, 1, self.label)]


def _figure(tokens: int) -> str:
    # one of them is an estimate: ``6.0k`` would say too much
    return tell_count(tokens).replace(".0", "")
