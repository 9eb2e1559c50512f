"""Keeps the keymap as keybindings.json says: read once, then again when the file has changed."""

import os
from collections.abc import Callable
from pathlib import Path

from agentcli.frontends.tui.keymap.keymap import Bindings, Keymap
from agentcli.frontends.tui.keymap.user_file import Available, read_user_keys

CHECK_SECONDS = 2.0
"""How often ``check`` should be called: one ``stat``, some microseconds."""


class KeyFile:
    """Follows the file *path*. ``use`` gets each new keymap, ``tell`` each new problem, once. While
    the file is broken the keys stay as they are."""

    def __init__(
        self,
        path: Path,
        defaults: Bindings,
        available: Available,
        use: Callable[[Keymap], None],
        tell: Callable[[str], None],
    ) -> None:
        self.path = path
        self._defaults, self._available = defaults, available
        self._use, self._tell = use, tell
        self._seen: object = None
        self._told: frozenset[str] = frozenset()

    def check(self) -> bool:
        """Read the file if it is another one than before; True if so. Never raises."""
        state = self._state()
        if state == self._seen:
            return False
        self._seen = state
        keys = read_user_keys(self.path, self._defaults, self._available)
        if keys.readable:
            self._use(Keymap(self._defaults, keys.changes))
        for problem in keys.problems:
            if problem not in self._told:
                self._tell(problem)
        self._told = frozenset(keys.problems)
        return True

    def _state(self) -> object:
        try:
            info = os.stat(self.path)
        except (OSError, ValueError):
            return None
        return (info.st_mtime_ns, info.st_size, info.st_ino, info.st_mode)
