"""A text area whose caret, edits and selections never cut a character or a chip in two."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, ClassVar, cast

from rich.style import Style
from textual import events
from textual.document._document import Document, EditResult, Location, Selection
from textual.document._document_navigator import DocumentNavigator
from textual.document._edit import Edit
from textual.strip import Strip
from textual.widgets import TextArea

from agentcli.frontends.tui.composer.atoms import Edges, Line
from agentcli.frontends.tui.composer.chips import Chips
from agentcli.frontends.tui.composer.drawing import Mark, draw_row
from agentcli.frontends.tui.composer.pasting import clean_paste
from agentcli.frontends.tui.composer.wrapping import AtomWrapping


class AtomicArea(TextArea):
    """Text with chips. Positions are (row, column) of the text, or an index into the whole."""

    DEFAULT_CSS = """
    AtomicArea .composer--chip { color: $accent; }
    AtomicArea .composer--lost-chip { color: $warning; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"composer--chip", "composer--lost-chip"}

    wrapping: AtomWrapping
    """The rows; the same as ``wrapped_document``."""

    def __init__(self, text: str = "") -> None:
        self.chips = Chips()
        self.edits = 0
        """Counts every change of the text."""
        super().__init__(text, compact=True, highlight_cursor_line=False, max_checkpoints=500)

    def on_mount(self) -> None:
        self.cursor_blink = False
        # the whole may have moved on the screen while neither size nor caret changed
        cast("Any", self).screen.screen_layout_refresh_signal.subscribe(self, self.place_caret)

    def place_caret(self, _: object = None) -> None:
        """Put the terminal's own cursor where the caret is: input methods show up there."""
        if self.has_focus and self.screen.is_active:
            cast("Any", self).app.cursor_position = self.cursor_screen_offset

    # the text as one string, for whoever thinks in indexes

    @property
    def cursor_index(self) -> int:
        """The caret as an index into ``text``."""
        return self.index_of(self.cursor_location)

    def set_cursor(self, index: int, select: bool = False) -> None:
        """Move the caret to an index, clamped; *select* keeps the other end of the selection."""
        self.move_cursor(self.location_of(index), select=select)

    def index_of(self, location: Location) -> int:
        """A location as an index into ``text``."""
        row, column = location
        return sum(len(line) + 1 for line in self.document.lines[:row]) + column

    def location_of(self, index: int) -> Location:
        """An index into ``text``, clamped, as a location."""
        left = max(0, index)
        for row, line in enumerate(self.document.lines):
            if left <= len(line):
                return row, left
            left -= len(line) + 1
        return self.document.end

    def replace_range(self, start: int, end: int, new: str) -> None:
        """Replace a part of ``text``; the caret goes behind *new*. Whole characters and chips."""
        self.replace(
            new, self.location_of(start), self.location_of(end), maintain_selection_offset=False
        )

    @contextmanager
    def one_undo(self) -> Generator[None]:
        """Whatever is edited inside is undone and redone at once."""
        stack = self.history._undo_stack  # pyright: ignore[reportPrivateUsage]  # no public way
        self.history.checkpoint()
        before = stack[-1] if stack else None
        try:
            yield
        finally:
            batches: list[list[Edit]] = []
            while stack and stack[-1] is not before:
                batches.insert(0, stack.pop())
            if batches:
                stack.append([edit for batch in batches for edit in batch])
            self.history.checkpoint()

    @property
    def selected_text(self) -> str:
        """What is selected, with everything that was pasted: it is for the clipboard."""
        return self.chips.expand(super().selected_text)

    def line_at(self, row: int) -> Line:
        """A line with its chips."""
        return self.wrapping.line(row)

    # what Textual would do by code points

    def _set_document(self, text: str, language: str | None) -> None:
        self.edits += 1
        self.document = Document(clean_paste(text))
        self.wrapping = AtomWrapping(self.document, self._edges, self.indent_width)
        self.wrapped_document = self.wrapping
        self.navigator = DocumentNavigator(self.wrapped_document)
        self.move_cursor((0, 0))
        self._rewrap_and_refresh_virtual_size()

    def _edges(self, line: str) -> Edges:
        return [(span.start, span.end) for span in self.chips.spans(line)]

    def edit(self, edit: Edit) -> EditResult:
        start, end = self._widened(edit.top, edit.bottom)
        self.edits += 1
        much = len(self.get_text_range(start, end)) > 1
        if much:
            # Textual would undo it together with what was deleted before
            self.history.checkpoint()
        # earlier prompts and drafts come from files that anybody may have written
        text = edit.text if edit.text.isprintable() else clean_paste(edit.text)
        result = super().edit(Edit(text, start, end, edit.maintain_selection_offset))
        if much and not text:
            # and with what is deleted next
            self.history.checkpoint()
        # only now is it known how far the text can be scrolled
        self.scroll_cursor_visible()
        self.place_caret()
        return result

    def _widened(self, start: Location, end: Location) -> tuple[Location, Location]:
        start, end = super().clamp_visitable(start), super().clamp_visitable(end)
        if start == end:
            at = self.clamp_visitable(start)
            return at, at
        first = self.line_at(start[0]).widen(start[1], start[1])[0]
        last = self.line_at(end[0]).widen(end[1], end[1])[1]
        return (start[0], first), (end[0], last)

    def clamp_visitable(self, location: Location) -> Location:
        row, column = super().clamp_visitable(location)
        return row, self.line_at(row).snap(column)

    def find_matching_bracket(self, bracket: str, search_from: Location) -> Location | None:
        return None

    def get_cursor_left_location(self) -> Location:
        row, column = self.cursor_location
        if column:
            return row, self.line_at(row).before(column)
        return (row - 1, len(self.document.get_line(row - 1))) if row else (0, 0)

    def get_cursor_right_location(self) -> Location:
        row, column = self.cursor_location
        if column < len(self.document.get_line(row)):
            return row, self.line_at(row).after(column)
        return (row + 1, 0) if row + 1 < self.document.line_count else (row, column)

    def get_cursor_word_left_location(self, by_space: bool = False) -> Location:
        row, column = self.cursor_location
        if not column:
            return self.get_cursor_left_location()
        return row, self.line_at(row).word_left(column, by_space)

    def get_cursor_word_right_location(self) -> Location:
        row, column = self.cursor_location
        if column == len(self.document.get_line(row)):
            return self.get_cursor_right_location()
        return row, self.line_at(row).word_right(column)

    # mouse

    async def on_click(self, event: events.Click) -> None:
        """The second click takes the word, the third one the line."""
        row, column = self.get_target_document_location(event)
        if event.chain == 2:
            start, end = self.line_at(row).word_at(column)
            self.selection = Selection((row, start), (row, end))
        elif event.chain == 3:
            self.select_line(row)

    # drawing

    def render_line(self, y: int) -> Strip:
        base = self._theme.base_style or Style()
        width = self.scrollable_content_region.width
        row = self.wrapping.row(y + self.scroll_offset.y)
        if row is None:
            return Strip.blank(width, base)
        index, start, end = row
        text = self.document.get_line(index)
        marks = [*self._chip_marks(text), *self._selection_marks(index, text)]
        if self.has_focus and self.cursor_location[0] == index:
            column = self.cursor_location[1]
            after = self.line_at(index).after(column) if column < len(text) else column + 1
            marks.append((column, after, self._theme.cursor_style or Style(reverse=True)))
        return draw_row(text, start, end, marks, base, width, self.indent_width)

    def _chip_marks(self, text: str) -> list[Mark]:
        spans = self.chips.spans(text)
        if not spans:
            return []
        known = self.get_component_rich_style("composer--chip", partial=True)
        lost = self.get_component_rich_style("composer--lost-chip", partial=True)
        return [(s.start, s.end, lost if s.chip.content is None else known) for s in spans]

    def _selection_marks(self, index: int, text: str) -> list[Mark]:
        top, bottom = sorted(self.selection)
        if top == bottom or not top[0] <= index <= bottom[0]:
            return []
        start = top[1] if index == top[0] else 0
        # the end of a line that is selected too shows as one cell
        end = bottom[1] if index == bottom[0] else len(text) + 1
        return [(start, end, self._theme.selection_style or Style(reverse=True))]
