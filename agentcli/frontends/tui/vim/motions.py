"""Where the motions lead. Pure, but for what they remember: the wanted column, the last f or t."""

from dataclasses import dataclass

from agentcli.frontends.tui.vim.chars import (
    at_end,
    backward,
    column,
    first_word,
    forward,
    line_end,
    line_of,
    line_start,
    next_char,
    prev_char,
    settle,
)
from agentcli.frontends.tui.vim.model import Motion
from agentcli.frontends.tui.vim.words import word_back, word_end, word_forward

_FAR = 1 << 30
KEYS = {
    "left": "h",
    "backspace": "h",
    "right": "l",
    " ": "l",
    "up": "k",
    "down": "j",
    "home": "0",
    "end": "$",
}
"""Other keys for the motions."""
NAMES = frozenset("hljkwbeWBE0$^G;,") | {"gg", "f", "F", "t", "T", *KEYS}
TAKES_CHARACTER = frozenset("fFtT")
_REVERSED = {"f": "F", "F": "f", "t": "T", "T": "t"}


@dataclass(slots=True)
class Memory:
    """What one motion leaves for the next."""

    column: int | None = None
    found: tuple[str, str] | None = None


def move(
    name: str,
    target: str,
    count: int | None,
    text: str,
    index: int,
    memory: Memory,
    operator: str = "",
) -> Motion | None:
    """Where *name* with *count* leads from *index*; None if it leads nowhere. *target* is the
    character of f, F, t, T. With an *operator*, ``v`` in VISUAL, it may reach the end of a line."""
    name = KEYS.get(name, name)
    times = count or 1
    if name in {"j", "k"}:
        return _vertical(text, index, times if name == "j" else -times, memory)
    memory.column = _FAR if name == "$" else None
    match name:
        case "h":
            there = backward(text, index, times)
            return None if there == index and not operator else Motion(there)
        case "l":
            return _right(text, index, times, bool(operator))
        case "0":
            return Motion(line_start(text, index))
        case "^":
            return Motion(first_word(text, index))
        case "$":
            return _line_end(text, index, times, operator == "v")
        case "G":
            number = text.count("\n") if count is None else count - 1
            return Motion(first_word(text, line_of(text, number)), "lines")
        case "gg":
            return Motion(first_word(text, line_of(text, times - 1)), "lines")
        case "f" | "F" | "t" | "T" | ";" | ",":
            return _find(name, target, times, text, index, memory)
        case _:
            return _word(name, times, text, index, operator)


def _right(text: str, index: int, times: int, operates: bool) -> Motion | None:
    there = forward(text, index, times)
    if not operates and at_end(text, there):
        there = settle(text, there)
    return None if there == index and not operates else Motion(there)


def _line_end(text: str, index: int, times: int, behind: bool) -> Motion | None:
    place = _lines_on(text, index, times - 1) if times > 1 else index
    if place is None:
        return None
    end = line_end(text, place)
    if behind or end == line_start(text, place):
        return Motion(end, "inclusive")
    return Motion(prev_char(text, end), "inclusive")


def _vertical(text: str, index: int, lines: int, memory: Memory) -> Motion | None:
    wanted = column(text, index) if memory.column is None else memory.column
    place = _lines_on(text, index, lines)
    if place is None:
        return None
    memory.column = wanted
    return Motion(forward(text, place, wanted), "lines")


def _lines_on(text: str, index: int, lines: int) -> int | None:
    """The start of the line that many *lines* on, of the last one there is; None if there is no
    other line."""
    first = place = line_start(text, index)
    for _ in range(min(abs(lines), len(text))):
        if lines > 0:
            end = line_end(text, place)
            if end >= len(text):
                break
            place = end + 1
        elif place == 0:
            break
        else:
            place = line_start(text, place - 1)
    return None if place == first else place


def _word(name: str, times: int, text: str, index: int, operator: str) -> Motion | None:
    big = name.isupper()
    match name.lower():
        case "b":
            return word_back(text, index, times, big)
        case "e":
            return word_end(text, index, times, big)
        case "w" if operator == "c" and not at_end(text, index) and text[index] not in " \t":
            # a change leaves the blanks behind the word
            return word_end(text, index, times, big, within=True)
        case "w":
            return word_forward(text, index, times, big, operator not in ("", "v"))
        case _:
            return None


def _find(
    name: str, target: str, times: int, text: str, index: int, memory: Memory
) -> Motion | None:
    skips = False
    if name in ";,":
        if memory.found is None:
            return None
        how, target = memory.found
        name = how if name == ";" else _REVERSED[how]
        # a repeated t would find the same character again
        skips = times == 1 and name in "tT"
    else:
        memory.found = (name, target)
    ahead = name in "ft"
    start, end = line_start(text, index), line_end(text, index)
    place = index
    if skips:
        place = next_char(text, place) if ahead else max(start, prev_char(text, place))
        if not (text.startswith(target, place) and start <= place < end):
            place = index
    for _ in range(times):
        if ahead:
            place = text.find(target, next_char(text, place), end) if place < end else -1
        else:
            place = text.rfind(target, start, place) if place > start else -1
        if place < 0:
            return None
    if name == "t":
        place = prev_char(text, place)
    elif name == "T":
        place = next_char(text, place)
    return Motion(place, "inclusive" if ahead else "exclusive")
