"""The mouse in the transcript: dragging selects and scrolls, clicks fold and select words."""

from typing import TYPE_CHECKING

from textual import events
from textual.timer import Timer

from agentcli.frontends.tui.transcript.entries import Entry
from agentcli.frontends.tui.transcript.selecting import Point, line_at, whole_entry, word_at

if TYPE_CHECKING:
    from agentcli.frontends.tui.transcript.canvas import Canvas

_TICK = 0.05
_FASTEST = 6
"""Lines per tick that a drag far outside of the window scrolls at first."""
_TICKS_TO_DOUBLE = 8


class Pointer:
    """What the mouse does, from press to release."""

    def __init__(self, view: "Canvas") -> None:
        self._view = view
        self._pressed: Point | None = None
        self._pressed_at = (0, 0)
        self._dragged = False
        self._held = False
        """The terminal tells of a pressed button with each move."""
        self._followed = False
        self._at = (0, 0)
        self._ticks = 0
        self._timer: Timer | None = None
        self._toggled: Entry | None = None

    def press(self, event: events.MouseDown) -> None:
        """The left button went down: a drag may begin."""
        if event.button != 1:
            return
        self._pressed, self._pressed_at = self._point(event.x, event.y), (event.x, event.y)
        self._dragged = self._held = False
        self._view.capture_mouse()

    def move(self, event: events.MouseMove) -> None:
        """The pointer moved; with the button down it selects."""
        if self._held and not event.button:
            # let go where the terminal could not see it
            self.release()
            return
        self._held = event.button == 1
        here = (event.x, event.y)
        if self._pressed is None or (not self._dragged and here == self._pressed_at):
            return
        view = self._view
        if not self._dragged:
            # text must not run away under the pointer
            self._dragged, self._followed, view.port.follow = True, view.port.follow, False
        self._at = here
        self._extend()
        if self._pull() and self._timer is None:
            self._ticks = 0
            self._timer = view.set_interval(_TICK, self._scroll)

    def release(self) -> None:
        """The button went up, or the mouse was taken away."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if self._pressed is not None and self._dragged and self._followed:
            self._view.port.follow = True
        self._pressed = None
        self._view.release_mouse()

    def click(self, event: events.Click) -> None:
        """Once folds or follows, twice selects the word, three times the line, then the entry."""
        view = self._view
        if event.button != 1 or self._dragged:
            return
        if event.chain == 1:
            self._toggled = self._click_once(event)
            return
        if event.chain == 2 and self._toggled is not None and self._toggled in view.lines:
            # the first click of the two was not meant for the fold
            view.toggle(self._toggled)
        self._toggled = None
        point = self._point(event.x, event.y)
        if point is None:
            return
        if event.chain == 2:
            found = word_at(view.lines, point)
        elif event.chain == 3:
            found = line_at(view.lines, point)
        else:
            found = whole_entry(view.lines, point.entry)
        if found is not None:
            view.select(*found)

    def _click_once(self, event: events.Click) -> Entry | None:
        view = self._view
        if view.unseen and event.y == view.size.height - 1 and event.x > view.size.width // 2:
            view.go_end()
            return None
        entry, row = view.lines.spot_at(view.port.line + event.y) or (None, 0)
        # anywhere on a folded entry, only on the title of an open one
        if entry is None or not entry.foldable or not (entry.folded or row == entry.gap):
            return None
        view.toggle(entry)
        return entry

    def _point(self, x: int, y: int) -> Point | None:
        return self._view.selecting.point_at(self._view.port.line + y, x)

    def _extend(self) -> None:
        """Select from where the button went down to the pointer, both cells included."""
        view, start = self._view, self._pressed
        x, y = self._at
        y = max(0, min(y, view.size.height - 1))
        end = self._point(x, y)
        if start is None or end is None or start.entry not in view.lines:
            return
        lines = view.lines
        backwards = (lines.line_of((end.entry, end.row)), end.column) < (
            lines.line_of((start.entry, start.row)),
            start.column,
        )
        if backwards:
            start = start._replace(column=start.column + 1)
        else:
            end = end._replace(column=end.column + 1)
        view.select(start, end)

    def _pull(self) -> int:
        """Lines per tick that the pointer's place asks to scroll; no mouse gets above the first
        row of the terminal, so there the row itself does."""
        y, height = self._at[1], self._view.size.height
        if y >= height:
            return min(_FASTEST, 1 + (y - height))
        if y < 0 or (y == 0 and self._pressed_at[1] > 0 and self._view.region.y == 0):
            return -min(_FASTEST, 1 - y)
        return 0

    def _scroll(self) -> None:
        pull = self._pull()
        if not pull:
            self._ticks = 0
            return
        # the longer it is held, the faster
        self._ticks += 1
        pull *= 1 + self._ticks // _TICKS_TO_DOUBLE
        port = self._view.port
        before = port.line
        port.scroll(pull)
        self._followed = port.follow
        port.follow = False
        if port.line != before:
            self._view.sync()
            self._extend()
