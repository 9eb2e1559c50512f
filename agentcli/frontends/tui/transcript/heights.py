"""Height index: which entry stands at which line, every question and change in logarithmic time."""


class HeightIndex:
    """Heights of entries in their order, as a Fenwick tree of sums over ranges."""

    def __init__(self) -> None:
        self._heights: list[int] = []
        self._sums: list[int] = [0]
        """``_sums[i]`` covers the last ``i & -i`` of the first i entries; the first is unused."""
        self.total = 0
        """Lines of all entries together."""

    def __len__(self) -> int:
        return len(self._heights)

    def append(self, height: int) -> None:
        """Put an entry at the end."""
        self._heights.append(height)
        place, step, covered = len(self._heights), 1, height
        while step < place & -place:
            covered += self._sums[place - step]
            step <<= 1
        self._sums.append(covered)
        self.total += height

    def pop(self, index: int) -> None:
        """Take entry *index* away; costs as much as there are entries after it."""
        later = self._heights[index + 1 :]
        del self._heights[index:], self._sums[index + 1 :]
        self.total = self.top(index)
        for height in later:
            self.append(height)

    def clear(self) -> None:
        """No entries."""
        self._heights.clear()
        self._sums = [0]
        self.total = 0

    def set(self, index: int, height: int) -> None:
        """Change the height of entry *index*."""
        difference = height - self._heights[index]
        if not difference:
            return
        self._heights[index] = height
        self.total += difference
        place = index + 1
        while place < len(self._sums):
            self._sums[place] += difference
            place += place & -place

    def get(self, index: int) -> int:
        """Height of entry *index*."""
        return self._heights[index]

    def top(self, index: int) -> int:
        """First line of entry *index*; the line after the last entry for their number."""
        lines = 0
        while index:
            lines += self._sums[index]
            index &= index - 1
        return lines

    def find(self, line: int) -> int:
        """The entry that holds *line*, clamped to the entries there are. At least one must be."""
        count = len(self._heights)
        place, step, rest = 0, 1 << count.bit_length(), max(line, 0)
        while step:
            following = place + step
            if following <= count and self._sums[following] <= rest:
                place = following
                rest -= self._sums[following]
            step >>= 1
        return min(place, count - 1)
