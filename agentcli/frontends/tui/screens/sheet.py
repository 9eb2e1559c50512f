"""The shape of every question and list: a sheet at the bottom, the conversation visible above."""

from dataclasses import dataclass, field
from time import monotonic
from typing import Any, ClassVar, Generic, TypeVar, cast

from textual import events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.screen import ModalScreen
from textual.strip import Strip
from textual.widget import Widget

from agentcli.frontends.tui.keymap.key_app import KeyApp
from agentcli.frontends.tui.keymap.keymap import show_chord
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.rows import Row, Run, fit, make_row

ResultT = TypeVar("ResultT")

_PAGES = {"pageup": -1, "pagedown": 1}
_SCROLLING = {
    "scroll:lineUp": "up",
    "scroll:lineDown": "down",
    "scroll:pageUp": "pageup",
    "scroll:pageDown": "pagedown",
    "scroll:top": "home",
    "scroll:bottom": "end",
}
_ROOM_TO_TELL = 3
"""Rows between head and foot from which one is spent on how much does not fit."""


@dataclass(slots=True)
class SheetParts:
    """Rows of a sheet: ``head`` and ``foot`` always stand, ``body`` scrolls between them."""

    head: list[Row]
    body: list[Row]
    foot: list[Row] = field(default_factory=list[Row])


class SheetView(Widget, can_focus=True):
    """Draws the parts of a sheet and scrolls the body."""

    DEFAULT_CSS = "SheetView { dock: bottom; height: 3; background: $background; }"

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.look = look
        self.parts = SheetParts([], [])
        self.top = 0

    @property
    def room(self) -> int:
        """Rows for the body."""
        return self._space - 1 if self._tells_rest else self._space

    @property
    def _space(self) -> int:
        """Rows between head and foot."""
        fixed = len(self.parts.head) + len(self.parts.foot)
        return max(1, self.wanted_height - fixed)

    @property
    def _tells_rest(self) -> bool:
        """Does the last row of the space say how much is out of sight?"""
        return len(self.parts.body) > self._space >= _ROOM_TO_TELL

    @property
    def wanted_height(self) -> int:
        """As tall as the content, but the conversation keeps some rows where there are any."""
        parts = self.parts
        tallest = max(self.screen.size.height - 5, min(self.screen.size.height, 10))
        return min(len(parts.head) + len(parts.body) + len(parts.foot), tallest)

    @property
    def hidden(self) -> int:
        """Body rows that do not fit."""
        return max(0, len(self.parts.body) - self.room)

    def scroll_body(self, lines: int) -> None:
        """Move the body by *lines*."""
        top = max(0, min(self.top + lines, self.hidden))
        if top != self.top:
            self.top = top
            self.refresh()

    def reveal_row(self, row: int) -> None:
        """Scroll so that *row* of the body is in sight."""
        if row < self.top:
            self.top = row
        elif row >= self.top + self.room:
            self.top = row - self.room + 1
        self.top = max(0, min(self.top, self.hidden))

    def render_line(self, y: int) -> Strip:
        parts, height = self.parts, self.size.height
        foot_at = height - len(parts.foot)
        if y >= foot_at:
            row = parts.foot[y - foot_at]
        elif y < len(parts.head):
            row = parts.head[y]
        elif y == foot_at - 1 and self._tells_rest:
            row = rest_row(self.top, self.hidden - self.top, self.size.width, self.look)
        else:
            index = self.top + y - len(parts.head)
            row = parts.body[index] if index < len(parts.body) else Row(Strip([], 0))
        return row.strip.crop(0, self.size.width).adjust_cell_length(
            self.size.width, self.look.text
        )

    def on_mouse_scroll_down(self) -> None:
        self.scroll_body(3)

    def on_mouse_scroll_up(self) -> None:
        self.scroll_body(-3)


class Sheet(ModalScreen[ResultT], Generic[ResultT]):
    """Base of the sheets. A subclass says what to draw and what the actions of its ``contexts``
    do. No key that comes here goes on to the window below."""

    contexts: ClassVar[tuple[str, ...]] = ()
    """Where the keymap looks, the nearest first; without any the sheet takes its keys itself."""
    takes_typed: ClassVar[bool] = True
    """Is it for the sheet what was typed before the screen changed?"""

    DEFAULT_CSS = "Sheet { background: transparent; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        # before `on_key`, which takes every key: looking into another shell answers no question
        Binding("ctrl+z", "app.suspend_process", show=False, priority=True),
        Binding("ctrl+l", "app.redraw", show=False, priority=True),
    ]

    class Resized(Message):
        """The sheet covers ``height`` rows now; the conversation should end above it."""

        def __init__(self, height: int) -> None:
            super().__init__()
            self.height = height

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.look = look
        self.view = SheetView(look)
        self._answered = False

    def compose(self) -> ComposeResult:
        yield self.view

    def draw(self, width: int) -> SheetParts:
        """The rows for this *width*, from the state as it is now."""
        raise NotImplementedError

    def redraw(self) -> None:
        """Draw again after the state changed."""
        view = self.view
        view.parts = self.draw(self.size.width)
        height = view.wanted_height
        view.top = max(0, min(view.top, view.hidden))
        if view.styles.height is None or view.styles.height.value != height:
            view.styles.height = height
        view.refresh()
        self.post_message(self.Resized(height))

    def on_mount(self) -> None:
        self.redraw()
        self.view.focus()

    def on_resize(self, event: events.Resize) -> None:
        self.redraw()

    def withdraw(self) -> None:
        """Take the sheet away without an answer; nothing happens if it is gone already."""
        if self.is_attached and not self._answered:
            self.pop_until_active()
            self.dismiss(None)

    def dismiss(self, result: ResultT | None = None) -> AwaitComplete:
        """Close with *result*; only the first time counts."""
        # keys of one burst still come here: a second pop would take the screen below
        if self._answered:
            return AwaitComplete()
        self._answered = True
        return super().dismiss(result)

    # keys

    def key_contexts(self) -> tuple[str, ...]:
        """The contexts that count now; () while every key is text."""
        return self.contexts

    def ready(self, action: str) -> bool:
        """May the key that was just pressed count? *action* is "" where it means none (yet)."""
        return True

    def too_early(self, event: events.Key) -> None:
        """A key that came before the sheet was ready."""

    def take_action(self, name: str) -> bool:
        """Run the action *name*; False where it does nothing here."""
        return self.scroll_key(_SCROLLING.get(name, ""))

    def take_key(self, event: events.Key) -> None:
        """A key that is bound to nothing which applies now."""

    def on_key(self, event: events.Key) -> None:
        if self._answered:
            event.stop()
            return
        if not self.contexts:
            return
        contexts = self.key_contexts()
        if not contexts:
            # the field's own keys, such as Enter, are looked up on the way up
            self.take_key(event)
            return
        event.stop()
        app = self._key_app
        alone = not app.keymap.pending or event.key == "ctrl+c"
        pressed = app.keymap.press(contexts, event.key, monotonic())
        action = pressed.action if pressed else ""
        if not self.ready(action):
            app.keymap.drop_chord()
            self.too_early(event)
            return
        if pressed is not None and not action:
            app.show_chord(pressed.pending)
        elif not (action and self.take_action(action)) and alone:
            self.take_key(event)

    @property
    def _key_app(self) -> KeyApp:
        return cast("KeyApp", cast("Any", self).app)

    def key_of(self, action: str, last: bool = False) -> str:
        """The first (or *last*) key of *action* as bound now; "" if none leads to it."""
        chords = self._key_app.keymap.keys_of(action)
        return show_chord(chords[-1 if last else 0]) if chords else ""

    def scroll_key(self, key: str) -> bool:
        """Scroll for a scrolling key; False for any other. Pages go through the conversation
        where the body is in sight as a whole."""
        if key in _PAGES and not self.view.hidden:
            self.call_next(self.run_action, f"app.page({_PAGES[key]})")
            return True
        page = max(1, self.view.room - 1)
        steps = {
            "up": -1,
            "down": 1,
            "pageup": -page,
            "pagedown": page,
            "home": -len(self.view.parts.body),
            "end": len(self.view.parts.body),
        }
        if key not in steps:
            return False
        self.view.scroll_body(steps[key])
        return True


def title_rule(title: str, width: int, look: Look, urgent: bool = False) -> Row:
    """The rule that a sheet begins with, its title near the right end. Pure."""
    label = f" {fit(title, max(1, width - 6))} "
    line = "─" * max(0, width - len(label) - 2)
    runs: list[Run] = [
        (line, look.faint),
        (label, look.warn if urgent else look.dim),
        ("──", look.faint),
    ]
    return make_row(runs)


def rest_row(above: int, below: int, width: int, look: Look) -> Row:
    """``↓ 51 more lines · ↑ 12 above``: nobody should take a part for the whole. Pure."""
    down = f"↓ {below} more {'line' if below == 1 else 'lines'}" if below else "end"
    up = f" · ↑ {above} above" if above else ""
    room = max(1, width - 2)
    text = fit(down, room)
    runs: list[Run] = [("  ", look.text), (text, look.accent if below else look.dim)]
    return make_row([*runs, (fit(up, room - len(text)), look.dim)] if room > len(text) else runs)


def key_rows(keys: list[tuple[str, str]], width: int, look: Look) -> list[Row]:
    """``y once   n no``, wrapped between the pairs. Pure."""
    rows: list[list[Run]] = [[("  ", look.text)]]
    used = 2
    for key, meaning in keys:
        text = fit(meaning, max(1, width - len(key) - 4))
        size = len(key) + 1 + len(text) + 3
        if used + size - 3 > width and used > 2:
            rows.append([("  ", look.text)])
            used = 2
        rows[-1] += [(key, look.accent), (f" {text}   ", look.dim)]
        used += size
    return [make_row(row) for row in rows]
