"""The composer's text as the vim keys see it: what was pasted and folded is one character."""

from collections.abc import Iterable

_FIRST = 0x10F000
_MOST = 0x0FF0
Part = tuple[int, int]


class FoldedText:
    """Each folded part stands as one character that nobody types; the same part, the same one."""

    def __init__(self) -> None:
        self._signs: dict[str, str] = {}
        self._parts: dict[str, str] = {}

    def fold(self, text: str, parts: Iterable[Part]) -> "Folded":
        """*text* with each of its *parts* (from, to) as one character."""
        pieces: list[str] = []
        cuts: list[tuple[int, int, int]] = []
        at = size = 0
        for start, end in parts:
            pieces += [text[at:start], self._sign(text[start:end])]
            size += start - at
            cuts.append((size, start, end))
            size += 1
            at = end
        pieces.append(text[at:])
        return Folded("".join(pieces), tuple(cuts))

    def unfold(self, text: str) -> str:
        """*text* with the parts in full."""
        if not self._parts:
            return text
        return "".join(self._parts.get(char, char) for char in text)

    def _sign(self, part: str) -> str:
        if part not in self._signs:
            sign = chr(_FIRST + len(self._signs) % _MOST)
            self._signs[part] = sign
            self._parts[sign] = part
        return self._signs[part]


class Folded:
    """A folded text, with the way from its places to those of the whole one and back."""

    def __init__(self, text: str, cuts: tuple[tuple[int, int, int], ...]) -> None:
        self.text = text
        self._cuts = cuts

    def inner(self, index: int) -> int:
        """The place in the folded text of a place in the whole one."""
        shift = 0
        for size, start, end in self._cuts:
            if index < end:
                return size if index >= start else index - shift
            shift = end - size - 1
        return index - shift

    def outer(self, index: int) -> int:
        """The place in the whole text of a place in the folded one."""
        shift = 0
        for size, start, end in self._cuts:
            if index <= size:
                return start if index == size else index + shift
            shift = end - size - 1
        return index + shift
