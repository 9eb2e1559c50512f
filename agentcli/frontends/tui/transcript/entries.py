"""What the transcript is made of: one entry per prompt, thought, tool call or notice."""

from agentcli.base.text import strip_controls
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.rows import (
    GUTTER,
    Row,
    Run,
    fit,
    make_row,
    text_width,
    wrap_runs,
)
from agentcli.protocol.blocks import Block
from agentcli.protocol.events import Level

_LONG_PROMPT = 12
_PROMPT_HEAD = 8
_LIVE_THOUGHT = 5


class Entry:
    """Something in the transcript. Whoever changes it raises ``version`` and tells the view."""

    def __init__(self) -> None:
        self.version = 0
        self.gap = 0
        """Blank rows above, set by the view when the entry is added."""
        self.folded = True

    @property
    def foldable(self) -> bool:
        """Can it be folded and unfolded?"""
        return False

    def rows(self, width: int, look: Look) -> list[Row]:
        """All rows at this *width*, without the gap. May be slow; the view caches it."""
        raise NotImplementedError

    def estimate(self, width: int) -> int:
        """Roughly how many rows there will be; must be cheap."""
        raise NotImplementedError

    def units(self) -> list[tuple[int, int, str]]:
        """(first row, row after the last, source): what a full selection of these rows copies."""
        return []


class PromptEntry(Entry):
    """What the person said. A long one shows its head only, until unfolded."""

    def __init__(self, content: str | list[Block]) -> None:
        super().__init__()
        self.text = strip_controls(content if isinstance(content, str) else _prompt_text(content))
        self._count = 0

    @property
    def foldable(self) -> bool:
        return self.text.count("\n") >= _LONG_PROMPT or len(self.text) > _LONG_PROMPT * 100

    def rows(self, width: int, look: Look) -> list[Row]:
        first: list[Run] = [("› ", look.accent_strong)]
        rest: list[Run] = [("  ", look.text)]
        rows = wrap_runs([(self.text.expandtabs(4), look.strong)], text_width(width), first, rest)
        self._count = len(rows)
        if self.folded and self.foldable and len(rows) > _LONG_PROMPT:
            hidden = len(rows) - _PROMPT_HEAD
            rows = [*rows[:_PROMPT_HEAD], make_row([*rest, (f"… {hidden} more lines", look.faint)])]
        return rows

    def estimate(self, width: int) -> int:
        lines = self.text.count("\n") + 1 + len(self.text) // text_width(width)
        return min(lines, _PROMPT_HEAD + 1) if self.folded and self.foldable else lines

    def units(self) -> list[tuple[int, int, str]]:
        return [(0, self._count, self.text)]


class ThinkingEntry(Entry):
    """Thinking: its last lines while it streams, one line when it is over."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.live = True
        self.seconds: float | None = None

    @property
    def foldable(self) -> bool:
        return not self.live and bool(self.text.strip())

    def rows(self, width: int, look: Look) -> list[Row]:
        rest: list[Run] = [("  ", look.dim)]
        if self.live:
            room = text_width(width)
            shown = strip_controls(self.text[-room * (_LIVE_THOUGHT + 2) :]).strip("\n")
            body = (
                wrap_runs([(shown, look.dim)], room, rest, rest)[-_LIVE_THOUGHT:] if shown else []
            )
            return [make_row([("∴ thinking", look.dim)]), *body]
        known = self.seconds is not None and self.seconds >= 1
        spent = f" for {tell_seconds(self.seconds or 0)}" if known else ""
        head = make_row([(f"∴ thought{spent}", look.dim)])
        if self.folded or not self.text.strip():
            return [head]
        text = strip_controls(self.text).strip("\n")
        return [head, *wrap_runs([(text, look.dim)], text_width(width), rest, rest)]

    def estimate(self, width: int) -> int:
        if self.folded:
            return 1
        return 2 + self.text.count("\n") + len(self.text) // text_width(width)


class NoticeEntry(Entry):
    """One line from the product itself; an error is red."""

    def __init__(self, level: Level, text: str, glyph: str = "") -> None:
        super().__init__()
        self.level: Level = level
        self.text = strip_controls(text).strip("\n")
        self._glyph = glyph or {"info": "·", "warning": "!", "error": "✗"}[level]

    def rows(self, width: int, look: Look) -> list[Row]:
        style = {"info": look.dim, "warning": look.warn, "error": look.bad}[self.level]
        first: list[Run] = [(self._glyph + " ", style)]
        return wrap_runs([(self.text, style)], text_width(width), first, [("  ", look.text)])

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
        return [
            make_row([("  ", look.text), (name, look.strong), (head[len(name) :], look.dim)]),
            make_row([("  ", look.text), (fit(self._tip, room), look.dim)]),
        ]

    def estimate(self, width: int) -> int:
        return 2


def tell_seconds(seconds: float) -> str:
    """``3s``, ``2m 05s``. Pure."""
    whole = max(0, int(seconds))
    return f"{whole}s" if whole < 60 else f"{whole // 60}m {whole % 60:02d}s"


def _prompt_text(content: list[Block]) -> str:
    parts: list[str] = []
    for block in content:
        kind = str(block.get("type", ""))
        parts.append(str(block.get("text", "")) if kind == "text" else f"[{kind}]")
    return "\n".join(parts)
