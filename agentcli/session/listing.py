"""One session file → one row of a list, from its first and last 64 KiB, however long it is."""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from agentcli.protocol.history import SessionInfo
from agentcli.session.codec import decode_line
from agentcli.session.entries import Entry
from agentcli.session.in_sight import SIGHT_BYTES
from agentcli.session.prompts import is_prompt, prompt_label, seconds_of

_TITLES = (("custom-title", "customTitle"), ("ai-title", "aiTitle"), ("summary", "summary"))
"""Those that a person gave count more than generated ones."""
_CHARS = 400
_CUT_TEXT = re.compile(rb'"(?:content|text)"\s*:\s*"((?:[^"\\]|\\.)*)')
_BRANCH = re.compile(rb'"gitBranch":\s*("(?:[^"\\]|\\.)*")')
_USER = re.compile(rb'"type"\s*:\s*"user"')
_NOISE = ("<command-", "<local-command-", "<system-reminder>", "Caveat:")


def read_info(file: Path) -> SessionInfo | None:
    """The row of *file*; None for what is no session of its own (empty, a subagent's, no file).

    Never raises, never blocks on a FIFO; of a damaged file what can be known is told.
    """
    try:
        fd = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        facts = os.fstat(fd)
        if not stat.S_ISREG(facts.st_mode) or not facts.st_size:
            return None
        head = os.pread(fd, SIGHT_BYTES, 0)
        start = max(0, facts.st_size - SIGHT_BYTES)
        tail = os.pread(fd, SIGHT_BYTES, start) if start else head
    except OSError:
        return None
    finally:
        os.close(fd)
    return make_info(file, head, tail, facts.st_size, facts.st_mtime)


def make_info(
    file: Path, head: bytes, tail: bytes, size: int, modified: float
) -> SessionInfo | None:
    """The row for a file of *size* bytes that begins with *head* and ends with *tail*. Pure."""
    begin = _Begin()
    for line in head.split(b"\n"):
        if begin.take(line):
            break
    if begin.is_sidechain:
        return None
    titles = {kind: _find_last(kind, name, tail, head) for kind, name in _TITLES}
    named = titles["custom-title"]
    last = _last_prompt(tail) or begin.prompt
    title = named or titles["ai-title"] or titles["summary"] or begin.prompt or last
    return SessionInfo(
        id=file.stem,
        file=file,
        title=title,
        named=bool(named),
        first_prompt=begin.prompt,
        last_prompt=last,
        cwd=begin.cwd,
        branch=_branch(tail) or _branch(head),
        size=size,
        modified=modified,
        created=begin.created,
        entrypoint=begin.entrypoint,
        tag=_find_last("tag", "tag", tail, head),
    )


class _Begin:
    """What the first lines tell."""

    def __init__(self) -> None:
        self.prompt = self.cwd = ""
        self.entrypoint = "cli"
        self.created = 0.0
        self.is_sidechain = False
        self._first = True

    def take(self, line: bytes) -> bool:
        """The next line; True when nothing more is to be learnt."""
        if not line.strip():
            return False
        objects = decode_line(line).objects
        for data in objects:
            self._look_at(data)
        if not objects and not self.prompt and _USER.search(line):
            self.prompt = _cut_text(line)  # so long that its end is not in sight
        self._first = False
        return self.is_sidechain or bool(self.prompt and self.cwd and self.created)

    def _look_at(self, data: dict[str, Any]) -> None:
        entry = Entry(data)
        if self._first and entry.is_sidechain:
            self.is_sidechain = True
        if not self.cwd and isinstance(data.get("cwd"), str):
            self.cwd = data["cwd"]
            self.entrypoint = str(data.get("entrypoint") or "cli")
        self.created = self.created or seconds_of(entry)
        if not self.prompt:
            self.prompt = _shown_prompt(entry)


def _shown_prompt(entry: Entry) -> str:
    """The words of a prompt, "" for any other entry and for what a program wrote."""
    if entry.is_sidechain or not is_prompt(entry):
        return ""
    text = " ".join(prompt_label(entry).split())[:_CHARS]
    return "" if text.startswith(_NOISE) else text


def _cut_text(line: bytes) -> str:
    match = _CUT_TEXT.search(line)
    if match is None:
        return ""
    raw = match[1][: _CHARS * 6]
    for cut in range(12):  # not in the middle of an escape or a character
        try:
            text: str = msgspec.json.decode(b'"' + raw[: len(raw) - cut] + b'"', type=str)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        shown = " ".join(text.split())[:_CHARS]
        return "" if shown.startswith(_NOISE) else shown
    return ""


def _find_last(kind: str, name: str, *parts: bytes) -> str:
    """The newest value of *name* in an entry of type *kind*, "" where there is none."""
    key = b'"%s":' % name.encode()
    for part in parts:
        end = len(part)
        while (at := part.rfind(key, 0, end)) >= 0:
            for data in decode_line(_line_around(part, at)).objects:
                value = data.get(name)
                if data.get("type") == kind and isinstance(value, str):
                    return " ".join(value.split())[:_CHARS]
            end = max(0, part.rfind(b"\n", 0, at))
    return ""


def _last_prompt(tail: bytes) -> str:
    """The newest prompt: as it was noted at a turn's end, or in a turn that did not come so far."""
    for line in _last_lines(tail):
        if b'"lastPrompt"' in line and (noted := _find_last("last-prompt", "lastPrompt", line)):
            return noted
        if b'"user"' in line and b'"tool_use_id"' not in line:
            for data in reversed(decode_line(line).objects):
                if text := _shown_prompt(Entry(data)):
                    return text
    return ""


def _last_lines(tail: bytes) -> Iterator[bytes]:
    end = len(tail)
    while end > 0:
        start = tail.rfind(b"\n", 0, end) + 1
        yield tail[start:end]
        end = start - 1


def _branch(part: bytes) -> str:
    at = part.rfind(b'"gitBranch":')
    match = _BRANCH.match(part, at) if at >= 0 else None
    try:
        return msgspec.json.decode(match[1], type=str) if match else ""
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ""


def _line_around(part: bytes, at: int) -> bytes:
    end = part.find(b"\n", at)
    return part[part.rfind(b"\n", 0, at) + 1 : end if end >= 0 else len(part)]
