"""Where settings live: our home folder, the files of each level, the root of a project."""

import os
import pwd
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from agentcli.base.git_facts import find_repo_root
from agentcli.protocol.errors import SettingsError, UsageError
from agentcli.protocol.rules import Destination
from agentcli.settings.model import Source

SettingSource = Literal["user", "project", "local"]
SETTING_SOURCES: tuple[SettingSource, ...] = ("user", "project", "local")


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """One file, its level, and the folder that its ``/pattern`` rules start at."""

    source: Source
    path: Path
    anchor: Path


def home_dir(env: Mapping[str, str]) -> Path:
    """Our own folder for settings, sessions and state; absolute, need not exist. Pure.

    An SDK that starts us owns ``CLAUDE_CONFIG_DIR``, so there that variable goes first. Raises
    ``UsageError`` for a relative one: a folder of the project would speak for the person.
    """
    names = ["AGENTCLI_HOME", "CLAUDE_CONFIG_DIR"]
    if env.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk-"):
        names.reverse()
    for name in names:
        if env.get(name):
            return _absolute(name, env)
    if env.get("XDG_CONFIG_HOME", "").startswith("/"):  # a relative one does not count, it says
        return Path(env["XDG_CONFIG_HOME"]) / "agentcli"
    return user_home(env) / ".agentcli"


def user_home(env: Mapping[str, str]) -> Path:
    """The person's home folder. Pure but for the password database where HOME is not set.

    Raises ``UsageError`` for a relative one and where nobody knows it.
    """
    if env.get("HOME"):
        return _absolute("HOME", env)
    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        raise UsageError("your home folder is not known; set HOME") from None


def managed_path() -> Path:
    """The administrator's settings file. Pure."""
    if sys.platform == "darwin":
        return Path("/Library/Application Support/ClaudeCode/managed-settings.json")
    return Path("/etc/claude-code/managed-settings.json")


def project_root(folder: Path) -> Path:
    """The repository root around *folder*, resolved, else *folder* itself. Never raises.

    Found by walking up for ``.git`` only: pointer files could borrow another folder's trust.
    """
    folder = folder.resolve()
    return find_repo_root(folder) or folder


def settings_files(
    cwd: Path,
    home: Path,
    env: Mapping[str, str],
    sources: Iterable[SettingSource] = SETTING_SOURCES,
    managed: Path | None = None,
) -> list[SettingsFile]:
    """The settings files from the lowest level to the highest (without the flag's). Never raises.

    A folder that is the person's home has no project level: ``~/.claude`` belongs to another
    program.
    """
    wanted = set(sources)
    files: list[SettingsFile] = []
    if "user" in wanted:
        files.append(SettingsFile("userSettings", home / "settings.json", home))
    if "project" in wanted and not _is_home(cwd, env):
        files.append(SettingsFile("projectSettings", cwd / ".claude" / "settings.json", cwd))
    if "local" in wanted and not _is_home(project_root(cwd), env):
        files.append(SettingsFile("localSettings", _local_file(cwd), cwd))
    managed = managed or managed_path()
    files.append(SettingsFile("managed", managed, managed.parent))
    return files


def destination_path(
    destination: Destination, cwd: Path, home: Path, env: Mapping[str, str]
) -> Path:
    """The file that rules for *destination* are saved in. Raises ``SettingsError`` for none."""
    folder = project_root(cwd) if destination == "localSettings" else cwd
    if destination == "session":
        raise SettingsError("Rules of the session are not saved.")
    if destination == "userSettings":
        return home / "settings.json"
    if _is_home(folder, env):
        raise SettingsError("The home folder has no project settings.")
    return _local_file(cwd) if destination == "localSettings" else cwd / ".claude/settings.json"


def parse_sources(text: str) -> tuple[SettingSource, ...]:
    """The value of ``--setting-sources``, e.g. ``user,project``. Raises ``UsageError``. Pure."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    unknown = [name for name in names if name not in SETTING_SOURCES]
    if unknown:
        valid = ", ".join(SETTING_SOURCES)
        raise UsageError(f"unknown setting source {unknown[0][:60]!r}; use: {valid}")
    return tuple(source for source in SETTING_SOURCES if source in names)


def _local_file(cwd: Path) -> Path:
    return project_root(cwd) / ".claude" / "settings.local.json"


def _is_home(folder: Path, env: Mapping[str, str]) -> bool:
    return folder.resolve() == user_home(env).resolve()


def _absolute(name: str, env: Mapping[str, str]) -> Path:
    text = env[name]
    if name != "HOME" and (text == "~" or text.startswith("~/")):
        text = f"{user_home(env)}{text[1:]}"
    if not text.startswith("/"):
        raise UsageError(f"{name} must be an absolute path, not {text[:200]!r}")
    return Path(text)
