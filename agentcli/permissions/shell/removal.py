"""``rm`` and ``rmdir`` of what must never go unasked: the system, the home, the project itself."""

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass

from agentcli.permissions.paths import PathProbe, normal, spell
from agentcli.permissions.protected import is_critical

_NAMES = frozenset({"rm", "rmdir"})
_KNOWN_VARIABLES = re.compile(r"\$(?:\{(HOME|PWD)\}|(HOME|PWD)\b)")
_UNDER_VARIABLE = re.compile(r"\$(\w+|[@*#]|\{[^}]*\})/+(\.?[*?\[{].*)?", re.DOTALL)
_GLOB = re.compile(r"[*?\[{]")
_BRACES = re.compile(r"[{},]")
_MATCH_ALL = re.compile(r"\.?[*?\[\]!.]*[*?][*?\[\]!.]*")
_BLIND_ENDS = re.compile(r"[;&|\n(){}`,<>]")
_BLIND_DROPPED = str.maketrans("", "", "'\"\\")


@dataclass(frozen=True, slots=True)
class Places:
    """``bases``: where a relative operand may start; ``roots``: the folders that must stay."""

    bases: tuple[str, ...]
    roots: tuple[str, ...]
    home: str


def critical_removal(
    commands: Iterable[tuple[str, ...]], places: Places, probe: PathProbe
) -> str | None:
    """The operand of ``rm``/``rmdir`` that is critical, else None. Pure but for *probe*."""
    for words in commands:
        if posixpath.basename(words[0]) not in _NAMES:
            continue
        only_operands = False
        for word in words[1:]:
            if word == "--":
                only_operands = True
            elif (only_operands or not word.startswith("-")) and _is_critical(word, places, probe):
                return word
    return None


def blind_commands(text: str) -> list[tuple[str, ...]]:
    """Everything in *text* behind the word ``rm`` or ``rmdir``, quotes ignored. Pure.

    For texts that were not fully understood: a removal must not hide in a quote or a construct.
    """
    found: list[tuple[str, ...]] = []
    joined = text.replace("\\\n", "").translate(_BLIND_DROPPED)
    for piece in _BLIND_ENDS.split(joined):
        words = piece.split()
        at = next((at for at, word in enumerate(words) if posixpath.basename(word) in _NAMES), None)
        if at is not None:
            found.append(tuple(words[at:]))
    return found


def _is_critical(word: str, places: Places, probe: PathProbe) -> bool:
    if _UNDER_VARIABLE.fullmatch(word):
        return True
    if "{" in word and "$" not in word:
        alternatives = [part for part in _BRACES.split(word) if part]
        if any(_is_critical(part, places, probe) for part in alternatives):
            return True
    for base in places.bases:
        path = _KNOWN_VARIABLES.sub(
            lambda found, base=base: places.home if "HOME" in found.group() else base, word
        )
        glob = _GLOB.search(path)
        if glob:
            if _glob_is_critical(path, glob.start(), base, places):
                return True
            continue
        if not path:
            continue
        names = spell(path, base, places.home, probe).names
        if any(is_critical(name, places.roots, places.home) for name in names):
            return True
    return False


def _glob_is_critical(path: str, at: int, base: str, places: Places) -> bool:
    """A glob in a critical folder; in a working folder itself only one that matches all."""
    head, _, _ = path[:at].rpartition("/")
    rest = path[len(head) :].strip("/")
    if path.startswith("~/"):
        head = places.home + head[1:]
    folder = normal(posixpath.join(base, head)) if not path.startswith("/") else normal(head)
    if folder in places.roots:
        return _MATCH_ALL.fullmatch(rest) is not None
    return is_critical(folder, places.roots, places.home)
