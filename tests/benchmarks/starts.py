"""What a start costs: version, one-shot, the first frame of the window."""

import os
import signal
import time
from contextlib import ExitStack
from pathlib import Path

from tests.benchmarks.measure import PYTHON, cpu_ms, report, threads_cpu_ms
from tests.e2e.program import AGENTCLI, World, server
from tests.e2e.terminal import Terminal

_LAST_ROW = b"\x1b[30;1H"
_BENCH = Path(__file__).parent


def measure(world: World, stack: ExitStack) -> list[str]:
    """Each start against its floor: bare Python, a bare request, a bare Textual app."""
    world.base_url = stack.enter_context(server("hello"))
    env = world.env()
    cwd = Path(__file__).parent.parent.parent
    bare = cpu_ms([PYTHON, "-c", "pass"], env=env, cwd=cwd)
    request = cpu_ms([PYTHON, str(_BENCH / "bare_request.py"), world.base_url], env=env, cwd=cwd)
    print(f"{'python -c pass':<58} {bare:9.1f} CPU-ms")
    print(f"{'bare httpx2 request':<58} {request:9.1f} CPU-ms")
    version = cpu_ms([*AGENTCLI, "--version"], env=env, cwd=world.project)
    oneshot = cpu_ms([*AGENTCLI, "-p", "hi"], env=env, cwd=world.project)
    bare_app = first_frame(world, [PYTHON, str(_BENCH / "bare_app.py")])
    print(f"{'bare Textual app, first frame':<58} {bare_app:9.1f} CPU-ms")
    window = first_frame(world, AGENTCLI)
    return [
        *report("--version", version, bare + 30),
        *report("one-shot", oneshot, request + 200),
        *report("window, first frame", window, bare_app + 100),
    ]


def first_frame(world: World, command: list[str], rounds: int = 7) -> float:
    """Median CPU-ms of *command* until its first frame has been written."""
    figures: list[float] = []
    for _ in range(rounds):
        terminal = Terminal(command, env=world.env(), cwd=world.project)
        end = time.monotonic() + 20
        while _LAST_ROW not in terminal.raw and time.monotonic() < end:
            terminal.pump_raw(0.5)
        # what it does behind the frame, while we look, is not the frame's
        os.kill(terminal.pid, signal.SIGSTOP)
        figures.append(threads_cpu_ms(terminal.pid))
        terminal.close()
    return sorted(figures)[len(figures) // 2]
