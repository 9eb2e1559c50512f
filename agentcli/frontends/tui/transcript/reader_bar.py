"""The line that lies over the status line while the transcript is searched or read by keyboard.

It has the focus meanwhile and gives it back, so the composer stays exactly as it was.
"""

from collections.abc import Callable
from typing import Any, cast

from rich.cells import cell_len
from textual import events
from textual.geometry import Offset
from textual.strip import Strip
from textual.widget import Widget

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.paint import cursor_style
from agentcli.frontends.tui.transcript.reading import Reading
from agentcli.frontends.tui.transcript.rows import Run, fit, make_row
from agentcli.frontends.tui.transcript.search_line import SearchLine
from agentcli.frontends.tui.transcript.view import Transcript

_TYPING = ("esc back", "↑↓ step", "enter keep")
_STEPPING = ("esc leave", "n N step", "/ change")
_SELECTING = ("y copy", "esc cancel", "j k extend")
_READING = ("q back", "v select", "y copy", "o fold", "/ search", "{ } prompts", "? more")
_MORE = ("q back", "i stay here", "g G ends", "ctrl+d ctrl+u half", "space page", "[ ] entries")
_NEXT = {"down", "ctrl+n"}
_PREVIOUS = {"up", "ctrl+p", "shift+enter"}


class ReaderBar(Widget, can_focus=True):
    """Search (`open_search`) and reading mode (`open_reading`); shown only while one is on."""

    ALLOW_SELECT = False
    DEFAULT_CSS = "ReaderBar { layer: popup; dock: bottom; height: 1; display: none; }"

    def __init__(self, view: Transcript, look: Look, copy: Callable[[str], None]) -> None:
        super().__init__()
        self.look = look
        self.reading = Reading(view, copy)
        self.line = SearchLine()
        self.typing = False
        """The query is being typed."""
        self._view = view
        self._before: Widget | None = None
        self._more = False
        self._last_query = ""
        view.finder.on_change = self._changed

    @property
    def searching(self) -> bool:
        """Is a search on, typed or stepped through?"""
        return self._view.finder.active

    # opening and closing

    def open_search(self) -> None:
        """Type a query; one that is there already is changed."""
        self._open()
        self.typing = True
        self.line.put(self.line.text if self.searching else "")
        self._view.search(self.line.text)
        self._draw()

    def open_reading(self) -> None:
        """Move through the transcript by keyboard."""
        self._open()
        self.reading.begin()
        self._more = False
        self._draw()

    def close(self, keep: bool = False) -> None:
        """End search and reading and give the focus back; with *keep* the window stays."""
        self._view.end_search(keep)
        self.reading.end(keep)
        self._close()

    def _open(self) -> None:
        if not self.display:
            self._before = self.screen.focused
            self.display = True
            # now, not with the next message: the next key may be waiting already
            self.screen.set_focus(self, scroll_visible=False)

    def _close(self) -> None:
        self.typing = False
        if self.display:
            before, self._before = self._before, None
            if self.screen.focused is self:
                known = before is not None and before.is_attached
                self.screen.set_focus(before if known else None, scroll_visible=False)
            self.display = False

    def on_blur(self) -> None:
        # the person clicked into something else
        if self.display and self.screen.focused not in (None, self):
            self.close(keep=True)

    # keys

    def on_key(self, event: events.Key) -> None:
        printable = event.is_printable and event.character is not None
        key = event.character if printable and event.character is not None else event.key
        if self._press(key, printable) or printable:
            event.stop()
            event.prevent_default()
            self._draw()

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        if self.typing:
            self._edit(lambda: self.line.insert(event.text))

    def _press(self, key: str, printable: bool) -> bool:
        if key == "ctrl+c":
            # with something selected the key copies; else it gets out of here, not of the app
            if self._view.selecting:
                return False
            self.close()
            return True
        if self.typing:
            return self._press_typing(key, printable)
        if key == "escape":
            self._escape()
        elif key == "/":
            self.open_search()
        elif self.reading.on:
            return self._press_reading(key)
        elif key in {"n", "enter"} | _NEXT:
            self._view.next_match()
        elif key in {"N"} | _PREVIOUS:
            self._view.previous_match()
        elif key in {"pageup", "pagedown"}:
            self._view.scroll_page(-1 if key == "pageup" else 1)
        elif key == "backspace":
            self.open_search()
        else:
            return False
        return True

    def _press_typing(self, key: str, printable: bool) -> bool:
        if printable:
            self._edit(lambda: self.line.insert(key))
        elif key == "escape":
            self._leave_search(keep=False)
        elif key == "enter":
            self._accept()
        elif key in _NEXT:
            self._view.next_match()
        elif key in _PREVIOUS:
            self._view.previous_match()
        elif key in {"pageup", "pagedown"}:
            self._view.scroll_page(-1 if key == "pageup" else 1)
        elif key == "backspace" and not self.line.text:
            self._leave_search(keep=False)
        else:
            return self._edit(lambda: self.line.press(key))
        return True

    def _press_reading(self, key: str) -> bool:
        if key in {"q", "i"}:
            self.close(keep=key == "i")
        elif key == "?":
            self._more = not self._more
        else:
            return self.reading.press(key)
        return True

    def _edit(self, change: Callable[[], object]) -> bool:
        changed = change() is not False
        if self.line.text != self._view.finder.query:
            self._view.search(self.line.text)
        return changed

    def _accept(self) -> None:
        """The query is done; an empty one repeats the last."""
        if not self.line.text and self._last_query:
            self.line.put(self._last_query)
            self._view.search(self.line.text)
        if not self.line.text.strip():
            self._leave_search(keep=False)
            return
        self._last_query = self.line.text
        self.typing = False
        self.reading.follow_match()

    def _leave_search(self, keep: bool) -> None:
        self.typing = False
        self._view.end_search(keep)
        if not self.reading.on:
            self._close()

    def _escape(self) -> None:
        """One thing at a time: the selection, the search, the mode."""
        if self.reading.on and self.reading.cancel():
            return
        if self.searching:
            self._leave_search(keep=True)
        else:
            self.close()

    # drawing

    def _changed(self) -> None:
        if not self.searching and not self.reading.on:
            # the conversation was replaced under the search
            self._close()
        self._draw()

    def _draw(self) -> None:
        if not self.display:
            return
        if self.typing:
            _, caret = self.line.shown(self._room)
            cells = cell_len(self.line.shown(self._room)[0][:caret])
            app: Any = cast("Any", self).app
            app.cursor_position = Offset(self.region.x + 3 + cells, self.region.y)
        self.refresh()

    @property
    def _room(self) -> int:
        """Cells for the query: the hints give way to it."""
        return max(1, self.size.width - 5 - cell_len(self._view.finder.told))

    def render_line(self, y: int) -> Strip:
        width, look = self.size.width, self.look
        left, hints = self._left(), self._hints()
        right = self._view.finder.told if self.searching else ""
        room = width - sum(cell_len(text) for text, _ in left) - cell_len(right) - 3
        tail = ""
        for hint in hints:
            longer = f"{tail} · {hint}" if tail else hint
            if cell_len(longer) > room - 2:
                break
            tail = longer
        gap = room - cell_len(tail)
        if self.searching:
            runs: list[Run] = [*left, (" " * max(1, gap), look.text), (tail, look.dim)]
            runs += [("  ", look.text), (right, look.text)]
        else:
            runs = [*left, ("  ", look.text), (tail, look.dim)]
        return make_row(runs).strip.adjust_cell_length(width, look.text)

    def _left(self) -> list[Run]:
        look = self.look
        if self.typing:
            text, caret = self.line.shown(self._room)
            under = text[caret : caret + 1] or " "
            return [
                (" / ", look.accent),
                (text[:caret], look.strong),
                (under, cursor_style(look)),
                (text[caret + 1 :], look.strong),
            ]
        if self.searching:
            return [(" / ", look.accent), (fit(self.line.text, self._room), look.text)]
        return [(" select" if self.reading.selecting else " read", look.accent_strong)]

    def _hints(self) -> tuple[str, ...]:
        if self.typing:
            return _TYPING
        if self.reading.selecting:
            return _SELECTING
        if self.searching:
            return _STEPPING
        return _MORE if self._more else _READING
