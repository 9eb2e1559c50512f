"""What the terminal really sends: each key as it arrives, its names, and what it would do."""

import re
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import cell_len
from textual import constants, events
from textual.binding import BindingType

from agentcli.base.text import reveal
from agentcli.frontends.tui.keymap.notation import write_key
from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.screens.sheet import Sheet, SheetParts, key_rows, title_rule
from agentcli.frontends.tui.terminal import keyboard
from agentcli.frontends.tui.terminal.kind import multiplexer
from agentcli.frontends.tui.transcript.rows import Row, Run, fit, make_row

_KEPT = 10
_LEAVING = {"escape", "ctrl+c"}
_REPORTED = re.compile(r"\x1b\[\d+(?:[;:][\d;:]*)?u")
_COLUMNS = (("key", 18), ("types", 6), ("keybindings.json", 18), ("sent", 20))


@dataclass(frozen=True, slots=True)
class SeenKey:
    """One key that was pressed: Textual's name, what it types, what was sent, what it would do."""

    key: str
    types: str
    sent: str
    action: str


class KeysScreen(Sheet[None], inherit_bindings=False):
    """Shows each key and runs none; Esc or Ctrl+C twice in a row leaves. *meaning* is the action
    that a key has in the window below."""

    BINDINGS: ClassVar[list[BindingType]] = []

    def __init__(self, look: Look, meaning: Callable[[str], str], env: Mapping[str, str]) -> None:
        super().__init__(look)
        self._meaning = meaning
        self._env = env
        self._seen: deque[SeenKey] = deque(maxlen=_KEPT)
        self._arrived: set[str] = set()
        self._reports: bool | None = None

    def draw(self, width: int) -> SheetParts:
        head = [title_rule("keys", width, self.look), self._heading(width)]
        body = [self._row(seen, width) for seen in self._seen]
        if not body:
            body = [make_row([("  press any key", self.look.dim)])]
        foot = [
            make_row([("  " + fit(line, width - 4), self.look.dim)]) for line in self._verdict()
        ]
        foot += key_rows([("esc esc", "back")], width, self.look)
        return SheetParts(head, body, foot)

    def _heading(self, width: int) -> Row:
        return self._columns([(name, self.look.dim) for name, _ in _COLUMNS], "does", width)

    def _row(self, seen: SeenKey, width: int) -> Row:
        look = self.look
        cells: list[Run] = [
            (seen.key, look.accent),
            (seen.types, look.text),
            (write_key(seen.key), look.text),
            (seen.sent, look.dim),
        ]
        return self._columns(cells, seen.action, width)

    def _columns(self, cells: list[Run], last: str, width: int) -> Row:
        look = self.look
        runs: list[Run] = [("  ", look.text)]
        left = width - 3
        for (text, style), (_, room) in zip(cells, _COLUMNS, strict=True):
            shown = fit(text, max(1, min(room, left)))
            runs.append((shown + " " * max(1, room + 1 - cell_len(shown)), style))
            left -= room + 1
            if left < 1:
                return make_row(runs)
        runs.append((fit(last, left), look.text))
        return make_row(runs)

    def _verdict(self) -> list[str]:
        """What the keys so far tell of the terminal."""
        arrives = "yes" if "shift+enter" in self._arrived else "not yet seen"
        over = multiplexer(self._env) or "no tmux"
        term = reveal(self._env.get("TERM", "")) or "not set"
        return [
            f"shift+enter arrives as shift+enter: {arrives}",
            f"key reports (kitty protocol): {self._protocol()} · TERM {term} · {over}",
        ]

    def _protocol(self) -> str:
        if constants.DISABLE_KITTY_KEY:
            return "off, as TEXTUAL_DISABLE_KITTY_KEY says"
        if self._reports is None:
            return "not known before a key"
        return "on" if self._reports else "off"

    def on_key(self, event: events.Key) -> None:
        event.stop()
        last = self._seen[-1].key if self._seen else ""
        if event.key in _LEAVING and last == event.key:
            self.dismiss(None)
            return
        sent = _sent(event)
        if sent:
            self._reports = self._reports or _REPORTED.fullmatch(sent) is not None
        types = event.character if event.is_printable and event.character else ""
        action = self._meaning(event.key) or ("types it" if types else "")
        self._seen.append(SeenKey(event.key, reveal(types), show_bytes(sent), action))
        self._arrived.add(event.key)
        self.redraw()

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        about = f"{len(event.text)} characters"
        self._seen.append(SeenKey("(paste)", "", about, ""))
        self.redraw()


def _sent(event: events.Key) -> str:
    """The bytes that *event* was read from; "" if they are not known."""
    raw, key = keyboard.recent[-1] if keyboard.recent else ("", "")
    return raw if key == event.key else ""


def show_bytes(sent: str) -> str:
    """``ESC [ 1 3 ; 2 u`` without blanks: control characters by name or number. Pure."""
    named = {"\x1b": "ESC ", "\r": "CR", "\n": "LF", "\t": "TAB", "\x7f": "DEL", " ": "SPACE"}
    return "".join(
        named.get(char) or (f"^{chr(ord(char) + 64)}" if char < " " else reveal(char))
        for char in sent
    ).strip()
