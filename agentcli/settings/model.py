"""The settings as types. Keys that are not listed here are tolerated; other parts may read them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from agentcli.protocol.asks import Behavior

Source = Literal["flag", "session", "localSettings", "projectSettings", "userSettings", "managed"]
Mode = Literal["default", "manual", "acceptEdits", "plan", "dontAsk", "bypassPermissions"]


class Permissions(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The ``permissions`` object; rules stay text here, the permission layer reads them."""

    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    additional_directories: tuple[str, ...] = ()
    default_mode: Mode | None = None
    disable_bypass_permissions_mode: Literal["disable"] | None = None


class Settings(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """One file, or all of them merged. None: not set."""

    permissions: Permissions = msgspec.field(default_factory=Permissions)
    env: dict[str, str] = msgspec.field(default_factory=dict[str, str])
    model: str | None = None
    effort_level: str | None = None
    theme: str | None = None
    editor_mode: Literal["normal", "vim"] | None = None
    auth_header: Literal["bearer", "x-api-key"] | None = None
    cleanup_period_days: Annotated[int, msgspec.Meta(ge=1)] | None = None
    prefers_reduced_motion: bool | None = None
    auto_compact_enabled: bool | None = None
    respect_gitignore: bool | None = None
    verbose: bool | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule as written, with its source and the folder that ``/pattern`` starts at."""

    text: str
    behavior: Behavior
    source: Source
    anchor: Path


@dataclass(frozen=True, slots=True)
class Layer:
    """The settings of one source."""

    source: Source
    settings: Settings
    anchor: Path
    name: str


@dataclass(frozen=True, slots=True)
class Loaded:
    """All settings that count, the rules of all sources, and what to tell the person.

    ``problems``: one line for each file or key that could not be used. ``ignored``: one line for
    what a folder brought along and may not set. ``directories`` are the additional ones, absolute.
    """

    settings: Settings
    rules: tuple[RuleText, ...] = ()
    directories: tuple[Path, ...] = ()
    problems: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
