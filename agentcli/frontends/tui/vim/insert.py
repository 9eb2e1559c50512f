"""INSERT as it goes on, and what was typed in it, to do the same again."""

from dataclasses import dataclass

from agentcli.frontends.tui.vim.chars import backward, forward, line_start, prev_char
from agentcli.frontends.tui.vim.model import Change, difference
from agentcli.frontends.tui.vim.parse import Command
from agentcli.frontends.tui.vim.visual import Extent


@dataclass(frozen=True, slots=True)
class Typed:
    """Relative to where INSERT began: characters taken before and behind, and what came there."""

    taken_before: int = 0
    taken_behind: int = 0
    new: str = ""

    @property
    def only_adds(self) -> bool:
        return not self.taken_before and not self.taken_behind and bool(self.new)


@dataclass(slots=True)
class Inserting:
    """INSERT as it goes on: the command that began it, and how things were."""

    command: Command | None
    before: tuple[str, int]
    text: str
    began: int
    extent: Extent | None = None


@dataclass(slots=True)
class Again:
    """The last change, for ``.``."""

    command: Command
    typed: Typed | None = None
    extent: Extent | None = None


def what_was_typed(before: str, began: int, after: str) -> Typed:
    """The difference that INSERT made to *before*, in which it began at *began*. Pure."""
    edit = difference(before, after, began)
    if edit is None:
        return Typed()
    if edit.start > began or edit.end < began:
        # somewhere else: the cursor was moved meanwhile
        return Typed(new=edit.new)
    return Typed(began - edit.start, edit.end - began, edit.new)


def type_again(text: str, index: int, typed: Typed) -> Change:
    """Do at *index* what was *typed*; the cursor stands behind it. Pure."""
    start = backward(text, index, typed.taken_before)
    end = forward(text, index, typed.taken_behind)
    return Change(text[:start] + typed.new + text[end:], start + len(typed.new))


def leave(text: str, index: int) -> int:
    """Where the cursor goes at the end of INSERT. Pure."""
    return prev_char(text, index) if index > line_start(text, index) else index


def count_insert(
    command: Command, typed: Typed, times: int, text: str, place: int
) -> tuple[str, int]:
    """What a count before an insert adds: the same text again, on lines of its own for o and O."""
    times = min(times, max(0, 1_000_000 // max(1, len(typed.new))))
    if times <= 0:
        return text, place
    new = ("\n" + typed.new if command.name in "oO" else typed.new) * times
    return text[:place] + new + text[place:], place + len(new)
