"""Which action a key means: bindings of several contexts, chords, and what the person changed."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

Chord = tuple[str, ...]
"""Keys one after the other, as Textual names them: ``("ctrl+x", "ctrl+e")``."""
Bindings = Mapping[str, Mapping[Chord, str | None]]
"""Context → chord → name of an action; None: the keys mean nothing there."""

_CHORD_SECONDS = 1.5
_ALWAYS_ALONE = frozenset({"ctrl+c", "ctrl+d"})
"""They stop something whatever was typed before them."""


class Pressed(NamedTuple):
    """What a key led to: an action, or the begin of a chord (``pending``), or nothing (both
    empty): it continues no chord, or was taken away, and is used up by that."""

    action: str = ""
    pending: Chord = ()


class Keymap:
    """Bindings with the state of a chord that is being typed."""

    def __init__(self, defaults: Bindings, changes: Bindings | None = None) -> None:
        self._tables = {name: dict(table) for name, table in defaults.items()}
        for name, table in (changes or {}).items():
            self._tables.setdefault(name, {}).update(table)
        self._long = {
            name: [chord for chord in table if len(chord) > 1]
            for name, table in self._tables.items()
        }
        self._pending: Chord = ()
        self._since = 0.0

    def press(self, contexts: Sequence[str], key: str, now: float) -> Pressed | None:
        """What *key* means in *contexts* (the nearest first) at the time *now* in seconds; None
        where it is bound to nothing and the focused widget may have it. Keeps the begin of a chord
        for the next call; a key that begins a chord means nothing else."""
        begun = self._pending if now - self._since <= _CHORD_SECONDS else ()
        if key in _ALWAYS_ALONE:
            begun = ()
        self._pending = ()
        chord = (*begun, key)
        if self._continues(contexts, chord):
            self._pending, self._since = chord, now
            return Pressed(pending=chord)
        action = self._find(contexts, chord)
        if action:
            return Pressed(action)
        return Pressed() if begun or (action == "" and _is_taken_away(key)) else None

    @property
    def pending(self) -> Chord:
        """The begin of a chord that was typed, () if there is none."""
        return self._pending

    def drop_chord(self) -> None:
        """Forget the begin of a chord: what comes next is a key of its own."""
        self._pending = ()

    def meaning(self, contexts: Sequence[str], key: str) -> str:
        """The action of *key* pressed alone in *contexts*; "" if it has none. Pure."""
        return self._find(contexts, (key,)) or ""

    def _find(self, contexts: Sequence[str], chord: Chord) -> str | None:
        """The action; "" where the nearest context that knows the chord has it taken away."""
        for context in contexts:
            table = self._tables.get(context, {})
            if chord in table:
                return table[chord] or ""
        return None

    def _continues(self, contexts: Sequence[str], chord: Chord) -> bool:
        length = len(chord)
        return any(
            len(known) > length and known[:length] == chord and self._find(contexts, known)
            for context in contexts
            for known in self._long.get(context, ())
        )

    def keys_of(self, action: str) -> list[Chord]:
        """The chords that lead to *action*, in the order of the bindings."""
        found = (
            chord
            for table in self._tables.values()
            for chord, name in table.items()
            if name == action
        )
        return list(dict.fromkeys(found))


def _is_taken_away(key: str) -> bool:
    """Does a key that the person has unbound do nothing at all? Not where it types a text. Pure."""
    from agentcli.frontends.tui.keymap.notation import types_text

    return not types_text(key)


def default_bindings(actions: Iterable[tuple[str, str, Sequence[str]]]) -> Bindings:
    """Bindings from (context, action, key texts such as ``ctrl+x ctrl+e``). Pure."""
    tables: dict[str, dict[Chord, str | None]] = {}
    for context, name, keys in actions:
        for key in keys:
            tables.setdefault(context, {})[tuple(key.split())] = name
    return tables


_SHOWN = {
    "question_mark": "?",
    "slash": "/",
    "underscore": "_",
    "space": "space",
    "escape": "esc",
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "exclamation_mark": "!",
    "at": "@",
}


def show_chord(chord: Chord) -> str:
    """A chord as help shows it: ``ctrl+x ctrl+e``, ``?``, ``esc``. Pure."""
    return " ".join("+".join(_show_part(part) for part in key.split("+")) for key in chord)


def _show_part(part: str) -> str:
    if part.startswith("upper_") and len(part) == 7:
        return part[-1].upper()
    return _SHOWN.get(part, part.replace("_", " "))
