"""The status line: what is going on, where, and what can be done about it."""

from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from rich.cells import cell_len
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.entries import tell_seconds
from agentcli.frontends.tui.transcript.rows import Run, fit, make_row
from agentcli.protocol.modes import PermissionMode

_SPINNER = "◐◓◑◒"
_TICK = 1 / 8
_MODES: dict[PermissionMode, str] = {
    "default": "○ ask",
    "acceptEdits": "» accept edits",
    "plan": "◇ plan",
    "dontAsk": "– don't ask",
    "bypassPermissions": "! bypass",
}


@dataclass(frozen=True, slots=True)
class StatusFacts:
    """Everything that the line may tell."""

    mode: PermissionMode = "default"
    model: str = ""
    directory: str = ""
    branch: str = ""
    context_share: float | None = None
    cost_usd: float | None = None
    phase: str = ""
    """What the running turn does now; "" while idle."""
    since: float = 0.0
    """`monotonic` time at which the run began."""
    tokens: int = 0
    retry_at: float = 0.0
    """`monotonic` time of the next try; 0 while nothing is retried."""
    attempt: int = 0
    """The number of that try."""
    hint: str = ""


def status_runs(facts: StatusFacts, width: int, look: Look, now: float, glyph: str) -> list[Run]:
    """The line in at most *width* cells: what matters less goes first. Pure."""
    left = _left(facts, width, look, now, glyph)
    middle = [part for part in (facts.model, facts.directory, facts.branch) if part]
    right: list[str] = []
    if facts.context_share is not None:
        right.append(f"ctx {facts.context_share:.0%}")
    if facts.cost_usd:
        right.append(f"${facts.cost_usd:.2f}")
    if not facts.phase:
        right.append("? help")
    parts: list[tuple[list[str], int]] = [(right, -1), (middle, -1), (middle, -1), (right, -1)]
    used = _cells(left)
    while parts and used + _cells_of(middle) + _cells_of(right) + 1 > width:
        side, at = parts.pop(0)
        if side:
            side.pop(at)
    while (middle or right) and used + _cells_of(middle) + _cells_of(right) + 1 > width:
        (right or middle).pop()
    room = max(0, width - 1)
    runs: list[Run] = [(" ", look.text), *_clip(left, room)]
    runs += [(f"  {part}", look.dim) for part in middle]
    gap = width - 1 - used - _cells_of(middle) - _cells_of(right)
    if right:
        runs.append((" " * max(gap, 0) + "".join(f"  {part}" for part in right), look.dim))
    return runs


def _left(facts: StatusFacts, width: int, look: Look, now: float, glyph: str) -> list[Run]:
    phase = fit(facts.phase, max(10, width * 2 // 5))
    if facts.hint:
        return [(facts.hint, look.warn)]
    if facts.retry_at:
        return _retry(facts, width, look, max(0, round(facts.retry_at - now)))
    if facts.phase:
        spent = tell_seconds(now - facts.since)
        tokens = f" · {tell_count(facts.tokens)} tok" if facts.tokens else ""
        tails = (
            f" {spent}{tokens} · esc interrupt",
            f" {spent} · esc interrupt",
            f" {spent} · esc",
            f" {spent}",
            "",
        )
        room = width - 3 - cell_len(phase)
        tail = next(tail for tail in tails if cell_len(tail) <= room or not tail)
        return [(glyph + " ", look.accent), (phase, look.text), (tail, look.dim)]
    style = look.warn if facts.mode in {"bypassPermissions", "dontAsk"} else look.accent
    return [(_MODES[facts.mode], look.dim if facts.mode == "default" else style)]


def _retry(facts: StatusFacts, width: int, look: Look, wait: int) -> list[Run]:
    """The reason is what gives way: when it goes on and what stops it are told in full."""
    when, stop = f", retry {facts.attempt} in {wait}s", " · esc stop"
    room = width - 3 - len(when) - len(stop)
    if room < 10:
        stop, room = "", room + len(stop)
    return [(f"↻ {fit(facts.phase, max(1, room))}{when}", look.warn), (stop, look.dim)]


def tell_count(number: int) -> str:
    """``950``, ``1.8k``, ``24k``, ``1.2M``. Pure."""
    if number < 1000:
        return str(number)
    if number < 1_000_000:
        return f"{number / 1000:.1f}k" if number < 10_000 else f"{number // 1000}k"
    return f"{number / 1_000_000:.1f}M"


def _cells(runs: list[Run]) -> int:
    return sum(cell_len(text) for text, _ in runs)


def _cells_of(parts: list[str]) -> int:
    return sum(cell_len(part) + 2 for part in parts)


def _clip(runs: list[Run], room: int) -> list[Run]:
    if _cells(runs) <= room:
        return runs
    clipped: list[Run] = []
    for text, style in runs:
        piece = fit(text, room)
        clipped.append((piece, style))
        room -= cell_len(piece)
        if piece != text or room <= 0:
            break
    return clipped


class StatusLine(Widget, can_focus=False):
    """One line at the bottom. Its clock runs only while a turn runs."""

    DEFAULT_CSS = "StatusLine { height: 1; }"

    def __init__(self, look: Look, reduced_motion: bool = False) -> None:
        super().__init__()
        self.facts = StatusFacts()
        self.look = look
        self._still = reduced_motion
        self._clock: Timer | None = None
        self._hint_timer: Timer | None = None
        self._frame = 0

    def tell(self, **changes: Any) -> None:
        """Set some of the facts (names and types are those of ``StatusFacts``) and draw them."""
        self.facts = replace(self.facts, **changes)
        if self.facts.phase and self._clock is None:
            self._clock = self.set_interval(1.0 if self._still else _TICK, self._tick)
        elif not self.facts.phase and self._clock is not None:
            self._clock.stop()
            self._clock = None
        self.refresh()

    def count_quietly(self, tokens: int) -> None:
        """Note the number of tokens; the next tick of the clock shows it."""
        self.facts = replace(self.facts, tokens=tokens)

    def hint(self, text: str, seconds: float) -> None:
        """Show *text* in place of the left part for a while; "" takes it away."""
        if self._hint_timer is not None:
            self._hint_timer.stop()
            self._hint_timer = None
        self.tell(hint=text)
        if text:
            self._hint_timer = self.set_timer(seconds, lambda: self.tell(hint=""))

    def _tick(self) -> None:
        self._frame += 1
        self.refresh()

    def render_line(self, y: int) -> Strip:
        glyph = _SPINNER[0] if self._still else _SPINNER[self._frame % len(_SPINNER)]
        runs = status_runs(self.facts, self.size.width, self.look, monotonic(), glyph)
        return make_row(runs).strip.adjust_cell_length(self.size.width, self.look.text)
