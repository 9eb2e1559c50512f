"""How long a result may be, and where the rest of it goes."""

import os
from pathlib import Path

from agentcli.base.text import clean_surrogates
from agentcli.tools.base import ToolContext

INLINE_LIMIT = 30_000
FAILURE_LIMIT = 10_000
PREVIEW_LIMIT = 2_000


def clip(text: str, limit: int) -> str:
    """At most *limit* characters, with a note of what was left out. Pure."""
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n… [{len(text) - limit} more characters left out]"


def head_and_tail(text: str, limit: int) -> str:
    """At most about *limit* characters: the first and the last of *text*, and a note. Pure."""
    if len(text) <= limit:
        return text
    head = limit // 3
    tail = limit - head
    left_out = len(text) - limit
    return f"{text[:head]}\n… [{left_out} characters left out] …\n{text[-tail:]}"


def spill_path(ctx: ToolContext) -> Path:
    """Where the full output of this call goes. Makes the folder (0700). Raises ``OSError``."""
    for folder in (ctx.spill_dir.parent, ctx.spill_dir):  # the mode is not for parents made along
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    name = "".join(char if char.isalnum() or char in "-_" else "_" for char in ctx.call_id)
    return ctx.spill_dir / f"{name or 'output'}.txt"


def open_private(path: Path) -> int:
    """A write descriptor of a new or emptied file with mode 0600. Raises ``OSError``."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(path, flags, 0o600)
    os.fchmod(fd, 0o600)
    return fd


def spill(text: str, ctx: ToolContext, limit: int = INLINE_LIMIT) -> tuple[str, Path | None]:
    """*text* as it is, or over *limit* a preview of it and the file that has the whole text."""
    if len(text) <= limit:
        return text, None
    try:
        path = spill_path(ctx)
        with os.fdopen(open_private(path), "w", encoding="utf-8", newline="") as file:
            file.write(clean_surrogates(text))
    except OSError as error:
        return f"{clip(text, limit)}\n[The rest could not be saved: {error.strerror}]", None
    return spill_note(text[:PREVIEW_LIMIT], len(text), path), path


def spill_note(preview: str, total: int, path: Path) -> str:
    """What the model reads in place of an output that was saved to *path*. Pure."""
    return (
        f"Output too long ({total} characters). Full output saved to: {path}\n"
        f"Read it with offset and limit, or search it with Grep. Its beginning:\n{preview}\n…"
    )
