"""The Read tool: text with line numbers, and what else a model can look at."""

import asyncio
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from agentcli.base.files import (
    FileTooLarge,
    NotRegularFile,
    decode_text,
    encoding_name,
    read_limited,
)
from agentcli.protocol.asks import Preview
from agentcli.protocol.calls import ToolResult
from agentcli.protocol.errors import ToolError
from agentcli.tools.base import ToolContext
from agentcli.tools.edit_match import fold
from agentcli.tools.media import read_media
from agentcli.tools.notebook import notebook_text
from agentcli.tools.paths import missing_text, os_error_text, resolve_path, show_path
from agentcli.tools.prompting import load_prompt
from agentcli.tools.read_lines import Page, read_big_page, take_page
from agentcli.tools.registry import HIDDEN
from agentcli.tools.textfile import check_target, real_path

_WHOLE_LIMIT = 64 << 20
_NOTEBOOK_LIMIT = 100 << 20
_CHARS_PER_TOKEN = 4
_DEFAULT_TOKENS = 25_000


class ReadInput(msgspec.Struct, forbid_unknown_fields=True):
    file_path: Annotated[str, Meta(description="Absolute path of the file to read")]
    offset: Annotated[int | None, Meta(description="Line number to begin at (1 is the first)")] = (
        None
    )
    limit: Annotated[int | None, Meta(description="How many lines to read")] = None
    pages: Annotated[str | None, Meta(extra_json_schema={HIDDEN: True})] = None


class ReadTool:
    """See the module."""

    name = "Read"
    input_type: type[msgspec.Struct] = ReadInput
    read_only = True

    def description(self) -> str:
        return load_prompt("read")

    async def run(self, args: ReadInput, ctx: ToolContext) -> ToolResult:
        return await asyncio.to_thread(_read, args, ctx)

    def preview(self, args: ReadInput, ctx: ToolContext) -> Preview | None:
        return None


def _read(args: ReadInput, ctx: ToolContext) -> ToolResult:
    path = resolve_path(args.file_path, ctx.cwd)
    target = real_path(path)
    check_target(target, ctx)
    cap = _char_cap(ctx)
    try:
        notebook = target.suffix.lower() == ".ipynb"
        data = read_limited(
            target,
            _NOTEBOOK_LIMIT if notebook else _WHOLE_LIMIT,
            resolved=True,
            identity=ctx.identity,
        )
    except FileTooLarge as error:
        if target.suffix.lower() == ".ipynb":
            raise ToolError(
                f"{show_path(path)} is a notebook of {error.size} bytes: too large."
            ) from None
        return _big(path, target, args, cap, error.size)
    except (FileNotFoundError, NotADirectoryError):
        raise ToolError(missing_text(path)) from None
    except IsADirectoryError:
        raise ToolError(
            f"{show_path(path)} is a directory. List it with Glob, or with ls through Bash."
        ) from None
    except NotRegularFile:
        raise ToolError(
            f"{show_path(path)} is a FIFO, socket or device; only regular files can be read."
        ) from None
    except OSError as error:
        raise ToolError(os_error_text(error, path)) from None
    media = read_media(data, target, args.pages)
    if media is not None:
        ctx.files.note(target, data)
        return media
    if notebook:
        return _notebook(data, target, ctx, cap)
    return _text(data, path, target, args, ctx, cap)


def _char_cap(ctx: ToolContext) -> int:
    text = ctx.env.get("CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS", "")
    tokens = int(text) if text.isdecimal() and int(text) > 0 else _DEFAULT_TOKENS
    return tokens * _CHARS_PER_TOKEN


def _text(
    data: bytes, path: Path, target: Path, args: ReadInput, ctx: ToolContext, cap: int
) -> ToolResult:
    if not data:
        ctx.files.note(target, data)
        return ToolResult(f"{show_path(path)} exists but is empty.", details=_details(target))
    decoded = decode_text(data)
    if decoded is None:
        raise ToolError(
            f"{show_path(path)} is a binary file ({len(data)} bytes, {_magic(data)}); "
            "it cannot be shown as text."
        )
    explicit = args.offset is not None or args.limit is not None
    page = take_page(fold(decoded.text), args.offset, args.limit, cap, explicit, show_path(path))
    if page.whole:
        ctx.files.note(target, data)
    elif explicit and page.lines:
        ctx.files.note(target, data, partial=True)
    notes = [page.note] if page.note else []
    if decoded.guessed or decoded.bom:
        notes.insert(0, f"[Encoding: {encoding_name(decoded)}. Edits keep it.]")
    return ToolResult("\n".join([*notes, page.text]).rstrip("\n"), details=_details(target, page))


def _big(path: Path, target: Path, args: ReadInput, cap: int, size: int) -> ToolResult:
    """A file too large to take in whole: only the wanted lines are read, nothing is noted."""
    explicit = args.offset is not None or args.limit is not None
    try:
        page = read_big_page(target, args.offset, args.limit, cap, explicit)
    except OSError as error:
        raise ToolError(os_error_text(error, path)) from None
    head = f"[{show_path(path)} has {size} bytes. {page.note}]"
    return ToolResult(f"{head}\n{page.text}", details=_details(target, page))


def _notebook(data: bytes, target: Path, ctx: ToolContext, cap: int) -> ToolResult:
    text = notebook_text(data, show_path(target))
    ctx.files.note(target, data)
    if len(text) > cap:
        text = f"{text[:cap]}\n… [PARTIAL view: {len(text) - cap} more characters left out]"
    return ToolResult(text, details={"type": "notebook", "file": {"filePath": str(target)}})


def _details(target: Path, page: Page | None = None) -> dict[str, object]:
    file: dict[str, object] = {"filePath": str(target), "numLines": 0, "startLine": 1}
    if page is not None:
        file |= {"numLines": page.lines, "startLine": page.first, "totalLines": page.total}
    return {"type": "text", "file": file}


def _magic(data: bytes) -> str:
    for magic, name in _MAGIC:
        if data.startswith(magic):
            return name
    return "unknown type"


_MAGIC = (
    (b"\x7fELF", "ELF program"),
    (b"MZ", "Windows program"),
    (b"PK\x03\x04", "ZIP archive"),
    (b"\x1f\x8b", "gzip"),
    (b"\xfd7zXZ", "xz"),
    (b"BZh", "bzip2"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"SQLite format 3", "SQLite database"),
    (b"\xca\xfe\xba\xbe", "Java class or Mach-O program"),
    (b"\xcf\xfa\xed\xfe", "Mach-O program"),
    (b"\0asm", "WebAssembly"),
    (b"OggS", "Ogg"),
    (b"ID3", "MP3"),
    (b"RIFF", "RIFF"),
)
