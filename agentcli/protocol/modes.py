"""Names of the permission modes and of the run outcomes."""

from typing import Literal, get_args

PermissionMode = Literal["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"]
PERMISSION_MODES: tuple[PermissionMode, ...] = get_args(PermissionMode)

Outcome = Literal[
    "success", "interrupted", "max_turns", "budget", "hook_stopped", "refused", "error"
]
