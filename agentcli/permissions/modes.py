"""The permission modes: their names, the order of cycling, where bypass is refused."""

from collections.abc import Mapping

from agentcli.protocol.errors import UsageError
from agentcli.protocol.modes import PERMISSION_MODES, PermissionMode

_CYCLE: tuple[PermissionMode, ...] = ("default", "acceptEdits", "plan", "bypassPermissions")


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
