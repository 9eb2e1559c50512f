"""Keys as keybindings.json writes them (``ctrl+e``, ``K``, ``meta+p``), and as Textual names them.

One written key can arrive under several names: terminals do not agree on Alt, on Ctrl+Space, or on
what Ctrl with a sign sends.
"""

import unicodedata
from itertools import product

from textual.keys import KEY_NAME_REPLACEMENTS, REPLACED_KEYS, key_to_character

_MODIFIERS = {
    "ctrl": "ctrl",
    "control": "ctrl",
    "alt": "alt",
    "opt": "alt",
    "option": "alt",
    "meta": "alt",
    "shift": "shift",
    "cmd": "super",
    "command": "super",
    "super": "super",
    "win": "super",
}
_NAMES = {
    "return": "enter",
    "esc": "escape",
    "pgup": "pageup",
    "pgdn": "pagedown",
    "page_up": "pageup",
    "page_down": "pagedown",
    "del": "delete",
    "ins": "insert",
    **{name: name for name in ("enter", "escape", "tab", "space", "backspace", "delete", "insert")},
    **{name: name for name in ("up", "down", "left", "right", "home", "end")},
    **{name: name for name in ("pageup", "pagedown")},
    **{f"f{number}": f"f{number}" for number in range(1, 25)},
}
_SAME = (
    ("ctrl+space", "ctrl+@", "ctrl+at"),
    ("ctrl+underscore", "ctrl+shift+minus", "ctrl+shift+underscore"),
    # where keys are not reported, Ctrl+/ arrives as Ctrl+_
    ("ctrl+slash", "ctrl+underscore"),
)
_FIXED = {
    "ctrl+c": "it always interrupts",
    "ctrl+d": "it always deletes or quits",
    "ctrl+m": "it arrives as enter",
    "ctrl+i": "it arrives as tab",
    "ctrl+left_square_bracket": "it arrives as escape",
    "ctrl+h": "it arrives as backspace",
}
_LONGEST_CHORD = 4


class BadKey(ValueError):
    """A text that names no key which can be bound; the message says why."""


def parse_chord(text: str) -> list[tuple[str, ...]]:
    """The chords, as Textual names them, that the written chord may arrive as: the usual one
    first. Raises ``BadKey``. Pure."""
    parts = text.split()
    if not parts:
        raise BadKey("no key")
    if len(parts) > _LONGEST_CHORD:
        raise BadKey(f"more than {_LONGEST_CHORD} keys in a chord")
    return list(product(*(_parse_key(part) for part in parts)))


def _parse_key(text: str) -> tuple[str, ...]:
    head, key = ("", text) if len(text) == 1 else _split(text)
    modifiers: set[str] = set()
    for word in head.split("+") if head else ():
        if (modifier := _MODIFIERS.get(word.lower())) is None:
            raise BadKey(f"{word} is no modifier (ctrl, alt, shift, cmd)")
        modifiers.add(modifier)
    name = _name(key, modifiers)
    full = "+".join((*sorted(modifiers), name))
    if full in _FIXED:
        raise BadKey(f"reserved, {_FIXED[full]}")
    names = next((same for same in _SAME if same[0] == full), None)
    if names is None:
        rest = next((same for same in _SAME if full in same), ())
        names = (full, *(other for other in rest if other != full))
    if "alt" in modifiers:
        others = "+".join((*sorted(modifiers - {"alt"} | {"meta"}), name))
        names = (*names, others)
    return names


def _split(text: str) -> tuple[str, str]:
    """Modifiers and the key itself, which may be a plus sign."""
    if text.endswith("++"):
        return text[:-2], "+"
    head, _, key = text.rpartition("+")
    return head, key


def _name(key: str, modifiers: set[str]) -> str:
    """Textual's name of the key; an upper-case letter is left for what needs Shift."""
    if len(key) == 1:
        if modifiers - {"shift"}:
            return character_name(key.lower())
        if "shift" in modifiers:
            if not key.isalpha():
                raise BadKey(f"write the character that shift+{key} types")
            modifiers.discard("shift")
            key = key.upper()
        return character_name(key)
    lower = key.lower()
    if lower in {"capslock", "caps_lock", "caps"}:
        raise BadKey("reserved, terminals do not report it")
    if lower in {"wheelup", "wheeldown"}:
        raise BadKey("not available here, the wheel always scrolls")
    if lower in _NAMES:
        return _NAMES[lower]
    character = _character(lower)
    if character is None or not character.isprintable():
        raise BadKey(f"{key or 'nothing'} is no key")
    return character_name(character)


def character_name(character: str) -> str:
    """Textual's name of the key that types *character*: ``question_mark`` for ``?``. Pure."""
    if character.isalnum():
        return character
    try:
        name = unicodedata.name(character).lower().replace("-", "_").replace(" ", "_")
    except ValueError:
        return character
    return KEY_NAME_REPLACEMENTS.get(name, name)


def _character(name: str) -> str | None:
    return key_to_character(REPLACED_KEYS.get(name, name))


def types_text(key: str) -> bool:
    """Does Textual's *key* type a character? Pure."""
    if "+" in key or key in _NAMES:
        return key == "space"
    character = _character(key)
    return character is not None and character.isprintable()


def write_key(key: str) -> str:
    """Textual's *key* as keybindings.json writes it: ``ctrl+/``, ``shift+k``. Pure."""
    *modifiers, name = key.split("+")
    if name not in _NAMES:
        name = "space" if name == "@" else _character(name) or name
    if len(name) == 1 and name.isalpha() and name.isupper():
        modifiers, name = [*modifiers, "shift"], name.lower()
    return "+".join((*modifiers, name))
