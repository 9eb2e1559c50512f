"""The commands of VISUAL and VISUAL LINE on what is selected. Pure."""

from dataclasses import dataclass

from agentcli.frontends.tui.vim.chars import (
    at_end,
    column,
    first_word,
    forward,
    line_end,
    line_start,
    next_char,
    settle,
)
from agentcli.frontends.tui.vim.model import Change, Register, Span
from agentcli.frontends.tui.vim.operators import INDENT, join, operate, shift
from agentcli.frontends.tui.vim.parse import Command

_OPERATOR = {
    "d": "d", "x": "d", "X": "d", "D": "d", "delete": "d",
    "y": "y", "Y": "y",
    "c": "c", "s": "c", "C": "c", "S": "c", "R": "c",
    "u": "gu", "U": "gU", "~": "g~", "gu": "gu", "gU": "gU", "g~": "g~",
}  # fmt: skip
_WHOLE_LINES = frozenset("XDYCSR")
_MOST_PASTED = 1_000_000


def selected(text: str, anchor: int, cursor: int, lines: bool) -> Span:
    """What is selected between the two ends, both of them included."""
    start, end = sorted((anchor, cursor))
    if lines:
        return Span(line_start(text, start), line_end(text, end), True)
    if at_end(text, end):
        return Span(start, min(len(text), end + 1))
    return Span(start, next_char(text, end))


def run_visual(command: Command, text: str, span: Span, register: Register) -> Change | None:
    """What *command* makes of the selection; None if it cannot be run."""
    name = command.name
    match name:
        case "p" | "P":
            change = _put(text, span, register, command.times)
            return change if name == "p" else Change(change.text, change.cursor)
        case "r":
            changed = _filled(text, span, command.character)
            return Change(changed, settle(changed, span.start))
        case ">" | "<":
            times = command.times if name == ">" else -command.times
            return shift(text, _lines(text, span), min(times, 1000 // INDENT))
        case "J":
            end = max(span.start, span.end - (0 if span.lines else 1))
            return join(text, span.start, max(2, text.count("\n", span.start, end) + 1))
        case _:
            if name in _WHOLE_LINES:
                span = _lines(text, span)
            change = operate(_OPERATOR[name], text, span)
            if change.inserts:
                return change
            return Change(change.text, settle(change.text, change.cursor), register=change.register)


def _lines(text: str, span: Span) -> Span:
    last = max(span.start, span.end - (0 if span.lines else 1))
    return Span(line_start(text, span.start), line_end(text, last), True)


def _filled(text: str, span: Span, character: str) -> str:
    pieces: list[str] = []
    place = span.start
    while place < span.end:
        pieces.append("\n" if text[place] == "\n" else character)
        place = next_char(text, place)
    return text[: span.start] + "".join(pieces) + text[span.end :]


def _put(text: str, span: Span, register: Register, times: int) -> Change:
    """The selection goes, what was copied comes; each is kept on lines of its own if it was."""
    times = min(times, max(1, _MOST_PASTED // max(1, len(register.text))))
    gone = Register(text[span.start : span.end], span.lines)
    if register.lines:
        block = "\n".join([register.text] * times)
        new = block if span.lines else f"\n{block}\n"
        start = span.start if span.lines else span.start + 1
        changed = text[: span.start] + new + text[span.end :]
        return Change(changed, first_word(changed, start), register=gone)
    new = register.text * times
    changed = text[: span.start] + new + text[span.end :]
    if span.lines:
        return Change(changed, settle(changed, span.start + max(0, len(new) - 1)), register=gone)
    cursor = span.start if "\n" in new else span.start + max(0, len(new) - 1)
    return Change(changed, settle(changed, cursor), register=gone)


@dataclass(frozen=True, slots=True)
class Extent:
    """The size of a selection, for the same again elsewhere."""

    lines_on: int
    characters: int
    lines: bool


def measure(text: str, span: Span) -> Extent:
    """The size of *span*: the characters are counted in its last line."""
    last = max(span.start, span.end - 1)
    lines_on = text.count("\n", span.start, last if not span.lines else span.end)
    begin = span.start if not lines_on else line_start(text, last)
    return Extent(lines_on, column(text, last) - column(text, begin) + 1, span.lines)


def same_again(text: str, index: int, extent: Extent) -> Span:
    """A stretch of that size from *index* on."""
    place = index
    for _ in range(extent.lines_on):
        end = line_end(text, place)
        if end >= len(text):
            break
        place = end + 1
    if extent.lines:
        return Span(line_start(text, index), line_end(text, place), True)
    return Span(index, forward(text, place, extent.characters))
