"""The model's prose: Markdown that streams in. Finished blocks are frozen, the open one redrawn."""

import re

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.entries import Entry, Source
from agentcli.frontends.tui.transcript.markdown import markdown_rows
from agentcli.frontends.tui.transcript.open_block import OpenBlock
from agentcli.frontends.tui.transcript.open_table import is_table
from agentcli.frontends.tui.transcript.rows import Row, blank_row, text_width
from agentcli.frontends.tui.transcript.table import MAX_ROWS
from agentcli.frontends.tui.transcript.tail import BlockSplitter

_BLANK_END = re.compile(r"\n[ \t]*\n\Z")


class AnswerEntry(Entry):
    """One text block of the model, from its first delta to its end."""

    def __init__(self, text: str | None = None) -> None:
        super().__init__()
        self._splitter = BlockSplitter()
        self._blocks: list[str] = []
        self._length = self._lines = 0
        self._long_table = False
        self._draft: _Draft | None = None
        self._units: list[tuple[int, int, str]] = []
        self.live = text is None
        if text is not None:
            self._length = len(text)
            self._keep(self._splitter.feed(text) + self._splitter.finish())

    @property
    def foldable(self) -> bool:
        """An answer stays open; a table of very many rows is cut until it is unfolded."""
        return self._long_table and not self.live

    @property
    def parsed(self) -> int:
        """How many characters were parsed to draw what is on the screen, repeats included."""
        return self._draft.parsed if self._draft is not None else 0

    @property
    def source(self) -> str:
        """The Markdown as far as it came."""
        return "".join(self._blocks) + "".join(self._splitter.open_lines) + self._splitter.partial

    @property
    def ends_in_prose(self) -> bool:
        """The last block is a plain paragraph, so that a tool call may follow closely."""
        last = next((block for block in reversed(self._blocks) if block.strip()), "")
        return last[:1].isalnum() and not last.rstrip().endswith("|")

    def source_text(self) -> Source:
        return Source(self.source)

    def feed(self, text: str) -> None:
        """Take a delta; cheap, nothing is drawn."""
        self._length += len(text)
        self._keep(self._splitter.feed(text))
        self.version += 1

    def finish(self, text: str) -> None:
        """The block is whole; *text* is what counts, should the deltas have said otherwise."""
        if self.source == text:
            self._keep(self._splitter.finish())
        else:
            self._splitter, self._blocks, self._lines = BlockSplitter(), [], 0
            self._keep(self._splitter.feed(text) + self._splitter.finish())
            self._draft = None
        self._length = len(text)
        self.live = False
        self.version += 1

    def rows(self, width: int, look: Look) -> list[Row]:
        draft, whole = self._draft, self.foldable and not self.folded
        known = draft is not None and (draft.width, draft.whole_tables) == (width, whole)
        if draft is None or not known or draft.look is not look:
            draft = self._draft = _Draft(width, look, whole)
        draft.update(self._blocks, self._splitter)
        if self.live:
            return draft.rows
        # the view caches the finished rows; a frozen copy here would hold them for ever
        self._draft = None
        self._units = draft.units
        return draft.rows

    def units(self) -> list[tuple[int, int, str]]:
        return self._draft.units if self._draft is not None else self._units

    def estimate(self, width: int) -> int:
        return max(1, self._lines + self._length // text_width(width))

    def _keep(self, blocks: list[str]) -> None:
        self._blocks += blocks
        for block in blocks:
            lines = block.count("\n")
            self._lines += lines
            if lines > MAX_ROWS + 2:
                self._long_table |= is_table(block.split("\n", 2)[:2])


class _Draft:
    """Rows of an answer at one width: a frozen part that only grows, and a redrawn tail."""

    def __init__(self, width: int, look: Look, whole_tables: bool) -> None:
        self.width, self.look, self.whole_tables = width, look, whole_tables
        self.rows: list[Row] = []
        self.units: list[tuple[int, int, str]] = []
        self.open = OpenBlock(width, look)
        self._parsed = 0
        self._frozen = 0
        self._blocks_done = 0
        self._gap = False

    @property
    def parsed(self) -> int:
        return self._parsed + self.open.parsed

    def update(self, blocks: list[str], splitter: BlockSplitter) -> None:
        """Freeze what was finished since the last time and draw the open block anew."""
        del self.rows[self._frozen :]
        fresh = blocks[self._blocks_done :]
        for index, source in enumerate(fresh):
            self._freeze(source, self.open.closed_fence(source) if index == 0 else None)
        if fresh:
            self._parsed += self.open.parsed
            self.open = OpenBlock(self.width, self.look)
        self._blocks_done = len(blocks)
        self._frozen = len(self.rows)
        tail = self.open.rows(splitter)
        if tail and self._gap and self.rows:
            self.rows.append(blank_row())
        self.rows += tail

    def _freeze(self, source: str, drawn: list[Row] | None) -> None:
        if not source.strip():
            self._gap = True
            return
        rows = drawn
        if rows is None:
            limit = None if self.whole_tables else MAX_ROWS
            rows = markdown_rows(source, self.width, self.look, limit)
            self._parsed += len(source)
        heading = source.lstrip().startswith("#")
        if rows and self.rows and (self._gap or heading):
            self.rows.append(blank_row())
        start = len(self.rows)
        self.rows += rows
        self.units.append((start, len(self.rows), source.rstrip("\n")))
        self._gap = _BLANK_END.search(source[-200:]) is not None
