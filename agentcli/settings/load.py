"""All settings for one start in one folder: files and the ``--settings`` flag, merged."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from agentcli.protocol.errors import SettingsError
from agentcli.settings.convert import loses_rules, to_settings
from agentcli.settings.merge import merge
from agentcli.settings.model import Layer, Loaded
from agentcli.settings.read import owner_problem, parse_object, read_object
from agentcli.settings.sources import (
    SETTING_SOURCES,
    SettingsFile,
    SettingSource,
    settings_files,
    user_home,
)


def load_settings(
    cwd: Path,
    home: Path,
    env: Mapping[str, str],
    flag_value: str | None = None,
    *,
    trusted: bool,
    setting_sources: Iterable[SettingSource] | None = None,
    managed: Path | None = None,
) -> Loaded:
    """Read and merge everything. A broken file or value becomes one line in ``problems``.

    Raises ``SettingsError`` only for a broken *flag_value* (a path or JSON text), since what was
    asked for by hand must not be lost silently.
    """
    problems: list[str] = []
    wanted = SETTING_SOURCES if setting_sources is None else setting_sources
    layers: list[Layer] = []
    unread: list[str] = []
    for file in settings_files(cwd, home, env, wanted, managed):
        if file.source == "managed" and flag_value is not None:
            layers.append(_flag_layer(flag_value, cwd, problems))
        layer = _file_layer(file, problems, unread)
        if layer:
            layers.append(layer)
    merged = merge(layers, trusted, user_home(env))
    return replace(merged, problems=tuple(problems), unread=tuple(unread))


def _file_layer(file: SettingsFile, problems: list[str], unread: list[str]) -> Layer | None:
    name = str(file.path)
    if file.source in ("userSettings", "managed"):
        problem = owner_problem(file.path)
        if problem:
            problems.append(problem)
            unread.append(name)
            return None
    try:
        raw = read_object(file.path)
    except SettingsError as error:
        problems.append(error.message)
        unread.append(name)
        return None
    if raw is None:
        return None
    if loses_rules(raw):
        unread.append(name)
    settings, found = to_settings(raw, name)
    problems += found
    return Layer(file.source, settings, file.anchor, name)


def _flag_layer(value: str, cwd: Path, problems: list[str]) -> Layer:
    if value.lstrip().startswith("{"):
        name, anchor = "--settings", cwd
        raw = parse_object(value.encode("utf-8", "surrogateescape"), name)
    else:
        path = cwd / Path(value).expanduser()
        name, anchor = str(path), path.parent
        raw = read_object(path)
        if raw is None:
            raise SettingsError(f"--settings: no such file: {path}")
    settings, found = to_settings(raw, name)
    problems += found
    return Layer("flag", settings, anchor, name)
