"""The Edit tool: exact replacement of text in one file, every other byte untouched."""

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
from agentcli.tools.edit_hints import why_not_found
from agentcli.tools.edit_match import FoldedText, fold
from agentcli.tools.file_state import digest_of
from agentcli.tools.paths import missing_text, resolve_path, show_path
from agentcli.tools.preview import diff_preview
from agentcli.tools.prompting import load_prompt
from agentcli.tools.snippet import changed_snippet
from agentcli.tools.textfile import check_target, load_text, real_path, save_bytes
from agentcli.tools.threads import run_to_end

_MAX_LISTED = 10


class EditInput(msgspec.Struct, forbid_unknown_fields=True):
    file_path: Annotated[str, Meta(description="Absolute path of the file to change")]
    old_string: Annotated[
        str, Meta(description="The exact text to replace; empty only to create a new file")
    ]
    new_string: Annotated[str, Meta(description="The text to put in its place")]
    replace_all: Annotated[
        bool, Meta(description="Replace every occurrence instead of exactly one")
    ] = False


@dataclass(frozen=True, slots=True)
class _Plan:
    """What the edit would write, worked out without writing."""

    shown: Path
    target: Path
    data: bytes
    text: str
    diff: FileDiff
    count: int
    notes: tuple[str, ...] = ()


class EditTool:
    """See the module."""

    name = "Edit"
    input_type: type[msgspec.Struct] = EditInput
    read_only = False

    def description(self) -> str:
        return load_prompt("edit")

    async def run(self, args: EditInput, ctx: ToolContext) -> ToolResult:
        return await run_to_end(lambda: _edit(args, ctx))

    def preview(self, args: EditInput, ctx: ToolContext) -> Preview | None:
        def change() -> tuple[Path, FileDiff]:
            plan = _plan(args, ctx)
            return plan.target, plan.diff

        return diff_preview(args.file_path, change)


def _edit(args: EditInput, ctx: ToolContext) -> ToolResult:
    target = real_path(resolve_path(args.file_path, ctx.cwd))
    check_target(target, ctx)
    request = (args.old_string, args.new_string)
    try:
        plan = _plan(args, ctx)
    except ToolError:
        if _done_before(target, request, ctx):
            return _already_done(args, target)
        raise
    check_target(plan.target, ctx)
    ctx.before_write(plan.target, plan.data)
    save_bytes(plan.target, plan.data, ctx.identity)
    ctx.files.note_edit(plan.target, plan.data, request)
    name = show_path(plan.shown)
    if not args.old_string:
        head = f"Created {name}."
    elif args.replace_all:
        head = f"Updated {name}: {plan.count} occurrence{'s' if plan.count > 1 else ''} replaced."
    else:
        head = f"Updated {name}."
    parts = [" ".join([head, f"(+{plan.diff.added} -{plan.diff.removed} lines)", *plan.notes])]
    if args.old_string and plan.diff.hunks:
        parts.append(changed_snippet(plan.diff))
    return ToolResult("\n".join(parts), details=_details(args, plan.target, plan.diff))


def _done_before(target: Path, request: tuple[str, str], ctx: ToolContext) -> bool:
    """True if this very edit was the last one here and the file is still as it left it."""
    last = ctx.files.last_edit(target)
    if last is None or last.request != request:
        return False
    loaded = load_text(target)
    return loaded is not None and digest_of(loaded.data) == last.digest


def _already_done(args: EditInput, target: Path) -> ToolResult:
    text = f"No change: exactly this edit of {show_path(target)} was already made and is in place."
    return ToolResult(text, details=_details(args, target, FileDiff((), 0, 0)))


def _details(args: EditInput, target: Path, diff: FileDiff) -> dict[str, object]:
    return {
        "filePath": str(target),
        "oldString": args.old_string,
        "newString": args.new_string,
        "structuredPatch": diff.patch(),
        "replaceAll": args.replace_all,
        "added": diff.added,
        "removed": diff.removed,
    }


def _plan(args: EditInput, ctx: ToolContext) -> _Plan:
    shown = resolve_path(args.file_path, ctx.cwd)
    old, new = fold(args.old_string), fold(args.new_string)
    if args.old_string == args.new_string:
        raise ToolError("old_string and new_string are identical: there is nothing to change.")
    if old == new:
        raise ToolError(
            "old_string and new_string differ only in line endings, which Edit always keeps. "
            "Use Bash to convert line endings."
        )
    loaded = load_text(shown, ctx.identity)
    if loaded is None or not loaded.data:
        return _plan_new(args, shown, exists=loaded is not None)
    if not old:
        raise ToolError(
            f"{show_path(shown)} exists and is not empty: an empty old_string only creates files."
        )
    seen = ctx.files.get(loaded.path)
    if seen is None:
        raise ToolError(f"{show_path(shown)} has not been read yet. Read it first, then edit it.")
    changed = seen.digest != digest_of(loaded.data)
    folded = FoldedText(loaded.decoded.text)
    positions = folded.find_all(old)
    _check_matches(positions, folded, old, args.replace_all, changed)
    text = folded.replace_at(positions, old, new)
    try:
        data = loaded.decoded.encode(text)
    except UnicodeEncodeError as error:
        raise ToolError(
            f"new_string has characters that the encoding of {show_path(shown)} "
            f"({loaded.decoded.encoding}) cannot hold: {error.object[error.start : error.end]!r}. "
            "The file was not changed."
        ) from None
    notes: list[str] = []
    if changed:
        notes.append(
            "Note: the file had changed on disk since you read it; those changes are kept."
        )
    if loaded.decoded.guessed:
        notes.append(f"Note: not a UTF-8 file, written back as {loaded.decoded.encoding}.")
    diff = diff_texts(loaded.decoded.text, text)
    return _Plan(shown, loaded.path, data, text, diff, len(positions), tuple(notes))


def _plan_new(args: EditInput, shown: Path, exists: bool) -> _Plan:
    if args.old_string:
        if exists:
            raise ToolError(f"{show_path(shown)} is empty: old_string cannot be found in it.")
        raise ToolError(missing_text(shown))
    try:
        data = args.new_string.encode()
    except UnicodeEncodeError:
        raise ToolError("new_string holds lone surrogates, which no file can store.") from None
    diff = diff_texts("", args.new_string)
    return _Plan(shown, real_path(shown), data, args.new_string, diff, 1)


def _check_matches(
    positions: list[int], folded: FoldedText, old: str, replace_all: bool, changed: bool
) -> None:
    if not positions:
        hint = why_not_found(folded.view, old)
        stale = " The file changed on disk since you read it; read it again." if changed else ""
        raise ToolError(f"old_string was not found in the file. {hint}{stale}".rstrip())
    if len(positions) == 1 or (replace_all and not changed):
        return
    lines = [str(folded.line_of(position)) for position in positions[:_MAX_LISTED]]
    more = ", …" if len(positions) > _MAX_LISTED else ""
    where = f"old_string occurs {len(positions)} times (lines {', '.join(lines)}{more})"
    if replace_all:
        raise ToolError(
            f"{where} and the file changed on disk since you read it. Read it again, then edit."
        )
    raise ToolError(
        f"{where}. Add surrounding lines so that it is unique, or set replace_all to true."
    )
