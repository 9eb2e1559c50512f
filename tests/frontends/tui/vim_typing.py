"""Types keys into the vim machine as a person would, with a composer that only inserts."""

import re

from agentcli.frontends.tui.vim.machine import Vim

_KEYS = re.compile(r"<([A-Za-z0-9+-]+)>|(.)", re.DOTALL)
_NAMES = {
    "Esc": "escape",
    "CR": "enter",
    "BS": "backspace",
    "Del": "delete",
    "C-r": "ctrl+r",
    "Left": "left",
    "Right": "right",
    "Up": "up",
    "Down": "down",
    "Home": "home",
    "End": "end",
    "lt": "<",
}


class Typist:
    """A text, a cursor, and the machine; it is in NORMAL at *cursor* to begin with."""

    def __init__(self, text: str, cursor: int = 0) -> None:
        self.vim = Vim()
        self.text, self.cursor = text, cursor
        self.asks: list[str] = []
        self.yanks: list[str] = []
        self.selection: tuple[int, int] | None = None
        self.vim.mode = "NORMAL"

    def type(self, keys: str) -> "Typist":
        for named, char in _KEYS.findall(keys):
            key = _NAMES[named] if named else char
            self.press(key if key != "\n" else "enter")
        return self

    def press(self, key: str) -> None:
        char = key if len(key) == 1 else None
        result = self.vim.press(key, char, self.text, self.cursor)
        if result.edit is not None:
            edit = result.edit
            self.text = self.text[: edit.start] + edit.new + self.text[edit.end :]
        self.cursor = result.cursor
        self.selection = result.selection
        if result.ask:
            self.asks.append(result.ask)
        if result.yank is not None:
            self.yanks.append(result.yank)
        if not result.taken and self.vim.mode == "INSERT":
            self._insert(char or {"enter": "\n"}.get(key, ""), key == "backspace")

    def _insert(self, new: str, back: bool) -> None:
        start = max(0, self.cursor - 1) if back else self.cursor
        self.text = self.text[:start] + new + self.text[self.cursor :]
        self.cursor = start + len(new)
