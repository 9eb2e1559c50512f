"""Ends a process and all that came from it, also what left its process group."""

import contextlib
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class _Process:
    """``started`` tells a process from a later one with the same number."""

    pid: int
    parent: int
    session: int
    started: int
    dead: bool


def kill_tree(root: int, grace: float, reap: Callable[[], object]) -> None:
    """End the session that *root* leads and its descendants: TERM, then KILL after *grace*.

    *reap* must collect the exit status of *root* if it is there (``Popen.poll``). Blocks for at
    most about ``grace`` + 1 s; never raises.
    """
    victims = {process.pid: process for process in _tree(root, {})}
    _signal_all(root, victims, signal.SIGTERM)
    if _wait_gone(root, victims, grace, reap):
        return
    for _ in range(5):
        # What was started between the look and the signal is found by the next look.
        victims.update({process.pid: process for process in _tree(root, victims)})
        _signal_all(root, victims, signal.SIGKILL)
        if _wait_gone(root, victims, 0.2, reap):
            return


def _tree(root: int, known: dict[int, _Process]) -> list[_Process]:
    """Live members of the session of *root*, and descendants of it or of the *known* ones."""
    table = _process_table()
    family = {root, *known}
    grown = True
    while grown:
        new = {
            process.pid
            for process in table.values()
            if process.pid not in family and (process.parent in family or process.session in family)
        }
        family |= new
        grown = bool(new)
    family.discard(os.getpid())
    return [table[pid] for pid in family if pid in table and not table[pid].dead]


def _process_table() -> dict[int, _Process]:
    """All processes that can be seen; empty where there is no ``/proc``."""
    table: dict[int, _Process] = {}
    try:
        pids = [int(name) for name in os.listdir(_PROC) if name.isdecimal()]
    except OSError:
        return table
    for pid in pids:
        process = _look(pid)
        if process is not None:
            table[pid] = process
    return table


def _look(pid: int) -> _Process | None:
    try:
        text = (_PROC / str(pid) / "stat").read_bytes()
        # The name in parentheses may hold anything, spaces and parentheses too.
        fields = text[text.rindex(b")") + 2 :].split()
        return _Process(pid, int(fields[1]), int(fields[3]), int(fields[19]), fields[0] in b"ZXx")
    except (OSError, ValueError, IndexError):
        return None


def _signal_all(root: int, victims: dict[int, _Process], number: signal.Signals) -> None:
    with contextlib.suppress(OSError):
        os.killpg(root, number)
    for process in victims.values():
        now = _look(process.pid)
        if now is None or now.started != process.started or now.dead:
            continue
        with contextlib.suppress(OSError):
            os.kill(process.pid, number)
            # A stopped process acts on TERM only when it goes on.
            os.kill(process.pid, signal.SIGCONT)


def _wait_gone(
    root: int, victims: dict[int, _Process], seconds: float, reap: Callable[[], object]
) -> bool:
    deadline = time.monotonic() + seconds
    while True:
        reap()
        if not _group_alive(root) and not any(map(_alive, victims.values())):
            return True
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.01)


def _alive(process: _Process) -> bool:
    now = _look(process.pid)
    return now is not None and now.started == process.started and not now.dead


def _group_alive(group: int) -> bool:
    if _PROC.joinpath("self", "stat").exists():
        # Zombies of the group would count in the check below; the table knows better.
        return False
    try:
        os.killpg(group, 0)
    except OSError:
        return False
    return True
