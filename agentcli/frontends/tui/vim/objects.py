"""Text objects: a word, what stands between quotes or brackets, with or without what is around.
Pure."""

from agentcli.frontends.tui.vim.chars import at_end, in_indent, kind, line_end, line_start
from agentcli.frontends.tui.vim.chars import next_char as after
from agentcli.frontends.tui.vim.model import Motion

QUOTES = frozenset("\"'`")
_BRACKETS = {
    **{key: "()" for key in "()b"},
    **{key: "{}" for key in "{}B"},
    **{key: "[]" for key in "[]"},
    **{key: "<>" for key in "<>"},
}
OBJECTS = frozenset("wW") | QUOTES | frozenset(_BRACKETS)


def find_object(name: str, count: int, text: str, index: int) -> tuple[int, Motion] | None:
    """Start and end of the object *name* (``iw``, ``a(``) at *index*; None if there is none."""
    around, what = name[0] == "a", name[1]
    if what in "wW":
        found = _word(around, what == "W", count, text, index)
    elif what in QUOTES:
        found = _quoted(around or count > 1, around, what, text, index)
    else:
        found = _bracketed(around, _BRACKETS[what], count, text, index)
    return None if found is None else (found[0], Motion(found[1]))


def _runs(text: str, start: int, end: int, big: bool) -> list[tuple[int, int, bool]]:
    """Start, end and blankness of the words and blanks of a line."""
    runs: list[tuple[int, int, bool]] = []
    place, last = start, -1
    while place < end:
        here = kind(text, place, big)
        if here != last:
            runs.append((place, end, here == 0))
            if len(runs) > 1:
                begin, _, blank = runs[-2]
                runs[-2] = (begin, place, blank)
        last, place = here, after(text, place)
    return runs


def _word(around: bool, big: bool, count: int, text: str, index: int) -> tuple[int, int] | None:
    start, end = line_start(text, index), line_end(text, index)
    if start == end:
        return (start, end) if not around and count == 1 else None
    runs = _runs(text, start, end, big)
    at = next(number for number, run in enumerate(runs) if run[0] <= index < run[1])
    if not around:
        return (runs[at][0], runs[at + count - 1][1]) if at + count <= len(runs) else None
    first, last = at, at - 1
    blank_first = runs[at][2]
    for _ in range(count):
        if blank_first:
            last += 2 if _is_blank(runs, last + 1) else 1
        else:
            last += 2 if _is_blank(runs, last + 2) else 1
        if last >= len(runs):
            return None
    if not blank_first and not runs[last][2] and first > 1 and runs[first - 1][2]:
        # no blanks behind: those before it, but not the indent
        first -= 1
    return runs[first][0], runs[last][1]


def _is_blank(runs: list[tuple[int, int, bool]], number: int) -> bool:
    return number < len(runs) and runs[number][2]


def _quoted(outer: bool, blanks: bool, quote: str, text: str, index: int) -> tuple[int, int] | None:
    start, end = line_start(text, index), line_end(text, index)
    found = _find_pair(text, start, end, quote, index)
    if found is None:
        return None
    first, last = found
    if not outer:
        return first + 1, last
    last += 1
    if blanks:
        behind = last
        while behind < end and text[behind] in " \t":
            behind += 1
        if behind > last:
            return first, behind
        while first > start and text[first - 1] in " \t":
            first -= 1
    return first, last


def _find_pair(text: str, start: int, end: int, quote: str, index: int) -> tuple[int, int] | None:
    marks = _marks(text, start, end, quote)
    if index < end and text[index] == quote:
        # it may open or close: count from the start of the line
        for first, last in zip(marks[::2], marks[1::2], strict=False):
            if first <= index <= last:
                return first, last
        return None
    before = [mark for mark in marks if mark < index]
    behind = [mark for mark in marks if mark > index]
    if before:
        return (before[-1], behind[0]) if behind else None
    return (behind[0], behind[1]) if len(behind) > 1 else None


def _marks(text: str, start: int, end: int, quote: str) -> list[int]:
    marks: list[int] = []
    place = start
    while place < end:
        if text[place] == "\\":
            place += 1
        elif text[place] == quote:
            marks.append(place)
        place += 1
    return marks


def _bracketed(
    around: bool, pair: str, count: int, text: str, index: int
) -> tuple[int, int] | None:
    opening, closing = pair
    while in_indent(text, index) and not at_end(text, index) and text[index] in " \t":
        index += 1
    start = index if text.startswith(opening, index) else _unmatched(text, index, pair, -1)
    for _ in range(count - 1):
        start = None if start is None else _unmatched(text, start, pair, -1)
    if start is None:
        return None
    end = _unmatched(text, start, pair, 1)
    if end is None:
        return None
    if around:
        return start, end + len(closing)
    first = start + 1
    if in_indent(text, end) and line_start(text, end) > start:
        # the closing one alone on its line: the lines between are meant
        if text[first] == "\n":
            first += 1
        return first, max(first, line_start(text, end))
    if text[first] == "\n":
        first += 1
    return first, end


def _unmatched(text: str, index: int, pair: str, step: int) -> int | None:
    """The bracket that closes (step 1) or opens (step -1) what *index* stands in."""
    wanted, other = (pair[1], pair[0]) if step > 0 else (pair[0], pair[1])
    depth, place = 0, index + step
    while 0 <= place < len(text):
        char = text[place]
        if char == wanted:
            if depth == 0:
                return place
            depth -= 1
        elif char == other:
            depth += 1
        place += step
    return None
