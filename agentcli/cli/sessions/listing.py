"""``agentcli sessions list``: one line for each session."""

import shutil
import sys
import time
from collections.abc import Sequence
from typing import Any, BinaryIO

from agentcli.base.text import one_line
from agentcli.cli.sessions.args import SessionArgs
from agentcli.cli.sessions.columns import age, cells, fit, size
from agentcli.cli.sessions.place import Place
from agentcli.frontends.oneshot.streams import tell
from agentcli.protocol.history import SessionInfo
from agentcli.session.catalog import Catalog
from agentcli.session.codec import encode_line

_ID, _AGE, _BRANCH, _SIZE = 8, 4, 18, 7
_LEAST_TITLE = 12


def list_sessions(args: SessionArgs, place: Place, out: BinaryIO) -> int:
    """Print the sessions of the folder, or of all; 0 also for none. Raises OSError."""
    infos = Catalog(place.home, place.cwd).list(args.all)
    found = [info for info in infos if _has(info, (args.query or "").lower().split())]
    if args.json:
        for info in found:
            out.write(encode_line(_facts(info)))
        return 0
    if not found:
        tell("no session" + (" with that" if args.query else "" if args.all else " in this folder"))
        return 0
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    for line in rows(found, width, time.time(), args.all):
        out.write(line.encode("utf-8", "replace") + b"\n")
    return 0


def rows(infos: Sequence[SessionInfo], width: int, now: float, everywhere: bool) -> list[str]:
    """The rows; into a pipe (*width* 0) titles go whole."""
    titles = [one_line(info.title or info.first_prompt or "(no prompt)") for info in infos]
    fixed = _ID + _AGE + _BRANCH + _SIZE + 8
    longest = max(map(cells, titles))
    room = longest if not width else min(longest, max(_LEAST_TITLE, width - fixed))
    lines: list[str] = []
    for info, title in zip(infos, titles, strict=True):
        row = [
            info.id[:_ID],
            age(now - info.modified).rjust(_AGE),
            fit(title, room),
            fit(one_line(info.branch), _BRANCH),
            size(info.size).rjust(_SIZE),
        ]
        if everywhere:
            row.append(one_line(info.cwd))
        line = "  ".join(row).rstrip()
        lines.append(fit(line, width).rstrip() if width and cells(line) > width else line)
    return lines


def _has(info: SessionInfo, words: Sequence[str]) -> bool:
    texts = (info.id, info.title, info.first_prompt, info.last_prompt, info.branch, info.tag)
    held = "\n".join(texts).lower()
    return all(word in held for word in words)


def _facts(info: SessionInfo) -> dict[str, Any]:
    return {
        "id": info.id,
        "title": info.title,
        "named": info.named,
        "firstPrompt": info.first_prompt,
        "lastPrompt": info.last_prompt,
        "cwd": info.cwd,
        "branch": info.branch,
        "size": info.size,
        "modified": info.modified,
        "created": info.created,
        "entrypoint": info.entrypoint,
        "tag": info.tag,
        "file": str(info.file),
    }
