"""The composer: where the person types, pastes, recalls, and sends on Enter."""

import os
import unicodedata
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol, cast

from textual import events
from textual.message import Message
from textual.message_pump import MessagePump

from agentcli.frontends.tui.composer.chips import Content
from agentcli.frontends.tui.composer.draft import Draft
from agentcli.frontends.tui.composer.drafting import DraftArea
from agentcli.protocol.blocks import Block
from agentcli.settings.model import Settings

if TYPE_CHECKING:
    from agentcli.frontends.tui.complete.candidate import Edit

_TALLEST = 10
_TWICE = 1.0


class Completion(Protocol):
    """What completes the word at the caret."""

    def enter(self, text: str) -> bool: ...

    def tab(self, text: str, cursor: int, shell: bool = False) -> bool: ...

    def hold(self, text: str) -> None: ...


class Composer(DraftArea):
    """``key_filter`` sees every key first; True: it used the key up.
    ``keep_draft`` is called with the draft after each change."""

    DEFAULT_CSS = """
    Composer, Composer:focus {
        height: 1; border: none; padding: 0; background: $background; color: $foreground;
        scrollbar-size-vertical: 0;
    }
    Composer .text-area--cursor-line { background: $background; }
    """

    @dataclass
    class Submitted(Message):
        """Enter: something is to be sent; the composer is empty already.

        ``text`` has what was pasted in full, ``display`` is what was seen, ``content`` what the
        model gets: the text, or blocks where there are images. ``pasted`` is what the chips stand
        for, by number. ``shell``: it is a command, not a prompt.
        """

        text: str
        display: str
        content: str | list[Block]
        pasted: dict[int, Content]
        shell: bool

    class Escaped(Message):
        """Esc with nothing of the composer's own to close; ``twice`` within a second."""

        def __init__(self, twice: bool) -> None:
            super().__init__()
            self.twice = twice

    class TakeBack(Message):
        """Up on an empty composer: the last queued prompt is wanted, if there is one."""

    def __init__(self, text: str = "") -> None:
        self.completer: Completion | None = None
        self.has_queue = False
        self.key_filter: Callable[[events.Key], Awaitable[bool]] | None = None
        self.keep_draft: Callable[[Draft], None] | None = None
        self._escaped_at = -_TWICE
        self._rows = 1
        super().__init__(text)

    def follow(self, settings: Settings) -> None:
        """Obey what the person has set for typing."""
        self.by_space = settings.keybinding_flavor == "readline"
        self.paste_chars = settings.paste_collapse_chars or self.paste_chars
        self.paste_breaks = settings.paste_collapse_lines or self.paste_breaks

    def on_mount(self) -> None:
        self.move_cursor(self.document.end)

    # text

    def submit(self) -> None:
        """Send what is there unless it is blank."""
        display, shell = self.text.strip("\n"), self.shell_mode
        if not shell and display.startswith("!"):
            display, shell = display[1:], True
        if not display.strip():
            return
        text = self.chips.expand(display)
        lost = [span.chip.label for span in self.chips.spans(display) if span.chip.content is None]
        if lost:
            self.hint(f"{lost[0]} was not kept, nothing was sent for it", stays=True)
        if not text.strip():
            return
        content = self.chips.content(display)
        pasted = self.chips.contents(display)
        self.recall.add(f"!{display}" if shell else display)
        self.start_anew()
        self.post_message(self.Submitted(text, display, content, pasted, shell))
        self.unstash()

    async def edit_outside(self) -> None:
        """Open the text in $VISUAL or $EDITOR, pasted texts in full, and take over what was saved.
        Everything else goes on meanwhile. Tells what went wrong."""
        from agentcli.frontends.tui.composer.editor import Problem, edit_text
        from agentcli.frontends.tui.composer.leaving import run_outside

        text = self.full_text
        edited = await run_outside(cast("Any", self).app, lambda: edit_text(text, os.environ))
        if isinstance(edited, Problem):
            self.hint(edited.text, 6.0, stays=True)
        elif edited != text:
            self.put(edited)

    def on_text_area_changed(self) -> None:
        self.fit_height()
        self.drop_stale_hint()
        if self.keep_draft is not None:
            self.keep_draft(self.draft())

    def on_resize(self, event: events.Resize) -> None:
        event.prevent_default()
        # the height follows from the rows, so they come first
        self._rewrap_and_refresh_virtual_size()
        self.fit_height()
        self.scroll_cursor_visible()

    def fit_height(self) -> None:
        """Grow or shrink with the text; lays out only when the number of rows changes."""
        rows = max(1, min(self.wrapping.height, _TALLEST, max(1, self.screen.size.height // 3)))
        if rows != self._rows:
            self._rows = rows
            self.styles.height = rows

    # keys

    async def on_key(self, event: events.Key) -> None:
        if await self._takes(event):
            event.stop()
            event.prevent_default()

    async def _takes(self, event: events.Key) -> bool:
        if (other := self._rightful()) is not None:
            other.post_message(events.Key(event.key, event.character))
            return True
        if self.key_filter is not None and await self.key_filter(event):
            return True
        char = event.character
        if char == "!" and not self.text and not self.shell_mode:
            self.shell_mode = True
        elif char and not event.is_printable and _types(char):
            self.replace(char, *self.selection, maintain_selection_offset=False)
        elif bound := cast("Any", self)._bindings.key_to_bindings.get(event.key):
            # Textual would look it up later, when the keys that follow have been handled already
            await self.run_action(bound[0].action)
        else:
            return False
        return True

    def _rightful(self) -> MessagePump | None:
        """Who has the keys by now, where one of the same burst opened it; None: the composer."""
        top = cast("Any", self).app.screen
        if top is self.screen:
            return top.focused if top.focused is not self else None
        return top if getattr(top, "takes_typed", False) else None

    def enter(self) -> None:
        """Take the completion, begin a new line behind a backslash, or send."""
        if self.completer is not None and self.completer.enter(self.text):
            return
        row, column = self.cursor_location
        if column and self.document.get_line(row)[column - 1] == "\\":
            self.replace("\n", (row, column - 1), (row, column))
            return
        self.submit()

    def newline(self) -> None:
        """Begin a new line."""
        self.replace("\n", *self.selection, maintain_selection_offset=False)

    def complete(self) -> None:
        """Tab: show what was pasted where the caret is, take the completion, or offer some."""
        if self.at_paste:
            self.expand_paste()
        elif self.completer is not None:
            self.completer.tab(self.text, self.cursor_index, self.shell_mode)

    def apply(self, edit: "Edit") -> None:
        """Carry out a completion."""
        self.replace_range(edit.start, edit.end, edit.insert)
        self.set_cursor(edit.cursor)
        if edit.submit:
            self.submit()

    def leave(self) -> None:
        """Esc: leave an empty shell mode, else it is for the window to say what stops."""
        if self.leave_shell():
            return
        now = monotonic()
        twice = now - self._escaped_at < _TWICE
        self._escaped_at = -_TWICE if twice else now
        self.post_message(self.Escaped(twice))

    def go_up(self) -> None:
        """A row up; in the first one, take a queued prompt back or recall an earlier one."""
        if self._visual_row():
            self.action_cursor_up()
        elif not self.text and self.has_queue:
            self.post_message(self.TakeBack())
        else:
            self.recall_older()
            self._hold()

    def go_down(self) -> None:
        """A row down; in the last one, go on to the later prompts."""
        if self._visual_row() < self._last_row() or not self.recall.walking:
            self.action_cursor_down()
        else:
            self.recall_newer()
            self._hold()

    def _visual_row(self) -> int:
        return self.wrapping.location_to_offset(self.cursor_location).y

    def _last_row(self) -> int:
        return self.wrapping.height - 1

    def _hold(self) -> None:
        if self.completer is not None:
            self.completer.hold(self.text)


def _types(char: str) -> bool:
    """Is *char* text although Python calls it unprintable? Ideographic and hard spaces, and the
    joiners that emoji and several scripts are typed with. Pure."""
    return len(char) == 1 and unicodedata.category(char) in ("Zs", "Cf")
