"""The transcript: one scrolling widget that draws lines, whatever the length of the conversation.

While following, the end is kept in view; a reader who scrolled up keeps the line that stands at
the top of the window, whatever grows above or below.
"""

from time import monotonic, thread_time
from typing import Any

from textual import events
from textual.geometry import Offset, Region, Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.entries import Entry
from agentcli.frontends.tui.transcript.layout import Anchor, Layout
from agentcli.frontends.tui.transcript.paint import mark_cells, new_lines_badge
from agentcli.frontends.tui.transcript.rows import Row

_VIRTUAL_SIZE: Any = Widget.virtual_size
_SCROLL_TARGET: Any = Widget.scroll_target_y
_FRAME = 1 / 18
_SOON = 0.005
_SHARE = 4.0
"""After a frame that took t seconds of CPU the next one waits at least t times this."""
_WHEEL = 3
_KEPT_STRIPS = 1000
_TRIES = 6
"""How often heights are measured again when measuring moved the window."""


class Transcript(ScrollView, can_focus=False):
    """All entries of the conversation. Changes are drawn together, at most 18 times a second."""

    ALLOW_SELECT = True
    DEFAULT_CSS = """
    Transcript { height: 1fr; overflow-x: hidden; overflow-y: scroll; scrollbar-size: 0 0; }
    """

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.follow = True
        self._lines = Layout(look)
        self._dirty: dict[int, Entry] = {}
        self._timer: Timer | None = None
        self._next_frame = 0.0
        self._seen = 0
        """Lines that the reader has had on screen, counted from the top."""
        self._line_strips: dict[int, tuple[Row, Strip]] = {}

    @property
    def entries(self) -> list[Entry]:
        """What is in the transcript, oldest first."""
        return self._lines.entries

    def add(self, entry: Entry) -> None:
        """Put *entry* at the end."""
        self._lines.add(entry)
        self.changed(entry)

    def changed(self, entry: Entry) -> None:
        """*entry* looks different now; it is drawn with the next frame."""
        entry.version += 1
        self._dirty[id(entry)] = entry
        self._schedule()

    def take_away(self, entry: Entry) -> None:
        """Take *entry* away; nothing happens if it is not there."""
        if any(known is entry for known in self.entries):
            self._lines.remove(entry)
            self._dirty.pop(id(entry), None)
            self._schedule()
            self.refresh()

    def clear(self) -> None:
        """An empty transcript that follows its end."""
        self._lines.clear()
        self._dirty.clear()
        self.follow, self._seen = True, 0
        self.flush()
        self.refresh()

    def toggle(self, entry: Entry) -> None:
        """Fold or unfold *entry* in place: its first line stays where it is."""
        if not entry.foldable:
            return
        offset = self._lines.top(entry) - self._line
        following, self.follow = self.follow, False
        self._fold([entry], not entry.folded)
        self._move_to(self._lines.top(entry) - offset)
        self.follow = following and self._line >= self._end

    def unfold_next(self) -> None:
        """Unfold the last entry that folds; if it is open, all of them; if they are, fold all."""
        foldable = [entry for entry in self.entries if entry.foldable]
        if foldable and foldable[-1].folded:
            self._fold(foldable[-1:], False)
        elif foldable:
            self._fold(foldable, not any(entry.folded for entry in foldable))

    def _fold(self, entries: list[Entry], folded: bool) -> None:
        before = self._lines.total
        for entry in entries:
            if entry.folded != folded:
                entry.folded = folded
                self.changed(entry)
        self.flush()
        # what was unfolded by hand is not news
        self._seen += self._lines.total - before
        self.refresh()

    def restyle(self, look: Look) -> None:
        """Draw everything anew in another theme."""
        self._lines.reset(self._lines.width, look)
        self._line_strips.clear()
        self.refresh()

    # frames

    def _schedule(self) -> None:
        if self._timer is None and self.is_attached:
            self._timer = self.set_timer(max(_SOON, self._next_frame - monotonic()), self.flush)

    def flush(self) -> None:
        """Draw what changed, now."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if not self.size.width:
            return
        started, lines = thread_time(), self._lines
        anchor, before = lines.anchor(self._line), lines.total
        dirty, self._dirty = list(self._dirty.values()), {}
        bottom = lines.total if self.follow else self._line + self.size.height
        first = lines.update(dirty, max(0, bottom - self.size.height), bottom) if dirty else before
        self._settle(anchor)
        if dirty or before != lines.total:
            self._refresh_from(first)
        self._next_frame = monotonic() + max(_FRAME, (thread_time() - started) * _SHARE)

    def _refresh_from(self, line: int) -> None:
        top = max(0, line - self._line)
        if top < self.size.height:
            self.refresh(Region(0, top, self.size.width, self.size.height - top))
        if not self.follow:
            self.refresh(Region(0, self.size.height - 1, self.size.width, 1))

    # scrolling

    @property
    def _line(self) -> int:
        """The line at the top of the window."""
        return round(self.scroll_y)

    @property
    def _end(self) -> int:
        """The top line of the window at the end of the transcript."""
        return max(0, self._lines.total - self.size.height)

    def _settle(self, anchor: Anchor | None) -> None:
        """Draw what is in the window, so that its heights are true, and keep the place."""
        for _ in range(_TRIES):
            if not self._lines.measure(self._place(anchor), self.size.height):
                break
        self._move_to(self._place(anchor))

    def _place(self, anchor: Anchor | None) -> int:
        if self.follow or anchor is None:
            return self._end
        try:
            return min(self._end, self._lines.top(anchor[0]) + anchor[1])
        except ValueError:
            return self._end

    def _move_to(self, line: int) -> None:
        total = self._lines.total
        # set without its layout pass: nothing else depends on how long the transcript is
        self.set_reactive(_VIRTUAL_SIZE, Size(self.size.width, total))
        line = max(0, min(line, self._end))
        if self._line != line:
            self.set_reactive(_SCROLL_TARGET, float(line))
            self.scroll_y = float(line)
        self._seen = total if self.follow else max(self._seen, min(total, line + self.size.height))

    def scroll_lines(self, count: int) -> None:
        """Move the window by *count* lines (negative: up); at the end, following begins again."""
        lines, followed = self._lines, self.follow
        self.follow = False
        target = self._line + count
        for _ in range(_TRIES):
            anchor = lines.anchor(self._line)
            if anchor is None or not lines.measure(max(0, target), self.size.height):
                break
            # what is above the window turned out longer or shorter: keep the distance
            here = lines.top(anchor[0]) + anchor[1]
            self._move_to(here)
            target = here + count
        self._move_to(target)
        self._set_follow(self._end == 0 or (count > 0 and self._line >= self._end), followed)

    def scroll_page(self, direction: int) -> None:
        """One window up (-1) or down (1), two lines kept in view."""
        self.scroll_lines(direction * max(1, self.size.height - 2))

    def go_home(self) -> None:
        """To the first line."""
        followed, self.follow = self.follow, False
        self._lines.measure(0, self.size.height)
        self._move_to(0)
        self._set_follow(self._end == 0, followed)

    def go_end(self) -> None:
        """To the last line, following it from now on."""
        followed, self.follow = self.follow, True
        self.flush()
        self._set_follow(True, followed)

    def _set_follow(self, follow: bool, before: bool) -> None:
        self.follow = follow
        if follow:
            self._seen = self._lines.total
        if follow != before:
            self.refresh()

    @property
    def unseen(self) -> int:
        """Lines at the end that the reader has not seen yet."""
        return 0 if self.follow else max(0, self._lines.total - self._seen)

    def on_resize(self, event: events.Resize) -> None:
        lines = self._lines
        anchor = lines.anchor(self._line)
        if event.size.width != lines.width:
            lines.reset(event.size.width, lines.look)
            self._line_strips.clear()
            anchor = None if anchor is None else (anchor[0], 0)
        self._settle(anchor)
        self.refresh()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        event.prevent_default()
        self.scroll_lines(_WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        event.prevent_default()
        self.scroll_lines(-_WHEEL)

    def on_click(self, event: events.Click) -> None:
        if event.button != 1 or self.text_selection is not None:
            return
        if self.unseen and event.y == self.size.height - 1 and event.x > self.size.width // 2:
            self.go_end()
            return
        entry, row = self._lines.entry_at(self._line + event.y) or (None, 0)
        # anywhere on a folded entry, only on the title of an open one
        if entry is not None and (entry.folded or row == entry.gap):
            self.toggle(entry)

    # drawing and selecting

    def render_line(self, y: int) -> Strip:
        strip = self._strip_at(self._line + y)
        if y == self.size.height - 1 and self.unseen:
            return new_lines_badge(strip, self.unseen, self.size.width, self._lines.look)
        return strip

    def _strip_at(self, line: int) -> Strip:
        row, look, width = self._lines.row_at(line), self._lines.look, self.size.width
        if row is None:
            return Strip.blank(width, look.text)
        selection = self.text_selection
        span = selection.get_span(line) if selection is not None else None
        known = self._line_strips.get(line)
        if span is None and known is not None and known[0] is row:
            return known[1]
        strip = row.strip.crop(0, width).extend_cell_length(width, look.text)
        if span is not None:
            end = row.strip.cell_length if span[1] == -1 else span[1]
            marked = mark_cells(strip, max(span[0], row.skip), end, look.picked)
            return marked.apply_offsets(0, line)
        strip = strip.apply_offsets(0, line)
        if len(self._line_strips) > _KEPT_STRIPS:
            self._line_strips.clear()
        self._line_strips[line] = (row, strip)
        return strip

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        start = selection.start or Offset(0, 0)
        end = selection.end or Offset(self.size.width, max(0, self._lines.total - 1))
        text = self._lines.text_between((start.y, start.x), (end.y, end.x))
        return (text, "\n") if text else None

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()
