"""Print the figures that the project holds itself to, each with its floor and its limit.

Run it on a quiet machine and read ratios: a busy neighbour makes every figure larger.
"""

import os
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from tests.benchmarks.measure import PYTHON, cpu_ms, process_cpu_ms
from tests.e2e.program import AGENTCLI, World, server
from tests.e2e.terminal import Terminal

_BENCH = Path(__file__).parent


def main() -> int:
    """Measure everything; 1 if a limit is broken."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        world = World(folder / "home", folder / "project", "")
        world.home.mkdir()
        world.project.mkdir()
        broken = [
            *_starts(world, stack.enter_context(server("hello"))),
            *_idle(world),
            *_streaming(world, stack),
        ]
    for line in broken:
        print("over the limit:", line)
    return 1 if broken else 0


def _report(name: str, figure: float, limit: float, unit: str = "CPU-ms") -> list[str]:
    print(f"{name:<58} {figure:9.1f} {unit}   limit {limit:.1f}", flush=True)
    return [] if figure <= limit else [name]


def _starts(world: World, url: str) -> list[str]:
    world.base_url = url
    env = world.env()
    cwd = Path(__file__).parent.parent.parent
    bare = cpu_ms([PYTHON, "-c", "pass"], env=env, cwd=cwd)
    request = cpu_ms([PYTHON, str(_BENCH / "bare_request.py"), url], env=env, cwd=cwd)
    print(f"{'python -c pass':<58} {bare:9.1f} CPU-ms")
    print(f"{'bare httpx2 request':<58} {request:9.1f} CPU-ms")
    version = cpu_ms([*AGENTCLI, "--version"], env=env, cwd=world.project)
    oneshot = cpu_ms([*AGENTCLI, "-p", "hi"], env=env, cwd=world.project)
    bare_app = _first_frame(world, [PYTHON, str(_BENCH / "bare_app.py")])
    print(f"{'bare Textual app, first frame':<58} {bare_app:9.1f} CPU-ms")
    window = _first_frame(world, AGENTCLI)
    return [
        *_report("--version", version, bare + 30),
        *_report("one-shot", oneshot, request + 200),
        *_report("window, first frame", window, bare_app + 150),
    ]


def _first_frame(world: World, command: list[str], rounds: int = 5) -> float:
    figures: list[float] = []
    for _ in range(rounds):
        terminal = Terminal(command, env=world.env(), cwd=world.project)
        # The first frame is on the screen when the pen has moved past the set-up sequences.
        end = time.monotonic() + 20
        while not terminal.text().strip() and time.monotonic() < end:
            terminal.pump(0.002)
        figures.append(process_cpu_ms(terminal.pid))
        terminal.close()
    return sorted(figures)[len(figures) // 2]


def _idle(world: World) -> list[str]:
    terminal = Terminal(AGENTCLI, env=world.env(), cwd=world.project)
    terminal.wait_for("?")
    terminal.pump(3)
    before = process_cpu_ms(terminal.pid)
    terminal.pump(5)
    spent = process_cpu_ms(terminal.pid) - before
    terminal.close()
    return _report("window, idle for 5 s", spent / 50, 1.0, "%")


def _streaming(world: World, stack: ExitStack) -> list[str]:
    figures: dict[str, float] = {}
    late: dict[str, float] = {}
    for script, seconds in (("markdown20k", 6), ("markdown80k", 24)):
        world.base_url = stack.enter_context(server(script))
        terminal = Terminal(AGENTCLI, env=world.env(), cwd=world.project, size=(120, 40))
        terminal.wait_for("?")
        terminal.pump(2)
        before = process_cpu_ms(terminal.pid)
        terminal.send("go\r")
        terminal.wait_for("esc interrupt")
        began = time.monotonic()
        while "esc interrupt" in terminal.text() and time.monotonic() < began + 4 * seconds:
            terminal.pump(0.02)
        late[script] = time.monotonic() - began - seconds
        terminal.pump(1)
        figures[script] = (process_cpu_ms(terminal.pid) - before) / 1000
        terminal.close()
    ratio = figures["markdown80k"] / figures["markdown20k"]
    return [
        *_report("20,000 characters of Markdown over 6 s", figures["markdown20k"], 2.5, "CPU-s"),
        *_report("  end drawn after the last byte", late["markdown20k"], 0.5, "s"),
        *_report("80,000 characters over 24 s, against 20,000", ratio, 4.5, "times"),
        *_report("  end drawn after the last byte", late["markdown80k"], 0.5, "s"),
    ]


if __name__ == "__main__":
    os.environ.pop("NO_COLOR", None)
    sys.exit(main())
