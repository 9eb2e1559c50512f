"""The composer: a text area that sends on Enter, recalls prompts and never relayouts per key."""

from time import monotonic
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import TextArea

from agentcli.base.text import clean_surrogates, strip_controls
from agentcli.frontends.tui.composer.lines import CompletionMenu

_TALLEST = 10
_TWICE = 1.0
_NEWLINE_KEYS = {"shift+enter", "ctrl+j", "alt+enter", "ctrl+enter"}


class Composer(TextArea):
    """Where the person types."""

    DEFAULT_CSS = """
    Composer, Composer:focus {
        height: 1; border: none; padding: 0; background: $background; color: $foreground;
        scrollbar-size-vertical: 0;
    }
    Composer .text-area--placeholder { color: $faint; }
    Composer .text-area--cursor-line { background: $background; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
        Binding("shift+tab", "app.cycle_mode", show=False),
        Binding("ctrl+z", "app.suspend_process", show=False),
        Binding("ctrl+underscore,ctrl+slash", "undo", show=False),
        Binding("ctrl+d", "delete_or_quit", show=False),
        Binding("ctrl+c", "app.stop", show=False),
        Binding("tab", "complete", show=False),
        Binding("ctrl+p", "cursor_up", show=False),
        Binding("ctrl+n", "cursor_down", show=False),
        Binding("pageup", "app.page(-1)", show=False),
        Binding("pagedown", "app.page(1)", show=False),
        Binding("end", "end", show=False),
    ]

    class Submitted(Message):
        """Enter: *text* is to be sent; the composer is empty already."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Escaped(Message):
        """Esc with nothing of the composer's own to close; ``twice`` within a second."""

        def __init__(self, twice: bool) -> None:
            super().__init__()
            self.twice = twice

    class TakeBack(Message):
        """Up on an empty composer: the last queued prompt is wanted, if there is one."""

    def __init__(self, menu: CompletionMenu, text: str = "") -> None:
        super().__init__(text, compact=True, highlight_cursor_line=False, show_line_numbers=False)
        self.menu = menu
        self.history_prompts: list[str] = []
        self.has_queue = False
        self._recalled: int | None = None
        self._draft = ""
        self._escaped_at = -_TWICE
        self._rows = 1

    def on_mount(self) -> None:
        self.cursor_blink = False
        self.move_cursor(self.document.end)

    # text

    def put(self, text: str) -> None:
        """Replace the text, the cursor at its end; can be undone."""
        self.replace(text, self.document.start, self.document.end)
        self.move_cursor(self.document.end)

    def submit(self) -> None:
        """Send what is there unless it is blank."""
        text = self.text.strip("\n")
        if not text.strip():
            return
        self.load_text("")
        self._recalled = None
        if not self.history_prompts or self.history_prompts[-1] != text:
            self.history_prompts.append(text)
        self.post_message(self.Submitted(text))

    def on_text_area_changed(self) -> None:
        self.fit_height()

    def on_resize(self) -> None:
        self.fit_height()

    def fit_height(self) -> None:
        """Grow or shrink with the text; lays out only when the number of rows changes."""
        rows = max(
            1, min(self.wrapped_document.height, _TALLEST, max(1, self.screen.size.height // 3))
        )
        if rows != self._rows:
            self._rows = rows
            self.styles.height = rows

    # keys

    async def on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self._enter()
        elif event.key in _NEWLINE_KEYS:
            event.stop()
            event.prevent_default()
            self.insert("\n")
        elif event.character == "?" and not self.text:
            event.stop()
            event.prevent_default()
            await self.run_action("app.help")

    def _enter(self) -> None:
        if self.menu.offers(self.text):
            self.put(self.menu.chosen)
            self.menu.close()
            self.submit()
            return
        row, column = self.cursor_location
        if column and self.document.get_line(row)[column - 1] == "\\":
            self.replace("\n", (row, column - 1), (row, column))
            return
        self.submit()

    async def on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        # many terminals paste line breaks as carriage returns
        lines = event.text.replace("\r\n", "\n").replace("\r", "\n")
        text = strip_controls(clean_surrogates(lines))
        start, end = self.selection
        result = self.replace(text, start, end, maintain_selection_offset=False)
        self.move_cursor(result.end_location)

    def action_complete(self) -> None:
        if self.menu.offers(self.text):
            self.put(self.menu.chosen + " ")
            self.menu.close()

    def action_leave(self) -> None:
        if self.menu.is_open:
            self.menu.close()
            return
        now = monotonic()
        twice = now - self._escaped_at < _TWICE
        self._escaped_at = -_TWICE if twice else now
        self.post_message(self.Escaped(twice))

    async def action_delete_or_quit(self) -> None:
        if self.text:
            self.action_delete_right()
        else:
            await self.run_action("app.end_of_input")

    async def action_end(self) -> None:
        if self.cursor_at_end_of_text:
            await self.run_action("app.follow")
        else:
            self.action_cursor_line_end()

    def action_cursor_up(self, select: bool = False) -> None:
        if self.menu.is_open:
            self.menu.move(-1)
        elif select or self._visual_row():
            super().action_cursor_up(select)
        elif not self.text and self.has_queue:
            self.post_message(self.TakeBack())
        else:
            self._recall(-1)

    def action_cursor_down(self, select: bool = False) -> None:
        last = self.wrapped_document.height - 1
        if self.menu.is_open:
            self.menu.move(1)
        elif select or self._visual_row() < last or self._recalled is None:
            super().action_cursor_down(select)
        else:
            self._recall(1)

    def _visual_row(self) -> int:
        return self.wrapped_document.location_to_offset(self.cursor_location).y

    def _recall(self, step: int) -> None:
        """Walk through the prompts of this session; below the newest stands the draft."""
        prompts = self.history_prompts
        position = len(prompts) if self._recalled is None else self._recalled
        target = position + step
        if not 0 <= target <= len(prompts):
            return
        if self._recalled is None:
            self._draft = self.text
        self._recalled = target if target < len(prompts) else None
        self.put(self._draft if self._recalled is None else prompts[target])
        self.menu.close()
