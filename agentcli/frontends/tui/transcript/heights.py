"""Height index: which entry stands at which line, in logarithmic time."""

from bisect import bisect_right
from itertools import accumulate


class HeightIndex:
    """Heights of entries in their order, with prefix sums that are rebuilt only where stale."""

    def __init__(self) -> None:
        self._heights: list[int] = []
        self._ends: list[int] = []
        """``_ends[i]`` is the line after entry i; valid for the first ``_valid`` entries."""
        self._valid = 0

    def __len__(self) -> int:
        return len(self._heights)

    def append(self, height: int) -> None:
        self._heights.append(height)

    def pop(self, index: int) -> None:
        del self._heights[index]
        self._valid = min(self._valid, index)

    def clear(self) -> None:
        self._heights.clear()
        self._valid = 0

    def set(self, index: int, height: int) -> None:
        if self._heights[index] != height:
            self._heights[index] = height
            self._valid = min(self._valid, index)

    def get(self, index: int) -> int:
        return self._heights[index]

    @property
    def total(self) -> int:
        self._settle()
        return self._ends[-1] if self._ends else 0

    def top(self, index: int) -> int:
        """First line of entry *index*."""
        self._settle()
        return self._ends[index - 1] if index else 0

    def find(self, line: int) -> int:
        """The entry that holds *line*, clamped to the entries there are. At least one must be."""
        self._settle()
        return min(bisect_right(self._ends, max(line, 0)), len(self._heights) - 1)

    def _settle(self) -> None:
        count = len(self._heights)
        if self._valid == count and len(self._ends) == count:
            return
        del self._ends[self._valid :]
        base = self._ends[-1] if self._ends else 0
        sums = accumulate(self._heights[self._valid :], initial=base)
        next(sums)
        self._ends.extend(sums)
        self._valid = count
