"""Reading options against a positive list: what is not listed is not understood."""

import re
from dataclasses import dataclass

_NUMBER = re.compile(r"-\d+")


@dataclass(frozen=True, slots=True)
class Flags:
    """The options of a command that only read.

    ``short`` letters take no value, ``valued`` letters take one; ``long`` names take none or an
    attached one, ``long_valued`` need one. ``numeric`` accepts ``-20``.
    """

    short: str = ""
    valued: str = ""
    long: frozenset[str] = frozenset()
    long_valued: frozenset[str] = frozenset()
    numeric: bool = False


@dataclass(slots=True)
class Parsed:
    """What was given: options by name with their value ("" for none), and the operands."""

    options: dict[str, str]
    operands: list[str]


def flags(
    short: str = "", valued: str = "", long: str = "", long_valued: str = "", numeric: bool = False
) -> Flags:
    """``Flags`` from blank-separated lists. Pure."""
    return Flags(short, valued, frozenset(long.split()), frozenset(long_valued.split()), numeric)


def parse(words: tuple[str, ...], allowed: Flags) -> Parsed | None:
    """Options and operands of *words* (without the name), None where anything is unknown. Pure."""
    parsed = Parsed({}, [])
    queue = list(words[::-1])
    while queue:
        word = queue.pop()
        if word == "--":
            parsed.operands.extend(queue[::-1])
            break
        if not word.startswith("-") or word == "-":
            parsed.operands.append(word)
        elif word.startswith("--"):
            if not _take_long(word[2:], allowed, queue, parsed):
                return None
        elif not (allowed.numeric and _NUMBER.fullmatch(word)) and not _take_short(
            word[1:], allowed, queue, parsed
        ):
            return None
    return parsed


def _take_long(word: str, allowed: Flags, queue: list[str], parsed: Parsed) -> bool:
    name, equals, value = word.partition("=")
    if name in allowed.long:
        parsed.options[name] = value
        return True
    if name not in allowed.long_valued:
        return False
    if not equals:
        if not queue:
            return False
        value = queue.pop()
    parsed.options[name] = value
    return True


def _take_short(letters: str, allowed: Flags, queue: list[str], parsed: Parsed) -> bool:
    for at, letter in enumerate(letters):
        if letter in allowed.short:
            parsed.options[letter] = ""
            continue
        if letter not in allowed.valued:
            return False
        value = letters[at + 1 :]
        if not value:
            if not queue:
                return False
            value = queue.pop()
        parsed.options[letter] = value
        return True
    return True
