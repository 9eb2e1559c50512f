"""What the vim keys work with: modes, the register, a stretch of text, and what a key led to."""

from dataclasses import dataclass
from typing import Literal

Mode = Literal["INSERT", "NORMAL", "VISUAL", "VISUAL LINE"]
Shape = Literal["exclusive", "inclusive", "lines"]
"""How a motion counts its last character, or that it means whole lines."""
Ask = Literal["history:search", "history:previous", "history:next"]
"""What the window should do."""


@dataclass(frozen=True, slots=True)
class Motion:
    """Where a motion leads. ``fails``: not as far as was asked for, an operator does nothing."""

    target: int
    shape: Shape = "exclusive"
    fails: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """``text[start:end]``; of whole lines without the line break behind the last of them."""

    start: int
    end: int
    lines: bool = False


@dataclass(frozen=True, slots=True)
class Register:
    """What was deleted or copied last; ``lines`` has no line break at its end."""

    text: str = ""
    lines: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """What a command makes of the text. ``inserts``: it goes on in INSERT."""

    text: str
    cursor: int
    inserts: bool = False
    register: Register | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """``text[start:end]`` becomes ``new``."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class VimResult:
    """What a key led to. Not ``taken``: the key is for somebody else, nothing changed here.

    ``cursor`` is an index after ``edit``; in NORMAL the cursor stands on that character.
    ``selection`` is the stretch to show as selected; ``yank`` is text that was copied or deleted.
    """

    taken: bool
    cursor: int
    mode: Mode
    edit: Edit | None = None
    selection: tuple[int, int] | None = None
    yank: str | None = None
    ask: Ask | None = None


def difference(old: str, new: str, near: int) -> Edit | None:
    """The one edit that makes *new* of *old*, None if they are the same; where several would do,
    the one that begins at *near* or before it. Pure."""
    if old == new:
        return None
    most = min(len(old), len(new))
    before = _common(old, new, min(near, most))
    behind = _common(old[before:][::-1], new[before:][::-1], most - before)
    if before == near:
        before += _common(old[before:], new[before:], most - before - behind)
    return Edit(before, len(old) - behind, new[before : len(new) - behind])


def _common(left: str, right: str, most: int) -> int:
    """How many characters at the begin are the same, *most* of them at most."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
