"""The ways in which terminals encode keys, brought into one; the same inside of a paste. Pure."""

import re

_KEY = re.compile(
    r"\x1b\[(\d+)(?::(\d*))?(?::\d*)?(?:;(\d*)(?::(\d*))?(?:;([\d:]*))?)?([u~A-FHPQRS])"
)
_SHIFT, _ALT, _CTRL, _CAPS = 1, 2, 4, 64
_KNOWN_MODIFIERS = 63
_RELEASED = "3"
_PRIVATE_USE = range(57344, 63744)
_NOISE = re.compile(r"\x1b\[(?:[IO]|<-?\d+;-?\d+;-?\d+[Mm]|20[01]~|\?997;\d+n)")
_KEY_IN_PASTE = re.compile(
    r"\x1b\[(?:27;(?P<mods>\d+);(?P<code>\d+)~|(?P<kitty>\d+)(?:;(?P<kitty_mods>\d*))?u)"
)


def normal_key(sequence: str) -> str | None:
    """A key report as ``CSI code;modifiers;text u`` with at most these three, as Textual reads it.

    "" is for reports that are no key press (a release, or nonsense); None is for what needs no
    change: keys without extras, and whatever is no key at all.
    """
    found = _KEY.fullmatch(sequence)
    if found is None:
        return None
    code, shifted, modifiers, event, text, end = found.groups(default="")
    if end == "~" and code == "27" and text:
        # modifyOtherKeys: CSI 27 ; modifiers ; code ~
        code, text, end = text, "", "u"
    elif end != "u":
        if ":" not in sequence:
            return None
        return "" if event == _RELEASED else f"\x1b[{code};{_plain_modifiers(modifiers)}{end}"
    if event == _RELEASED or not _is_character(code):
        return ""
    bits = max(int(modifiers or "1") - 1, 0)
    number = int(code)
    if number == 8:
        number = 127
    if bits & _CTRL:
        number = ord(chr(number).lower()) if len(chr(number).lower()) == 1 else number
    points = [point for point in text.split(":") if point]
    if not all(_is_character(point) and int(point) >= 32 for point in points):
        return ""
    if not points and number >= 32 and number != 127 and number not in _PRIVATE_USE:
        points = _typed(number, shifted, bits)
    tail = f";{':'.join(points)}" if points else ""
    return f"\x1b[{number};{(bits & _KNOWN_MODIFIERS) + 1}{tail}u"


def _typed(number: int, shifted: str, bits: int) -> list[str]:
    """The character that the key types where the terminal does not tell it."""
    if bits & ~(_SHIFT | _CAPS | 128):
        return []
    if not bits & (_SHIFT | _CAPS):
        return [str(number)]
    if bits & _SHIFT and _is_character(shifted):
        return [shifted]
    upper = chr(number).upper()
    return [str(ord(upper)) if len(upper) == 1 else str(number)]


def _plain_modifiers(modifiers: str) -> int:
    return ((max(int(modifiers or "1") - 1, 0)) & _KNOWN_MODIFIERS) + 1


def _is_character(code: str) -> bool:
    return (
        0 < len(code) <= 7
        and code.isdecimal()
        and int(code) <= 0x10FFFF
        and not 0xD800 <= int(code) < 0xE000
    )


def clean_paste(text: str) -> str:
    """*text* without what the terminal reports in between (focus, mouse), keys as characters.

    Some terminals send the line breaks of a paste as key reports.
    """
    text = text.replace("\0", "")
    if "\x1b[" not in text:
        return text
    return _KEY_IN_PASTE.sub(_pasted_character, _NOISE.sub("", text))


def _pasted_character(found: re.Match[str]) -> str:
    code = found["code"] or found["kitty"]
    modifiers = found["mods"] or found["kitty_mods"] or "1"
    if not _is_character(code):
        return ""
    character = chr(int(code))
    if (int(modifiers) - 1) & _CTRL and character.isascii() and character.isalpha():
        character = chr(ord(character) & 31)
    return "\n" if character == "\r" else character
