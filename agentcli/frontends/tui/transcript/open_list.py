"""A list item that still grows, with much nested in it: finished lines are drawn once.

What comes later is drawn under the bare markers of the items that it stands in, and the rows of
those are left out again.
"""

import re
from typing import NamedTuple

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.transcript.markdown import markdown_rows
from agentcli.frontends.tui.transcript.rows import Row

_ITEM = re.compile(r"(\s*)([-*+]|\d{1,9}[.)])(\s+)(?=\S)")
_FENCE = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(`{3,}|~{3,})(.*)")
_KEPT_OPEN = 12
"""Lines at the end that are drawn anew: they may still turn out to mean something else."""
_CHUNK = 24


class _Item(NamedTuple):
    indent: int
    inner: int
    """Column where its text begins."""
    marker: str


class OpenList:
    """Rows of one block that begins with a list item. ``parsed`` counts characters."""

    def __init__(self, width: int, look: Look) -> None:
        self.parsed = 0
        self._width, self._look = width, look
        self._rows: list[Row] = []
        self._done = 0
        self._read = 0
        self._blank = False
        """The line before was blank."""
        self._items: list[_Item] = []
        self._fence: tuple[str, int, str] | None = None
        """Mark, column and opening line of the code fence that is open."""
        self._context: list[str] = []
        """Lines under which the line ``_done`` is to be drawn."""
        self._hidden = 0
        """Rows that the context takes."""
        self._cut: tuple[int, list[str], int] = (0, [], 0)
        """The newest line where a cut is possible, with its context and the rows of that."""

    def update(self, lines: list[str], partial: str) -> list[Row] | None:
        """The rows now; None when this is no list."""
        if not _ITEM.match(lines[0] if lines else partial):
            return None
        while self._read < len(lines) - _KEPT_OPEN:
            self._take(lines[self._read], self._read)
            self._read += 1
        place, context, hidden = self._cut
        if place - self._done >= _CHUNK:
            self._rows += self._draw("".join(lines[self._done : place]))
            self._done, self._context, self._hidden = place, context, hidden
        return self._rows + self._draw("".join(lines[self._done :]) + partial)

    def _draw(self, source: str) -> list[Row]:
        text = "".join(self._context) + source
        self.parsed += len(text)
        return markdown_rows(text, self._width, self._look)[self._hidden :]

    def _take(self, line: str, number: int) -> None:
        """Follow the containers through *line*; note it where drawing may begin with it."""
        if self._fence is not None:
            mark, column, opening = self._fence
            self._cut = (number, [*self._markers(), " " * column + opening + "\n"], self._depth)
            bare = line.strip()
            if bare.startswith(mark) and not bare.strip(mark[0]):
                self._fence = None
            return
        item = _ITEM.match(line)
        if item is not None:
            indent = len(item[1].expandtabs(4))
            self._items = [known for known in self._items if known.inner <= indent]
            # set apart by a blank line, since some lists may not follow upon text; it is drawn,
            # and belongs there only if there was one
            self._cut = (number, [*self._markers(), "\n"], self._depth + (not self._blank))
            self._items.append(_Item(indent, len(item[0].expandtabs(4)), item[2]))
        self._blank = not line.strip()
        fence = _FENCE.match(line)
        if fence is not None and not (fence[1][0] == "`" and "`" in fence[2]):
            column = self._items[-1].inner if self._items else 0
            self._fence = (fence[1], column, fence[1] + fence[2].rstrip("\n"))

    def _markers(self) -> list[str]:
        return [f"{' ' * item.indent}{item.marker} x\n" for item in self._items]

    @property
    def _depth(self) -> int:
        return len(self._items)
