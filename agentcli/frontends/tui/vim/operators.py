"""What an operator makes of a stretch of text. Pure."""

from collections.abc import Callable

from agentcli.frontends.tui.vim.chars import (
    at_end,
    first_word,
    in_indent,
    line_end,
    line_start,
    next_char,
    settle,
)
from agentcli.frontends.tui.vim.model import Change, Motion, Register, Span

OPERATORS = frozenset({"d", "c", "y", ">", "<", "g~", "gu", "gU"})
INDENT = 4


def span_of(text: str, index: int, motion: Motion, operator: str) -> Span:
    """The stretch between *index* and the end of *motion*, by vi's rules for line ends."""
    start, end = sorted((index, motion.target))
    if motion.shape == "lines":
        return Span(line_start(text, start), line_end(text, end), True)
    if motion.shape == "inclusive":
        end = end if at_end(text, end) else next_char(text, end)
    elif line_start(text, end) == end and "\n" in text[start:end]:
        if in_indent(text, start):
            return Span(line_start(text, start), end - 1, True)
        end -= 1
    if operator == "d" and "\n" in text[start:end] and in_indent(text, start):
        last = line_end(text, end)
        if not text[end:last].strip(" \t"):
            return Span(line_start(text, start), last, True)
    return Span(start, end)


def operate(operator: str, text: str, span: Span, times: int = 1) -> Change:
    """Apply *operator* to *span*. The cursor is where vi puts it, but for ``y`` at its start."""
    match operator:
        case "d":
            return delete(text, span)
        case "c":
            changed = text[: span.start] + text[span.end :]
            return Change(changed, span.start, True, _taken(text, span))
        case "y":
            return Change(text, span.start, register=_taken(text, span))
        case ">" | "<":
            return shift(text, span, times if operator == ">" else -times)
        case _:
            how = {"g~": str.swapcase, "gu": str.lower, "gU": str.upper}[operator]
            changed = _same_size(text[span.start : span.end], how)
            return Change(text[: span.start] + changed + text[span.end :], span.start)


def _taken(text: str, span: Span) -> Register:
    return Register(text[span.start : span.end], span.lines)


def _same_size(text: str, how: Callable[[str], str]) -> str:
    """Change the case of each character that has one of the same length."""
    pairs = ((char, how(char)) for char in text)
    return "".join(new if len(new) == 1 else old for old, new in pairs)


def swap_case(text: str) -> str:
    """Upper case for lower case and the other way round."""
    return _same_size(text, str.swapcase)


def delete(text: str, span: Span) -> Change:
    """Cut *span* out; whole lines with one line break."""
    if not span.lines:
        changed = text[: span.start] + text[span.end :]
        return Change(changed, settle(changed, span.start), register=_taken(text, span))
    start, end = span.start, span.end
    if end < len(text):
        end += 1
    elif start > 0:
        start -= 1
    changed = text[:start] + text[end:]
    cursor = first_word(changed, min(span.start, len(changed)))
    return Change(changed, cursor, register=_taken(text, span))


def shift(text: str, span: Span, times: int) -> Change:
    """Indent the lines of *span*, less if *times* is negative; empty ones stay empty."""
    start, end = line_start(text, span.start), line_end(text, max(span.start, span.end))
    lines = [_shifted(line, times) for line in text[start:end].split("\n")]
    changed = text[:start] + "\n".join(lines) + text[end:]
    return Change(changed, first_word(changed, start))


def _shifted(line: str, times: int) -> str:
    rest = line.lstrip(" \t")
    if not line:
        return line
    width = len(line[: len(line) - len(rest)].expandtabs(8))
    return " " * max(0, width + INDENT * times) + rest


def join(text: str, index: int, lines: int) -> Change | None:
    """Make one line of *lines*, blanks between them; None on the last line."""
    start = line_start(text, index)
    end = line_end(text, start)
    if end >= len(text):
        return None
    last = whole = text[start:end]
    cursor = start
    for _ in range(lines - 1):
        if end >= len(text):
            break
        following = end + 1
        end = line_end(text, following)
        piece = text[following:end].lstrip(" \t")
        cursor = start + len(whole)
        needs = piece and whole and piece[0] != ")" and last[-1:] not in (" ", "\t")
        whole += (" " if needs else "") + piece
        last = piece
    changed = text[:start] + whole + text[end:]
    return Change(changed, settle(changed, cursor))


def paste(text: str, index: int, register: Register, times: int, behind: bool) -> Change | None:
    """Put what was deleted or copied behind the cursor or before it; None if there is nothing."""
    if not register.text and not register.lines:
        return None
    if register.lines:
        block = "\n".join([register.text] * times)
        if behind:
            end = line_end(text, index)
            changed = text[:end] + "\n" + block + text[end:]
            return Change(changed, first_word(changed, end + 1))
        start = line_start(text, index)
        changed = text[:start] + block + "\n" + text[start:]
        return Change(changed, first_word(changed, start))
    at = next_char(text, index) if behind and not at_end(text, index) else index
    new = register.text * times
    changed = text[:at] + new + text[at:]
    cursor = at if "\n" in register.text else settle(changed, at + len(new) - 1)
    return Change(changed, cursor)
