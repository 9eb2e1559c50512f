"""Pastes into the draft: long ones as a chip that opens in place, images, dropped files."""

import asyncio

from textual import events
from textual.document._document import Location
from textual.message import Message

from agentcli.frontends.tui.composer.chips import Image, Span
from agentcli.frontends.tui.composer.pasting import (
    clean_paste,
    dropped_path,
    encode_image,
    is_long,
    read_image,
)
from agentcli.frontends.tui.composer.readline import ReadlineArea

_MOST_SHOWN = 100_000
"""More characters than this are not laid out: typing would become slow."""


class PasteArea(ReadlineArea):
    """``paste_chars``, ``paste_breaks``: a paste with more characters or line breaks is a chip."""

    class Hint(Message, namespace="composer"):
        """A few words for the status line, shown for some seconds."""

        def __init__(self, text: str, seconds: float) -> None:
            super().__init__()
            self.text, self.seconds = text, seconds

    def __init__(self, text: str = "") -> None:
        self.paste_chars = 800
        self.paste_breaks = 2
        self._pasted: tuple[int, Location] | None = None
        self._hinted: int | None = None
        """The edit that the hint in sight is about."""
        super().__init__(text)

    def hint(self, text: str, seconds: float = 3.0, stays: bool = False) -> None:
        """Tell the person something in passing: about the text as it is now, unless it *stays*."""
        self._hinted = self.edits if text and not stays else None
        self.post_message(self.Hint(text, seconds))

    def drop_stale_hint(self) -> None:
        """Take away the hint that was about another text. To be called after each change."""
        if self._hinted not in (None, self.edits):
            self._hinted = None
            self.post_message(self.Hint("", 0.0))

    def enter_shell(self) -> None:
        """A paste into the empty composer begins with ``!``."""

    async def on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        if (path := dropped_path(event.text)) is not None:
            image = await asyncio.to_thread(read_image, path)
            if isinstance(image, Image):
                self._insert_image(image)
                return
            if path.is_file():
                self.hint(f"not attached: {image}", 6.0, stays=True)
        self.paste(clean_paste(event.text))

    def paste(self, text: str) -> None:
        """Put in *text*, which is clean, as it is or as a chip; the same again opens the chip."""
        if text.startswith("!") and not self.text:
            self.enter_shell()
            text = text[1:]
        if not is_long(text, self.paste_chars, self.paste_breaks):
            self._insert(text)
            return
        span = self._chip_before()
        again = self._pasted == (self.edits, self.cursor_location)
        if again and span is not None and span.chip.content == text:
            self.expand_paste()
            return
        self._insert(self.chips.add_text(text, self.text).label)
        self._pasted = (self.edits, self.cursor_location)
        self.hint("tab shows what was pasted")

    def attach_image(self, media_type: str, data: bytes) -> None:
        """Put in an image as a chip."""
        self._insert_image(encode_image(media_type, data))

    def shorten(self, text: str) -> str:
        """*text*, or a chip for it where it is too long to be laid out."""
        return self.chips.add_text(text, text).label if len(text) > _MOST_SHOWN else text

    @property
    def at_paste(self) -> bool:
        """Does the caret stand at a pasted text that can be opened?"""
        return self._chip_here() is not None

    def expand_paste(self) -> bool:
        """Open the pasted text at the caret in place; undo closes it. False if there is none."""
        span = self._chip_here()
        if span is not None:
            self._open(self.cursor_location[0], span)
        return span is not None

    def _open(self, row: int, span: Span) -> None:
        content = span.chip.content
        if not isinstance(content, str):
            return
        if len(content) > _MOST_SHOWN:
            self.hint("too long to be shown here; ctrl+g opens it in the editor")
            return
        self.replace(content, (row, span.start), (row, span.end), maintain_selection_offset=False)

    async def on_click(self, event: events.Click) -> None:
        """A second click on a pasted text opens it."""
        y = event.y + self.scroll_offset.y
        row = self.wrapping.row(y)
        if event.chain != 2 or row is None:
            return
        for span in self.chips.spans(self.document.get_line(row[0])):
            left = self.wrapping.location_to_offset((row[0], span.start))
            right = self.wrapping.location_to_offset((row[0], span.end))
            if (left.y, left.x) <= (y, event.x) < (right.y, right.x):
                event.prevent_default()
                self._open(row[0], span)

    def _chip_here(self) -> Span | None:
        row, column = self.cursor_location
        spans = self.chips.spans(self.document.get_line(row))
        texts = [span for span in spans if isinstance(span.chip.content, str)]
        behind = [span for span in texts if span.end == column]
        return next((span for span in [*behind, *texts] if column in (span.start, span.end)), None)

    def _chip_before(self) -> Span | None:
        span = self._chip_here()
        return span if span is not None and span.end == self.cursor_location[1] else None

    def _insert_image(self, image: Image) -> None:
        self._insert(self.chips.add_image(image, self.text).label)

    def _insert(self, text: str) -> None:
        start, end = self.selection
        self.replace(text, start, end, maintain_selection_offset=False)
