"""The Glob tool: files by name, newest first."""

import asyncio
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from agentcli.protocol.asks import Preview
from agentcli.protocol.calls import ToolResult
from agentcli.protocol.errors import ToolError
from agentcli.tools.base import ToolContext
from agentcli.tools.glob_match import GlobPattern, compile_glob, find_files
from agentcli.tools.paths import missing_text, resolve_path, show_path
from agentcli.tools.prompting import load_prompt

_MAX_FILES = 100
_SECONDS = 20.0


class GlobInput(msgspec.Struct, forbid_unknown_fields=True):
    pattern: Annotated[str, Meta(description="The glob pattern, such as `src/**/*.ts`")]
    path: Annotated[
        str | None, Meta(description="Folder to search in; the working directory if left out")
    ] = None


class GlobTool:
    """See the module."""

    name = "Glob"
    input_type: type[msgspec.Struct] = GlobInput
    read_only = True

    def description(self) -> str:
        return load_prompt("glob")

    async def run(self, args: GlobInput, ctx: ToolContext) -> ToolResult:
        folder = resolve_path(args.path, ctx.cwd) if args.path else ctx.cwd
        try:
            patterns = compile_glob(args.pattern, folder)
        except ValueError as error:
            raise ToolError(f"Glob: {error}.") from None
        cancelled = threading.Event()
        try:
            return await asyncio.to_thread(_glob, folder, patterns, ctx, cancelled)
        finally:
            cancelled.set()

    def preview(self, args: GlobInput, ctx: ToolContext) -> Preview | None:
        return None


def _glob(
    folder: Path, patterns: list[GlobPattern], ctx: ToolContext, cancelled: threading.Event
) -> ToolResult:
    if not folder.exists():
        raise ToolError(missing_text(folder))
    if not folder.is_dir():
        raise ToolError(f"{show_path(folder)} is a file, not a folder.")
    started = time.monotonic()
    late = _deadline(started + _SECONDS)
    found: list[tuple[float, str]] = []
    for entry in find_files(patterns, lambda: cancelled.is_set() or late()):
        try:
            found.append((entry.stat().st_mtime, entry.path))
        except OSError:
            found.append((0.0, entry.path))
    found.sort(key=lambda item: (-item[0], item[1]))
    names: list[str] = []
    for _, path in found:
        if len(names) > _MAX_FILES:
            break
        if ctx.may_read(Path(os.path.abspath(path))):
            names.append(show_path(os.path.abspath(path)))
    truncated = len(names) > _MAX_FILES
    names = names[:_MAX_FILES]
    lines = list(names) or ["No files found"]
    if truncated:
        lines.append(f"(Only the newest {_MAX_FILES} of {len(found)} files are listed.)")
    if late():
        lines.append(f"(Stopped after {_SECONDS:g} s; the search is not complete.)")
    return ToolResult(
        "\n".join(lines),
        details={
            "durationMs": round((time.monotonic() - started) * 1000),
            "numFiles": len(names),
            "filenames": names,
            "truncated": truncated or late(),
        },
    )


def _deadline(end: float) -> Callable[[], bool]:
    """Says whether the search ran into its limit; stays true once it did."""
    hit = False

    def late() -> bool:
        nonlocal hit
        hit = hit or time.monotonic() > end
        return hit

    return late
