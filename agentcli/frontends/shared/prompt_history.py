"""The prompts of all sessions, in ``history.jsonl``: recorded, walked through, searched."""

import os
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Literal, cast

import msgspec

from agentcli.base.git_facts import find_repo_root
from agentcli.frontends.shared import paste_cache
from agentcli.frontends.shared.line_file import append_line, lines_backwards, trim_lines
from agentcli.session.codec import decode_own_line, encode_line

Scope = Literal["session", "project", "all"]

MAX_FILE = 10 << 20
_KEPT = 5 << 20
_INLINE = 4_096
"""Pasted text up to this size stands in the file itself."""
_MAX_DISPLAY = 100_000


@dataclass(frozen=True, slots=True)
class PastPrompt:
    """A prompt as it was typed. ``pasted``: what its ``[Pasted text #1 …]`` marks stand for, by
    number; None where that was not kept."""

    display: str
    timestamp: int
    project: str = ""
    session_id: str = ""
    pasted: Mapping[int, str | None] | None = None


class PromptHistory:
    """History of one window. Nothing raises; what goes wrong on disk is told once, in a line.

    Safe to be used from several threads; reading far back takes time and belongs into one. With
    ``keep`` off nothing is written.
    """

    def __init__(self, home: Path, project: str, session_id: str, keep: bool = True) -> None:
        self.project = project
        self.session_id = session_id
        self._home = home
        self._keep = keep
        self._unsaved: list[PastPrompt] = []
        self._told = False
        self._problem = ""
        self._lock = threading.Lock()

    @property
    def path(self) -> Path:
        """The file, where links lead."""
        return Path(os.path.realpath(self._home / "history.jsonl"))

    def add(self, display: str, pasted: Mapping[int, object] | None = None) -> str | None:
        """Record a prompt that was sent; gives a line about trouble, the first time only.

        One that is blank or begins with a space is not recorded; of what was pasted only texts.
        """
        if not display.strip() or display.startswith(" "):
            return None
        if len(display) > _MAX_DISPLAY:
            pasted, lines = {1: display}, display.count("\n")
            display = f"[Pasted text #1 +{lines} lines]"
        now = time.time_ns() // 1_000_000
        texts = {n: text if isinstance(text, str) else None for n, text in (pasted or {}).items()}
        past = PastPrompt(display, now, self.project, self.session_id, texts)
        if not self._keep:
            self._unsaved.append(past)
            return None
        try:
            self._home.mkdir(mode=0o700, parents=True, exist_ok=True)
            append_line(self.path, encode_line(self._record(past)))
        except OSError as error:
            self._unsaved.append(past)
            self._tell(f"prompt history is not saved: {error.strerror} ({self.path})")
        return self.take_problem()

    def tidy(self) -> str | None:
        """Cut a file that has grown too large, and drop pasted texts nobody refers to. Slow:
        belongs into a thread."""
        if not self._keep:
            return None
        try:
            kept = trim_lines(self.path, MAX_FILE, _KEPT)
        except OSError as error:
            kept = None
            self._tell(f"prompt history cannot be trimmed: {error.strerror} ({self.path})")
        if kept is not None:
            paste_cache.sweep(self._home, kept)
        return self.take_problem()

    def walk(
        self, scope: Scope = "project", stop: Callable[[], bool] = lambda: False
    ) -> Iterator[PastPrompt]:
        """Prompts, newest first, read as they are asked for; the same twice in a row comes once."""
        before = ""
        for past in self._all(scope, stop):
            if past.display != before:
                yield past
            before = past.display

    def older(self, count: int, scope: Scope = "project") -> list[PastPrompt]:
        """The newest *count* prompts of *scope*, newest first."""
        return list(islice(self.walk(scope), count))

    def shell_lines(self, count: int = 200) -> list[str]:
        """The newest shell lines of the project, without their ``!``, newest first, each once."""
        lines = (past.display[1:] for past in self.walk() if past.display.startswith("!"))
        return list(dict.fromkeys(islice(lines, count)))

    def with_pastes(self, count: int = 200) -> list[tuple[str, dict[int, str | None]]]:
        """Of the newest *count* prompts of the session those with something pasted: as typed, and
        what was pasted, by number."""
        recent = self.older(count, "session")
        return [(past.display, dict(past.pasted)) for past in recent if past.pasted]

    def search(self, query: str, scope: Scope = "project", count: int = 200) -> list[PastPrompt]:
        """The newest *count* prompts that hold every word of *query*, each text once."""
        words = query.lower().split()
        found: dict[str, PastPrompt] = {}
        for past in self.walk(scope):
            text = past.display.lower()
            if past.display not in found and all(word in text for word in words):
                found[past.display] = past
                if len(found) == count:
                    break
        return list(found.values())

    def _all(self, scope: Scope, stop: Callable[[], bool]) -> Iterator[PastPrompt]:
        yield from reversed(self._unsaved)
        needle = self._needle(scope)
        try:
            for line in lines_backwards(self.path, stop):
                # most lines of other projects are not even decoded
                if needle not in line:
                    continue
                past = self._decoded(line)
                if past is not None and self._is_in(past, scope):
                    yield past
        except OSError as error:
            self._tell(f"prompt history cannot be read: {error.strerror} ({self.path})")

    def take_problem(self) -> str | None:
        """A line about trouble with the disk, once."""
        with self._lock:
            problem, self._problem = self._problem, ""
        return problem or None

    def _needle(self, scope: Scope) -> bytes:
        if scope == "all":
            return b""
        word = self.project if scope == "project" else self.session_id
        word = word[word.rfind("/") + 1 :]
        # other writers may escape slashes and what is not ASCII
        return word.encode() if re.fullmatch(r"[\w.-]+", word, re.ASCII) else b""

    def _is_in(self, past: PastPrompt, scope: Scope) -> bool:
        if scope == "all":
            return True
        if scope == "project":
            return past.project == self.project
        return past.session_id == self.session_id

    def _record(self, past: PastPrompt) -> dict[str, Any]:
        pasted: dict[str, Any] = {}
        for number, text in (past.pasted or {}).items():
            entry: dict[str, Any] = {"id": number, "type": "text"}
            if text is not None and len(text) <= _INLINE:
                entry["content"] = text
            elif text is not None and (key := paste_cache.store(self._home, text)):
                entry["contentHash"] = key
            pasted[str(number)] = entry
        return {
            "display": past.display,
            "pastedContents": pasted,
            "timestamp": past.timestamp,
            "project": past.project,
            "sessionId": past.session_id,
        }

    def _decoded(self, line: bytes) -> PastPrompt | None:
        """None for a line that is no prompt."""
        try:
            data: Any = decode_own_line(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        if not isinstance(data, dict):
            return None
        record = cast("dict[str, Any]", data)
        display, stamp = record.get("display"), record.get("timestamp")
        if not isinstance(display, str) or not display.strip():
            return None
        return PastPrompt(
            display,
            int(stamp) if isinstance(stamp, int | float) else 0,
            str(record.get("project", "")),
            str(record.get("sessionId", "")),
            paste_cache.Pasted(self._home, record.get("pastedContents")),
        )

    def _tell(self, problem: str) -> None:
        with self._lock:
            if not self._told:
                self._told, self._problem = True, problem


def project_of(cwd: Path) -> str:
    """What a history line calls the project around *cwd*: its repository, else the folder itself.
    Never raises."""
    real = cwd.resolve()
    return str(find_repo_root(real) or real)
