"""The sessions of a folder, and of all others: listed, found, looked into, named, deleted."""

import os
import shutil
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from time import time

from agentcli.base.files import open_regular
from agentcli.base.git_facts import worktrees
from agentcli.base.text import one_line, strip_controls
from agentcli.protocol.errors import (
    SessionAmbiguous,
    SessionBusy,
    SessionCorrupt,
    SessionNotFound,
)
from agentcli.protocol.events import Event
from agentcli.protocol.history import SessionInfo
from agentcli.protocol.ids import is_uuid
from agentcli.session.codec import decode_lines, encode_line
from agentcli.session.line_writer import is_locked
from agentcli.session.listing import read_info
from agentcli.session.replay import replay
from agentcli.session.store import SLUG_LIMIT, project_folders, project_slug
from agentcli.session.tree import conversation

TITLE_CHARS = 200
_PREVIEW_BYTES = 262_144
_PREVIEW_EVENTS = 20
_NAMED_MATCHES = 5


class Catalog:
    """The sessions under *home* as seen from *cwd*. All methods block and read files."""

    def __init__(self, home: Path, cwd: Path) -> None:
        self._home, self._cwd = home, cwd

    def list(self, everywhere: bool = False) -> Sequence[SessionInfo]:
        """Sessions of this folder and the other worktrees of its repository, or of all folders,
        newest first. Never raises."""
        if everywhere:
            files = session_files(*_folders(self._home / "projects"))
            infos = [info for file in files if (info := read_info(file)) is not None]
        else:
            infos = list(self._here())
        return sorted(infos, key=lambda info: info.modified, reverse=True)

    def newest(self, *, interactive: bool) -> SessionInfo:
        """The newest session of exactly this folder; with *interactive* without those of scripts
        and SDKs. Raises SessionNotFound."""
        real = os.path.realpath(self._cwd)
        files = session_files(*project_folders(self._home, self._cwd))
        for file in sorted(files, key=_modified, reverse=True):
            info = read_info(file)
            if info is None or not _belongs(info.cwd, real, {real}):
                continue
            if not (interactive and info.entrypoint.startswith("sdk")):
                return info
        raise SessionNotFound(f"No session in {real} yet; start one without --continue.")

    def find(self, text: str) -> SessionInfo:
        """The session with this id, path or title, else the one whose title or prompts hold the
        words. Raises SessionNotFound, or SessionAmbiguous with all that would fit."""
        if is_uuid(text):
            return self._by_id(text.lower())
        if text.endswith(".jsonl") and (info := read_info(Path(self._cwd, text))) is not None:
            return info
        for everywhere in (False, True):
            if matches := _matches(self.list(everywhere), text):
                return _only(matches, text)
        raise SessionNotFound(
            f"No session '{one_line(text, 80)}'; agentcli sessions list --all shows what there is."
        )

    def rename(self, info: SessionInfo, title: str) -> None:
        """Name a session, also one that is open elsewhere. Raises SessionCorrupt."""
        name = clean_title(title)
        line = encode_line({"type": "custom-title", "customTitle": name, "sessionId": info.id})
        try:
            _append(info.file, line)
        except OSError as error:
            raise SessionCorrupt(f"Cannot rename {info.file}: {error.strerror}.") from None

    def delete(self, info: SessionInfo) -> None:
        """Delete a session with all that belongs to it. Raises SessionBusy, SessionCorrupt."""
        if is_locked(info.file):
            raise SessionBusy(f"Session {info.id} is open in another agentcli; close it there.")
        try:
            delete_session(self._home, info.file)
        except OSError as error:
            raise SessionCorrupt(f"Cannot delete {info.file}: {error.strerror}.") from None

    def preview(self, info: SessionInfo) -> Sequence[Event]:
        """The last events of its conversation, as far as the end of the file tells. Never
        raises."""
        try:
            with os.fdopen(open_regular(info.file), "rb") as file:
                file.seek(max(0, info.size - _PREVIEW_BYTES))
                lines = file.read(2 * _PREVIEW_BYTES).split(b"\n")
        except OSError:
            return ()
        entries, _ = decode_lines(lines if info.size <= _PREVIEW_BYTES else lines[1:])
        return list(replay(conversation(entries)))[-_PREVIEW_EVENTS:]

    def _here(self) -> Iterator[SessionInfo]:
        folders = {os.path.realpath(path) for path in (self._cwd, *worktrees(self._cwd))}
        seen: set[Path] = set()
        for folder in sorted(folders):
            places = [p for p in project_folders(self._home, Path(folder)) if p not in seen]
            seen.update(places)
            for file in session_files(*places):
                info = read_info(file)
                if info is not None and _belongs(info.cwd, folder, folders):
                    yield info

    def _by_id(self, session_id: str) -> SessionInfo:
        name = f"{session_id}.jsonl"
        here = [folder / name for folder in project_folders(self._home, self._cwd)]
        others = [folder / name for folder in _folders(self._home / "projects")]
        for found in (here, others):
            infos = [info for file in found if (info := read_info(file)) is not None]
            if infos:
                return _only(infos, session_id)
        raise SessionNotFound(
            f"No session {session_id} under {self._home / 'projects'}; --continue takes the newest "
            "one here."
        )


def clean_title(title: str) -> str:
    """A name as it is kept: one line of at most 200 characters without controls. Pure."""
    return " ".join(strip_controls(title).split())[:TITLE_CHARS].strip()


def delete_session(home: Path, file: Path) -> None:
    """Delete *file*, its folder and the files kept for it. Raises OSError where the file stays."""
    file.unlink(missing_ok=True)
    for folder in (file.with_suffix(""), home / "file-history" / file.stem):
        if folder.is_dir() and not folder.is_symlink():
            shutil.rmtree(folder, ignore_errors=True)


def _matches(infos: Sequence[SessionInfo], text: str) -> list[SessionInfo]:
    """Those with exactly this title or the begin of an id, else those that hold all words."""
    wanted = " ".join(text.lower().split())
    exact = [info for info in infos if info.title.lower() == wanted]
    if exact or not wanted:
        return [info for info in exact if info.named] or exact
    if len(wanted) >= 4 and (begun := [info for info in infos if info.id.startswith(wanted)]):
        return begun
    words = wanted.split()
    return [info for info in infos if all(word in _text(info) for word in words)]


def _belongs(cwd: str, folder: str, folders: Collection[str]) -> bool:
    """Is a session that began in *cwd* and lies where those of *folder* lie one of *folders*? Pure.

    Two paths can share a slug (a_b and a-b), so the place alone does not tell. A copy of another
    folder's session lies with its own folder and still begins with the other one's lines.
    """
    if not cwd or cwd in folders:
        return True
    slug = project_slug(folder)[:SLUG_LIMIT]
    for parent in (Path(cwd), *Path(cwd).parents):
        if project_slug(str(parent))[:SLUG_LIMIT] == slug:
            return str(parent) in folders
    return True


def _text(info: SessionInfo) -> str:
    return "\n".join((info.title, info.first_prompt, info.last_prompt)).lower()


def _only(infos: Sequence[SessionInfo], text: str) -> SessionInfo:
    if len(infos) == 1:
        return infos[0]
    named = [
        f"{info.id[:8]} '{one_line(info.title, 40)}' ({_age(time() - info.modified)} ago)"
        for info in infos[:_NAMED_MATCHES]
    ]
    more = ", …" if len(infos) > _NAMED_MATCHES else ""
    raise SessionAmbiguous(
        f"{len(infos)} sessions fit '{one_line(text, 60)}': {', '.join(named)}{more}; "
        "give more words, or an id.",
        infos,
    )


def _age(seconds: float) -> str:
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size:
            return f"{int(seconds // size)}{unit}"
    return f"{max(0, int(seconds))}s"


def _folders(projects: Path) -> list[Path]:
    try:
        with os.scandir(projects) as found:
            return sorted(Path(item.path) for item in found if item.is_dir(follow_symlinks=False))
    except OSError:
        return []


def session_files(*folders: Path) -> Iterator[Path]:
    """The files in *folders* that are named as sessions are. Never raises."""
    for folder in folders:
        try:
            with os.scandir(folder) as found:
                names = [item.name for item in found]
        except OSError:
            continue
        for name in names:
            if name.endswith(".jsonl") and is_uuid(name.removesuffix(".jsonl")):
                yield folder / name


def _modified(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _append(file: Path, line: bytes) -> None:
    """Append a whole line, behind an LF where the last one is torn. Raises OSError."""
    fd = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        size = os.fstat(fd).st_size
        torn = size > 0 and os.pread(fd, 1, size - 1) != b"\n"
        os.write(fd, b"\n" + line if torn else line)
    finally:
        os.close(fd)
