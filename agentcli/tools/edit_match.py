"""Exact replacement in a text whose line ends are seen as ``\\n`` but kept as they are."""

import re
from bisect import bisect_left
from dataclasses import dataclass, field

_EOL = re.compile(r"\r\n|\n")


def fold(text: str) -> str:
    """``\\r\\n`` as ``\\n``. Pure."""
    return text.replace("\r\n", "\n")


@dataclass(slots=True)
class FoldedText:
    """A text, the view of it with folded line ends, and the way from view to text."""

    text: str
    view: str = ""
    _crlf: list[int] = field(default_factory=list[int])

    def __post_init__(self) -> None:
        self.view = fold(self.text)
        if len(self.view) != len(self.text):
            # Position in the view of each `\n` that is `\r\n` in the text.
            starts = (match.start() for match in re.finditer("\r\n", self.text))
            self._crlf = [start - index for index, start in enumerate(starts)]

    def offset(self, position: int) -> int:
        """Offset in the text for a position in the view."""
        return position + bisect_left(self._crlf, position)

    def line_of(self, position: int) -> int:
        """1-based line number of a position in the view."""
        return self.view.count("\n", 0, position) + 1

    def find_all(self, needle: str) -> list[int]:
        """Positions in the view of *needle* (folded, not empty), none overlapping."""
        found: list[int] = []
        position = self.view.find(needle)
        while position >= 0:
            found.append(position)
            position = self.view.find(needle, position + len(needle))
        return found

    def replace_at(self, positions: list[int], old: str, new: str) -> str:
        """The text with *old* (folded) at each of *positions* replaced by *new* (folded).

        Only what differs between old and new is touched, so context lines keep their line ends.
        """
        head = _common_head(old, new)
        tail = _common_head(old[head:][::-1], new[head:][::-1])
        insert = new[head : len(new) - tail]
        pieces: list[str] = []
        done = 0
        for position in positions:
            start = self.offset(position + head)
            end = self.offset(position + len(old) - tail)
            pieces += [self.text[done:start], self._with_eols(insert, start, end)]
            done = end
        pieces.append(self.text[done:])
        return "".join(pieces)

    def _with_eols(self, insert: str, start: int, end: int) -> str:
        """Line ends of *insert* follow those that it replaces, else those around it."""
        if "\n" not in insert:
            return insert
        styles = _EOL.findall(self.text, start, end) or [self._eol_near(start, end)]
        *lines, last = insert.split("\n")
        ends = styles + styles[-1:] * (len(lines) - len(styles))
        return "".join(line + end for line, end in zip(lines, ends, strict=False)) + last

    def _eol_near(self, start: int, end: int) -> str:
        after = _EOL.search(self.text, end)
        if after is None:
            before = self.text.rfind("\n", 0, start)
            if before < 0:
                return "\n"
            return "\r\n" if self.text[max(before - 1, 0)] == "\r" else "\n"
        return after.group()


def _common_head(one: str, two: str) -> int:
    limit = min(len(one), len(two))
    if one[:limit] == two[:limit]:
        return limit
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == two[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
