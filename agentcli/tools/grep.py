"""The Grep tool: which files hold a text, and where."""

import asyncio
import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from agentcli.base.text import strip_controls
from agentcli.protocol.asks import Preview
from agentcli.protocol.calls import ToolResult
from agentcli.protocol.errors import ToolError
from agentcli.tools.base import ToolContext
from agentcli.tools.grep_output import Hit, parse_hits, render_lines, shown_name
from agentcli.tools.limits import spill
from agentcli.tools.paths import missing_text, resolve_path, show_path
from agentcli.tools.prompting import load_prompt
from agentcli.tools.ripgrep import Search, SearchOutput, find_ripgrep, run_search
from agentcli.tools.shell_env import command_env

_HEAD_LIMIT = 250
_MAX_CONTEXT = 10_000

Mode = Literal["content", "files_with_matches", "count"]


class GrepInput(msgspec.Struct, forbid_unknown_fields=True):
    pattern: Annotated[str, Meta(description="Regular expression to search for")]
    path: Annotated[
        str | None, Meta(description="File or folder; the working directory if left out")
    ] = None
    glob: Annotated[str | None, Meta(description="Only files like this, such as `*.js`")] = None
    type: Annotated[
        str | None, Meta(description="Only files of this ripgrep type, such as `py`")
    ] = None
    output_mode: Annotated[Mode, Meta(description="What to list")] = "files_with_matches"
    ignore_case: Annotated[bool, Meta(description="Ignore case")] = msgspec.field(
        default=False, name="-i"
    )
    only_matching: Annotated[
        bool, Meta(description="Only the matching part of each line (content mode)")
    ] = msgspec.field(default=False, name="-o")
    line_numbers: Annotated[bool, Meta(description="Line numbers (content mode)")] = msgspec.field(
        default=True, name="-n"
    )
    after: Annotated[int | None, Meta(description="Lines to show after each match")] = (
        msgspec.field(default=None, name="-A")
    )
    before: Annotated[int | None, Meta(description="Lines to show before each match")] = (
        msgspec.field(default=None, name="-B")
    )
    around: Annotated[int | None, Meta(description="Lines to show before and after each match")] = (
        msgspec.field(default=None, name="-C")
    )
    context: Annotated[int | None, Meta(description="The same as -C")] = None
    head_limit: Annotated[
        int | None, Meta(description="At most so many results (default 250, 0: all)")
    ] = None
    offset: Annotated[int | None, Meta(description="Skip so many results first")] = None
    multiline: Annotated[bool, Meta(description="Let a match span several lines")] = False


class GrepTool:
    """See the module."""

    name = "Grep"
    input_type: type[msgspec.Struct] = GrepInput
    read_only = True

    def description(self) -> str:
        return load_prompt("grep")

    async def run(self, args: GrepInput, ctx: ToolContext) -> ToolResult:
        path = resolve_path(args.path, ctx.cwd) if args.path else ctx.cwd
        folder, search = await asyncio.to_thread(_prepare, args, path)
        try:
            output = await run_search(search, folder, command_env(ctx.env), find_ripgrep())
        except OSError as error:
            raise ToolError(f"The search could not be started: {error}") from None
        return await asyncio.to_thread(_result, args, ctx, folder, output)

    def preview(self, args: GrepInput, ctx: ToolContext) -> Preview | None:
        return None


def _prepare(args: GrepInput, path: Path) -> tuple[Path, Search]:
    if not args.pattern:
        raise ToolError("Grep: pattern is empty.")
    if "\0" in args.pattern or "\0" in (args.glob or ""):
        raise ToolError("Grep: pattern and glob must not contain null bytes.")
    if not path.exists():
        raise ToolError(missing_text(path))
    is_folder = path.is_dir()
    if not is_folder and not path.is_file():
        raise ToolError(f"{show_path(path)} is a FIFO, socket or device.")
    around = args.around if args.around is not None else args.context
    search = Search(
        pattern=args.pattern,
        target="./" if is_folder else f"./{path.name}",
        mode=args.output_mode,
        globs=_split_globs(args.glob or ""),
        file_type=args.type or "",
        ignore_case=args.ignore_case,
        only_matching=args.only_matching,
        line_numbers=args.line_numbers,
        before=_context(args.before, around),
        after=_context(args.after, around),
        multiline=args.multiline,
    )
    return (path if is_folder else path.parent), search


def _context(one_side: int | None, around: int | None) -> int:
    value = one_side if one_side is not None else around
    return min(max(value or 0, 0), _MAX_CONTEXT)


def _split_globs(text: str) -> tuple[str, ...]:
    """Several globs may come in one text; a comma inside braces belongs to the glob."""
    return (
        tuple(re.split(r"\s+" if "{" in text else r"[\s,]+", text.strip())) if text.strip() else ()
    )


def _result(args: GrepInput, ctx: ToolContext, folder: Path, output: SearchOutput) -> ToolResult:
    _check_errors(args, output)
    hits = parse_hits(output.data, args.output_mode)
    allowed: dict[bytes, bool] = {}
    for hit in hits:
        if hit.path not in allowed:
            allowed[hit.path] = ctx.may_read(_absolute(folder, hit.path))
    hits = [hit for hit in hits if allowed[hit.path]]
    names = {
        path: shown_name(_absolute(folder, path), ctx.cwd) for path, ok in allowed.items() if ok
    }
    if args.output_mode == "files_with_matches":
        hits.sort(key=lambda hit: (-_mtime(_absolute(folder, hit.path)), hit.path))
    else:
        hits.sort(key=lambda hit: hit.path)
    return _page(args, ctx, hits, names, output)


def _page(
    args: GrepInput,
    ctx: ToolContext,
    hits: list[Hit],
    names: dict[bytes, str],
    output: SearchOutput,
) -> ToolResult:
    offset = max(args.offset or 0, 0)
    limit = _HEAD_LIMIT if args.head_limit is None else max(args.head_limit, 0)
    page = hits[offset : offset + limit] if limit else hits[offset:]
    files = list(dict.fromkeys(names[hit.path] for hit in page))
    details: dict[str, Any] = {
        "mode": args.output_mode,
        "numFiles": len(files),
        "filenames": files,
    }
    if limit and len(hits) > limit:
        details["appliedLimit"] = limit
    if offset:
        details["appliedOffset"] = offset
    notes = _notes(len(hits), len(page), offset, output)
    if args.output_mode == "files_with_matches":
        text = "\n".join(files)
    elif args.output_mode == "count":
        text = "\n".join(f"{names[hit.path]}:{hit.text}" for hit in page)
        details["numMatches"] = sum(int(hit.text) for hit in hits)
        if hits:
            notes.insert(0, f"{details['numMatches']} matching lines in {len(hits)} files")
    else:
        text = strip_controls(render_lines(page, names, args.line_numbers))
        details["numLines"] = len(page)
    shown, saved = spill(text, ctx)
    if args.output_mode == "content":
        details["content"] = shown
    if saved is not None:
        details["persistedOutputPath"] = str(saved)
    return ToolResult("\n".join([part for part in (shown, *notes) if part]), details=details)


def _notes(total: int, listed: int, offset: int, output: SearchOutput) -> list[str]:
    notes: list[str] = []
    if not total:
        notes.append("No matches found")
    elif not listed:
        notes.append(f"No results at offset {offset}: there are only {total}.")
    elif listed < total:
        notes.append(f"(Results {offset + 1}-{offset + listed} of {total}; use offset for more.)")
    if not output.full:
        notes.append("(The search was stopped because it took too long or found too much.)")
    elif output.outcome.returncode == 2:
        notes.append("(Some files could not be searched.)")
    return notes


def _check_errors(args: GrepInput, output: SearchOutput) -> None:
    """A refused pattern, glob or type is an error; an unreadable file among many is not."""
    if output.data or not output.full or output.outcome.returncode in (0, 1):
        return
    if output.outcome.returncode == 2 and "(os error" in output.errors:
        return
    raise ToolError(explain_error(args.pattern, output.errors))


def explain_error(pattern: str, errors: str) -> str:
    """One line out of the searcher's message. Pure."""
    if 'literal "\\n" is not allowed' in errors:
        return "The pattern contains a line end: set multiline to true to match across lines."
    lines = [line for line in errors.splitlines() if line.strip()]
    reason = next((line for line in reversed(lines) if line.startswith("error: ")), "")
    if not reason:
        return f"Grep: {lines[0].removeprefix('rg: ') if lines else 'the search failed'}"
    caret = next((line for line in lines if set(line) <= {" ", "^"} and "^" in line), "")
    # The message shows the pattern indented by four and inside `(?:`.
    position = caret.find("^") - 6 if caret else 0
    where = f" at character {position}" if position > 0 else ""
    return (
        f"Invalid regular expression `{pattern}`: {reason.removeprefix('error: ')}{where}. "
        "The syntax is ripgrep's: escape literal ( ) [ ] { } with a backslash; "
        "look-around is not supported."
    )


def _absolute(folder: Path, path: bytes) -> Path:
    return folder / os.fsdecode(path)


def _mtime(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
