"""The reading mode: a line cursor in the transcript, moved by keys, that selects, copies, folds.

A state object: whoever shows it hands it the keys while it is on.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from agentcli.frontends.tui.transcript.layout import Spot
from agentcli.frontends.tui.transcript.selecting import LINE_END, Point
from agentcli.frontends.tui.transcript.viewport import Place

if TYPE_CHECKING:
    from agentcli.frontends.tui.transcript.view import Transcript


class Reading:
    """``copy`` gets the text that the person copies."""

    def __init__(self, view: "Transcript", copy: Callable[[str], None]) -> None:
        self._view = view
        self._copy = copy
        self._place: Place | None = None
        self._mark: Spot | None = None
        """Where the selection of lines began."""
        self._keys: dict[str, Callable[[], None]] = {
            **dict.fromkeys(("j", "down"), lambda: self.move(1)),
            **dict.fromkeys(("k", "up"), lambda: self.move(-1)),
            **dict.fromkeys(("g", "home"), self.go_home),
            **dict.fromkeys(("G", "end"), self.go_end),
            "ctrl+d": lambda: self.page(1, half=True),
            "ctrl+u": lambda: self.page(-1, half=True),
            **dict.fromkeys(("ctrl+f", "pagedown"), lambda: self.page(1)),
            **dict.fromkeys(("ctrl+b", "pageup"), lambda: self.page(-1)),
            " ": self.fold_or_page,
            "}": lambda: self.jump_prompt(1),
            "{": lambda: self.jump_prompt(-1),
            "]": lambda: self.step_entry(1),
            "[": lambda: self.step_entry(-1),
            "n": lambda: self.step_match(1),
            "N": lambda: self.step_match(-1),
            **dict.fromkeys(("v", "V"), self.mark),
            "y": self.copy,
            "enter": self.copy_or_fold,
            "o": self.fold,
        }

    @property
    def on(self) -> bool:
        """Is the mode on?"""
        return self._place is not None

    @property
    def selecting(self) -> bool:
        """Are lines being selected?"""
        return self._mark is not None

    def begin(self) -> None:
        """Turn the mode on, the cursor on the last line of the window."""
        if self.on:
            return
        port = self._view.port
        self._place = port.save()
        port.follow = False
        self._put(min(port.line + port.height, self._view.lines.total) - 1)

    def end(self, keep: bool = False) -> None:
        """Turn it off: back to where it began, or with *keep* the window stays where it is."""
        if self._place is None:
            return
        view, place = self._view, self._place
        self.cancel()
        view.end_search(keep=True)
        self._place, view.painter.cursor = None, None
        if keep:
            view.port.follow_at_end()
        else:
            view.port.restore(place)
        view.sync()
        view.refresh()

    def press(self, key: str) -> bool:
        """Do what *key* means here (a character, or the name of another key); False if nothing."""
        action = self._keys.get(key)
        if action is None:
            return False
        action()
        return True

    def cancel(self) -> bool:
        """Drop the selection; False if there is none."""
        view = self._view
        had = bool(self._mark or view.selecting)
        self._mark = None
        view.deselect()
        return had

    # moving

    @property
    def spot(self) -> Spot | None:
        """Where the cursor is; None in an empty transcript."""
        view, cursor = self._view, self._view.painter.cursor
        if cursor is None or cursor[0] not in view.lines:
            return view.lines.spot(view.port.line)
        return cursor

    @property
    def _line(self) -> int:
        spot = self.spot
        return 0 if spot is None else self._view.lines.line_of(spot)

    def _put(self, line: int) -> None:
        """The cursor onto *line*, which is in the window."""
        view = self._view
        view.painter.cursor = view.lines.spot(max(0, min(line, view.lines.total - 1)))
        view.port.follow = False
        self._extend()
        view.sync()
        view.refresh()

    def move(self, count: int) -> None:
        """The cursor by *count* lines; the window comes along."""
        port = self._view.port
        line = max(0, min(self._line + count, self._view.lines.total - 1))
        last = port.line + port.height - 1
        if line < port.line:
            # what comes into view may turn out longer: the cursor stays at the edge
            port.scroll(line - port.line)
            line = port.line
        elif line > last:
            port.scroll(line - last)
            line = port.line + port.height - 1
        self._put(line)

    def page(self, direction: int, half: bool = False) -> None:
        """A window or half of one up or down, the cursor at its place in the window."""
        port = self._view.port
        row, before = self._line - port.line, port.line
        count = direction * max(1, port.height // 2 if half else port.height - 2)
        port.scroll(count)
        if port.line == before:
            row = max(0, min(row + count, port.height - 1))
        self._put(port.line + max(0, min(row, port.height - 1)))

    def go_home(self) -> None:
        """To the first line."""
        self._view.port.go_home()
        self._put(0)

    def go_end(self) -> None:
        """To the last line."""
        self._view.port.go_end()
        self._put(self._view.lines.total - 1)

    def jump_prompt(self, direction: int) -> None:
        """To the previous or next prompt."""
        view, lines = self._view, self._view.lines
        prompt = lines.prompt_beside(self._line, direction)
        if prompt is None:
            self.go_home() if direction < 0 else self.go_end()
        else:
            view.port.reveal((prompt, prompt.gap), 0)
            self._put(lines.top(prompt) + prompt.gap)

    def step_entry(self, direction: int) -> None:
        """To the first line of the previous or next entry: a prompt, an answer, a call."""
        lines, spot = self._view.lines, self.spot
        if spot is None:
            return
        index = lines.index(spot[0]) + direction
        if direction < 0 and spot[1] > spot[0].gap:
            index += 1
        if 0 <= index < len(lines.entries):
            entry = lines.entries[index]
            self._reveal((entry, entry.gap))
        else:
            self.go_home() if direction < 0 else self.go_end()

    def step_match(self, direction: int) -> None:
        """To the next or previous match of the search."""
        self._view.finder.step(direction)
        self.follow_match()

    def follow_match(self) -> None:
        """The cursor onto the match that is shown."""
        spot = self._view.finder.spot
        if self.on and spot is not None:
            self._put(self._view.lines.line_of(spot))

    def _reveal(self, spot: Spot) -> None:
        port = self._view.port
        if not port.shows(spot):
            port.reveal(spot, port.height // 3)
        self._put(self._view.lines.line_of(spot))

    # selecting and folding

    def mark(self) -> None:
        """Begin to select lines at the cursor, or stop."""
        if not self.cancel():
            self._mark = self.spot
            self._extend()

    def _extend(self) -> None:
        """Select from the mark to the cursor, both lines whole."""
        mark, spot, lines = self._mark, self.spot, self._view.lines
        if mark is None or spot is None or mark[0] not in lines:
            return
        first, last = sorted((mark, spot), key=lines.line_of)
        self._view.select(Point(*first, 0), Point(*last, LINE_END))

    def copy(self) -> None:
        """Copy what is selected, else the source of the entry at the cursor."""
        view, span, spot = self._view, self._view.selecting.span, self.spot
        if span is not None:
            text = view.lines.text_between(*span)
        else:
            text = spot[0].source_text().text if spot is not None else ""
        self.cancel()
        if text.strip():
            self._copy(text.strip("\n"))

    def copy_or_fold(self) -> None:
        """Copy what is selected; without a selection fold or unfold."""
        if self._view.selecting:
            self.copy()
        else:
            self.fold()

    def fold_or_page(self) -> None:
        """On the first line of something that folds: do that; elsewhere a window down."""
        spot = self.spot
        if spot is not None and spot[0].foldable and spot[1] <= spot[0].gap:
            self.fold()
        else:
            self.page(1)

    def fold(self) -> None:
        """Fold or unfold the entry at the cursor; the cursor goes to its first line."""
        spot = self.spot
        if spot is not None and spot[0].foldable:
            self.cancel()
            self._view.toggle(spot[0])
            self._reveal((spot[0], spot[0].gap))
