"""A line as the caret sees it: characters and chips that it never stands inside of. Pure."""

from collections.abc import Iterator, Sequence

from agentcli.frontends.tui.composer.graphemes import (
    cells,
    cluster_end,
    cluster_start,
    clusters,
    is_space,
    is_word,
)

Edges = Sequence[tuple[int, int]]
"""Begin and end of the chips of a line, from left to right."""


class Line:
    """One line with its chips."""

    def __init__(self, text: str, chips: Edges = ()) -> None:
        self.text = text
        self.chips = chips

    def holding(self, index: int) -> tuple[int, int]:
        """The atom that ``text[index]`` is a part of."""
        for start, end in self.chips:
            if start <= index < end:
                return start, end
        # chips begin and end with brackets, which join with nothing but a mark behind the chip
        start, end = cluster_start(self.text, index), cluster_end(self.text, index)
        for chip_start, chip_end in self.chips:
            if start < chip_end <= index:
                start = chip_end
            if index < chip_start < end:
                end = chip_start
        return start, end

    def before(self, index: int) -> int:
        """Where the atom in front of *index* begins; 0 at the beginning."""
        return self.holding(index - 1)[0] if index > 0 else 0

    def after(self, index: int) -> int:
        """Where the atom at *index* ends; the end of the line at the end."""
        return self.holding(index)[1] if index < len(self.text) else len(self.text)

    def snap(self, index: int) -> int:
        """The boundary for *index*: the nearer end of a chip, behind a cluster."""
        if not 0 < index < len(self.text):
            return max(0, min(index, len(self.text)))
        start, end = self.holding(index)
        if start == index:
            return index
        in_chip = any(start == chip for chip, _ in self.chips)
        return start if in_chip and index - start < end - index else end

    def widen(self, start: int, end: int) -> tuple[int, int]:
        """*start* to *end* with the whole of the atoms that they cut."""
        return self._down(start), self._up(end)

    def _down(self, index: int) -> int:
        return self.holding(index)[0] if 0 < index < len(self.text) else index

    def _up(self, index: int) -> int:
        if not 0 < index < len(self.text):
            return index
        start, end = self.holding(index)
        return index if start == index else end

    def atoms(self, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
        """Begin and end of the atoms between two boundaries."""
        stop = len(self.text) if end is None else end
        at = start
        for chip_start, chip_end in self.chips:
            if chip_end <= at or chip_start >= stop:
                continue
            yield from clusters(self.text, at, chip_start)
            yield chip_start, chip_end
            at = chip_end
        yield from clusters(self.text, at, stop)

    def word_left(self, index: int, by_space: bool = False) -> int:
        """Where the word before *index* begins; *by_space*: only white space parts words."""
        inside = False
        while index > 0:
            start = self.before(index)
            if self._in_word(start, index, by_space):
                inside = True
            elif inside:
                break
            index = start
        return index

    def word_right(self, index: int, by_space: bool = False) -> int:
        """Where the word behind *index* ends."""
        inside = False
        while index < len(self.text):
            end = self.after(index)
            if self._in_word(index, end, by_space):
                inside = True
            elif inside:
                break
            index = end
        return index

    def word_at(self, index: int) -> tuple[int, int]:
        """The word, the white space or the run of signs at *index*."""
        if not self.text:
            return 0, 0
        start, end = self.holding(max(0, min(index, len(self.text) - 1)))
        kind = self._kind(start, end)
        if kind == "chip":
            return start, end
        while start > 0 and self._kind(self.before(start), start) == kind:
            start = self.before(start)
        while end < len(self.text) and self._kind(end, self.after(end)) == kind:
            end = self.after(end)
        return start, end

    def column_at(self, start: int, end: int, cell: int, tab_size: int) -> int:
        """The boundary for a *cell* of the row that shows *start* to *end*."""
        x = 0
        for left, right in self.atoms(start, end):
            wide = cells(" " * (x % tab_size) + self.text[left:right], tab_size) - x % tab_size
            if cell < x + wide:
                near_end = (left, right) in self.chips and cell - x >= (wide + 1) // 2
                return right if near_end else left
            x += wide
        return end

    def _in_word(self, start: int, end: int, by_space: bool) -> bool:
        kind = self._kind(start, end)
        return kind != "space" if by_space else kind in ("word", "chip")

    def _kind(self, start: int, end: int) -> str:
        if (start, end) in self.chips:
            return "chip"
        atom = self.text[start:end]
        return "space" if is_space(atom) else "word" if is_word(atom) else "sign"
