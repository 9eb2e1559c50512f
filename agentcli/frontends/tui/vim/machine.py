"""The vim keys as a machine: it gets keys with text and cursor, and says what becomes of them.

It knows no widget. Between two keys somebody else may change the text: typing in INSERT always
does, a paste or a recalled prompt may in NORMAL; that counts as one change, which ``u`` takes back.
"""

from agentcli.frontends.tui.vim.chars import settle
from agentcli.frontends.tui.vim.insert import (
    Again,
    Inserting,
    Typed,
    count_insert,
    leave,
    type_again,
    what_was_typed,
)
from agentcli.frontends.tui.vim.model import (
    Ask,
    Change,
    Mode,
    Register,
    VimResult,
    difference,
)
from agentcli.frontends.tui.vim.motions import NAMES, Memory, move
from agentcli.frontends.tui.vim.objects import find_object
from agentcli.frontends.tui.vim.parse import Command, parse
from agentcli.frontends.tui.vim.simple import INSERTING, run_operator, run_simple
from agentcli.frontends.tui.vim.undo import History
from agentcli.frontends.tui.vim.visual import Extent, measure, run_visual, same_again, selected

_NAMED = frozenset(
    {"left", "right", "up", "down", "home", "end", "backspace", "delete", "enter", "tab", "ctrl+r"}
)


class Vim:
    """Modes, register, undo and the last change of one composer. It begins in INSERT."""

    def __init__(self) -> None:
        self.mode: Mode = "INSERT"
        self.register = Register()
        self._keys: list[str] = []
        self._history = History()
        self._memory = Memory()
        self._insert: Inserting | None = None
        self._again: Again | None = None
        self._anchor = 0
        self._seen: str | None = None

    @property
    def pending(self) -> str:
        """The keys of a command that is not complete yet."""
        return "".join(self._keys)

    @property
    def mode_name(self) -> str:
        """``-- NORMAL --``, as the status shows it."""
        return f"-- {self.mode} --"

    def reset(self) -> None:
        """A new prompt begins: INSERT, nothing to undo. Register and last change stay."""
        self.mode = "INSERT"
        self._keys.clear()
        self._history.clear()
        self._insert = self._seen = None

    def press(self, key: str, char: str | None, text: str, cursor: int) -> VimResult:
        """What *key* (Textual's name; *char* if it types one) makes of *text*. Never raises."""
        cursor = max(0, min(cursor, len(text)))
        if self.mode == "INSERT":
            return self._press_insert(key, text, cursor)
        if self._seen is not None and text != self._seen:
            self._history.keep((self._seen, cursor))
        self._seen = text
        token = char if char and char.isprintable() else key
        if token == "escape":
            return self._escape(text, cursor)
        if token not in _NAMED and token is not char:
            self._keys.clear()
            return self._result(False, text, cursor, text)
        if not self._keys and self.mode == "NORMAL" and token in {"enter", "tab"}:
            return self._result(False, text, cursor, text)
        if self.mode == "NORMAL":
            cursor = settle(text, cursor)
        self._anchor = min(self._anchor, len(text))
        self._keys.append(token)
        command = parse(self._keys, self.mode != "NORMAL")
        if command is True:
            return self._result(True, text, cursor, text)
        self._keys.clear()
        if not isinstance(command, Command):
            return self._result(True, text, cursor, text)
        if self.mode == "NORMAL":
            return self._run(command, text, cursor)
        return self._run_visual(command, text, cursor)

    # INSERT

    def _press_insert(self, key: str, text: str, cursor: int) -> VimResult:
        if self._insert is None:
            self._insert = Inserting(None, (text, cursor), text, cursor)
        if key != "escape":
            return VimResult(False, cursor, "INSERT")
        return self.end_insert(text, cursor)

    def end_insert(self, text: str, cursor: int) -> VimResult:
        """Leave INSERT with the *text* as it is now."""
        insert = self._insert or Inserting(None, (text, cursor), text, cursor)
        self._insert, self.mode = None, "NORMAL"
        typed = what_was_typed(insert.text, insert.began, text)
        new, place = text, cursor
        command = insert.command
        if command is not None:
            if typed.only_adds and command.name in INSERTING:
                new, place = count_insert(command, typed, command.times - 1, text, cursor)
            self._again = Again(command, typed, insert.extent)
        if new != insert.before[0]:
            self._history.keep(insert.before)
        return self._result(True, text, leave(new, place), new)

    # NORMAL

    def _run(self, command: Command, text: str, cursor: int) -> VimResult:
        match command.name:
            case "u" | "ctrl+r":
                return self._travel(command, text, cursor)
            case "v" | "V":
                self.mode = "VISUAL" if command.name == "v" else "VISUAL LINE"
                self._anchor = cursor
                return self._result(True, text, cursor, text)
            case "/":
                return self._result(True, text, cursor, text, "history:search")
            case ".":
                return self._repeat(command, text, cursor)
            case _ if command.operator:
                change = run_operator(command, text, cursor, self._memory)
            case _ if command.name in NAMES:
                return self._move(command, text, cursor)
            case _:
                change = run_simple(command, text, cursor, self.register)
        if change is None:
            return self._result(True, text, cursor, text)
        return self._apply(command, change, text, cursor)

    def _move(self, command: Command, text: str, cursor: int) -> VimResult:
        visual = self.mode != "NORMAL"
        motion = move(
            command.name,
            command.character,
            command.count,
            text,
            cursor,
            self._memory,
            "v" if visual else "",
        )
        ask: Ask | None = None
        if motion is None and not visual and command.name in {"j", "k"}:
            ask = "history:next" if command.name == "j" else "history:previous"
        target = cursor if motion is None else motion.target
        target = target if visual else settle(text, target)
        return self._result(True, text, target, text, ask)

    def _travel(self, command: Command, text: str, cursor: int) -> VimResult:
        state = (text, cursor)
        step = self._history.back if command.name == "u" else self._history.forth
        for _ in range(command.times):
            there = step(state)
            if there is None:
                break
            state = there
        edit = difference(text, state[0], cursor)
        place = cursor if edit is None else edit.start
        self._seen = state[0]
        return self._result(True, text, settle(state[0], place), state[0])

    # the same again

    def _repeat(self, command: Command, text: str, cursor: int) -> VimResult:
        again = self._again
        if again is None:
            return self._result(True, text, cursor, text)
        last = again.command
        if command.count is not None:
            last = Command(last.name, command.count, last.operator, last.character)
        if again.extent is not None:
            span = same_again(text, cursor, again.extent)
            change = run_visual(last, text, span, self.register)
        elif last.operator:
            change = run_operator(last, text, cursor, self._memory)
        else:
            change = run_simple(last, text, cursor, self.register)
        if change is None:
            return self._result(True, text, cursor, text)
        new, place = change.text, change.cursor
        if change.inserts:
            typed = again.typed or Typed()
            typed_again = type_again(new, place, typed)
            new, place = typed_again.text, typed_again.cursor
            if typed.only_adds and last.name in INSERTING:
                new, place = count_insert(last, typed, last.times - 1, new, place)
            place = leave(new, place)
        self._again = Again(last, again.typed, again.extent)
        return self._settle_change(Change(new, place, register=change.register), text, cursor)

    # VISUAL

    def _run_visual(self, command: Command, text: str, cursor: int) -> VimResult:
        name = command.name
        if command.name in NAMES:
            return self._move(command, text, cursor)
        if name in {"v", "V"}:
            wanted: Mode = "VISUAL" if name == "v" else "VISUAL LINE"
            self.mode = "NORMAL" if self.mode == wanted else wanted
            return self._result(True, text, cursor, text)
        if name in {"o", "O"}:
            self._anchor, cursor = cursor, self._anchor
            return self._result(True, text, cursor, text)
        if name[0] in "ia" and len(name) == 2:
            return self._select_object(command, text, cursor)
        span = selected(text, self._anchor, cursor, self.mode == "VISUAL LINE")
        change = run_visual(command, text, span, self.register)
        lines, self.mode = self.mode == "VISUAL LINE", "NORMAL"
        if change is None:
            return self._result(True, text, settle(text, cursor), text)
        if name in {"y", "Y"}:
            at = min(self._anchor, cursor)
            column_kept = lines or name == "Y"
            change = Change(text, at if column_kept else change.cursor, register=change.register)
        return self._apply(command, change, text, cursor, measure(text, span))

    def _select_object(self, command: Command, text: str, cursor: int) -> VimResult:
        grows = self._anchor < cursor
        at = min(len(text), cursor + 1) if grows else cursor
        found = find_object(command.name, command.times, text, at)
        if found is None or found[1].target <= found[0]:
            return self._result(True, text, cursor, text)
        start, motion = found
        if not grows or start < self._anchor:
            self._anchor = start
        return self._result(True, text, settle(text, max(start, motion.target - 1)), text)

    def _escape(self, text: str, cursor: int) -> VimResult:
        had = bool(self._keys) or self.mode != "NORMAL"
        self._keys.clear()
        self.mode = "NORMAL"
        return self._result(had, text, settle(text, cursor) if had else cursor, text)

    # what comes out

    def _apply(
        self,
        command: Command,
        change: Change,
        text: str,
        cursor: int,
        extent: Extent | None = None,
    ) -> VimResult:
        if change.inserts:
            self.mode = "INSERT"
            if change.register is not None:
                self.register = change.register
            before = (text, cursor)
            self._insert = Inserting(command, before, change.text, change.cursor, extent)
            return self._result(True, text, change.cursor, change.text, yank=change.register)
        if change.text != text or (command.operator != "y" and command.name not in "yY"):
            self._again = Again(command, None, extent)
        return self._settle_change(change, text, cursor)

    def _settle_change(self, change: Change, text: str, cursor: int) -> VimResult:
        if change.register is not None:
            self.register = change.register
        if change.text != text:
            self._history.keep((text, cursor))
        place = settle(change.text, change.cursor)
        return self._result(True, text, place, change.text, yank=change.register)

    def _result(
        self,
        taken: bool,
        old: str,
        cursor: int,
        new: str,
        ask: Ask | None = None,
        yank: Register | None = None,
    ) -> VimResult:
        self._seen = new if self.mode != "INSERT" else None
        selection: tuple[int, int] | None = None
        if self.mode in {"VISUAL", "VISUAL LINE"}:
            span = selected(new, self._anchor, cursor, self.mode == "VISUAL LINE")
            selection = (span.start, span.end)
        copied = None if yank is None else yank.text + "\n" * yank.lines
        edit = difference(old, new, cursor)
        return VimResult(taken, cursor, self.mode, edit, selection, copied, ask)
