"""A conversation as a document: Markdown to read, JSON to work on. Pure."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

import msgspec

from agentcli.base.text import clean_surrogates, one_line, strip_controls
from agentcli.base.values import as_dict
from agentcli.frontends.shared.tool_title import tool_title
from agentcli.frontends.shared.tool_view import tool_body, tool_error, tool_summary
from agentcli.protocol.asks import Hunk
from agentcli.protocol.blocks import Block
from agentcli.protocol.calls import ToolCall, ToolResult
from agentcli.protocol.events import (
    BlockFinished,
    Compacted,
    Event,
    Notice,
    PromptAdded,
    ToolFinished,
)
from agentcli.protocol.prompts import SHELL_CALL
from agentcli.session.codec import encode_line
from agentcli.session.entries import Entry
from agentcli.session.replay import replay

_LINES, _CHARS = 60, 6_000
"""What is shown of one input or result, unless all of it is wanted."""
_FENCES = re.compile(r"`{3,}")
_TICKS = re.compile(r"`+")
_DETAILS = re.compile(r"<(?=/?(?:details|summary)\b)", re.IGNORECASE)
_TOLD_BY_BODY = ("Bash", SHELL_CALL, "Read")
"""Tools whose title and body hold all of their input that a reader wants."""


def to_markdown(entries: Sequence[Entry], *, title: str = "", full: bool = False) -> str:
    """The conversation *entries* (root first) to be read. Never raises.

    Long inputs and results are cut, with a note that says so, unless *full*.
    """
    events = list(replay(entries))
    results = {event.call.id: event.result for event in events if isinstance(event, ToolFinished)}
    cwd = next((e.data["cwd"] for e in entries if isinstance(e.data.get("cwd"), str)), "")
    parts = [f"# {one_line(title)}"] if title.strip() else []
    for speaker, spoken in groupby(
        ((_speaker(event), event) for event in events), key=lambda pair: pair[0]
    ):
        pieces = [
            piece for _, event in spoken for piece in _pieces(event, results, cwd, full) if piece
        ]
        if pieces:
            parts += [f"## {speaker}", *pieces] if speaker else pieces
    return clean_surrogates("\n\n".join(parts) + "\n") if parts else ""


def to_json(entries: Sequence[Entry], *, title: str = "") -> str:
    """The conversation as one JSON object: what it is, and its entries as they are in the session
    file. Pure; never raises."""
    facts = {"title": title} if title else {}
    for name in ("sessionId", "cwd", "gitBranch", "version"):
        values = (entry.data.get(name) for entry in reversed(entries))
        value = next((value for value in values if isinstance(value, str)), None)
        if value is not None:
            facts[name] = value
    line = encode_line({**facts, "entries": [entry.data for entry in entries]})
    return msgspec.json.format(line, indent=1).decode() + "\n"


def _speaker(event: Event) -> str:
    match event:
        case PromptAdded():
            return "You"
        case ToolFinished(call=ToolCall(name=name)) if name == SHELL_CALL:
            return "You"
        case Notice() | Compacted():
            return ""
        case _:
            return "Agent"


def _pieces(event: Event, results: dict[str, ToolResult], cwd: str, full: bool) -> Iterator[str]:
    match event:
        case PromptAdded():
            yield from _prompt(event)
        case BlockFinished(block=block):
            if block.get("type") == "tool_use":
                values = as_dict(block.get("input"))
                call = ToolCall(str(block.get("id")), str(block.get("name")), values)
                yield from _call(call, results.get(call.id), cwd, full)
            else:
                yield _said(block)
        case ToolFinished(call=call) if call.name == SHELL_CALL:
            yield from _call(call, event.result, cwd, full)
        case Notice(text=text):
            yield f"*{_plain(one_line(text, 500))}*"
        case Compacted():
            numbers = f": {event.pre_tokens:,} → {event.post_tokens:,} tokens"
            known = event.pre_tokens and event.post_tokens
            yield f"---\n\n*compacted{numbers if known else ''}*"
            yield _folded("summary", event.summary)
        case _:
            pass


def _prompt(event: PromptAdded) -> Iterator[str]:
    if isinstance(event.content, str):
        yield _plain(event.content)
    else:
        for block in event.content:
            yield _said(block)
    if event.attached:
        yield "*with " + ", ".join(_code(one_line(path)) for path in event.attached) + "*"


def _said(block: Block) -> str:
    """A block that is no call; "" for what holds no words."""
    match block.get("type"):
        case "text":
            return _plain(str(block.get("text", "")))
        case "thinking":
            return _folded("thinking", str(block.get("thinking", "")))
        case "redacted_thinking":
            return ""
        case kind:
            return f"*[{one_line(str(kind), 40)}]*"


def _call(call: ToolCall, result: ToolResult | None, cwd: str, full: bool) -> Iterator[str]:
    title = tool_title(call, cwd)
    summary = tool_summary(call, result) if result is not None else "no result"
    failed = tool_error(result) if result is not None else ""
    head = f"**{title.verb}**" + (f" {_code(title.object)}" if title.object else "")
    yield " · ".join(part for part in (head, summary, _plain(failed)) if part)
    body = tool_body(call, result)
    if call.input and call.name not in _TOLD_BY_BODY and not (body and body.kind == "diff"):
        given = encode_line(call.input)
        yield _fence(msgspec.json.format(given, indent=2).decode(), "json", full)
    if body is not None and body.kind == "diff":
        yield _fence("\n".join(_diff(body.hunks)), "diff", full)
    elif body is not None:
        yield _fence(body.text, "", full)
    images = _images(result)
    if images:
        yield f"*[{images} image{'' if images == 1 else 's'}]*"


def _images(result: ToolResult | None) -> int:
    if result is None or isinstance(result.content, str):
        return 0
    return sum(as_dict(block).get("type") == "image" for block in result.content)


def _diff(hunks: Sequence[Hunk]) -> Iterator[str]:
    for hunk in hunks:
        yield (f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@")
        yield from hunk.lines


def _fence(text: str, language: str, full: bool) -> str:
    """*text* between fences that are longer than any in it, cut to what is read."""
    shown, note = strip_controls(text).rstrip("\n"), ""
    if not full:
        shown, note = _clipped(shown)
    longest = max((len(run) for run in _FENCES.findall(shown)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{shown}\n{fence}" + (f"\n\n*{note}*" if note else "")


def _clipped(text: str) -> tuple[str, str]:
    lines = text.split("\n")
    shown = "\n".join(lines[:_LINES])[:_CHARS]
    if shown == text:
        return text, ""
    left = len(lines) - shown.count("\n") - 1
    more = f"{left:,} more lines" if left else f"{len(text) - len(shown):,} more characters"
    return shown, f"… {more} left out"


def _folded(name: str, text: str) -> str:
    """A block that is unfolded to be read; tags in it must not end it."""
    inner = _DETAILS.sub("&lt;", _plain(text))
    return f"<details>\n<summary>{name}</summary>\n\n{inner}\n\n</details>" if inner else ""


def _code(text: str) -> str:
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _plain(text: str) -> str:
    return strip_controls(text).strip("\n")
