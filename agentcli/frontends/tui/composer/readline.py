"""Killing, yanking and the moves that shells taught people, on top of whole characters."""

from textual.document._document import Location

from agentcli.frontends.tui.composer.atomic import AtomicArea
from agentcli.frontends.tui.composer.kills import KillRing


class ReadlineArea(AtomicArea):
    """``by_space``: Ctrl+W deletes to the last white space instead of a word."""

    def __init__(self, text: str = "") -> None:
        self.by_space = False
        self._kills = KillRing()
        self._killed: tuple[int, Location] | None = None
        self._yanked: tuple[int, Location, Location] | None = None
        super().__init__(text)

    # killing

    def kill_to_end(self) -> None:
        """Cut to the end of the line; at its end, the line break."""
        row, column = self.cursor_location
        length = len(self.document.get_line(row))
        self._kill(self.get_cursor_right_location() if column == length else (row, length))

    def kill_to_start(self) -> None:
        """Cut to the beginning of the line; there, the line break in front of it."""
        row, column = self.cursor_location
        self._kill((row, 0) if column else self.get_cursor_left_location())

    def kill_word_left(self) -> None:
        """Cut the word before the caret."""
        self._kill(self.get_cursor_word_left_location())

    def kill_word_right(self) -> None:
        """Cut the word behind the caret."""
        self._kill(self.get_cursor_word_right_location())

    def kill_back(self) -> None:
        """Ctrl+W: cut the word before the caret, or all to the last white space."""
        self._kill(self.get_cursor_word_left_location(self.by_space))

    def _kill(self, to: Location) -> None:
        at = self.cursor_location
        if not self.selection.is_empty:
            at, to = self.selection
        if at == to:
            return
        joins = self._killed == (self.edits, self.cursor_location) and self.selection.is_empty
        text = self.get_text_range(at, to)
        self.delete(at, to, maintain_selection_offset=False)
        self._kills.push(text, joins, in_front=to < at)
        self._killed = (self.edits, self.cursor_location)

    # yanking

    def yank(self) -> None:
        """Put back what was cut last."""
        self._put_back(self._kills.newest(), *sorted(self.selection))

    def yank_earlier(self) -> None:
        """Right after a yank: put what was cut before that in its place."""
        if self._yanked is not None:
            edits, start, end = self._yanked
            if (edits, end) == (self.edits, self.cursor_location):
                self._put_back(self._kills.rotate(), start, end)

    def _put_back(self, text: str, start: Location, end: Location) -> None:
        if text:
            result = self.replace(text, start, end, maintain_selection_offset=False)
            self._yanked = (self.edits, min(start, end), result.end_location)

    # moving

    def line_start(self, select: bool = False) -> None:
        """To the beginning of the line; there already: of the whole text."""
        row, column = self.cursor_location
        self.move_cursor((row, 0) if column else (0, 0), select=select)

    def line_end(self, select: bool = False) -> None:
        """To the end of the line; there already: of the whole text."""
        row, column = self.cursor_location
        length = len(self.document.get_line(row))
        at_end = column == length
        self.move_cursor(self.document.end if at_end else (row, length), select=select)

    def text_start(self) -> None:
        """To the beginning of the whole text."""
        self.move_cursor((0, 0))

    def text_end(self) -> None:
        """To the end of the whole text."""
        self.move_cursor(self.document.end)

    def char_left(self) -> None:
        """A character to the left."""
        self.move_cursor(self.get_cursor_left_location())

    def char_right(self) -> None:
        """A character to the right."""
        self.move_cursor(self.get_cursor_right_location())

    def word_left(self) -> None:
        """To the beginning of the word."""
        self.move_cursor(self.get_cursor_word_left_location())

    def word_right(self) -> None:
        """To the end of the word."""
        self.move_cursor(self.get_cursor_word_right_location())

    def transpose(self) -> None:
        """Swap the characters around the caret; at the end of a line, the last two."""
        row, column = self.cursor_location
        line = self.line_at(row)
        middle = line.before(column) if column == len(line.text) else column
        start, end = line.before(middle), line.after(middle)
        if start < middle < end:
            swapped = line.text[middle:end] + line.text[start:middle]
            self.replace(swapped, (row, start), (row, end), maintain_selection_offset=False)

    # the names that Textual's own keys call

    def action_cursor_line_start(self, select: bool = False) -> None:
        self.line_start(select)

    def action_cursor_line_end(self, select: bool = False) -> None:
        self.line_end(select)

    def action_delete_word_left(self) -> None:
        self.kill_word_left()

    def action_delete_word_right(self) -> None:
        self.kill_word_right()

    def action_delete_to_start_of_line(self) -> None:
        self.kill_to_start()

    async def action_delete_to_end_of_line_or_delete_line(self) -> None:
        self.kill_to_end()
