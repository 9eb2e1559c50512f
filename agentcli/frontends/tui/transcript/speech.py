"""What the person said, and what the model thought."""

from collections.abc import Sequence

from agentcli.base.text import strip_controls
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.entries import Entry, Source, tell_seconds
from agentcli.frontends.tui.transcript.images import Picture, can_draw, pictures
from agentcli.frontends.tui.transcript.rows import (
    Row,
    Run,
    clip_rows,
    make_row,
    text_width,
    wrap_runs,
    wrap_spans,
)
from agentcli.protocol.blocks import Block

_LONG_PROMPT = 12
_PROMPT_HEAD = 8
_LIVE_THOUGHT = 5


class PromptEntry(Entry):
    """What the person said, and the files that went along. A long one shows its head only, until
    unfolded; so do its images."""

    is_prompt = True

    def __init__(self, content: str | list[Block], attached: Sequence[str] = ()) -> None:
        super().__init__()
        self._attached = strip_controls(", ".join(attached))
        self._pictures = pictures(content, lambda: self.redraw())
        self.text = strip_controls(
            content if isinstance(content, str) else _prompt_text(content, self._pictures)
        )
        self._count = 0

    def source_text(self) -> Source:
        return Source(self.text)

    @property
    def foldable(self) -> bool:
        return self._long or (bool(self._pictures) and can_draw())

    @property
    def _long(self) -> bool:
        return self.text.count("\n") >= _LONG_PROMPT or len(self.text) > _LONG_PROMPT * 100

    def rows(self, width: int, look: Look) -> list[Row]:
        first: list[Run] = [("› ", look.accent_strong)]
        rest: list[Run] = [("  ", look.text)]
        rows = wrap_runs([(self.text.expandtabs(4), look.strong)], text_width(width), first, rest)
        self._count = len(rows)
        if self.folded and self._long and len(rows) > _LONG_PROMPT:
            hidden = len(rows) - _PROMPT_HEAD
            rows = [*rows[:_PROMPT_HEAD], make_row([*rest, (f"… {hidden} more lines", look.dim)])]
        if self._attached:
            told: list[Run] = [(f"+ {self._attached}", look.dim)]
            rows += wrap_runs(told, text_width(width), rest, [("    ", look.text)])
        if not self.folded:
            for picture in self._pictures:
                rows += picture.rows(width, look)
        return clip_rows(rows, width)

    def estimate(self, width: int) -> int:
        lines = self.text.count("\n") + 1 + len(self.text) // text_width(width)
        shown = min(lines, _PROMPT_HEAD + 1) if self.folded and self._long else lines
        return shown + bool(self._attached)

    def units(self) -> list[tuple[int, int, str]]:
        return [(0, self._count, self.text)]


class ThinkingEntry(Entry):
    """Thinking: its last lines while it streams, one line when it is over."""

    is_work = True

    def __init__(self) -> None:
        super().__init__()
        self.live = True
        self.seconds: float | None = None
        self._parts: list[str] = []
        self._start = 0
        """Where the rows that are shown while it streams begin: always at the start of a row, so
        that no line is broken anew when the first ones go."""

    @property
    def text(self) -> str:
        """The thought as far as it came."""
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""

    @text.setter
    def text(self, text: str) -> None:
        self._parts, self._start = [text], 0

    def feed(self, text: str) -> None:
        """Take a delta; cheap, nothing is drawn."""
        self._parts.append(text)

    def source_text(self) -> Source:
        return Source(self.text)

    @property
    def foldable(self) -> bool:
        return not self.live and bool(self.text.strip())

    def rows(self, width: int, look: Look) -> list[Row]:
        rest: list[Run] = [("  ", look.dim)]
        if self.live:
            body = [make_row([*rest, (line, look.dim)]) for line in self._last_lines(width)]
            return clip_rows([make_row([("∴ thinking", look.dim)]), *body], width)
        known = self.seconds is not None and self.seconds >= 1
        spent = f" for {tell_seconds(self.seconds or 0)}" if known else ""
        head = make_row([(f"∴ thought{spent}", look.dim)])
        if self.folded or not self.text.strip():
            return clip_rows([head], width)
        text = strip_controls(self.text).strip("\n").expandtabs(4)
        rows = [head, *wrap_runs([(text, look.dim)], text_width(width), rest, rest)]
        return clip_rows(rows, width)

    def _last_lines(self, width: int) -> list[str]:
        whole = self.text
        shown = whole[self._start :].rstrip("\n")
        found: list[tuple[int, str]] = []
        position = self._start
        for line in shown.split("\n"):
            for start, end, _ in wrap_spans(line, text_width(width)):
                found.append((position + start, strip_controls(line[start:end])))
            position += len(line) + 1
        if len(found) > 2 * _LIVE_THOUGHT:
            self._start = found[-_LIVE_THOUGHT - 1][0]
        return [line for _, line in found if line or shown][-_LIVE_THOUGHT:]

    def estimate(self, width: int) -> int:
        if self.folded:
            return 1
        return 2 + self.text.count("\n") + len(self.text) // text_width(width)


def _prompt_text(content: list[Block], images: list[Picture]) -> str:
    names = iter([picture.name for picture in images])
    parts: list[str] = []
    for block in content:
        kind = str(block.get("type", ""))
        named = next(names) if kind == "image" else f"[{kind}]"
        parts.append(str(block.get("text", "")) if kind == "text" else named)
    return "\n".join(parts)
