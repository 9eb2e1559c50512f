"""Steps over a text: characters as they are seen, lines, and the kinds of characters. Pure.

The end of a line is a place of its own, as in vi: the index of its line break, or of the end of the
text. NORMAL never rests there unless the line is empty.
"""

import unicodedata

from agentcli.frontends.tui.composer.graphemes import cluster_end, cluster_start

_CJK = (
    (0x3040, 0x309F, 10),
    (0x30A0, 0x30FF, 11),
    (0x3400, 0x4DBF, 12),
    (0x4E00, 0x9FFF, 12),
    (0xAC00, 0xD7A3, 13),
    (0xF900, 0xFAFF, 12),
    (0x20000, 0x3FFFF, 12),
    (0x1F000, 0x1FAFF, 3),
    (0x2600, 0x27BF, 3),
)


def line_start(text: str, index: int) -> int:
    """The first place of the line."""
    return text.rfind("\n", 0, index) + 1


def line_end(text: str, index: int) -> int:
    """The end of the line: its line break, or the end of the text."""
    found = text.find("\n", index)
    return len(text) if found < 0 else found


def at_end(text: str, index: int) -> bool:
    """Is this the end of a line?"""
    return index >= len(text) or text[index] == "\n"


def next_char(text: str, index: int) -> int:
    """The place behind the character at *index*, with all that is drawn together with it."""
    return cluster_end(text, index) if index < len(text) else len(text)


def prev_char(text: str, index: int) -> int:
    """The place of the character before *index*; 0 at the begin."""
    return cluster_start(text, index - 1) if index > 0 else 0


def forward(text: str, index: int, count: int) -> int:
    """*count* characters on, the end of the line at most."""
    for _ in range(min(count, len(text))):
        if at_end(text, index):
            break
        index = next_char(text, index)
    return index


def backward(text: str, index: int, count: int) -> int:
    """*count* characters back, the start of the line at most."""
    start = line_start(text, index)
    for _ in range(min(count, len(text))):
        if index <= start:
            break
        index = prev_char(text, index)
    return index


def settle(text: str, index: int) -> int:
    """Where NORMAL may rest: not at the end of a line that has characters."""
    index = max(0, min(index, len(text)))
    if at_end(text, index) and index > line_start(text, index):
        return prev_char(text, index)
    return index


def first_word(text: str, index: int) -> int:
    """The first character of the line that is no blank; its last one if there is none."""
    start, end = line_start(text, index), line_end(text, index)
    line = text[start:end]
    place = start + len(line) - len(line.lstrip(" \t"))
    return settle(text, place)


def kind(text: str, index: int, big: bool) -> int:
    """0: a blank or the end of a line, else a number that is the same within a word."""
    if at_end(text, index) or text[index] in " \t":
        return 0
    if big:
        return 1
    char = text[index]
    if char == "_" or (char.isascii() and char.isalnum()):
        return 2
    if char.isascii():
        return 1
    code = ord(char)
    for first, last, number in _CJK:
        if first <= code <= last:
            return number
    return 2 if char.isalnum() or unicodedata.combining(char) else 1


def step_on(text: str, index: int) -> tuple[int, bool] | None:
    """The next place, ends of lines included, and whether it is on the next line; None at the
    end."""
    if index >= len(text):
        return None
    if text[index] == "\n":
        return index + 1, True
    return next_char(text, index), False


def step_back(text: str, index: int) -> int | None:
    """The place before, ends of lines included; None at the begin."""
    if index <= 0:
        return None
    if text[index - 1] == "\n":
        return index - 1
    return prev_char(text, index)


def is_empty_line(text: str, index: int) -> bool:
    """Is *index* on a line without a character?"""
    return at_end(text, index) and line_start(text, index) == index


def column(text: str, index: int) -> int:
    """How many characters stand before *index* on its line."""
    place, count = line_start(text, index), 0
    if text[place:index].isascii():
        return index - place
    while place < index:
        place, count = next_char(text, place), count + 1
    return count


def line_of(text: str, number: int) -> int:
    """The start of line *number* from 0; of the last one if there are fewer."""
    place = 0
    for _ in range(number):
        found = text.find("\n", place)
        if found < 0:
            break
        place = found + 1
    return place


def in_indent(text: str, index: int) -> bool:
    """Is there nothing but blanks before *index* on its line?"""
    return not text[line_start(text, index) : index].strip(" \t")
