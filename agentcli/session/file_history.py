"""What the log tells of files before they were written: a timeline of before-images. Pure.

The entries are ``file-history-snapshot`` lines, as the public readers of this format know them:
one with an empty map when a prompt begins, then, before each write of a file, an update that names
how the file was before the first write since that prompt. ``file-history-delta`` lines, which other
writers use for the update, are understood too. All lines with one ``messageId`` are a group; the
groups stand in the order of their first line, whatever branch of the conversation they belong to,
since the files of a project have one history only.
"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from agentcli.base.text import clean_surrogates
from agentcli.base.values import as_dict
from agentcli.session.entries import Entry

GROUPS_KEPT = 100
"""So many of the newest groups with files keep their backups; each file's first one stays too."""
SNAPSHOT = "file-history-snapshot"
DELTA = "file-history-delta"
DELETED = ""
"""Stands for the digest of a file that was taken away."""

_NAME = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]*@v[0-9]+")


@dataclass(frozen=True, slots=True)
class Image:
    """A file as it was before the first write of a group.

    ``name`` is the backup file, None where the file did not exist. ``mode`` is None and ``digest``
    empty where the writer did not note them. ``lost`` says in words why there is no backup, ""
    where there is one. ``written`` is the digest of the write that was about to be made: DELETED
    for a removal, None where it is not known.
    """

    path: str
    name: str | None
    version: int
    mode: int | None = None
    digest: str = ""
    lost: str = ""
    written: str | None = None


class Timeline:
    """The groups of a session, oldest first. Grows by ``add``; never raises for any entry."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._groups: dict[str, dict[str, Image]] = {}
        self._first: dict[str, Image] = {}
        self._newest: dict[str, Image] = {}
        self._version: dict[str, int] = {}
        self._written: dict[str, str | None] = {}
        for entry in entries:
            self.add(entry.data)

    def add(self, data: Mapping[str, Any]) -> None:
        """Take the next entry; those that are not about files are passed over."""
        kind = data.get("type")
        if kind == SNAPSHOT:
            snapshot = as_dict(data.get("snapshot"))
            group = data.get("messageId") or snapshot.get("messageId")
            files = as_dict(snapshot.get("trackedFileBackups"))
        elif kind == DELTA:
            group = data.get("messageId")
            files = {str(data.get("trackingPath", "")): data.get("backup")}
        else:
            return
        if not isinstance(group, str) or not group:
            return
        images = self._groups.setdefault(group, {})
        for key, record in files.items():
            image = _read_image(key, as_dict(record))
            if image.path not in images:
                images[image.path] = image
                self._first.setdefault(image.path, image)
                self._newest[image.path] = image
            version = max(image.version, self._version.get(image.path, 0))
            self._version[image.path] = version
            self._written[image.path] = image.written

    def __contains__(self, group: object) -> bool:
        return group in self._groups

    @property
    def current(self) -> str:
        """The newest group, "" where there is none."""
        return next(reversed(self._groups), "")

    def image(self, group: str, path: str) -> Image | None:
        """How *path* was before the first write of *group*; None: not written in it."""
        return self._groups.get(group, {}).get(path)

    def paths(self) -> tuple[str, ...]:
        """Every file that was written."""
        return tuple(self._newest)

    def newest(self, path: str) -> Image | None:
        """The newest image of *path*."""
        return self._newest.get(path)

    def version(self, path: str) -> int:
        """The highest version that was given to a backup of *path*."""
        return self._version.get(path, 0)

    def written(self, path: str) -> str | None:
        """Digest of what the session last wrote to *path*; DELETED, or None: not known."""
        return self._written.get(path)

    def files(self, group: str) -> tuple[str, ...]:
        """The files that were written in *group*."""
        return tuple(self._groups.get(group, {}))

    def images_since(self, group: str) -> dict[str, Image]:
        """Every file written in *group* or later, as it was when *group* began.

        Empty for a group that is not known.
        """
        since: dict[str, Image] = {}
        if group not in self._groups:
            return since
        for name in reversed(self._groups):
            since.update(self._groups[name])
            if name == group:
                break
        return since

    def superseded(self) -> set[str]:
        """Names of the backups that need not be kept any longer."""
        groups = [images for images in self._groups.values() if images]
        old, kept = groups[:-GROUPS_KEPT], groups[-GROUPS_KEPT:]
        if not old:
            return set()
        needed = {image.name for images in kept for image in images.values()}
        needed.update(image.name for image in self._first.values())
        names = {image.name for images in old for image in images.values()}
        return {name for name in names - needed if name is not None}


def group_line(group: str, at: str) -> dict[str, Any]:
    """The entry that begins *group* (the id of a prompt, or of a restore). Pure."""
    return _line(group, {}, at, update=False)


def image_line(group: str, image: Image, at: str) -> dict[str, Any]:
    """The entry that stands before a write: *image*, and in it what is written. Pure.

    Readers fold it add-only: the first image of a file in a group counts, the last ``written``.
    """
    record: dict[str, Any] = {
        "backupFileName": image.name,
        "version": image.version,
        "backupTime": at,
        "realParentDir": shown_path(os.path.dirname(image.path)),
    }
    key = shown_path(image.path)
    if key != image.path:  # a name that is not UTF-8, which JSON cannot hold
        record["pathHex"] = os.fsencode(image.path).hex()
    if image.mode is not None:
        record["mode"] = image.mode
    if image.digest:
        record["digest"] = image.digest
    if image.lost:
        record["lost"] = image.lost
    if image.written is not None:
        record["written"] = image.written
    return _line(group, {key: record}, at, update=True)


def shown_path(path: str) -> str:
    """*path* as text that JSON and a screen can hold: wrong UTF-8 in a name as ``\\xff``. Pure."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def with_written(image: Image, written: str | None) -> Image:
    """*image* again, before another write. Pure."""
    return replace(image, written=written)


def _line(group: str, files: dict[str, Any], at: str, *, update: bool) -> dict[str, Any]:
    return {
        "type": SNAPSHOT,
        "messageId": group,
        "snapshot": {"messageId": group, "trackedFileBackups": files, "timestamp": at},
        "isSnapshotUpdate": update,
    }


def _read_image(key: str, record: Mapping[str, Any]) -> Image:
    name, mode, version = (record.get(k) for k in ("backupFileName", "mode", "version"))
    digest, lost, written = (record.get(k) for k in ("digest", "lost", "written"))
    if not isinstance(lost, str):
        lost = ""
    if "backupFileName" not in record:
        lost = lost or "the session file does not say where its backup is"
    elif name is not None and not (isinstance(name, str) and _NAME.fullmatch(name)):
        # Anything else could name a file outside of the folder.
        name, lost = None, lost or "the session file gives no valid name of its backup"
    return Image(
        path=_read_path(key, record),
        name=name,
        version=version if isinstance(version, int) else 0,
        mode=mode & 0o7777 if isinstance(mode, int) else None,
        digest=digest if isinstance(digest, str) else "",
        lost=lost,
        written=written if isinstance(written, str) else None,
    )


def _read_path(key: str, record: Mapping[str, Any]) -> str:
    raw, folder = record.get("pathHex"), record.get("realParentDir")
    key = clean_surrogates(key)  # no path of a file has those that stand for no byte
    if isinstance(raw, str):
        try:
            return os.fsdecode(bytes.fromhex(raw))
        except ValueError:
            return key
    if isinstance(folder, str) and os.path.isabs(folder):  # other writers shorten the key
        return os.path.join(clean_surrogates(folder), os.path.basename(key))
    return key
