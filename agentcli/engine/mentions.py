"""``@path`` in a prompt: the file or folder is read as the model could have read it unasked."""

import asyncio
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from agentcli.base.path_text import show_path
from agentcli.base.text import one_line
from agentcli.context.attachments import looks_secret, mention_draft, shown_lines
from agentcli.context.mentions import Mention, find_mentions
from agentcli.engine.tool_call import ToolDeps
from agentcli.permissions.policy import Decision
from agentcli.protocol.blocks import Block
from agentcli.protocol.calls import ToolCall
from agentcli.protocol.errors import ToolError
from agentcli.protocol.events import Notice
from agentcli.protocol.ids import new_uuid
from agentcli.protocol.prompts import Prompt
from agentcli.session.entries import FILE_KIND, FOLDER_KIND, EntryDraft
from agentcli.tools.paths import resolve_path
from agentcli.tools.registry import load_tool, parse_input

_SCANNED = 100_000
"""Characters of a prompt in which mentions count: what is longer was piped in or pasted."""
_MOST = 20
_MOST_CHARS = 400_000
_MOST_MEDIA = 20 << 20
_MOST_NAMES = 500
_LIKE_A_PATH = re.compile(r"[^()]*(/|\.\w{1,8}\Z| )[^()]*")


@dataclass(frozen=True, slots=True)
class _Found:
    """``text`` is the path as it was typed, ``kind`` what stands there (None: nothing)."""

    mention: Mention
    text: str
    path: Path
    kind: str | None


class _Left(Exception):
    """It is not attached; the message says why, in a few words."""


async def read_mentions(deps: ToolDeps, prompt: Prompt) -> list[EntryDraft]:
    """What *prompt* mentions, ready to be logged; one notice names all that is left out.

    Only what may be read without a question is read. Raises only CancelledError.
    """
    mentions = {(m.full, m.first, m.last): m for m in find_mentions(_words(prompt)[:_SCANNED])}
    if not mentions:
        return []
    probe = ToolCall(new_uuid(), "Read", {})
    cwd = deps.context(probe, _unheard).cwd
    drafts: list[EntryDraft] = []
    left: list[str] = []
    size = 0
    for found in await asyncio.to_thread(_locate, list(mentions.values()), cwd):
        if found.kind is None and not _LIKE_A_PATH.fullmatch(found.text):
            continue  # a name, a decorator: never meant as a file
        try:
            if len(drafts) >= _MOST:
                raise _Left(f"at most {_MOST} in one prompt")
            draft, taken = await _attach(deps, found)
            if size + taken > _MOST_CHARS:
                raise _Left("too much for one prompt")
        except _Left as reason:
            left.append(f"@{found.text} ({reason})")
        else:
            size += taken
            drafts.append(draft)
    if left:
        deps.bus.emit(Notice("warning", one_line("not attached: " + ", ".join(left), 600)))
    return drafts


async def _attach(deps: ToolDeps, found: _Found) -> tuple[EntryDraft, int]:
    """The entry, and its size in characters. Raises _Left."""
    if found.kind is None:
        raise _Left("there is no such file")
    is_file = found.kind == FILE_KIND
    call = _call(found, is_file)
    decision = deps.gate.decide(call)
    _check(found, decision)
    mention = found.mention
    lines = shown_lines(mention.first, mention.last) if is_file else ""
    shown = f"{found.text}:{lines}" if lines else found.text
    try:
        content = await (_read(deps, call, decision) if is_file else _list(deps, call, found.path))
    except (ToolError, OSError) as error:
        raise _Left(_reason(error)) from None
    return mention_draft(found.kind, str(found.path), shown, content, lines), _size(content)


def _call(found: _Found, is_file: bool) -> ToolCall:
    """The call that the model would make for it."""
    given: dict[str, Any]
    if not is_file:
        return ToolCall(new_uuid(), "Glob", {"path": found.text, "pattern": "*"})
    given = {"file_path": found.text}
    if found.mention.first:
        count = found.mention.last - found.mention.first + 1
        given |= {"offset": found.mention.first, "limit": count}
    return ToolCall(new_uuid(), "Read", given)


def _check(found: _Found, decision: Decision) -> None:
    if decision.behavior == "deny":
        raise _Left(f"denied by the rule {decision.rule}" if decision.rule else "not allowed")
    if decision.behavior == "ask":
        outside = decision.rule is None
        raise _Left("outside the working directories" if outside else f"rule {decision.rule} asks")
    names = [found.text, *(target.path for target in decision.targets)]
    named_by_rule = decision.rule is not None and "(" in decision.rule
    if found.kind == FILE_KIND and not named_by_rule and any(map(looks_secret, names)):
        raise _Left("it may hold secrets; ask for it in words if the model shall see it")


async def _read(deps: ToolDeps, call: ToolCall, decision: Decision) -> str | list[Block]:
    tool = load_tool("Read")
    context = deps.context(call, _unheard)
    target = Path(decision.targets[0].path) if decision.targets else None
    result = await tool.run(parse_input(tool, call.input), replace(context, target=target))
    return result.content


async def _list(deps: ToolDeps, call: ToolCall, folder: Path) -> str:
    may_read = deps.gate.reader_for(call)

    def listing() -> str:
        with os.scandir(folder) as entries:
            found = [(e.name, e.is_dir()) for e in entries if may_read(Path(e.path))]
        names = [show_path(name) + "/" * is_dir for name, is_dir in sorted(found)]
        more = len(names) - _MOST_NAMES
        return "\n".join([*names[:_MOST_NAMES], *([f"… and {more} more"] if more > 0 else [])])

    return await asyncio.to_thread(listing) or "(empty)"


def _locate(mentions: Sequence[Mention], cwd: Path) -> list[_Found]:
    """What stands where the mentions point; ``#`` may be a part of a name or lead into a file."""
    return [_located(mention, cwd) for mention in mentions]


def _located(mention: Mention, cwd: Path) -> _Found:
    for text in dict.fromkeys((mention.full, mention.path)):
        try:
            path = resolve_path(text, cwd)
            if os.path.isdir(path):
                return _Found(mention, text, path, FOLDER_KIND)
            if os.path.lexists(path):
                return _Found(mention, text, path, FILE_KIND)
        except (ToolError, OSError, ValueError):
            continue
    return _Found(mention, mention.full, cwd, None)


def _words(prompt: Prompt) -> str:
    if isinstance(prompt, str):
        return prompt
    texts = (str(block.get("text", "")) for block in prompt if block.get("type") == "text")
    return "\n".join(texts)


def _size(content: str | list[Block]) -> int:
    """Characters; what is no text counts by its share of the room for such."""
    if isinstance(content, str):
        return len(content)
    data = sum(len(str(block.get("source", ""))) for block in content)
    return data * _MOST_CHARS // _MOST_MEDIA


def _reason(error: ToolError | OSError) -> str:
    return error.message if isinstance(error, ToolError) else str(error.strerror or error)


def _unheard(_: str) -> None:
    """Reading a file tells nothing on the way."""
