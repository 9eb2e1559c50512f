"""Where the command runs, and the session file that somebody means."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from agentcli.base.text import one_line
from agentcli.frontends.oneshot.streams import tell
from agentcli.protocol.errors import SessionNotFound
from agentcli.session.entries import Entry
from agentcli.session.reading import read_session

_TITLE_FIELDS = {"custom-title": "customTitle", "ai-title": "aiTitle", "summary": "summary"}


@dataclass(frozen=True, slots=True)
class Place:
    """The folder, our home and the environment."""

    cwd: Path
    home: Path
    env: Mapping[str, str]

    def find(self, text: str) -> Path:
        """The session file that *text* names: a path, or what the catalog finds. Raises
        SessionError."""
        if "/" in text or text.endswith(".jsonl"):
            path = self.cwd / Path(text)
            if os.path.isfile(path):  # unlike Path.is_file it never raises
                return path
            raise SessionNotFound(f"No session file at {one_line(text, 300)}.")
        from agentcli.session.catalog import Catalog

        return Catalog(self.home, self.cwd).find(text).file


def read_entries(path: Path) -> list[Entry]:
    """All entries of the file; damage is told on stderr. Raises SessionError."""
    window = read_session(path)
    if window.bad_lines:
        plural = "" if window.bad_lines == 1 else "s"
        tell(f"{window.bad_lines} damaged line{plural}; agentcli sessions check says which")
    return window.entries


def title_of(entries: list[Entry]) -> str:
    """The name of the session: given by a person, else by a model; "" for none. Pure."""
    for kind, name in _TITLE_FIELDS.items():
        for entry in reversed(entries):
            value = entry.data.get(name) if entry.type == kind else None
            if isinstance(value, str) and value.strip():
                return one_line(value)
    return ""
