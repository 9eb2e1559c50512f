"""The draft on disk, so that neither a crash nor a closed terminal loses what was typed."""

import contextlib
import json
import os
import re
import threading
from pathlib import Path
from time import monotonic
from typing import Any

from agentcli.base.clock import timestamp
from agentcli.base.files import read_limited
from agentcli.base.values import as_dict
from agentcli.base.writing import atomic_write
from agentcli.frontends.tui.composer.chips import Content, Image
from agentcli.frontends.tui.composer.draft import Draft

_DELAY = 0.5
_LARGE_DELAY = 5.0
_LARGE = 200_000
_MAX_FILE = 64 << 20
_SAFE_NAME = re.compile(r"[\w.-]{1,100}")


class Drafts:
    """Keeps the draft of one window in ``drafts/<session>.json``, written by a thread of its own
    at most twice a second. Nothing raises: a draft that cannot be saved is no reason to stop."""

    def __init__(self, home: Path, project: str) -> None:
        self._folder = home / "drafts"
        self._project = project
        self._owner = {"pid": os.getpid(), "started": _started(os.getpid())}
        self._session = ""
        self._last = Draft()
        self._pending: Draft | None = None
        self._closed = False
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def watch(self, session_id: str) -> None:
        """From now on the draft belongs to this session; that of the one before is let go."""
        with self._changed:
            before = self._session
            self._session = session_id if _SAFE_NAME.fullmatch(session_id) else ""
            if before and before != self._session:
                self._remove(self._path(before))
                self._keep(self._last)
            self._changed.notify()

    def save(self, draft: Draft) -> None:
        """Keep *draft* soon; an empty one removes the file. Cheap, never blocks on the disk."""
        with self._changed:
            if not self._closed:
                self._keep(draft)

    def _keep(self, draft: Draft) -> None:
        if draft.empty and self._last.empty and self._pending is None:
            return
        self._last = self._pending = draft
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="drafts", daemon=True)
            self._thread.start()
        self._changed.notify()

    def load(self, resumed: bool) -> Draft | None:
        """The draft that the watched session left behind; for one that is not *resumed*, the newest
        of this project whose window is gone. It is ours then. Reads the disk."""
        with self._changed:
            own = self._path(self._session) if self._session else None
        if own is None:
            return None
        if resumed:
            return self._claim(own, own) if self._is_orphan(own) else None
        for path in self._newest_first():
            if path != own and self._is_orphan(path, self._project):
                draft = self._claim(path, own)
                if draft is not None:
                    return draft
        return None

    def close(self) -> None:
        """Write what is not written yet, and stop. Blocks for the time of a write. Idempotent."""
        with self._changed:
            self._closed = True
            self._changed.notify()
            thread = self._thread
        if thread is not None:
            thread.join(5)

    # writing

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._closed and (self._pending is None or not self._session):
                    self._changed.wait()
                draft = self._pending
                if draft is None or not self._session:
                    return
                size = len(draft.text) + sum(_size(part) for part in draft.contents.values())
                until = monotonic() + (_DELAY if size < _LARGE else _LARGE_DELAY)
                while not self._closed and (left := until - monotonic()) > 0:
                    self._changed.wait(left)
                draft, self._pending = self._pending, None
                path = self._path(self._session)
            if draft is not None:
                self._write(path, draft)

    def _write(self, path: Path, draft: Draft) -> None:
        if draft.empty:
            self._remove(path)
            return
        record = {**_to_json(draft), **self._owner, "project": self._project, "at": timestamp()}
        with contextlib.suppress(OSError, ValueError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            atomic_write(path, json.dumps(record).encode(), mode=0o600)

    def _remove(self, path: Path) -> None:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)

    # reading

    def _path(self, session_id: str) -> Path:
        return self._folder / f"{session_id}.json"

    def _newest_first(self) -> list[Path]:
        try:
            found = [(path.stat().st_mtime_ns, path) for path in self._folder.glob("*.json")]
        except OSError:
            return []
        return [path for _, path in sorted(found, reverse=True)]

    def _is_orphan(self, path: Path, project: str | None = None) -> bool:
        record = _load(path)
        if project is not None and record.get("project") != project:
            return False
        pid = record.get("pid")
        return isinstance(pid, int) and not _runs(pid, record.get("started"))

    def _claim(self, path: Path, own: Path) -> Draft | None:
        """The draft of *path*, now kept in *own* as ours; of two windows only one gets it."""
        taken = own.with_suffix(".taken")
        try:
            path.rename(taken)
        except OSError:
            return None
        draft = _from_json(_load(taken))
        self._write(own, draft)
        self._remove(taken)
        return None if draft.empty else draft


def _load(path: Path) -> dict[str, Any]:
    try:
        return as_dict(json.loads(read_limited(path, _MAX_FILE)))
    except (OSError, ValueError, RecursionError):
        return {}


def _size(content: Content) -> int:
    return len(content.data if isinstance(content, Image) else content or "")


def _to_json(draft: Draft) -> dict[str, Any]:
    pasted: dict[str, Any] = {}
    for number, content in draft.contents.items():
        if isinstance(content, Image):
            pasted[str(number)] = {"type": content.media_type, "content": content.data}
        elif content is not None:
            pasted[str(number)] = {"type": "text", "content": content}
    record: dict[str, Any] = {"text": draft.text, "cursor": draft.cursor, "shell": draft.shell}
    record["pastedContents"] = pasted
    if draft.stashed is not None:
        record["stashed"] = _to_json(draft.stashed)
    return record


def _from_json(record: dict[str, Any]) -> Draft:
    text, cursor = record.get("text"), record.get("cursor")
    contents: dict[int, Content] = {}
    for number, value in as_dict(record.get("pastedContents")).items():
        kind, content = as_dict(value).get("type"), as_dict(value).get("content")
        if number.isdecimal() and len(number) < 10 and isinstance(content, str):
            contents[int(number)] = content if kind == "text" else Image(str(kind), content)
    stashed = as_dict(record.get("stashed"))
    return Draft(
        text if isinstance(text, str) else "",
        cursor if isinstance(cursor, int) else 0,
        record.get("shell") is True,
        contents,
        _from_json(stashed) if stashed else None,
    )


def _started(pid: int) -> str:
    """What tells a process from a later one with the same number; "" where nobody knows."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return ""
    fields = stat.rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 else ""


def _runs(pid: int, started: object) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        pass
    return not started or _started(pid) == started
