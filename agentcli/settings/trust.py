"""Which project folders the person trusts, kept in the state file of our home."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agentcli.base.values import as_dict
from agentcli.protocol.errors import SettingsError
from agentcli.settings.json_file import change_json
from agentcli.settings.read import owner_problem, read_object
from agentcli.settings.sources import project_root, user_home

_KEY = "hasTrustDialogAccepted"


@dataclass(frozen=True, slots=True)
class Trust:
    """``root`` is what trust is given to; ``problem`` says why the state could not be read."""

    trusted: bool
    root: Path
    problem: str | None = None


def state_path(home: Path) -> Path:
    """The state file. Pure."""
    return home / ".claude.json"


def read_trust(folder: Path, home: Path) -> Trust:
    """Is the project around *folder* trusted? Never raises: a broken state means no.

    The key is the resolved repository root, so a nested repository does not inherit.
    """
    root = project_root(folder)
    problem = owner_problem(state_path(home))
    if problem:
        return Trust(False, root, f"{problem} (folders count as not trusted)")
    try:
        state = read_object(state_path(home)) or {}
    except SettingsError as error:
        return Trust(False, root, f"{error.message} (folders count as not trusted)")
    entry = as_dict(as_dict(state.get("projects")).get(str(root)))
    return Trust(entry.get(_KEY) is True, root)


def is_trusted(folder: Path, home: Path) -> bool:
    """``read_trust`` without the details. Never raises."""
    return read_trust(folder, home).trusted


def set_trusted(folder: Path, home: Path, env: Mapping[str, str]) -> bool:
    """Remember that the project around *folder* is trusted; False where it is not to be saved.

    The home folder is trusted for a session at most: everything lies in it. Raises
    ``SettingsError`` if the state file is broken or cannot be written; it is never overwritten.
    """
    root = project_root(folder)
    if root in (user_home(env).resolve(), Path("/")):
        return False
    path = state_path(home)

    def change(state: dict[str, Any]) -> bool:
        projects = state.setdefault("projects", {})
        if not isinstance(projects, dict):
            raise SettingsError(f"{path}: projects is not an object; nothing was changed")
        entry: Any = projects.setdefault(str(root), {})  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if not isinstance(entry, dict):
            raise SettingsError(f"{path}: the entry of {root} is not an object")
        entry[_KEY] = True
        return True

    change_json(path, change, private=True)
    return True
