"""The terminal's title and the progress on its tab. Pure: what is to be written."""

from collections.abc import Mapping
from typing import Literal

from rich.cells import set_cell_size

from agentcli.base.text import reveal, strip_controls
from agentcli.frontends.tui.terminal.kind import (
    is_plain,
    multiplexer,
    terminal_name,
    version_of,
)

Activity = Literal["idle", "busy", "asking", "failed"]

_LONGEST = 60
_MARKS: dict[Activity, str] = {"idle": "", "busy": "◐ ", "asking": "? ", "failed": "✗ "}
_PROGRESS: dict[Activity, str] = {
    "idle": "\x1b]9;4;0\x07",
    "busy": "\x1b]9;4;3\x07",
    "asking": "\x1b]9;4;4;100\x07",
    "failed": "\x1b]9;4;2;100\x07",
}
# the first version that takes OSC 9;4 for progress; before, some show it as a notification
_PROGRESS_SINCE: dict[str, tuple[int, ...]] = {
    "windows": (),
    "conemu": (),
    "ghostty": (1, 2),
    "iterm2": (3, 6),
    "wezterm": (20250101,),
    "vscode": (1, 97),
}

PROGRESS_OFF = _PROGRESS["idle"]


def wants_title(env: Mapping[str, str]) -> bool:
    """May the title be set? The person can forbid it, and some terminals have none."""
    switch = env.get("CLAUDE_CODE_DISABLE_TERMINAL_TITLE", "").lower()
    return switch in {"", "0", "false", "no"} and not is_plain(env)


def has_progress(env: Mapping[str, str]) -> bool:
    """Is the terminal known to show progress? Where it is not, it might show rubbish instead."""
    if multiplexer(env):
        return False
    name = terminal_name(env)
    return name in _PROGRESS_SINCE and version_of(env) >= _PROGRESS_SINCE[name]


def title_sequence(activity: Activity, topic: str, directory: str) -> str:
    """Sets the title: what goes on, what about (of unknown origin), where."""
    words = " — ".join(part for part in (clean_title(topic), clean_title(directory)) if part)
    return f"\x1b]0;{_MARKS[activity]}{words or 'agentcli'}\x07"


def progress_sequence(activity: Activity) -> str:
    """Shows the progress that belongs to *activity*; nothing is known of how much is left."""
    return _PROGRESS[activity]


def clean_title(text: str) -> str:
    """*text* on one short line, without anything that a terminal acts on or hides."""
    line = " ".join(reveal(strip_controls(text)).split())
    cut = set_cell_size(line, _LONGEST).rstrip()
    return cut if cut == line else cut[:-1].rstrip() + "…"
