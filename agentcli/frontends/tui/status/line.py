"""The status line on the screen: its clock, and the lines of the person's script above it."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, Literal

from textual.geometry import Size
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.status.draw import status_runs
from agentcli.frontends.tui.status.facts import StatusFacts
from agentcli.frontends.tui.status.script_text import script_strips
from agentcli.frontends.tui.transcript.rows import make_row

Activity = Literal["idle", "busy", "asking", "failed"]

_SPINNER = "◐◓◑◒"
_TICK = 1 / 8
_SLOW_TICK = 1.0
_SCRIPT_LINES = 8
_PASSING = frozenset(
    {
        *("phase", "phase_kind", "since", "tokens", "retry_at", "attempt"),
        *("hint", "keys", "stop_keys", "scripted"),
    }
)


class StatusLine(Widget, can_focus=False):
    """One line at the bottom. Its clock runs only while something on it changes by itself."""

    DEFAULT_CSS = "StatusLine { height: auto; }"

    def __init__(self, look: Look, reduced_motion: bool = False) -> None:
        super().__init__()
        self.facts = StatusFacts()
        self.look = look
        self.on_activity: Callable[[Activity], None] | None = None
        """Called when a turn begins, waits for the person, or ends."""
        self.on_facts: Callable[[], None] | None = None
        """Called when something lasting changed: not the phase, not what is said for a moment."""
        self._activity: Activity = "idle"
        self._still = reduced_motion
        self._clock: Timer | None = None
        self._clock_step = 0.0
        self._hint_timer: Timer | None = None
        self._frame = 0
        self._tokens = 0
        self._script: tuple[str, int, bool] = ("", 0, False)
        self._strips: list[Strip] = []
        self._strips_for: tuple[object, ...] = ()

    def tell(self, failed: bool = False, **changes: Any) -> None:
        """Set some of the facts (names and types are those of ``StatusFacts``) and draw them.

        *failed*: the turn that ends with this ended by an error.
        """
        before = self.facts
        self._tokens = int(changes.get("tokens", self._tokens))
        facts = before._replace(**{**changes, "tokens": self._tokens})
        if facts.phase != before.phase or facts.phase_kind != before.phase_kind:
            facts = facts._replace(phase_since=monotonic())
        self.facts = facts
        if facts != before:
            self._set_clock()
            self.refresh()
            if self.on_facts is not None and not changes.keys() <= _PASSING:
                self.on_facts()
        self._report(failed)

    def count_quietly(self, tokens: int) -> None:
        """Note the number of tokens, many times a second; the next tick of the clock shows it."""
        self._tokens = tokens

    def hint(self, text: str, seconds: float) -> None:
        """Show *text* in place of the left part for a while; "" takes it away."""
        if self._hint_timer is not None:
            self._hint_timer.stop()
            self._hint_timer = None
        self.tell(hint=text)
        if text:
            self._hint_timer = self.set_timer(seconds, lambda: self.tell(hint=""))

    def show_script(self, output: str, padding: int = 0, failed: bool = False) -> None:
        """Draw what the person's script printed above the line; "" for nothing. *failed*: it is
        the words for its failure instead, and our own facts are told again."""
        self._script = (output, padding, failed)
        self.tell(scripted=bool(output) and not failed)
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return 1 + len(self._script_strips(viewport))

    def _script_strips(self, screen: Size) -> Sequence[Strip]:
        width, height = screen
        key = (*self._script, width, height, self.look)
        if key != self._strips_for:
            self._strips_for = key
            output, padding, failed = self._script
            most = min(_SCRIPT_LINES, height // 6)
            self._strips = script_strips(output, padding, width, self.look, failed)[:most]
        return self._strips

    def _set_clock(self) -> None:
        step = self._wanted_step()
        if step == self._clock_step:
            return
        if self._clock is not None:
            self._clock.stop()
        self._clock = self.set_interval(step, self._tick) if step else None
        self._clock_step = step

    def _wanted_step(self) -> float:
        if not self.facts.phase or self.facts.phase_kind == "ask":
            return 0.0  # nothing moves: no timer
        return _SLOW_TICK if self._still or self.facts.retry_at else _TICK

    def _report(self, failed: bool) -> None:
        now: Activity = "idle"
        if self.facts.phase:
            now = "asking" if self.facts.phase_kind == "ask" else "busy"
        elif failed or self._activity == "failed":
            now = "failed"
        if now != self._activity:
            self._activity = now
            if self.on_activity is not None:
                self.on_activity(now)

    def _tick(self) -> None:
        self._frame += 1
        self.facts = self.facts._replace(tokens=self._tokens)
        self.refresh()

    def restyle(self, look: Look) -> None:
        """Draw in another theme."""
        self.look = look
        self.refresh()

    def render_line(self, y: int) -> Strip:
        strips = self._script_strips(self.screen.size)
        width = self.size.width
        above = self.size.height - 1
        if y < above:
            return strips[y] if y < len(strips) else Strip.blank(width, self.look.text)
        glyph = _SPINNER[0] if self._still else _SPINNER[self._frame % len(_SPINNER)]
        runs = status_runs(self.facts, width, self.look, monotonic(), glyph)
        return make_row(runs).strip.adjust_cell_length(width, self.look.text)
