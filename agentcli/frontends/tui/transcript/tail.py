"""Cut streaming Markdown into blocks that are finished for good and one that is still open.

The cut depends only on the text, never on how it was chunked, and the blocks joined are the text.
Work per piece is proportional to the piece: complete lines are looked at once.
"""

import re

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_INNER_FENCE = re.compile(r"\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(`{3,}|~{3,})")
_ITEM = re.compile(r"( {0,5}(?:[-*+]|(\d{1,9})[.)]))(?:( {1,4})|\t|$)")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")


class BlockSplitter:
    """Feed it text; it hands back the source of each block that can no longer change."""

    def __init__(self) -> None:
        self.open_lines: list[str] = []
        """Complete lines of the open block, each with its line break."""
        self._partial: list[str] = []
        """Pieces of the last line, as far as it came."""
        self._fence = ""
        self._item_indent = 0
        """Column where the text of the open list item starts; 0 outside of one."""
        self._blank = False
        """The last complete line of the open block was blank."""

    @property
    def in_plain_fence(self) -> bool:
        """The open block is a code fence that stands in no list."""
        return bool(self._fence) and not self._item_indent

    @property
    def partial(self) -> str:
        """The last line, as far as it came."""
        if len(self._partial) > 1:
            self._partial = ["".join(self._partial)]
        return self._partial[0] if self._partial else ""

    @property
    def open_size(self) -> int:
        """Characters of the open block, its last line included."""
        return sum(map(len, self.open_lines)) + len(self.partial)

    def feed(self, text: str) -> list[str]:
        """Take *text* and return the blocks that it finished."""
        done: list[str] = []
        *complete, rest = text.split("\n")
        for piece in complete:
            self._partial.append(piece + "\n")
            line = self.partial
            self._partial = []
            self._take(line, done)
        if rest:
            self._partial.append(rest)
        return done

    def finish(self) -> list[str]:
        """End of text: what was open is a block too. The splitter is empty afterwards."""
        done: list[str] = []
        if self.partial:
            line, self._partial = self.partial, []
            self._take(line, done)
        self._close(done)
        return done

    def _take(self, line: str, done: list[str]) -> None:
        if self._fence:
            self._take_fenced(line, done)
            return
        if not line.strip():
            if self.open_lines:
                self.open_lines.append(line)
                self._blank = True
            else:
                done.append(line)
            return
        item = _ITEM.match(line)
        if self.open_lines and self._begins_block(line, item):
            self._close(done)
        if item and not self._item_indent and _indent(line) < 4:
            self._item_indent = len(item.group(1)) + len(item.group(3) or " ")
        self.open_lines.append(line)
        self._blank = False
        if _HEADING.match(line) and not self._item_indent:
            self._close(done)
            return
        fence = (_INNER_FENCE if self._item_indent else _FENCE).match(line)
        if fence and _opens(line, fence):
            self._fence = fence.group(1)

    def _take_fenced(self, line: str, done: list[str]) -> None:
        self.open_lines.append(line)
        self._blank = False
        bare = line.strip()
        if bare.startswith(self._fence) and not bare.strip(self._fence[0]):
            self._fence = ""
            if not self._item_indent:
                self._close(done)

    def _begins_block(self, line: str, item: re.Match[str] | None) -> bool:
        """Does this non-blank line begin a new block, the open one being over?"""
        indent = _indent(line)
        if self._item_indent and indent >= self._item_indent:
            return False
        if self._blank or _HEADING.match(line):
            return not (self._item_indent and indent >= 2 and not item)
        if item and indent < 4:
            number = item.group(2)
            return bool(self._item_indent or number is None or number == "1")
        fence = _FENCE.match(line)
        return bool(fence and _opens(line, fence))

    def _close(self, done: list[str]) -> None:
        if self.open_lines:
            done.append("".join(self.open_lines))
            self.open_lines = []
        self._fence = ""
        self._item_indent = 0
        self._blank = False


def _indent(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" "))


def _opens(line: str, fence: re.Match[str]) -> bool:
    """A backtick fence may not have a backtick in its info string (else it is inline code)."""
    return fence.group(1)[0] != "`" or "`" not in line[fence.end() :]
