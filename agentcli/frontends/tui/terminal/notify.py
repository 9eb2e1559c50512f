"""Calling a person who looks elsewhere: when, by which way, and what is written. Pure."""

from collections.abc import Mapping
from typing import Literal

from agentcli.frontends.tui.terminal.kind import is_plain, multiplexer, terminal_name, through
from agentcli.frontends.tui.terminal.title import clean_title

Channel = Literal[
    "auto",
    "terminal_bell",
    "iterm2",
    "iterm2_with_bell",
    "kitty",
    "ghostty",
    "notifications_disabled",
]
"""The values of the setting ``preferredNotifChannel``."""

LONG_TURN = 10.0
_BELL = "\x07"
_BY_TERMINAL: dict[str, Channel] = {
    "kitty": "kitty",
    "ghostty": "ghostty",
    "wezterm": "ghostty",
    "iterm2": "iterm2",
}


def should_call(focused: bool | None, seconds: float) -> bool:
    """Is the person to be called after *seconds* of work? *focused* None: it is not known."""
    return not focused if focused is not None else seconds > LONG_TURN


def choose_channel(setting: Channel, env: Mapping[str, str]) -> Channel:
    """The way for this terminal; a bell where nothing better is known."""
    if setting != "auto":
        return setting
    return _BY_TERMINAL.get(terminal_name(env), "terminal_bell")


def call_sequence(setting: Channel, env: Mapping[str, str], title: str, text: str) -> str:
    """What to write to call the person; "" for nothing."""
    channel = choose_channel(setting, env)
    if channel == "notifications_disabled" or env.get("TERM", "") == "dumb":
        return ""
    if channel == "terminal_bell" or is_plain(env):
        return _BELL
    head, body = (clean_title(part).replace(";", ",") for part in (title, text))
    match channel:
        case "kitty":
            told = f"\x1b]99;i=agentcli:d=0;{head}\x07\x1b]99;i=agentcli:p=body;{body}\x07"
        case "ghostty":
            told = f"\x1b]777;notify;{head};{body}\x07"
        case _:
            told = f"\x1b]9;{head}: {body}\x07"
    # tmux may be told not to hand things on, but it passes a bell to its own status line
    bell = _BELL if channel == "iterm2_with_bell" or multiplexer(env) else ""
    return through(env, told) + bell
