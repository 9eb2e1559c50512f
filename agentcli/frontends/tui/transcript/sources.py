"""The text behind an entry: what is searched and copied, whether or not it is on the screen."""

import re
from typing import NamedTuple

from agentcli.base.text import strip_controls
from agentcli.frontends.shared.tool_view import tool_body
from agentcli.frontends.tui.transcript.answer import AnswerEntry
from agentcli.frontends.tui.transcript.entries import (
    Entry,
    NoticeEntry,
    PromptEntry,
    ThinkingEntry,
)
from agentcli.frontends.tui.transcript.tool_entry import ToolEntry

_FENCE = re.compile(
    r"^(?P<indent>[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(?P<mark>`{3,}|~{3,})(.*)$"
)


class Source(NamedTuple):
    """*text* of an entry, whose first *head* characters show while it is folded too."""

    text: str
    head: int = 0


class CodeBlock(NamedTuple):
    """A fenced block of an answer: its language or "", and the code without the fence."""

    language: str
    code: str


def source_of(entry: Entry) -> Source:
    """The text of *entry*, folded parts included; empty for what only the window itself says.
    Pure."""
    if isinstance(entry, AnswerEntry):
        return Source(entry.source)
    if isinstance(entry, ToolEntry):
        title = entry.title
        head = f"{title.verb} {title.object}".strip()
        return Source(f"{head}\n{_tool_text(entry)}", len(head))
    if isinstance(entry, PromptEntry | ThinkingEntry | NoticeEntry):
        return Source(entry.text)
    return Source("")


def _tool_text(entry: ToolEntry) -> str:
    body = tool_body(entry.call, entry.result) if entry.call is not None else None
    if body is not None and body.kind == "diff":
        # without the column of + and −, which is no text on the screen either
        return "\n".join(line[1:] for hunk in body.hunks for line in hunk.lines)
    text = body.text if body is not None else ""
    live = strip_controls(entry.progress) if entry.result is None else ""
    return "\n".join(part for part in (text, live) if part)


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
