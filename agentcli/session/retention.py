"""Remove sessions that nobody has used for a long time, and what is left of removed ones."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from time import time

from agentcli.protocol.ids import is_uuid
from agentcli.session.catalog import delete_session, session_files
from agentcli.session.line_writer import is_locked

DEFAULT_DAYS = 30
_DAY = 86_400.0
_AT_ONCE = 200
"""So many are removed in one go; the rest goes the next day."""
_STAMP = ".last-cleanup"


def sweep_later(home: Path, days: int) -> threading.Thread:
    """Start ``sweep`` in a thread of its own; the program does not wait for it."""
    thread = threading.Thread(target=sweep, args=(home, days, time()), name="cleanup", daemon=True)
    thread.start()
    return thread


def sweep(home: Path, days: int, now: float) -> int:
    """Delete the sessions whose file was last written more than *days* days before *now* (Unix
    seconds), but for those in use; how many. At most once a day. Never raises."""
    stamp = home / _STAMP
    if 0 <= now - _modified(stamp) < _DAY:  # one from the future: the clock was set back
        return 0
    try:
        stamp.touch(mode=0o600)
        os.utime(stamp, (now, now))
    except OSError:
        return 0  # it would be tried again at every start
    limit = now - max(1, days) * _DAY
    removed = 0
    for file in _old_sessions(home, limit):
        if removed >= _AT_ONCE:
            break
        try:
            delete_session(home, file)
        except OSError:
            continue
        removed += 1
    _remove_orphans(home, limit)
    return removed


def _old_sessions(home: Path, limit: float) -> Iterator[Path]:
    try:
        folders = sorted(path for path in (home / "projects").iterdir() if path.is_dir())
    except OSError:
        return
    for file in session_files(*folders):
        if 0 < _modified(file) < limit and not is_locked(file):
            yield file


def _remove_orphans(home: Path, limit: float) -> None:
    """Kept files of sessions that are gone."""
    try:
        folders = list((home / "file-history").iterdir())
    except OSError:
        return
    for folder in folders[:_AT_ONCE]:
        if is_uuid(folder.name) and _modified(folder) < limit:
            if not any((home / "projects").glob(f"*/{folder.name}.jsonl")):
                delete_session(home, home / "projects" / "-" / f"{folder.name}.jsonl")


def _modified(path: Path) -> float:
    """0.0 where it is not there."""
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0
