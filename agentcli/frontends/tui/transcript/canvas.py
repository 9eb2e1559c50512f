"""The drawn part of the transcript: a scrolling widget of lines, its frames, mouse and selection.

Where the window stands, what is selected and what is searched is kept by the objects beside it.
"""

from collections.abc import Iterable
from functools import partial
from time import monotonic, thread_time
from typing import TYPE_CHECKING, Any

from textual import events
from textual.geometry import Offset, Region, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.drawing import Painter
from agentcli.frontends.tui.transcript.entries import Entry
from agentcli.frontends.tui.transcript.layout import Layout
from agentcli.frontends.tui.transcript.pointing import Pointer
from agentcli.frontends.tui.transcript.selecting import Point, Selecting
from agentcli.frontends.tui.transcript.viewport import Viewport

if TYPE_CHECKING:
    from agentcli.frontends.tui.transcript.search import Search

_VIRTUAL_SIZE: Any = Widget.virtual_size
_SCROLL_TARGET: Any = Widget.scroll_target_y
_FRAME = 1 / 12
_SOON = 0.005
_SHARE = 4.0
"""After a frame that took t seconds of CPU the next one waits at least t times this."""
_WHEEL = 3
_REFINED = 200
"""Heights that are estimated anew in one go after the width changed."""
_BETWEEN = 0.02


class Canvas(ScrollView, can_focus=False):
    """Draws changes together, at most 18 times a second."""

    # what is selected follows the text, not the window: see `Pointer`
    ALLOW_SELECT = False

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.lines = Layout(look)
        self.port = Viewport(self.lines)
        self.selecting = Selecting(self.lines)
        self._finder: Search | None = None
        self.painter = Painter(self.lines, self.port, self.selecting)
        self._pointer = Pointer(self)
        self._dirty: dict[int, Entry] = {}
        self._timer: Timer | None = None
        self._refiner: Timer | None = None
        self._next_frame = 0.0
        self._unseen = 0
        self._told: Selection | None = None
        """What the screen was told that is selected."""

    @property
    def finder(self) -> "Search":
        """The search, made when it is needed first."""
        if self._finder is None:
            from agentcli.frontends.tui.transcript.match_drawing import draw_matches
            from agentcli.frontends.tui.transcript.search import Search

            self._finder = Search(self)
            self.painter.overlay = partial(draw_matches, self._finder)
        return self._finder

    @property
    def entries(self) -> list[Entry]:
        """What is in the transcript, oldest first."""
        return self.lines.entries

    @property
    def follow(self) -> bool:
        """Is the end kept in view?"""
        return self.port.follow

    @property
    def unseen(self) -> int:
        """Lines at the end that the reader has not seen yet."""
        return self.port.unseen

    def changed(self, entry: Entry) -> None:
        """*entry* looks different now; it is drawn with the next frame."""
        entry.version += 1
        self._dirty[id(entry)] = entry
        if self._finder is not None:
            self._finder.touch(entry)
        self.schedule()

    def toggle(self, entry: Entry) -> None:
        """Fold or unfold *entry* in place: its first line stays where it is."""
        if not entry.foldable:
            return
        port, lines = self.port, self.lines
        above = lines.top(entry) - port.line
        following, port.follow = port.follow, False
        self.set_fold([entry], not entry.folded)
        port.move_to(lines.top(entry) - above)
        port.follow = following and port.line >= port.end
        self.sync()

    def set_fold(self, entries: Iterable[Entry], folded: bool) -> None:
        """Fold or unfold *entries*, drawn at once; the place is kept."""
        unseen = self.port.unseen
        for entry in entries:
            if entry.folded != folded:
                entry.folded = folded
                self.changed(entry)
        self.flush()
        # what was unfolded by hand is not news
        self.port.keep_unseen(unseen)
        self.refresh()

    def restyle(self, look: Look) -> None:
        """Draw everything anew in another theme."""
        self.lines.reset(self.lines.width, look)
        self.painter.forget()
        self.refresh()

    # frames

    def schedule(self) -> None:
        """Let there be a frame soon."""
        if self._timer is None and self.is_attached:
            self._timer = self.set_timer(max(_SOON, self._next_frame - monotonic()), self.flush)

    def flush(self) -> None:
        """Draw what changed, now."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if not self.size.width:
            return
        started, lines, port = thread_time(), self.lines, self.port
        before = lines.total
        dirty, self._dirty = list(self._dirty.values()), {}
        bottom = lines.total if port.follow else port.line + port.height
        first = lines.update(dirty, max(0, bottom - port.height), bottom) if dirty else before
        port.settle()
        self.sync()
        if dirty or before != lines.total:
            self._refresh_from(first)
        self._next_frame = monotonic() + max(_FRAME, (thread_time() - started) * _SHARE)

    def _refresh_from(self, line: int) -> None:
        top = max(0, line - self.port.line)
        if top < self.size.height:
            self.refresh(Region(0, top, self.size.width, self.size.height - top))

    def sync(self) -> None:
        """Take over where the port stands now; draws what that changed."""
        port = self.port
        # set without its layout pass: nothing else depends on how long the transcript is
        self.set_reactive(_VIRTUAL_SIZE, Size(self.size.width, self.lines.total))
        if round(self.scroll_y) != port.line:
            self.set_reactive(_SCROLL_TARGET, float(port.line))
            self.scroll_y = float(port.line)
        if self._unseen != port.unseen:
            self._unseen = port.unseen
            self.refresh(Region(0, max(0, self.size.height - 1), self.size.width, 1))
        self._tell_selection()

    def on_resize(self, event: events.Resize) -> None:
        if event.size.width != self.lines.width:
            self.deselect()
            self.painter.forget()
            if self._refiner is None and self.entries:
                self._refiner = self.set_interval(_BETWEEN, self._refine)
        self.port.resize(event.size.width, event.size.height, self.lines.look)
        self.sync()
        self.refresh()

    def _refine(self) -> None:
        more = self.lines.refine(_REFINED)
        self.port.settle()
        self.sync()
        if not more and self._refiner is not None:
            self._refiner.stop()
            self._refiner = None

    def render_line(self, y: int) -> Strip:
        return self.painter.strip(y, self.size.width)

    def render_lines(self, crop: Region) -> list[Strip]:
        # without border, padding and style of its own there is nothing for Textual's cache of
        # styled lines to do; it costs a quarter of a frame
        width = self.size.width
        filters, ground = self.get_line_filters(), self.background_colors[1]
        strips: list[Strip] = []
        for y in crop.line_range:
            strip = self.render_line(y)
            for line_filter in filters:
                strip = strip.apply_filter(line_filter, ground)
            strips.append(strip if crop.width == width else strip.crop(crop.x, crop.right))
        return strips

    # moving

    def scroll_lines(self, count: int) -> None:
        """Move the window by *count* lines (negative: up); at the end, following begins again."""
        self.port.scroll(count)
        self.sync()

    def scroll_page(self, direction: int) -> None:
        """One window up (-1) or down (1), two lines kept in view."""
        self.scroll_lines(direction * max(1, self.size.height - 2))

    def go_home(self) -> None:
        """To the first line."""
        self.port.go_home()
        self.sync()

    def go_end(self) -> None:
        """To the last line, following it from now on."""
        self.port.follow = True
        self.flush()
        self.port.go_end()
        self.sync()

    # selecting

    def select(self, start: Point, end: Point) -> None:
        """Select from *start* to before *end*, in any order."""
        self.selecting.select(start, end)
        self._tell_selection()
        self.refresh()

    def _tell_selection(self) -> None:
        """Tell the screen what is selected, in lines as they stand now."""
        span = self.selecting.span
        if span is None:
            if self._told is not None:
                self.screen.clear_selection()
            self._told = None
        else:
            told = Selection(*(Offset(column, line) for line, column in span))
            if self._told != told:
                self.screen.selections = {self: told}
            self._told = told

    def deselect(self) -> None:
        """Select nothing."""
        if self.selecting:
            self.selecting.clear()
            self._tell_selection()

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        start = selection.start or Offset(0, 0)
        end = selection.end or Offset(self.size.width, max(0, self.lines.total - 1))
        text = self.lines.text_between((start.y, start.x), (end.y, end.x))
        return (text, "\n") if text else None

    def selection_updated(self, selection: Selection | None) -> None:
        # told late, maybe of one before the last: what counts is what the screen has now
        if self.text_selection is None:
            self.selecting.clear()
            self._told = None
        self.refresh()

    # mouse

    def on_mouse_down(self, event: events.MouseDown) -> None:
        self._pointer.press(event)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self._pointer.move(event)

    def on_mouse_up(self) -> None:
        self._pointer.release()

    def on_mouse_release(self) -> None:
        self._pointer.release()

    def on_click(self, event: events.Click) -> None:
        # Textual would select all of this widget, and then of the screen
        event.prevent_default()
        event.stop()
        self._pointer.click(event)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        event.prevent_default()
        self.scroll_lines(_WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        event.prevent_default()
        self.scroll_lines(-_WHEEL)
