"""The Write tool: a whole file at once."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from agentcli.protocol.asks import Preview
from agentcli.protocol.calls import ToolResult
from agentcli.protocol.errors import ToolError
from agentcli.tools.base import ToolContext
from agentcli.tools.diff import FileDiff, diff_texts
from agentcli.tools.file_state import digest_of
from agentcli.tools.paths import resolve_path, show_path
from agentcli.tools.preview import diff_preview
from agentcli.tools.prompting import load_prompt
from agentcli.tools.textfile import Loaded, check_target, load_text, real_path, save_bytes
from agentcli.tools.threads import run_to_end


class WriteInput(msgspec.Struct, forbid_unknown_fields=True):
    file_path: Annotated[str, Meta(description="Absolute path of the file to write")]
    content: Annotated[str, Meta(description="The whole new content of the file")]


@dataclass(frozen=True, slots=True)
class _Plan:
    """What would be written, worked out without writing."""

    shown: Path
    target: Path
    data: bytes
    diff: FileDiff
    old: Loaded | None
    note: str = ""


class WriteTool:
    """See the module."""

    name = "Write"
    input_type: type[msgspec.Struct] = WriteInput
    read_only = False

    def description(self) -> str:
        return load_prompt("write")

    async def run(self, args: WriteInput, ctx: ToolContext) -> ToolResult:
        return await run_to_end(lambda: _write(args, ctx))

    def preview(self, args: WriteInput, ctx: ToolContext) -> Preview | None:
        def change() -> tuple[Path, FileDiff]:
            plan = _plan(args, ctx)
            return plan.target, plan.diff

        return diff_preview(args.file_path, change)


def _write(args: WriteInput, ctx: ToolContext) -> ToolResult:
    check_target(real_path(resolve_path(args.file_path, ctx.cwd)), ctx)
    plan = _plan(args, ctx)
    check_target(plan.target, ctx)
    name = show_path(plan.shown)
    if plan.old is not None and plan.old.data == plan.data:
        ctx.files.note(plan.target, plan.data)
        text = f"{name} already has exactly this content; nothing was written."
    else:
        ctx.before_write(plan.target, plan.data)
        save_bytes(plan.target, plan.data, ctx.identity)
        ctx.files.note(plan.target, plan.data)
        counts = f"(+{plan.diff.added} -{plan.diff.removed} lines)"
        text = f"{'Created' if plan.old is None else 'Updated'} {name}. {counts}{plan.note}"
    details = {
        "type": "create" if plan.old is None else "update",
        "filePath": str(plan.target),
        "content": args.content,
        "structuredPatch": [] if plan.old is None else plan.diff.patch(),
        "added": plan.diff.added,
        "removed": plan.diff.removed,
    }
    return ToolResult(text, details=details)


def _plan(args: WriteInput, ctx: ToolContext) -> _Plan:
    shown = resolve_path(args.file_path, ctx.cwd)
    if args.file_path.endswith("/"):
        raise ToolError(f"{args.file_path} names a directory, not a file.")
    old = load_text(shown, ctx.identity)
    if old is None:
        data = _encode(args.content, "utf-8")
        return _Plan(shown, real_path(shown), data, diff_texts("", args.content), None)
    _check_known(shown, old, ctx)
    content, note = _keep_line_ends(old.decoded.text, args.content)
    data, encoding_note = _keep_encoding(old, content)
    diff = diff_texts(old.decoded.text, content)
    return _Plan(shown, old.path, data, diff, old, note + encoding_note)


def _check_known(shown: Path, old: Loaded, ctx: ToolContext) -> None:
    """An existing file must be known as it is now, or its content could be lost unseen."""
    if not old.data:
        return
    seen = ctx.files.get(old.path)
    name = show_path(shown)
    if seen is None:
        raise ToolError(f"{name} exists and has not been read yet. Read it first.")
    if seen.digest != digest_of(old.data):
        raise ToolError(f"{name} changed on disk since you read it. Read it again first.")
    if seen.partial:
        raise ToolError(f"{name} has only been read in part. Read all of it first, or use Edit.")


def _keep_line_ends(old: str, content: str) -> tuple[str, str]:
    """A file that is all CRLF stays so when the new content says nothing about it (all LF)."""
    newlines = old.count("\n")
    if not newlines or old.count("\r\n") != newlines or "\r\n" in content or "\n" not in content:
        return content, ""
    return content.replace("\n", "\r\n"), " Line endings kept as CRLF."


def _keep_encoding(old: Loaded, content: str) -> tuple[bytes, str]:
    decoded = old.decoded
    content = content.removeprefix("\ufeff") if decoded.bom else content
    if not decoded.guessed:
        note = f" Encoding kept: {decoded.encoding} with BOM." if decoded.bom else ""
        return decoded.bom + _encode(content, decoded.encoding), note
    try:
        return decoded.encode(content), f" Encoding kept: {decoded.encoding}."
    except UnicodeEncodeError:
        return _encode(content, "utf-8"), " The file was not UTF-8 before; it is now."


def _encode(content: str, encoding: str) -> bytes:
    try:
        return content.encode(encoding)
    except UnicodeEncodeError:
        raise ToolError("content holds lone surrogates, which no file can store.") from None
