"""The model's prose: Markdown that streams in. Finished blocks are frozen, the open one redrawn."""

import re

from agentcli.base.text import strip_controls
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.code import code_rows
from agentcli.frontends.tui.transcript.entries import Entry
from agentcli.frontends.tui.transcript.markdown import markdown_rows
from agentcli.frontends.tui.transcript.rows import Row, blank_row, text_width
from agentcli.frontends.tui.transcript.tail import BlockSplitter

_BLANK_END = re.compile(r"\n[ \t]*\n\Z")
_CHUNK = 20
"""Lines of an open code fence that are highlighted together and then kept."""


class AnswerEntry(Entry):
    """One text block of the model, from its first delta to its end."""

    def __init__(self, text: str | None = None) -> None:
        super().__init__()
        self._splitter = BlockSplitter()
        self._blocks: list[str] = []
        self._length = 0
        self._draft: _Draft | None = None
        self._units: list[tuple[int, int, str]] = []
        self.live = text is None
        if text is not None:
            self._length = len(text)
            self._blocks = self._splitter.feed(text) + self._splitter.finish()

    @property
    def source(self) -> str:
        """The Markdown as far as it came."""
        return "".join(self._blocks) + "".join(self._splitter.open_lines) + self._splitter.partial

    @property
    def ends_in_prose(self) -> bool:
        """The last block is a plain paragraph, so that a tool call may follow closely."""
        last = next((block for block in reversed(self._blocks) if block.strip()), "")
        return last[:1].isalnum() and not last.rstrip().endswith("|")

    def feed(self, text: str) -> None:
        """Take a delta; cheap, nothing is drawn."""
        self._length += len(text)
        self._blocks += self._splitter.feed(text)
        self.version += 1

    def finish(self, text: str) -> None:
        """The block is whole; *text* is what counts, should the deltas have said otherwise."""
        if self.source == text:
            self._blocks += self._splitter.finish()
        else:
            self._splitter = BlockSplitter()
            self._blocks = self._splitter.feed(text) + self._splitter.finish()
            self._draft = None
        self._length = len(text)
        self.live = False
        self.version += 1

    def rows(self, width: int, look: Look) -> list[Row]:
        draft = self._draft
        if draft is None or draft.width != width or draft.look is not look:
            draft = self._draft = _Draft(width, look)
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
        lines = sum(block.count("\n") for block in self._blocks)
        return max(1, lines + self._length // text_width(width))


class _Draft:
    """Rows of an answer at one width: a frozen part that only grows, and a redrawn tail."""

    def __init__(self, width: int, look: Look) -> None:
        self.width, self.look = width, look
        self.rows: list[Row] = []
        self.units: list[tuple[int, int, str]] = []
        self._frozen = 0
        self._blocks_done = 0
        self._gap = False
        self._fence_lines = 0
        self._fence_rows: list[Row] = []

    def update(self, blocks: list[str], splitter: BlockSplitter) -> None:
        """Freeze what was finished since the last time and draw the open block anew."""
        del self.rows[self._frozen :]
        if self._blocks_done < len(blocks):
            self._fence_lines, self._fence_rows = 0, []
        for source in blocks[self._blocks_done :]:
            self._freeze(source)
        self._blocks_done = len(blocks)
        self._frozen = len(self.rows)
        tail = self._open_rows(splitter)
        if tail and self._gap and self.rows:
            self.rows.append(blank_row())
        self.rows += tail

    def _freeze(self, source: str) -> None:
        if not source.strip():
            self._gap = True
            return
        rows = markdown_rows(source, self.width, self.look)
        heading = source.lstrip().startswith("#")
        if rows and self.rows and (self._gap or heading):
            self.rows.append(blank_row())
        start = len(self.rows)
        self.rows += rows
        self.units.append((start, len(self.rows), source.rstrip("\n")))
        self._gap = _BLANK_END.search(source) is not None

    def _open_rows(self, splitter: BlockSplitter) -> list[Row]:
        lines = splitter.open_lines
        if splitter.in_plain_fence and len(lines) > 1:
            return self._fence_tail(lines, splitter.partial)
        source = "".join(lines) + splitter.partial
        return markdown_rows(source, self.width, self.look) if source.strip() else []

    def _fence_tail(self, lines: list[str], partial: str) -> list[Row]:
        """An open code block: whole chunks are drawn once, so that its length costs nothing."""
        language = (lines[0].strip().lstrip("`~").split() or [""])[0]
        body = len(lines) - 1
        while body - self._fence_lines >= _CHUNK:
            start = 1 + self._fence_lines
            self._fence_rows += self._code(lines[start : start + _CHUNK], language)
            self._fence_lines += _CHUNK
        rest = lines[1 + self._fence_lines :]
        if partial and not partial.lstrip().startswith(("```", "~~~")):
            rest = [*rest, partial]
        return self._fence_rows + (self._code(rest, language) if rest else [])

    def _code(self, lines: list[str], language: str) -> list[Row]:
        text = strip_controls("".join(lines)).removesuffix("\n")
        return code_rows(text, language, self.width, self.look)
