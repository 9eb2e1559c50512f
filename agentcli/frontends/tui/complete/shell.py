"""Completion of a shell line: earlier lines that begin like it, and paths for its last word."""

import re
from collections.abc import Sequence
from pathlib import Path

from agentcli.frontends.tui.complete.candidate import Candidate
from agentcli.frontends.tui.complete.files import parent_and_name
from agentcli.frontends.tui.complete.folders import list_names
from agentcli.frontends.tui.complete.token import Token

_SPECIAL = re.compile(r"([\s\\'\"$`!*?\[\](){}<>|&;#])")
_MOST_LINES = 20


def match_lines(lines: Sequence[str], token: Token) -> list[Candidate]:
    """Earlier shell *lines* (newest first) that begin with what was typed, each once. Pure."""
    typed = token.query
    found = dict.fromkeys(
        line for line in lines if line.startswith(typed) and line.strip() and line != typed
    )
    return [
        Candidate(
            value=line,
            label=line,
            about="used before",
            marks=tuple(range(len(typed))),
            kind="shell",
            start=token.start,
            end=token.end,
        )
        for line in list(found)[:_MOST_LINES]
    ]


def shell_paths(token: Token, root: Path, home: Path) -> list[Candidate]:
    """Paths for the word before the cursor, spaces escaped. Never raises; may block."""
    offset, word, quote = last_word(token.query)
    start = token.start + offset
    end = token.start + len(token.query)
    if not word and offset == 0:
        return []
    head, tail = parent_and_name(word)
    found: list[Candidate] = []
    for name in list_names(word, root, home).names:
        if not parent_and_name(name.path.rstrip("/"))[1].lower().startswith(tail.lower()):
            continue
        value = f"{quote}{name.path}" if quote else _SPECIAL.sub(r"\\\1", name.path)
        if quote and not name.is_folder:
            value += quote
        span = tuple(range(len(head), len(head) + len(tail)))
        kind = "folder" if name.is_folder else "file"
        found.append(Candidate(value, name.path, "", span, kind, start, end, stays=name.is_folder))
    return found


def last_word(line: str) -> tuple[int, str, str]:
    """Index, meaning and open quote of the word at the end of a shell *line*. Pure."""
    start, word, quote = 0, "", ""
    at = 0
    while at < len(line):
        char = line[at]
        if char == "\\" and quote != "'" and at + 1 < len(line):
            at += 1
            word += line[at]
        elif quote:
            if char == quote:
                quote = ""
            else:
                word += char
        elif char in "'\"":
            if not word:
                start = at
            quote = char
        elif char.isspace() or char in "|&;<>(":
            start, word = at + 1, ""
        else:
            word += char
        at += 1
    return start, word, quote
