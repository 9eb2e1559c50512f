"""The block that the model is writing: drawn whole while it is small, in steps when it is not.

Each kind of block knows which of its rows can no longer change. What a step draws may differ from
the whole in rare cases; the finished block is always drawn whole from its source, once.
"""

from typing import Protocol

from agentcli.base.text import strip_controls
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.code import LEXER_LIMIT, code_rows
from agentcli.frontends.tui.transcript.markdown import markdown_rows
from agentcli.frontends.tui.transcript.open_list import OpenList
from agentcli.frontends.tui.transcript.open_prose import OpenProse
from agentcli.frontends.tui.transcript.open_table import OpenTable, is_table
from agentcli.frontends.tui.transcript.rows import Row
from agentcli.frontends.tui.transcript.tail import BlockSplitter

_SMALL = 1_500
"""Characters up to which a block is drawn whole every time."""
_CHUNK = 20
"""Lines of an open code fence that are highlighted together and then kept."""
_HEADER = 300


class _Stepwise(Protocol):
    parsed: int

    def update(self, lines: list[str], partial: str) -> list[Row] | None:
        """The rows now; None when the block is not of this kind."""
        ...


class OpenBlock:
    """Rows of the open block of an answer at one width."""

    def __init__(self, width: int, look: Look) -> None:
        self._width, self._look = width, look
        self._whole = 0
        self._past = 0
        self._kinds: list[_Stepwise] = []
        self._fence = _OpenFence(width, look)

    @property
    def parsed(self) -> int:
        """How many characters were parsed so far, those parsed again counted again."""
        return self._whole + self._past + self._fence.parsed + sum(k.parsed for k in self._kinds)

    def closed_fence(self, source: str) -> list[Row] | None:
        """Rows of the block *source*, now finished, if it is the long code block that was drawn
        here: of such a one most is plain, and drawing it again would be felt. Else None."""
        lines = source.rstrip().splitlines(keepends=True)
        if self._fence.parsed < LEXER_LIMIT:
            return None
        return self._fence.update(lines[:-1], "")

    def rows(self, splitter: BlockSplitter) -> list[Row]:
        """All rows of the open block of *splitter*."""
        lines, partial = splitter.open_lines, splitter.partial
        if splitter.in_plain_fence and len(lines) > 1:
            return self._fence.update(lines, partial)
        if not self._kinds:
            if len(lines) < 2 and (lines[0] if lines else partial).lstrip().startswith("|"):
                # a row of bars that jumps into columns a moment later helps nobody
                if splitter.open_size < _HEADER:
                    return []
            if splitter.open_size <= _SMALL and not is_table(lines):
                source = "".join(lines) + partial
                self._whole += len(source)
                return markdown_rows(source, self._width, self._look) if source.strip() else []
            self._kinds = self._choose(lines)
        while True:
            rows = self._kinds[0].update(lines, partial)
            if rows is not None:
                return rows
            self._past += self._kinds.pop(0).parsed

    def _choose(self, lines: list[str]) -> list[_Stepwise]:
        size = (self._width, self._look)
        if is_table(lines):
            return [OpenTable(*size), _OpenAny(*size)]
        return [OpenProse(*size), OpenList(*size), _OpenAny(*size)]


class _OpenFence:
    """A code block: whole chunks are highlighted once, so that its length costs nothing."""

    def __init__(self, width: int, look: Look) -> None:
        self.parsed = 0
        self._width, self._look = width, look
        self._lines = 0
        self._size = 0
        self._rows: list[Row] = []

    def update(self, lines: list[str], partial: str) -> list[Row]:
        language = (lines[0].strip().lstrip("`~").split() or [""])[0]
        while len(lines) - 1 - self._lines >= _CHUNK:
            start = 1 + self._lines
            chunk = lines[start : start + _CHUNK]
            self._rows += self._draw("".join(chunk), language)
            self._size += sum(len(line) for line in chunk)
            self._lines += _CHUNK
        rest = "".join(lines[1 + self._lines :])
        if not partial.lstrip().startswith(("```", "~~~")):
            rest += partial
        return self._rows + (self._draw(rest, language) if rest else [])

    def _draw(self, code: str, language: str) -> list[Row]:
        self.parsed += len(code)
        plain = self._size + len(code) > LEXER_LIMIT
        text = strip_controls(code).removesuffix("\n")
        return code_rows(text, "" if plain else language, self._width, self._look)


class _OpenAny:
    """Anything else (quotes, mixtures): drawn whole whenever it has grown by an eighth, what came
    since then under it."""

    def __init__(self, width: int, look: Look) -> None:
        self.parsed = 0
        self._width, self._look = width, look
        self._rows: list[Row] = []
        self._drawn = 0

    def update(self, lines: list[str], partial: str) -> list[Row] | None:
        complete = "".join(lines)
        source = complete + partial
        if len(source) - self._drawn > max(_SMALL // 2, self._drawn // 8):
            self._drawn = len(complete) if len(complete) * 8 > len(source) * 7 else len(source)
            self._rows = self._draw(source[: self._drawn])
        tail = source[self._drawn :]
        return self._rows + (self._draw(tail) if tail.strip() else [])

    def _draw(self, source: str) -> list[Row]:
        self.parsed += len(source)
        return markdown_rows(source, self._width, self._look)
