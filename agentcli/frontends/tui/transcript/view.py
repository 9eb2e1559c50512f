"""The transcript: all entries of the conversation, and what a reader does with them."""

from functools import partial
from typing import TYPE_CHECKING

from agentcli.frontends.tui.transcript.canvas import Canvas
from agentcli.frontends.tui.transcript.entries import Entry

if TYPE_CHECKING:
    from agentcli.frontends.tui.transcript.copying import CopyChoice


class Transcript(Canvas, can_focus=False):
    """One widget, whatever the length of the conversation."""

    DEFAULT_CSS = """
    Transcript { height: 1fr; overflow-x: hidden; overflow-y: scroll; scrollbar-size: 0 0; }
    """

    def add(self, entry: Entry) -> None:
        """Put *entry* at the end."""
        entry.redraw = partial(self.changed, entry)
        self.lines.add(entry)
        self.changed(entry)

    def take_away(self, entry: Entry) -> None:
        """Take *entry* away; nothing happens if it is not there."""
        if entry in self.lines:
            if self._finder is not None:
                self._finder.forget(self.lines.number(entry))
            self.port.forget(entry)
            self.schedule()
            self.refresh()

    def clear(self) -> None:
        """An empty transcript that follows its end."""
        if self._finder is not None:
            self._finder.end(keep=True)
        self.lines.clear()
        self.port.clear()
        self.deselect()
        self.flush()
        self.sync()
        self.refresh()

    def unfold_next(self) -> None:
        """Unfold the last entry that folds; if it is open, all of them; if they are, fold all."""
        last = next((entry for entry in reversed(self.entries) if entry.foldable), None)
        if last is not None and last.folded:
            self.set_fold([last], False)
        elif last is not None:
            foldable = [entry for entry in self.entries if entry.foldable]
            self.set_fold(foldable, not any(entry.folded for entry in foldable))

    def copy_texts(self, which: int = 1) -> "list[CopyChoice]":
        """The *which*-last answer of the model as Markdown, then its code blocks; may be empty."""
        from agentcli.frontends.tui.transcript.copying import copy_choices

        return copy_choices(self.entries, which)

    def jump_prompt(self, direction: int) -> None:
        """The person's previous (-1) or next (1) prompt to the top; after the last one: the end."""
        from agentcli.frontends.tui.transcript.jumping import jump_prompt

        if not jump_prompt(self.lines, self.port, direction):
            self.port.go_end()
        self.sync()

    # searching

    def search(self, query: str) -> None:
        """Look for *query* in the whole transcript and show the nearest match above; returns at
        once. ``finder.on_change`` tells when there is more to tell."""
        self.finder.begin(query)

    def next_match(self) -> None:
        """To the next match, downwards; from the last to the first."""
        self.finder.step(1)

    def previous_match(self) -> None:
        """To the match before, upwards; from the first to the last."""
        self.finder.step(-1)

    def end_search(self, keep: bool = False) -> None:
        """No search any more; back to where it began, or with *keep* at the match."""
        self.finder.end(keep)
