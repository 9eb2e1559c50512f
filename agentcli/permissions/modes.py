"""The permission modes: names, what the status line shows, the order of cycling."""

from collections.abc import Mapping
from dataclasses import dataclass

from agentcli.protocol.errors import UsageError
from agentcli.protocol.modes import PERMISSION_MODES, PermissionMode


@dataclass(frozen=True, slots=True)
class ModeLook:
    """``symbol`` and ``text`` for the status line; ``title`` for lists and notices."""

    symbol: str
    text: str
    title: str


MODES: dict[PermissionMode, ModeLook] = {
    "default": ModeLook("⏸", "manual", "Manual: asks before edits and commands"),
    "acceptEdits": ModeLook("⏵⏵", "accept edits", "Accept edits: changes files without asking"),
    "plan": ModeLook("⏸", "plan", "Plan: reads only, writes a plan first"),
    "dontAsk": ModeLook("⏵⏵", "don't ask", "Don't ask: what no rule allows is denied"),
    "bypassPermissions": ModeLook("⏵⏵", "bypass", "Bypass: runs everything but what is denied"),
}
_CYCLE: tuple[PermissionMode, ...] = ("default", "acceptEdits", "plan", "bypassPermissions")


def indicator(mode: PermissionMode) -> str:
    """Symbol and text as one string. Pure."""
    look = MODES[mode]
    return f"{look.symbol} {look.text}"


def next_mode(current: PermissionMode, bypass_enabled: bool) -> PermissionMode:
    """The mode that Shift+Tab goes to; a mode outside the cycle goes to ``default``. Pure."""
    cycle = _CYCLE if bypass_enabled else _CYCLE[:-1]
    if current not in cycle:
        return "default"
    return cycle[(cycle.index(current) + 1) % len(cycle)]


def parse_mode(text: str) -> PermissionMode:
    """The mode of that name (``manual`` is ``default``). Raises ``UsageError``. Pure."""
    if text == "manual":
        return "default"
    for mode in PERMISSION_MODES:
        if mode == text:
            return mode
    names = ", ".join((*PERMISSION_MODES, "manual"))
    raise UsageError(f"unknown permission mode {text[:60]!r}; use one of: {names}")


def check_bypass_allowed(
    env: Mapping[str, str], euid: int, disabled_by_settings: bool = False
) -> None:
    """Raise ``UsageError`` where ``bypassPermissions`` must not be switched on. Pure."""
    if disabled_by_settings:
        raise UsageError("bypassPermissions is switched off by the settings")
    if euid == 0 and env.get("AGENTCLI_SANDBOXED") != "1":
        raise UsageError(
            "bypassPermissions does not start as root: a wrong command could destroy the machine. "
            "Inside a container or sandbox set AGENTCLI_SANDBOXED=1"
        )
