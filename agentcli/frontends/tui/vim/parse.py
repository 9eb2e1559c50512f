"""Reads typed keys into one command: count, operator, motion or object, character. Pure."""

from dataclasses import dataclass

from agentcli.frontends.tui.vim.motions import KEYS, NAMES, TAKES_CHARACTER
from agentcli.frontends.tui.vim.objects import OBJECTS
from agentcli.frontends.tui.vim.operators import OPERATORS

SIMPLE = frozenset("iaIAoOvVxXDCsSYpPr~Ju./") | {"ctrl+r", "delete"}
VISUAL = frozenset("dxXDycsCSRYpPr~uUoOvVJ><") | {"g~", "gu", "gU", "delete"}
_MOST = 9999
_CHARACTERS = {"enter": "\n", "tab": "\t"}


@dataclass(frozen=True, slots=True)
class Command:
    """``name`` is a motion, an object, a simple command, or ``line`` for a doubled operator."""

    name: str
    count: int | None = None
    operator: str = ""
    character: str = ""

    @property
    def times(self) -> int:
        return self.count or 1


class _MoreNeeded(Exception):
    """The command is not complete yet."""


class _Keys:
    def __init__(self, keys: list[str]) -> None:
        self._keys = keys
        self._at = 0

    def take(self) -> str:
        if self._at >= len(self._keys):
            raise _MoreNeeded
        self._at += 1
        key = self._keys[self._at - 1]
        if key == "g":
            if self._at >= len(self._keys):
                raise _MoreNeeded
            self._at += 1
            key += self._keys[self._at - 1]
        return key

    def count(self) -> int | None:
        digits = ""
        while self._at < len(self._keys):
            key = self._keys[self._at]
            if not (len(key) == 1 and key in "0123456789") or (key == "0" and not digits):
                break
            digits += key
            self._at += 1
        return min(int(digits[:6]), _MOST) if digits else None

    def character(self) -> str:
        """The character of f, t or r; "" for a key that is none."""
        if self._at >= len(self._keys):
            raise _MoreNeeded
        self._at += 1
        key = self._keys[self._at - 1]
        key = _CHARACTERS.get(key, key)
        return key if len(key) == 1 or not key.isascii() else ""


def parse(keys: list[str], visual: bool) -> Command | bool | None:
    """The command; True while it is not complete, None if there is no such command."""
    try:
        return _read(_Keys(keys), visual)
    except _MoreNeeded:
        return True


def _read(keys: _Keys, visual: bool) -> Command | None:
    count = keys.count()
    name = keys.take()
    if not visual and name in OPERATORS:
        return _read_operator(keys, name, count)
    if visual and name in {"i", "a"}:
        return _read_object(keys, name, count, "")
    if name in NAMES:
        return _read_motion(keys, name, count, "")
    if name not in (VISUAL if visual else SIMPLE):
        return None
    character = keys.character() if name == "r" else ""
    return Command(name, count, "", character) if character or name != "r" else None


def _read_operator(keys: _Keys, operator: str, before: int | None) -> Command | None:
    inner = keys.count()
    count = min((before or 1) * (inner or 1), _MOST) if before or inner else None
    name = keys.take()
    if name == operator or (len(operator) == 2 and name == operator[1]):
        return Command("line", count, operator)
    if name in {"i", "a"}:
        return _read_object(keys, name, count, operator)
    return _read_motion(keys, name, count, operator) if name in NAMES else None


def _read_object(keys: _Keys, name: str, count: int | None, operator: str) -> Command | None:
    what = keys.take()
    return Command(name + what, count, operator) if what in OBJECTS else None


def _read_motion(keys: _Keys, name: str, count: int | None, operator: str) -> Command | None:
    character = ""
    if name in TAKES_CHARACTER and not (character := keys.character()):
        return None
    return Command(KEYS.get(name, name), count, operator, character)
