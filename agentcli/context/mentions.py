"""Mentions of files in a prompt: ``@path``, ``@"a path"``, ``@dir/``, ``@path#L5-10``."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A name in quotes ends at its quote or, while it is being typed, at the end of the line.
_AT = re.compile(r'@(?:"(?P<quoted>[^"\n]*)(?P<close>"?)(?P<range>#[^\s"]*)?|(?P<bare>[^\s"]*))')
_LINES = re.compile(r"#L?(\d{1,9})(?:-L?(\d{1,9}))?\Z")
_ANCHOR = re.compile(r"#([^\W\d][\w-]*)\Z")
_JOINING = "_.+-/\\@%#&="
_ENDING = (
    ".,;:!?'`>*\u3001\u3002\uff0c\uff1b\uff1a\uff01\uff1f\u2026\uff09\u300d\u300f\u3011\u300b\u201d"
)
_PAIRS = {")": "(", "]": "[", "}": "{"}
_FIRST_CJK = 0x2E80
_LONGEST = 4_096
"""No path is longer; what is, would take long to look at."""


@dataclass(frozen=True, slots=True)
class Mention:
    """``start``/``end`` span the whole of it, ``@`` and quotes included.

    ``first``/``last`` are line numbers (0: none). ``anchor`` is what stands behind a ``#`` and is
    no line range: a heading, or the end of a name with ``#`` in it (see ``full``).
    """

    start: int
    end: int
    path: str
    first: int = 0
    last: int = 0
    anchor: str = ""

    @property
    def full(self) -> str:
        """The path with its anchor taken as a part of the name."""
        return f"{self.path}#{self.anchor}" if self.anchor else self.path


def find_mentions(text: str) -> list[Mention]:
    """All finished mentions in *text*, in order. Pure.

    Nothing inside a word or an address counts; punctuation behind a name is not a part of it.
    """
    found: list[Mention] = []
    for match in raw_mentions(text):
        if match["bare"] is None:
            if match["close"] and match["quoted"]:
                behind = match["range"] or ""
                span = match.start(), match.end()
                lines = _LINES.match(behind)
                # what follows the quote and is no range belongs to the sentence
                end = span[1] if lines else span[1] - len(behind)
                found.append(_made(span[0], end, match["quoted"], behind if lines else ""))
            continue
        if len(match["bare"]) > _LONGEST:
            continue
        bare = _without_punctuation(match["bare"])
        cut = _LINES.search(bare) or _ANCHOR.search(bare)
        path = bare[: cut.start()] if cut else bare
        if path:
            end = match.start() + 1 + len(bare)
            found.append(_made(match.start(), end, path, bare[len(path) :]))
    return found


def raw_mentions(text: str) -> Iterator[re.Match[str]]:
    """Matches with the groups ``bare`` or ``quoted`` and ``close``, as typed so far. Pure."""
    position = 0
    while match := _AT.search(text, position):
        counts = starts_word(text, match.start())
        position = match.end() if counts else match.start() + 1
        if counts:
            yield match


def starts_word(text: str, at: int) -> bool:
    """May a mention begin at index *at*? Scripts without spaces may stand right before. Pure."""
    if at == 0:
        return True
    before = text[at - 1]
    if before in _JOINING:
        return False
    return not before.isalnum() or ord(before) >= _FIRST_CJK


def mention_text(path: str, closed: bool = True) -> str:
    """How *path* is mentioned: in quotes where it needs them. Pure; *path* holds no ``"``."""
    if not needs_quotes(path):
        return "@" + path
    return f'@"{path}"' if closed else f'@"{path}'


def needs_quotes(path: str) -> bool:
    """Would *path* be read as another one without quotes? Pure."""
    if not re.fullmatch(r"[^\s\"]+", path) or _LINES.search(path) or _ANCHOR.search(path):
        return True
    return _without_punctuation(path) != path


def _made(start: int, end: int, path: str, behind: str) -> Mention:
    lines = _LINES.match(behind)
    if lines is None:
        return Mention(start, end, path, anchor=behind[1:])
    first = int(lines[1])
    return Mention(start, end, path, first, max(first, int(lines[2] or first)))


def _without_punctuation(bare: str) -> str:
    while bare:
        last = bare[-1]
        opening = _PAIRS.get(last)
        if last in _ENDING and bare not in {".", ".."} and not bare.endswith(("/.", "/..")):
            bare = bare[:-1]
        elif opening and bare.count(last) > bare.count(opening):
            bare = bare[:-1]
        else:
            return bare
    return bare
