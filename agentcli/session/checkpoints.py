"""File checkpoints: keep what a file was before it is written, and put it back on request.

Nothing of git is needed or touched. Only what the session writes with its tools is kept; a file
that somebody else changed since is never deleted, and only overwritten after its bytes are kept,
so that every restore can be undone in the same way.
"""

import os
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentcli.base.clock import timestamp
from agentcli.base.no_links import open_folder
from agentcli.base.writing import atomic_write
from agentcli.protocol.history import FileChange, RestorePlan, RestoreReport
from agentcli.protocol.ids import new_uuid
from agentcli.session.backups import Backups, digest_of
from agentcli.session.entries import Entry
from agentcli.session.file_history import (
    DELETED,
    GROUPS_KEPT,
    Image,
    Timeline,
    group_line,
    image_line,
    shown_path,
    with_written,
)
from agentcli.session.present import Present, look, moved_folder, signature_of


@dataclass(frozen=True, slots=True)
class _Step:
    """One change of a plan, with the file as it is and the bytes that belong there (None: none)."""

    change: FileChange
    present: Present
    image: Image
    data: bytes | None


class Checkpoints:
    """The checkpoints of one session, kept in *folder*.

    ``note`` writes a log entry outside the tree; ``on_problem`` is told in one line when a backup
    cannot be kept, once until one succeeds again. Both are called from any thread, under a lock,
    and must not call back. Thread-safe.
    """

    def __init__(
        self,
        folder: Path,
        note: Callable[[dict[str, Any]], None],
        on_problem: Callable[[str], None],
    ) -> None:
        self._backups = Backups(folder)
        self._note = note
        self._on_problem = on_problem
        self._timeline = Timeline()
        self._removed: set[str] = set()
        self._signatures: dict[str, tuple[int, int, int]] = {}
        """What files looked like from outside when their content was known to be kept."""
        self._troubled = False
        self._lock = threading.RLock()

    def take(self, entries: Iterable[Entry]) -> None:
        """Go on with a session: *entries* are those of its log, in their order. Never raises."""
        with self._lock:
            self._timeline = Timeline(entries)

    def begin(self, message_id: str) -> None:
        """A prompt begins: what is written from now on belongs to it. Raises what ``note`` raises.

        Files that the session wrote before are kept as they are now where that is not kept yet:
        commands may change or delete them, which nothing tells. Blocking.

        A group that is known already stays where it is, and later writes go to the newest one:
        the groups keep the order in which the files changed.
        """
        with self._lock:
            if message_id in self._timeline:
                return
            self._open(message_id)
            for path in self._timeline.paths():
                self._keep_known(message_id, path)
            self._prune()

    def _open(self, group: str) -> None:
        if group not in self._timeline:
            self._log(group_line(group, timestamp()))

    def _keep_known(self, group: str, path: str) -> None:
        former, signature = self._timeline.newest(path), signature_of(path)
        if former is None or signature is None or signature == self._signatures.get(path):
            return
        present = look(path)
        if present.data is None:
            return
        image = self._keep(path, present)
        if image.lost:
            return  # what is kept before the next write will do
        self._troubled = False
        if image.digest != former.digest:
            written = self._timeline.written(path)
            self._log(image_line(group, with_written(image, written), timestamp()))
        self._signatures[path] = signature

    def before_write(self, path: Path, data: bytes) -> None:
        """Keep *path* (a real path) as it is now; *data* is about to be written to it.

        Blocking: call it in a thread. Never raises: a file that could not be kept is written all
        the same, and a plan says that it cannot be restored.
        """
        name = "/" + str(path).lstrip("/")
        with self._lock:
            if not self._timeline.current:
                self._open(new_uuid())
            group = self._timeline.current
            image = self._timeline.image(group, name)
            first = image is None and not self._timeline.files(group)
            if image is None:
                present = look(name)
                if not (present.regular or present.missing):
                    return  # no file: the write is going to fail, and nothing changes
                image = self._keep(name, present)
                self._tell(image, present)
            self._log(image_line(group, with_written(image, digest_of(data)), timestamp()))
            if first:
                self._prune()

    def plan(self, entries: Iterable[Entry], since: str) -> RestorePlan:
        """What restoring the files to the beginning of *since* would do. Changes nothing.

        *entries* are those of the log from *since* on, at least. A group that they do not know
        gives an empty plan. Blocking (reads every file concerned); never raises.
        """
        timeline = Timeline(entries)
        steps = (self._judge(image, timeline) for image in timeline.images_since(since).values())
        return RestorePlan(since, tuple(step.change for step in steps if step is not None))

    def restore(self, entries: Iterable[Entry], plan: RestorePlan) -> RestoreReport:
        """Do what *plan* says, judging each file again; *entries* as for ``plan``.

        Each file changes wholly or not at all. Blocking; raises nothing: what could not be done
        is in the report.
        """
        restored: list[str] = []
        deleted: list[str] = []
        problems: list[str] = []
        with self._lock:
            timeline = Timeline(entries)
            since = timeline.images_since(plan.since)
            images = {shown_path(path): image for path, image in since.items()}
            undo = new_uuid()
            for change in plan.changes:
                image = images.get(change.path)
                problem = change.problem
                if not problem and image is None:
                    problem = "it has no checkpoint"
                step = None if problem or image is None else self._judge(image, timeline)
                if step is not None:
                    problem = step.change.problem or self._do(step, undo, timeline)
                if problem:
                    problems.append(f"{change.path}: {problem}")
                elif step is not None:
                    (deleted if step.data is None else restored).append(change.path)
        done = bool(restored or deleted)
        return RestoreReport(tuple(restored), tuple(deleted), tuple(problems), undo if done else "")

    def _judge(self, image: Image, timeline: Timeline) -> _Step | None:
        """What going back to *image* means now; None: the file is as it was."""
        present = look(image.path)
        written = timeline.written(image.path)
        if image.name is None and not image.lost:
            return _judge_new(image, present, written)
        foreign = present.data is not None and present.digest != written
        if present.data is not None and present.digest == image.digest:
            return None
        data, problem = None, image.lost
        if not problem:
            data, problem = self._fetch(image, timeline)
        if data is not None and data == present.data:
            return None
        problem = _blocked(image.path, present) or problem
        action = "create" if present.missing else "restore"
        change = FileChange(shown_path(image.path), action, foreign, problem)
        return _Step(change, present, image, data)

    def _fetch(self, image: Image, timeline: Timeline) -> tuple[bytes | None, str]:
        """The bytes of *image*, or in words why there are none."""
        name = image.name or ""
        try:
            data = self._backups.read(name)
        except FileNotFoundError:
            if name in timeline.superseded():
                return None, f"its checkpoint is older than the {GROUPS_KEPT} that are kept"
            return None, "its backup is gone"
        except OSError as error:
            return None, f"its backup cannot be read ({error.strerror})"
        if image.digest and digest_of(data) != image.digest:
            return None, "its backup is damaged"
        return data, ""

    def _do(self, step: _Step, undo: str, timeline: Timeline) -> str:
        """Make the change, with a way back. Gives the problem in words, "" when it is done."""
        path = step.image.path
        before = self._keep(path, step.present)
        if before.lost:
            return f"its present content could not be kept for an undo: {before.lost}"
        self._open(undo)
        written = DELETED if step.data is None else digest_of(step.data)
        self._log(image_line(undo, with_written(before, written), timestamp()))
        try:
            _put(Path(path), step)
        except (OSError, ValueError) as error:
            former = timeline.written(path)
            self._log(image_line(undo, with_written(before, former), timestamp()))
            words = error.strerror if isinstance(error, OSError) else str(error)
            return f"could not be changed ({words})"
        return ""

    def _keep(self, path: str, present: Present) -> Image:
        """An image of *path* as it is, with its backup on the disk; ``lost`` where that failed."""
        former = self._timeline.newest(path)
        used = self._timeline.version(path)
        if present.missing:
            return Image(path, None, used)
        if former is not None and self._is_kept(former, present):
            return Image(path, former.name, former.version, present.mode, present.digest)
        # A name also for what is not kept: without one, readers take the file for a new one.
        name, version = self._backups.next_name(path, used)
        if present.data is None:
            return Image(path, name, version, lost=f"it was not kept: {present.problem}")
        try:
            self._backups.write(name, present.data)
        except OSError as error:
            lost = f"its backup could not be written ({error.strerror})"
            return Image(path, name, version, present.mode, lost=lost)
        return Image(path, name, version, present.mode, present.digest)

    def _tell(self, image: Image, present: Present) -> None:
        """Say that backups fail, once until one succeeds again."""
        failed = bool(image.lost) and present.data is not None
        if failed and not self._troubled:
            shown = shown_path(image.path)
            self._on_problem(f"A rewind cannot restore {shown}: {image.lost}.")
        if failed or image.digest:
            self._troubled = failed

    def _is_kept(self, former: Image, present: Present) -> bool:
        """True if the former backup holds these very bytes."""
        if former.name is None or former.lost or former.digest != present.digest:
            return False
        try:
            return self._backups.read(former.name) == present.data
        except OSError:
            return False

    def _prune(self) -> None:
        names = self._timeline.superseded() - self._removed
        self._backups.remove(names)
        self._removed |= names

    def _log(self, line: dict[str, Any]) -> None:
        self._timeline.add(line)
        self._note(line)


def _judge_new(image: Image, present: Present, written: str | None) -> _Step | None:
    """The file did not exist: it goes, if it is what the session made of it."""
    if present.missing:
        return None
    problem = _blocked(image.path, present)
    foreign = present.data is not None and present.digest != written
    if not problem and foreign:
        problem = "it was changed by somebody else since, so it is not deleted"
    change = FileChange(shown_path(image.path), "delete", foreign, problem)
    return _Step(change, present, image, None)


def _blocked(path: str, present: Present) -> str:
    """In words why nothing may be done at *path*, "" where it may."""
    if present.problem:
        return present.problem
    if present.links > 1:
        return "it has other names (hard links), which would change too"
    return moved_folder(path)


def _put(path: Path, step: _Step) -> None:
    """Raises OSError or ValueError."""
    if step.data is None:
        with open_folder(path.parent) as folder:
            os.unlink(path.name, dir_fd=folder)
        return
    atomic_write(path, step.data, step.image.mode, resolved=True)
