"""A project folder, a session that writes in it, and checkpoints whose log is a real file."""

import os
from pathlib import Path
from typing import Any

from agentcli.protocol.history import FileChange, RestorePlan, RestoreReport
from agentcli.session.checkpoints import Checkpoints
from agentcli.session.codec import decode_lines, encode_line
from agentcli.session.entries import Entry


class World:
    """``prompt`` and ``write`` are what a session does; entries are always read back from the
    file, as after a resume."""

    def __init__(self, folder: Path) -> None:
        self.project = Path(os.path.realpath(folder)) / "project"
        self.project.mkdir(parents=True)
        self.backups = folder / "home" / "file-history" / "sid"
        self.log = folder / "log.jsonl"
        self.log.touch()
        self.problems: list[str] = []
        self.count = 0
        self.checkpoints = self._new()

    def _new(self) -> Checkpoints:
        return Checkpoints(self.backups, self.note, self.problems.append)

    def note(self, line: dict[str, Any]) -> None:
        with self.log.open("ab") as file:
            file.write(encode_line(line))

    def entries(self) -> list[Entry]:
        entries, bad = decode_lines(self.log.read_bytes().splitlines())
        assert bad == 0
        return entries

    def reopen(self) -> None:
        """What a resume does."""
        self.checkpoints = self._new()
        self.checkpoints.take(self.entries())

    def path(self, name: str | bytes) -> Path:
        return self.project / os.fsdecode(name)

    def prompt(self) -> str:
        self.count += 1
        group = f"00000000-0000-4000-8000-{self.count:012}"
        self.checkpoints.begin(group)
        return group

    def write(self, name: str | bytes, data: bytes) -> Path:
        """What Write does: say so, then write."""
        path = self.path(name)
        self.checkpoints.before_write(path, data)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def plan(self, since: str) -> RestorePlan:
        return self.checkpoints.plan(self.entries(), since)

    def changes(self, since: str) -> list[tuple[str, str, bool, str]]:
        """The plan in short: name, action, foreign, problem."""
        return [self._short(change) for change in self.plan(since).changes]

    def _short(self, change: FileChange) -> tuple[str, str, bool, str]:
        name = os.path.relpath(change.path, self.project)
        return name, change.action, change.foreign, change.problem

    def rewind(self, since: str) -> RestoreReport:
        return self.checkpoints.restore(self.entries(), self.plan(since))

    def kept(self) -> set[str]:
        return set(os.listdir(self.backups)) if self.backups.is_dir() else set()

    def state(self) -> dict[str, tuple[bytes, int]]:
        """Bytes and mode of every file of the project."""
        return {
            os.path.relpath(path, self.project): (path.read_bytes(), path.stat().st_mode)
            for path in sorted(self.project.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }
