"""What was there before, to go back to and forth again."""

from collections import deque

_MOST_CHARACTERS = 4_000_000
State = tuple[str, int]
"""A text and the cursor in it."""


class History:
    """Earlier and later states of one text; the oldest are forgotten when they get too large."""

    def __init__(self) -> None:
        self._earlier: deque[State] = deque(maxlen=500)
        self._later: list[State] = []

    def keep(self, before: State) -> None:
        """A change was made; *before* is what it was made of."""
        self._earlier.append(before)
        self._later.clear()
        size = sum(len(text) for text, _ in self._earlier)
        while size > _MOST_CHARACTERS and len(self._earlier) > 1:
            size -= len(self._earlier.popleft()[0])

    def back(self, now: State) -> State | None:
        """The state before *now*; None if there is none."""
        if not self._earlier:
            return None
        self._later.append(now)
        return self._earlier.pop()

    def forth(self, now: State) -> State | None:
        """The state that was left by going back; None if there is none."""
        if not self._later:
            return None
        self._earlier.append(now)
        return self._later.pop()

    def clear(self) -> None:
        """Forget everything."""
        self._earlier.clear()
        self._later.clear()
