"""Saving what a person chose in a settings file: permission rules, single values."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from agentcli.protocol.errors import SettingsError
from agentcli.protocol.rules import Behavior, Destination, Rule
from agentcli.settings.json_file import change_json
from agentcli.settings.sources import destination_path, project_root


def add_rules(
    rules: Iterable[Rule],
    behavior: Behavior,
    destination: Destination,
    *,
    cwd: Path,
    home: Path,
    env: Mapping[str, str],
) -> Path:
    """Add *rules* to the file of *destination*, each once; gives the path of the file.

    Blocking (call it in a thread). Raises ``SettingsError``, and then the file is as it was: it is
    broken, its ``permissions`` are no object, or it cannot be written.
    """
    path = destination_path(destination, cwd, home, env)
    if destination != "userSettings":
        _refuse_links(path, project_root(cwd))
    texts = [str(rule) for rule in rules]

    def change(content: dict[str, Any]) -> bool:
        permissions = content.setdefault("permissions", {})
        if not isinstance(permissions, dict):
            raise SettingsError(f"{path}: permissions is not an object; nothing was changed")
        listed: Any = permissions.setdefault(behavior, [])  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if not isinstance(listed, list):
            raise SettingsError(f"{path}: permissions.{behavior} is not a list; nothing changed")
        new = [text for text in dict.fromkeys(texts) if text not in listed]
        listed.extend(new)  # pyright: ignore[reportUnknownMemberType]
        return bool(new)

    change_json(path, change, private=destination == "userSettings")
    return path


def set_user_value(home: Path, key: str, value: str) -> None:
    """Set one top-level key of the user's settings. Blocking; raises ``SettingsError``."""

    def change(content: dict[str, Any]) -> bool:
        changed = content.get(key) != value
        content[key] = value
        return changed

    change_json(home / "settings.json", change, private=True)


def _refuse_links(path: Path, root: Path) -> None:
    """A project could plant a link, so that our write lands in another file."""
    for part in (path.parent, path):
        if part.is_symlink():
            raise SettingsError(f"{part}: is a link; rules are not saved through it")
    if not path.parent.resolve().is_relative_to(root):
        raise SettingsError(f"{path}: lies outside the project")
