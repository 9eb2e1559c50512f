"""Reading keybindings.json: what is right counts, what is wrong is told in one line each."""

import difflib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from agentcli.base.text import one_line
from agentcli.frontends.tui.keymap.documented import ALL_ACTIONS, DOCUMENTED
from agentcli.frontends.tui.keymap.keymap import Bindings, Chord, show_chord
from agentcli.frontends.tui.keymap.notation import BadKey, parse_chord
from agentcli.protocol.errors import SettingsError
from agentcli.settings.read import parse_object, read_bytes

MAX_BYTES = 1024 * 1024
_MOST_PROBLEMS = 12
_NAME = "keybindings.json"

Available = Mapping[str, frozenset[str]]
"""Context → the actions that do something there."""


@dataclass(frozen=True, slots=True)
class UserKeys:
    """What the file changes, and one line for each thing in it that cannot be used. Not
    ``readable``: it is no JSON object at all, perhaps half written."""

    changes: Bindings = field(default_factory=dict[str, dict[Chord, str | None]])
    problems: tuple[str, ...] = ()
    readable: bool = True


class _Pairs(list[tuple[str, Any]]):
    """A JSON object with every pair that was written, the same key twice included."""


def read_user_keys(path: Path, defaults: Bindings, available: Available) -> UserKeys:
    """The changes in the file *path*; none where no file is. Never raises, never blocks on a
    device or FIFO, reads a bounded part."""
    try:
        data = read_bytes(path)
        if data is None:
            return UserKeys()
        if len(data) > MAX_BYTES:
            raise SettingsError(f"{path}: larger than {MAX_BYTES // 2**20} MiB")
        parse_object(data, str(path))
        content = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_Pairs)
    except SettingsError as error:
        return UserKeys(problems=(one_line(str(error), 300),), readable=False)
    except (ValueError, RecursionError):
        problem = f"{path}: nested too deeply or a number is too long"
        return UserKeys(problems=(problem,), readable=False)
    return read_blocks(content, defaults, available)


def read_blocks(content: Any, defaults: Bindings, available: Available) -> UserKeys:
    """The changes in the parsed *content* of the file. Pure."""
    reader = _Reader(available)
    blocks = next((value for key, value in reversed(_pairs(content)) if key == "bindings"), None)
    if not isinstance(blocks, list) or isinstance(blocks, _Pairs):
        reader.tell("", '"bindings" must be a list of blocks')
        blocks = []
    for number, block in enumerate(cast("list[Any]", blocks), 1):
        reader.read_block(number, block)
    reader.tell_hidden(defaults)
    return UserKeys(reader.changes, reader.told())


def _pairs(value: Any) -> list[tuple[str, Any]]:
    return list(value) if isinstance(value, _Pairs) else []


def make_available(
    window: Iterable[tuple[str, str]], sheets: Iterable[tuple[str, str]]
) -> dict[str, frozenset[str]]:
    """From (context, action) pairs. An action of the main *window* works in each of its contexts,
    one of a sheet only in its own. Pure."""
    pairs = list(window)
    everywhere = frozenset(name for _, name in pairs)
    found: dict[str, set[str]] = {context: set(everywhere) for context, _ in pairs}
    for context, name in sheets:
        found.setdefault(context, set()).add(name)
    return {context: frozenset(names) for context, names in found.items()}


class _Reader:
    """Collects changes and problems from block to block."""

    def __init__(self, available: Available) -> None:
        self._available = available
        self._names = sorted({name for names in available.values() for name in names})
        self._problems: list[str] = []
        self._written: dict[tuple[str, Chord], str] = {}
        self.changes: dict[str, dict[Chord, str | None]] = {}

    def tell(self, where: str, problem: str) -> None:
        where = f" {one_line(where, 60)}:" if where else ""
        self._problems.append(f"{_NAME}:{where} {one_line(problem, 160)}")

    def told(self) -> tuple[str, ...]:
        rest = len(self._problems) - _MOST_PROBLEMS
        more = [f"{_NAME}: {rest} more problems"] if rest > 0 else []
        return (*self._problems[:_MOST_PROBLEMS], *more)

    def read_block(self, number: int, block: Any) -> None:
        """One block: a context with its bindings."""
        found = dict(_pairs(block))
        context, bindings = found.get("context"), found.get("bindings")
        where = f"block {number}"
        if not isinstance(block, _Pairs) or not isinstance(context, str):
            self.tell(where, 'must be an object with "context" and "bindings"')
        elif not isinstance(bindings, _Pairs):
            self.tell(f"{where} ({context})", '"bindings" must be an object of keys and actions')
        elif context not in self._available:
            what = "not available here" if context in DOCUMENTED else "unknown context"
            hint = "" if context in DOCUMENTED else _nearest(context, self._available)
            self.tell(f"{where} ({context})", what + hint)
        else:
            seen: set[Chord] = set()
            for key, action in bindings:
                self._read_entry(context, key, action, seen)

    def _read_entry(self, context: str, key: str, action: Any, seen: set[Chord]) -> None:
        where = f"{context} {key}"
        try:
            chords = parse_chord(key)
        except BadKey as error:
            self.tell(where, str(error))
            return
        if chords[0] in seen:
            self.tell(where, "bound twice in one block, the last one counts")
        seen.add(chords[0])
        if (problem := self._judge(context, action)) is not None:
            self.tell(where, problem)
            return
        for chord in chords:
            self.changes.setdefault(context, {})[chord] = action
        self._written[context, chords[0]] = key

    def _judge(self, context: str, action: Any) -> str | None:
        """Why *action* cannot be bound in *context*; None if it can."""
        if action is None:
            return None
        if not isinstance(action, str):
            return "the action must be a name or null"
        if action in self._available[context]:
            return None
        if action in self._names:
            return f"{action} does nothing in {context}"
        if action in ALL_ACTIONS:
            return f"{action} is not available here"
        return f"unknown action {action}" + _nearest(action, self._names)

    def tell_hidden(self, defaults: Bindings) -> None:
        """A key that begins a chord does nothing alone any more."""
        for context, chord in self._written:
            table = {**defaults.get(context, {}), **self.changes[context]}
            if not table.get(chord):
                continue
            for begin in (chord[:size] for size in range(1, len(chord))):
                if hidden := table.get(begin):
                    self.tell(
                        f"{context} {self._written[context, chord]}",
                        f"hides {hidden} on {show_chord(begin)}",
                    )
            longer = _longer(chord, table)
            if longer is not None and (context, longer) not in self._written:
                self.tell(
                    f"{context} {self._written[context, chord]}",
                    f"stays hidden by {show_chord(longer)}; bind that one to null first",
                )


def _longer(chord: Chord, table: Mapping[Chord, str | None]) -> Chord | None:
    found = (
        known
        for known, action in table.items()
        if action and len(known) > len(chord) and known[: len(chord)] == chord
    )
    return next(found, None)


def _nearest(name: str, names: Iterable[str]) -> str:
    lower: dict[str, str] = {known.lower(): known for known in names}
    found = difflib.get_close_matches(name.lower(), lower, 1, 0.6)
    return f" (did you mean {lower[found[0]]}?)" if found else ""
