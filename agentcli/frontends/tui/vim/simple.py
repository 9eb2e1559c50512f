"""The commands of NORMAL that change the text or copy from it. Pure."""

from agentcli.frontends.tui.vim.chars import (
    at_end,
    backward,
    first_word,
    forward,
    line_end,
    line_start,
    next_char,
    settle,
)
from agentcli.frontends.tui.vim.model import Change, Motion, Register, Span
from agentcli.frontends.tui.vim.motions import Memory, move
from agentcli.frontends.tui.vim.objects import find_object
from agentcli.frontends.tui.vim.operators import delete, join, operate, paste, span_of, swap_case
from agentcli.frontends.tui.vim.parse import Command

_MOST_PASTED = 1_000_000
INSERTING = frozenset("iaIAoO")
_CUTS = frozenset("xXsSDC") | {"delete"}


def run_simple(command: Command, text: str, index: int, register: Register) -> Change | None:
    """What *command* makes of the text; None if it cannot be run here."""
    name, times = command.name, command.times
    if name in INSERTING:
        return _begin_insert(name, text, index)
    if name in _CUTS:
        return _cut(name, text, index, times)
    match name:
        case "Y":
            lines = lines_at(text, index, times)
            return lines and Change(text, index, register=operate("y", text, lines).register)
        case "p" | "P":
            times = min(times, max(1, _MOST_PASTED // max(1, len(register.text))))
            return paste(text, index, register, times, name == "p")
        case "r":
            return _replace(text, index, times, command.character)
        case "~":
            end = forward(text, index, times)
            changed = text[:index] + swap_case(text[index:end]) + text[end:]
            return Change(changed, settle(changed, end)) if end > index else None
        case "J":
            return join(text, index, max(2, times))
        case _:
            return None


def _cut(name: str, text: str, index: int, times: int) -> Change | None:
    """x X s S D C: they take characters or lines from where the cursor is."""
    if name in {"S", "D", "C"}:
        lines = lines_at(text, index, times)
        if lines is None:
            return None
        operator = "d" if name == "D" else "c"
        to_the_end = span_of(text, index, Motion(lines.end, "inclusive"), operator)
        return operate(operator, text, lines if name == "S" else to_the_end)
    if name == "X":
        start = backward(text, index, times)
        return delete(text, Span(start, index)) if start < index else None
    end = forward(text, index, times)
    if name == "s":
        return operate("c", text, Span(index, end))
    return delete(text, Span(index, end)) if end > index else None


def lines_at(text: str, index: int, count: int) -> Span | None:
    """*count* whole lines from this one on, as many as there are; None if more than one are wanted
    on the last line."""
    end = line_end(text, index)
    if count > 1 and end >= len(text):
        return None
    for _ in range(count - 1):
        if end >= len(text):
            break
        end = line_end(text, end + 1)
    return Span(line_start(text, index), end, True)


def _begin_insert(name: str, text: str, index: int) -> Change:
    start, end = line_start(text, index), line_end(text, index)
    match name:
        case "i":
            return Change(text, index, True)
        case "a":
            return Change(text, index if at_end(text, index) else next_char(text, index), True)
        case "I":
            line = text[start:end]
            return Change(text, start + len(line) - len(line.lstrip(" \t")), True)
        case "A":
            return Change(text, end, True)
        case "o":
            return Change(text[:end] + "\n" + text[end:], end + 1, True)
        case _:
            return Change(text[:start] + "\n" + text[start:], start, True)


def _replace(text: str, index: int, times: int, character: str) -> Change | None:
    end = index
    for _ in range(times):
        if at_end(text, end):
            return None
        end = next_char(text, end)
    if character == "\n":
        changed = text[:index] + "\n" + text[end:]
        return Change(changed, settle(changed, index + 1))
    changed = text[:index] + character * times + text[end:]
    return Change(changed, index + (times - 1) * len(character))


def run_operator(command: Command, text: str, cursor: int, memory: Memory) -> Change | None:
    """What the operator of *command* makes of the text; None if its motion leads nowhere."""
    operator = command.operator
    if command.name == "line":
        span = lines_at(text, cursor, command.times)
        if span is None:
            return None
        change = operate(operator, text, span)
        if operator == "y":
            return Change(change.text, cursor, register=change.register)
        if len(operator) == 2:
            return Change(change.text, min(cursor, first_word(change.text, span.start)))
        return change
    begin = cursor
    if command.name[0] in "ia" and len(command.name) == 2:
        found = find_object(command.name, command.times, text, cursor)
        if found is None:
            return None
        begin, motion = found
    else:
        motion = move(
            command.name, command.character, command.count, text, cursor, memory, operator
        )
    if motion is None:
        return None
    if motion.fails:
        return Change(text, settle(text, motion.target))
    change = operate(operator, text, span_of(text, begin, motion, operator))
    if operator == "y" or len(operator) == 2:
        cursor = settle(change.text, min(begin, motion.target))
        return Change(change.text, cursor, register=change.register)
    return change
