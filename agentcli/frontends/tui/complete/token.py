"""What is being typed at the cursor: a mention, a command, its argument, a shell line."""

import re
from dataclasses import dataclass
from typing import Literal

from agentcli.context.mentions import raw_mentions

TokenKind = Literal["mention", "command", "argument", "shell"]

_ENDING = ".,;:!?'`>"
_PAIRS = {")": "(", "]": "[", "}": "{"}
_COMMAND = re.compile(r"/([^\s/]*)")


@dataclass(frozen=True, slots=True)
class Token:
    """``start`` to ``end`` of the text is what a completion replaces; ``query`` is what was typed
    of it so far. ``command`` is the name in front of an argument."""

    kind: TokenKind
    start: int
    end: int
    query: str
    command: str = ""


def token_at(text: str, cursor: int, shell: bool = False) -> Token | None:
    """The token under the *cursor* of *text*, if any can be completed there. Pure.

    ``shell``: the composer is in shell mode, the ``!`` is not a part of the text.
    """
    if shell or text.startswith("!"):
        start = 0 if shell else 1
        if cursor < start or "\n" in text[:cursor]:
            return None
        return Token("shell", start, len(text), text[start:cursor])
    mention = _mention_at(text, cursor)
    if mention is not None:
        return mention
    return _command_at(text, cursor)


def _mention_at(text: str, cursor: int) -> Token | None:
    line = text.rfind("\n", 0, cursor) + 1
    stop = text.find("\n", cursor)
    for match in raw_mentions(text[line : None if stop < 0 else stop]):
        start, end = line + match.start(), line + match.end()
        if not start < cursor <= end:
            continue
        if match["bare"] is None:
            name_at, name_end = line + match.start("quoted"), line + match.end("quoted")
            if not name_at <= cursor <= name_end:
                return None
            return Token("mention", start, line + match.end("close"), text[name_at:cursor])
        # in `src/a.py#L10-20` the range is none of our business
        at = text.find("#", start, end)
        if 0 <= at < cursor and re.fullmatch(r"#L?\d*(-L?\d*)?", text[at:end]):
            return None
        name_end = _without_closing(text, start, cursor, end if at < cursor else at)
        return Token("mention", start, name_end, text[start + 1 : cursor])
    return None


def _without_closing(text: str, start: int, cursor: int, end: int) -> int:
    """Punctuation behind the cursor that belongs to the sentence is not replaced."""
    while end > cursor:
        last = text[end - 1]
        opening = _PAIRS.get(last)
        if last not in _ENDING and (not opening or opening in text[start:end]):
            return end
        end -= 1
    return end


def _command_at(text: str, cursor: int) -> Token | None:
    match = _COMMAND.match(text)
    if match is None or not cursor:
        return None
    end = match.end()
    if cursor <= end:
        whole = text[end : end + 1]
        return None if whole == "/" else Token("command", 0, end, text[1:cursor])
    if text[end] not in " \t" or "\n" in text[:cursor]:
        return None
    start = end + len(text[end:cursor]) - len(text[end:cursor].lstrip(" \t"))
    stop = text.find("\n", cursor)
    name = match[1].lower()
    return Token("argument", start, len(text) if stop < 0 else stop, text[start:cursor], name)
