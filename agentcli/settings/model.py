"""The settings as types. Keys that are not listed here are tolerated; other parts may read them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from agentcli.protocol.rules import Behavior

Source = Literal["flag", "session", "localSettings", "projectSettings", "userSettings", "managed"]
Mode = Literal["default", "manual", "acceptEdits", "plan", "dontAsk", "bypassPermissions"]
NotifyChannel = Literal[
    "auto",
    "terminal_bell",
    "iterm2",
    "iterm2_with_bell",
    "kitty",
    "ghostty",
    "notifications_disabled",
]


class Permissions(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The ``permissions`` object; rules stay text here, the permission layer reads them."""

    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    additional_directories: tuple[str, ...] = ()
    default_mode: Mode | None = None
    disable_bypass_permissions_mode: Literal["disable"] | None = None


VimRemap = Annotated[str, msgspec.Meta(pattern=r"^[!-~]{2}$")]
"""Two keys that leave INSERT when they are typed one right after the other."""


class StatusLine(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The ``statusLine`` object: a shell command of the person's own that prints the facts.

    ``refresh_interval`` is in seconds; None: run only when something changed.
    """

    type: Literal["command"]
    command: Annotated[str, msgspec.Meta(min_length=1, pattern=r"^[^\x00]*$")]
    padding: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0
    refresh_interval: Annotated[float, msgspec.Meta(ge=1)] | None = None
    hide_vim_mode_indicator: bool = False


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
    file_checkpointing_enabled: bool | None = None
    prefers_reduced_motion: bool | None = None
    auto_compact_enabled: bool | None = None
    auto_compact_window: Annotated[int, msgspec.Meta(ge=100_000, le=1_000_000)] | None = None
    respect_gitignore: bool | None = None
    respond_to_bash_commands: bool | None = None
    verbose: bool | None = None
    language: str | None = None
    status_line: StatusLine | None = None
    preferred_notif_channel: NotifyChannel | None = None
    terminal_progress_bar_enabled: bool | None = None
    copy_on_select: bool | None = None
    keybinding_flavor: Literal["default", "readline"] | None = None
    vim_insert_mode_remaps: dict[VimRemap, Literal["<Esc>"]] = msgspec.field(
        default_factory=dict[str, Literal["<Esc>"]]
    )
    paste_collapse_chars: Annotated[int, msgspec.Meta(ge=1)] | None = None
    paste_collapse_lines: Annotated[int, msgspec.Meta(ge=1)] | None = None


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
    ``unread``: files whose deny and ask rules could not be read, so that some may be missing.
    """

    settings: Settings
    rules: tuple[RuleText, ...] = ()
    directories: tuple[Path, ...] = ()
    problems: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
