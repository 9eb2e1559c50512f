"""Text by cells of the terminal, ages and sizes: what rows of a list are made of. Pure."""

import unicodedata

_AGES = ((86_400, "d"), (3_600, "h"), (60, "m"))
_ZERO_WIDTH = ("Mn", "Me", "Cf")


def cells(text: str) -> int:
    """How many cells a terminal gives *text*."""
    return len(text) if text.isascii() else sum(map(_width, text))


def fit(text: str, room: int) -> str:
    """*text* in exactly *room* cells: filled up, or cut with an ellipsis."""
    width = cells(text)
    if width <= room:
        return text + " " * (room - width)
    used, kept = 0, ""
    for char in text:
        used += _width(char)
        if used > room - 1:
            break
        kept += char
    return kept + "…" + " " * (room - 1 - cells(kept))


def age(seconds: float) -> str:
    """``now``, ``5m``, ``3h``, ``12d``."""
    for length, letter in _AGES:
        if seconds >= length:
            return f"{int(seconds // length)}{letter}"
    return "now"


def size(count: int) -> str:
    """``812 B``, ``4.2 kB``, ``104 MB``."""
    if count < 1_000:
        return f"{count} B"
    number = float(count)
    for unit in ("kB", "MB", "GB"):
        number /= 1_000
        if number < 999.5 or unit == "GB":
            break
    return f"{number:.1f} {unit}" if number < 9.95 else f"{number:.0f} {unit}"


def _width(char: str) -> int:
    if unicodedata.category(char) in _ZERO_WIDTH:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
