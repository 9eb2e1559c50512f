"""What the transcript is made of, and the entries of the window itself."""

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from agentcli.base.text import strip_controls
from agentcli.frontends.tui.look.styles import Look
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

if TYPE_CHECKING:
    from agentcli.protocol.events import Level


class Source(NamedTuple):
    """*text* behind an entry, whose first *head* characters show while it is folded too."""

    text: str
    head: int = 0


class Entry:
    """Something in the transcript. Whoever changes it raises ``version`` and tells the view."""

    is_prompt: ClassVar[bool] = False
    """Did the person say it?"""
    is_work: ClassVar[bool] = False
    """Is it a step of the work, to stand close to the steps around it?"""

    def __init__(self) -> None:
        self.version = 0
        self.gap = 0
        """Blank rows above, set by the view when the entry is added."""
        self.folded = True
        self.redraw: Callable[[], None] = self._outdated
        """Called by the entry itself when it looks different; the view sets it to its own."""

    def _outdated(self) -> None:
        self.version += 1

    @property
    def foldable(self) -> bool:
        """Can it be folded and unfolded?"""
        return False

    @property
    def ends_in_prose(self) -> bool:
        """Does it end in a plain paragraph, so that work may follow closely?"""
        return False

    def source_text(self) -> Source:
        """The text behind it, folded parts included; empty for what only the window says. Pure."""
        return Source("")

    def rows(self, width: int, look: Look) -> list[Row]:
        """All rows at this *width*, without the gap. May be slow; the view caches it."""
        raise NotImplementedError

    def estimate(self, width: int) -> int:
        """Roughly how many rows there will be; must be cheap."""
        raise NotImplementedError

    def units(self) -> list[tuple[int, int, str]]:
        """(first row, row after the last, source): what a full selection of these rows copies."""
        return []


class NoticeEntry(Entry):
    """One line from the product itself; an error is red."""

    def __init__(self, level: "Level", text: str, glyph: str = "") -> None:
        super().__init__()
        self.level: Level = level
        self.text = strip_controls(text).strip("\n")
        self._glyph = glyph or {"info": "·", "warning": "!", "error": "✗"}[level]

    def source_text(self) -> Source:
        return Source(self.text)

    def rows(self, width: int, look: Look) -> list[Row]:
        from agentcli.frontends.tui.transcript.links import bare_links

        style = {"info": look.dim, "warning": look.warn, "error": look.bad}[self.level]
        first: list[Run] = [(self._glyph + " ", style)]
        runs = bare_links(self.text.expandtabs(4), style)
        return clip_rows(wrap_runs(runs, text_width(width), first, [("  ", look.text)]), width)

    def estimate(self, width: int) -> int:
        return 1 + self.text.count("\n") + len(self.text) // text_width(width)


class GreetingEntry(Entry):
    """The two quiet lines at the start: what runs where, and one tip."""

    def __init__(self, name: str, facts: str, tip: str) -> None:
        super().__init__()
        self._name, self._facts, self._tip = name, facts, tip

    def rows(self, width: int, look: Look) -> list[Row]:
        room = max(1, width - GUTTER)
        head = fit(self._name + "  " + self._facts, room)
        name = head[: len(self._name)]
        rows = [
            make_row([("  ", look.text), (name, look.strong), (head[len(name) :], look.dim)]),
            make_row([("  ", look.text), (fit(self._tip, room), look.dim)]),
        ]
        return clip_rows(rows, width)

    def estimate(self, width: int) -> int:
        return 2


def tell_seconds(seconds: float) -> str:
    """``3s``, ``2m 05s``. Pure."""
    whole = max(0, int(seconds))
    return f"{whole}s" if whole < 60 else f"{whole // 60}m {whole % 60:02d}s"
