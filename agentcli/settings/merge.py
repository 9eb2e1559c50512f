"""Layers to one result: who wins, and what a folder may not say. Pure."""

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from agentcli.protocol.rules import Behavior
from agentcli.settings.model import Layer, Loaded, Mode, Permissions, RuleText, Settings, Source

_FROM_PROJECT: tuple[Source, ...] = ("projectSettings", "localSettings")
_WIDENING: tuple[Mode, ...] = ("acceptEdits", "bypassPermissions")
# Where requests go, who they claim to be, what certifies the other end, where our files are,
# and what the loader or shell runs before a program starts.
_NEVER_FROM_PROJECT = re.compile(
    r"(?i:(?:HTTPS?|ALL|NO|FTP)_PROXY)|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE"
    r"|NODE_EXTRA_CA_CERTS|NODE_OPTIONS|NODE_TLS_.*|AGENTCLI_.*|CLAUDE_CONFIG_DIR"
    r"|CLAUDE_CODE_ENTRYPOINT|XDG_CONFIG_HOME|HOME|PATH|SHELL|LD_.*|DYLD_.*|BASH_ENV|ENV"
    r"|CLAUDE_CODE_SHELL|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|PS4|CDPATH|IFS|ZDOTDIR|PERL5.*|RUBYOPT"
    r"|RUBYLIB|JAVA_TOOL_OPTIONS"
    r"|PYTHONPATH|PYTHONSTARTUP|PYTHONHOME|GIT_.*|ANTHROPIC_(?!.*MODEL$).*|.*_BASE_URL"
)


def merge(layers: Sequence[Layer], trusted: bool, user_home: Path) -> Loaded:
    """Merge *layers* (lowest first): the highest scalar wins, lists and rules add up. Pure.

    An untrusted folder only forbids: its deny and ask rules count, nothing else of it does.
    """
    ignored: list[str] = []
    usable = [_restrict(layer, trusted, ignored) for layer in layers]
    if not trusted:
        names = [was.name for was, now in zip(layers, usable, strict=True) if was != now]
        ignored = [_untrusted_notice(names)] if names else []
    merged = Settings()
    for layer in usable:
        merged = _overlay(merged, layer.settings)
    directories = dict.fromkeys(
        _folder(text, layer.anchor, user_home)
        for layer in usable
        for text in layer.settings.permissions.additional_directories
    )
    return Loaded(merged, _rules(usable), tuple(directories), ignored=tuple(ignored))


def _restrict(layer: Layer, trusted: bool, ignored: list[str]) -> Layer:
    if layer.source not in _FROM_PROJECT:
        return layer
    given = layer.settings
    if not trusted:
        kept = Permissions(
            ask=given.permissions.ask,
            deny=given.permissions.deny,
            default_mode=_unless_widening(given.permissions.default_mode),
            disable_bypass_permissions_mode=given.permissions.disable_bypass_permissions_mode,
        )
        settings = msgspec.structs.replace(
            given, permissions=kept, env={}, model=None, auth_header=None, status_line=None
        )
        return _with(layer, settings)
    permissions = given.permissions
    if permissions.default_mode == "bypassPermissions":
        ignored.append(f"{layer.name}: a project cannot set defaultMode bypassPermissions")
        permissions = msgspec.structs.replace(permissions, default_mode=None)
    env = {key: value for key, value in given.env.items() if not is_forbidden_env(key)}
    dropped = sorted(given.env.keys() - env.keys())
    if dropped:
        ignored.append(f"{layer.name}: a project cannot set env {', '.join(dropped)[:200]}")
    return _with(layer, msgspec.structs.replace(given, permissions=permissions, env=env))


def is_forbidden_env(name: str) -> bool:
    """True for variables that no project file may set, trusted or not. Pure."""
    return _NEVER_FROM_PROJECT.fullmatch(name) is not None


def _with(layer: Layer, settings: Settings) -> Layer:
    return Layer(layer.source, settings, layer.anchor, layer.name)


def _unless_widening(mode: Mode | None) -> Mode | None:
    return None if mode in _WIDENING else mode


def _untrusted_notice(names: Sequence[str]) -> str:
    return (
        f"This folder is not trusted: allow rules, env, directories, model, mode and status line "
        f"in {', '.join(names)} are ignored (deny and ask rules apply)"
    )


def _overlay(below: Settings, above: Settings) -> Settings:
    changes = _set_values(above)
    low, high = below.permissions, above.permissions
    permissions = msgspec.structs.replace(
        low,
        **_set_values(high),
        allow=_joined(low.allow, high.allow),
        ask=_joined(low.ask, high.ask),
        deny=_joined(low.deny, high.deny),
        additional_directories=_joined(low.additional_directories, high.additional_directories),
    )
    # one command as a whole: parts of two would be neither's
    status_line = above.status_line or below.status_line
    changes |= {
        "permissions": permissions,
        "env": {**below.env, **above.env},
        "status_line": status_line,
    }
    return msgspec.structs.replace(below, **changes)


def _set_values(struct: msgspec.Struct) -> dict[str, object]:
    """The scalars that are set; lists and nested objects are merged by their own rule."""
    return {
        name: value
        for name, value in msgspec.structs.asdict(struct).items()
        if value is not None and not isinstance(value, tuple | dict | msgspec.Struct)
    }


def _joined(low: tuple[str, ...], high: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*low, *high)))


def _rules(layers: Sequence[Layer]) -> tuple[RuleText, ...]:
    found: dict[RuleText, None] = {}
    for layer in layers:
        permissions = layer.settings.permissions
        by_behavior: dict[Behavior, tuple[str, ...]] = {
            "deny": permissions.deny,
            "ask": permissions.ask,
            "allow": permissions.allow,
        }
        for behavior, texts in by_behavior.items():
            for text in texts:
                found[RuleText(text, behavior, layer.source, layer.anchor)] = None
    return tuple(found)


def _folder(text: str, anchor: Path, user_home: Path) -> Path:
    if text == "~" or text.startswith("~/"):
        return user_home / text[2:]
    return anchor / text
