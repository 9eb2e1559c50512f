"""What a streaming answer costs, how far it falls behind, and how keys fare meanwhile."""

import time
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import quantiles

from tests.benchmarks.measure import process_cpu_ms, report
from tests.e2e.program import AGENTCLI, World, server
from tests.e2e.terminal import Terminal

_KEY_EVERY = 0.25
_LETTERS = "ßøåæñçðþłđħŋœŧĸĳ§¶¤¢£¥«»"
"""Each is typed once and occurs nowhere else."""


@dataclass(frozen=True)
class Stream:
    """CPU seconds, seconds from the last byte to the end on the screen, ms from key to screen."""

    cpu: float
    late: float
    keys: list[float]


def measure(world: World, stack: ExitStack) -> list[str]:
    """Two streams of the same speed; in a third one somebody types."""
    short = _stream(world, stack, "markdown20k", 6)
    typed = _stream(world, stack, "markdown20k", 6, typing=True)
    long = _stream(world, stack, "markdown200k", 60)
    slowest = quantiles(typed.keys, n=20)[-1]
    return [
        *report("20,000 characters of Markdown over 6 s", short.cpu, 1.5, "CPU-s"),
        *report("  end drawn after the last byte", short.late, 0.3, "s"),
        *report("  key to screen meanwhile, 95 of 100", slowest, 50, "ms (wall)"),
        *report("200,000 characters over 60 s, against 20,000", long.cpu / short.cpu, 10, "times"),
        *report("  end drawn after the last byte", long.late, 0.3, "s"),
    ]


def _stream(
    world: World, stack: ExitStack, script: str, seconds: float, typing: bool = False
) -> Stream:
    world.base_url = stack.enter_context(server(script))
    terminal = Terminal(AGENTCLI, env=world.env(), cwd=world.project, size=(120, 40))
    terminal.wait_for("? help")
    terminal.pump(2)
    before = process_cpu_ms(terminal.pid)
    terminal.send("go\r")
    terminal.wait_for("esc interrupt")
    began = time.monotonic()
    keys: list[float] = []
    while "esc interrupt" in terminal.text() and time.monotonic() < began + 4 * seconds:
        if typing and time.monotonic() - began < seconds - 1:
            keys.append(_type_one(terminal, _LETTERS[len(keys) % len(_LETTERS)]))
            terminal.pump(_KEY_EVERY)
        else:
            terminal.pump(0.02)
    late = time.monotonic() - began - seconds
    terminal.pump(1)
    terminal.send("\x15")  # no draft for the next window
    terminal.pump(1)
    cpu = (process_cpu_ms(terminal.pid) - before) / 1000
    terminal.close()
    return Stream(cpu, late, keys)


def _type_one(terminal: Terminal, key: str) -> float:
    """Milliseconds until *key*, which stands nowhere else, has been written to the terminal."""
    start = len(terminal.raw)
    began = time.monotonic()
    terminal.send(key)
    while key.encode() not in terminal.raw[start:] and time.monotonic() < began + 5:
        terminal.pump_raw(0.05)
    return (time.monotonic() - began) * 1000


def composer(terminal: Terminal) -> str:
    """The first line of the composer as it is on the screen."""
    rows = [row for row in terminal.screen.display if row.startswith("› ")]
    return rows[-1].rstrip() if rows else ""
