"""The status line as styled text: what fits, the more important first. Pure."""

from typing import NamedTuple

from rich.cells import cell_len
from rich.style import Style

from agentcli.frontends.tui.look.styles import Look
from agentcli.frontends.tui.status.facts import StatusFacts, tell_count
from agentcli.frontends.tui.transcript.entries import tell_seconds
from agentcli.frontends.tui.transcript.rows import Run, fit
from agentcli.protocol.modes import PermissionMode

_MODES: dict[PermissionMode, str] = {
    "default": "○ ask",
    "acceptEdits": "» accept edits",
    "plan": "◇ plan",
    "dontAsk": "– don't ask",
    "bypassPermissions": "! bypass",
}
_FILLING, _FULL = 0.80, 0.95
_LONGEST_BRANCH = 24
_OVERDUE = 1.0
"""Seconds after which a try that nothing is heard of counts as being on."""


class _Part(NamedTuple):
    """A fact; the one with the lowest ``rank`` goes first when there is no room."""

    text: str
    style: Style
    rank: int
    right: bool

    @property
    def cells(self) -> int:
        return cell_len(self.text) + 2


def status_runs(facts: StatusFacts, width: int, look: Look, now: float, glyph: str) -> list[Run]:
    """The line in at most *width* cells; *glyph* is the spinner as it stands."""
    if width <= 0:
        return []
    room = width - 1
    left = _clip(_left(facts, room, look, now, glyph), room)
    parts = _parts(facts, width, look)
    used = sum(cell_len(text) for text, _ in left)
    while parts and used + sum(part.cells for part in parts) > room:
        parts.remove(min(parts, key=lambda part: part.rank))
    runs: list[Run] = [(" ", look.text), *left]
    runs += [(f"  {part.text}", part.style) for part in parts if not part.right]
    right = [part for part in parts if part.right]
    if right:
        runs.append((" " * (room - used - sum(part.cells for part in parts)), look.dim))
        runs += [(f"  {part.text}", part.style) for part in right]
    return runs


def _parts(facts: StatusFacts, width: int, look: Look) -> list[_Part]:
    parts: list[_Part] = []

    def add(text: str, rank: int, right: bool, style: Style = look.dim) -> None:
        if text:
            parts.append(_Part(text, style, rank, right))

    idle = not facts.phase and not facts.hint
    if not facts.scripted:
        branch = fit(facts.branch, _LONGEST_BRANCH)
        add(f"{facts.model} {facts.effort}".strip(), 6, False)
        add(_short_directory(facts.directory, max(12, width // 4)), 3, False)
        add(f"{branch} {facts.changes}".strip(), 2, False)
        if facts.context_share is not None:
            share = max(0.0, facts.context_share)
            style = look.dim if share < _FILLING else look.warn if share < _FULL else look.bad
            add(f"ctx {share:.0%}", 5 if share < _FILLING else 8, True, style)
        if facts.cost_usd:
            add(f"${facts.cost_usd:.2f}", 4 if idle else 1, True)
    if facts.vim_mode not in {"", "INSERT"} and not facts.vim_hidden:
        add(facts.vim_mode, 7, True, look.accent)
    if idle:
        add(facts.keys, 1, True)
    return parts


def _left(facts: StatusFacts, room: int, look: Look, now: float, glyph: str) -> list[Run]:
    if facts.hint:
        return [(facts.hint, look.warn)]
    if facts.retry_at and facts.retry_at > now - _OVERDUE:
        return _retry(facts, room, look, max(0, round(facts.retry_at - now)))
    if facts.phase and facts.phase_kind == "ask":
        return [(f"? {facts.phase}", look.warn)]
    if facts.phase:
        return _phase(facts, room, look, now, glyph)
    style = look.warn if facts.mode in {"bypassPermissions", "dontAsk"} else look.accent
    return [(_MODES[facts.mode], look.dim if facts.mode == "default" else style)]


def _phase(facts: StatusFacts, room: int, look: Look, now: float, glyph: str) -> list[Run]:
    name = fit(facts.phase, max(10, (room + 1) * 2 // 5))
    run = tell_seconds(now - facts.since)
    spent, whole = run, ""
    if facts.phase_kind == "tool":
        # its own time is what tells whether it hangs; the turn's where there is room for both
        spent = tell_seconds(now - facts.phase_since)
        whole = f" · turn {run}" if now - facts.since >= 60 else ""
    tokens = f" · {tell_count(facts.tokens)} tok" if facts.tokens else ""
    stop = f" · {facts.stop_keys}" if facts.stop_keys else ""
    short = f" · {facts.stop_keys.split(' ')[0]}" if facts.stop_keys else ""
    tails = (
        f" {spent}{whole}{tokens}{stop}",
        f" {spent}{tokens}{stop}",
        f" {spent}{stop}",
        f" {spent}{short}",
        f" {spent}",
        "",
    )
    left = room - cell_len(glyph) - 1 - cell_len(name)
    tail = next(tail for tail in tails if cell_len(tail) <= left or not tail)
    return [(glyph + " ", look.accent), (name, look.text), (tail, look.dim)]


def _retry(facts: StatusFacts, room: int, look: Look, wait: int) -> list[Run]:
    """The reason is what gives way: when it goes on and what stops it are told in full."""
    when, stop = f", retry {facts.attempt} in {tell_seconds(wait)}", " · esc stop"
    left = room - 2 - len(when) - len(stop)
    if left < 10:
        stop, left = "", left + len(stop)
    return [(f"↻ {fit(facts.phase, max(1, left))}{when}", look.warn), (stop, look.dim)]


def _short_directory(path: str, room: int) -> str:
    """*path* in at most *room* cells: its end is what tells folders apart."""
    if cell_len(path) <= room:
        return path
    tail = path
    while "/" in tail.lstrip("/") and cell_len(tail) + 2 > room:
        tail = tail.lstrip("/").partition("/")[2]
    return f"…/{fit(tail, room - 2)}"


def _clip(runs: list[Run], room: int) -> list[Run]:
    clipped: list[Run] = []
    for text, style in runs:
        piece = fit(text, room)
        clipped.append((piece, style))
        room -= cell_len(piece)
        if piece != text or room <= 0:
            break
    return clipped
