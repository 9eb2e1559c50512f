"""The code blocks of an answer."""

import re
from typing import NamedTuple

_FENCE = re.compile(
    r"^(?P<indent>[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(?P<mark>`{3,}|~{3,})(.*)$"
)


class CodeBlock(NamedTuple):
    """A fenced block of an answer: its language or "", and the code without the fence."""

    language: str
    code: str


def code_blocks(markdown: str) -> list[CodeBlock]:
    """The fenced code blocks of *markdown*, also those in lists and quotes; an open one ends with
    the text. Pure."""
    found: list[CodeBlock] = []
    language, fence, indent = "", "", 0
    code: list[str] = []
    for line in markdown.split("\n"):
        match = _FENCE.match(line)
        if not fence:
            if match is not None and not (match["mark"][0] == "`" and "`" in match[3]):
                language = (match[3].split() or [""])[0]
                fence, indent, code = match["mark"], len(match["indent"]), []
        elif match is not None and match["mark"].startswith(fence) and not match[3].strip():
            found.append(CodeBlock(language, "\n".join(code)))
            fence = ""
        else:
            margin = line[:indent]
            code.append(line[indent:] if not margin.strip(" \t>") else line)
    if fence:
        found.append(CodeBlock(language, "\n".join(code).rstrip("\n")))
    return found
