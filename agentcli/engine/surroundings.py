"""Where a session works: its directory now, the branch there, and what the tools may see of it."""

import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path

from agentcli.base.clock import timestamp
from agentcli.base.git_facts import read_branch
from agentcli.context.notes import environment_text
from agentcli.session.log import Place


class Surroundings:
    """The working directory (Bash may move it) and the branch, read again when asked to."""

    def __init__(self, cwd: Path, on_move: Callable[[Path], None] = lambda _: None) -> None:
        self.start = cwd
        self.cwd = cwd
        self.branch = read_branch(cwd)
        self._on_move = on_move

    def move(self, cwd: Path) -> None:
        """The shell went to *cwd*."""
        if cwd != self.cwd:
            self.cwd = cwd
            self._on_move(cwd)

    def refresh(self) -> None:
        """Read the branch anew: a command may have switched it."""
        self.branch = read_branch(self.cwd)

    def place(self) -> Place:
        """What every session entry notes."""
        return Place(str(self.cwd), self.branch)

    def describe(self) -> str:
        """The environment note for the model."""
        return environment_text(
            cwd=str(self.cwd),
            platform=f"{platform.system()} {platform.release()}",
            python=sys.executable,
            date=timestamp()[:10],
            branch=self.branch,
            shell=os.environ.get("SHELL", "/bin/sh"),
        )
