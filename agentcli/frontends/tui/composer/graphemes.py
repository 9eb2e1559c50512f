"""Where characters as people see them begin and end, and how many cells they take. Pure."""

import unicodedata
from collections.abc import Iterator

from rich.cells import cell_len

_WINDOW = 256
"""A cluster further away than this cannot matter: how far a search for a sure start goes back."""


def cluster_start(text: str, index: int) -> int:
    """Where the cluster that holds ``text[index]`` begins."""
    if index == 0 or (text[index].isascii() and text[index - 1].isascii()):
        return index
    found = index
    for start, end in _clusters_near(text, index):
        if start > index:
            break
        found = start
        if end > index:
            break
    return found


def cluster_end(text: str, index: int) -> int:
    """Where the cluster that holds ``text[index]`` ends."""
    after = index + 1
    if after >= len(text) or (text[index].isascii() and text[after].isascii()):
        return after
    for _, end in _clusters_near(text, index):
        if end > index:
            return end
    return after


def is_boundary(text: str, index: int) -> bool:
    """May a caret stand before ``text[index]``?"""
    return not 0 < index < len(text) or cluster_start(text, index) == index


def clusters(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Begin and end of every cluster from *start*, which must be a boundary, to *end*."""
    stop = len(text) if end is None else end
    if text.isascii():
        yield from ((at, at + 1) for at in range(start, stop))
        return
    # costs as much as half of our own start, and most people never need it
    from wcwidth import iter_graphemes

    at = start
    for cluster in iter_graphemes(text, start, stop):
        yield at, at + len(cluster)
        at += len(cluster)


def is_space(cluster: str) -> bool:
    """Is it white space?"""
    return cluster.isspace()


def is_word(cluster: str) -> bool:
    """Does it belong to a word? Letters, digits, the underscore, and symbols such as emoji."""
    first = cluster[0]
    if first.isascii():
        return first.isalnum() or first == "_"
    return first.isalnum() or unicodedata.category(first)[0] in "SMC"


def cells(text: str, tab_size: int) -> int:
    """Cells of *text* from the beginning of a row, tabs to the next stop."""
    if "\t" not in text:
        return cell_len(text)
    total = 0
    first, *rest = text.split("\t")
    total = cell_len(first)
    for part in rest:
        total += tab_size - total % tab_size + cell_len(part)
    return total


def _clusters_near(text: str, index: int) -> Iterator[tuple[int, int]]:
    """Clusters from a sure start at or before *index* on."""
    start = index
    while start and index - start < _WINDOW and not _surely_starts(text, start):
        start -= 1
    return clusters(text, start, min(len(text), index + _WINDOW))


def _surely_starts(text: str, index: int) -> bool:
    """True where no rule joins a character with the one before: ASCII, kana and ideographs,
    unless behind one of the few signs that take what follows, all of them in other blocks."""
    char, before = text[index], text[index - 1]
    plain = char < "\x7f" or "\u3041" <= char <= "\u3096" or "\u30a1" <= char <= "\u30fa"
    ideograph = "\u3400" <= char <= "\u9fff"
    return (plain or ideograph) and (before < "\u0300" or "\u2e80" <= before <= "\ud7ff")
