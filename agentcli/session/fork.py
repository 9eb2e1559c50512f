"""A copy of a conversation as a session of its own; the original is only read."""

import errno
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from agentcli.base.values import as_dict
from agentcli.protocol.errors import SessionCorrupt, SessionNotFound
from agentcli.protocol.ids import new_uuid
from agentcli.session.codec import encode_line
from agentcli.session.entries import Entry
from agentcli.session.file_history import DELTA, SNAPSHOT
from agentcli.session.prompts import is_prompt
from agentcli.session.reading import read_session
from agentcli.session.tree import conversation, conversation_at

_LINKS = ("uuid", "parentUuid", "sourceToolAssistantUUID", "logicalParentUuid")
_NOT_COPIED = ("teamName", "agentName", "slug")


def fork_session(
    source: Path,
    target: Path,
    new_id: str,
    *,
    fresh_ids: bool,
    upto: str | None = None,
    title: str | None = None,
) -> None:
    """Write the conversation of *source*, up to its entry *upto*, to the new file *target*.

    With *fresh_ids* every entry gets a new uuid and tells where it comes from (``/branch``);
    without, only the session's id is another (``--fork-session``). The files that were kept for a
    rewind come along. Blocking. Raises SessionNotFound or SessionCorrupt, and then nothing is left.
    """
    entries = read_session(source).entries
    path = conversation_at(entries, upto) if upto is not None else conversation(entries)
    if not path:
        raise SessionNotFound(f"There is no conversation in {source} to go on with.")
    name = title or _title(entries)
    lines = list(copied_lines(path, entries, source.stem, new_id, fresh_ids=fresh_ids))
    if name:
        given = title or f"{name} (fork)"
        lines.append({"type": "custom-title", "customTitle": given, "sessionId": new_id})
    backups = _backups_of(target)
    try:
        _copy_backups(_backups_of(source), backups)
        _write(target, lines)
    except OSError as error:
        shutil.rmtree(backups, ignore_errors=True)
        raise SessionCorrupt(f"Cannot write {target}: {error.strerror}.") from None


def copied_lines(
    path: Sequence[Entry], entries: Sequence[Entry], old_id: str, new_id: str, *, fresh_ids: bool
) -> Iterator[dict[str, Any]]:
    """The entries of the copy: those of *path*, and the checkpoints of its prompts. Pure but for
    the new ids."""
    names = {entry.uuid: new_uuid() if fresh_ids else entry.uuid for entry in path}
    kept = _checkpoints(path, entries)
    for line in kept.get("", ()):
        yield _renamed(line, names, new_id)
    for entry in path:
        data = {key: value for key, value in entry.data.items() if key not in _NOT_COPIED}
        data["sessionId"] = new_id
        for key in _LINKS:
            if isinstance(data.get(key), str):
                data[key] = names.get(data[key], data[key])
        if isinstance(named := as_dict(data.get("attachment")).get("entries"), list):
            again = [names.get(str(name), name) for name in cast("list[Any]", named)]
            data["attachment"] = {**data["attachment"], "entries": again}
        if fresh_ids:
            data["forkedFrom"] = {"sessionId": old_id, "messageUuid": entry.uuid}
        if entry is path[0]:
            data["parentUuid"] = None
        yield data
        for line in kept.get(entry.uuid, ()):
            yield _renamed(line, names, new_id)


def _checkpoints(
    path: Sequence[Entry], entries: Sequence[Entry]
) -> Mapping[str, list[dict[str, Any]]]:
    """Checkpoint lines by the prompt behind which they are written, "" for the begin. Those of
    other branches belong to the history of the files too: they stand where they stood in time."""
    on_path = {entry.uuid for entry in path if is_prompt(entry)}
    kept: dict[str, list[dict[str, Any]]] = {}
    owner = ""
    for entry in entries:
        if entry.uuid in on_path:
            owner = entry.uuid
        elif entry.type in (SNAPSHOT, DELTA):
            kept.setdefault(owner, []).append(entry.data)
    return kept


def _renamed(line: dict[str, Any], names: Mapping[str, str], new_id: str) -> dict[str, Any]:
    data = {**line, "sessionId": new_id}
    group = line.get("messageId")
    if isinstance(group, str):
        data["messageId"] = names.get(group, group)
        if "snapshot" in line:
            data["snapshot"] = {**as_dict(line["snapshot"]), "messageId": data["messageId"]}
    return data


def _title(entries: Sequence[Entry]) -> str:
    titles = (e.data.get("customTitle") for e in reversed(entries) if e.type == "custom-title")
    return str(next(titles, "") or "")


def _write(target: Path, lines: Sequence[dict[str, Any]]) -> None:
    for folder in reversed(target.parents[:3]):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    temp = target.with_name(f".{target.name}.{os.urandom(6).hex()}.tmp")
    fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with os.fdopen(fd, "wb") as file:
            for data in lines:
                file.write(encode_line(data))
        _publish(temp, target)
    finally:
        temp.unlink(missing_ok=True)


def _publish(temp: Path, target: Path) -> None:
    """Give the finished file its name, never over a session that is there. Raises OSError."""
    try:
        os.link(temp, target)
    except FileExistsError:
        raise
    except OSError:  # a disk without hard links
        if target.exists():
            raise FileExistsError(errno.EEXIST, "File exists", str(target)) from None
        temp.rename(target)


def _backups_of(file: Path) -> Path:
    """Where the files of a session are kept, in the home that it stands in."""
    return file.parent.parent.parent / "file-history" / file.stem


def _copy_backups(old: Path, new: Path) -> None:
    """Bring the kept files along, as other names of the same bytes where the disk can do that."""
    if not old.is_dir():
        return
    for folder in reversed((new, *new.parents[:2])):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for file in old.iterdir():
        if file.is_symlink() or not file.is_file():
            continue
        try:
            os.link(file, new / file.name)
        except OSError:
            shutil.copy2(file, new / file.name)
