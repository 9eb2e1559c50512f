"""Vim keys for the composer: what the machine says is done to the text area."""

from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, Protocol, cast

from textual import events
from textual.widgets.text_area import Selection

from agentcli.frontends.tui.vim.machine import Vim
from agentcli.frontends.tui.vim.model import Mode, VimResult
from agentcli.frontends.tui.vim.view import Folded, FoldedText, Part

_REMAP_SECONDS = 1.0


class VimComposer(Protocol):
    """What is needed of the composer."""

    @property
    def text(self) -> str: ...

    @property
    def cursor_index(self) -> int: ...

    def set_cursor(self, index: int, select: bool = False) -> None: ...

    def replace_range(self, start: int, end: int, new: str) -> None: ...

    def location_of(self, index: int) -> tuple[int, int]: ...

    def go_up(self) -> None: ...

    def go_down(self) -> None: ...


class VimKeys:
    """``take`` is asked for every key of the composer, before anybody else.

    ``search`` opens the history search. ``parts`` says which stretches of the text are folded ones.
    ``on_mode`` hears of each new mode.
    """

    def __init__(
        self,
        composer: VimComposer,
        search: Callable[[], object],
        remaps: frozenset[str] = frozenset(),
        parts: Callable[[str], Sequence[Part]] = lambda _: [],
        on_mode: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._composer = composer
        self._search = search
        self._remaps = remaps
        self._parts = parts
        self._on_mode = on_mode
        self._vim = Vim()
        self._folding = FoldedText()
        self._cursor = 0
        self._shown: tuple[str, int] | None = None
        self._last_typed = ("", 0.0)

    @property
    def mode(self) -> Mode:
        return self._vim.mode

    @property
    def mode_name(self) -> str:
        """``-- NORMAL --``, for the status line."""
        return self._vim.mode_name

    def reset(self) -> None:
        """A prompt was sent: the next one begins in INSERT."""
        self._shown = None
        self._vim.reset()
        self._on_mode(self.mode_name)

    def take(self, event: events.Key) -> bool:
        """Use *event* up if it is one for vim; False: it means what it always means."""
        if not _listens(self._composer, event.key, self.mode):
            return False
        char = event.character if event.is_printable else None
        if self.mode == "INSERT" and self._is_remap(char):
            at = self._composer.cursor_index
            self._composer.replace_range(at - 1, at, "")
            return self._press("escape", None)
        return self._press(event.key, char)

    def _press(self, key: str, char: str | None) -> bool:
        composer = self._composer
        whole = composer.text
        if not whole and char == "?" and self.mode == "NORMAL" and not self._vim.pending:
            return False
        folded = self._folding.fold(whole, self._parts(whole))
        now = (whole, composer.cursor_index)
        cursor = self._cursor if now == self._shown else folded.inner(composer.cursor_index)
        before = self.mode
        result = self._vim.press(key, char, folded.text, cursor)
        if result.taken:
            self._show(result, folded)
        if self.mode != before:
            self._on_mode(self.mode_name)
        return result.taken

    def _show(self, result: VimResult, folded: Folded) -> None:
        composer = self._composer
        if result.edit is not None:
            edit = result.edit
            start, end = folded.outer(edit.start), folded.outer(edit.end)
            composer.replace_range(start, end, self._folding.unfold(edit.new))
            folded = self._folding.fold(composer.text, self._parts(composer.text))
        if result.selection is not None:
            ends = (composer.location_of(folded.outer(index)) for index in result.selection)
            cast("Any", composer).selection = Selection(*ends)
        else:
            composer.set_cursor(folded.outer(result.cursor))
        self._cursor = result.cursor
        self._shown = (composer.text, composer.cursor_index)
        match result.ask:
            case "history:search":
                self._search()
            case "history:previous":
                composer.go_up()
            case "history:next":
                composer.go_down()
            case None:
                pass

    def _is_remap(self, char: str | None) -> bool:
        first, when = self._last_typed
        self._last_typed = (char or "", monotonic())
        if not char or first + char not in self._remaps or monotonic() - when > _REMAP_SECONDS:
            return False
        at = self._composer.cursor_index
        self._last_typed = ("", 0.0)
        return at > 0 and self._composer.text[at - 1] == first


def _listens(composer: VimComposer, key: str, mode: Mode) -> bool:
    """Is it the composer that is typed into? An open menu has Esc for itself."""
    widget = cast("Any", composer)
    if not widget.has_focus or not widget.screen.is_active:
        return False
    completing = bool(getattr(getattr(widget, "completer", None), "is_open", False))
    return not (key == "escape" and mode == "INSERT" and completing)
