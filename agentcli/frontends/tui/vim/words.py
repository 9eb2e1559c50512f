"""Motions by words, as vi counts them: w W b B e E. Pure."""

from agentcli.frontends.tui.vim.chars import (
    at_end,
    is_empty_line,
    kind,
    line_end,
    step_back,
    step_on,
)
from agentcli.frontends.tui.vim.model import Motion


def word_forward(text: str, index: int, count: int, big: bool, stays: bool) -> Motion:
    """To the start of a word. *stays*: for an operator, which ends with the last line it meets."""
    for left in reversed(range(count)):
        last_one = stays and left == 0
        on_last_line = line_end(text, index) == len(text)
        here = kind(text, index, big)
        step = step_on(text, index)
        if step is None:
            return Motion(index)
        index, crossed = step
        at_the_end = crossed or at_end(text, index)
        if at_the_end and on_last_line:
            return Motion(index)
        if at_the_end and last_one:
            return Motion(index)
        while here and kind(text, index, big) == here:
            step = step_on(text, index)
            if step is None:
                return Motion(index)
            index, crossed = step
            if last_one and (crossed or at_end(text, index)):
                return Motion(index)
        index, ended = _over_blanks(text, index, big, on_last_line)
        if ended:
            return Motion(index)
    return Motion(index)


def _over_blanks(text: str, index: int, big: bool, on_last_line: bool) -> tuple[int, bool]:
    """The next word or empty line, and whether the text ended before it."""
    while kind(text, index, big) == 0 and not is_empty_line(text, index):
        step = step_on(text, index)
        if step is None:
            return index, True
        index, crossed = step
        if on_last_line and (crossed or at_end(text, index)):
            return index, True
    return index, False


def word_back(text: str, index: int, count: int, big: bool) -> Motion:
    """To the start of this word or one before."""
    for _ in range(count):
        before = step_back(text, index)
        if before is None:
            return Motion(index, fails=True)
        index = before
        while kind(text, index, big) == 0 and not is_empty_line(text, index):
            before = step_back(text, index)
            if before is None:
                return Motion(index)
            index = before
        here = kind(text, index, big)
        while here and kind(text, index, big) == here:
            before = step_back(text, index)
            if before is None:
                return Motion(index)
            if kind(text, before, big) != here:
                break
            index = before
    return Motion(index)


def word_end(text: str, index: int, count: int, big: bool, within: bool = False) -> Motion:
    """To the last character of a word. *within*: this word counts even at its last character."""
    for _ in range(count):
        here = kind(text, index, big)
        step = step_on(text, index)
        if step is None:
            return Motion(index, "inclusive")
        index, _ = step
        if not (here and kind(text, index, big) == here):
            if within and here:
                index = step_back(text, index) or 0
                within = False
                continue
            while kind(text, index, big) == 0:
                step = step_on(text, index)
                if step is None:
                    return Motion(index, "inclusive")
                index, _ = step
        here = kind(text, index, big)
        while (step := step_on(text, index)) is not None and kind(text, step[0], big) == here:
            index, _ = step
        within = False
    return Motion(index, "inclusive")
