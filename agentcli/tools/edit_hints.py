"""Why a text was not found although it looks as if it were there. For error messages only."""

import re
import unicodedata
from collections.abc import Callable, Iterable

_MAX_VIEW = 500_000
_QUOTES = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201a": "'",
        "\u201b": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u201e": '"',
        "\u201f": '"',
        "\u2013": "-",
        "\u2014": "-",
        "\u2011": "-",
        "\u2212": "-",
    }
)


def why_not_found(view: str, old: str) -> str:
    """One sentence for the model, or "". Pure; a huge file gets no hint."""
    if len(view) > _MAX_VIEW:
        return ""
    for fold, explain in _FOLDS:
        place = _find_folded(view, old, fold)
        if place is not None:
            start, end = place
            line = view.count("\n", 0, start) + 1
            return explain(view[start:end], old, line)
    numbered = re.sub(r"(?m)^ *\d+\t", "", old)
    if numbered != old and numbered in view:
        return "old_string contains the line numbers of Read's output; leave them out."
    return _nearest_line(view, old)


def _find_folded(view: str, old: str, fold: Callable[[str], str]) -> tuple[int, int] | None:
    """Span in *view* of the first text equal to *old* after folding each character."""
    needle = "".join(map(fold, old))
    if not needle:
        return None
    folded = "".join(map(fold, view))
    found = folded.find(needle)
    if found < 0:
        return None
    positions = [index for index, char in enumerate(view) for _ in fold(char)]
    return positions[found], positions[found + len(needle) - 1] + 1


def _plain_quotes(char: str) -> str:
    return char.translate(_QUOTES)


def _visible(char: str) -> str:
    return "" if unicodedata.category(char) in ("Cf", "Cc") and char not in "\t\n" else char


def _no_space(char: str) -> str:
    return "" if char.isspace() else char


def _everything(char: str) -> str:
    return _no_space(_visible(_plain_quotes(char)))


def _explain_quotes(found: str, old: str, line: int) -> str:
    names = _names(char for char in found if _plain_quotes(char) != char and char not in old)
    return (
        f"Line {line} has the same text with typographic quotes or dashes ({names}); "
        "use exactly those characters."
    )


def _explain_hidden(found: str, old: str, line: int) -> str:
    names = _names(char for char in found if not _visible(char))
    if not names:
        names = _names(char for char in old if not _visible(char))
        return f"Line {line} has the text without the invisible characters ({names})."
    return f"Line {line} has the same text with invisible characters in it ({names})."


def _explain_space(found: str, old: str, line: int) -> str:
    odd = _names(char for char in found if char.isspace() and char not in " \t\n")
    if odd:
        return f"Line {line} differs only in whitespace: the file has {odd}."
    kinds = [_indents(found), _indents(old)]
    detail = f" (the file has {kinds[0]}, old_string {kinds[1]})" if kinds[0] != kinds[1] else ""
    return f"The text at line {line} differs only in whitespace{detail}; copy it exactly."


def _explain_several(found: str, old: str, line: int) -> str:
    return f"The text at line {line} is the same but for whitespace, quotes or hidden characters."


_FOLDS = (
    (_plain_quotes, _explain_quotes),
    (_visible, _explain_hidden),
    (_no_space, _explain_space),
    (_everything, _explain_several),
)


def _indents(text: str) -> str:
    tabs, spaces = "\t" in text, "  " in text
    if tabs and spaces:
        return "tabs and spaces"
    return "tabs" if tabs else "spaces"


def _names(chars: Iterable[str]) -> str:
    unique = dict.fromkeys(chars)
    return ", ".join(f"U+{ord(char):04X} {unicodedata.name(char, '')}".strip() for char in unique)


def _nearest_line(view: str, old: str) -> str:
    """Where the first line of the text does occur: most often a later line is wrong."""
    lines = [line for line in old.split("\n") if line.strip()]
    if len(lines) < 2:
        return ""
    places = [n for n, line in enumerate(view.split("\n"), 1) if line == lines[0]][:3]
    if not places:
        return ""
    numbers = ", ".join(map(str, places))
    return f"Its first line is at line {numbers}, but what follows there is different."
